// Package modfind finds things in mods of Torchlight II: keys and values of data files and
// layouts, objects of layouts, who has a GUID or refers to it, who refers to a file.
//
// What it finds comes in the order of the files' paths. An error of the function that is
// called with it ends the search and is returned. Files that cannot be read are told to the
// Miss of the editor that the mod is read by, which changes nothing.
package modfind

import (
	"cmp"
	"context"
	"path"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/glob"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// Where says where keys are looked for.
type Where struct {
	Files  string // a pattern of paths, see [modedit.Editor.Select]; "" is all files
	Choice modedit.Choice
}

func (w Where) files() string {
	if w.Files == "" {
		return "**"
	}
	return w.Files
}

// Key is a key with its value.
type Key struct {
	File  string // path in the game
	At    check.Place
	Type  text.Type // 0 in a file that has no types
	Key   string
	Value string
}

// Keys finds the keys for which want reports true; it is called for several files at a time.
func Keys(ctx context.Context, e *modedit.Editor, where Where, want func(*text.Property) bool, yield func(Key) error) error {
	return modedit.LookAt(ctx, e, where.files(), where.Choice, func(n *modedit.Node) (found []Key) {
		for p := range n.Properties() {
			if want(p) {
				found = append(found, Key{n.File, n.Place(p.Key), p.Type, p.Key, p.Value})
			}
		}
		return found
	}, yield)
}

// GUIDs finds the keys whose value is a number: those that give something this number, and
// those that refer to it.
func GUIDs(ctx context.Context, e *modedit.Editor, guid int64, yield func(k Key, own bool) error) error {
	return Keys(ctx, e, Where{}, func(p *text.Property) bool {
		n, err := strconv.ParseInt(strings.TrimSpace(p.Value), 10, 64)
		return err == nil && n == guid && (p.Type == text.Integer64 || p.Type.IsString() || strings.Contains(strings.ToUpper(p.Key), "GUID"))
	}, func(k Key) error {
		key := strings.ToUpper(k.Key)
		return yield(k, key == "UNIT_GUID" || key == "UNIQUE_GUID" || key == "GUID")
	})
}

// References finds what refers to files: values of data files and layouts that are their
// paths, and words of materials and image sets. The pattern is one of paths, in which * and ?
// stay in a folder and ** does not, with MEDIA/ or without.
func References(ctx context.Context, e *modedit.Editor, pattern string, yield func(Key) error) error {
	match := pathsOf(pattern)
	if err := Keys(ctx, e, Where{}, func(p *text.Property) bool { return p.Type.IsString() && match(p.Value) }, yield); err != nil {
		return err
	}
	return modedit.LookAtFiles(ctx, e, "**", func(name string) bool {
		ext := strings.ToUpper(path.Ext(name))
		return ext == ".MATERIAL" || ext == ".IMAGESET"
	}, func(file string, content []byte) (found []Key) {
		line := 0
		for text := range strings.Lines(string(content)) {
			line++
			words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'=<>", r) })
			for i, word := range words {
				if i > 0 && match(word) {
					found = append(found, Key{File: file, At: check.Line{Line: line}, Key: words[i-1], Value: word})
				}
			}
		}
		return found
	}, yield)
}

// pathsOf returns what reports whether a value is a path that a pattern means.
func pathsOf(pattern string) func(value string) bool {
	clean := func(s string) string {
		s = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(s), `\`, "/"))
		return strings.TrimPrefix(s, "MEDIA/")
	}
	match := glob.Path('/', clean(pattern))
	return func(value string) bool {
		value = clean(value)
		return strings.Contains(value, ".") && (match(value) || match(path.Base(value)) && !strings.Contains(pattern, "/"))
	}
}

// Object is an object of a layout.
type Object struct {
	File       string
	At         text.Place
	Descriptor string // its kind, such as "Room Piece"
	Name       string
	ID         int64
	X, Y, Z    float64 // where it is, in the object around it
}

// Objects finds objects of layouts by patterns of their descriptors and names, with * and ?, in
// any case; "" is all.
func Objects(ctx context.Context, e *modedit.Editor, where Where, descriptor, name string, yield func(Object) error) error {
	isKind, isName := glob.Folded(cmp.Or(descriptor, "*")), glob.Folded(cmp.Or(name, "*"))
	return modedit.LookAt(ctx, e, where.files(), where.Choice, func(n *modedit.Node) []Object {
		kind, is := n.Get("DESCRIPTOR")
		if !is || !isKind(kind) {
			return nil
		}
		o := Object{File: n.File, At: n.Place(""), Descriptor: kind}
		if o.Name, _ = n.Get("NAME"); !isName(o.Name) {
			return nil
		}
		if id, has := n.Get("ID"); has {
			o.ID, _ = text.ParseInt64(id)
		}
		for key, v := range map[string]*float64{"POSITIONX": &o.X, "POSITIONY": &o.Y, "POSITIONZ": &o.Z} {
			if value, has := n.Get(key); has {
				*v, _ = text.ParseDouble(value)
			}
		}
		return []Object{o}
	}, yield)
}
