// Package manifest records the state of a world in a few bytes per block: its position and a hash of its data. A
// manifest can replace an old copy of the world to find the blocks that have changed since. 90 million blocks take
// 900 MB, which can be read from the start or from any position.
//
//	"trowelmf"  8 bytes
//	version     1 byte: 1
//	pages       of up to 4096 blocks, in the order of their keys (z, then y, then x)
//	index       for each page, as unsigned integers of variable length: its number of blocks, its
//	            size, and the difference between its first key and the first key of the previous
//	            page (for the first page: the lowest possible key)
//	footer      offset of the index, number of pages and number of blocks, 8 bytes each, little
//	            endian; the first 8 bytes of the SHA-256 of all bytes before them; "trowelmf"
//
// A page contains for each block the difference between its key and the previous key (for the first block: 0) as an
// unsigned integer of variable length, and the first 8 bytes of the SHA-256 of its data, which are not 0.
package manifest

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/mapdb"
)

// Hash is the hash of the data of a block.
type Hash uint64

// HashOf returns the hash of the data of a block. It is never 0.
func HashOf(data []byte) Hash { return HashOfSum(sha256.Sum256(data)) }

// HashOfSum returns the hash of a block, given the SHA-256 of its data.
func HashOfSum(sum [sha256.Size]byte) Hash { return max(1, Hash(binary.LittleEndian.Uint64(sum[:]))) }

func (h Hash) String() string { return fmt.Sprintf("%016x", uint64(h)) }

// Entry is a block in a manifest.
type Entry struct {
	Pos  mapdb.Pos
	Hash Hash
}

const (
	magic   = "trowelmf"
	version = 1

	headerSize = int64(len(magic)) + 1
	footerSize = 3*8 + 8 + int64(len(magic))
	pageBlocks = 4096
	maxPage    = pageBlocks * (binary.MaxVarintLen64 + 8)
)

// lowest is the lowest key of a block.
var lowest = mapdb.All().Min.Key()

// page is the index entry of a page.
type page struct {
	first  int64 // key
	offset int64
	size   int
	blocks int
}

// Writer writes a manifest.
type Writer struct {
	w      *bufio.Writer
	sum    hash.Hash
	err    error
	offset int64

	last  int64 // key of the last block
	buf   []byte
	pages []page
	count int64
}

// NewWriter starts a manifest.
func NewWriter(w io.Writer) *Writer {
	m := &Writer{sum: sha256.New()}
	m.w = bufio.NewWriterSize(io.MultiWriter(w, m.sum), 1<<16)
	m.write(append([]byte(magic), version))
	return m
}

func (w *Writer) write(data []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(data)
	}
	w.offset += int64(len(data))
}

// Add adds a block. Blocks must be added in the order of z, then y, then x.
func (w *Writer) Add(e Entry) error {
	key := e.Pos.Key()
	switch {
	case !e.Pos.Valid():
		return fmt.Errorf("manifest: no block can be at %v", e.Pos)
	case e.Hash == 0:
		return errors.New("manifest: a hash is never 0")
	case w.count > 0 && key <= w.last:
		return fmt.Errorf("manifest: %v follows a block that sorts after it", e.Pos)
	}
	n := len(w.pages)
	if n == 0 || w.pages[n-1].blocks == pageBlocks {
		w.flush()
		w.pages = append(w.pages, page{first: key, offset: w.offset})
		w.last = key
		n++
	}
	w.buf = binary.AppendUvarint(w.buf, uint64(key-w.last))
	w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(e.Hash))
	w.pages[n-1].blocks++
	w.last = key
	w.count++
	return w.err
}

// flush writes the current page.
func (w *Writer) flush() {
	if n := len(w.pages); n > 0 {
		w.pages[n-1].size = len(w.buf)
	}
	w.write(w.buf)
	w.buf = w.buf[:0]
}

