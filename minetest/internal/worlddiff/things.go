package worlddiff

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

// Limits of the report about one file.
const (
	maxFields = 1000
	maxText   = 4 << 20 // size in bytes of the largest file whose values are compared
	maxValue  = 4 << 10
)

// parts are the folders of the tree that contain the contents of databases.
var parts = map[string]string{"players": Player, "auth": Account, "storage": Mod}

// settings are the files of lines NAME = VALUE, with the lines that end them.
var settings = map[string]string{"world.mt": "", "map_meta.txt": world.MapMetaEnd, "env_meta.txt": world.EnvMetaEnd}

// partOf returns the kind of a file of the tree.
func partOf(name string) string {
	top, _, deeper := strings.Cut(name, "/")
	if part, ok := parts[top]; ok && deeper {
		return part
	}
	if _, ok := settings[name]; ok {
		return Settings
	}
	return File
}

// placeOf returns the place of the contents of a file of the tree.
func placeOf(part, name string) check.Place {
	thing := worlddir.ThingName(name)
	switch part {
	case Player:
		return place.Player(thing)
	case Account:
		return place.Account(thing)
	case Mod:
		return place.Entry{Mod: thing}
	}
	return check.File(name)
}

// trees compares everything except the blocks.
type trees struct {
	o      Options
	dirs   [2]string // of the worlds
	fs     [2]fs.FS
	auth   [2]world.Auth
	change func(*Change) error
}

func compareTrees(ctx context.Context, old, new *worlddir.World, o Options, change func(*Change) error) error {
	t := &trees{o: o, dirs: [2]string{old.Dir, new.Dir}, fs: [2]fs.FS{worlddir.Open(ctx, old, worlddir.Options{}),
		worlddir.Open(ctx, new, worlddir.Options{})}, auth: [2]world.Auth{old.Auth, new.Auth}, change: change}
	return t.folder(ctx, ".")
}

