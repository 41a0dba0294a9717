package mapops

import (
	"context"
	"io/fs"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapdir"
)

// Apply copies the files of an edited extract over the folder of a map, and builds the map from the result.
func Apply(_ context.Context, e *Editor) error {
	now := mapdir.Open(e.Map())
	put := make(map[string]format.AppliedFile)
	changes, err := format.Apply(e.Job, func(path string, _ func(string) string) ([]byte, error) {
		return fs.ReadFile(now, path)
	}, func(f format.AppliedFile) error {
		put[f.Path] = f
		return nil
	})
	if err != nil || len(changes) == 0 {
		return err
	}
	var after tree.FS
	err = fs.WalkDir(now, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if _, replaced := put[path]; !replaced {
			after.Add(path, tree.Meta{Stored: -1}, func() ([]byte, error) { return fs.ReadFile(now, path) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range put {
		if !f.Removed {
			after.AddBytes(f.Path, f.Content)
		}
	}
	m, err := mapdir.Read(&after, func(file, msg string) { e.Job.Warn(file, "%s", msg) })
	if err != nil {
		return err
	}
	e.Become(m, changes)
	return nil
}
