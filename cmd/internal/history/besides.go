package history

import (
	"context"
	"os"
	"path/filepath"

	"trowel.example/internal/files/output"
)

// besides returns the backups next to a file that changes in place have left.
func besides(name string) (list []State, err error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(full)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil // the name may be of another kind of storage, or the error is reported when the file is opened
	}
	for _, e := range entries {
		when, ok := output.BackupTime(e.Name())
		if !ok || output.BackupOf(e.Name()) != base || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		list = append(list, State{Kind: Backup, ID: e.Name(), Time: when, open: func(context.Context) (*Opened, error) {
			return &Opened{Path: path, Close: func() error { return nil }}, nil
		}})
	}
	return newest(list), nil
}
