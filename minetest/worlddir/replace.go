package worlddir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"trowel.example/minetest/mapdb"
)

// Replaces returns an error if a world that is built from a folder must not replace the world w: because w contains
// blocks, players, accounts or mod storage that are not in the folder, for instance if the folder contains only a
// part of w, or because w cannot be read.
func Replaces(ctx context.Context, fsys fs.FS, w *World) error {
	b := &builder{ctx: ctx, fsys: fsys}
	var err error
	if b.side, err = readSidecar(fsys); err != nil {
		return err
	}
	if err := b.hasBlocks(w); err != nil {
		return err
	}
	for _, t := range []struct {
		dir, what string
		all       iter.Seq2[string, error]
	}{
		{playersDir, "players", w.Players.Names(ctx)},
		{authDir, "accounts", w.Auth.Names(ctx)},
		{storageDir, "mods with storage", w.Storage.Names(ctx)},
	} {
		names, err := b.things(t.dir)
		if err != nil {
			return err
		}
		var lacks lacking
		for name, err := range t.all {
			if err != nil {
				return fmt.Errorf("the %s of the world cannot be read: %w", t.what, err)
			}
			_, ok := names[name]
			lacks.add(ok, name)
		}
		if err := lacks.err(t.what); err != nil {
			return err
		}
	}
	return nil
}

// hasBlocks returns an error if the folder does not contain all blocks of a world.
func (b *builder) hasBlocks(w *World) error {
	all := make(map[mapdb.Pos]struct{})
	for file, err := range b.blockFiles() {
		if err != nil {
			return err
		}
		all[file.pos] = struct{}{}
	}
	var lacks lacking
	for p, err := range w.Map.Positions(b.ctx, mapdb.All()) {
		if _, ok := errors.AsType[*mapdb.RowError](err); ok {
			continue // no game reads such a row
		}
		if err != nil {
			return fmt.Errorf("the blocks of the world cannot be read: %w", err)
		}
		_, ok := all[p]
		lacks.add(ok, fmt.Sprintf("%d,%d,%d", p.X, p.Y, p.Z))
	}
	return lacks.err("blocks")
}

// lacking counts things that are missing in a folder.
type lacking struct {
	all, n int
	some   []string
}

func (l *lacking) add(there bool, name string) {
	if l.all++; there {
		return
	}
	if l.n++; len(l.some) < 3 {
		l.some = append(l.some, name)
	}
}

func (l *lacking) err(what string) error {
	if l.n == 0 {
		return nil
	}
	return fmt.Errorf("the folder lacks %d of the %d %s of the world, such as %s: pack writes only complete worlds "+
		"(put a part back with apply)", l.n, l.all, what, strings.Join(l.some, " and "))
}
