package world

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/wholefile"
	"trowel.example/minetest/place"
)

// files tells how things are kept in files of their own.
type files[T any] struct {
	parse func(file string, text []byte) (T, error)
	name  func(T) string
	make  func(T) ([]byte, error)
	valid func(name string) bool // that a new file can have the name
	// odd returns what in the file of a thing cannot be read, and the keys that it has several times.
	odd func(T) (unread []error, twice []string, at check.Place)
	// inside tells that the name is in the file, and the file's is only like it.
	inside bool
}

// fileName reports whether a file of this name stays in its folder, on every system.
func fileName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\:\x00")
}

// playerFiles are the files of players. They are named after the players, but
// where a file of another player is in the way, a number follows: on systems to
// which names are the same that differ only in case.
var playerFiles = files[*Player]{
	parse:  func(_ string, text []byte) (*Player, error) { return SalvagePlayer(text) },
	name:   func(p *Player) string { return p.Name },
	make:   func(p *Player) ([]byte, error) { return p.Append(nil) },
	valid:  ValidPlayerName,
	odd:    func(p *Player) ([]error, []string, check.Place) { return p.unread, p.twice, place.Player(p.Name) },
	inside: true,
}

// folder is a store of files in a folder.
type folder[T any] struct {
	files[T]
	dir     string
	write   bool
	index   map[string]string                 // name to file, of what is there; nil until it is needed
	broken  map[string]error                  // file to what is wrong with it
	hidden  func(err error, at []check.Place) // is told of files and values that are not read, or nil
	lost    func(err error, at []check.Place) // is told of what is not read of a file, or nil
	changed map[string][]byte                 // name to new content, nil if it is to be removed
}

func openFolder[T any](dir string, o Options, f files[T]) *folder[T] {
	s := &folder[T]{files: f, dir: dir, write: o.Write, hidden: o.Lost, lost: o.Lost, changed: make(map[string][]byte)}
	if o.All {
		s.hidden = nil // a check has its own words
	}
	return s
}

// scan finds out which file has which name.
func (f *folder[T]) scan(ctx context.Context) error {
	if f.index != nil {
		return nil
	}
	index, broken := make(map[string]string), make(map[string]error)
	entries, err := os.ReadDir(f.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") {
			continue
		}
		if f.inside {
			thing, err := f.read(e.Name())
			if err != nil {
				broken[e.Name()] = err
			} else {
				name = f.name(thing)
			}
		}
		// Of two files with the same name inside, the engine finds the one that
		// is named so; sorting makes it the first.
		other, twice := index[name]
		if !twice || e.Name() == name {
			index[name] = e.Name()
		}
		if twice && f.hidden != nil {
			f.hidden(wrong("", "players", "one file of a player", "%s and %s are both of %.40q, and one of them is not read", other, e.Name(), name), []check.Place{place.Player(name)})
		}
	}
	f.index, f.broken = index, broken
	return nil
}

func (f *folder[T]) read(file string) (thing T, err error) {
	text, err := readFile(filepath.Join(f.dir, file))
	if err != nil {
		return thing, err
	}
	if thing, err = f.parse(file, text); err != nil {
		err = fault.InFile(err, file)
	}
	return thing, err
}

func (f *folder[T]) Names(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := f.scan(ctx); err != nil {
			yield("", err)
			return
		}
		all := maps.Clone(f.index)
		for name, data := range f.changed {
			if all[name] = ""; data == nil {
				delete(all, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !yield(name, ctx.Err()) || ctx.Err() != nil {
				return
			}
		}
	}
}

func (f *folder[T]) Get(ctx context.Context, name string) (thing T, err error) {
	if data, ok := f.changed[name]; ok {
		if data == nil {
			return thing, ErrNotFound
		}
		return f.parse(name, data)
	}
	if err := f.scan(ctx); err != nil {
		return thing, err
	}
	file, ok := f.index[name]
	if !ok {
		return thing, ErrNotFound
	}
	if thing, err = f.read(file); err == nil && f.lost != nil {
		unread, twice, at := f.odd(thing)
		for _, err := range unread {
			if f.hidden != nil {
				f.hidden(fault.InFile(err, filepath.Base(f.dir)+"/"+file), []check.Place{at})
			}
		}
		for _, key := range twice {
			f.lost(wrong(filepath.Base(f.dir)+"/"+file, "json", "each key once", "%.40q again, and its last value is taken", key), []check.Place{at})
		}
	}
	return thing, err
}

func (f *folder[T]) Put(_ context.Context, thing T) error {
	if !f.write {
		return ErrReadOnly
	}
	name := f.name(thing)
	if name == "" || !f.inside && !f.valid(name) {
		return wrong("", "name", "a name that a file can have", "%.40q", name)
	}
	data, err := f.make(thing)
	if err != nil {
		return err
	}
	f.changed[name] = data
	return nil
}

func (f *folder[T]) Delete(ctx context.Context, name string) error {
	if !f.write {
		return ErrReadOnly
	}
	if err := f.scan(ctx); err != nil {
		return err
	}
	if data, ok := f.changed[name]; ok && data == nil || !ok && f.index[name] == "" {
		return ErrNotFound
	}
	f.changed[name] = nil
	return nil
}

// Commit writes the files, each whole or not at all.
func (f *folder[T]) Commit(ctx context.Context) error {
	if !f.write {
		return ErrReadOnly
	}
	if err := f.scan(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f.changed)) {
		data, file := f.changed[name], f.index[name]
		if data == nil {
			if file != "" {
				if err := os.Remove(filepath.Join(f.dir, file)); err != nil {
					return err
				}
			}
			delete(f.index, name)
			delete(f.changed, name)
			continue
		}
		if file == "" {
			base := f.fileOf(name)
			file = base
			// The system knows whether names that differ in case are the same.
			for i := 0; f.inside && exists(filepath.Join(f.dir, file)); i++ {
				file = base + strconv.Itoa(i)
			}
		}
		if err := wholefile.Write(filepath.Join(f.dir, file), bytes.NewReader(data), 0o644); err != nil {
			return err
		}
		f.index[name] = file
		delete(f.changed, name)
	}
	return nil
}

// fileOf returns the name for the file of a thing. Where the name of the thing is in the
// file, it may be one that no file can have.
func (f *folder[T]) fileOf(name string) string {
	if f.valid(name) {
		return name
	}
	file := strings.Map(func(r rune) rune {
		if ValidPlayerName(string(r)) {
			return r
		}
		return '_'
	}, name)
	return file[:min(len(file), maxNameLength)]
}

func (f *folder[T]) Close() error { return nil }
