package world

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
)

// OwnerOnly reports whether only the owner can read one of the given files or folders of a world. A file that does
// not exist does not count.
func OwnerOnly(dir string, names ...string) bool {
	private := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().Perm()&0o077 == 0
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if private(path) {
			return true
		}
		if d, _, err := regular.Open(path); err == nil { // one file represents all files of a folder
			inside, _ := d.Readdirnames(1)
			d.Close()
			if len(inside) > 0 && private(filepath.Join(path, inside[0])) {
				return true
			}
		}
	}
	return false
}

// Protect makes the given files and folders of a world readable for their owner only. Those that do not exist are
// ignored.
func Protect(dir string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err == nil {
			err = wholefile.SetMode(path, info.Mode().Perm()&^0o077)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
