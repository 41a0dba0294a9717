package bin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/trace"
)

// step is one level of the path of a field.
type step struct {
	name  string
	index int // -1 for a step without an index
}

// Reader reads fields from a byte slice. Use [NewReader] to create one; the zero value has no bytes to read.
type Reader struct {
	buf     []byte
	off     int
	base    int64 // offset of buf[0] in the space
	space   string
	order   Order
	err     *fault.Error
	steps   []step
	tracer  trace.Tracer
	pending trace.Field // the last field, not reported yet so that Means can explain it
	held    bool
}

// NewReader returns a Reader at the start of data.
func NewReader(data []byte, order Order) *Reader {
	return &Reader{buf: data, order: order}
}

// Reset makes r equal to the result of [NewReader], but reuses its memory.
func (r *Reader) Reset(data []byte, order Order) {
	*r = Reader{buf: data, order: order, steps: r.steps[:0]}
}

// Trace makes the Reader report each field that it reads to t; nil turns this off. The caller must call Flush after
// the last read.
func (r *Reader) Trace(t trace.Tracer) { r.tracer = t }

// At sets the offset of the first byte of r in the file.
func (r *Reader) At(base int64) *Reader {
	r.base = base
	return r
}

// InSpace states that the bytes of r are not in the file itself but were inflated from the field with the path space.
func (r *Reader) InSpace(space string) *Reader {
	r.space = space
	r.steps = append(r.steps[:0], step{space, -1})
	return r
}

// Tracing reports whether a tracer is set.
func (r *Reader) Tracing() bool { return r.tracer != nil }

// Flush passes the last field to the tracer.
func (r *Reader) Flush() {
	if r.held {
		r.held = false
		r.tracer(r.pending)
	}
}

// Means explains the last read field. Without a tracer it does not evaluate the text.
func (r *Reader) Means(meaning fmt.Stringer) {
	if r.held {
		r.pending.Meaning = meaning.String()
	}
}

// MeansText is Means for plain text.
func (r *Reader) MeansText(meaning string) {
	if r.held {
		r.pending.Meaning = meaning
	}
}

// Enter opens a level of the path: fields read before the matching Leave are inside it.
func (r *Reader) Enter(name string) { r.steps = append(r.steps, step{name, -1}) }

// EnterIndex opens element i of name.
func (r *Reader) EnterIndex(name string, i int) { r.steps = append(r.steps, step{name, i}) }

// Leave closes the last opened level.
func (r *Reader) Leave() { r.steps = r.steps[:len(r.steps)-1] }

// Path returns the path of a field called name at the current level; "" means the level itself.
func (r *Reader) Path(name string) string {
	if len(r.steps) == 0 {
		return name
	}
	var b []byte
	for _, s := range r.steps {
		if len(b) > 0 {
			b = append(b, '.')
		}
		b = append(b, s.name...)
		if s.index >= 0 {
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(s.index), 10)
			b = append(b, ']')
		}
	}
	if name != "" {
		if len(b) > 0 {
			b = append(b, '.')
		}
		b = append(b, name...)
	}
	return string(b)
}

// Err returns the first error, or nil.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Offset returns the offset of the cursor in the file.
func (r *Reader) Offset() int64 { return r.base + int64(r.off) }

// Len returns the number of unread bytes.
func (r *Reader) Len() int { return len(r.buf) - r.off }

// Sub returns a Reader for the next n bytes, with the same place, path and tracer, and skips the bytes. The new Reader
// has a separate error.
func (r *Reader) Sub(name string, n int) *Reader {
	r.Flush()
	at := r.Offset()
	return &Reader{buf: r.take(name, n), base: at, space: r.space, order: r.order,
		steps: r.steps[:len(r.steps):len(r.steps)], tracer: r.tracer}
}

// SeekTo moves the cursor to the given offset in the file.
func (r *Reader) SeekTo(offset int64) {
	if r.err != nil {
		return
	}
	if offset < r.base || offset > r.base+int64(len(r.buf)) {
		r.Fail("offset", fault.ErrFormat, fmt.Sprintf("an offset of at most %d", r.base+int64(len(r.buf))), strconv.FormatInt(offset, 10))
		return
	}
	r.off = int(offset - r.base)
}

