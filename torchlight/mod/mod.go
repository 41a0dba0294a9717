// Package mod reads and writes the .MOD files of Torchlight II: a header that describes the mod, an archive of its
// files, and the manifest of that archive.
//
//	mod:
//	    [ ] header     version, game version, title, author, id, required mods, removed files
//	    [ ] archive    like a .PAK
//	    [ ] manifest   like a .PAK.MAN, up to the end of the file
//
// [Open] reads only header and manifest; each file is read from the archive when its content is requested. [Write]
// creates a mod; with the [Residue] of a mod it reproduces that mod byte for byte. [Split] and [Join] convert between a
// .MOD and the pair of a .PAK and a .PAK.MAN.
//
// The format is described in docs/formats/torchlight-archive.md.
package mod

import (
	"errors"
	"fmt"
	"io"
	"math"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/pak"
)

// Mod is an open .MOD file. [Open] makes a Mod; the zero value is not usable.
type Mod struct {
	Header   *Header
	Manifest *pak.Manifest
	Archive  *pak.Reader

	src     io.ReaderAt
	size    int64
	length  int64 // of the header in bytes
	rawMan  []byte
	archive *io.SectionReader
	cut     *CutError // set for a mod that [Salvage] opened
}

// Open reads header and manifest of a mod of size bytes, but none of its files. It fails if the parts do not lie one
// after the other.
//
// For a mod that is cut off, the error is a [*CutError].
func Open(r io.ReaderAt, size int64) (*Mod, error) {
	m, err := openHeader(r, size)
	if err != nil {
		return nil, err
	}
	data, man := int64(m.Header.DataOffset), int64(m.Header.ManifestOffset)
	if man > size {
		return nil, cutError("archive", size, man)
	}
	m.archive = io.NewSectionReader(r, data, man-data)
	if err := checkSize(effort.ModManifest, "manifest", man, size-man); err != nil {
		return nil, err
	}
	m.rawMan = make([]byte, size-man)
	if err := readFull(r, m.rawMan, man, "manifest"); err != nil {
		return nil, err
	}
	if m.Manifest, err = pak.DecodeManifest(m.rawMan); errors.Is(err, fault.ErrShort) {
		return nil, &CutError{"manifest", 0, shift(err, man, "manifest")}
	} else if err != nil {
		return nil, shift(err, man, "manifest")
	}
	if m.Archive, err = pak.NewReader(m.archive, man-data, m.Manifest); m.Archive == nil {
		return nil, shift(err, data, "archive")
	}
	m.Archive.At(data)
	if err != nil {
		return m, shift(err, data, "archive")
	}
	return m, nil
}

// openHeader reads the header and checks its offsets.
func openHeader(r io.ReaderAt, size int64) (*Mod, error) {
	head, err := readHead(r, size)
	if err != nil {
		return nil, err
	}
	h, length, err := DecodeHeader(head)
	if err != nil {
		return nil, err
	}
	switch data, man := h.DataOffset, h.ManifestOffset; {
	case int64(data) < int64(length):
		return nil, outside("data_offset", fmt.Sprintf("an offset of %d or more, after the header", length), int64(data))
	case man < data:
		return nil, outside("manifest_offset", fmt.Sprintf("an offset of %d or more, after the archive", data), int64(man))
	}
	return &Mod{Header: h, src: r, size: size, length: int64(length)}, nil
}

// readHead reads the bytes before the archive, which contain the header.
func readHead(r io.ReaderAt, size int64) ([]byte, error) {
	head := make([]byte, min(size, fixedHead))
	if err := readFull(r, head, 0, "header"); err != nil {
		return nil, err
	}
	at, err := offsetsAt(head)
	if err != nil {
		return nil, err
	}
	var offsets [4]byte
	if at+8 > size {
		return nil, &fault.Error{Path: "header.data_offset", Offset: at, Want: "8 bytes",
			Got: fmt.Sprintf("%d before the end of the data", max(0, size-at)), Err: fault.ErrShort}
	}
	if err := readFull(r, offsets[:], at, "header.data_offset"); err != nil {
		return nil, err
	}
	data := int64(offsets[0]) | int64(offsets[1])<<8 | int64(offsets[2])<<16 | int64(offsets[3])<<24
	switch {
	case data < at+8:
		return nil, outside("data_offset", fmt.Sprintf("an offset of %d or more", at+8), data)
	case data > size:
		return nil, cutError("header", size, data)
	}
	if err := checkSize(effort.ModHeader, "header", 0, data); err != nil {
		return nil, err
	}
	head = make([]byte, data)
	return head, readFull(r, head, 0, "header")
}

// checkSize returns an error if the part at an offset has more bytes than limit allows.
func checkSize(limit *effort.Kind, part string, offset, size int64) error {
	if e := limit.Over(size); e != nil {
		e.Path, e.Offset = part, offset
		return e
	}
	return nil
}

func outside(field, want string, got int64) error {
	return &fault.Error{Path: "header." + field, Offset: -1, Want: want, Got: fmt.Sprint(got), Err: fault.ErrFormat}
}

func readFull(r io.ReaderAt, b []byte, at int64, path string) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &fault.Error{Path: path, Offset: at, Want: words.Count(len(b), "byte"), Got: err.Error(), Err: err}
}

// shift turns an error about a part into an error about the whole file. Errors about something else, such as a source,
// are wrapped and stay unchanged.
func shift(err error, offset int64, part string) error {
	e, ok := err.(*fault.Error)
	if !ok || e.File != "" {
		return err
	}
	moved := *e
	if moved.Offset >= 0 {
		moved.Offset += offset
	}
	if moved.Path = part; e.Path != "" {
		moved.Path += "." + e.Path
	}
	return &moved
}

// Gap returns the bytes between header and archive; no known mod has any.
func (m *Mod) Gap() ([]byte, error) {
	gap := make([]byte, int64(m.Header.DataOffset)-m.length)
	return gap, readFull(m.src, gap, m.length, "gap")
}

// Split writes the archive of a mod as a .PAK and its manifest as a .PAK.MAN. Either writer can be nil.
func (m *Mod) Split(archive, manifest io.Writer) error {
	if archive != nil {
		if _, err := io.Copy(archive, io.NewSectionReader(m.archive, 0, m.archive.Size())); err != nil {
			return err
		}
	}
	if manifest != nil {
		if _, err := manifest.Write(m.rawMan); err != nil {
			return err
		}
	}
	return nil
}

// Join writes a mod that consists of a header, a .PAK and the bytes of its .PAK.MAN. It sets the offsets of the header.
func Join(w io.Writer, h *Header, archive *io.SectionReader, manifest []byte) error {
	if _, err := pak.DecodeManifest(manifest); err != nil {
		return shift(err, 0, "manifest")
	}
	head, err := h.place(0, archive.Size())
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	if _, err := io.Copy(w, io.NewSectionReader(archive, 0, archive.Size())); err != nil {
		return err
	}
	_, err = w.Write(manifest)
	return err
}

// place sets the offsets for an archive of size bytes that begins gap bytes after the header. It returns the header's
// bytes.
func (h *Header) place(gap, size int64) ([]byte, error) {
	head, err := h.Encode()
	if err != nil {
		return nil, err
	}
	start := int64(len(head)) + gap
	if start+size > math.MaxUint32 {
		return nil, &fault.Error{Offset: -1, Want: "a mod smaller than 4 GiB",
			Got: words.Count(start+size, "byte"), Err: fault.ErrFormat}
	}
	h.DataOffset, h.ManifestOffset = uint32(start), uint32(start+size)
	return h.Encode()
}
