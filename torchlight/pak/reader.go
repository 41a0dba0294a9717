package pak

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
)

const (
	headerSize      = 8    // of an archive: the largest compressed size, the hash
	blockHeaderSize = 8    // of a block: size, compressed size
	maxRatio        = 1032 // deflate expands one byte to at most this many
)

// Reader is an open archive. Goroutines may share it.
type Reader struct {
	man   *Manifest
	src   io.ReaderAt
	size  int64
	base  int64
	files []*File
	rest  []*File // records that no path finds: without a name, or with the type of directories

	salvaged bool

	exact map[string]*File
	fold  func() map[string]*File // by upper-case path, built at the first use
}

// File is a file of an archive, or a file that the archive removes. A [Reader] has its files; the zero value is not usable.
type File struct {
	Path      string  // full, for example "MEDIA/SKILLS/FOO.DAT"
	Record    *Record // as in the manifest
	Duplicate bool    // an earlier record has the same path

	r    *Reader
	over error // not nil if this file and those before it have more contents than the budget; without a place
}

// NewReader returns the archive of size bytes that man lists. It reads only one block header of the archive. The
// archive and the manifest must not change while the Reader is in use.
//
// If the archive ends before the end of a file that man lists, NewReader returns the Reader together with an error that
// wraps [fault.ErrShort]: see [Reader.Absent].
//
// Sections of the same directory are merged. Directories are left out of the files, as are file records whose name is
// empty or ends in a slash, or that have the type of directories.
func NewReader(pak io.ReaderAt, size int64, man *Manifest) (*Reader, error) {
	r, err := newReader(pak, size, man)
	if err != nil {
		return nil, err
	}
	if n := r.Absent(); n > 0 {
		return r, &fault.Error{Offset: size, Want: words.Count(len(r.files), "file"),
			Got: fmt.Sprintf("the end of the archive before the end of %d of them", n), Err: fault.ErrShort}
	}
	return r, nil
}

// newReader is NewReader without reading the archive.
func newReader(pak io.ReaderAt, size int64, man *Manifest) (*Reader, error) {
	if size < headerSize {
		return nil, &fault.Error{Offset: 0, Want: "an archive of 8 bytes or more", Got: words.Count(size, "byte"), Err: fault.ErrShort}
	}
	n := 0
	paths, listed := int64(0), int64(0) // bytes of all paths, and approximate bytes of the manifest
	for i := range man.Sections {
		s := &man.Sections[i]
		n += len(s.Records)
		listed += int64(len(s.Name))
		for j := range s.Records {
			paths += int64(len(s.Name) + len(s.Records[j].Name))
			listed += int64(len(s.Records[j].Name) + minRecord)
		}
	}
	// The limit is needed because each path repeats the name of its directory.
	if err := effort.ModPaths.Start(listed).Spend(paths); err != nil {
		err.(*fault.Error).Path = "manifest"
		return nil, err
	}
	r := &Reader{man: man, src: pak, size: size, exact: make(map[string]*File, n)}
	all := make([]File, 0, n)
	r.files = make([]*File, 0, n)
	for i := range man.Sections {
		s := &man.Sections[i]
		for j := range s.Records {
			rec := &s.Records[j]
			if rec.isDirectory() {
				continue
			}
			all = append(all, File{Path: joinPath(s.Name, rec.Name), Record: rec, r: r})
			f := &all[len(all)-1]
			if rec.nameless() || rec.Type == TypeDirectory {
				r.rest = append(r.rest, f)
				continue
			}
			if _, f.Duplicate = r.exact[f.Path]; !f.Duplicate {
				r.exact[f.Path] = f
			}
			r.files = append(r.files, f)
		}
	}
	r.fold = sync.OnceValue(r.foldPaths)
	r.limit()
	return r, nil
}

// maxCounted is the largest number of bytes of a file that count: a damaged size may be anything.
const maxCounted = 128 << 20

// limit limits the contents of all files together: blocks may overlap, so a small archive can have any number of them.
func (r *Reader) limit() {
	meter := effort.ModContents.Start(r.size)
	var over error
	for _, f := range r.files {
		if !f.Removed() && over == nil {
			over = meter.Spend(min(int64(f.Record.Size), maxCounted, maxRatio*r.size))
		}
		f.over = over
	}
}

// unread returns an error if reading the block would exceed the budget.
func (f *File) unread() error {
	if e, ok := errors.AsType[*fault.Error](f.over); ok {
		return f.fail(e.Err, e.Want, e.Got)
	}
	return nil
}

// At sets the offset of the archive in its file, so that errors and findings state offsets in that file.
func (r *Reader) At(base int64) *Reader {
	r.base = base
	return r
}

