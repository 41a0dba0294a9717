// Package nodedef reads node definitions exported by the game, from the file that the mod
// contrib/minetest/trowel_nodes writes. Definitions are programs, so only the engine can evaluate them.
package nodedef

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
)

// List maps node names to the definitions of a game. A definition can also be in it under aliases, which differ from its
// Name.
type List map[string]*Node

// File is the content of a file of definitions. Version 1 of the format has only Nodes.
type File struct {
	Nodes   List              // with the aliases of nodes
	Aliases map[string]string // other names of nodes and items
	Mods    []Mod             // in the order of [File.LoadOrder]
	Game    string            // folder of the game; "" if the engine does not report it (before 5.7)
	Engine  string            // version of the engine, such as "5.6.1"; "" if unknown
}

// Mod is a mod that the engine loaded.
type Mod struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// LoadOrder reports whether the mods are in the order in which the engine loaded them. Engines before 5.16 list them
// by name.
func (f *File) LoadOrder() bool { return f.since(5, 16) }

// since reports whether the engine is known, and has this version or a later one.
func (f *File) since(major, minor int) bool {
	a, rest, _ := strings.Cut(f.Engine, ".")
	b, _, _ := strings.Cut(rest, ".")
	b, _, _ = strings.Cut(b, "-")
	m, err := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	return err == nil && err2 == nil && (m > major || m == major && n >= minor)
}

// Defines reports whether the list has a node of this name, which is not an alias.
func (l List) Defines(name string) bool {
	n := l[name]
	return n != nil && n.Name == name
}

// Names returns the names of the nodes in order, without aliases.
func (l List) Names() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(l)), func(name string) bool { return !l.Defines(name) })
}

// addAliases adds the definitions of nodes under their aliases. An alias of an alias has no meaning in the engine.
func (l List) addAliases(aliases map[string]string) {
	for alias, name := range aliases {
		if l.Defines(name) && l[alias] == nil {
			l[alias] = l[name]
		}
	}
}

// The format and the newest version of the file.
const (
	Format  = "trowel-nodes"
	Version = 2
)

const (
	maxSize    = 256 << 20 // of a file, in bytes: a hundred times that of a large game
	maxValue   = 2 << 20   // of a definition, in bytes: the engine's limits for its texts together
	maxNodes   = 1 << 15   // what the engine can number
	maxAliases = 1 << 20
)

// Parse reads definitions. If a name has several, the last counts. Wrong values in a definition have the same effect
// as in the engine, which usually takes the default.
func Parse(r io.Reader) (*File, error) {
	p := parser{d: json.NewDecoder(io.LimitReader(r, maxSize)), f: &File{Nodes: make(List)}}
	if err := p.file(); err != nil {
		return nil, err
	}
	p.f.Nodes.addAliases(p.f.Aliases)
	return p.f, nil
}

// FileName is the name of the file that the mod writes in the folder of a world.
const FileName = "trowel_nodes.json"

// Find returns the file that the mod wrote in the folder of a world, or "" if there is none.
func Find(world string) string {
	path := filepath.Join(world, FileName)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// ReadFile reads a file as Parse does.
func ReadFile(path string) (*File, error) {
	f, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := Parse(f)
	return file, fault.InFile(err, path)
}

type parser struct {
	d       *json.Decoder
	f       *File
	format  string
	version int
}

func (p *parser) file() error {
	err := p.object("", func(key string) error {
		switch key {
		case "format":
			return p.value(key, &p.format)
		case "version":
			if err := p.value(key, &p.version); err != nil {
				return err
			}
			if p.version > Version {
				return p.badVersion()
			}
			return nil
		case "engine":
			return p.value(key, &p.f.Engine)
		case "game":
			return p.value(key, &p.f.Game)
		case "mods":
			return p.array(key, func(path string) error {
				if len(p.f.Mods) == maxNodes {
					return p.fail(path, fmt.Sprintf("at most %d mods", maxNodes), "more")
				}
				var m Mod
				err := p.value(path, &m)
				p.f.Mods = append(p.f.Mods, m)
				return err
			})
		case "aliases":
			p.f.Aliases = make(map[string]string)
			return p.object(key, func(name string) error {
				if len(p.f.Aliases) == maxAliases {
					return p.fail(key, fmt.Sprintf("at most %d aliases", maxAliases), "more")
				}
				var target string
				err := p.value(fmt.Sprintf("%s.%.40s", key, name), &target)
				p.f.Aliases[name] = target
				return err
			})
		case "nodes":
			return p.array(key, p.node)
		}
		return p.value(key, new(ignored))
	})
	if err != nil {
		return err
	}
	switch _, err := p.d.Token(); {
	case p.format != Format:
		return p.fail("", fmt.Sprintf(`"format": %q`, Format), fmt.Sprintf("%.40q", p.format))
	case p.version < 1:
		return p.badVersion()
	case err != io.EOF:
		return p.fail("", "the end of the text", "more")
	}
	return nil
}

func (p *parser) node(path string) error {
	var f fields
	if err := p.value(path, &f); err != nil {
		return err
	}
	name, ok := f["name"].(string)
	if !ok || name == "" {
		return p.fail(path+".name", "the name of a node", "none")
	}
	if len(p.f.Nodes) == maxNodes {
		return p.fail(path, fmt.Sprintf("at most %d nodes", maxNodes), "more")
	}
	p.f.Nodes[name] = f.node(p.f)
	return nil
}

// ignored is a value of any type that has no meaning here.
type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }

