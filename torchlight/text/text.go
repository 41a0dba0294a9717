// Package text reads and writes the text files of Torchlight and its editor GUTS: .DAT, .TEMPLATE, .HIE, .ANIMATION and
// .LAYOUT. Each holds one tree:
//
//	[EFFECT]
//		<STRING>NAME:Fire
//		<FLOAT>DURATION:1.5
//		[LEVEL1]
//			<INTEGER>DAMAGE:10
//		[/LEVEL1]
//	[/EFFECT]
//
// A node has a name and items, each a property or another node. A property has a type, a key and a value, which is
// everything after the first colon. There are no escapes. A line that begins with two slashes is a comment; comments
// are not part of the tree. GUTS writes UTF-16 with a byte order mark, CRLF, and a tab for each level.
//
// Strings are WTF-8: UTF-8 in which an unpaired surrogate takes three bytes, so that every sequence of UTF-16 units has
// exactly one string.
package text

import (
	"iter"
	"strings"
	"trowel.example/torchlight/hash"

	"trowel.example/internal/values/deep"
)

// Type is the type of a property, by its number in compiled files.
type Type uint8

const (
	Integer   Type = 1 // int32
	Float     Type = 2 // float32
	Double    Type = 3 // float64
	Unsigned  Type = 4 // uint32
	String    Type = 5
	Bool      Type = 6
	Integer64 Type = 7 // int64
	Translate Type = 8 // a string to translate
	Note      Type = 9 // a string for the author
)

var typeNames = [...]string{
	Integer: "INTEGER", Float: "FLOAT", Double: "DOUBLE", Unsigned: "UNSIGNED INT", String: "STRING",
	Bool: "BOOL", Integer64: "INTEGER64", Translate: "TRANSLATE", Note: "NOTE",
}

// Known reports whether t is one of the nine types.
func (t Type) Known() bool { return Integer <= t && t <= Note }

// IsString reports whether values of type t are strings.
func (t Type) IsString() bool { return t == String || t == Translate || t == Note }

// String returns the name of the type in tags, for example "UNSIGNED INT", or "" for a type that does not exist.
func (t Type) String() string {
	if !t.Known() {
		return ""
	}
	return typeNames[t]
}

// ParseType returns the type with a name, ignoring case. BOOLEAN, which occurs in sources of Torchlight I, is BOOL.
func ParseType(s string) (Type, bool) {
	for t := Integer; t <= Note; t++ {
		if typeNames[t] == s {
			return t, true
		}
	}
	for t := Integer; t <= Note; t++ {
		if strings.EqualFold(typeNames[t], s) {
			return t, true
		}
	}
	if strings.EqualFold(s, "BOOLEAN") {
		return Bool, true
	}
	return 0, false
}

// Clone returns an independent copy of the tree.
func (n *Node) Clone() *Node { return deep.Clone(n) }

// Item is an item of a node: a *Property or a *Node.
type Item interface{ isItem() }

// Property is a line <TYPE>KEY:VALUE.
type Property struct {
	Type  Type
	Key   string // may be empty and may have spaces, but no colon and no line feed
	Value string // exactly as in the text, with trailing spaces; no line feed
}

// Node is a part [NAME] ... [/NAME] of a text.
type Node struct {
	Name  string // does not begin with a slash; no line feed
	Items []Item // in the order of the text
}

func (*Property) isItem() {}
func (*Node) isItem()     {}

// Add appends a property.
func (n *Node) Add(t Type, key, value string) {
	n.Items = append(n.Items, &Property{t, key, value})
}

// AddNode appends an empty node and returns it.
func (n *Node) AddNode(name string) *Node {
	child := &Node{Name: name}
	n.Items = append(n.Items, child)
	return child
}

// Properties yields the properties of n itself.
func (n *Node) Properties() iter.Seq[*Property] { return items[*Property](n) }

// Children yields the nodes directly below n.
func (n *Node) Children() iter.Seq[*Node] { return items[*Node](n) }

func items[T Item](n *Node) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, it := range n.Items {
			if v, ok := it.(T); ok && !yield(v) {
				return
			}
		}
	}
}

// All yields n and all nodes below it, parents before their children.
func (n *Node) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { n.each(yield) }
}

func (n *Node) each(yield func(*Node) bool) bool {
	if !yield(n) {
		return false
	}
	for c := range n.Children() {
		if !c.each(yield) {
			return false
		}
	}
	return true
}

// Nodes yields the nodes directly below n with a name, which is compared as by [Named].
func (n *Node) Nodes(name string) iter.Seq[*Node] {
	is := Named(name)
	return filtered(n.Children(), func(c *Node) bool { return is(c.Name) })
}

// Keys yields the properties of n with a key, which is compared as by [Named].
func (n *Node) Keys(key string) iter.Seq[*Property] {
	is := Named(key)
	return filtered(n.Properties(), func(p *Property) bool { return is(p.Key) })
}

func filtered[T Item](list iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range list {
			if keep(v) && !yield(v) {
				return
			}
		}
	}
}

// Int64 returns the value of the first property with a key as a number, or 0.
func (n *Node) Int64(key string) int64 {
	value, _ := n.Get(key)
	v, _ := ParseInt64(value)
	return v
}

// Named returns a function that reports whether a key or node has a name that a user gives. Names are compared by their
// hash, as the game does: ignoring case, and also if the text has an escape for a hash without a known name.
func Named(name string) func(key string) bool {
	h := hash.Meant(name)
	return func(key string) bool { return strings.EqualFold(key, name) || hash.Of(key) == h }
}

// Property returns the first property with a key, which is compared as by [Named], or nil.
func (n *Node) Property(key string) *Property {
	is := Named(key)
	for p := range n.Properties() {
		if is(p.Key) {
			return p
		}
	}
	return nil
}

// Get returns the value of the first property with a key, which is compared as by [Named].
func (n *Node) Get(key string) (string, bool) {
	if p := n.Property(key); p != nil {
		return p.Value, true
	}
	return "", false
}

// Child returns the first node directly below n with a name, which is compared as by [Named], or nil.
func (n *Node) Child(name string) *Node {
	is := Named(name)
	for c := range n.Children() {
		if is(c.Name) {
			return c
		}
	}
	return nil
}

// Equal reports whether two trees have equal contents in the same order.
func Equal(a, b *Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Name != b.Name || len(a.Items) != len(b.Items) {
		return false
	}
	for i := range a.Items {
		switch x := a.Items[i].(type) {
		case *Property:
			if y, ok := b.Items[i].(*Property); !ok || *x != *y {
				return false
			}
		case *Node:
			if y, ok := b.Items[i].(*Node); !ok || !Equal(x, y) {
				return false
			}
		}
	}
	return true
}

// FitsKey reports whether a string can be the key of a property.
func FitsKey(s string) bool {
	return strings.IndexByte(s, ':') < 0 && strings.IndexByte(s, '\n') < 0
}

// fitsValue reports whether a string round-trips as the value of a property.
func fitsValue(s string) bool { return strings.IndexByte(s, '\n') < 0 }

// ending returns the end of the line of a value: a value that ends in a carriage return needs another one before the line feed.
func ending(value, end string) string {
	if strings.HasSuffix(value, "\r") {
		return "\r\n"
	}
	return end
}

// FitsName reports whether a string can be the name of a node.
func FitsName(s string) bool { return !strings.HasPrefix(s, "/") && !strings.Contains(s, "\n") }
