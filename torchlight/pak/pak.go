// Package pak reads and writes the archives of Torchlight II: a .PAK with the files, one block after the other, and a
// .PAK.MAN that lists them. A .MOD holds the same two parts after its own header; see package mod.
//
//	pak:
//	    [4] max_compressed   the largest compressed size of a block
//	    [4] hash             of a sample of the bytes; the game rejects an archive with a wrong hash
//	    [ ] blocks           size, compressed size (0: stored), zlib stream
//	manifest:
//	    [2] version          2; 0 and 1 have no hash
//	    [4] hash             of a sample of the manifest
//	    [ ] root             "MEDIA/"
//	    [4] hint             number of entries that the game allocates
//	    [ ] sections         a directory and its records: CRC-32, type, name, offset, size, time
//
// All integers are little-endian. Strings are UTF-16, preceded by their number of units.
//
// [NewReader] reads only the manifest that it receives; the block of a [File] is read when its content is requested.
// [Write] creates archives like those of the game's editor, GUTS. With the [Residue] of an archive it reproduces that
// archive byte for byte. [Edit] changes single files and copies the rest.
//
// The format is described in docs/formats/torchlight-archive.md.
package pak

import (
	"io"
	"math"
	"strings"
	"time"
)

// DefaultRoot is the directory that holds all files of the game.
const DefaultRoot = "MEDIA/"

// Manifest lists the files of an archive.
type Manifest struct {
	Version  uint16    // 0 to 2; the current game writes 2
	Hash     uint32    // as stored; absent before version 2. See [Manifest.Seal]
	Root     string    // "MEDIA/"
	Hint     uint32    // number of entries to allocate; see [Manifest.NativeHint]
	Sections []Section // a directory that holds both files and directories has two sections
	Rest     []byte    // bytes after the last section; no known archive has any
}

// Section lists records of one directory.
type Section struct {
	Name    string // full path with a slash at the end, for example "MEDIA/SKILLS/"; "" for the section that lists the root
	Records []Record
}

// Record is a file, a directory, or a file that a mod removes.
type Record struct {
	CRC32  uint32   // of the inflated content
	Type   Type     // by its extension
	Name   string   // within the directory; the name of a directory ends in a slash
	Offset uint32   // of the block from the start of the archive; 0 if there is no block
	Size   uint32   // of the content in bytes
	Time   Filetime // of the last change; 0 for directories and removed files
}

// Removed reports whether the record removes a file of the archives below.
func (r *Record) Removed() bool { return r.Type != TypeDirectory && r.Offset == 0 && !r.isDirectory() }

// isDirectory reports whether the record is a directory. A record of this type that has the name of a file and an
// offset is a file, which the game does not find.
func (r *Record) isDirectory() bool {
	if r.Type == TypeRemovedDirectory {
		return r.Offset == 0 && strings.HasSuffix(r.Name, "/")
	}
	return r.Type == TypeDirectory && (r.nameless() || r.Offset == 0)
}

// nameless reports whether the record has no valid file name.
func (r *Record) nameless() bool { return r.Name == "" || r.Name[len(r.Name)-1] == '/' }

// Target receives the archive that [Write] writes: a file that is open for reading and writing.
type Target interface {
	io.WriterAt
	io.ReaderAt
}

// NewFile is a file to write.
type NewFile struct {
	Path    string   // full, for example "MEDIA/SKILLS/FOO.DAT"; the game finds only upper-case names
	Time    Filetime // of the last change; if the content is the one in a residue, the time of the residue is used
	Type    *Type    // nil: the type of the extension, or of the residue
	Removed bool     // a record that removes the file; it has no content

	// Content returns the content. It may be called concurrently with the Content of other files, and more than once.
	Content func() ([]byte, error)

	// Source is a file of an open archive whose record and block are copied unchanged, instead of calling Content. The
	// block is not inflated.
	Source *File
}

// Filetime is a Windows time: 100 ns steps since 1601, UTC. 0 means no time.
type Filetime uint64

// epoch1601 is the number of seconds from 1601 to 1970.
const epoch1601 = 11644473600

// Time returns the time in UTC, exactly.
func (t Filetime) Time() time.Time {
	return time.Unix(int64(t/1e7)-epoch1601, int64(t%1e7)*100).UTC()
}

// FiletimeOf returns a time as a Filetime, truncated to 100 ns. It returns 0 for times outside the range of Filetime.
func FiletimeOf(t time.Time) Filetime {
	const most = math.MaxUint64/10_000_000 - 1 // whole seconds that fit, with any fraction
	s := t.Unix() + epoch1601
	if s < 0 || s > most {
		return 0
	}
	return Filetime(uint64(s)*1e7 + uint64(t.Nanosecond()/100))
}
