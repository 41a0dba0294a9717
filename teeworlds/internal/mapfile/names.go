package mapfile

import (
	"context"
	"fmt"
	"os"

	"trowel.example/check"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapdiff"
	"trowel.example/teeworlds/internal/maprules"
	"trowel.example/teeworlds/mapdir"
)

// OptionLike selects a map from which parts keep their names.
var OptionLike = format.Option{Name: "like", For: format.ForTree,
	Help: "keep the names, and the equivalent texts, of an `earlier` file or folder (default: the folder that is replaced)"}

// likeNames returns the names from the option of a job, or nil without the option.
func likeNames(job *format.Job) (*mapdir.Names, error) {
	if path := OptionLike.Value(job); path != "" {
		names, err := NamesAt(job, path)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", OptionLike.Name, err)
		}
		return names, nil
	}
	if job.Over == nil || !mapdir.Recognize(job.Over) {
		return nil, nil
	}
	names, err := mapdir.ReadNames(job.Over)
	if err != nil {
		job.Warn("", "the names of the existing folder are not kept, because it is not a complete map: %v", err)
		return nil, nil
	}
	return names, nil
}

// NamesAt returns the names in an extracted folder, or those that extracting a file would give.
func NamesAt(job *format.Job, path string) (*mapdir.Names, error) {
	src, err := format.OpenSource(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if !src.IsDir() {
		return namesOf(job, format.Side{Source: src})
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	fsys, err := safename.Restore(regular.NewFS(root, nil))
	if err == nil && !mapdir.Recognize(fsys) {
		err = fmt.Errorf("%s: %w", path, format.ErrNoTree)
	}
	if err != nil {
		return nil, err
	}
	return namesOf(job, format.Side{Tree: fsys, Folder: path})
}

func namesOf(job *format.Job, side format.Side) (*mapdir.Names, error) {
	if side.Tree != nil {
		names, err := mapdir.ReadNames(side.Tree)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", side.Folder, err)
		}
		return names, nil
	}
	m, err := Decode(job, side.Source)
	if err != nil {
		return nil, err
	}
	return mapdir.NamesOf(m), nil
}

// Decides compares what affects gameplay in two maps.
func Decides(ctx context.Context, job *format.Job, old, new format.Side, change func(check.Change) error) error {
	a, err := namesOf(job, old)
	if err != nil {
		return err
	}
	b, err := namesOf(job, new)
	if err != nil {
		return err
	}
	return maprules.ComparePhysics(ctx, a, b, change)
}

// Compare compares maps part by part.
func Compare(ctx context.Context, job *format.Job, old, new format.Side, change func(any) error) ([]string, error) {
	a, err := namesOf(job, old)
	if err != nil {
		return nil, err
	}
	b, err := namesOf(job, new)
	if err != nil {
		return nil, err
	}
	like, err := likeNames(job)
	if err != nil {
		return nil, err
	}
	if like != nil {
		a = like.For(a.Map())
	}
	var lines mapdiff.Lines
	err = mapdiff.Compare(a, b, func(c mapdiff.Change) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		lines.Add(c)
		return change(c)
	})
	return lines.All(), err
}
