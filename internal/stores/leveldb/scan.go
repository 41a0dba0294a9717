package leveldb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
)

// maxScan is the maximum size of a table that is scanned for its blocks. LevelDB writes tables of a few MiB.
const maxScan = 32 << 20

// A scan is the result of searching a table without a readable index for its blocks.
type scan struct {
	index  *block          // index of the blocks and of the gaps between them
	gaps   map[handle]bool // parts of the table outside all blocks
	broken error           // the reason for the scan, and its result
}

// A piece is a data block found by a scan.
type piece struct {
	from, to    int // including the trailer
	first, last []byte
	records     int
}

// scanTable searches a table for its blocks by checksum. It returns nil if the table cannot be read or is too large.
func scanTable(r io.ReaderAt, size int64, name string, cause error) *scan {
	if size > maxScan {
		return nil
	}
	data := make([]byte, size)
	if n, _ := r.ReadAt(data, 0); n < len(data) {
		return nil
	}
	s := &scan{gaps: map[handle]bool{}}
	var index blockBuilder
	add := func(key []byte, from, to int) {
		h := handle{uint64(from), uint64(to - from - blockTrailerSize)}
		index.add(key, binary.AppendUvarint(binary.AppendUvarint(nil, h.offset), h.size))
	}
	end, records, lost := 0, 0, 0
	gap := func(to int, key []byte) {
		if to-end > blockTrailerSize {
			s.gaps[handle{uint64(end), uint64(to - end - blockTrailerSize)}] = true
			add(key, end, to)
			lost += to - end
		}
		end = to
	}
	var last []byte
	for _, p := range findBlocks(data, name) {
		if last != nil && compareKeys(p.first, last) <= 0 {
			continue // it belongs to another table
		}
		user, _ := splitKey(p.first)
		gap(p.from, internalKey(user, maxSequence<<8|0xff))
		add(p.last, p.from, p.to)
		end, last = p.to, p.last
		records += p.records
	}
	gap(len(data), internalKey(bytes.Repeat([]byte{0xff}, 64), 0))
	s.index, _ = parseBlock(slices.Clone(index.finish()), name, 0)
	s.broken = &fault.Error{File: name, Path: "index", Offset: -1, Want: "the index of the table",
		Got: fmt.Sprintf("damage; %s in intact blocks, %s in damaged blocks (%v)", words.Count(records, "record"), words.Count(lost, "byte"),
			fault.InFile(cause, "")), Err: fault.ErrFormat}
	return s
}

// findBlocks returns the data blocks in a table that have a correct checksum, at any offset, in order.
//
// A checksum is the remainder of a polynomial. The remainders of all bytes before a block and of all bytes up to its
// end, each divided by x once for every preceding bit, differ by a value that depends only on the checksum. So each
// possible end determines its start, and the running time does not depend on the length of the blocks.
func findBlocks(data []byte, name string) (found []piece) {
	var starts []uint64 // the remainder at each possible start, and the offset
	before := prefix{inverse: 1 << 31}
	for at := range data {
		if mayBegin(data[at:]) {
			starts = append(starts, uint64(multiply(before.inverse, ^before.state))<<32|uint64(at))
		}
		before.add(data[at])
	}
	slices.Sort(starts)
	upto := prefix{inverse: 1 << 31}
	for at := 0; at+5 <= len(data); at++ {
		upto.add(data[at])
		if data[at] > blockZstd {
			continue // not a valid type of compression
		}
		end := at + blockTrailerSize
		sum := multiply(upto.inverse, upto.state^^unmask(binary.LittleEndian.Uint32(data[at+1:])))
		i, _ := slices.BinarySearch(starts, uint64(sum)<<32)
		for ; i < len(starts) && uint32(starts[i]>>32) == sum; i++ {
			from := int(uint32(starts[i]))
			if from > at {
				break
			}
			p, ok := readPiece(data[from:end], name, from)
			if !ok {
				continue
			}
			for len(found) > 0 && found[len(found)-1].from >= from {
				found = found[:len(found)-1] // it is inside a value of this block
			}
			if len(found) == 0 || found[len(found)-1].to <= from {
				found = append(found, p)
			}
			break
		}
	}
	return found
}

// A prefix is the remainder of the bytes up to a place, and the factor that divides a remainder by x once for every
// bit before the place.
type prefix struct{ state, inverse uint32 }

func (p *prefix) add(b byte) {
	p.state = castagnoli[byte(p.state)^b] ^ p.state>>8
	p.inverse = divide(p.inverse)
}

