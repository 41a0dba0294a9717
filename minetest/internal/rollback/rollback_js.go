package rollback

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"trowel.example/internal/stores/sqlitefile"
)

func open(ctx context.Context, path string) (reader, error) { return openPages(ctx, path) }

// Trim returns an error: it needs SQLite.
func Trim(_ context.Context, dir string, _ time.Time) (int64, error) {
	return 0, fmt.Errorf("%s: %w", filepath.Join(dir, File), sqlitefile.ErrProgram)
}
