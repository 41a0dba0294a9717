package pak

import (
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"

	"trowel.example/internal/bytes/bin"
)

// LostDir is the directory for files whose name [Salvage] does not know.
const LostDir = DefaultRoot + "UNKNOWN/"

// Salvage recovers files from an archive whose manifest is cut off or missing: the files that the beginning of the
// manifest lists, and every other complete block. Blocks carry their sizes, but no names. A file without a name is
// called BLOCK_ and the offset of its block in hexadecimal, with the extension that the function extension returns for
// the beginning of its content. The second result is the number of files without a name.
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

// Salvaged reports whether the Reader was returned by [Salvage]. It then contains only files: nothing else of the
// archive was recovered.
func (r *Reader) Salvaged() bool { return r.salvaged }

// found is the offset of a block and the sizes in its header.
type found struct {
	at               int64
	size, compressed uint32
}

// blocks yields the consecutive blocks of an archive, as long as they are present and look like blocks.
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

// Absent returns the number of files whose blocks are missing or incomplete because the archive ends too early.
func (r *Reader) Absent() int {
	n := 0
	var last *File // the last file that begins within the archive
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
