package world_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// TestPostgresSchemas tests that tables of PostgreSQL to which the engine cannot write are reported, with statements that mend them.
func TestPostgresSchemas(t *testing.T) {
	conn, dir, ctx := judge.Postgres(t), t.TempDir(), context.Background()
	settings := "gameid = a\n"
	for _, p := range world.Parts() {
		settings += p.Setting() + " = postgresql\n" + p.Connection(mapdb.Postgres)[0] + " = " + conn + "\n"
	}
	judge.Write(t, filepath.Join(dir, "world.mt"), []byte(settings))
	found := func() (list []string) {
		t.Helper()
		err := world.CheckRest(ctx, dir, world.CheckOptions{Quick: true, Remote: true}, func(f check.Finding) {
			if f.ID == "mt-world-schema" {
				list = append(list, f.Message)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	run := func(sql string) {
		t.Helper()
		c, err := pgx.Connect(ctx, conn)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(ctx)
		if _, err := c.Exec(ctx, sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	sound := func(when string) {
		t.Helper()
		if list := found(); len(list) > 0 {
			t.Errorf("%s: found %q", when, list)
		}
	}
	sound("without tables")
	db, err := mapdb.Create(ctx, dir, mapdb.Config{Backend: mapdb.Postgres, Postgres: conn, Remote: true})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	opts := world.Options{Backend: mapdb.Postgres, Postgres: conn}
	playersSuite(t, t.TempDir(), opts)
	authSuite(t, t.TempDir(), opts)
	storageSuite(t, t.TempDir(), opts)
	sound("new tables")
	run("ALTER TABLE blocks ADD mtime BIGINT NOT NULL DEFAULT 0; CREATE INDEX later ON blocks (mtime); CREATE UNIQUE INDEX more ON " +
		"blocks (posx, posy, posz, mtime); ALTER TABLE player ADD number BIGINT GENERATED ALWAYS AS IDENTITY")
	sound("tables that other programs extended")
	for change, want := range map[string]string{
		"ALTER TABLE blocks ADD owner TEXT; UPDATE blocks SET owner = ''; ALTER TABLE blocks ALTER owner SET NOT NULL": `column "owner"`,

		"ALTER TABLE blocks RENAME CONSTRAINT blocks_pkey TO old": "no constraint blocks_pkey of posx, posy, posz",
		"ALTER TABLE player DROP CONSTRAINT player_pkey CASCADE":  "no constraint player_pkey of name",
		"ALTER TABLE auth ADD UNIQUE (password)":                  "different values of password",

		"DELETE FROM mod_storage; CREATE UNIQUE INDEX one ON mod_storage (modname)": "different values of modname",
		"ALTER TABLE player_metadata RENAME attr TO metadata":                       "no column attr",
	} {
		run(change)
		list := found()
		if len(list) != 1 || !strings.Contains(list[0], want) {
			t.Errorf("%s: found %q", change, list)
			continue
		}
		if _, mend, ok := strings.Cut(strings.TrimSuffix(list[0], ")"), " ("); ok {
			run(mend)
			sound("after " + mend)
		} else {
			run("DROP TABLE player_metadata")
		}
	}
}
