package manifest

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"trowel.example/internal/files/filelock"
)

// scratchPrefix is the prefix of the temporary folders in which manifests are sorted.
const scratchPrefix = "trowel-manifest-"

// SortScratch is [Sort] with a temporary folder.
func SortScratch(w io.Writer, all func(add func(Entry) error) (int64, error)) (n int64, err error) {
	dir, end, err := filelock.TempDir(scratchPrefix)
	if err != nil {
		return 0, err
	}
	defer end()
	return Sort(w, Options{Scratch: dir}, all)
}

// Temporary makes a manifest as [SortScratch] does, in a temporary file that end removes.
func Temporary(all func(add func(Entry) error) (int64, error)) (m *Manifest, end func() error, err error) {
	dir, remove, err := filelock.TempDir(scratchPrefix)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Create(filepath.Join(dir, "manifest"))
	if err != nil {
		remove()
		return nil, nil, err
	}
	end = func() error {
		defer remove()
		return f.Close()
	}
	_, err = SortScratch(f, all)
	var size int64
	if err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	if err == nil {
		m, err = Open(f, size)
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return m, end, nil
}
