// Package pak reads and writes the archives of Torchlight II: a .PAK with the
// files, one block after the other, and a .PAK.MAN that lists them. A .MOD holds
// the same two parts after a header of its own; see package mod.
//
//	pak:
//	    [4] max_compressed   the largest compressed size of a block
//	    [4] hash             of a sample of the bytes; the game refuses an archive where it is wrong
//	    [ ] blocks           size, compressed size (0: stored), zlib stream
//	manifest:
//	    [2] version          2; 0 and 1 have no hash
//	    [4] hash             of a sample of the manifest
//	    [ ] root             "MEDIA/"
//	    [4] hint             how many entries the game should make room for
//	    [ ] sections         a directory and its records: CRC-32, type, name, offset, size, time
//
// All integers are little-endian; strings are UTF-16 after the number of units.
//
// [NewReader] reads nothing but the manifest that it is given: each block is
// read when somebody asks for its [File]. [Write] makes an archive, as the
// game's editor GUTS does; with a [Residue] it makes exactly the same archive again that
// the residue was taken from. [Edit] changes single files and copies the rest.
//
// The format is described in docs/formats/torchlight-archive.md.
package pak

import (
	"io"
	"math"
	"time"
)

// DefaultRoot is the directory that all files of the game are in.
const DefaultRoot = "MEDIA/"

// Manifest lists the files of an archive.
type Manifest struct {
	Version  uint16    // 0 to 2; the game of today writes 2
	Hash     uint32    // as it stands; absent before version 2. See [Manifest.Seal]
	Root     string    // "MEDIA/"
	Hint     uint32    // number of entries to make room for; see [Manifest.NativeHint]
	Sections []Section // a directory with files and directories has two
	Rest     []byte    // bytes after the last section; no known archive has any
}

// Section lists records of one directory.
type Section struct {
	Name    string // full path with a slash at the end, such as "MEDIA/SKILLS/"; "" for the place of the root
	Records []Record
}

// Record is a file, a directory, or a file that a mod takes away.
type Record struct {
	CRC32  uint32   // of the content once inflated
	Type   Type     // by its extension
	Name   string   // within the directory; that of a directory ends in a slash
	Offset uint32   // of the block from the start of the archive; 0 for what has none
	Size   uint32   // of the content in bytes
	Time   Filetime // of the last change; 0 for directories and removed files
}

// Removed reports whether the record is of a file that is taken away from archives below.
func (r *Record) Removed() bool { return r.Type != TypeDirectory && r.Offset == 0 }

// nameless reports whether the record has no name that a file can have.
func (r *Record) nameless() bool { return r.Name == "" || r.Name[len(r.Name)-1] == '/' }

// Target is where [Write] puts an archive: a file that is open for reading and writing.
type Target interface {
	io.WriterAt
	io.ReaderAt
}

// NewFile is a file to be written.
type NewFile struct {
	Path    string   // full, such as "MEDIA/SKILLS/FOO.DAT"; the game finds only upper-case names
	Time    Filetime // of the last change; a residue has its own for a content that it knows
	Type    *Type    // nil: that of the extension, or of the residue
	Removed bool     // a record that takes the file away; it has no content

	// Content returns the content. It may be called at the same time as that
	// of other files, and more than once.
	Content func() ([]byte, error)

	// Source is a file of an open archive of which record and block are copied
	// as they are, in place of Content. The block is not inflated.
	Source *File
}

// Filetime is a time as Windows keeps it: 100 ns steps since 1601, UTC. 0 is none.
type Filetime uint64

// Seconds from 1601 to 1970.
const epoch1601 = 11644473600

// Time returns the time in UTC, exactly.
func (t Filetime) Time() time.Time {
	return time.Unix(int64(t/1e7)-epoch1601, int64(t%1e7)*100).UTC()
}

// FiletimeOf returns a time as a Filetime, cut to 100 ns; 0 for what is not
// within its range.
func FiletimeOf(t time.Time) Filetime {
	const most = math.MaxUint64/10_000_000 - 1 // whole seconds that fit, with any fraction
	s := t.Unix() + epoch1601
	if s < 0 || s > most {
		return 0
	}
	return Filetime(uint64(s)*1e7 + uint64(t.Nanosecond()/100))
}
