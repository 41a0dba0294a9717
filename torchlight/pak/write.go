package pak

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

// Write writes an archive of files to target, starting at its first byte. It returns the manifest, with hash and hint
// set, and the size of the archive. If Write fails, target holds a part of the archive.
//
// If k is nil, the archive is ordered as the editor orders it: directories and files are sorted by name. Otherwise it
// is ordered like the archive that k was taken from; new files come after the others.
//
// Write requests the contents in the order of the archive, a few at the same time, and compresses them on all cores.
// The number of contents in memory is at most twice the number of cores plus two.
func Write(ctx context.Context, target Target, files []NewFile, k *Residue) (man *Manifest, size int64, err error) {
	if k == nil {
		k = new(Residue)
	}
	p, err := newPlan(files, k)
	if err != nil {
		return nil, 0, err
	}
	if err := p.check(ctx, k); err != nil {
		return nil, 0, err
	}
	w := &writer{target: target, out: bufio.NewWriterSize(io.NewOffsetWriter(target, headerSize), 1<<18),
		pos: headerSize, residue: k, intact: p.intact}
	blocks := p.blocks()
	if err := ordered(ctx, len(blocks), func(i int) (*block, error) { return w.make(blocks[i]) }, func(i int, b *block) error {
		return w.put(blocks[i], b)
	}); err != nil {
		return nil, 0, err
	}
	if err := w.finish(p.removed); err != nil {
		return nil, 0, err
	}
	man, err = w.manifest(p)
	return man, w.pos, err
}

// check determines in advance whether the archive of the residue will be reproduced exactly. This is necessary only if
// files have no block of their own in it.
func (p *plan) check(ctx context.Context, k *Residue) error {
	if !p.intact {
		return nil
	}
	var borrowed bool
	var files []*entry
	for i := range p.sections {
		for _, e := range p.sections[i].entries {
			if e.was != nil && (e.was.Kind == ResidueFile || e.was.Kind == ResidueLost) {
				borrowed = borrowed || e.was.borrows()
			}
			if e.file != nil && e.was != nil && e.was.Kind == ResidueFile {
				files = append(files, e)
			}
		}
	}
	if !borrowed {
		return nil
	}
	return ordered(ctx, len(files), func(i int) (bool, error) { return files[i].borrow(k) }, func(_ int, same bool) error {
		p.intact = p.intact && same
		return nil
	})
}

// borrow fills in the record of a file as if it had no block of its own, and reports whether the file is unchanged
// since the residue was taken.
func (e *entry) borrow(k *Residue) (same bool, err error) {
	if e.file.Source != nil {
		e.rec = *e.file.Source.Record
		e.rec.Offset = 0
		return e.copied(k), nil
	}
	content, err := e.content()
	e.rec.CRC32, e.rec.Size, e.rec.Time = crc32.ChecksumIEEE(content), uint32(len(content)), e.was.Time
	same = e.same(k, e.rec.CRC32)
	if same && e.was.Odd != nil {
		e.was.Odd.apply(&e.rec)
	}
	return same, err
}

// content returns the content of the entry's file.
func (e *entry) content() ([]byte, error) {
	if e.file.Content == nil {
		return nil, fmt.Errorf("pak: %s: a file without content", e.file.Path)
	}
	content, err := e.file.Content()
	if err == nil && int64(len(content)) > math.MaxUint32 {
		err = &fault.Error{Path: e.file.Path, Offset: -1, Want: "a file smaller than 4 GiB",
			Got: words.Count(len(content), "byte"), Err: fault.ErrFormat}
	}
	return content, err
}

// same reports whether the CRC-32 of a content is the one in the residue.
func (e *entry) same(k *Residue, sum uint32) bool {
	return e.was != nil && e.was.Kind == ResidueFile && k.bare == nil && e.was.Sum == sum
}

// copied reports whether an entry is exactly the file of the archive that the residue was taken from.
func (e *entry) copied(k *Residue) bool {
	src := e.file.Source
	return e.was != nil && k.bare != nil && src.r == k.bare && src.Path == e.file.Path
}

// A block is the data to write for an entry.
type block struct {
	data []byte // header and stream
	crc  uint32
	size uint32
	same bool // the content is the one that the residue was taken from
}

type writer struct {
	target  Target
	out     *bufio.Writer
	pos     int64
	largest uint32
	residue *Residue
	intact  bool
}

// make creates the block of an entry and sets the fields of its record that depend on the block.
func (w *writer) make(e *entry) (*block, error) {
	if e.file == nil {
		return w.makeLost(e)
	}
	if src := e.file.Source; src != nil {
		data, err := src.Block()
		if err != nil {
			return nil, err
		}
		name := e.rec.Name
		e.rec = *src.Record
		if e.rec.Name = name; e.file.Type != nil {
			e.rec.Type = *e.file.Type
		}
		return &block{data: data, crc: src.Record.CRC32, size: src.Record.Size, same: e.copied(w.residue)}, nil
	}
	content, err := e.content()
	if err != nil {
		return nil, err
	}
	b := &block{crc: crc32.ChecksumIEEE(content), size: uint32(len(content))}
	e.rec.Time = e.file.Time
	odd := new(OddRecord)
	if e.was != nil && e.was.Odd != nil {
		odd = e.was.Odd
	}
	if b.same = e.same(w.residue, b.crc); !b.same {
		odd = &OddRecord{Type: odd.Type}
	} else {
		e.rec.Time = e.was.Time
	}
	e.rec.CRC32, e.rec.Size = b.crc, b.size
	odd.apply(&e.rec)
	if e.file.Type != nil {
		e.rec.Type = *e.file.Type
	}
	b.data, err = compress(content, e.rec.Type, odd)
	return b, err
}

