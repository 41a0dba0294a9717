package worldcopy

import (
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

// plan is what is to be done.
type plan struct {
	src, dst string // absolute
	opts     Options
	settings *world.Settings // of the source
	have     world.Backends

	from, to mapdb.Config
	newMap   bool // the blocks go to a database of their own, else its files are copied

	// The backends of what moves; "" for what stays.
	players, auth, storage string
}

// wrong makes the error about options.
func wrong(option, want, format string, args ...any) error {
	return &fault.Error{Path: option, Offset: -1, Want: want, Got: fmt.Sprintf(format, args...), Err: fault.ErrFormat}
}

// prepare finds out what is to be done, and refuses what cannot be.
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
	local := []string{world.BackendFiles, world.BackendSQLite, world.BackendLevelDB}
	for _, s := range []struct {
		option, have, want string
		local              []string
		target             *string
	}{
		{"players", p.have.Players, opts.Players, local, &p.players},
		{"auth", p.have.Auth, opts.Auth, local, &p.auth},
		{"storage", p.have.ModStorage, opts.Storage, local[:2], &p.storage},
	} {
		switch {
		case s.want == "" || s.want == s.have && s.want != world.BackendPostgres:
			continue
		case s.want == world.BackendPostgres && opts.Postgres == "":
			return nil, wrong("postgres", "how to connect to PostgreSQL", "nothing")
		case s.want != world.BackendPostgres && !slices.Contains(s.local, s.want):
			return nil, wrong(s.option, strings.Join(append(s.local, world.BackendPostgres), ", "), "%.40q", s.want)
		}
		*s.target = s.want
	}
	return &copier{plan: p}, nil
}

// apart returns the paths of two folders neither of which is in the other.
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

// TargetOf returns what [Options.Map] is for a database of the same kind; for what
// can be read only it is SQLitePos.
func TargetOf(c mapdb.Config) string {
	switch {
	case c.Backend == mapdb.LevelDB || c.Backend == mapdb.Postgres || c.Backend == mapdb.RedisDB:
		return c.Backend
	case c.Backend == mapdb.SQLite && c.Schema == mapdb.SchemaXYZ:
		return SQLite
	}
	return SQLitePos
}

// planMap finds out where the blocks are and where they go.
func (p *plan) planMap(ctx context.Context) error {
	o := p.opts
	target := o.Map
	if p.newMap = target != "" || o.Blocks != 0; !p.newMap {
		if p.have.Map == mapdb.Postgres || p.have.Map == mapdb.RedisDB {
			return wrong("map", "a target: the blocks are on a server, and the copy would have the very same", "none")
		}
		return nil
	}
	db, from, err := world.OpenMap(ctx, p.src, p.settings, o.Remote)
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
	switch target {
	case SQLite, SQLitePos:
		p.to = mapdb.Config{Backend: mapdb.SQLite}
		if target == SQLite {
			p.to.Schema = mapdb.SchemaXYZ
		}
	case LevelDB:
		p.to = mapdb.Config{Backend: mapdb.LevelDB}
	case Postgres:
		if p.to = (mapdb.Config{Backend: mapdb.Postgres, Postgres: o.Postgres, Remote: true}); o.Postgres == "" {
			return wrong("postgres", "how to connect to PostgreSQL", "nothing")
		}
	case Redis:
		if p.to = (mapdb.Config{Backend: mapdb.RedisDB, Redis: o.Redis, Remote: true}); o.Redis.Address == "" || o.Redis.Hash == "" {
			return wrong("redis", "an address and the name of a hash", "%q and %q", o.Redis.Address, o.Redis.Hash)
		}
	default:
		return wrong("map", strings.Join(Targets(), ", "), "%.40q", target)
	}
	p.to.Unseen = true // until there is a world.mt
	return nil
}

// The files of each backend of each part of a world. Those of SQLite can have
// others beside them.
var (
	mapFiles     = map[string][]string{world.BackendSQLite: sqliteFiles("map"), world.BackendLevelDB: {"map.db"}, world.BackendSectors: {"sectors", "sectors2"}, world.BackendSectors2: {"sectors", "sectors2"}}
	playerFiles  = map[string][]string{world.BackendSQLite: sqliteFiles("players"), world.BackendLevelDB: {"players.db"}, world.BackendFiles: {"players"}}
	authFiles    = map[string][]string{world.BackendSQLite: sqliteFiles("auth"), world.BackendLevelDB: {"auth.db"}, world.BackendFiles: {"auth.txt"}}
	storageFiles = map[string][]string{world.BackendSQLite: sqliteFiles("mod_storage"), world.BackendFiles: {"mod_storage"}}
)

func sqliteFiles(name string) []string {
	name += ".sqlite"
	return []string{name, name + "-wal", name + "-shm", name + "-journal"}
}

// isStore reports whether a name is that of a database, or of a folder of things.
func isStore(name string) bool {
	for _, part := range []map[string][]string{mapFiles, playerFiles, authFiles, storageFiles} {
		for _, names := range part {
			if slices.Contains(names, name) {
				return true
			}
		}
	}
	return false
}

// leftOut returns the names in the folder of the world that are not copied: the
// places that the new databases take, and those of the old ones, with true for the
// latter.
func (p *plan) leftOut() map[string]bool {
	out := map[string]bool{"world.mt": true, world.CopyJournal: true, world.CopyProgress: true}
	mark := func(names []string, used bool) {
		for _, name := range names {
			out[name] = out[name] || used
		}
	}
	if p.newMap {
		mark(mapFiles[p.have.Map], true)
		mark(mapFiles[p.to.Backend], false)
	}
	for _, part := range []struct {
		files    map[string][]string
		from, to string
	}{
		{playerFiles, p.have.Players, p.players},
		{authFiles, p.have.Auth, p.auth},
		{storageFiles, p.have.ModStorage, p.storage},
	} {
		if part.to != "" {
			mark(part.files[part.from], true)
			mark(part.files[part.to], false)
		}
	}
	return out
}
