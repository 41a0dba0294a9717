package world_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// TestStandings tests that every backend returns the same positions as Get, and that one unreadable row does not
// affect the others.
func TestStandings(t *testing.T) {
	ctx := context.Background()
	for _, backend := range backends {
		dir := t.TempDir()
		opts := world.Options{Backend: backend, Write: true}
		none := world.ParseSettings(nil, "")
		s, err := world.OpenPlayers(ctx, dir, none, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range samplePlayers(t) {
			err = errors.Join(err, s.Put(ctx, p))
		}
		if err := errors.Join(err, s.Commit(ctx), s.Close()); err != nil {
			t.Fatal(err)
		}
		want := len(samplePlayers(t))
		if backend == mapdb.SQLite {
			conn, err := sqlite.OpenConn(filepath.Join(dir, "players.sqlite"), sqlite.OpenReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			err = sqlitex.ExecuteScript(conn, "INSERT INTO player SELECT 'nowhere', pitch, yaw, 'north', posY, posZ, hp, "+
				"breath, creation_date, modification_date FROM player LIMIT 1; INSERT INTO player SELECT 'odd', pitch, yaw, 7, "+
				"posY, posZ, 'many', breath, creation_date, modification_date FROM player LIMIT 1", nil)
			if err := errors.Join(err, conn.Close()); err != nil {
				t.Fatal(err)
			}
			want++ // Standings does not read the hp
		}
		opts.Write = false
		if s, err = world.OpenPlayers(ctx, dir, none, opts); err != nil {
			t.Fatal(err)
		}
		found, bad := 0, 0
		for at, err := range world.Standings(ctx, s) {
			if err != nil {
				bad++
				continue
			}
			found++
			if p, err := s.Get(ctx, at.Name); at.Name != "odd" && (err != nil || fmt.Sprint(p.Pos) != fmt.Sprint(at.Pos)) {
				t.Errorf("%s: %+v, %v", backend, at, err)
			}
		}
		if found != want || (bad > 0) != (backend == mapdb.SQLite) {
			t.Errorf("%s: %d players and %d errors", backend, found, bad)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
