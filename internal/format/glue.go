package format

import (
	"context"
	"io/fs"

	"trowel.example/internal/files/tree"
)

// Functions shared by the formats of all games.

// Write writes data as the only file of an output.
func Write(out Output, data []byte) error {
	w, err := out.Create("")
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// BuildOf returns a Build function for a format whose tree form build encodes as one file.
func BuildOf(build func(fs.FS) ([]byte, error)) func(context.Context, *Job, fs.FS, Output) error {
	return func(_ context.Context, job *Job, fsys fs.FS, out Output) error {
		data, err := build(job.Clean(fsys))
		if err != nil {
			return err
		}
		return Write(out, data)
	}
}

// OptionClean makes Build ignore the sidecar, by [Job.Clean].
var OptionClean = Option{Name: "clean", Type: Bool, For: ForBuild | ForCheck,
	Help: "ignore the sidecar: build a clean file, not a byte-identical one"}

// Clean returns the tree, without its sidecar if OptionClean is set.
func (j *Job) Clean(fsys fs.FS) fs.FS {
	if OptionClean.On(j) {
		return cleanTree{fsys}
	}
	return fsys
}

type cleanTree struct{ fs.FS }

func (t cleanTree) Open(name string) (fs.File, error) {
	if name == tree.Sidecar {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return t.FS.Open(name)
}

// ReadFile preserves the size limit of the underlying tree.
func (t cleanTree) ReadFile(name string) ([]byte, error) {
	if name == tree.Sidecar {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return fs.ReadFile(t.FS, name)
}
