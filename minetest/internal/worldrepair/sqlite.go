//go:build !js

package worldrepair

import (
	"context"

	"trowel.example/internal/files/inuse"
	"trowel.example/internal/stores/sqlitefile"
)

// examineSQLite reports whether an SQLite file is damaged, and returns the parts that cannot be read.
func examineSQLite(ctx context.Context, path string, tables []string) ([]sqlitefile.Loss, bool, error) {
	f, err := sqlitefile.OpenOrRescue(ctx, path, tables)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if !f.Rescued() && inuse.By(path) == "" {
		if _, err := f.Verify(ctx, tables); err != nil {
			return nil, false, err
		}
	}
	return f.Losses(), f.Rescued(), nil
}
