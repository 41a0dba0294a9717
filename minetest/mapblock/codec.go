package mapblock

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/trace"
)

// A codec walks through a block, field by field. The same functions serve reading, writing and tracing: with a Reader
// the codec fills the fields; without one it collects their bytes and does not modify the fields, because other
// goroutines may read them at the same time.
type codec struct {
	r     *bin.Reader
	own   bin.Reader // the target of r, unless r is a part of another Reader
	data  []byte     // the data of r, from its first byte
	space string     // of r

	w     []byte   // when writing
	steps []string // when writing: the path
	level int      // when writing: the level to compress everything at, or keepLevel

	err     error // the first error, other than those of r
	tracer  trace.Tracer
	meaning func(id uint16) string // names an id, for tracers; may be nil
	ids     *idSet                 // collects the values of Param0; may be nil
	stopped bool                   // the positions of the following sections are unknown
	work    int                    // bytes that were inflated
	grown   int                    // by how many bytes these exceed their streams
}

// codecs holds used reading codecs for reuse.
var codecs = sync.Pool{New: func() any { return new(codec) }}

// newReader returns a codec that reads data. The caller may return it to the pool with free.
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

// failed reports whether reading or writing has stopped with an error.
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
		c.err = &fault.Error{Path: strings.Join(append(c.steps, name), "."), Offset: -1, Want: want, Got: got, Err: fault.ErrFormat}
	}
}

// left returns the bytes that have not been read yet.
func (c *codec) left() []byte { return c.data[c.r.Offset():] }

// enter and leave maintain the path for errors and tracers. Paths have no indexes when writing.
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

func (c *codec) leavePath() {
	if c.writing() {
		c.steps = c.steps[:len(c.steps)-1]
	} else {
		c.r.Leave()
	}
}

// means describes the last field that was read, for tracers. In hot paths, check for a tracer first: args allocates
// memory even without one.
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

// count16 reads or writes the number of elements of a list; n is that number when writing. A number that was read is
// not verified: see elements.
func (c *codec) count16(name string, n int) int {
	if !c.writing() {
		return int(c.r.U16(name))
	}
	c.length16(name, n)
	return n
}

// length16 writes a length that must fit into 16 bits.
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

// string16 reads or writes a string preceded by its length in bytes as a 16-bit number.
func (c *codec) string16(name string, p *string) {
	if c.writing() {
		c.length16(name, len(*p))
		c.w = append(c.w, *p...)
	} else {
		*p = c.r.String16(name)
	}
}

// string32 reads or writes a string preceded by its length in bytes as a 32-bit number.
func (c *codec) string32(name string, p *string) {
	if c.writing() {
		c.length32(name, len(*p))
		c.w = append(c.w, *p...)
	} else {
		*p = c.r.String32(name)
	}
}

// bytes16 is string16 for a byte slice. Bytes that were read are copied.
func (c *codec) bytes16(name string, p *[]byte) {
	if c.writing() {
		c.length16(name, len(*p))
		c.w = append(c.w, *p...)
		return
	}
	c.raw(name, p, c.r.Count16(name+"_size", 1))
}

// raw reads or writes n bytes unchanged. Bytes that were read are copied, because the buffer may be reused.
func (c *codec) raw(name string, p *[]byte, n int) {
	if c.writing() {
		c.w = append(c.w, *p...)
	} else if *p = nil; n > 0 {
		*p = slices.Clone(c.r.Bytes(name, n))
	}
}

// rest reads or writes all remaining bytes.
func (c *codec) rest(name string, p *[]byte) {
	if c.writing() {
		c.w = append(c.w, *p...)
	} else if !c.failed() {
		c.raw(name, p, c.r.Len())
	}
}

// expect fails unless ok is set: the byte that was just read or is about to be written has a value that the format
// allows.
func (c *codec) expect(name string, got uint8, want string, ok bool) {
	switch {
	case ok || c.failed():
	case c.writing():
		c.fail(name, want, fmt.Sprint(got))
	default:
		c.r.FailAt(c.r.Offset()-1, name, fault.ErrFormat, want, fmt.Sprint(got))
	}
}

// traceBody reports the fields of the next n bytes, which have a separate layout, and skips them. Bytes that do not
// match this layout become one field.
func (c *codec) traceBody(name string, n int, layout func(*codec)) {
	end := c.r.Offset() + int64(n)
	sub := &codec{r: c.r.Sub(name, n), data: c.data[:end], tracer: c.tracer}
	sub.r.Enter(name)
	if layout(sub); sub.failed() {
		sub.giveUp("is invalid for its type")
	}
	sub.r.Flush()
}

// giveUp reports all remaining bytes as one field and clears the preceding error.
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

// elements reads n elements, or writes the existing ones. It stops at the first unreadable element. If an element
// takes at least size bytes, it allocates no more memory than the remaining bytes can fill.
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
		c.leavePath()
	}
}