// Close completes the manifest. It does not close the underlying writer.
func (w *Writer) Close() error {
	w.flush()
	index := w.offset
	last := lowest
	for _, p := range w.pages {
		b := binary.AppendUvarint(nil, uint64(p.blocks))
		b = binary.AppendUvarint(b, uint64(p.size))
		w.write(binary.AppendUvarint(b, uint64(p.first-last)))
		last = p.first
	}
	var b []byte
	for _, n := range []int64{index, int64(len(w.pages)), w.count} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	w.write(b)
	if w.err == nil {
		w.err = w.w.Flush()
	}
	w.write(w.sum.Sum(nil)[:8])
	w.write([]byte(magic))
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

// Manifest is an open manifest. Its methods are safe for concurrent use.
type Manifest struct {
	r     io.ReaderAt
	size  int64
	index int64
	pages []page
	count int64
}

// HeadSize is the number of bytes that Recognize reads.
const HeadSize = len(magic)

// Recognize reports whether head is the beginning of a manifest.
func Recognize(head []byte) bool {
	return len(head) >= len(magic) && string(head[:len(magic)]) == magic
}

// Open opens a manifest and reads its index. Pages are read on demand; [Manifest.Verify] reads them all.
func Open(r io.ReaderAt, size int64) (*Manifest, error) {
	bad := func(offset int64, expected, found string) error {
		return &fault.Error{Offset: offset, Want: expected, Got: found, Err: fault.ErrFormat}
	}
	short := func(expected string) error {
		return &fault.Error{Offset: size, Want: expected, Got: "the end of the file", Err: fault.ErrShort}
	}
	head := make([]byte, headerSize)
	n, err := r.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if n < len(head) && strings.HasPrefix(magic, string(head[:min(n, len(magic))])) {
		return nil, short("a header of " + fmt.Sprint(headerSize) + " bytes")
	}
	if !Recognize(head) {
		return nil, bad(0, "a manifest, which begins with "+magic, "other bytes")
	}
	if head[len(magic)] != version {
		return nil, bad(headerSize-1, fmt.Sprintf("version %d", version), fmt.Sprint(head[len(magic)]))
	}
	if size < headerSize+footerSize {
		return nil, short("a footer")
	}
	foot := make([]byte, footerSize)
	if _, err := r.ReadAt(foot, size-footerSize); err != nil {
		return nil, err
	}
	if string(foot[32:]) != magic {
		return nil, &fault.Error{Offset: size - int64(len(magic)),
			Want: magic + " at the end: the file is truncated or damaged", Got: "other bytes", Err: fault.ErrShort}
	}
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(foot[8*i:])) }
	m := &Manifest{r: r, size: size, index: number(0), count: number(2)}
	pages := number(1)
	if m.index < headerSize || m.index > size-footerSize || pages < 0 || pages > size-footerSize-m.index {
		return nil, bad(size-footerSize, "an index inside of the file", fmt.Sprintf("one of %s at %d", words.Count(pages, "page"), m.index))
	}
	return m, m.readIndex(pages, bad)
}

func (m *Manifest) readIndex(pages int64, bad func(offset int64, expected, found string) error) error {
	in := bufio.NewReaderSize(io.NewSectionReader(m.r, m.index, m.size-footerSize-m.index), 1<<16)
	at, last, blocks := headerSize, lowest, int64(0)
	for i := range pages {
		var n [3]uint64
		for k := range n {
			var err error
			if n[k], err = binary.ReadUvarint(in); err != nil {
				return bad(m.index, fmt.Sprintf("an index of %s", words.Count(pages, "page")), fmt.Sprintf("%d of them", i))
			}
		}
		if n[0] == 0 || n[0] > pageBlocks || n[1] < 9*n[0] || n[1] > maxPage || n[2] > 1<<37 {
			return bad(m.index, "pages of up to 4096 blocks", fmt.Sprintf("%s in %s", words.Count(n[0], "block"), words.Count(n[1], "byte")))
		}
		p := page{first: last + int64(n[2]), offset: at, size: int(n[1]), blocks: int(n[0])}
		if _, ok := mapdb.PosOfKey(p.first); !ok || i > 0 && p.first <= last {
			return bad(m.index, "pages in the order of their blocks", fmt.Sprintf("key %d after %d", p.first, last))
		}
		at, last, blocks = at+int64(p.size), p.first, blocks+int64(p.blocks)
		m.pages = append(m.pages, p)
	}
	if at != m.index || blocks != m.count {
		return bad(m.index, fmt.Sprintf("pages of %s up to here", words.Count(m.count, "block")), fmt.Sprintf("%d blocks up to %d", blocks, at))
	}
	return nil
}

// Count returns the number of blocks.
func (m *Manifest) Count() int64 { return m.count }

