package worldrepair

import (
	"fmt"

	"trowel.example/internal/inuse"
)

// free fails if another program has a file of the world open.
func free(dir string, force bool) error {
	if by := inuse.By(dir); by != "" && !force {
		return fmt.Errorf("%s: %w: by %s", dir, ErrInUse, by)
	}
	return nil
}

// replaceable fails if another program has a file of the world open, whatever the user
// says: it would go on writing to the database that another takes the place of.
func replaceable(dir string) error { return free(dir, false) }
