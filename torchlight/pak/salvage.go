package pak

import (
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"

	"trowel.example/internal/bin"
)

// LostDir is where [Salvage] puts the files of which it does not know the name.
const LostDir = DefaultRoot + "UNKNOWN/"

// Salvage returns what can be had of an archive whose manifest is cut off or not
// there: the files that the beginning of the manifest lists, and every other block
// that is there as a whole. Blocks carry their sizes, but no names. Such a file is
// called BLOCK_ and the offset of its block in hexadecimal, with an extension that
// is told by extension from the beginning of its content. The second result is how
// many of them there are.
func Salvage(pak io.ReaderAt, size int64, manifest []byte, extension func(head []byte) string) (*Reader, int, error) {
	man := readManifest(bin.NewReader(manifest, bin.LittleEndian), true)
	if man.Version > 2 {
		man = &Manifest{}
	}
	if man.Version = 2; man.Root == "" {
		man.Root = DefaultRoot
	}
	listed := make(map[int64]bool)
	for i := range man.Sections {
		for _, rec := range man.Sections[i].Records {
			listed[int64(rec.Offset)] = true
		}
	}
	lost := Section{Name: LostDir}
	for b := range blocks(pak, size) {
		if listed[b.at] {
			continue
		}
		name := fmt.Sprintf("BLOCK_%08X%s", b.at, extension(b.head(pak)))
		lost.Records = append(lost.Records, Record{Type: TypeOf(name), Name: name, Offset: uint32(b.at), Size: b.size})
	}
	man.Rest = nil
	man.Sections = append(man.Sections, lost)
	r, err := newReader(pak, max(size, headerSize), man)
	if err != nil {
		return nil, 0, err
	}
	r.salvaged = true
	return r, len(lost.Records), nil
}

// Salvaged reports whether the archive is what [Salvage] found: there is no more in it
// than its files.
func (r *Reader) Salvaged() bool { return r.salvaged }

// found is where a block stands, and what its header says.
type found struct {
	at               int64
	size, compressed uint32
}

// blocks goes through the blocks that stand after each other in an archive, as
// far as they are there and look like blocks.
func blocks(pak io.ReaderAt, size int64) func(yield func(found) bool) {
	return func(yield func(found) bool) {
		var head [blockHeaderSize + 2]byte
		for at := int64(headerSize); at+blockHeaderSize <= size; {
			n, _ := pak.ReadAt(head[:], at)
			if n < blockHeaderSize {
				return
			}
			b := found{at, binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])}
			isStream := n == len(head) && head[8]&0x0F == 8 && (uint32(head[8])<<8|uint32(head[9]))%31 == 0
			length := stretch(b.size, b.compressed)
			if length > size-at || b.compressed > 0 && !isStream || b.size == 0 && b.compressed == 0 || !yield(b) {
				return // the end of the file, or the zeroes after the last block
			}
			at += length
		}
	}
}

// head returns the beginning of the content of a block.
func (b found) head(pak io.ReaderAt) []byte {
	const enough = 4096
	length := stretch(b.size, b.compressed) - blockHeaderSize
	var content io.Reader = io.NewSectionReader(pak, b.at+blockHeaderSize, length)
	if b.compressed > 0 {
		z, err := zlib.NewReader(content)
		if err != nil {
			return nil
		}
		content = z
	}
	head := make([]byte, min(enough, int64(b.size)))
	n, _ := io.ReadFull(content, head)
	return head[:n]
}

// Absent returns how many files have no block that is there as a whole, because
// the archive ends before it.
func (r *Reader) Absent() int {
	n := 0
	var last *File // of those that begin within the archive
	for _, f := range r.files {
		switch at := int64(f.Record.Offset); {
		case f.Removed():
		case at+blockHeaderSize > r.size:
			n++
		case last == nil || at > int64(last.Record.Offset):
			last = f
		}
	}
	if last != nil {
		if _, _, err := last.Sizes(); err != nil {
			n++
		}
	}
	return n
}