// read reads a page by its number.
func (m *Manifest) read(number int, to []Entry) ([]Entry, error) {
	p := m.pages[number]
	size := mapdb.All().Max.Key() + 1
	if number+1 < len(m.pages) {
		size = m.pages[number+1].first
	}
	data := make([]byte, p.size)
	if _, err := m.r.ReadAt(data, p.offset); err != nil {
		return nil, err
	}
	key, rest := p.first, data
	for i := range p.blocks {
		step, n := binary.Uvarint(rest)
		key += int64(step)
		pos, ok := mapdb.PosOfKey(key)
		if n <= 0 || len(rest) < n+8 || !ok || step > 1<<37 || (step == 0) != (i == 0) || key >= size {
			return nil, &fault.Error{Offset: p.offset + int64(p.size-len(rest)), Want: "the next block of the page",
				Got: "invalid bytes", Err: fault.ErrFormat}
		}
		e := Entry{pos, Hash(binary.LittleEndian.Uint64(rest[n:]))}
		if e.Hash == 0 {
			return nil, &fault.Error{Offset: p.offset + int64(p.size-len(rest)+n), Want: "a hash, which is never 0", Got: "0", Err: fault.ErrFormat}
		}
		to = append(to, e)
		rest = rest[n+8:]
	}
	if len(rest) > 0 {
		return nil, &fault.Error{Offset: p.offset + int64(p.size-len(rest)), Want: "the end of the page", Got: "more bytes", Err: fault.ErrFormat}
	}
	return to, nil
}

// From yields the blocks from a position on, in the order of keys. An error ends the loop.
func (m *Manifest) From(ctx context.Context, first mapdb.Pos) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		i, found := slices.BinarySearchFunc(m.pages, first.Key(), func(p page, key int64) int { return int(max(-1, min(1, p.first-key))) })
		if !found && i > 0 {
			i-- // it may be inside the previous page
		}
		var entries []Entry
		for ; i < len(m.pages); i++ {
			err := ctx.Err()
			if err == nil {
				entries, err = m.read(i, entries[:0])
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range entries {
				if e.Pos.Key() >= first.Key() && !yield(e, nil) {
					return
				}
			}
		}
	}
}

// In yields the blocks of an area, as [Manifest.From] does. It reads all blocks between the first and the last one.
func (m *Manifest) In(ctx context.Context, a mapdb.Area) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for e, err := range m.From(ctx, a.Min) {
			if err == nil && e.Pos.Key() > a.Max.Key() {
				return
			}
			if (err != nil || a.Contains(e.Pos)) && !yield(e, err) {
				return
			}
		}
	}
}

// All yields all blocks, as [Manifest.From] does.
func (m *Manifest) All(ctx context.Context) iter.Seq2[Entry, error] {
	return m.From(ctx, mapdb.All().Min)
}

// Verify reads the whole file and returns an error if it has changed since it was written.
func (m *Manifest) Verify(ctx context.Context) error {
	for _, err := range m.All(ctx) {
		if err != nil {
			return err
		}
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(m.r, 0, m.size-footerSize+24)); err != nil {
		return err
	}
	var want [8]byte
	if _, err := m.r.ReadAt(want[:], m.size-footerSize+24); err != nil {
		return err
	}
	if [8]byte(sum.Sum(nil)) != want {
		return &fault.Error{Offset: m.size - footerSize + 24, Want: "the hash of the preceding bytes",
			Got: "another hash: the file is damaged", Err: fault.ErrFormat}
	}
	return nil
}

// Difference is a block that differs between two manifests. A hash of 0 means that the block is missing.
type Difference struct {
	Pos      mapdb.Pos
	Old, New Hash
}

// Compare yields the blocks of an area that differ, in the order of keys. An error ends the loop.
func Compare(ctx context.Context, old, new *Manifest, area mapdb.Area) iter.Seq2[Difference, error] {
	return func(yield func(Difference, error) bool) {
		a, stopA := iter.Pull2(old.In(ctx, area))
		defer stopA()
		b, stopB := iter.Pull2(new.In(ctx, area))
		defer stopB()
		x, errX, moreX := a()
		y, errY, moreY := b()
		for moreX || moreY {
			if err := errors.Join(errX, errY); err != nil {
				yield(Difference{}, err)
				return
			}
			d := Difference{}
			takeX := moreX && (!moreY || x.Pos.Key() <= y.Pos.Key())
			takeY := moreY && (!moreX || y.Pos.Key() <= x.Pos.Key())
			if takeX {
				d.Pos, d.Old = x.Pos, x.Hash
				x, errX, moreX = a()
			}
			if takeY {
				d.Pos, d.New = y.Pos, y.Hash
				y, errY, moreY = b()
			}
			if d.Old != d.New && !yield(d, nil) {
				return
			}
		}
	}
}