// folder compares the contents of a folder that is in one world or in both.
func (t *trees) folder(ctx context.Context, dir string) error {
	var lists [2]map[string]bool // by name; true for folders
	var names []string
	for i, fsys := range t.fs {
		lists[i] = make(map[string]bool)
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			if world.Failed(err) {
				return err
			}
			t.o.OnMiss(t.dirs[i], fmt.Errorf("%s: %w", dir, err))
		}
		for _, e := range entries {
			if dir == "." && (e.Name() == "blocks" || e.Name() == tree.Sidecar) {
				continue
			}
			lists[i][e.Name()] = e.IsDir()
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := ctx.Err(); err != nil {
			return err
		}
		oldDir, inOld := lists[0][name]
		newDir, inNew := lists[1][name]
		full := path.Join(dir, name)
		if oldDir || newDir { // an entry that is a file in the other world is reported below
			if err := t.folder(ctx, full); err != nil {
				return err
			}
		}
		inOld, inNew = inOld && !oldDir, inNew && !newDir
		var err error
		switch {
		case inOld && inNew:
			err = t.file(ctx, full)
		case inOld:
			err = t.change(&Change{Part: partOf(full), Path: full, Change: Removed})
		case inNew:
			err = t.change(&Change{Part: partOf(full), Path: full, Change: Added})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file compares a file that is in both worlds.
func (t *trees) file(ctx context.Context, name string) error {
	var files [2]fs.File
	for i, fsys := range t.fs {
		f, err := fsys.Open(name)
		if err != nil {
			if world.Failed(err) {
				return err
			}
			t.o.OnMiss(t.dirs[i], fmt.Errorf("%s: %w", name, err))
			return nil
		}
		defer f.Close()
		files[i] = f
	}
	same, heads, whole, err := sameContent(ctx, files[0], files[1])
	if err != nil {
		if ctx.Err() != nil || world.Failed(err) {
			return err
		}
		t.o.miss(t.dirs, fmt.Errorf("%s: %w", name, err))
		return nil
	}
	c := &Change{Part: partOf(name), Path: name, Change: Changed}
	if c.Part == Account { // the verifier is not in the files and not in reports
		var accounts [2]*world.Account
		for i, auth := range t.auth {
			if accounts[i], err = auth.Get(ctx, worlddir.ThingName(name)); err != nil {
				accounts[i] = new(world.Account)
			}
		}
		if accounts[0].Password != accounts[1].Password {
			c.Fields = append(c.Fields, Field{Name: "verifier of the password"})
			same = false
		}
	}
	if same {
		return nil
	}
	var values [2]map[string]string
	for i, text := range heads {
		values[i] = make(map[string]string)
		end, isSettings := settings[name]
		switch {
		case !whole:
		case isSettings:
			maps.Insert(values[i], world.ParseSettings(text, end).All())
		case c.Part != File:
			flatten(values[i], text)
		}
	}
	shown := func(_, value string) string { return value }
	if c.Part == Settings { // nor are the passwords of database servers
		shown = func(setting, value string) string { return masked(name, setting, value) }
	}
	c.values(values, shown)
	return t.change(c)
}

// masked returns the value of a setting with its password masked.
func masked(file, name, value string) string {
	line := string(worlddir.Mask(file, []byte(name+" = "+value)))
	return strings.TrimPrefix(line, name+" = ")
}

// sameContent reports whether two files have the same content. If not, it returns their beginnings, and whether these
// are the complete files.
func sameContent(ctx context.Context, a, b io.Reader) (same bool, heads [2][]byte, whole bool, err error) {
	const page = 64 << 10
	buf := [2][]byte{make([]byte, page), make([]byte, page)}
	same = true
	for {
		if err := ctx.Err(); err != nil {
			return false, heads, false, err
		}
		ended := 0
		var n [2]int
		for i, r := range []io.Reader{a, b} {
			if n[i], err = io.ReadFull(r, buf[i]); err == io.EOF || err == io.ErrUnexpectedEOF {
				ended++
			} else if err != nil {
				return false, heads, false, &mapdb.SideError{New: i == 1, Err: err}
			}
			if len(heads[i]) <= maxText {
				heads[i] = append(heads[i], buf[i][:n[i]]...)
			}
		}
		same = same && bytes.Equal(buf[0][:n[0]], buf[1][:n[1]])
		whole = len(heads[0]) <= maxText && len(heads[1]) <= maxText
		if ended == 2 || !same && !whole {
			return same, heads, whole && ended == 2, nil
		}
	}
}

// flatten stores the values of a JSON text by name, such as position[1] or inventory.main.items[3]. Elements of an
// array that have a name are stored under that name instead of an index.
func flatten(into map[string]string, text []byte) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return
	}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				walk(strings.TrimPrefix(name+"."+k, "."), e)
			}
		case []any:
			for i, e := range v {
				at := fmt.Sprintf("%s[%d]", name, i)
				if o, ok := e.(map[string]any); ok {
					if n, ok := o["name"].(string); ok {
						at = name + "." + n
					}
				}
				if _, twice := into[at]; twice {
					at = fmt.Sprintf("%s[%d]", name, i)
				}
				walk(at, e)
			}
		case nil:
			into[name] = "null"
		default:
			into[name] = fmt.Sprint(v)
		}
	}
	walk("", v)
}

// values records the values that differ, as formatted by shown. Long values are shortened.
func (c *Change) values(of [2]map[string]string, shown func(name, value string) string) {
	var names []string
	for _, values := range of {
		for name := range values {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		var sides [2]*string
		for i, values := range of {
			if v, ok := values[name]; ok {
				sides[i] = &v
			}
		}
		if sides[0] != nil && sides[1] != nil && *sides[0] == *sides[1] || len(c.Fields) == maxFields {
			continue
		}
		for i := range sides {
			if sides[i] != nil {
				short := words.Cut(shown(name, *sides[i]), maxValue)
				sides[i] = &short
			}
		}
		c.Fields = append(c.Fields, Field{name, sides[0], sides[1]})
	}
}
