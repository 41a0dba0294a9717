package worldrepair

import (
	"context"
	"fmt"

	"trowel.example/internal/stores/sqlitefile"
)

// examineSQLite returns an error: repairing needs SQLite.
func examineSQLite(_ context.Context, path string, _ []string) ([]sqlitefile.Loss, bool, error) {
	return nil, false, fmt.Errorf("%s: %w", path, sqlitefile.ErrProgram)
}
