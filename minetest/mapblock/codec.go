package mapblock

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/bin"
	"trowel.example/trace"
)

// A codec goes through a block, field by field. The same functions describe
// the block for reading, for writing and for tracing: with a Reader the codec
// fills the fields, without one it collects their bytes, and leaves the fields
// alone: others may read them at the same time.
type codec struct {
	r     *bin.Reader
	own   bin.Reader // what r points at, unless it is a part of another
	data  []byte     // what r reads, from its first byte on
	space string     // of r

	w     []byte   // when writing
	steps []string // when writing: the path
	level int      // when writing: the level to compress everything at, or keepLevel

	err     error // the first error, other than those of r
	tracer  trace.Tracer
	meaning func(id uint16) string // what an id stands for, for tracers; may be nil
	ids     *idSet                 // where to note the values of Param0; may be nil
	stopped bool                   // nobody can tell where the following sections are
	work    int                    // bytes that were inflated
	grown   int                    // by how many bytes these are more than their streams
}

// codecs have been used for reading, and may be again.
var codecs = sync.Pool{New: func() any { return new(codec) }}

// newReader returns a codec that reads data. It may be given back with free.
func newReader(data []byte, space string) *codec {
	c := codecs.Get().(*codec)
	c.r, c.data, c.space = &c.own, data, space
	c.r.Reset(data, bin.BigEndian)
	if space != "" {
		c.r.InSpace(space)
	}
	return c
}

func (c *codec) free() {
	c.own.Reset(nil, bin.BigEndian)
	*c = codec{own: c.own}
	codecs.Put(c)
}

func (c *codec) trace(t trace.Tracer, meaning func(uint16) string) *codec {
	c.tracer, c.meaning = t, meaning
	c.r.Trace(t)
	return c
}

func (c *codec) writing() bool { return c.r == nil }

// failed reports whether reading or writing has come to its end.
func (c *codec) failed() bool { return c.fault() != nil }

// fault returns the first error.
func (c *codec) fault() error {
	if c.err != nil || c.writing() {
		return c.err
	}
	return c.r.Err()
}

// fail records that a value cannot be written.
func (c *codec) fail(name, want, got string) {
	if c.err == nil {
		c.err = &fault.Error{Path: strings.Join(append(c.steps, name), "."), Offset: -1, Want: want, Got: got, Err: fault.ErrLimit}
	}
}

// left returns the bytes that have not been read yet.
func (c *codec) left() []byte { return c.data[c.r.Offset():] }

// enter and leave keep the path, for errors and tracers. That of what is
// written has no indexes.
func (c *codec) enter(name string, i int) {
	if c.writing() {
		c.steps = append(c.steps, name)
	} else {
		c.r.EnterIndex(name, i)
	}
}

func (c *codec) enterName(name string) {
	if c.writing() {
		c.steps = append(c.steps, name)
	} else {
		c.r.Enter(name)
	}
}

func (c *codec) leave() {
	if c.writing() {
		c.steps = c.steps[:len(c.steps)-1]
	} else {
		c.r.Leave()
	}
}

// means explains the field that was read last. Where many blocks go through, look
// for a tracer first: what is in args takes memory even if there is none.
func (c *codec) means(format string, args ...any) {
	if c.tracer != nil && !c.failed() {
		c.r.MeansText(fmt.Sprintf(format, args...))
	}
}

func (c *codec) u8(name string, p *uint8) {
	if c.writing() {
		c.w = append(c.w, *p)
	} else {
		*p = c.r.U8(name)
	}
}

func (c *codec) u16(name string, p *uint16) {
	if c.writing() {
		c.w = append(c.w, byte(*p>>8), byte(*p))
	} else {
		*p = c.r.U16(name)
	}
}

func (c *codec) u32(name string, p *uint32) {
	if c.writing() {
		c.w = append(c.w, byte(*p>>24), byte(*p>>16), byte(*p>>8), byte(*p))
	} else {
		*p = c.r.U32(name)
	}
}

func (c *codec) i16(name string, p *int16) {
	if c.writing() {
		v := uint16(*p)
		c.u16(name, &v)
	} else {
		*p = c.r.Int16(name)
	}
}

func (c *codec) i32(name string, p *int32) {
	if c.writing() {
		v := uint32(*p)
		c.u32(name, &v)
	} else {
		*p = c.r.Int32(name)
	}
}

