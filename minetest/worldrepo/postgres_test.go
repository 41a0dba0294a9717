package worldrepo_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldrepo"
)

// A backup of a world in PostgreSQL has all blocks as they were at one moment, while a server
// writes; it can be restored to files and to PostgreSQL, and has no password.
func TestPostgres(t *testing.T) {
	c := mapdb.Config{Backend: mapdb.Postgres, Postgres: judge.Postgres(t)}
	const n = 3000
	dir := worldtest.WorldOf(t, t.TempDir(), c, func(yield func(mapdb.Block, error) bool) {
		for i := 0; i < n && yield(mapdb.Block{Pos: worldtest.Pos(i), Data: []byte("0")}, nil); i++ {
		}
	})
	path := filepath.Join(dir, "world.mt")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	judge.Write(t, path, fmt.Appendf(text, "pgsql_connection = %s application_name=secret\n", c.Postgres))

	ctx, stop := context.WithCancel(t.Context())
	server, err := pgx.Connect(t.Context(), c.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(t.Context())
	done := make(chan error, 1)
	go func() {
		for g := 1; ; g++ {
			if _, err := server.Exec(ctx, "UPDATE blocks SET data = convert_to($1, 'UTF8')", strconv.Itoa(g)); err != nil {
				done <- err
				return
			}
		}
	}()
	repo := newFolder(t)
	if err := worldrepo.Create(t.Context(), repo); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for range 3 {
		report, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Remote: true})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, report.Snapshot.ID)
	}
	stop()
	if err := <-done; ctx.Err() == nil {
		t.Fatal(err)
	}
	var last map[mapdb.Pos]string
	seen := map[string]bool{}
	for _, id := range ids {
		back := restore(t, repo, id, worldcopy.Options{Map: "sqlite"})
		last = worldtest.BlocksOf(t, back)
		of := map[string]int{}
		for _, data := range last {
			of[data]++
		}
		if len(last) != n || len(of) != 1 {
			t.Errorf("%d blocks, of the generations %v", len(last), of)
		}
		for g := range of {
			seen[g] = true
		}
		if text, err := os.ReadFile(filepath.Join(back, "world.mt")); err != nil || strings.Contains(string(text), "secret") {
			t.Errorf("world.mt: %s, %v", text, err)
		}
	}
	t.Logf("%d of %d snapshots are of generations of their own", len(seen), len(ids))

	to := judge.Postgres(t)
	back := restore(t, repo, ids[len(ids)-1], worldcopy.Options{Postgres: to})
	if got := worldtest.BlocksOf(t, back); !maps.Equal(got, last) {
		t.Errorf("%d blocks in PostgreSQL", len(got))
	}
}
