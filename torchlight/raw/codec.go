package raw

import (
	"fmt"
	"math"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
)

// codec walks the fields of a table for reading and for writing, so that each table is described in one place. If w is
// nil, it reads from r. Otherwise it writes to w, and r, which has no data, keeps the path and the error.
type codec struct {
	r *bin.Reader
	w *bin.Writer

	see func(*string) // if it is not nil, it receives each string, and none is read or written
}

func (c *codec) fail(name, want, got string) {
	c.r.FailAt(-1, name, fault.ErrFormat, want, got)
}

// text is a string preceded by its number of UTF-16 units in 16 bits.
func (c *codec) text(name string, s *string) {
	if c.see != nil {
		c.see(s)
		return
	}
	if c.w == nil {
		*s = c.r.Wide16(name)
		return
	}
	if n := bin.UTF16Len(*s); n > math.MaxUint16 {
		c.fail(name, "at most 65535 UTF-16 units", fmt.Sprint(n))
		return
	}
	c.w.Wide16(*s)
}

func (c *codec) u8(name string, v *uint8) {
	if c.w == nil {
		*v = c.r.U8(name)
	} else {
		c.w.U8(*v)
	}
}

func (c *codec) i32(name string, v *int32) {
	if c.w == nil {
		*v = c.r.Int32(name)
	} else {
		c.w.Int32(*v)
	}
}

func (c *codec) guid(name string, v *GUID) {
	if c.w == nil {
		*v = GUID(c.r.Int64(name))
	} else {
		c.w.U64(uint64(*v))
	}
}

// width is the number of bytes of a count.
type width int

// count is the number of elements of a list, each of which takes at least least bytes.
func (c *codec) count(name string, w width, least, n int) int {
	if c.w == nil {
		switch w {
		case 1:
			return c.count8(name, least)
		case 2:
			return c.r.Count16(name, least)
		}
		return c.r.Count32(name, least)
	}
	if most := uint64(1)<<(8*w) - 1; uint64(n) > most {
		c.fail(name, fmt.Sprintf("at most %d", most), fmt.Sprint(n))
		return n
	}
	switch w {
	case 1:
		c.w.U8(uint8(n))
	case 2:
		c.w.U16(uint16(n))
	default:
		c.w.U32(uint32(n))
	}
	return n
}

// count8 reads a count of one byte and compares it with the remaining number of bytes.
func (c *codec) count8(name string, least int) int {
	at := c.r.Offset()
	n := int(c.r.U8(name))
	if most := c.r.Len() / least; n > most {
		c.r.FailAt(at, name, fault.ErrShort, fmt.Sprintf("at most %d, which fit into the rest of the data", most), fmt.Sprint(n))
		return 0
	}
	return n
}

// list is a count followed by its elements.
func list[T any](c *codec, name string, w width, least int, items *[]T, each func(*codec, *T)) {
	n := c.count("num_"+name, w, least, len(*items))
	if c.w == nil && n > 0 {
		*items = make([]T, n)
	}
	c.each(name, len(*items), func(i int) { each(c, &(*items)[i]) })
}

// each walks elements without a count.
func (c *codec) each(name string, n int, do func(i int)) {
	for i := 0; i < n && c.r.Err() == nil; i++ {
		c.r.EnterIndex(name, i)
		do(i)
		c.r.Leave()
	}
}

// names is a list of strings with a count of one byte.
func (c *codec) names(name string, texts *[]string) {
	list(c, name, 1, 2, texts, func(c *codec, s *string) { c.text("", s) })
}
