package ogre

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
)

// opened is a chunk that is being read or written.
type opened struct {
	kind      kind
	start     int64
	declared  int64
	uncounted int64
	excess    *int64
}

// decoder reads a file.
type decoder struct {
	*bin.Reader
	data  []byte
	known map[uint16]string
	stack []opened
}

func newDecoder(data []byte) *decoder {
	return &decoder{Reader: bin.NewReader(data, bin.LittleEndian), data: data}
}

func (d *decoder) reads() bool                 { return true }
func (d *decoder) ok() bool                    { return d.Err() == nil }
func (d *decoder) fail(name, want, got string) { d.Fail(name, fault.ErrFormat, want, got) }
func (d *decoder) row()                        {}

func (d *decoder) next() uint16 {
	if rest := d.data[d.Offset():]; d.ok() && len(rest) >= 2 {
		if id := binary.LittleEndian.Uint16(rest); d.known[id] != "" {
			return id
		}
	}
	return 0
}

func (d *decoder) open(k kind, index int, excess *int64) {
	if index >= 0 {
		d.EnterIndex(k.name, index)
	} else {
		d.Enter(k.name)
	}
	o := opened{kind: k, start: d.Offset(), excess: excess}
	if id := d.U16("id"); d.ok() && id != k.id {
		d.FailAt(o.start, "id", fault.ErrFormat, fmt.Sprintf("a chunk %s, %#04x", k.name, k.id), fmt.Sprintf("%#04x", id))
	}
	o.declared = int64(d.U32("length"))
	left := int64(len(d.data)) - o.start
	switch {
	case !d.ok():
	case o.declared < chunkHead:
		d.FailAt(o.start+2, "length", fault.ErrFormat, fmt.Sprintf("at least %d", chunkHead), fmt.Sprint(o.declared))
	case o.declared-left > k.slack:
		d.FailAt(o.start+2, "length", fault.ErrShort, fmt.Sprintf("at most %d bytes, which follow", left), fmt.Sprint(o.declared))
	}
	d.stack = append(d.stack, o)
}

func (d *decoder) close() {
	o := d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
	*o.excess = o.declared - (d.Offset() - o.start - o.uncounted)
	d.Leave()
}

func (d *decoder) more(size int64, _ string, _ bool) bool {
	return d.ok() && d.stack[len(d.stack)-1].declared > size
}

func (d *decoder) uncounted(n int) { d.stack[len(d.stack)-1].uncounted += int64(n) }

func (d *decoder) unsigned(name string, bits int, v *uint32) {
	switch name = field(name); bits {
	case 8:
		*v = uint32(d.U8(name))
	case 16:
		*v = uint32(d.U16(name))
	default:
		*v = d.U32(name)
	}
}

// field returns the name of a field without the underscore that hides it in the text.
func field(name string) string {
	if name[0] == '_' {
		return name[1:]
	}
	return name
}

func (d *decoder) choice(name string, v *uint16, names map[uint16]string) {
	*v = d.U16(field(name))
	d.MeansText(names[*v])
}

func (d *decoder) float(name string, v *float32) { *v = d.F32(field(name)) }

// text is a string that ends in a line feed, before which a carriage return is no part of it.
func (d *decoder) text(name string, s *string) {
	if !d.ok() {
		return
	}
	name = field(name)
	n := bytes.IndexByte(d.data[d.Offset():], '\n')
	if n < 0 {
		d.Fail(name, fault.ErrShort, "a string that ends in a line feed", fmt.Sprintf("%d bytes without one", d.Len()))
		return
	}
	*s = string(bytes.TrimSuffix(d.Bytes(name, n+1)[:n], []byte("\r")))
	d.MeansText(*s)
}

// array returns the next count elements of size bytes.
func (d *decoder) array(name string, count, size int) []byte {
	if n := int64(count) * int64(size); d.ok() && n > int64(d.Len()) {
		d.Fail(name, fault.ErrShort, fmt.Sprintf("%d × %d bytes", count, size), fmt.Sprintf("%d bytes before the end of the data", d.Len()))
	}
	if !d.ok() {
		return nil
	}
	return d.Bytes(name, count*size)
}

