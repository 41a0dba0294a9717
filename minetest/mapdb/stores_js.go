package mapdb

import (
	"context"
	"fmt"
	"path/filepath"

	"trowel.example/internal/stores/server"
	"trowel.example/internal/stores/sqlitefile"
)

var sqliteBackend = Backend{
	Name:    SQLite,
	Files:   sqlitefile.Files(sqliteName),
	Targets: sqliteTargets,
	open: func(ctx context.Context, dir string, _ Config) (DB, error) {
		db, err := openPages(ctx, filepath.Join(dir, sqliteName))
		if err != nil {
			return nil, err // not an interface that contains a nil pointer
		}
		return db, nil
	},
	create: func(_ context.Context, dir string, _ Config) (Writer, error) { return writeSQLite(dir) },
	edit:   func(_ context.Context, dir string, _ Config, _ bool) (Writer, error) { return writeSQLite(dir) },
}

func writeSQLite(dir string) (Writer, error) {
	return nil, fmt.Errorf("%s: %w", filepath.Join(dir, sqliteName), sqlitefile.ErrProgram)
}

func noServer(name string) error { return fmt.Errorf("%s: %w", name, server.ErrProgram) }

func readPostgres(context.Context, Config) (DB, error)       { return nil, noServer("PostgreSQL") }
func createPostgres(context.Context, Config) (Writer, error) { return nil, noServer("PostgreSQL") }
func openPostgresForWriting(context.Context, Config, bool) (Writer, error) {
	return nil, noServer("PostgreSQL")
}
func readRedis(context.Context, Config) (DB, error)       { return nil, noServer("Redis") }
func createRedis(context.Context, Config) (Writer, error) { return nil, noServer("Redis") }
func openRedis(context.Context, Config) (Writer, error)   { return nil, noServer("Redis") }
