package leveldb

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"

	"github.com/klauspost/compress/s2"
)

const (
	blockSize       = 4 << 10 // size of records before compression
	restartInterval = 16
)

// A blockBuilder builds a block from records in order.
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

// finish returns the block, which is valid until the next record is added, and resets the builder.
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

// A tableBlock is a data block as stored in a table.
type tableBlock struct {
	data              []byte // with its trailer
	smallest, largest []byte // its first key and its last
}

// A packer makes stored blocks.
type packer struct {
	block    blockBuilder
	smallest []byte
	small    []byte // a block that was compressed
	plain    bool   // nothing is compressed
}

// add adds a record; the internal keys must be ascending. It reports whether the block is full.
func (p *packer) add(key, value []byte) bool {
	if len(p.block.buf) == 0 {
		p.smallest = append([]byte(nil), key...)
	}
	p.block.add(key, value)
	return len(p.block.buf) >= blockSize
}

// finish appends the block to b.
func (p *packer) finish(b []byte) tableBlock {
	largest := append([]byte(nil), p.block.last...)
	return tableBlock{p.store(b, p.block.finish()), p.smallest, largest}
}

// store appends a block with its trailer to b, compressed if that saves at least an eighth.
func (p *packer) store(b, block []byte) []byte {
	kind := byte(blockPlain)
	if !p.plain {
		p.small = s2.EncodeSnappy(p.small[:cap(p.small)], block)
		if len(p.small) < len(block)-len(block)/8 {
			block, kind = p.small, blockSnappy
		}
	}
	start := len(b)
	b = append(append(b, block...), kind)
	return binary.LittleEndian.AppendUint32(b, maskedCRC(b[start:]))
}

// A tableWriter writes a sorted table.
type tableWriter struct {
	w     *bufio.Writer
	f     *os.File // what w writes to, if it is a file
	off   uint64
	data  packer
	index blockBuilder
	buf   []byte
	meta  tableMeta
	err   error
}

// writeSize is the number of bytes of a table that are written at once.
const writeSize = 256 << 10

func newTableWriter(w io.Writer) *tableWriter {
	return &tableWriter{w: bufio.NewWriterSize(w, writeSize)}
}

// createTable creates the file of a table.
func createTable(path string, number uint64) (*tableWriter, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	t := newTableWriter(f)
	t.f, t.meta.number = f, number
	return t, nil
}

// add adds a record; the internal keys must be ascending.
func (t *tableWriter) add(key, value []byte) {
	if t.data.add(key, value) {
		t.flush()
	}
}

// flush writes the block of data, if there is one.
func (t *tableWriter) flush() {
	if len(t.data.block.buf) > 0 {
		block := t.data.finish(t.buf[:0])
		t.buf = block.data
		t.addBlock(block)
	}
}

// addBlock adds a block of data. The index contains its last key: all keys of the next block are after it.
func (t *tableWriter) addBlock(b tableBlock) {
	if t.meta.smallest == nil {
		t.meta.smallest = b.smallest
	}
	t.meta.largest = b.largest
	t.index.add(b.largest, t.put(b.data))
}

// put writes a block, and returns its handle.
func (t *tableWriter) put(stored []byte) []byte {
	handle := binary.AppendUvarint(binary.AppendUvarint(nil, t.off), uint64(len(stored)-blockTrailerSize))
	t.write(stored)
	return handle
}

func (t *tableWriter) write(b []byte) {
	if t.err == nil {
		_, t.err = t.w.Write(b)
	}
	t.off += uint64(len(b))
}

// finish ends the table.
func (t *tableWriter) finish() (tableMeta, error) {
	t.flush()
	footer := t.put(t.data.store(nil, new(blockBuilder).finish()))
	footer = append(footer, t.put(t.data.store(nil, t.index.finish()))...)
	footer = append(footer, make([]byte, footerSize-8-len(footer))...)
	t.write(binary.LittleEndian.AppendUint64(footer, tableMagic))
	t.meta.size = t.off
	if t.err == nil {
		t.err = t.w.Flush()
	}
	return t.meta, t.err
}
