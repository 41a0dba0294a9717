package mapdir

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

type forbidden struct{ fs.FS }

func (f forbidden) Open(name string) (fs.File, error) {
	if name == fileMap {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.FS.Open(name)
}

// TestForbidden tests that a folder whose map.json cannot be read for lack of permission is recognized as a map, and
// that the error states the reason.
func TestForbidden(t *testing.T) {
	fsys := forbidden{fstest.MapFS{"groups/order.txt": {}}}
	if !Recognize(fsys) {
		t.Error("not recognised")
	}
	if _, err := Read(fsys, nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
}
