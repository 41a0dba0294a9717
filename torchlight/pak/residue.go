package pak

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/limits/parallel"
)

// A Residue holds everything about an archive that a list of paths and contents does not: the order of records and
// blocks, times, and every difference from what [Write] would create. Write with the residue of an archive and its
// unchanged files reproduces the archive byte for byte. When a file has a different content, its residue is ignored
// except for its place.
type Residue struct {
	Version  *uint16          `json:"version,omitempty"` // of the manifest, if not 2
	Root     *ResidueName     `json:"root,omitempty"`    // if not "MEDIA/"
	Max      *Odd             `json:"max,omitempty"`     // the largest compressed size, if it is wrong
	Hash     *Odd             `json:"hash,omitempty"`    // of the archive, if it is wrong
	ManHash  *Odd             `json:"manHash,omitempty"`
	Hint     *Odd             `json:"hint,omitempty"`
	Sections []ResidueSection `json:"sections,omitempty"`
	Tail     []byte           `json:"tail,omitzero"`  // bytes after the last block; nil for four zeroes for each removed file
	Rest     []byte           `json:"rest,omitempty"` // bytes after the manifest

	bare *Reader // the archive, set if the residue was outlined only: it then applies to files copied from there, not to contents
}

// Odd is a number that differs from the expected one. It applies only while the expected number is From.
type Odd struct {
	From uint32 `json:"from"`
	Is   uint32 `json:"is"`
}

// odd returns the record of a wrong number, or nil if the number is right.
func odd(should, is uint32) *Odd {
	if should == is {
		return nil
	}
	return &Odd{From: should, Is: is}
}

// apply returns the number to write.
func (o *Odd) apply(should uint32) uint32 {
	if o != nil && o.From == should {
		return o.Is
	}
	return should
}

// Has reports whether the archive had a file with this path.
func (k *Residue) Has(path string) bool {
	for i := range k.Sections {
		s := &k.Sections[i]
		for j := range s.Records {
			if s.Records[j].Kind == ResidueFile && joinPath(string(s.Name), s.Records[j].Name) == path {
				return true
			}
		}
	}
	return false
}

// ResidueSection is a section of the manifest.
type ResidueSection struct {
	Name    ResidueName    `json:"name"`
	Records ResidueRecords `json:"records"`
}

// ResidueRecord is a record of the manifest. Its JSON is a string such as "0a1b2c3d 1d7bad8dfd975a3 +1 FOO.DAT", or, if
// anything is odd, an object that contains this string.
type ResidueRecord struct {
	Kind  ResidueKind
	Name  string
	Sum   uint32   // of a file: CRC-32 of the content that the other fields belong to
	Time  Filetime // of a file
	Block int      // of a file: the index of its block among all blocks, from 0; -1 if it has no block of its own
	Odd   *OddRecord

	source *File // of a lost file in an outlined residue: the file to copy the block from
}

// ResidueKind is the kind of a record.
type ResidueKind uint8

const (
	ResidueFile      ResidueKind = iota // a file whose content is in the list
	ResidueDirectory                    // a directory
	ResidueRemoved                      // a file that the archive removes

	// ResidueLost is a file that cannot be in the list: its name is empty or a duplicate, its type is that of
	// directories, or its content is unreadable.
	ResidueLost
)

// OddRecord holds the differences of a record and its block from what Write would create.
type OddRecord struct {
	Type  *Type   `json:"type,omitempty"`
	CRC32 *uint32 `json:"crc32,omitempty"`
	Size  *uint32 `json:"size,omitempty"`

	// Offset is set only for records without a block of their own. That of a file is ignored if anything in the archive
	// changed.
	Offset *uint32 `json:"offset,omitempty"`

	Level  *int   `json:"level,omitempty"`  // of zlib; -1 for stored
	Stream []byte `json:"stream,omitempty"` // the compressed content, if no level reproduces it
	Block  []byte `json:"block,omitempty"`  // of a lost file: its block with its header
	Gap    []byte `json:"gap,omitempty"`    // bytes before the block
}

const (
	levelStored  = -1 // no compression
	deflateLevel = 6  // the level that the editor uses
)

// borrows reports whether the record has an offset but no block of its own at that offset.
func (k *ResidueRecord) borrows() bool { return k.Block < 0 && k.Odd != nil && k.Odd.Offset != nil }

// readable reports whether the block of a lost file in an outlined residue can be copied.
func (k *ResidueRecord) readable() bool {
	if k.source == nil {
		return false
	}
	_, _, err := k.source.Sizes()
	return err == nil
}

// oddly returns the record's OddRecord and creates it if needed.
func (k *ResidueRecord) oddly() *OddRecord {
	if k.Odd == nil {
		k.Odd = new(OddRecord)
	}
	return k.Odd
}

// NewResidue returns the residue of an archive. It inflates every block, on all cores. It rejects, with
// [fault.ErrFormat], an archive whose blocks overlap and add up to far more than its size.
func NewResidue(r *Reader) (*Residue, error) {
	rec, err := StartResidue(r)
	if err != nil {
		return nil, err
	}
	return rec.Residue()
}

