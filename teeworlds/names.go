package teeworlds

import (
	"context"
	"fmt"
	"os"
	"trowel.example/internal/format"

	"trowel.example/internal/files/links"
	"trowel.example/internal/files/safename"
	"trowel.example/teeworlds/internal/mapdiff"
	"trowel.example/teeworlds/mapdir"
)

// optionLike selects a map from which parts keep their names.
var optionLike = format.Option{Name: "like", For: format.ForTree,
	Help: "keep the names, and the texts that mean the same, of an `earlier` file or folder (default: the folder that is replaced)"}

// likeNames returns the names from the option of a job, or nil without the option.
func likeNames(job *format.Job) (*mapdir.Names, error) {
	if path := job.Value(optionLike.Name); path != "" {
		names, err := namesAt(job, path)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", optionLike.Name, err)
		}
		return names, nil
	}
	if job.Over == nil || !mapdir.Recognize(job.Over) {
		return nil, nil
	}
	names, err := mapdir.ReadNames(job.Over)
	if err != nil {
		job.Warn("", "the folder that is there is no whole map, so its names are not kept: %v", err)
		return nil, nil
	}
	return names, nil
}

// namesAt returns the names in an extracted folder, or those that extracting a file would give.
func namesAt(job *format.Job, path string) (*mapdir.Names, error) {
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
	fsys, err := safename.Restore(links.New(root, nil))
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
	m, err := decodeMap(side.Source, missOf(job, side.Source))
	if err != nil {
		return nil, err
	}
	return mapdir.NamesOf(m), nil
}

// compareMaps compares maps part by part.
func compareMaps(ctx context.Context, job *format.Job, old, new format.Side, change func(any) error) ([]string, error) {
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
