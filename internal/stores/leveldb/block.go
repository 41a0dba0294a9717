package leveldb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/klauspost/compress/snappy"

	"trowel.example/fault"
	"trowel.example/internal/bytes/zframe"
	"trowel.example/internal/text/words"
)

// Compression types of the blocks of a table.
const (
	blockPlain  = 0
	blockSnappy = 1
	blockZstd   = 2
)

const (
	blockTrailerSize = 5 // compression, checksum

	// maxContent is the maximum decompressed size of a block in bytes. A block has a few KiB, or a single record; the
	// records of maps are smaller than this.
	maxContent = 256 << 20
)

// inflate returns the content of a block that is stored with its trailer.
func inflate(stored []byte, file string, offset int64) ([]byte, error) {
	n := len(stored) - blockTrailerSize
	data, kind := stored[:n], stored[n]
	if want, got := binary.LittleEndian.Uint32(stored[n+1:]), maskedCRC(stored[:n+1]); want != got {
		return nil, damaged(file, "block.checksum", offset+int64(n)+1, fmt.Sprintf("%08x", want), fmt.Sprintf("%08x", got))
	}
	return decompress(data, kind, file, offset)
}

// decompress returns the content of a block without its trailer.
func decompress(data []byte, kind byte, file string, offset int64) (content []byte, err error) {
	n := len(data)
	switch kind {
	case blockPlain:
		return data, nil
	case blockSnappy:
		content, err = unsnappy(data)
	case blockZstd:
		var used int
		if content, used, err = zframe.Decode(nil, data, maxContent); err == nil && used < n {
			err = fmt.Errorf("%s after the zstd frame", words.Count(n-used, "byte"))
		}
	default:
		return nil, damaged(file, "block.compression", offset+int64(n), "0, 1 or 2", fmt.Sprint(kind))
	}
	if err != nil {
		return nil, &fault.Error{File: file, Path: "block", Offset: offset, Want: "a compressed stream", Got: err.Error(), Err: fault.ErrFormat}
	}
	return content, nil
}

// unsnappy decompresses a snappy stream. Before it allocates the stated size, it checks this size against the sum of
// the elements.
func unsnappy(data []byte) ([]byte, error) {
	stated, head := binary.Uvarint(data)
	if head <= 0 {
		return nil, errors.New("not a snappy stream")
	}
	size := uint64(0)
	for rest := data[head:]; len(rest) > 0; {
		tag := rest[0]
		n, skip := uint64(tag>>2)+1, 1
		switch tag & 3 {
		case 0: // literal bytes; a long count is stored in up to 4 bytes
			if more := int(tag>>2) - 59; more > 0 {
				var long [8]byte
				skip += copy(long[:more], rest[1:])
				n = binary.LittleEndian.Uint64(long[:]) + 1
			}
			skip += int(min(n, uint64(len(rest))))
		case 1:
			n, skip = uint64(tag>>2&7)+4, 2
		case 2:
			skip = 3
		case 3:
			skip = 5
		}
		size += n
		rest = rest[min(skip, len(rest)):]
	}
	if size != stated || size > maxContent {
		return nil, fmt.Errorf("a snappy stream of %d bytes that states %d bytes; at most %d are possible", size, stated, maxContent)
	}
	return snappy.Decode(nil, data)
}

// A block is a run of sorted records. Each key omits the prefix that it shares with the previous key, except at
// restarts.
type block struct {
	data     []byte // the records
	restarts []byte // their offsets, 4 bytes each
	file     string
	offset   int64 // of the block in the file
}

func parseBlock(data []byte, file string, offset int64) (*block, error) {
	if len(data) < 4 {
		return nil, damaged(file, "block", offset, "4 bytes or more", fmt.Sprint(len(data)))
	}
	n := uint64(binary.LittleEndian.Uint32(data[len(data)-4:]))
	if n > uint64(len(data)-4)/4 {
		return nil, damaged(file, "block.num_restarts", offset, fmt.Sprintf("at most %d", (len(data)-4)/4), fmt.Sprint(n))
	}
	end := len(data) - 4 - 4*int(n)
	return &block{data[:end:end], data[end : len(data)-4], file, offset}, nil
}

// blockIter iterates over the records of a block. Keys are internal keys: a key without a tag is reported as damage.
type blockIter struct {
	b    *block
	off  int
	k, v []byte
	err  error
}

// next moves to the next record, and reports whether there is one.
func (it *blockIter) next() bool {
	rest := it.b.data[it.off:]
	if len(rest) == 0 || it.err != nil {
		return false
	}
	var head [3]uint64 // length of the shared prefix, of the rest of the key, and of the value
	for i := range head {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			return it.fail("an integer", "none")
		}
		head[i], rest = v, rest[n:]
	}
	shared, fresh, size := head[0], head[1], head[2]
	if left := uint64(len(rest)); shared > uint64(len(it.k)) || fresh > left || size > left-fresh || shared+fresh < tagSize {
		return it.fail("a record inside the block", fmt.Sprintf("a record that shares %s, with %d and %d",
			words.Count(shared, "byte"), fresh, size))
	}
	// Allocate each key, so that callers may keep it.
	key := make([]byte, 0, shared+fresh)
	it.k = append(append(key, it.k[:shared]...), rest[:fresh]...)
	it.v = rest[fresh : fresh+size : fresh+size]
	it.off = len(it.b.data) - len(rest) + int(fresh+size)
	return true
}

func (it *blockIter) fail(want, got string) bool {
	it.err = damaged(it.b.file, fmt.Sprintf("block.records at %d", it.off), it.b.offset, want, got)
	return false
}

// seek moves to the first record whose key is not before target, and reports whether there is one.
func (it *blockIter) seek(target []byte) bool {
	restart := func(i int) int {
		return int(min(uint64(binary.LittleEndian.Uint32(it.b.restarts[4*i:])), uint64(len(it.b.data))))
	}
	// The last restart before target.
	i := sort.Search(len(it.b.restarts)/4, func(i int) bool {
		at := blockIter{b: it.b, off: restart(i)}
		return !at.next() || compareKeys(at.k, target) >= 0
	})
	*it = blockIter{b: it.b}
	if i > 0 {
		it.off = restart(i - 1)
	}
	for it.next() {
		if compareKeys(it.k, target) >= 0 {
			return true
		}
	}
	return false
}
