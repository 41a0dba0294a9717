package world

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/minetest/mapdb"
)

// Files is the name in world.mt of the backend that stores players, accounts and mod storage in text files. The names
// of the other backends are in package mapdb.
const Files = "files"

// A Part is a part of a world that is kept in a separate store.
type Part int

const (
	MapPart     Part = iota // the blocks
	PlayersPart             // see [OpenPlayers]
	AuthPart                // see [OpenAuth]
	StoragePart             // see [OpenStorage]
)

// Parts returns all parts, in the order in which they are reported.
func Parts() []Part { return []Part{MapPart, PlayersPart, AuthPart, StoragePart} }

// kept is a backend of a part.
type kept struct {
	name     string
	files    []string // in the folder of the world; the store itself comes first
	settings []string // settings of world.mt with the connection; none without a server
}

var parts = [...]struct {
	name, what, setting string
	missing             string // the default backend, if world.mt does not name one
	kept                []kept
}{
	MapPart:     {"map", "blocks", "backend", mapdb.SQLite, ofMap()},
	PlayersPart: {"players", "players", "player_backend", Files, keptOf(playerStores)},
	AuthPart:    {"auth", "accounts", "auth_backend", Files, keptOf(accountStores)},
	StoragePart: {"mod_storage", "mod storage", "mod_storage_backend", Files, keptOf(modStores)},
}

func ofMap() (list []kept) {
	for _, b := range mapdb.Backends() {
		list = append(list, kept{b.Name, b.Files, b.Settings})
	}
	return list
}

func keptOf[T any](stores []storeOf[T]) (list []kept) {
	for _, s := range stores {
		list = append(list, s.kept)
	}
	return list
}

// String returns the prefix of the names of the part's files.
func (p Part) String() string { return parts[p].name }

// What describes the part in words.
func (p Part) What() string { return parts[p].what }

// Setting returns the setting of world.mt that names the backend.
func (p Part) Setting() string { return parts[p].setting }

// Backends returns the names of the backends that world.mt can name for the part.
func (p Part) Backends() (names []string) {
	for _, k := range parts[p].kept {
		if k.name != mapdb.Sectors { // sectors are older than the setting
			names = append(names, k.name)
		}
	}
	return names
}

func (p Part) kept(backend string) kept {
	for _, k := range parts[p].kept {
		if k.name == backend {
			return k
		}
	}
	return kept{}
}

// Files returns the names of the files and folders, in the folder of the world, in which a backend stores the part.
// The store itself comes first. The list is empty if the backend is unknown or stores the part elsewhere. The list is
// shared and must not be changed.
func (p Part) Files(backend string) []string { return p.kept(backend).files }

// Connection returns the settings of world.mt that contain the backend's connection to a server. The list is empty if
// the backend is unknown or does not use a server.
func (p Part) Connection(backend string) []string { return p.kept(backend).settings }

// Remote reports whether a backend stores the part on a server.
func (p Part) Remote(backend string) bool { return len(p.Connection(backend)) > 0 }

// label returns the name of a store in findings: its file or folder, or its backend.
func (p Part) label(backend string) string {
	if files := p.Files(backend); len(files) > 0 {
		return files[0]
	}
	return backend
}

// Backends contains the backend of each part of a world.
type Backends struct {
	Map        string `json:"map"`
	Players    string `json:"players"`
	Auth       string `json:"auth"`
	ModStorage string `json:"modStorage"`
}

// Of returns the backend of a part.
func (b Backends) Of(p Part) string { return *b.of(p) }

func (b *Backends) of(p Part) *string {
	return []*string{&b.Map, &b.Players, &b.Auth, &b.ModStorage}[p]
}

// FindBackends returns the backends of the world in dir. s contains the settings of world.mt. Missing settings have
// the engine's defaults: sqlite3 for the blocks, files for everything else. Blocks are in sectors if there is no
// setting, no map.sqlite, and a folder of sectors. If there are no settings at all, world.mt was lost, and the
// existing databases determine the backends.
func FindBackends(dir string, s *Settings) (b Backends) {
	for _, p := range Parts() {
		to := b.of(p)
		if v, _ := s.Get(parts[p].setting); v != "" { // the engine never writes an empty value
			*to = v
			continue
		}
		*to = parts[p].missing
		there := func(backend string) bool {
			files := p.Files(backend)
			return len(files) > 0 && exists(filepath.Join(dir, files[0]))
		}
		if p == MapPart && !there(*to) &&
			slices.ContainsFunc(p.Files(mapdb.Sectors), func(name string) bool { return isDir(filepath.Join(dir, name)) }) {
			*to = mapdb.Sectors
		}
		if len(s.lines) > 0 {
			continue
		}
		for _, backend := range databases {
			if there(backend) {
				*to = backend
				break
			}
		}
	}
	return b
}

// databases are the backends whose files show that they were used.
var databases = []string{mapdb.SQLite, mapdb.LevelDB}

