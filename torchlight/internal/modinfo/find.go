package modinfo

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/glob"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// Where selects the files and nodes that are searched.
type Where struct {
	Files  string // a pattern of paths, see [modedit.Editor.Select]; "" selects all files
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
	Type  text.Type // 0 in a file without types
	Key   string
	Value string
}

// Keys finds the keys for which want returns true. It calls want for several files at once.
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

// MatchKey returns a function that matches keys with a pattern KEY or KEY=VALUE. Both may contain * and ?, and ignore
// case.
func MatchKey(pattern string) func(*text.Property) bool {
	name, value, hasValue := strings.Cut(pattern, "=")
	keys, values := matchName(name), glob.Folded(value)
	return func(p *text.Property) bool { return keys(p.Key) && (!hasValue || values(p.Value)) }
}

// matchName returns a function that matches names of keys with a pattern, or with a name as [text.Named].
func matchName(pattern string) func(string) bool {
	if strings.ContainsAny(pattern, "*?") {
		return glob.Folded(pattern)
	}
	return text.Named(pattern)
}

// guidOf returns the number in the value of a key, if it may be a GUID or a reference to one.
func guidOf(t text.Type, key, value string) (guid int64, ok bool) {
	if t != text.Integer64 && !t.IsString() && !strings.Contains(strings.ToUpper(key), "GUID") {
		return 0, false
	}
	guid, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	return guid, err == nil
}

// OwnsGUID reports whether a key defines the GUID of the thing that contains it.
func OwnsGUID(key string) bool {
	key = strings.ToUpper(key)
	return key == "UNIT_GUID" || key == "UNIQUE_GUID" || key == "GUID"
}

// GUIDs finds the keys whose value is the number guid: those that define it as a GUID, and those that refer to it.
func GUIDs(ctx context.Context, e *modedit.Editor, guid int64, yield func(k Key, own bool) error) error {
	return Keys(ctx, e, Where{}, func(p *text.Property) bool {
		n, ok := guidOf(p.Type, p.Key, p.Value)
		return ok && n == guid
	}, func(k Key) error { return yield(k, OwnsGUID(k.Key)) })
}

// References finds references to files: values of data files and layouts that are paths, and words of materials and
// image sets. The pattern is one of paths, in which * and ? match within a folder and ** matches across folders, with
// or without MEDIA/.
func References(ctx context.Context, e *modedit.Editor, pattern string, yield func(Key) error) error {
	match := glob.Path('/', inMedia(gamePath(pattern)))
	is := func(value string) bool {
		target, ok := Target(value)
		if !ok {
			return false
		}
		target = inMedia(target)
		return match(target) || match(path.Base(target)) && !strings.Contains(pattern, "/")
	}
	if err := Keys(ctx, e, Where{}, func(p *text.Property) bool { return p.Type.IsString() && is(p.Value) }, yield); err != nil {
		return err
	}
	return modedit.LookAtFiles(ctx, e, "**", hasWords, func(file string, content []byte) []Key {
		return slices.DeleteFunc(Words(file, content), func(k Key) bool { return !is(k.Value) })
	}, yield)
}

// Target returns the path of the file that a value refers to, in the form that the game uses for lookups: in upper
// case, with slashes, below MEDIA/. A value is a path if it ends with an extension of 1 to 9 letters and digits that is
// not a number.
func Target(value string) (target string, ok bool) {
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

// hasWords reports whether a file has words that may refer to files, by its path: whether it is a material or an image
// set.
func hasWords(file string) bool {
	ext := strings.ToUpper(path.Ext(file))
	return ext == ".MATERIAL" || ext == ".IMAGESET"
}

// Words returns the words of a material or an image set, except the first of each line. The key of a word is the word
// before it.
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
	Descriptor string // kind of the object, for example "Room Piece"
	Name       string
	ID         int64
	X, Y, Z    float64 // position, relative to the object that contains it
}

// Objects finds objects of layouts by patterns of their descriptors and names, with * and ?, ignoring case; "" matches
// all.
func Objects(ctx context.Context, e *modedit.Editor, where Where, descriptor, name string, yield func(Object) error) error {
	isKind, isName := glob.Folded(cmp.Or(descriptor, "*")), glob.Folded(cmp.Or(name, "*"))
	return modedit.LookAt(ctx, e, where.files(), where.Choice, func(n *modedit.Node) []Object {
		kind, ok := n.Get("DESCRIPTOR")
		if !ok || !isKind(kind) {
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

// Files finds files by a pattern of their paths in the game.
func Files(ctx context.Context, e *modedit.Editor, pattern string, yield func(path string, size int64) error) error {
	type file struct {
		path string
		size int64
	}
	return modedit.LookAtFiles(ctx, e, pattern, func(string) bool { return true },
		func(path string, content []byte) []file { return []file{{path, int64(len(content))}} },
		func(f file) error { return yield(f.path, f.size) })
}

// CheckName returns a [fault.NameError] if none of the names that each yields matches the pattern, with * and ?,
// ignoring case.
func CheckName(kind, pattern string, each func(yield func(name string)) error) error {
	names := make(map[string]bool)
	match, found := matchName(pattern), false
	err := each(func(name string) {
		names[name] = true
		found = found || match(name)
	})
	if found {
		return err
	}
	return errors.Join(err, &fault.NameError{Kind: kind, Name: pattern, Names: slices.Sorted(maps.Keys(names))})
}
