package mapdir

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"trowel.example/internal/files/safename"
)

// File names are also the references between the parts of a map. They should be recognizable for people, and stay the
// same when other parts are added or removed:
//
//  1. A part is called by its own name, or by its type and contents if it has none.
//  2. Where several parts would have the same name, all of them get a suffix that is made from their contents, never
//     from their position: "Leaves~k3f9".
//  3. A part that an earlier folder contained keeps its name from there.

// maxFileName is the length of the longest name without its suffix and extension, in bytes.
const maxFileName = 100

// fileName returns a file name for a name that every system accepts unchanged. The JSON contains the true name, so
// the conversion need not be reversible.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || strings.ContainsRune(`/\:*?"<>|`, r) || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, norm.NFC.String(name))
	name = strings.Trim(name, " .\u00a0\u3000")
	if len(name) > maxFileName {
		name = strings.TrimRight(strings.ToValidUTF8(name[:maxFileName], ""), " .")
	}
	if name != "" && (safename.Escape(name) != name || name[0] == '#') { // CON, or 50%20, or a comment in a list
		name = "_" + strings.ReplaceAll(name, "%", "_")
	}
	return name
}

// key returns the same text for names that some system treats as equal.
func key(name string) string { return safename.Fold(name) }

// named is a part that needs a name.
type named struct {
	kept string // the name that it had before, "" for none
	base string // the name that it would have if no other part had it
	// prints distinguish it from other parts of that name: first properties that seldom change and are fast to
	// compute, last all of its contents.
	prints []func() uint64
}

// giveNames returns names for the parts of one folder that are distinct on every system. No part gets a reserved
// name.
func giveNames(parts []named, reserved ...string) []string {
	n := naming{parts: parts, names: make([]string, len(parts)), taken: make(map[string]bool), ranks: make(map[string]int)}
	for i := range parts {
		if kept := parts[i].kept; kept != "" && !n.taken[key(kept)] {
			n.give(i, kept)
		}
	}
	for _, r := range reserved {
		n.taken[key(r)] = true
	}
	same := make(map[string][]int)
	var bases []string
	for i := range parts {
		if n.names[i] == "" {
			k := key(parts[i].base)
			if same[k] == nil {
				bases = append(bases, k)
			}
			same[k] = append(same[k], i)
		}
	}
	for _, k := range bases { // first the names that need no suffix
		if len(same[k]) == 1 && !n.taken[k] {
			n.give(same[k][0], parts[same[k][0]].base)
		}
	}
	for _, k := range bases {
		if len(same[k]) > 1 || n.names[same[k][0]] == "" {
			n.suffixes(same[k], 0)
		}
	}
	return n.names
}

type naming struct {
	parts []named
	names []string
	taken map[string]bool
	ranks map[string]int // by the key of a name: the last number that was added to it
}

func (n *naming) give(i int, name string) {
	n.names[i] = name
	n.taken[key(name)] = true
}

// suffixes gives names to parts with the same base: those that the print at a level distinguishes get a suffix of
// that print, the others continue with the next level.
func (n *naming) suffixes(parts []int, level int) {
	same := make(map[string][]int)
	var names []string
	for _, i := range parts {
		p := n.parts[i]
		name := p.base + "~" + letters(p.prints[min(level, len(p.prints)-1)]())
		if same[name] == nil {
			names = append(names, name)
		}
		same[name] = append(same[name], i)
	}
	for _, name := range names {
		is := same[name]
		if len(is) == 1 && !n.taken[key(name)] {
			n.give(is[0], name)
			continue
		}
		if level+1 < len(n.parts[is[0]].prints) {
			n.suffixes(is, level+1)
			continue
		}
		rank := max(1, n.ranks[key(name)]) // they are equal in all prints
		for _, i := range is {
			full := name
			for n.taken[key(full)] {
				rank++
				full = fmt.Sprintf("%s-%d", name, rank)
			}
			n.give(i, full)
		}
		n.ranks[key(name)] = rank
	}
}

// letters converts a print to a short text.
func letters(print uint64) string {
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz" // no characters that look alike
	b := make([]byte, 4)
	for i := range b {
		b[i] = alphabet[print>>(64-5*(i+1))&31]
	}
	return string(b)
}
