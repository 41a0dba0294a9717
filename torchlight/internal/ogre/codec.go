package ogre

import (
	"fmt"
	"math"
)

// A chunk is described once, by a function that walks its fields. With the four forms of a codec that function reads
// and writes files and their texts.
type codec struct{ form }

// form is one of [decoder], [encoder], [printer] and [parser]. The names of fields are those of dumps; in a text they
// precede the values, except for names that begin with an underscore.
type form interface {
	reads() bool
	ok() bool // there is no error yet
	fail(name, want, got string)

	// next returns the ID of the next chunk, or 0 if the next chunk is unknown.
	next() uint16
	// open begins a chunk. The excess is its declared length minus the length of its content.
	open(k kind, index int, excess *int64)
	close()
	// more reports whether an optional field follows: whether the declared length of the chunk exceeds size, or the text
	// continues with the name. The forms that write report present.
	more(size int64, name string, present bool) bool
	// uncounted excludes the last n bytes from the length of the chunk.
	uncounted(n int)

	unsigned(name string, bits int, v *uint32)
	float(name string, v *float32)
	text(name string, s *string)
	choice(name string, v *uint16, names map[uint16]string) // a number that the text shows as a word
	row()                                                   // begins a line of the text
	indices(count, bits int, v *[]uint32)
	vertices(count, stride int, columns []column, data *[]byte)
	rest(v *[]byte) // all bytes up to the end of the file, which may be none
}

// kind is a kind of chunks.
type kind struct {
	id   uint16
	name string // the keyword in the text
	// slack is the number of bytes by which the declared length may exceed the file. Writers of the game declare wrong
	// lengths for some kinds; a longer chunk of another kind is cut off.
	slack int64
}

// anyLength is the slack of a kind whose declared length means nothing.
const anyLength = math.MaxInt64 / 2

const (
	headerID  = 0x1000 // the first two bytes of a file
	chunkHead = 6      // bytes of the ID and the length of a chunk
)

func (c *codec) u8(name string, v *uint8) {
	n := uint32(*v)
	c.unsigned(name, 8, &n)
	*v = uint8(n)
}

func (c *codec) u16(name string, v *uint16) {
	n := uint32(*v)
	c.unsigned(name, 16, &n)
	*v = uint16(n)
}

func (c *codec) u32(name string, v *uint32) { c.unsigned(name, 32, v) }

// boolean is a byte that is 0 or 1.
func (c *codec) boolean(name string, v *bool) {
	n := uint32(0)
	if *v {
		n = 1
	}
	if c.unsigned(name, 8, &n); n > 1 {
		c.fail(name, "0 or 1", fmt.Sprint(n))
	}
	*v = n == 1
}

// floats are numbers with one name.
func (c *codec) floats(name string, v []float32) {
	for i := range v {
		c.float(name, &v[i])
		name = "_"
	}
}

// scale is an optional field at the end of a chunk of size bytes.
func (c *codec) scale(size int64, v **[3]float32) {
	if !c.more(size, "scale", *v != nil) {
		return
	}
	if c.reads() {
		*v = new([3]float32)
	}
	c.floats("scale", (*v)[:])
}

// part is one kind of the chunks in a chunk.
type part struct {
	kind kind
	read func() // reads one chunk
	all  func() // writes all chunks
}

// list is a part with any number of chunks.
func list[T any](k kind, items *[]T, walk func(index int, item *T)) part {
	return part{k, func() {
		*items = append(*items, *new(T))
		walk(len(*items)-1, &(*items)[len(*items)-1])
	}, func() {
		for i := range *items {
			walk(i, &(*items)[i])
		}
	}}
}

// optional is a part with at most one chunk.
func optional[T any](c *codec, k kind, item **T, walk func(item *T)) part {
	return part{k, func() {
		if *item != nil {
			c.fail(k.name, "only one chunk of this kind", "another one")
			return
		}
		*item = new(T)
		walk(*item)
	}, func() {
		if *item != nil {
			walk(*item)
		}
	}}
}

// parts walks the chunks in a chunk, which the forms that read accept in any order.
func (c *codec) parts(list ...part) {
	if !c.reads() {
		for _, p := range list {
			p.all()
		}
		return
	}
next:
	for c.ok() {
		id := c.next()
		for _, p := range list {
			if p.kind.id == id {
				p.read()
				continue next
			}
		}
		return
	}
}