// Recording builds the residue of an archive while its files are read for another purpose, so that no file is inflated
// twice. Several goroutines may use it at once. The zero value is not usable.
type Recording struct {
	k     *Residue
	parts []part
	of    map[*File]int // index into parts for each file
	once  []sync.Once   // one for each part
	errs  []error
	all   func() (*Residue, error)
}

// StartResidue begins the residue of an archive without inflating anything. Its errors are those of [NewResidue].
func StartResidue(r *Reader) (*Recording, error) {
	k, parts, err := outline(r)
	if err != nil {
		return nil, err
	}
	if r.bomb() {
		return nil, errBomb
	}
	rec := &Recording{k: k, parts: parts, of: make(map[*File]int), once: make([]sync.Once, len(parts)), errs: make([]error, len(parts))}
	for i := range parts {
		if parts[i].rec.Kind == ResidueFile {
			rec.of[parts[i].file] = i
		}
	}
	rec.all = sync.OnceValues(rec.finish)
	return rec, nil
}

// Content returns the content of a file as [File.Content] does, and records its residue.
func (rec *Recording) Content(f *File) ([]byte, error) {
	i, ok := rec.of[f]
	if !ok {
		return f.Content()
	}
	block, err := f.Block()
	if err != nil {
		return nil, err
	}
	content, _, err := f.inflate(block)
	if err == nil {
		rec.once[i].Do(func() { rec.parts[i].fillFile(block, content) })
	}
	return content, err
}

// Residue returns the residue after the files were read. Files that were not read are inflated now, on all cores.
func (rec *Recording) Residue() (*Residue, error) { return rec.all() }

func (rec *Recording) finish() (*Residue, error) {
	parallel.Each(len(rec.parts), func(i int) {
		rec.once[i].Do(func() { rec.errs[i] = rec.parts[i].fill() })
	})
	if err := cmp.Or(rec.errs...); err != nil {
		return nil, err
	}
	rec.k.bare = nil
	return rec.k, nil
}

func differs[T comparable](should, is T) *T {
	if should == is {
		return nil
	}
	return &is
}

var errBomb = &fault.Error{Offset: -1, Want: "separate blocks",
	Got: "overlapping blocks that add up to more than the archive can hold", Err: fault.ErrFormat}

// Plausible reports whether the archive can hold everything that its manifest lists, in blocks that do not overlap.
func (r *Reader) Plausible() bool { return !r.bomb() }

func (r *Reader) bomb() bool {
	sum := int64(0)
	for _, f := range r.files {
		if !f.Removed() {
			sum += int64(f.Record.Size)
		}
	}
	return sum > maxRatio*r.size
}

// fill records how a file differs from what Write would create from its content, which fill inflates. For a lost file
// it keeps the block.
func (p *part) fill() error {
	if p.rec.Kind == ResidueFile {
		block, err := p.file.Block()
		if err == nil {
			var content []byte
			if content, _, err = p.file.inflate(block); err == nil {
				p.fillFile(block, content)
				return nil
			}
		}
		p.rec.Kind = ResidueLost
	}
	if p.rec.Kind == ResidueLost {
		return p.fillLost()
	}
	return nil
}

func (p *part) fillFile(block, content []byte) {
	k := p.rec
	k.Sum, k.Time = crc32.ChecksumIEEE(content), p.record.Time
	p.noteFields(k.Sum, uint32(len(content)))
	if k.Block < 0 {
		return // the block belongs to another file
	}
	level, stream := levelOf(block, content)
	if stream != nil {
		k.oddly().Stream = stream
	} else if level != usualLevel(p.record.Type, len(content)) {
		k.oddly().Level = &level
	}
}

func (p *part) fillLost() error {
	k := p.rec
	k.source, k.Time = nil, p.record.Time
	p.noteFields(0, 0)
	if k.Block < 0 {
		return nil
	}
	block, err := p.file.Block()
	k.oddly().Block = block
	return err
}

// noteFields records the fields of the record that differ from the expected ones.
func (p *part) noteFields(crc, size uint32) {
	k, is := p.rec, p.record
	if k.Kind != ResidueDirectory && is.Type != TypeOf(is.Name) || k.Kind == ResidueDirectory && is.Type != TypeDirectory {
		k.oddly().Type = &is.Type
	}
	if is.CRC32 != crc {
		k.oddly().CRC32 = &is.CRC32
	}
	if is.Size != size {
		k.oddly().Size = &is.Size
	}
}

// usualLevel returns the compression level that the editor uses for a file.
func usualLevel(t Type, size int) int {
	if t.Stored() || size >= storedSize {
		return levelStored
	}
	return deflateLevel
}

// levelOf returns the level at which a block was compressed, or its stream if no level reproduces it.
func levelOf(block, content []byte) (level int, stream []byte) {
	stream = block[blockHeaderSize:]
	if binary.LittleEndian.Uint32(block[4:]) == 0 {
		return levelStored, nil
	}
	if deflate.Matches(stream, content, deflateLevel) {
		return deflateLevel, nil
	}
	if level, ok := deflate.LevelOf(stream, content); ok {
		return level, nil
	}
	return 0, stream
}
