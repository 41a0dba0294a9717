package wholefile

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }

func moveNew(root *os.Root, from, to string) error {
	if _, err := root.Stat(filepath.Dir(to)); err != nil { // fails if a link leads out of root
		return err
	}
	from, to = filepath.Join(root.Name(), from), filepath.Join(root.Name(), to)
	old, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	if err := windows.MoveFileEx(old, name, 0); err != nil { // without the flag to replace files
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
