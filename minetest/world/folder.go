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
	"trowel.example/internal/files/wholefile"
	"trowel.example/minetest/internal/place"
)

// files defines how things are stored in one file each.
type files[T any] struct {
	parse func(file string, text []byte) (T, error)
	name  func(T) string
	make  func(T) ([]byte, error)
	valid func(name string) bool // reports whether a new file can have the name
	// odd returns the errors of values in the file that cannot be read, and the keys that occur more than once.
	odd func(T) (unread []error, twice []string, at check.Place)
	// inside means that the name is stored in the file, and the name of the file may differ.
	inside bool
}

// fileName reports whether a file of this name stays in its folder on every system.
func fileName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\:\x00")
}

// playerFiles are the files of players. They are named after the players. If a file of another player has the name
// already, a number is appended: this happens on systems that ignore case in file names.
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
	index   map[string]string                 // name to existing file; nil until it is loaded
	broken  map[string]error                  // file to the error of reading it
	hidden  func(err error, at []check.Place) // receives files and values that are not read; may be nil
	lost    func(err error, at []check.Place) // receives the parts of files that are not read; may be nil
	changed map[string][]byte                 // name to new content, nil if the file is to be removed
}

func openFolder[T any](dir string, o Options, f files[T]) *folder[T] {
	s := &folder[T]{files: f, dir: dir, write: o.Write, hidden: o.Lost, lost: o.Lost, changed: make(map[string][]byte)}
	if o.All {
		s.hidden = nil // a check reports this with messages of its own
	}
	return s
}

// scan loads the index: the name of the thing in each file.
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
		hidden := strings.HasPrefix(name, ".") // the engine reads these of players
		if e.IsDir() || hidden && !f.inside {
			continue
		}
		if f.inside {
			thing, err := f.read(e.Name())
			if err != nil && hidden {
				continue // of another program
			} else if err != nil {
				broken[e.Name()] = err
			} else {
				name = f.name(thing)
			}
		}
		// If two files contain the same name, the engine uses the file with that name. Sorting puts it first.
		other, twice := index[name]
		if !twice || e.Name() == name {
			index[name] = e.Name()
		}
		if twice && f.hidden != nil {
			f.hidden(wrong("", "players", "one file of a player", "%s and %s both contain %.40q, and one of them is ignored",
				other, e.Name(), name), []check.Place{place.Player(name)})
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
			f.lost(wrong(filepath.Base(f.dir)+"/"+file, "json", "each key once", "%.40q twice: the last value is used", key), []check.Place{at})
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

// Commit writes the files, each completely or not at all.
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
			// The operating system decides whether names that differ only in case are equal.
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

// fileOf returns the name of the file for a thing. If names are stored inside the files, the name of the thing may be
// one that is not valid for a file.
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

// isNamed reports whether the engine finds a thing in a file: it tries the name, and if that file has another thing, the name with a
// number. No player can have a name that is not valid.
func (f *folder[T]) isNamed(file, name string) bool {
	number, ok := strings.CutPrefix(file, name)
	return !f.valid(name) || ok && (number == "" || strings.Trim(number, "0123456789") == "" && exists(filepath.Join(f.dir, name)))
}

// Misnamed yields the files of players that the engine does not find, because they have other names, each with its player. Files that
// cannot be read have none.
func Misnamed(ctx context.Context, players Players) iter.Seq2[string, string] {
	return func(yield func(file, name string) bool) {
		f, ok := players.(*folder[*Player])
		if !ok || f.scan(ctx) != nil {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(f.index)) {
			if file := f.index[name]; !f.isNamed(file, name) && !yield(file, name) {
				return
			}
		}
	}
}

func (f *folder[T]) Close() error { return nil }
