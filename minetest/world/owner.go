package world

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/internal/regular"
)

// StoreFiles returns the names of the files and folders that players, auth, mod_storage or
// map have in the folder of a world with a backend, separated by spaces; "" if they have none
// there, or nobody knows.
func StoreFiles(what, backend string) string {
	switch backend {
	case BackendSQLite:
		name := what + ".sqlite"
		return strings.Join([]string{name, name + "-wal", name + "-shm", name + "-journal"}, " ")
	case BackendLevelDB:
		return what + ".db"
	case BackendSectors, BackendSectors2:
		return "sectors sectors2"
	case BackendFiles:
		if what == "auth" {
			return "auth.txt"
		}
		return what
	}
	return ""
}

// OwnerOnly reports whether one of the files or folders of a world that names has, separated
// by spaces, is for nobody but its owner to read.
func OwnerOnly(dir, names string) bool {
	private := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().Perm()&0o077 == 0
	}
	for name := range strings.FieldsSeq(names) {
		path := filepath.Join(dir, name)
		if private(path) {
			return true
		}
		if d, _, err := regular.Open(path); err == nil { // of a folder, one file stands for all
			inside, _ := d.Readdirnames(1)
			d.Close()
			if len(inside) > 0 && private(filepath.Join(path, inside[0])) {
				return true
			}
		}
	}
	return false
}

// Protect lets nobody but their owner read files and folders of a world, those of them that
// there are.
func Protect(dir, names string) error {
	for name := range strings.FieldsSeq(names) {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err == nil {
			err = os.Chmod(path, info.Mode().Perm()&^0o077)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
