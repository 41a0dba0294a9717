package regular

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openShared opens a file or a folder for reading. Other programs can rename and remove it meanwhile, as on other systems:
// a server replaces its files while they are read.
func openShared(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		f, plain := os.Open(path) // such as a path that is too long for Windows, which package os changes
		if plain == nil {
			return f, nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
