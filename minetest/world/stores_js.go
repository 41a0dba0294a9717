package world

import (
	"context"
	"fmt"

	"trowel.example/internal/stores/server"
)

func openSQLite(ctx context.Context, path string, opts Options, t tables) (*sqlDB, error) {
	return openPages(ctx, path, opts, t)
}

func openPostgres(context.Context, string, string, Options, tables) (*sqlDB, error) {
	return nil, fmt.Errorf("PostgreSQL: %w", server.ErrProgram)
}
