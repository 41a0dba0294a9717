package world_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/world"
)

// TestStage tests that changes are visible immediately in the stage, and in the store after Commit.
func TestStage(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "auth.txt"), []byte("ann::shout:1\nbob::shout:2\n"))
	s := world.ParseSettings(nil, "")
	open := func() world.Auth {
		t.Helper()
		auth, err := world.OpenAuth(ctx, dir, s, world.Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		return auth
	}
	names := func(store world.Auth) (list []string) {
		for name, err := range store.Names(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, name)
		}
		return list
	}
	auth := open()
	defer auth.Close()
	stage := world.Stage(auth)
	zoe := &world.Account{Name: "zoe", LastLogin: 3}
	if err := errors.Join(stage.Put(ctx, zoe), stage.Delete(ctx, "ann"),
		stage.Put(ctx, &world.Account{Name: "bob", LastLogin: 4})); err != nil {
		t.Fatal(err)
	}
	zoe.LastLogin = 99 // the value is a copy
	if got, err := stage.Get(ctx, "zoe"); err != nil || got.LastLogin != 3 {
		t.Error(got, err)
	}
	if err := stage.Delete(ctx, "ann"); !errors.Is(err, world.ErrNotFound) {
		t.Error(err)
	}
	if got := names(stage); !slices.Equal(got, []string{"bob", "zoe"}) {
		t.Errorf("staged: %q", got)
	}
	if got, err := stage.Before(ctx, "bob"); err != nil || got.LastLogin != 2 ||
		!slices.Equal(stage.Changed(), []string{"ann", "bob", "zoe"}) {
		t.Error(got, err, stage.Changed())
	}
	if got := names(open()); !slices.Equal(got, []string{"ann", "bob"}) {
		t.Errorf("before the end there is %q", got)
	}
	if err := stage.Commit(ctx); err != nil || len(stage.Changed()) > 0 {
		t.Error(err)
	}
	if got := string(judge.Read(t, filepath.Join(dir, "auth.txt"))); got != "bob:::4\nzoe:::3\n" {
		t.Errorf("in the end it is %q", got)
	}
}

func TestBansRename(t *testing.T) {
	b := world.ParseBans([]byte("192.0.2.7|ann\r\n192.0.2.8|annabel\n192.0.2.9|\n"))
	for ban := range b.All() {
		if ban.Name != "annabel" {
			b.Rename(ban, "zoe")
		}
	}
	if got := string(b.Append(nil)); got != "192.0.2.7|zoe\r\n192.0.2.8|annabel\n192.0.2.9|zoe\n" {
		t.Errorf("%q", got)
	}
	m := &world.ModData{Entries: []world.Entry{{Key: []byte("a")}, {Key: []byte("b")}}}
	if !m.Delete("a") || m.Delete("a") || len(m.Entries) != 1 {
		t.Error(m.Entries)
	}
}