// count16 is the number of elements of a list, n when writing. When reading
// nobody vouches for it: see elements.
func (c *codec) count16(name string, n int) int {
	if !c.writing() {
		return int(c.r.U16(name))
	}
	c.length16(name, n)
	return n
}

// length16 writes a number of things that must fit into 16 bits.
func (c *codec) length16(name string, n int) {
	if n > math.MaxUint16 {
		c.fail(name, "at most 65535", fmt.Sprint(n))
	}
	v := uint16(n)
	c.u16(name, &v)
}

// length32 is length16 for 32 bits.
func (c *codec) length32(name string, n int) {
	if int64(n) > math.MaxUint32 {
		c.fail(name, "at most 4294967295", fmt.Sprint(n))
	}
	v := uint32(n)
	c.u32(name, &v)
}

// string16 is a string after a 16-bit number of its bytes.
func (c *codec) string16(name string, p *string) {
	if c.writing() {
		c.length16(name, len(*p))
		c.w = append(c.w, *p...)
	} else {
		*p = c.r.String16(name)
	}
}

// string32 is a string after a 32-bit number of its bytes.
func (c *codec) string32(name string, p *string) {
	if c.writing() {
		c.length32(name, len(*p))
		c.w = append(c.w, *p...)
	} else {
		*p = c.r.String32(name)
	}
}

// bytes16 is string16 for bytes, which are copied.
func (c *codec) bytes16(name string, p *[]byte) {
	if c.writing() {
		c.length16(name, len(*p))
		c.w = append(c.w, *p...)
		return
	}
	c.raw(name, p, c.r.Count16(name+"_size", 1))
}

// raw is n bytes as they are. They are copied: what is read may be used again.
func (c *codec) raw(name string, p *[]byte, n int) {
	if c.writing() {
		c.w = append(c.w, *p...)
	} else if *p = nil; n > 0 {
		*p = slices.Clone(c.r.Bytes(name, n))
	}
}

// rest is all that is left.
func (c *codec) rest(name string, p *[]byte) {
	if c.writing() {
		c.w = append(c.w, *p...)
	} else if !c.failed() {
		c.raw(name, p, c.r.Len())
	}
}

// expect fails unless a byte that was just read or will be written has one of
// the values that the format knows.
func (c *codec) expect(name string, got uint8, want string, ok bool) {
	switch {
	case ok || c.failed():
	case c.writing():
		c.fail(name, want, fmt.Sprint(got))
	default:
		c.r.FailAt(c.r.Offset()-1, name, fault.ErrFormat, want, fmt.Sprint(got))
	}
}

// traceBody reports the fields of the next n bytes, which have a form of their
// own, and skips them. What does not have that form is one field.
func (c *codec) traceBody(name string, n int, layout func(*codec)) {
	end := c.r.Offset() + int64(n)
	sub := &codec{r: c.r.Sub(name, n), data: c.data[:end], tracer: c.tracer}
	sub.r.Enter(name)
	if layout(sub); sub.failed() {
		sub.giveUp("does not have the form of its type")
	}
	sub.r.Flush()
}

// giveUp makes one field of all that is left, and forgets the error that
// came before it.
func (c *codec) giveUp(meaning string) {
	c.r.Flush()
	at, path := c.r.Offset(), c.r.Path("unreadable")
	c.own, c.err = *bin.NewReader(c.data[at:], bin.BigEndian).At(at), nil
	c.r = &c.own
	c.r.InSpace(c.space)
	c.r.Trace(func(f trace.Field) {
		f.Path, f.Meaning = path, meaning
		c.tracer(f)
	})
	if c.tracer == nil {
		c.r.Trace(nil)
	}
	if c.r.Len() > 0 {
		c.r.Span("", c.r.Len())
	}
}

// elements reads n elements, or writes those that are there. It stops where
// one cannot be read. No more memory is taken than what is left can fill, if
// an element takes size bytes or more.
func elements[T any](c *codec, name string, n, size int, list *[]T, each func(*T)) {
	if !c.writing() {
		if n == 0 || c.failed() {
			return
		}
		*list = make([]T, 0, min(n, c.r.Len()/size+1))
	}
	for i := range n {
		if c.failed() {
			return
		}
		c.enter(name, i)
		if c.writing() {
			each(&(*list)[i])
		} else {
			var none T
			*list = append(*list, none)
			if each(&(*list)[i]); c.failed() {
				*list = (*list)[:i]
			}
		}
		c.leave()
	}
}
