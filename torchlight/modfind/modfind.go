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
	"slices"
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

// GUIDOf returns the number that a key may give something, or refer to by it.
func GUIDOf(p *text.Property) (guid int64, is bool) {
	if p.Type != text.Integer64 && !p.Type.IsString() && !strings.Contains(strings.ToUpper(p.Key), "GUID") {
		return 0, false
	}
	guid, err := strconv.ParseInt(strings.TrimSpace(p.Value), 10, 64)
	return guid, err == nil
}

// OwnsGUID reports whether a key gives what it stands in its number.
func OwnsGUID(key string) bool {
	key = strings.ToUpper(key)
	return key == "UNIT_GUID" || key == "UNIQUE_GUID" || key == "GUID"
}

// GUIDs finds the keys whose value is a number: those that give something this number, and
// those that refer to it.
func GUIDs(ctx context.Context, e *modedit.Editor, guid int64, yield func(k Key, own bool) error) error {
	return Keys(ctx, e, Where{}, func(p *text.Property) bool {
		n, is := GUIDOf(p)
		return is && n == guid
	}, func(k Key) error { return yield(k, OwnsGUID(k.Key)) })
}

// References finds what refers to files: values of data files and layouts that are their
// paths, and words of materials and image sets. The pattern is one of paths, in which * and ?
// stay in a folder and ** does not, with MEDIA/ or without.
func References(ctx context.Context, e *modedit.Editor, pattern string, yield func(Key) error) error {
	match := glob.Path('/', inMedia(gamePath(pattern)))
	is := func(value string) bool {
		target, is := Target(value)
		if !is {
			return false
		}
		target = inMedia(target)
		return match(target) || match(path.Base(target)) && !strings.Contains(pattern, "/")
	}
	if err := Keys(ctx, e, Where{}, func(p *text.Property) bool { return p.Type.IsString() && is(p.Value) }, yield); err != nil {
		return err
	}
	return modedit.LookAtFiles(ctx, e, "**", HasWords, func(file string, content []byte) []Key {
		return slices.DeleteFunc(Words(file, content), func(k Key) bool { return !is(k.Value) })
	}, yield)
}

// Target returns the path of the file that a value refers to, as the game looks it up: in
// capitals, with slashes, in MEDIA/ or as it stands there. A path ends with an extension of
// 1 to 9 letters and digits, not of digits only.
func Target(value string) (target string, is bool) {
	const digits, letters = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
	value = strings.TrimSpace(value)
	ext := value[strings.LastIndexByte(value, '.')+1:]
	if ext == "" || len(ext) > 9 || len(ext) == len(value) || strings.Trim(ext, digits+letters) != "" || strings.Trim(ext, digits) == "" {
		return "", false
	}
	return gamePath(value), true
}

func gamePath(s string) string {
	return strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(s), `\`, "/"))
}

func inMedia(path string) string { return strings.TrimPrefix(path, "MEDIA/") }

// HasWords reports whether a file, by its path, has words that may refer to files: that of a
// material or of an image set.
func HasWords(file string) bool {
	ext := strings.ToUpper(path.Ext(file))
	return ext == ".MATERIAL" || ext == ".IMAGESET"
}

// Words returns the words of a material or an image set, each but the first of a line, with
// the word before it as its key.
func Words(file string, content []byte) (found []Key) {
	line := 0
	for text := range strings.Lines(string(content)) {
		line++
		words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'=<>", r) })
		for i := 1; i < len(words); i++ {
			found = append(found, Key{File: file, At: check.Line{Line: line}, Key: words[i-1], Value: words[i]})
		}
	}
	return found
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