// value reads the next value into v.
func (p *parser) value(path string, v any) error {
	at := p.d.InputOffset()
	var raw json.RawMessage
	if err := p.d.Decode(&raw); err != nil {
		return p.broken(err)
	}
	if len(raw) > maxValue {
		return p.fail(path, fmt.Sprintf("at most %d bytes", maxValue), fmt.Sprint(len(raw)))
	}
	var wrong *json.UnmarshalTypeError
	err := json.Unmarshal(raw, v)
	if errors.As(err, &wrong) {
		want := wrong.Type.String()
		switch wrong.Type.Kind() {
		case reflect.Struct, reflect.Map:
			want = "an object"
		case reflect.String:
			want = "a string"
		case reflect.Int:
			want = "a whole number"
		case reflect.Float64:
			want = "a number up to 1.8e308"
		}
		return &fault.Error{Path: path, Offset: at, Want: want, Got: wrong.Value, Err: fault.ErrFormat}
	}
	return err
}

// object calls read for each key of the next value. Lua writes null or an empty array for an empty table.
func (p *parser) object(path string, read func(key string) error) error {
	return p.each(path, '{', "an object", func() error {
		key, err := p.d.Token()
		if err != nil {
			return p.broken(err)
		}
		return read(key.(string)) // the decoder accepts only texts here
	})
}

// array calls read for each element of the next value, with its path.
func (p *parser) array(path string, read func(path string) error) error {
	i := 0
	return p.each(path, '[', "an array", func() error {
		err := read(fmt.Sprintf("%s[%d]", path, i))
		i++
		return err
	})
}

func (p *parser) each(path string, open json.Delim, want string, read func() error) error {
	start, err := p.d.Token()
	if err != nil {
		return p.broken(err)
	}
	delim, _ := start.(json.Delim)
	empty := path != "" && (start == nil || (delim == '{' || delim == '[') && !p.d.More())
	if delim != open && !empty {
		return p.fail(path, want, kindOf(start))
	}
	if start == nil {
		return nil
	}
	for p.d.More() {
		if err := read(); err != nil {
			return err
		}
	}
	if _, err := p.d.Token(); err != nil {
		return p.broken(err)
	}
	return nil
}

// kindOf names a value as [json.UnmarshalTypeError] does.
func kindOf(first json.Token) string {
	switch first := first.(type) {
	case json.Delim:
		if first == '[' {
			return "array"
		}
		return "object"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "bool"
	}
	return "null"
}

func (p *parser) fail(path, want, got string) error {
	return &fault.Error{Path: path, Offset: p.d.InputOffset(), Want: want, Got: got, Err: fault.ErrFormat}
}

func (p *parser) badVersion() error {
	return &fault.Error{Path: "version", Offset: -1, Want: fmt.Sprintf("1 to %d", Version), Got: fmt.Sprint(p.version), Err: fault.ErrVersion}
}

// broken is the error of text that is not JSON.
func (p *parser) broken(err error) error {
	const want = "JSON of node definitions"
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &fault.Error{Offset: p.d.InputOffset(), Want: want, Got: "the end of the text", Err: fault.ErrShort}
	}
	return p.fail("", want, err.Error())
}