// hasBlocks reports whether there are files of blocks in a folder of sectors.
func hasBlocks(folder string) (found bool) {
	_ = filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if found = err == nil && e.Type().IsRegular() && e.Name() != "meta"; found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// UnreadStores yields the databases of players, accounts and mods, and the folders of blocks, in the folder of a world that the
// engine does not read, because the world stores these things in another backend. Each is yielded with a message. s contains the
// settings of world.mt.
func UnreadStores(dir string, s *Settings) iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		b := FindBackends(dir, s)
		for _, folder := range MapPart.Files(mapdb.Sectors) {
			if b.Map != mapdb.Sectors && hasBlocks(filepath.Join(dir, folder)) && !yield(folder,
				fmt.Sprintf("%s is not in use: world.mt has the blocks in %.40s, and only old games read both", folder, b.Map)) {
				return
			}
		}
		for _, p := range Parts()[PlayersPart:] {
			for _, backend := range databases {
				files := p.Files(backend)
				if backend == b.Of(p) || len(files) == 0 || !exists(filepath.Join(dir, files[0])) {
					continue
				}
				if !yield(files[0], fmt.Sprintf("%s is not in use: world.mt has the %s in %.40s", files[0], p.What(), b.Of(p))) {
					return
				}
			}
		}
	}
}

// A storeOf is a backend for things of one kind, with the function that opens a store.
type storeOf[T any] struct {
	kept
	open func(ctx context.Context, dir string, s *Settings, opts Options) (Store[T], error)
}

var playerStores = []storeOf[*Player]{
	inFolder("players", playerFiles),
	inSQLite("players.sqlite", playerTables, playerRows),
	inLevelDB("players.db", playerRecords),
	inPostgres("pgsql_player_connection", playerTables, playerRows),
	inNothing[*Player](),
}

var accountStores = []storeOf[*Account]{
	inAuthFile("auth.txt"),
	inSQLite("auth.sqlite", authTables, accountRows),
	inLevelDB("auth.db", accountRecords),
	inPostgres("pgsql_auth_connection", authTables, accountRows),
	inNothing[*Account](),
}

var modStores = []storeOf[*ModData]{
	inFolder("mod_storage", modFiles),
	inSQLite("mod_storage.sqlite", storageTables, storageRows),
	inPostgres("pgsql_mod_storage_connection", storageTables, storageRows),
	inNothing[*ModData](),
}

// openPart opens the store of a part of the world in dir.
func openPart[T any](ctx context.Context, dir string, s *Settings, opts Options, p Part, stores []storeOf[T]) (Store[T], error) {
	backend := opts.Backend
	if backend == "" {
		backend = FindBackends(dir, s).Of(p)
	}
	for _, store := range stores {
		if store.name == backend {
			return store.open(ctx, dir, s, opts)
		}
	}
	return nil, &fault.Error{File: "world.mt", Offset: -1, Want: "a known backend", Got: fmt.Sprintf("%.40q", backend), Err: fault.ErrVersion}
}

// inFolder stores things as files in a folder.
func inFolder[T any](name string, f files[T]) storeOf[T] {
	return storeOf[T]{kept{name: Files, files: []string{name}}, func(_ context.Context, dir string, _ *Settings,
		opts Options) (Store[T], error) {
		return openFolder(filepath.Join(dir, name), opts, f), nil
	}}
}

// inNothing stores nothing.
func inNothing[T any]() storeOf[T] {
	return storeOf[T]{kept{name: mapdb.Dummy}, func(context.Context, string, *Settings, Options) (Store[T], error) {
		return None[T](), nil
	}}
}

// inLevelDB stores things in a LevelDB database.
func inLevelDB[T any](name string, r records[T]) storeOf[T] {
	return storeOf[T]{kept{name: mapdb.LevelDB, files: []string{name}}, func(_ context.Context, dir string, _ *Settings,
		opts Options) (Store[T], error) {
		return opened(openLevel(filepath.Join(dir, name), opts.Write, r))
	}}
}

// inAuthFile stores accounts in a file.
func inAuthFile(name string) storeOf[*Account] {
	return storeOf[*Account]{kept{name: Files, files: []string{name}}, func(_ context.Context, dir string, _ *Settings,
		opts Options) (Store[*Account], error) {
		return opened(openAuthFile(filepath.Join(dir, name), opts.Write))
	}}
}

// inSQLite stores things in an SQLite database.
func inSQLite[T any](name string, t tables, rows rowsOf[T]) storeOf[T] {
	return storeOf[T]{kept{name: mapdb.SQLite, files: sqlitefile.Files(name)}, func(ctx context.Context, dir string,
		_ *Settings, opts Options) (Store[T], error) {
		db, err := openSQLite(ctx, filepath.Join(dir, name), opts, t)
		return opened(&sqlStore[T]{db, rows}, err)
	}}
}

// inPostgres stores things on the server that a setting of world.mt names.
func inPostgres[T any](setting string, t tables, rows rowsOf[T]) storeOf[T] {
	return storeOf[T]{kept{name: mapdb.Postgres, settings: []string{setting}}, func(ctx context.Context, _ string,
		s *Settings, opts Options) (Store[T], error) {
		conn := opts.Postgres
		if conn == "" {
			conn, _ = s.Get(setting)
		}
		db, err := openPostgres(ctx, conn, setting, opts, t)
		return opened(&sqlStore[T]{db, rows}, err)
	}}
}

// opened returns s, or a nil interface if the store could not be opened.
func opened[T any, S Store[T]](s S, err error) (Store[T], error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
