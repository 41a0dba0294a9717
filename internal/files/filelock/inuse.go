package filelock

import (
	"errors"
	"fmt"
)

// ErrInUse means that another program uses a database or has locked it.
var ErrInUse = errors.New("the database is in use")

// FindUser replaces the search for other programs in processes that the system does not allow to see those; nil: it is not
// replaced. It is set before the first search.
var FindUser func(path string) string

// CheckUnused returns an error that wraps [ErrInUse] if another program is known to have a file, or a file in a folder,
// open.
func CheckUnused(path string) error {
	if by := UsedBy(path); by != "" {
		return fmt.Errorf("%s: %w: by %s", path, ErrInUse, by)
	}
	return nil
}
