package minetest

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

// TestPutBackDamaged tests that damaged parts of a snapshot prevent an edit, unless the user accepts that the rest is put
// back.
func TestPutBackDamaged(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 60, 29)
	src, err := format.OpenSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(t.TempDir(), "repo")
	if _, err := worldBackups.Add(ctx, new(format.Job), src, &format.Source{Path: repo, Dir: repo}); err != nil {
		t.Fatal(err)
	}
	edit := func(keep bool, words string) (lost int, err error) {
		job := minetestWorld.Job(worldEditing.Options...)
		job.KeepGoing, job.OnMiss = keep, func(string, string) { lost++ }
		steps, err := format.ParseSteps(job, worldEditing.Commands, strings.Fields(words))
		if err == nil {
			_, err = worldEditing.InPlace(ctx, job, src, steps, "", func(check.Change) error { return nil })
		}
		return lost, err
	}
	before := worldtest.BlocksOf(t, dir)
	if _, err := edit(false, "replace default:stone default:obsidian --new-name --box -3000,-3000,-3000:3000,3000,3000"); err != nil {
		t.Fatal(err)
	}
	edited := worldtest.BlocksOf(t, dir)
	packs, err := filepath.Glob(filepath.Join(repo, "packs", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range packs {
		data := judge.Read(t, path)
		if len(data) > 10_000 { // the contents of blocks; the table is at the end
			data[len(data)/3] ^= 1
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	back := "put-back " + repo + " --box -3000,-3000,-3000:3000,3000,3000"
	if lost, err := edit(false, back); lost == 0 || err == nil || !strings.Contains(err.Error(), "cannot be read (-k puts the others back)") {
		t.Errorf("%d lost, %v", lost, err)
	}
	if !maps.Equal(worldtest.BlocksOf(t, dir), edited) {
		t.Error("the world has changed")
	}
	lost, err := edit(true, back)
	if err != nil {
		t.Fatal(err)
	}
	stay, now := 0, worldtest.BlocksOf(t, dir)
	for p := range before {
		if now[p] == edited[p] && edited[p] != before[p] {
			stay++
		}
	}
	if lost == 0 || stay != lost {
		t.Errorf("%d parts are lost, %d blocks stay", lost, stay)
	}
}
