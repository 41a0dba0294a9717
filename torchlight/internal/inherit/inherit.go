// Package inherit follows BASEFILE, by which a data file takes the values that it lacks from another data file.
package inherit

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/text"
)

// Key is the key with the path of the base file.
const Key = "BASEFILE"

// MaxBases is the greatest number of base files of a file.
const MaxBases = 30

// ErrLoop is the error for a file that is based on itself, or on too many files.
var ErrLoop = fmt.Errorf("%s forms a circle, or a chain of more than %d files", Key, MaxBases)

// Chain is a data file followed by its base files, the nearest first.
type Chain struct {
	Links []Link
	// Missing is the path of the base file that ends the chain for the reason Err: an error of the function given to
	// Follow, or ErrLoop. It is "" if the last file has no base file.
	Missing string
	Err     error
}

// Link is a file of a chain.
type Link struct {
	File string // path in upper case
	Root *text.Node
}

// Follow returns the chain of a file. The function tree returns the root of another file by its path.
func Follow(file string, root *text.Node, tree func(path string) (*text.Node, error)) Chain {
	c := Chain{Links: []Link{{upperPath(file), root}}}
	for {
		value, _ := c.Links[len(c.Links)-1].Root.Get(Key)
		if strings.TrimSpace(value) == "" {
			return c
		}
		base := Path(value)
		if len(c.Links) > MaxBases || slices.ContainsFunc(c.Links, func(l Link) bool { return l.File == base }) {
			c.Missing, c.Err = base, ErrLoop
			return c
		}
		next, err := tree(base)
		if err == nil && next == nil {
			err = errors.New("the file is empty")
		}
		if err != nil {
			c.Missing, c.Err = base, err
			return c
		}
		c.Links = append(c.Links, Link{base, next})
	}
}

// Path returns the path of the file that a value of BASEFILE names, in upper case.
func Path(value string) string {
	file := path.Clean("/" + upperPath(strings.TrimSpace(value)))[1:]
	if !strings.HasPrefix(file, "MEDIA/") {
		file = "MEDIA/" + file
	}
	return file
}

func upperPath(name string) string { return strings.ToUpper(strings.ReplaceAll(name, `\`, "/")) }

// own are the keys that a file does not inherit.
var own = []string{Key, "DONTCREATE"}

// Affixes is the path of the keys with the affixes of a unit. They add up: a unit has its own, then those of its base files.
const Affixes = affixes + "." + affix

const affixes, affix = "AFFIXES", "AFFIX"

// Value is the effective value of a key.
type Value struct {
	*text.Property
	Link int // index in Chain.Links of the file that contains it; 0 if the value is not inherited
}

// Find returns the effective value of a key: its first value in the nearest file that has the key. A key with periods is
// a path: LEVEL1.MANACOST is the key MANACOST of the first node LEVEL1. Case is ignored. The value of [Affixes] lists all
// affixes, with commas.
func (c Chain) Find(key string) (Value, bool) {
	if strings.EqualFold(key, Affixes) {
		return c.allAffixes()
	}
	for i, link := range c.Links {
		if i > 0 && slices.ContainsFunc(own, text.Named(key)) {
			break
		}
		if p := Property(link.Root, key); p != nil {
			return Value{p, i}, true
		}
	}
	return Value{}, false
}

// Get returns the effective value of a key, or "".
func (c Chain) Get(key string) string {
	if v, ok := c.Find(key); ok {
		return v.Property.Value
	}
	return ""
}

// Property returns the first key of a node with a name, which may be a path as in [Chain.Find], or nil.
func Property(root *text.Node, key string) *text.Property {
	n, key := Below(root, key)
	if n == nil {
		return nil
	}
	return n.Property(key)
}

// Below returns the node that contains a key with periods, or nil, and the part of the key after the last period.
func Below(n *text.Node, key string) (*text.Node, string) {
	for {
		name, rest, deeper := strings.Cut(key, ".")
		if !deeper {
			return n, key
		}
		if n = n.Child(name); n == nil {
			return nil, ""
		}
		key = rest
	}
}

// Affixes returns the affixes of a unit, its own first. Each is a value of the key [Affixes].
func (c Chain) Affixes() []Value {
	var list []Value
	for i, link := range c.Links {
		for n := range link.Root.Nodes(affixes) {
			for p := range n.Keys(affix) {
				if p.Value != "" {
					list = append(list, Value{&text.Property{Type: p.Type, Key: Affixes, Value: p.Value}, i})
				}
			}
		}
	}
	return list
}

func (c Chain) allAffixes() (Value, bool) {
	list := c.Affixes()
	if len(list) < 2 {
		return append(list, Value{})[0], len(list) == 1
	}
	var names []string
	for _, v := range list {
		names = append(names, v.Property.Value)
	}
	return Value{&text.Property{Type: text.String, Key: Affixes, Value: strings.Join(names, ", ")}, list[0].Link}, true
}

// Values returns the effective values of all keys of the roots, in the order of the files, then the affixes.
func (c Chain) Values() []Value {
	var list []Value
	seen := make(map[uint32]bool)
	for i, link := range c.Links {
		for p := range link.Root.Properties() {
			key := hash.Of(p.Key)
			if !seen[key] && (i == 0 || !slices.ContainsFunc(own, text.Named(p.Key))) {
				seen[key] = true
				list = append(list, Value{p, i})
			}
		}
	}
	return append(list, c.Affixes()...)
}

// Nodes returns the nodes with a name directly below the root of the nearest file that has such nodes, ignoring case,
// and the index of the file in Chain.Links.
func (c Chain) Nodes(name string) (nodes []*text.Node, link int) {
	for i, l := range c.Links {
		if nodes = slices.Collect(l.Root.Nodes(name)); nodes != nil {
			return nodes, i
		}
	}
	return nil, 0
}
