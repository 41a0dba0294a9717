// Package worlddir is the folder form of a Minetest world: files that a person or a
// script can read, compare and edit.
//
//	world.mt, map_meta.txt, ...   the files of the world, as they are
//	blocks/z-3/y0/12,0,-3.txt     a block as text; its name is x,y,z, in blocks
//	players/NAME.json             a player, whatever the backend
//	auth/NAME.json                what an account may do; no passwords
//	storage/MOD.json              what a mod keeps
//	.trowel.json                  what only matters for giving back the same
//
// [Open] shows a world in this form, and [Build] makes a world of it.
// [BlockText] and [ParseBlock] are the text of a block.
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
	"trowel.example/internal/tree"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Options are how a world is shown.
type Options struct {
	// Area is the blocks that are shown; nil stands for all of them.
	Area *mapdb.Area
	// Exact keeps the bytes of blocks of version 29. Without it they come back
	// with the same content, compressed again.
	Exact bool
	// Verifiers puts the verifiers of passwords into the files of accounts,
	// too. With them, one can try any number of passwords.
	Verifiers bool
}

// A World is a world that is open for reading: its folder, and its databases
// in whatever backend they are.
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
	roots []io.Closer // folders that its trees hold open
}

// Opening says how a world is opened.
type Opening struct {
	// Remote allows connections to servers on other machines: a world that somebody
	// else made may name any.
	Remote bool
	// OnMiss is told of what cannot be read, a database or a part of one, while the
	// rest is shown. If it is nil, a database that cannot be opened is an error.
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
	if w.Map, err = OpenMap(ctx, dir, settings, o.Remote); err != nil {
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
func openPart[T any](ctx context.Context, w *World, path string, remote bool, open func(context.Context, string, *world.Settings, world.Options) (world.Store[T], error)) (world.Store[T], error) {
	s, err := open(ctx, w.Dir, w.Settings, world.Options{Remote: remote, Lost: func(err error, _ []check.Place) { w.miss(path, err) }})
	if err == nil {
		return s, nil
	}
	return world.None[T](), w.without(path, err)
}

// miss tells of something that cannot be read.
func (w *World) miss(path string, err error) {
	if w.missed != nil {
		w.missed(path, err)
	}
}

// without continues without a database that cannot be opened, unless that is an error.
func (w *World) without(path string, err error) error {
	if w.missed == nil || world.Failed(err) || errors.Is(err, world.ErrRemote) {
		return err
	}
	w.miss(path, err)
	return nil
}

// OpenMap opens the blocks of the world in a folder, whose world.mt has the
// settings s. A world in which nobody has been yet has none.
func OpenMap(ctx context.Context, dir string, s *world.Settings, remote bool) (mapdb.DB, error) {
	db, _, err := world.OpenMap(ctx, dir, s, remote)
	if errors.Is(err, fs.ErrNotExist) {
		return noMap{mapdb.NewMemory()}, nil
	}
	return db, err
}

// noMap stands for a database of blocks that is not there.
type noMap struct{ *mapdb.Memory }

func (noMap) String() string { return "none" }

// HasMap reports whether what OpenMap has opened is a database of blocks. A world in which
// nobody has been yet has none.
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

// closeLater has Close close the folder of a tree: Windows removes and renames no folder that is open.
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

// formatName is what the sidecar says of the folder.
const formatName = "minetest-world"

// Recognize reports whether a folder is the form of a world that [Open] shows.
// A world itself is not.
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
	// Without blocks, files of players and the like tell, and that there is no database.
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

// coordinate reads the name of a folder of blocks: a letter and a number.
func coordinate(name, letter string) (int16, bool) {
	digits, ok := strings.CutPrefix(name, letter)
	v, err := strconv.ParseInt(digits, 10, 16)
	if !ok || err != nil || strconv.FormatInt(v, 10) != digits || v < mapdb.MinCoord || v > mapdb.MaxCoord {
		return 0, false
	}
	return int16(v), true
}

// databases are the files and folders that only a world has, as the engine keeps it.
var databases = func() (names []string) {
	for _, part := range world.Parts() {
		names = append(names, part.Files(mapdb.SQLite)[0])
		for _, name := range part.Files(mapdb.LevelDB) {
			names = append(names, name+"/CURRENT")
		}
	}
	return names
}()

// RecognizeWorld reports whether a folder is a world, as the engine keeps it, or what is
// left of one: it has world.mt, a database, or one of the files of its state; or it is a
// copy that is not finished.
func RecognizeWorld(dir string) bool {
	there := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
			return err == nil
		})
	}
	if there(tree.Sidecar) && !there(databases...) {
		return false // it is the tree form of something, be it damaged
	}
	return there(append([]string{worldMT, "map_meta.txt", "env_meta.txt", world.CopyJournal}, databases...)...) && !Recognize(os.DirFS(dir))
}
