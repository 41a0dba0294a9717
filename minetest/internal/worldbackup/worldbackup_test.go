package worldbackup_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

// archive returns a zip archive with the given files.
func archive(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileBackup tests that a forged backup changes only files that a repair may change.
func TestHostileBackup(t *testing.T) {
	const ok = `{"Format":"trowel world backup 1","Blocks":0}`
	for name, files := range map[string]map[string]string{
		"empty":        nil,
		"no manifest":  {"files/ipban.txt": "x"},
		"format":       {"backup.json": `{"Format":"other"}`},
		"json":         {"backup.json": `{`},
		"count":        {"backup.json": `{"Format":"trowel world backup 1","Blocks":2}`},
		"outside":      {"backup.json": ok, "files/../../evil": "x"},
		"absolute":     {"backup.json": ok, "files//evil": "x"},
		"not ours":     {"backup.json": ok, "files/worldmods/x/init.lua": "x"},
		"deep":         {"backup.json": ok, "files/players/../../evil": "x"},
		"position":     {"backup.json": ok, "blocks/1,2,30000": "x"},
		"store":        {"backup.json": `{"Format":"trowel world backup 1","Stores":[".."]}`},
		"store inside": {"backup.json": `{"Format":"trowel world backup 1","Stores":["players/../worldmods"]}`},
		"other":        {"backup.json": ok, "evil": "x"},
	} {
		t.Run(name, func(t *testing.T) {
			outer := t.TempDir()
			dir := worldtest.World(t, filepath.Join(outer, "a", "world"), mapdb.Config{Backend: mapdb.SQLite}, 3)
			before := worldtest.Snapshot(t, outer)
			file := filepath.Join(t.TempDir(), "backup.zip")
			judge.Write(t, file, archive(t, files))
			if err := worldbackup.Restore(context.Background(), dir, file, worldbackup.Options{}); err == nil {
				t.Error("it is restored")
			}
			if diff := cmp.Diff(before, worldtest.Snapshot(t, outer)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRestore tests that what was stored is restored, whatever happened to it, and that later additions to a store
// are removed.
func TestRestore(t *testing.T) {
	ctx := context.Background()
	for backend, config := range worldtest.Backends {
		t.Run(backend, func(t *testing.T) {
			c := config(t)
			dir := worldtest.World(t, t.TempDir(), c, 9)
			before := worldtest.Snapshot(t, dir)
			b, err := worldbackup.New(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			defer b.Discard()
			one, two, none := worldtest.Pos(1), worldtest.Pos(2), mapdb.Pos{X: 99}
			db, err := mapdb.Open(ctx, dir, c)
			if err != nil {
				t.Fatal(err)
			}
			blocks := worldtest.All(t, db)
			for _, p := range []mapdb.Pos{one, two} {
				data, err := db.Get(ctx, p)
				if err == nil {
					err = b.Block(mapdb.Block{Pos: p, Data: data})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if err := b.File("env_meta.txt"); err != nil {
				t.Fatal(err)
			}
			if err := b.Store([]string{"players"}); err != nil {
				t.Fatal(err)
			}
			path, err := b.Finish()
			if err != nil {
				t.Fatal(err)
			}
			err = mapdb.Edit(ctx, dir, c, []mapdb.Pos{one, two, none}, func(p mapdb.Pos, data []byte) ([]byte, error) {
				if (data == nil) != (p == none) {
					t.Errorf("%v has %d bytes", p, len(data))
				}
				if p == two {
					return nil, nil
				}
				return []byte("changed"), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			judge.Write(t, filepath.Join(dir, "env_meta.txt"), []byte("changed"))
			judge.Write(t, filepath.Join(dir, "players", "new"), []byte("new"))
			if err := worldbackup.Restore(ctx, dir, path, worldbackup.Options{}); err != nil {
				t.Fatal(err)
			}
			if db, err = mapdb.Open(ctx, dir, c); err != nil {
				t.Fatal(err)
			}
			blocks[none] = "changed" // it is not in the backup
			if diff := cmp.Diff(blocks, worldtest.All(t, db)); diff != "" {
				t.Error(diff)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, worldtest.Snapshot(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLater tests that Later returns the backups from the newest to the oldest.
func TestLater(t *testing.T) {
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 1)
	var made []string
	for i := range 3 {
		b, err := worldbackup.New(dir, dir+fmt.Sprintf(".backup-%d.zip", i))
		if err == nil {
			err = b.File("ipban.txt")
		}
		if err != nil {
			t.Fatal(err)
		}
		path, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, path)
	}
	judge.Write(t, dir+".backup-9.zip", []byte("no backup"))
	for i, want := range [][]string{{made[2], made[1]}, {made[2]}, nil} {
		if got, err := worldbackup.Later(dir, made[i]); err != nil || !slices.Equal(got, want) {
			t.Errorf("after %d: %q, %v, want %q", i, got, err, want)
		}
	}
}
