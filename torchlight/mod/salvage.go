package mod

import (
	"fmt"
	"io"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/pak"
)

// CutError reports that a mod is cut off.
type CutError struct {
	Part    string // the part in which the file ends: "header", "archive" or "manifest"
	Missing int64  // number of bytes missing from that part; 0 if unknown
	Err     error  // the expected data and its position
}

func (e *CutError) Error() string {
	switch e.Part {
	case "header":
		return fmt.Sprintf("the mod is cut off: the last %s of its header and all files are missing", words.Count(e.Missing, "byte"))
	case "archive":
		return fmt.Sprintf("the mod is cut off: %s of its files and the list of files are missing", words.Count(e.Missing, "byte"))
	}
	return "the mod is cut off, or its list of files is damaged: " + fmt.Sprint(e.Err)
}

func (e *CutError) Unwrap() error { return e.Err }

// cutError returns the error for a mod of size bytes that should have at least want bytes.
func cutError(part string, size, want int64) error {
	return &CutError{part, want - size, &fault.Error{Path: part, Offset: -1,
		Want: fmt.Sprintf("%s or more", words.Count(want, "byte")), Got: fmt.Sprint(size), Err: fault.ErrShort}}
}

// Salvage opens what is left of a mod for which [Open] returned the error why, unless the file ends within its header:
// see [pak.Salvage]. It returns the number of files that lost their names. The mod has no residue.
func Salvage(r io.ReaderAt, size int64, why *CutError, extension func(head []byte) string) (*Mod, int, error) {
	m, err := openHeader(r, size)
	if err != nil {
		return nil, 0, err
	}
	m.cut = why
	data := int64(m.Header.DataOffset)
	end := min(int64(m.Header.ManifestOffset), size)
	if err := checkSize(effort.ModManifest, "manifest", end, size-end); err != nil {
		return nil, 0, err
	}
	m.rawMan = make([]byte, size-end)
	if err := readFull(r, m.rawMan, end, "manifest"); err != nil {
		return nil, 0, err
	}
	m.archive = io.NewSectionReader(r, data, end-data)
	var unnamed int
	if m.Archive, unnamed, err = pak.Salvage(m.archive, end-data, m.rawMan, extension); err != nil {
		return nil, 0, shift(err, data, "archive")
	}
	m.Archive.At(data)
	m.Manifest = m.Archive.Manifest()
	return m, unnamed, nil
}
