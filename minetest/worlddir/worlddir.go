// Package worlddir implements the folder form of a Minetest world: files that a person or a script can read, compare
// and edit.
//
//	world.mt, map_meta.txt, ...   the files of the world, unchanged
//	blocks/z-3/y0/12,0,-3.txt     a block as text; its name is x,y,z, in blocks
//	players/NAME.json             a player, whatever the backend
//	auth/NAME.json                the privileges of an account; no passwords
//	storage/MOD.json              the storage of a mod
//	.trowel.json                  the sidecar: data needed only to restore identical bytes
//
// [Open] presents a world in this form, and [Build] builds a world from it. [BlockText] and [ParseBlock] convert a
// block to text and back.
package worlddir

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Options control how a world is presented.
type Options struct {
	// Area contains the blocks in the folder; nil means all.
	Area *mapdb.Area
	// Exact preserves the bytes of blocks of version 29. Without it, they are restored with the same content, but
	// compressed again.
	Exact bool
	// Verifiers includes the verifiers of passwords in the files of accounts. With a verifier, anyone can try any
	// number of passwords.
	Verifiers bool
}

// A World is a world that is open for reading: its folder and its databases, in any backend.
type World struct {
	Dir      string
	Settings *world.Settings // of world.mt; empty if there is none
	Backends world.Backends
	Map      mapdb.DB
	Players  world.Players
	Auth     world.Auth
	Storage  world.Storage

	missed func(path string, err error)

	mu    sync.Mutex
	roots []io.Closer // folders that its trees keep open
}

// Opening controls how a world is opened.
type Opening struct {
	// Remote allows connections to servers on other machines. A world from an untrusted source may name any server.
	Remote bool
	// OnMiss receives errors about databases, or parts of them, that cannot be read, while the rest is presented. If
	// it is nil, a database that cannot be opened is an error.
	OnMiss func(path string, err error)
}

// OpenWorld opens the world in a folder. It changes nothing there.
func OpenWorld(ctx context.Context, dir string, o Opening) (_ *World, err error) {
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		return nil, err
	}
	w := &World{Dir: dir, Settings: settings, Backends: world.FindBackends(dir, settings), missed: o.OnMiss}
	defer func() {
		if err != nil {
			w.Close()
		}
	}()
	if w.Map, err = OpenMap(ctx, dir, settings, world.Options{Remote: o.Remote}); err != nil {
		if err = w.without(blocksDir, err); err != nil {
			return nil, err
		}
		w.Map = mapdb.NewMemory()
	}
	if w.Players, err = openPart(ctx, w, playersDir, o.Remote, world.OpenPlayers); err != nil {
		return nil, err
	}
	if w.Auth, err = openPart(ctx, w, authDir, o.Remote, world.OpenAuth); err != nil {
		return nil, err
	}
	if w.Storage, err = openPart(ctx, w, storageDir, o.Remote, world.OpenStorage); err != nil {
		return nil, err
	}
	return w, nil
}

// openPart opens a store of a world.
func openPart[T any](ctx context.Context, w *World, path string, remote bool, open func(context.Context, string,
	*world.Settings, world.Options) (world.Store[T], error)) (world.Store[T], error) {
	s, err := open(ctx, w.Dir, w.Settings, world.Options{Remote: remote, Lost: func(err error, _ []check.Place) { w.miss(path, err) }})
	if err == nil {
		return s, nil
	}
	return world.None[T](), w.without(path, err)
}

// miss reports something that cannot be read.
func (w *World) miss(path string, err error) {
	if w.missed != nil {
		w.missed(path, err)
	}
}

// without reports a database that cannot be opened and returns nil, unless such errors must be returned.
func (w *World) without(path string, err error) error {
	if w.missed == nil || world.Failed(err) || errors.Is(err, world.ErrRemote) {
		return err
	}
	w.miss(path, err)
	return nil
}

