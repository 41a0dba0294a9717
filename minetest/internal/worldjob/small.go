package worldjob

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"trowel.example/minetest/internal/rollback"
)

// Limits of the files that are copied to show another state of a world, in bytes.
const (
	MaxSmall    = 64 << 20
	maxSmallAll = 256 << 20
)

// Small selects the files that are copied to show another state of a world: up to the limits, and without the records of who
// changed what, which are read in the world as it is.
type Small struct{ size int64 }

// Has reports whether a file with a slash-separated path is copied, and whether it fits into the limits.
func (s *Small) Has(at string, size int64) (has, fits bool) {
	switch {
	case strings.HasPrefix(path.Base(at), rollback.File):
		return false, true
	case size > MaxSmall || s.size+size > maxSmallAll:
		return false, false
	}
	s.size += size
	return true, true
}

// Of returns a function that reports whether a file or folder of the world in dir is copied.
func (s *Small) Of(dir string) func(at string, folder bool) bool {
	return func(at string, folder bool) bool {
		if folder {
			return true
		}
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(at)))
		if err != nil {
			return false
		}
		has, _ := s.Has(at, info.Size())
		return has
	}
}
