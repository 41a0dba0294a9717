// Package inherit follows BASEFILE, by which a data file takes the values that it lacks from another data file.
package inherit

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"trowel.example/torchlight/text"
)

// Key is the key with the path of the base file.
const Key = "BASEFILE"

// MaxBases is the greatest number of base files of a file.
const MaxBases = 30

// ErrLoop is the error for a file that is based on itself, or on too many files.
var ErrLoop = fmt.Errorf("%s leads back, or to more than %d files", Key, MaxBases)

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

// Value is the effective value of a key.
type Value struct {
	*text.Property
	Link int // index in Chain.Links of the file that contains it; 0 if the value is not inherited
}

// Find returns the effective value of a key: its first value in the nearest file that has the key. A key with periods is
// a path: LEVEL1.MANACOST is the key MANACOST of the first node LEVEL1. Case is ignored.
func (c Chain) Find(key string) (Value, bool) {
	for i, link := range c.Links {
		if i > 0 && slices.Contains(own, strings.ToUpper(key)) {
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
	for p := range n.Properties() {
		if strings.EqualFold(p.Key, key) {
			return p
		}
	}
	return nil
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

// Values returns the effective values of all keys of the roots, in the order of the files.
func (c Chain) Values() []Value {
	var list []Value
	seen := make(map[string]bool)
	for i, link := range c.Links {
		for p := range link.Root.Properties() {
			key := strings.ToUpper(p.Key)
			if !seen[key] && (i == 0 || !slices.Contains(own, key)) {
				seen[key] = true
				list = append(list, Value{p, i})
			}
		}
	}
	return list
}

// Nodes returns the nodes with a name directly below the root of the nearest file that has such nodes, ignoring case,
// and the index of the file in Chain.Links.
func (c Chain) Nodes(name string) (nodes []*text.Node, link int) {
	for i, l := range c.Links {
		for n := range l.Root.Children() {
			if strings.EqualFold(n.Name, name) {
				nodes = append(nodes, n)
			}
		}
		if nodes != nil {
			return nodes, i
		}
	}
	return nil, 0
}