// OpenMap opens the blocks of the world in a folder. s contains the settings of world.mt. If nobody has entered the
// world yet, the result is an empty database.
func OpenMap(ctx context.Context, dir string, s *world.Settings, opts world.Options) (mapdb.DB, error) {
	db, _, err := world.OpenMap(ctx, dir, s, opts)
	if errors.Is(err, fs.ErrNotExist) {
		return noMap{mapdb.NewMemory()}, nil
	}
	return db, err
}

// noMap replaces a database of blocks that does not exist.
type noMap struct{ *mapdb.Memory }

func (noMap) String() string { return "none" }

// HasMap reports whether the result of OpenMap is an existing database. A world that nobody has entered yet has none.
func HasMap(db mapdb.DB) bool {
	_, none := db.(noMap)
	return !none
}

// Close closes the databases.
func (w *World) Close() error {
	var all []error
	for _, c := range []io.Closer{w.Map, w.Players, w.Auth, w.Storage} {
		if c != nil {
			all = append(all, c.Close())
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, root := range w.roots {
		all = append(all, root.Close())
	}
	w.roots = nil
	return errors.Join(all...)
}

// closeLater makes Close close the folder of a tree: Windows cannot remove or rename open folders.
func (w *World) closeLater(root io.Closer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.roots = append(w.roots, root)
}

// The entries of the folder that are not files of the world.
const (
	blocksDir  = "blocks"
	playersDir = "players"
	authDir    = "auth"
	storageDir = "storage"
)

const worldMT = "world.mt"

// formatName is the format in the sidecar.
const formatName = "minetest-world"

// Recognize reports whether a folder has the form that [Open] presents. A world itself does not.
func Recognize(fsys fs.FS) bool {
	for _, z := range entries(fsys, blocksDir) {
		if _, ok := coordinate(z.Name(), "z"); !ok || !z.IsDir() {
			continue
		}
		for _, y := range entries(fsys, blocksDir+"/"+z.Name()) {
			if _, ok := coordinate(y.Name(), "y"); ok && y.IsDir() {
				return true
			}
		}
	}
	if f, err := fsys.Open(tree.Sidecar); err == nil {
		defer f.Close()
		var head struct{ Format string }
		return json.NewDecoder(f).Decode(&head) == nil && head.Format == formatName
	}
	// Without blocks, a folder is recognized by files of players, accounts or mods, and by the absence of databases.
	for _, name := range databases {
		if _, err := fs.Stat(fsys, name); err == nil {
			return false
		}
	}
	for _, dir := range []string{playersDir, authDir, storageDir} {
		for _, e := range entries(fsys, dir) {
			if strings.HasSuffix(e.Name(), thingEnding) && e.Type().IsRegular() {
				return true
			}
		}
	}
	return false
}

func entries(fsys fs.FS, dir string) []fs.DirEntry {
	list, _ := fs.ReadDir(fsys, dir)
	return list
}

// coordinate parses the name of a folder of blocks: a letter and a number.
func coordinate(name, letter string) (int16, bool) {
	digits, ok := strings.CutPrefix(name, letter)
	v, err := strconv.ParseInt(digits, 10, 16)
	if !ok || err != nil || strconv.FormatInt(v, 10) != digits || v < mapdb.MinCoord || v > mapdb.MaxCoord {
		return 0, false
	}
	return int16(v), true
}

// databases are the files and folders that exist only in a world in the engine's own form.
var databases = func() (names []string) {
	for _, part := range world.Parts() {
		names = append(names, part.Files(mapdb.SQLite)[0])
		for _, name := range part.Files(mapdb.LevelDB) {
			names = append(names, name+"/CURRENT")
		}
	}
	return names
}()

// RecognizeWorld reports whether a folder is a world in the engine's own form, a part of one, or an unfinished copy:
// it contains world.mt, a database, or a file of the world's state.
func RecognizeWorld(dir string) bool {
	there := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
			return err == nil
		})
	}
	if there(tree.Sidecar) && !there(databases...) {
		return false // it is the folder form of something, even if damaged
	}
	return there(append([]string{worldMT, "map_meta.txt", "env_meta.txt", world.CopyJournal}, databases...)...) && !Recognize(os.DirFS(dir))
}
