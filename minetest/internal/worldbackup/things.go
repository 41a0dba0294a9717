package worldbackup

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/world"
)

// The contents of stores on servers are stored thing by thing, each in a JSON entry.
const thingsFolder = "things/"

// thing is a player, an account or the data of a mod, as it was.
type thing struct {
	Part    string // the name of the [world.Part]
	Name    string
	Missing bool `json:",omitempty"` // there was none: restoring deletes it

	Player            []byte        `json:",omitempty"` // the file of a player
	Created, Modified time.Time     `json:",omitzero"`
	Account           []byte        `json:",omitempty"` // the record of an account
	Entries           []world.Entry `json:",omitempty"` // of a mod
}

// Player stores a player, or nil if there is no player of the name. It is meant for stores on servers; for other
// stores, [Writer.Store] stores the files.
func (b *Writer) Player(name string, p *world.Player) (err error) {
	t := thing{Part: world.PlayersPart.String(), Name: name, Missing: p == nil}
	if p != nil {
		t.Created, t.Modified = p.Created, p.Modified
		if t.Player, err = p.Append(nil); err != nil {
			return err
		}
	}
	return b.thing(t)
}

// Account stores an account, or nil if there is no account of the name, like [Writer.Player].
func (b *Writer) Account(name string, a *world.Account) (err error) {
	t := thing{Part: world.AuthPart.String(), Name: name, Missing: a == nil}
	if a != nil {
		if t.Account, err = a.AppendRecord(nil); err != nil {
			return err
		}
	}
	return b.thing(t)
}

// ModData stores the data of a mod, or nil if it has none, like [Writer.Player].
func (b *Writer) ModData(mod string, m *world.ModData) error {
	t := thing{Part: world.StoragePart.String(), Name: mod, Missing: m == nil}
	if m != nil {
		t.Entries = m.Entries
	}
	return b.thing(t)
}

func (b *Writer) thing(t thing) error {
	if b == nil {
		return nil
	}
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	b.things++
	return b.add(fmt.Sprintf("%s%s-%d", thingsFolder, t.Part, b.things), bytes.NewReader(text), zip.Deflate)
}

func readThing(f *zip.File) (t thing, err error) {
	text, err := readEntry(f, effort.WholeFile)
	if err == nil {
		if err = json.Unmarshal(text, &t); err == nil && !strings.HasPrefix(f.Name, thingsFolder+t.Part+"-") {
			err = errors.New("the backup belongs to another part")
		}
		if err != nil {
			err = &fault.Error{Path: fmt.Sprintf("%.60q", f.Name), Offset: -1, Want: "a player, an account or mod storage",
				Got: err.Error(), Err: fault.ErrFormat}
		}
	}
	return t, err
}

// things are the entries of a backup that contain things.
type things []*zip.File

// restore restores things into the stores of the world in dir. Each store is restored completely or not at all.
func (all things) restore(ctx context.Context, dir string, s *world.Settings, opts Options) error {
	o := world.Options{Write: true, Remote: opts.Remote}
	return errors.Join(
		restoreInto(ctx, all, world.PlayersPart, func() (world.Players, error) { return world.OpenPlayers(ctx, dir, s, o) },
			func(t *thing) (*world.Player, error) {
				p, err := world.SalvagePlayer(t.Player)
				if err == nil {
					p.Created, p.Modified = t.Created, t.Modified
				}
				return p, err
			}),
		restoreInto(ctx, all, world.AuthPart, func() (world.Auth, error) { return world.OpenAuth(ctx, dir, s, o) },
			func(t *thing) (*world.Account, error) {
				return world.ParseAccountRecord(t.Name, t.Account)
			}),
		restoreInto(ctx, all, world.StoragePart, func() (world.Storage, error) { return world.OpenStorage(ctx, dir, s, o) },
			func(t *thing) (*world.ModData, error) {
				return &world.ModData{Mod: t.Name, Entries: t.Entries}, nil
			}),
	)
}

// restoreInto restores the things of a part into its store.
func restoreInto[T any](ctx context.Context, all things, part world.Part, open func() (world.Store[T], error),
	read func(*thing) (T, error)) (err error) {
	var store world.Store[T]
	for _, f := range all {
		if !strings.HasPrefix(f.Name, thingsFolder+part.String()+"-") {
			continue
		}
		t, err := readThing(f)
		if err != nil {
			return err
		}
		if store == nil {
			if store, err = open(); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, store.Close()) }()
		}
		if t.Missing {
			if err := store.Delete(ctx, t.Name); err != nil && !errors.Is(err, world.ErrNotFound) {
				return err
			}
			continue
		}
		thing, err := read(&t)
		if err == nil {
			err = store.Put(ctx, thing)
		}
		if err != nil {
			return err
		}
	}
	if store == nil {
		return nil
	}
	return store.Commit(ctx)
}