// joinPath returns the path of a record in a section.
func joinPath(dir, name string) string {
	if dir == "" || strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// Manifest returns the manifest.
func (r *Reader) Manifest() *Manifest { return r.man }

// Size returns the size of the archive in bytes.
func (r *Reader) Size() int64 { return r.size }

// Files returns the files, removed ones included, in the order of the manifest.
func (r *Reader) Files() []*File { return r.files }

// Find returns the first file of a path, or nil. It ignores case and accepts backslashes as slashes; a path with
// exactly the same case is preferred.
func (r *Reader) Find(path string) *File {
	path = strings.ReplaceAll(path, `\`, "/")
	if f := r.exact[path]; f != nil {
		return f
	}
	return r.fold()[strings.ToUpper(path)]
}

func (r *Reader) foldPaths() map[string]*File {
	fold := make(map[string]*File, len(r.files))
	for _, f := range r.files {
		if up := strings.ToUpper(f.Path); fold[up] == nil {
			fold[up] = f
		}
	}
	return fold
}

// Removed reports whether the archive removes this file of the archives below.
func (f *File) Removed() bool { return f.Record.Removed() }

// Offset returns the offset of the file's block in the file that holds the archive, as errors state it.
func (f *File) Offset() int64 { return f.r.base + int64(f.Record.Offset) }

// fail returns an error about the file's block.
func (f *File) fail(err error, want, got string) error {
	return &fault.Error{Path: f.Path, Offset: f.Offset(), Want: want, Got: got, Err: err}
}

// Sizes reads the header of the block. It returns the size of the content and the size of the zlib stream, which is 0
// for stored content. Sizes fails unless the archive holds the whole block.
func (f *File) Sizes() (size, compressed uint32, err error) {
	var head [blockHeaderSize]byte
	return f.sizes(head[:])
}

func (f *File) sizes(head []byte) (size, compressed uint32, err error) {
	at := int64(f.Record.Offset)
	if at == 0 {
		return 0, 0, f.fail(fault.ErrFormat, "a file with a block", "a file that the archive removes")
	}
	if at < headerSize || at+blockHeaderSize > f.r.size {
		return 0, 0, f.fail(fault.ErrShort, fmt.Sprintf("a block between 8 and the end of the archive at %d",
			f.r.size), fmt.Sprintf("one at %d", at))
	}
	if err := f.read(head, at); err != nil {
		return 0, 0, err
	}
	size, compressed = binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	if n := stretch(size, compressed); n > f.r.size-at {
		return size, compressed, f.fail(fault.ErrShort, fmt.Sprintf("a block of %s", words.Count(n, "byte")),
			fmt.Sprintf("%d before the end of the archive", f.r.size-at))
	}
	return size, compressed, nil
}

// stretch returns the length of a block in bytes, with its header.
func stretch(size, compressed uint32) int64 {
	if compressed == 0 {
		return blockHeaderSize + int64(size)
	}
	return blockHeaderSize + int64(compressed)
}

func (f *File) read(b []byte, at int64) error {
	n, err := f.r.src.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &fault.Error{Path: f.Path, Offset: f.r.base + at, Want: words.Count(len(b), "byte"), Got: err.Error(), Err: err}
}

// Block reads the whole block: its header of eight bytes, then the zlib stream or the stored content.
func (f *File) Block() ([]byte, error) {
	var head [blockHeaderSize]byte
	size, compressed, err := f.sizes(head[:])
	if err != nil {
		return nil, err
	}
	if err := f.unread(); err != nil {
		return nil, err
	}
	if e := effort.ModFile.Over(max(stretch(size, compressed)-blockHeaderSize, int64(size))); e != nil {
		return nil, f.fail(e.Err, e.Want, e.Got)
	}
	block := make([]byte, stretch(size, compressed))
	copy(block, head[:])
	return block, f.read(block[blockHeaderSize:], int64(f.Record.Offset)+blockHeaderSize)
}

// Content reads and inflates the block. It fails unless block and manifest state the same size and the content has that
// size. Only [Reader.Check] compares the content with the manifest's CRC-32.
func (f *File) Content() ([]byte, error) {
	block, err := f.Block()
	if err != nil {
		return nil, err
	}
	content, _, err := f.inflate(block)
	return content, err
}

// CopyTo writes the file's content to w. It writes large content piece by piece, so that files of any size can be read.
// If CopyTo fails, it may have written a part of the content.
func (f *File) CopyTo(w io.Writer) error {
	size, compressed, err := f.Sizes()
	if err != nil {
		return err
	}
	if err := f.unread(); err != nil {
		return err
	}
	if max(size, compressed) > inMemory && size == f.Record.Size {
		if _, err := f.stream(w, size, compressed); err != nil {
			return f.fail(err, fmt.Sprintf("%s of contents", words.Count(size, "byte")), err.Error())
		}
		return nil
	}
	content, err := f.Content()
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

// inflate returns the content of a block of f and the number of bytes after the end of its stream.
func (f *File) inflate(block []byte) (content []byte, surplus int, err error) {
	size, compressed := binary.LittleEndian.Uint32(block), binary.LittleEndian.Uint32(block[4:])
	if size != f.Record.Size {
		return nil, 0, f.fail(fault.ErrFormat, fmt.Sprintf("a block of %s, as in the manifest",
			words.Count(f.Record.Size, "byte")), fmt.Sprint(size))
	}
	stream := block[blockHeaderSize:]
	if compressed == 0 {
		return stream, 0, nil
	}
	content, used, err := deflate.Decompress(stream, int(size))
	if err != nil {
		return nil, 0, f.fail(err, fmt.Sprintf("a zlib stream of %s", words.Count(size, "byte")), err.Error())
	}
	return content, len(stream) - used, nil
}