// Fail records an error about the field called name at the cursor. It does nothing if there is an error already.
func (r *Reader) Fail(name string, err error, want, got string) {
	r.FailAt(r.Offset(), name, err, want, got)
}

// FailAt is Fail for a field that starts at offset.
func (r *Reader) FailAt(offset int64, name string, err error, want, got string) {
	if r.err == nil {
		r.err = &fault.Error{Path: r.Path(name), Offset: offset, Want: want, Got: got, Err: err}
	}
}

// take returns the next n bytes and skips them. On error it returns nil.
func (r *Reader) take(name string, n int) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > len(r.buf)-r.off {
		r.Fail(name, fault.ErrShort, words.Count(n, "byte"), fmt.Sprintf("%d before the end of the data", len(r.buf)-r.off))
		return nil
	}
	b := r.buf[r.off : r.off+n : r.off+n]
	r.off += n
	return b
}

// note records a field of n bytes that ends at the cursor, for the tracer.
func (r *Reader) note(name string, n int, value any) {
	r.Flush()
	r.pending = trace.Field{Space: r.space, Path: r.Path(name), Offset: r.Offset() - int64(n), Len: int64(n), Value: value,
		Bytes: r.buf[r.off-n : r.off]}
	r.held = true
}

func (r *Reader) u16(b []byte) uint16 {
	if r.order == BigEndian {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

func (r *Reader) u32(b []byte) uint32 {
	if r.order == BigEndian {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func (r *Reader) u64(b []byte) uint64 {
	if r.order == BigEndian {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

// bits32 reads the bits of a number of 1, 2 or 4 bytes.
func (r *Reader) bits32(name string, size int) uint32 {
	b := r.take(name, size)
	switch len(b) {
	case 1:
		return uint32(b[0])
	case 2:
		return uint32(r.u16(b))
	case 4:
		return r.u32(b)
	}
	return 0
}

// bits64 reads the bits of a number of 8 bytes.
func (r *Reader) bits64(name string) uint64 {
	b := r.take(name, 8)
	if b == nil {
		return 0
	}
	return r.u64(b)
}

// noted records a number that was read, for the tracer, and returns it.
func noted[T any](r *Reader, name string, size int, v T) T {
	if r.tracer != nil && r.err == nil {
		r.note(name, size, v)
	}
	return v
}

// U8 reads an unsigned byte.
func (r *Reader) U8(name string) uint8 { return noted(r, name, 1, uint8(r.bits32(name, 1))) }

// U16 reads an unsigned 16-bit integer.
func (r *Reader) U16(name string) uint16 { return noted(r, name, 2, uint16(r.bits32(name, 2))) }

// Int16 reads a signed 16-bit integer.
func (r *Reader) Int16(name string) int16 { return noted(r, name, 2, int16(r.bits32(name, 2))) }

// U32 reads an unsigned 32-bit integer.
func (r *Reader) U32(name string) uint32 { return noted(r, name, 4, r.bits32(name, 4)) }

// Int32 reads a signed 32-bit integer.
func (r *Reader) Int32(name string) int32 { return noted(r, name, 4, int32(r.bits32(name, 4))) }

// U64 reads an unsigned 64-bit integer.
func (r *Reader) U64(name string) uint64 { return noted(r, name, 8, r.bits64(name)) }

// Int64 reads a signed 64-bit integer.
func (r *Reader) Int64(name string) int64 { return noted(r, name, 8, int64(r.bits64(name))) }

// F32 reads an IEEE 754 single.
func (r *Reader) F32(name string) float32 {
	return noted(r, name, 4, math.Float32frombits(r.bits32(name, 4)))
}

// Bytes returns the next n bytes without copying them.
func (r *Reader) Bytes(name string, n int) []byte {
	b := r.take(name, n)
	if b != nil && r.tracer != nil {
		r.note(name, n, b)
	}
	return b
}

// Span skips n bytes. A tracer receives their place and length only.
func (r *Reader) Span(name string, n int) {
	if b := r.take(name, n); b != nil && r.tracer != nil {
		r.note(name, n, nil)
	}
}

// Int32s reads n signed 32-bit integers. It checks that enough bytes follow before it allocates the slice.
func (r *Reader) Int32s(name string, n int) []int32 {
	if n > math.MaxInt/4 {
		n = math.MaxInt / 4
	}
	b := r.take(name, 4*n)
	if b == nil {
		return nil
	}
	v := make([]int32, n)
	for i := range v {
		v[i] = int32(r.u32(b[4*i:]))
	}
	if r.tracer != nil {
		r.note(name, 4*n, v)
	}
	return v
}

// Count reads a signed 32-bit number of elements of at least size bytes each. It fails if the remaining bytes are too
// few for that many.
func (r *Reader) Count(name string, size int) int {
	at := r.Offset()
	n := int64(r.Int32(name))
	return r.checkCount(at, name, n, size)
}

// Count16 is Count for an unsigned 16-bit number.
func (r *Reader) Count16(name string, size int) int {
	at := r.Offset()
	n := int64(r.U16(name))
	return r.checkCount(at, name, n, size)
}

// Count32 is Count for an unsigned 32-bit number.
func (r *Reader) Count32(name string, size int) int {
	at := r.Offset()
	n := int64(r.U32(name))
	return r.checkCount(at, name, n, size)
}

func (r *Reader) checkCount(at int64, name string, n int64, size int) int {
	if r.err != nil {
		return 0
	}
	if n < 0 {
		r.FailAt(at, name, fault.ErrFormat, "a count of 0 or more", strconv.FormatInt(n, 10))
		return 0
	}
	if most := int64(r.Len() / max(size, 1)); n > most {
		r.FailAt(at, name, fault.ErrShort, fmt.Sprintf("at most %d, which fit into the rest of the data", most), strconv.FormatInt(n, 10))
		return 0
	}
	return int(n)
}

// CString reads bytes up to a NUL, and skips the NUL.
func (r *Reader) CString(name string) string {
	if r.err != nil {
		return ""
	}
	n := bytes.IndexByte(r.buf[r.off:], 0)
	if n < 0 {
		r.Fail(name, fault.ErrShort, "a string that ends in NUL", fmt.Sprintf("%s without NUL", words.Count(r.Len(), "byte")))
		return ""
	}
	s := string(r.buf[r.off : r.off+n])
	r.off += n + 1
	if r.tracer != nil {
		r.note(name, n+1, s)
	}
	return s
}

// String16 reads an unsigned 16-bit length in bytes, and a string of this length.
func (r *Reader) String16(name string) string { return r.counted(name, 2, narrow) }

// String32 reads an unsigned 32-bit length in bytes, and a string of this length.
func (r *Reader) String32(name string) string { return r.counted(name, 4, narrow) }

// unit is the unit that strings consist of.
type unit struct {
	size int64
	what string
	text func(b []byte, order Order) string
}

var (
	narrow = unit{1, "bytes", func(b []byte, _ Order) string { return string(b) }}
	wide   = unit{2, "UTF-16 units", decodeUTF16}
)

// counted reads a string after the number of its units, which is width bytes long.
func (r *Reader) counted(name string, width int, u unit) string {
	head := r.take(name, width)
	if head == nil {
		return ""
	}
	n := int64(0)
	if width == 2 {
		n = int64(r.u16(head))
	} else {
		n = int64(r.u32(head))
	}
	if n*u.size > int64(r.Len()) {
		r.FailAt(r.Offset()-int64(width), name, fault.ErrShort, fmt.Sprintf("a string of %d %s", n, u.what),
			fmt.Sprintf("%s before the end of the data", words.Count(r.Len(), "byte")))
		return ""
	}
	size := int(n * u.size)
	s := u.text(r.take(name, size), r.order)
	if r.tracer != nil {
		r.note(name, width+size, s)
	}
	return s
}
