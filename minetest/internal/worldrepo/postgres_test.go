package worldrepo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// TestPostgres tests that a backup of a world in PostgreSQL contains all blocks and accounts as they were at one
// moment, while a server writes, that it can be restored to files and to PostgreSQL, and that it contains no
// password.
func TestPostgres(t *testing.T) {
	c := mapdb.Config{Backend: mapdb.Postgres, Postgres: judge.Postgres(t)}
	const n = 3000
	dir := worldtest.WorldOf(t, t.TempDir(), c, func(yield func(mapdb.Block, error) bool) {
		for i := 0; i < n && yield(mapdb.Block{Pos: worldtest.Pos(i), Data: []byte("0")}, nil); i++ {
		}
	})
	path := filepath.Join(dir, "world.mt")
	worldtest.SetLine(t, path, "pgsql_connection = "+c.Postgres,
		fmt.Sprintf("pgsql_connection = %s application_name=secret\npgsql_auth_connection = %[1]s application_name=secret", c.Postgres))
	worldtest.SetLine(t, path, "auth_backend = files", "auth_backend = postgresql")
	accountOf := func(dir string, put ...*world.Account) world.Verifier {
		t.Helper()
		settings, err := world.ReadWorldMT(dir)
		if err != nil {
			t.Fatal(err)
		}
		s, err := world.OpenAuth(t.Context(), dir, settings, world.Options{Write: len(put) > 0})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, a := range put {
			if err := errors.Join(s.Put(t.Context(), a), s.Commit(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		a, err := s.Get(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		return a.Password
	}
	accountOf(dir, &world.Account{Name: "ann", Password: "0", LastLogin: -1})

	ctx, stop := context.WithCancel(t.Context())
	server, err := pgx.Connect(t.Context(), c.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(t.Context())
	done := make(chan error, 1)
	go func() {
		for g := 1; ; g++ {
			// Both values change in one transaction.
			if _, err := server.Exec(ctx, fmt.Sprintf("UPDATE auth SET password = '%d'; UPDATE blocks SET data = '%[1]d'", g)); err != nil {
				done <- err
				return
			}
		}
	}()
	repo := newFolder(t)
	if err := worldrepo.Create(t.Context(), repo, sealed.Readers{}); err != nil {
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
			if a := accountOf(back); string(a) != g {
				t.Errorf("blocks of generation %s, an account of %s", g, string(a))
			}
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
