package worldcopy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// plan describes a copy.
type plan struct {
	src, dst string // absolute
	opts     Options
	settings *world.Settings // of the source
	have     world.Backends

	from, to mapdb.Config
	newMap   bool // write the blocks to a new database; otherwise the files of the database are copied

	moved world.Backends // the new backends of the other parts; "" for parts that stay in their backend
}

// wrong returns an error about an option.
func wrong(option, want, format string, args ...any) error {
	return &fault.Error{Path: option, Offset: -1, Want: want, Got: fmt.Sprintf(format, args...), Err: fault.ErrFormat}
}

// prepare makes the plan of a copy. It returns an error if the copy is impossible.
func prepare(ctx context.Context, src, dst string, opts Options) (*copier, error) {
	p := plan{opts: opts}
	var err error
	if p.src, p.dst, err = apart(src, dst); err != nil {
		return nil, err
	}
	if p.settings, err = world.ReadWorldMT(p.src); err != nil {
		return nil, err
	}
	p.have = world.FindBackends(p.src, p.settings)
	if opts.Blocks != 0 && !mapblock.Writable(opts.Blocks) {
		return nil, wrong("blocks", "version 17 or 20 to 29", "%d", opts.Blocks)
	}
	if err := p.planMap(ctx); err != nil {
		return nil, err
	}
	for _, move := range []struct {
		option, want string
		part         world.Part
		to           *string
	}{
		{"players", opts.Players, world.PlayersPart, &p.moved.Players},
		{"auth", opts.Auth, world.AuthPart, &p.moved.Auth},
		{"storage", opts.Storage, world.StoragePart, &p.moved.ModStorage},
	} {
		known := Backends(move.part)
		switch remote := move.part.Remote(move.want); {
		case move.want == "" || move.want == p.have.Of(move.part) && !remote:
			continue
		case remote && opts.Postgres == "":
			return nil, mapdb.Config{Backend: move.want}.Complete()
		case !slices.Contains(known, move.want):
			return nil, wrong(move.option, strings.Join(known, ", "), "%.40q", move.want)
		}
		*move.to = move.want
	}
	return &copier{plan: p}, nil
}

// apart returns the absolute paths of two folders. It returns an error if one contains the other.
func apart(src, dst string) (string, string, error) {
	abs, err := filepath.Abs(src)
	if err != nil {
		return "", "", err
	}
	if src, err = filepath.EvalSymlinks(abs); err != nil {
		return "", "", err
	}
	if st, err := os.Stat(src); err != nil {
		return "", "", err
	} else if !st.IsDir() {
		return "", "", &fs.PathError{Op: "copy", Path: src, Err: errors.New("not a folder")}
	}
	if dst, err = filepath.Abs(dst); err != nil {
		return "", "", err
	}
	if real, err := filepath.EvalSymlinks(dst); err == nil {
		dst = real
	} else if real, err := filepath.EvalSymlinks(filepath.Dir(dst)); err == nil {
		dst = filepath.Join(real, filepath.Base(dst))
	}
	within := func(a, b string) bool {
		rel, err := filepath.Rel(a, b)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	}
	if within(src, dst) || within(dst, src) {
		return "", "", wrong("copy", "a folder outside of the world", "%s", dst)
	}
	return src, dst, nil
}

// TargetOf returns the value of [Options.Map] for a database of the same kind. If that kind can only be read, or
// stores nothing, it returns the target that every game can read.
func TargetOf(c mapdb.Config) string {
	return cmp.Or(c.Target(), mapdb.Config{Backend: mapdb.SQLite}.Target())
}

// target returns the new backend of a part, or "" if the part stays in its backend.
func (p *plan) target(part world.Part) string {
	if part == world.MapPart && p.newMap {
		return p.to.Backend
	}
	return p.moved.Of(part)
}

// planMap determines the source and the target of the blocks.
func (p *plan) planMap(ctx context.Context) error {
	o := p.opts
	target := o.Map
	if p.newMap = target != "" || o.Blocks != 0 || o.Source != nil; !p.newMap {
		if world.MapPart.Remote(p.have.Map) {
			return wrong("map", "a target: the blocks are on a server, and the copy would share them", "none")
		}
		return nil
	}
	db, from, err := world.OpenMap(ctx, p.src, p.settings, world.Options{Remote: o.Remote})
	switch {
	case errors.Is(err, fs.ErrNotExist): // a world that nobody has entered yet
		from = mapdb.Config{Backend: mapdb.Dummy}
	case err != nil:
		return err
	default:
		if err := db.Close(); err != nil {
			return err
		}
	}
	p.from = from
	if target == "" {
		target = TargetOf(from)
	}
	var ok bool
	if p.to, ok = mapdb.FindTarget(target); !ok {
		return wrong("map", strings.Join(Targets(), ", "), "%.40q", target)
	}
	p.to.Postgres, p.to.Redis, p.to.Remote = o.Postgres, o.Redis, world.MapPart.Remote(p.to.Backend)
	if err := p.to.Complete(); err != nil {
		return err
	}
	p.to.Unseen = true // until world.mt is written
	return nil
}

// isStore reports whether name is the name of a database or of a folder that contains a part of a world.
func isStore(name string) bool {
	for _, p := range world.Parts() {
		for _, backend := range append(p.Backends(), mapdb.Sectors) {
			if slices.Contains(p.Files(backend), name) {
				return true
			}
		}
	}
	return false
}

// leftOut returns the names in the folder of the world that are not copied: true for the old databases, false for
// names that the new databases use.
func (p *plan) leftOut() map[string]bool {
	out := map[string]bool{"world.mt": true, world.CopyJournal: true, world.CopyProgress: true, world.CopyHashes: true}
	mark := func(names []string, used bool) {
		for _, name := range names {
			out[name] = out[name] || used
		}
	}
	for _, part := range world.Parts() {
		if to := p.target(part); to != "" {
			mark(part.Files(p.have.Of(part)), true)
			mark(part.Files(to), false)
		}
	}
	if p.newMap {
		for _, name := range world.SecondFiles(p.src, p.settings) {
			out[filepath.FromSlash(name)] = true // its blocks are in the new database
		}
	}
	return out
}
