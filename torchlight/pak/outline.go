package pak

import (
	"cmp"
	"encoding/binary"
	"slices"

	"trowel.example/internal/limits/effort"
)

// A part is a record of an archive with the known facts about its block.
type part struct {
	rec    *ResidueRecord
	record *Record
	file   *File // nil for directories

	length     int64  // of the block in bytes; 0 if there is no block
	compressed uint32 // size of the block's stream in bytes
}

// outline records everything about an archive that can be found without inflating: sections, order of blocks, gaps,
// numbers. It reads only the headers of the blocks. Files and lost files are left to [part.fill].
func outline(r *Reader) (*Residue, []part, error) {
	man := r.man
	k := &Residue{bare: r, Version: differs(2, man.Version), Root: differs(ResidueName(DefaultRoot), ResidueName(man.Root)), Rest: man.Rest}
	k.Hint = odd(man.NativeHint(), man.Hint)
	var parts []part
	next, rest := 0, 0 // indexes into r.files and r.rest
	for i := range man.Sections {
		s := &man.Sections[i]
		k.Sections = append(k.Sections, ResidueSection{Name: ResidueName(s.Name), Records: make(ResidueRecords, len(s.Records))})
		for j := range s.Records {
			rec := &s.Records[j]
			p := part{rec: &k.Sections[i].Records[j], record: rec}
			*p.rec = ResidueRecord{Name: rec.Name, Block: -1}
			switch {
			case rec.isDirectory():
				p.rec.Kind = ResidueDirectory
			case rec.nameless(), rec.Type == TypeDirectory:
				p.rec.Kind = ResidueLost
				p.file = r.rest[rest]
				rest++
			default:
				p.file = r.files[next]
				next++
				if p.file.Duplicate {
					p.rec.Kind = ResidueLost
				} else if rec.Removed() {
					p.rec.Kind = ResidueRemoved
				}
			}
			if p.rec.Kind == ResidueLost {
				p.rec.source = p.file
			}
			parts = append(parts, p)
		}
	}
	largest, err := k.arrange(r, parts)
	if err != nil {
		return nil, nil, err
	}
	for i := range parts {
		p := &parts[i]
		if p.rec.Block < 0 && p.record.Offset != 0 {
			p.rec.oddly().Offset = &p.record.Offset
		}
		if p.rec.Kind == ResidueDirectory || p.rec.Kind == ResidueRemoved {
			p.noteFields(0, 0)
			p.rec.Time = p.record.Time
		}
	}
	return k, parts, k.seal(r, largest)
}

// arrange finds the blocks, which lie one after another, and the gaps between them. A block that overlaps another does
// not count: its record keeps the offset. arrange returns the largest compressed size.
func (k *Residue) arrange(r *Reader, parts []part) (largest uint32, err error) {
	var blocks []*part
	sum := int64(0)
	for i := range parts {
		p := &parts[i]
		if p.file == nil || p.record.Offset == 0 {
			continue
		}
		if size, compressed, err := p.file.Sizes(); err == nil {
			p.length, p.compressed = stretch(size, compressed), compressed
			sum += p.length
			blocks = append(blocks, p)
		}
	}
	if sum > maxOverlap*r.size {
		return 0, errBomb
	}
	slices.SortStableFunc(blocks, func(a, b *part) int { return cmp.Compare(a.record.Offset, b.record.Offset) })
	end, place := int64(headerSize), 0
	for _, p := range blocks {
		at := int64(p.record.Offset)
		if at < end {
			continue
		}
		if at > end {
			gap, err := r.bytes(end, at)
			if err != nil {
				return 0, err
			}
			p.rec.oddly().Gap = gap
		}
		p.rec.Block = place
		place++
		largest = max(largest, p.compressed)
		end = at + p.length
	}
	tail, err := r.bytes(end, r.size)
	if err == nil && !isNativeTail(tail, k.removed()) {
		k.Tail = tail
	}
	return largest, err
}

// maxOverlap is how many times the blocks of an archive may cover its size. Blocks that lie one after another cover it
// once.
const maxOverlap = 64

// isNativeTail reports whether the bytes after the last block are those that the editor writes: four zeroes for each
// removed file.
func isNativeTail(tail []byte, removed int) bool {
	return len(tail) == 4*removed && !slices.ContainsFunc(tail, func(b byte) bool { return b != 0 })
}

func (k *Residue) removed() int {
	n := 0
	for i := range k.Sections {
		for j := range k.Sections[i].Records {
			if k.Sections[i].Records[j].Kind == ResidueRemoved {
				n++
			}
		}
	}
	return n
}

// bytes reads the bytes from offset from up to offset to, which must be within the archive.
func (r *Reader) bytes(from, to int64) ([]byte, error) {
	if e := effort.ModGap.Over(to - from); e != nil {
		e.Path, e.Offset = "archive", r.base+from
		return nil, e
	}
	b := make([]byte, to-from)
	f := File{Record: &Record{}, r: r}
	return b, f.read(b, from)
}

// seal records the numbers that are computed from everything else.
func (k *Residue) seal(r *Reader, largest uint32) error {
	head, err := r.bytes(0, headerSize)
	if err != nil {
		return err
	}
	hash, err := ArchiveHash(r.src, r.size)
	if err != nil {
		return err
	}
	k.Max = odd(largest, binary.LittleEndian.Uint32(head))
	k.Hash = odd(hash, binary.LittleEndian.Uint32(head[4:]))
	data, err := r.man.Encode()
	if err == nil && r.man.Version == 2 {
		k.ManHash = odd(ManifestHash(data), r.man.Hash)
	}
	return err
}