// makeLost returns the block that the residue keeps for a lost file.
func (w *writer) makeLost(e *entry) (*block, error) {
	b := &block{same: true}
	var err error
	switch {
	case e.was.source != nil:
		b.data, err = e.was.source.Block()
	case e.was.Odd != nil:
		b.data = e.was.Odd.Block
	}
	if err == nil && len(b.data) < blockHeaderSize {
		err = fmt.Errorf("pak: %s: the residue lacks the block of this file, which only the residue contains", e.rec.Name)
	}
	return b, err
}

// compress creates the block of a content.
func compress(content []byte, t Type, odd *OddRecord) ([]byte, error) {
	level := usualLevel(t, len(content))
	if odd.Level != nil {
		level = *odd.Level
	}
	data := binary.LittleEndian.AppendUint32(make([]byte, 0, blockHeaderSize+len(content)/2+64), uint32(len(content)))
	data = append(data, 0, 0, 0, 0)
	if odd.Stream != nil { // from the residue, which somebody may have changed
		if back, _, err := deflate.Decompress(odd.Stream, len(content)); err == nil && bytes.Equal(back, content) {
			binary.LittleEndian.PutUint32(data[4:], uint32(len(odd.Stream)))
			return append(data, odd.Stream...), nil
		}
	}
	if level == levelStored {
		return append(data, content...), nil
	}
	data, err := deflate.Compress(data, content, level)
	if err == nil && int64(len(data)) > math.MaxUint32 {
		err = errSize(int64(len(data)))
	}
	if err == nil {
		binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-blockHeaderSize))
	}
	return data, err
}

func errSize(n int64) error {
	return &fault.Error{Offset: -1, Want: "an archive smaller than 4 GiB", Got: words.Count(n, "byte"), Err: fault.ErrFormat}
}

// put writes a block after its gap, if it has one.
func (w *writer) put(e *entry, b *block) error {
	if !b.same {
		w.intact = false
	}
	if e.was != nil && e.was.Odd != nil {
		if err := w.write(e.was.Odd.Gap); err != nil {
			return err
		}
	}
	if w.pos > math.MaxUint32 {
		return errSize(w.pos)
	}
	e.rec.Offset = uint32(w.pos)
	w.largest = max(w.largest, binary.LittleEndian.Uint32(b.data[4:]))
	return w.write(b.data)
}

func (w *writer) write(b []byte) error {
	n, err := w.out.Write(b)
	w.pos += int64(n)
	return err
}

// finish writes the bytes after the blocks, and the header.
func (w *writer) finish(removed int) error {
	tail := w.residue.Tail
	if tail == nil {
		tail = make([]byte, 4*removed)
	}
	if err := w.write(tail); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	if w.pos > math.MaxUint32 {
		return errSize(w.pos)
	}
	hash, err := ArchiveHash(w.target, w.pos)
	if err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32(nil, w.residue.Max.apply(w.largest))
	head = binary.LittleEndian.AppendUint32(head, w.residue.Hash.apply(hash))
	_, err = w.target.WriteAt(head, 0)
	return err
}

// manifest creates the manifest once all blocks have their offsets.
func (w *writer) manifest(p *plan) (*Manifest, error) {
	man := &Manifest{Version: 2, Root: p.root, Rest: w.residue.Rest}
	if w.residue.Version != nil {
		man.Version = *w.residue.Version
	}
	for i := range p.sections {
		s := &p.sections[i]
		records := make([]Record, 0, len(s.entries))
		for _, e := range s.entries {
			if e.was != nil && e.was.borrows() && e.rec.Offset == 0 {
				if !w.intact && e.rec.Type != TypeDirectory {
					continue // the offset belongs to other data now
				}
				e.rec.Offset = *e.was.Odd.Offset
			}
			records = append(records, e.rec)
		}
		man.Sections = append(man.Sections, Section{Name: s.name, Records: records})
	}
	man.Hint = w.residue.Hint.apply(man.NativeHint())
	if _, err := man.seal(); err != nil {
		return nil, err
	}
	if man.Version == 2 {
		man.Hash = w.residue.ManHash.apply(man.Hash)
	}
	return man, nil
}

// ordered calls produce for 0 to n-1, several at the same time, and calls use with each result, one after the other in
// that order. It stops at the first error.
func ordered[T any](ctx context.Context, n int, produce func(i int) (T, error), use func(i int, v T) error) error {
	if err := ctx.Err(); err != nil {
		return err // a short list could end before the workers notice
	}
	type result struct {
		i   int
		v   T
		err error
	}
	return parallel.Ordered(ctx,
		func(yield func(int) error) error {
			for i := range n {
				if err := yield(i); err != nil {
					return err
				}
			}
			return nil
		},
		func(i int) result {
			v, err := produce(i)
			return result{i, v, err}
		},
		func(r result) error {
			if r.err != nil {
				return r.err
			}
			return use(r.i, r.v)
		})
}
