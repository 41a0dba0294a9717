package format

import (
	"context"
	"io/fs"

	"trowel.example/internal/tree"
)

// What the formats of all games have in common.

// Write writes an output that is one file.
func Write(out Output, data []byte) error {
	w, err := out.Create("")
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// BuildOf returns the Build of a format whose tree form becomes one file, by build.
func BuildOf(build func(fs.FS) ([]byte, error)) func(context.Context, *Job, fs.FS, Output) error {
	return func(_ context.Context, job *Job, fsys fs.FS, out Output) error {
		data, err := build(job.Clean(fsys))
		if err != nil {
			return err
		}
		return Write(out, data)
	}
}

// OptionClean makes Build forget the sidecar, by [Job.Clean].
var OptionClean = Option{Name: "clean", Bool: true, For: ForBuild | ForCheck, Help: "leave out the sidecar: build a clean file, not the same bytes"}

// Clean returns a tree without its sidecar if the user asks for a clean file.
func (j *Job) Clean(fsys fs.FS) fs.FS {
	if j.On(OptionClean.Name) {
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

// ReadFile is there for the limit of the tree that it is read from.
func (t cleanTree) ReadFile(name string) ([]byte, error) {
	if name == tree.Sidecar {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return fs.ReadFile(t.FS, name)
}
