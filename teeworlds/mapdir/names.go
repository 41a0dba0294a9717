package mapdir

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"trowel.example/internal/safename"
)

// The names of files, which are what parts of a map refer to each other by. They
// shall be easy to know for people, and stay when other parts come and go:
//
//  1. A part is called by its own name, or by what it is if it has none.
//  2. Where several would have the same name, all of these get a suffix that is
//     made of what they are, never of their place: "Leaves~k3f9".
//  3. A part that an earlier folder had keeps the name that it had there.

// maxFileName is the most bytes that a name has before its suffix and extension.
const maxFileName = 100

// fileName makes a file name of a name, one that every system takes as it is:
// the true name stands in the JSON, so that it need not come back from here.
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
	if name != "" && (safename.Escape(name) != name || name[0] == '#') { // CON, or 50%20, or a remark in a list
		name = "_" + strings.ReplaceAll(name, "%", "_")
	}
	return name
}

// key returns the same text for names that some system takes for one.
func key(name string) string { return safename.Fold(name) }

// named is a part that needs a name.
type named struct {
	kept string // the name that it had before, "" for none
	base string // the name that it would have if it were alone
	// prints tell it from others of that name: first what seldom changes and is
	// quickly known, at last all that it is.
	prints []func() uint64
}

// giveNames gives parts of one folder names of which no two are alike to any
// system. The reserved ones are given to none.
func giveNames(parts []named, reserved ...string) []string {
	n := naming{parts: parts, names: make([]string, len(parts)), taken: make(map[string]bool)}
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
	for _, k := range bases { // first those that need no suffix: theirs are their own
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
}

func (n *naming) give(i int, name string) {
	n.names[i] = name
	n.taken[key(name)] = true
}

// suffixes gives names to parts of the same base: those that the print at a level
// tells apart get it, the others go on to the next.
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
		rank := 1 // they are equal in all
		for _, i := range is {
			full := name
			for n.taken[key(full)] {
				rank++
				full = fmt.Sprintf("%s-%d", name, rank)
			}
			n.give(i, full)
		}
	}
}

// letters makes a short text of a print.
func letters(print uint64) string {
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz" // none that are taken for another
	b := make([]byte, 4)
	for i := range b {
		b[i] = alphabet[print>>(64-5*(i+1))&31]
	}
	return string(b)
}
