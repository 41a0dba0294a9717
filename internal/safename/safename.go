// Package safename makes names that come from game files safe to use as names
// of files on every system, and gives the true names back.
//
// Game files name things as their authors liked, or as an attacker does: with
// backslashes, drive letters, the reserved names of Windows, names that differ
// in case only. A [Folder] gives each name of one folder a safe form: the name
// itself nearly always, else one with the dangerous characters written as %XX.
// The pairs that differ are kept in the sidecar of the tree, and [Restore]
// shows the folder under its true names again.
package safename

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxLen is the most bytes that a safe name has. Most systems allow 255; the
// rest is left to temporary files and to the number of a name that clashes.
const maxLen = 200

// Escape returns the safe form of one element of a path. Different names have
// different forms, except where Escape cut a name that was too long.
func Escape(name string) string {
	safe := escape(name)
	if n := reserved(safe); n > 0 {
		safe = fmt.Sprintf("%s%%%02X%s", safe[:n-1], safe[n-1], safe[n:])
	}
	return shorten(safe)
}

// escape writes the dangerous characters of a name as %XX.
func escape(name string) string {
	if name == "" {
		return "%" // free, because the name "%" itself is escaped
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if unsafe(name, i, r, size) {
			for _, c := range []byte(name[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

// unsafe reports whether the character r of a name, at i, must be escaped.
func unsafe(name string, i int, r rune, size int) bool {
	last := i+size == len(name)
	switch {
	case r == utf8.RuneError && size == 1, unicode.IsControl(r):
		return true
	case strings.ContainsRune(`<>:"/\|?*`, r):
		return true
	case r == '.' || r == ' ':
		return last // Windows drops it; also what makes "." and ".." harmless
	case r == '%': // what would read as an escape
		return name == "%" || i+2 < len(name) && isHex(name[i+1]) && isHex(name[i+2])
	case unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return true // shows a name as another one
	}
	return false
}

func isHex(c byte) bool { return strings.IndexByte("0123456789ABCDEFabcdef", c) >= 0 }

// reserved returns the length of the stem of a name that means a device to
// Windows, with any extension, or something else than a plain file to git;
// 0 if the name is free.
func reserved(name string) int {
	stem, _, _ := strings.Cut(name, ".")
	n := len(strings.TrimRight(stem, " "))
	switch stem = strings.ToUpper(stem[:n]); stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return n
	}
	if rest, ok := strings.CutPrefix(stem, "COM"); ok && isDigit(rest) {
		return 3
	}
	if rest, ok := strings.CutPrefix(stem, "LPT"); ok && isDigit(rest) {
		return 3
	}
	// An archive must not bring a repository with hooks of its own.
	if strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1") {
		return 3
	}
	return 0
}

// isDigit reports whether s is a digit; Windows takes the raised ones too.
func isDigit(s string) bool {
	return s == "¹" || s == "²" || s == "³" || len(s) == 1 && s[0] >= '0' && s[0] <= '9'
}

// shorten cuts a name that is too long, keeping its extension, and marks it
// with a hash of the whole.
func shorten(name string) string {
	if len(name) <= maxLen {
		return name
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return insert(name, fmt.Sprintf("~%016x", h.Sum64()))
}

// insert puts mark after the stem of a name, cutting what becomes too long.
func insert(name, mark string) string {
	ext := path.Ext(name)
	if len(ext) > 20 || len(ext) == len(name) {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	if most := maxLen - len(mark) - len(ext); len(stem) > most {
		for stem = stem[:most]; !utf8.ValidString(stem); {
			stem = stem[:len(stem)-1]
		}
	}
	return stem + mark + ext
}

// Unescape undoes the %XX of Escape.
func Unescape(name string) string {
	if name == "%" {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		var c byte
		if name[i] == '%' && i+2 < len(name) && isHex(name[i+1]) && isHex(name[i+2]) {
			fmt.Sscanf(name[i+1:i+3], "%02x", &c)
			i += 2
		} else {
			c = name[i]
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Folder gives the names of one folder safe forms of which no two are alike,
// not even to a system that does not tell upper from lower case, or an accented
// letter from a letter and its accent. The zero value is a folder without names.
type Folder struct{ used Unique }

// Name returns the safe form of the next name of the folder. Each name must be
// given once.
func (f *Folder) Name(name string) string {
	escaped := Escape(name)
	return f.used.Name(escaped, func(mark string) string { return insert(escaped, mark) })
}

// Unique gives names of which no two are alike to any system, by numbers. The time
// that it takes grows with the number of names, however alike they are. The zero
// value has none yet.
type Unique struct {
	used map[string]bool
	next map[string]int // the number to try next, by the name with a mark of no number
}

// Name returns name if no name like it was given before, else a name with a mark
// such as "~2", which with puts into it. Where with cuts what becomes too long,
// it must cut the same for all names that become the same.
func (u *Unique) Name(name string, with func(mark string) string) string {
	if u.used == nil {
		u.used, u.next = make(map[string]bool), make(map[string]int)
	}
	if u.add(name) {
		return name
	}
	key := Fold(with("~########")) // longer than any number: names that are cut share theirs
	for n := max(u.next[key], 2); ; n++ {
		if marked := with(fmt.Sprintf("~%d", n)); u.add(marked) {
			u.next[key] = n + 1
			return marked
		}
	}
}

func (u *Unique) add(name string) bool {
	folded := Fold(name)
	if u.used[folded] {
		return false
	}
	u.used[folded] = true
	return true
}

// Fold returns the same string for all names that a system may take for one: those
// that differ in case, in how their accents are written (macOS), or in characters
// that nobody sees (also macOS).
func Fold(name string) string {
	ascii := true
	for i := 0; i < len(name) && ascii; i++ {
		ascii = name[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(name)
	}
	folded := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return unicode.ToLower(least)
	}, norm.NFD.String(name))
	return norm.NFD.String(folded)
}

// TreePath makes a path that a file names, in any bytes, valid as a path of an
// [fs.FS], where "..", ".", empty elements and a leading slash are not.
// Formats whose paths are free text use it for their trees.
func TreePath(name string) string {
	if !strings.Contains(name, "%") && name != "." && fs.ValidPath(name) {
		return name
	}
	elems := strings.Split(name, "/")
	for i, e := range elems {
		switch {
		case e == "" || e == "." || e == ".." || !utf8.ValidString(e):
			elems[i] = escape(e)
		case Unescape(e) != e: // what would read as an escape
			elems[i] = strings.ReplaceAll(e, "%", "%25")
		}
	}
	return strings.Join(elems, "/")
}

// FromTreePath undoes TreePath.
func FromTreePath(name string) string {
	if !strings.Contains(name, "%") {
		return name
	}
	elems := strings.Split(name, "/")
	for i, e := range elems {
		elems[i] = Unescape(e)
	}
	return strings.Join(elems, "/")
}