func (d *decoder) indices(count, bits int, v *[]uint32) {
	data := d.array("indices", count, bits/8)
	*v = make([]uint32, len(data)/(bits/8))
	for i := range *v {
		if bits == 16 {
			(*v)[i] = uint32(binary.LittleEndian.Uint16(data[2*i:]))
		} else {
			(*v)[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
	}
}

func (d *decoder) vertices(count, stride int, _ []column, data *[]byte) {
	*data = d.array("vertices", count, stride)
}

func (d *decoder) rest(v *[]byte) {
	if d.ok() && d.Len() > 0 {
		*v = d.Bytes("rest", d.Len())
	}
}

// encoder writes a file.
type encoder struct {
	*bin.Writer
	err   *fault.Error
	stack []opened
}

func newEncoder(size int) *encoder { return &encoder{Writer: bin.NewWriter(bin.LittleEndian, size)} }

func (e *encoder) reads() bool  { return false }
func (e *encoder) ok() bool     { return e.err == nil }
func (e *encoder) next() uint16 { return 0 }
func (e *encoder) row()         {}

func (e *encoder) fail(name, want, got string) {
	if e.err == nil {
		path := ""
		for _, o := range e.stack {
			path += o.kind.name + "."
		}
		e.err = &fault.Error{Path: path + field(name), Offset: -1, Want: want, Got: got, Err: fault.ErrFormat}
	}
}

func (e *encoder) open(k kind, _ int, excess *int64) {
	e.stack = append(e.stack, opened{kind: k, start: int64(len(e.Data())), excess: excess})
	e.U16(k.id)
	e.U32(0)
}

func (e *encoder) close() {
	o := e.stack[len(e.stack)-1]
	length := int64(len(e.Data())) - o.start - o.uncounted + *o.excess
	if length < chunkHead || length > math.MaxUint32 {
		e.fail("length", fmt.Sprintf("%d to %d", chunkHead, uint32(math.MaxUint32)), fmt.Sprint(length))
	}
	if o.declared != 0 && (length > o.declared) != (o.declared < int64(len(e.Data()))-o.start-o.uncounted) {
		e.fail("length", "a length that shows whether there is a scale", fmt.Sprint(length))
	}
	e.PutU32(int(o.start)+2, uint32(length))
	e.stack = e.stack[:len(e.stack)-1]
}

func (e *encoder) more(size int64, _ string, present bool) bool {
	e.stack[len(e.stack)-1].declared = size
	return present
}

func (e *encoder) uncounted(n int) { e.stack[len(e.stack)-1].uncounted += int64(n) }

func (e *encoder) unsigned(_ string, bits int, v *uint32) {
	switch bits {
	case 8:
		e.U8(uint8(*v))
	case 16:
		e.U16(uint16(*v))
	default:
		e.U32(*v)
	}
}

func (e *encoder) choice(_ string, v *uint16, _ map[uint16]string) { e.U16(*v) }

func (e *encoder) float(_ string, v *float32) { e.F32(*v) }

func (e *encoder) text(name string, s *string) {
	if bytes.ContainsRune([]byte(*s), '\n') || len(*s) > 0 && (*s)[len(*s)-1] == '\r' {
		e.fail(name, "a name of one line", fmt.Sprintf("%q", *s))
	}
	e.Bytes([]byte(*s))
	e.U8('\n')
}

func (e *encoder) indices(_, bits int, v *[]uint32) {
	for _, i := range *v {
		if bits == 32 {
			e.U32(i)
			continue
		}
		if i > math.MaxUint16 {
			e.fail("indices", "at most 65535 in 16 bits", fmt.Sprint(i))
		}
		e.U16(uint16(i))
	}
}

func (e *encoder) vertices(count, stride int, _ []column, data *[]byte) {
	if int64(count)*int64(stride) != int64(len(*data)) {
		e.fail("vertices", fmt.Sprintf("%d × %d bytes", count, stride), fmt.Sprint(len(*data)))
	}
	e.Bytes(*data)
}

func (e *encoder) rest(v *[]byte) { e.Bytes(*v) }
