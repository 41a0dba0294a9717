// Package safename converts names in game files to file names that are safe on every system, and restores the true
// names.
//
// Names in game files are chosen by authors or attackers: they may have backslashes, drive letters, the reserved names
// of Windows, or differ in case only. A [Folder] assigns each name in one folder a safe form: usually the name itself,
// otherwise the name with the dangerous characters written as %XX. Names that differ from their safe form are stored
// in the sidecar of the tree, and [Restore] returns the folder with its true names.
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

// maxLen is the maximum length of a safe name in bytes. Most systems allow 255; the rest is reserved for temporary
// files and for the numbers of clashing names.
const maxLen = 200

// Escape returns the safe form of one element of a path. Different names have different safe forms, unless Escape
// shortens a name that is too long.
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
		return "%" // unambiguous, because the name "%" itself is escaped
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
		return last // Windows drops it; this also escapes "." and ".."
	case r == '%': // would be read as an escape
		return name == "%" || i+2 < len(name) && isHex(name[i+1]) && isHex(name[i+2])
	case unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return true // makes a name look like another one
	}
	return false
}

func isHex(c byte) bool { return strings.IndexByte("0123456789ABCDEFabcdef", c) >= 0 }

// reserved returns the length of the stem of a name that is a device on Windows, with any extension, or that has a
// special meaning for git; 0 if the name is not reserved.
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
	// An archive must not contain a repository with its own hooks.
	if strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1") {
		return 3
	}
	return 0
}

// isDigit reports whether s is a digit. Windows also accepts superscript digits in the names of devices.
func isDigit(s string) bool {
	return s == "¹" || s == "²" || s == "³" || len(s) == 1 && s[0] >= '0' && s[0] <= '9'
}

// shorten shortens a name that is too long, keeps its extension, and adds a hash of the full name.
func shorten(name string) string {
	if len(name) <= maxLen {
		return name
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return insert(name, fmt.Sprintf("~%016x", h.Sum64()))
}

// insert adds mark to the stem of a name, and shortens the result if it is too long.
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

// Unescape decodes the %XX escapes of Escape.
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

// Folder assigns distinct safe names to the names in one folder. The safe names differ even on systems that ignore
// case, or that treat an accented letter like a letter with a combining accent. The zero value is an empty folder.
type Folder struct{ used unique }

// Name returns the safe form of the next name of the folder. Each name must be
// given once.
func (f *Folder) Name(name string) string {
	escaped := Escape(name)
	return f.used.Name(escaped, func(mark string) string { return insert(escaped, mark) })
}

// unique makes names distinct on every system by adding numbers. The total time is proportional to the number of
// names, however similar they are. The zero value has no names yet.
type unique struct {
	used map[string]bool
	next map[string]int // the next number to try, by the name with a placeholder for the number
}

// Name returns name if no similar name was given before, otherwise the result of calling with with a mark such as
// "~2", which with adds to the name. If with shortens long names, it must shorten all names with the same result
// equally.
func (u *unique) Name(name string, with func(mark string) string) string {
	if u.used == nil {
		u.used, u.next = make(map[string]bool), make(map[string]int)
	}
	if u.add(name) {
		return name
	}
	key := Fold(with("~########")) // longer than any number, so that shortened names share the key
	for n := max(u.next[key], 2); ; n++ {
		if marked := with(fmt.Sprintf("~%d", n)); u.add(marked) {
			u.next[key] = n + 1
			return marked
		}
	}
}

func (u *unique) add(name string) bool {
	folded := Fold(name)
	if u.used[folded] {
		return false
	}
	u.used[folded] = true
	return true
}

// Fold returns the same string for all names that a system may treat as equal: names that differ in case, in the
// encoding of accents (macOS), or in invisible characters (also macOS).
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

// TreePath converts any path in a file, of any bytes, to a valid path of an [fs.FS], which excludes "..", ".", empty
// elements and a leading slash. Formats whose paths are free text use it for their trees.
func TreePath(name string) string {
	if !strings.Contains(name, "%") && name != "." && fs.ValidPath(name) {
		return name
	}
	elems := strings.Split(name, "/")
	for i, e := range elems {
		switch {
		case e == "" || e == "." || e == ".." || !utf8.ValidString(e):
			elems[i] = escape(e)
		case Unescape(e) != e: // would be read as an escape
			elems[i] = strings.ReplaceAll(e, "%", "%25")
		}
	}
	return strings.Join(elems, "/")
}

// FromTreePath reverses TreePath.
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
