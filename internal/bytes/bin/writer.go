package bin

import (
	"encoding/binary"
	"math"
)

// byteOrder is a byte order of package binary.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func (o Order) bytes() byteOrder {
	if o == BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// Writer appends fields to a byte slice. The zero value is an empty little-endian Writer.
type Writer struct {
	buf   []byte
	order Order
}

// NewWriter returns an empty Writer with room for size bytes.
func NewWriter(order Order, size int) *Writer {
	return &Writer{buf: make([]byte, 0, size), order: order}
}

// Data returns the written bytes.
func (w *Writer) Data() []byte { return w.buf }

// U8 writes a byte.
func (w *Writer) U8(v uint8) { w.buf = append(w.buf, v) }

// U16 writes a 16-bit integer.
func (w *Writer) U16(v uint16) { w.buf = w.order.bytes().AppendUint16(w.buf, v) }

// U32 writes an unsigned 32-bit integer.
func (w *Writer) U32(v uint32) { w.buf = w.order.bytes().AppendUint32(w.buf, v) }

// Int32 writes a signed 32-bit integer.
func (w *Writer) Int32(v int32) { w.U32(uint32(v)) }

// Int32s writes a sequence of signed 32-bit integers.
func (w *Writer) Int32s(v []int32) {
	for _, n := range v {
		w.U32(uint32(n))
	}
}

// U64 writes an unsigned 64-bit integer.
func (w *Writer) U64(v uint64) { w.buf = w.order.bytes().AppendUint64(w.buf, v) }

// F32 writes an IEEE 754 single.
func (w *Writer) F32(v float32) { w.U32(math.Float32bits(v)) }

// Bytes writes b unchanged.
func (w *Writer) Bytes(b []byte) { w.buf = append(w.buf, b...) }

// PutU32 overwrites the previously written 32-bit integer at offset at, for sizes that are known only later.
func (w *Writer) PutU32(at int, v uint32) { w.order.bytes().PutUint32(w.buf[at:], v) }
