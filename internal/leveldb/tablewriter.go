package leveldb

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"

	"github.com/klauspost/compress/snappy"
)

const (
	blockSize       = 4 << 10 // of records, before compression
	restartInterval = 16
)

// A blockBuilder makes a block of records that come in order.
type blockBuilder struct {
	buf      []byte
	restarts []uint32
	last     []byte
	n        int // records since the last restart
}

func (b *blockBuilder) add(key, value []byte) {
	shared := 0
	if len(b.restarts) == 0 || b.n == restartInterval {
		b.restarts = append(b.restarts, uint32(len(b.buf)))
		b.n = 0
	} else {
		for shared < min(len(key), len(b.last)) && key[shared] == b.last[shared] {
			shared++
		}
	}
	b.n++
	b.buf = binary.AppendUvarint(b.buf, uint64(shared))
	b.buf = binary.AppendUvarint(b.buf, uint64(len(key)-shared))
	b.buf = binary.AppendUvarint(b.buf, uint64(len(value)))
	b.buf = append(append(b.buf, key[shared:]...), value...)
	b.last = append(b.last[:0], key...)
}

// finish returns the block, which is there until the next record is added, and empties the
// builder.
func (b *blockBuilder) finish() []byte {
	if len(b.restarts) == 0 {
		b.restarts = append(b.restarts, 0)
	}
	for _, r := range b.restarts {
		b.buf = binary.LittleEndian.AppendUint32(b.buf, r)
	}
	b.buf = binary.LittleEndian.AppendUint32(b.buf, uint32(len(b.restarts)))
	data := b.buf
	*b = blockBuilder{buf: b.buf[:0], restarts: b.restarts[:0], last: b.last[:0]}
	return data
}

// A tableWriter writes a sorted table.
type tableWriter struct {
	w     *bufio.Writer
	f     *os.File // what w writes to, if it is a file
	off   uint64
	data  blockBuilder
	index blockBuilder
	small []byte // a block that was compressed
	meta  tableMeta
	err   error
}

// writeSize is how much of a table is written at once.
const writeSize = 256 << 10

func newTableWriter(w io.Writer) *tableWriter {
	return &tableWriter{w: bufio.NewWriterSize(w, writeSize)}
}

// createTable begins the file of a table.
func createTable(path string, number uint64) (*tableWriter, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	t := newTableWriter(f)
	t.f, t.meta.number = f, number
	return t, nil
}

// add adds a record; the internal keys must ascend.
func (t *tableWriter) add(key, value []byte) {
	if t.meta.smallest == nil {
		t.meta.smallest = append([]byte(nil), key...)
	}
	t.meta.largest = append(t.meta.largest[:0], key...)
	t.data.add(key, value)
	if len(t.data.buf) >= blockSize {
		t.flush()
	}
}

// flush writes the block of data. Its last key stands in the index: every key of
// the next block is behind it.
func (t *tableWriter) flush() {
	if len(t.data.buf) == 0 {
		return
	}
	t.index.add(t.meta.largest, t.write(t.data.finish()))
}

// write writes a block and returns its handle.
func (t *tableWriter) write(data []byte) []byte {
	kind := byte(blockPlain)
	t.small = snappy.Encode(t.small[:cap(t.small)], data)
	if len(t.small) < len(data)-len(data)/8 {
		data, kind = t.small, blockSnappy
	}
	handle := binary.AppendUvarint(binary.AppendUvarint(nil, t.off), uint64(len(data)))
	trailer := binary.LittleEndian.AppendUint32([]byte{kind}, maskedCRC(data, []byte{kind}))
	t.put(data)
	t.put(trailer)
	return handle
}

func (t *tableWriter) put(b []byte) {
	if t.err == nil {
		_, t.err = t.w.Write(b)
	}
	t.off += uint64(len(b))
}

// finish ends the table.
func (t *tableWriter) finish() (tableMeta, error) {
	t.flush()
	footer := t.write(new(blockBuilder).finish())
	footer = append(footer, t.write(t.index.finish())...)
	footer = append(footer, make([]byte, footerSize-8-len(footer))...)
	t.put(binary.LittleEndian.AppendUint64(footer, tableMagic))
	t.meta.size = t.off
	if t.err == nil {
		t.err = t.w.Flush()
	}
	return t.meta, t.err
}
