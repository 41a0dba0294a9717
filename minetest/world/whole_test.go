package world_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/mutate"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// wholeStore tests a store of a backend with truncated and damaged files. open receives fresh options each time;
// unread returns the error of a thing about its own missing parts.
func wholeStore[T any](t *testing.T, backend string, open func(dir string, o world.Options) (world.Store[T], error),
	things []T, unread func(T) error) {
	dir := t.TempDir()
	s, err := open(dir, world.Options{Backend: backend, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, thing := range things {
		err = errors.Join(err, s.Put(t.Context(), thing))
	}
	if err := errors.Join(err, s.Commit(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	f := mutate.Folder{Dir: dir, Prefixes: 8, Damages: 12, Unsummed: backend != mapdb.LevelDB, Uncut: func(file string) bool {
		return strings.HasSuffix(file, ".log") // a record that is cut off was not written yet
	}}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		info, e := d.Info()
		if e == nil && info.Mode().IsRegular() && info.Size() > 0 && d.Name() != "LOG" && d.Name() != "LOCK" && len(f.Files) < 6 {
			rel, _ := filepath.Rel(dir, path)
			f.Files = append(f.Files, filepath.ToSlash(rel))
		}
		return errors.Join(err, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	if backend == world.Files {
		f.Damages = 0 // text files, in which any letter may be a valid change
	}
	f.Read = func() (all []string, err error) {
		s, e := open(dir, world.Options{Backend: backend, All: true, Lost: func(e error, _ []check.Place) { err = errors.Join(err, e) }})
		if e != nil {
			return nil, e
		}
		defer s.Close()
		for name, e := range s.Names(t.Context()) {
			if err = errors.Join(err, e); e != nil {
				continue
			}
			thing, e := s.Get(t.Context(), name)
			if e == nil {
				e = unread(thing)
			}
			if err = errors.Join(err, e); e == nil {
				all = append(all, fmt.Sprintf("%s %v", name, describe(thing)))
			}
		}
		return all, err
	}
	f.Test(t)
}

// describe returns the values of a thing.
func describe(thing any) string {
	switch v := thing.(type) {
	case *world.Player:
		return fmt.Sprint(v.Pos, v.HP, v.Breath, v.Pitch, v.Yaw, v.Attributes, string(v.Inventory.Append(nil)))
	case *world.Account:
		return fmt.Sprint(string(v.Password), v.Privileges, v.LastLogin)
	}
	return fmt.Sprintf("%q", thing.(*world.ModData).Entries)
}

// TestWholeStores tests that everything was read if Open, Names and Get return no error and report no loss.
func TestWholeStores(t *testing.T) {
	none := world.ParseSettings(nil, "")
	var players []*world.Player
	var accounts []*world.Account
	var mods []*world.ModData
	for i := range 20 {
		p := *samplePlayers(t)[0]
		p.Name, p.HP = fmt.Sprintf("player%d", i), i
		players = append(players, &p)
		accounts = append(accounts, &world.Account{Name: p.Name, Password: "x", Privileges: []string{"fly", "fast"}, LastLogin: int64(1000 + i)})
		m := &world.ModData{Mod: fmt.Sprintf("mod%d", i)}
		for k := range 20 {
			m.Set(fmt.Sprintf("key%d", k), []byte(strings.Repeat("v", k*7)))
		}
		mods = append(mods, m)
	}
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			wholeStore(t, backend, func(dir string, o world.Options) (world.Players, error) {
				return world.OpenPlayers(t.Context(), dir, none, o)
			}, players, func(p *world.Player) error {
				if p.Inventory == nil {
					_, _, err := item.ParseInventory(p.Broken)
					return err
				}
				return nil
			})
			if backend != world.Files { // auth.txt consists of independent lines and may end after any of them
				wholeStore(t, backend, func(dir string, o world.Options) (world.Auth, error) {
					return world.OpenAuth(t.Context(), dir, none, o)
				}, accounts, func(*world.Account) error { return nil })
			}
			if backend != mapdb.LevelDB {
				wholeStore(t, backend, func(dir string, o world.Options) (world.Storage, error) {
					return world.OpenStorage(t.Context(), dir, none, o)
				}, mods, func(*world.ModData) error { return nil })
			}
		})
	}
}