// mayBegin reports whether data can be the start of a block, plain or compressed: a record with a complete key.
func mayBegin(data []byte) bool {
	if data[0] == 0 || bytes.HasPrefix(data, []byte("\x28\xb5\x2f\xfd")) {
		return true
	}
	_, n := binary.Uvarint(data[:min(len(data), 5)])
	if n <= 0 || n == len(data) || data[n]&3 != 0 {
		return false
	}
	n += 1 + max(0, int(data[n]>>2)-59)
	return n < len(data) && data[n] == 0
}

// readPiece decodes a data block with its trailer. Index blocks are rejected.
func readPiece(stored []byte, name string, at int) (p piece, ok bool) {
	content, err := inflate(stored, name, int64(at))
	if err != nil {
		return p, false
	}
	b, err := parseBlock(content, name, int64(at))
	if err != nil || len(b.restarts) < 4 || binary.LittleEndian.Uint32(b.restarts) != 0 {
		return p, false
	}
	p = piece{from: at, to: at + len(stored)}
	isIndex, next := true, uint64(0)
	it := &blockIter{b: b}
	for it.next() {
		if _, tag := splitKey(it.k); tag&0xff > kindPut || p.last != nil && compareKeys(p.last, it.k) >= 0 {
			return p, false
		}
		if p.records++; p.records == 1 {
			p.first = it.k
		}
		p.last = it.k
		offset, n := binary.Uvarint(it.v)
		size, m := binary.Uvarint(it.v[max(n, 0):])
		isIndex = isIndex && n > 0 && m > 0 && n+m == len(it.v) && offset == next
		next = offset + size + blockTrailerSize
	}
	return p, it.err == nil && p.records > 0 && !isIndex
}

// unmask reverses [maskedCRC].
func unmask(masked uint32) uint32 {
	rotated := masked - 0xa282ead8
	return rotated>>17 | rotated<<15
}

// In the polynomials of checksums the highest bit is the lowest power.

// multiply returns the product of two remainders.
func multiply(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 != 0 {
			product ^= b
		}
		b = b>>1 ^ castagnoli[128]&-(b&1)
	}
	return product
}

// divide returns a remainder divided by x^8.
func divide(a uint32) uint32 {
	i := highest[a>>24]
	return (a^castagnoli[i])<<8 | uint32(i)
}

// highest maps the highest byte of each entry in the checksum table to the index of the entry.
var highest = func() (of [256]byte) {
	for i, v := range castagnoli {
		of[v>>24] = byte(i)
	}
	return of
}()

// salvage returns a block with the complete records of a damaged block.
func (t *table) salvage(h handle) *block {
	var after, upto []byte
	for it := (&blockIter{b: t.index}); it.next(); after = upto {
		upto = it.k
		if at, err := t.handle(it.v); err == nil && at == h {
			break
		}
	}
	stored := make([]byte, min(h.size, uint64(t.size)-min(h.offset, uint64(t.size)))+blockTrailerSize)
	n, _ := t.r.ReadAt(stored, int64(h.offset))
	stored = stored[:n]
	if len(stored) <= blockTrailerSize {
		return nil
	}
	content := stored[:len(stored)-blockTrailerSize]
	if plain, err := decompress(content, stored[len(content)], t.name, int64(h.offset)); err == nil {
		content = plain
	}
	list := slices.DeleteFunc(t.looseRecords(content), func(r Record) bool {
		return after != nil && compareKeys(r.Key, after) <= 0 || compareKeys(r.Key, upto) > 0
	})
	slices.SortFunc(list, func(a, b Record) int { return compareKeys(a.Key, b.Key) })
	var made blockBuilder
	for _, r := range list {
		made.add(r.Key, r.Value)
	}
	b, _ := parseBlock(made.finish(), t.name, int64(h.offset))
	return b
}

// looseRecords returns, with internal keys, the records in the content of a damaged block whose values are complete.
func (t *table) looseRecords(content []byte) (list []Record) {
	ends := map[int]int{} // end of the record that begins at an offset
	isComplete := func(it *blockIter) bool {
		user, tag := splitKey(it.k)
		return tag&0xff == kindPut && t.valid(user, it.v)
	}
	// chain adds consecutive records until there are no more.
	chain := func(at int) {
		it := blockIter{b: &block{data: content}, off: at}
		for ends[it.off] == 0 && it.next() {
			if isComplete(&it) {
				ends[at] = it.off
				user, tag := splitKey(it.k)
				list = append(list, Record{internalKey(user, tag&^0xff|kindSalvaged), it.v})
			}
			at = it.off
		}
	}
	chain(0)
	for at := 0; at < len(content); at++ {
		it := blockIter{b: &block{data: content}, off: at}
		if ends[at] == 0 && content[at] == 0 && it.next() && isComplete(&it) {
			chain(at)
		}
		if end := ends[at]; end > 0 {
			at = end - 1
		}
	}
	return list
}
