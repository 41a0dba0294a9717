package hash

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Names is a dictionary of names by their hashes. It consists of layers. Several goroutines may use it at once.
type Names struct {
	layer  func() layer             // computed at the first use
	broken func() map[uint32]string // names by the hash of the decimal number of their hash
	below  *Names                   // nil for the last layer
}

// layer holds names by their hashes.
type layer struct {
	best map[uint32]string
	more map[uint32][]string // additional names of the few hashes with several names
}

// newNames returns a layer of names, better ones first, above the other layers.
func newNames(below *Names, size int, names iter.Seq[string]) *Names {
	n := &Names{below: below}
	n.layer = sync.OnceValue(func() layer {
		l := layer{best: make(map[uint32]string, size)}
		for name := range names {
			h := Of(name)
			best, taken := l.best[h]
			switch {
			case !taken:
				l.best[h] = name
			case best != name && !slices.Contains(l.more[h], name):
				if l.more == nil {
					l.more = map[uint32][]string{}
				}
				l.more[h] = append(l.more[h], name)
			}
		}
		return l
	})
	n.broken = sync.OnceValue(func() map[uint32]string {
		best := n.layer().best
		index := make(map[uint32]string, len(best))
		var digits [10]byte
		for h, name := range best {
			tag := Of(string(strconv.AppendUint(digits[:0], uint64(h), 10)))
			if old, taken := index[tag]; !taken || name < old {
				index[tag] = name
			}
		}
		return index
	})
	return n
}

// With returns a dictionary with additional names on top, the best ones first. The names are not processed until a
// lookup fails in n, or all names of a hash are requested.
func (n *Names) With(names ...string) *Names {
	return newNames(n, len(names), slices.Values(slices.Clone(names)))
}

// Name returns the best name of a hash: that of the uppermost layer that has one.
func (n *Names) Name(h uint32) (string, bool) {
	for ; n != nil; n = n.below {
		if name, ok := n.layer().best[h]; ok {
			return name, true
		}
	}
	return "", false
}

// All returns every name of a hash, the best one first.
func (n *Names) All(h uint32) []string {
	var all []string
	for ; n != nil; n = n.below {
		l := n.layer()
		if best, ok := l.best[h]; ok && !slices.Contains(all, best) {
			all = append(all, best)
		}
		for _, name := range l.more[h] {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// brokenMin is the least length of names that are guessed for broken tags.
//
// If GUTS does not know the name of a hash, it writes the hash as a decimal number, and when it compiles that text it
// treats the number as a name. The game then finds nothing under the old hash: the tag is broken. Names of one or two
// characters have hashes that may be meant as numbers, so they are not guessed.
const brokenMin = 3

// Spelled returns the spelling in texts of a name that a user gives: for UNK_1A2B3C4D (see [Meant]) a name that has this
// hash, and any other name unchanged.
func (n *Names) Spelled(name string) string {
	h, ok := unk(name)
	if !ok {
		return name
	}
	if known, ok := n.Name(h); ok {
		return known
	}
	return Escape(h)
}

// Broken returns the known name whose hash a program wrote in its place: key is the hash as the decimal number that GUTS
// writes, or as UNK_1A2B3C4D. It returns false for any other key.
func (n *Names) Broken(key string) (guess string, ok bool) {
	if h, ok := unk(key); ok {
		if guess, ok = n.Name(h); !ok {
			guess = Escape(h)
		}
		return guess, true
	}
	if key == "" || key[0] < '1' || key[0] > '9' {
		return "", false
	}
	h, err := strconv.ParseUint(key, 10, 32)
	if err != nil {
		return "", false
	}
	guess, ok = n.Name(uint32(h))
	return guess, ok && len(guess) >= brokenMin
}

// BrokenHash is Broken for the compiled form of such a text: h is the hash of the decimal number of the name's hash.
func (n *Names) BrokenHash(h uint32) (guess string, ok bool) {
	for ; n != nil; n = n.below {
		if guess, ok = n.broken()[h]; ok && len(guess) >= brokenMin {
			return guess, true
		}
	}
	return "", false
}

// nearMin is the least length of names that Near finds.
const nearMin = 6

// Near returns a known name that differs from an unknown one in one letter: it has another letter, one more, one less, or two in
// another order. Plurals are not similar: many names exist with and without an S at their end.
func (n *Names) Near(name string) (near string, ok bool) {
	name = strings.ToUpper(name)
	if _, known := n.Name(Of(name)); known || len(name) < nearMin {
		return "", false
	}
	try := func(other string) bool {
		if strings.TrimSuffix(other, "S") == strings.TrimSuffix(name, "S") {
			return false
		}
		near, _ = n.Name(Of(other))
		return strings.EqualFold(near, other) // and not another name with the hash
	}
	isLetter := func(i int) bool { return 'A' <= name[i] && name[i] <= 'Z' }
	for i := range len(name) + 1 {
		for letter := 'A'; letter <= 'Z'; letter++ {
			if try(name[:i]+string(letter)+name[i:]) || i < len(name) && isLetter(i) && try(name[:i]+string(letter)+name[i+1:]) {
				return near, true
			}
		}
		if i < len(name) && isLetter(i) && (try(name[:i]+name[i+1:]) ||
			i+1 < len(name) && isLetter(i+1) && try(name[:i]+name[i+1:i+2]+name[i:i+1]+name[i+2:])) {
			return near, true
		}
	}
	return "", false
}
