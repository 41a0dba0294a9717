package mod

import (
	"encoding/binary"
	"fmt"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/deep"
)

// GameVersion is a version of the game, such as 1.25.9.5.
type GameVersion [4]uint16

func (v GameVersion) String() string { return fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3]) }

// LastGame is the last version of the game. New mods state it as the version that built them.
var LastGame = GameVersion{1, 25, 9, 5}

// LastVersion is the version of the header that the current game writes.
const LastVersion = 4

// Header describes a mod. See [NewHeader].
type Header struct {
	Version        uint16      // of the format, 1 to 4
	ModVersion     uint16      // of the mod: one more than in MOD.DAT; 0 in the editor's own EDITORMOD.MOD
	Game           GameVersion // of the editor that built it; version 4 only
	Releases       []Release   // version 1 only: ModVersion+1 of them
	DataOffset     uint32      // of the archive: the length of the header
	ManifestOffset uint32      // of the manifest, which extends to the end of the file
	Title          string
	Author         string
	Description    string
	Website        string
	DownloadURL    string
	ID             int64
	Flags          uint32     // 0 in all known mods
	RequiredHash   uint64     // of the required mods; 0 if there are none. The algorithm is unknown
	Required       []Required // other mods that must be loaded
	Removed        []string   // version 3 and later: full paths of files that the mod removes
}

// Release is an entry of the list in the header of version 1.
type Release struct {
	GUID  uint64
	Major uint8
}

// Required is a mod that another mod needs.
type Required struct {
	Name    string
	ID      int64
	Version uint16 // not in a header of version 1
}

// NewHeader returns a header of the last version, for the last version of the game.
func NewHeader() *Header { return &Header{Version: LastVersion, Game: LastGame} }

const (
	fixedHead   = 12 // size of the fields before the offsets in version 4, the largest except for version 1
	releaseSize = 9
)

// offsetsAt returns the position in a file of the offsets of archive and manifest.
func offsetsAt(head []byte) (int64, error) {
	r := bin.NewReader(head, bin.LittleEndian)
	h := new(Header)
	r.Enter("header")
	h.readVersion(r)
	if err := r.Err(); err != nil {
		return 0, err
	}
	switch h.Version {
	case 1:
		return 4 + releaseSize*(int64(h.ModVersion)+1), nil
	case LastVersion:
		return fixedHead, nil
	}
	return 4, nil
}

func (h *Header) readVersion(r *bin.Reader) {
	at := r.Offset()
	if h.Version = r.U16("version"); (h.Version < 1 || h.Version > LastVersion) && r.Err() == nil {
		r.FailAt(at, "version", fault.ErrVersion, "1 to 4", fmt.Sprint(h.Version))
	}
	h.ModVersion = r.U16("mod_version")
}

// DecodeHeader reads the header at the start of data. It returns the header and its length in bytes.
func DecodeHeader(data []byte) (h *Header, length int, err error) {
	r := bin.NewReader(data, bin.LittleEndian)
	h = new(Header)
	h.read(r)
	return h, len(data) - r.Len(), r.Err()
}

// read reads all fields.
func (h *Header) read(r *bin.Reader) {
	r.Enter("header")
	defer r.Leave()
	h.readVersion(r)
	switch {
	case r.Err() != nil:
		return
	case h.Version == LastVersion:
		r.Enter("game")
		for i, name := range [...]string{"major", "minor", "patch", "build"} {
			h.Game[i] = r.U16(name)
		}
		r.Leave()
	case h.Version == 1:
		if n := int(h.ModVersion) + 1; n*releaseSize <= r.Len() {
			h.Releases = make([]Release, n)
		} else {
			r.Fail("releases", fault.ErrShort, fmt.Sprintf("%d of 9 bytes each", n),
				fmt.Sprintf("%s before the end of the data", words.Count(r.Len(), "byte")))
		}
		for i := range h.Releases {
			r.EnterIndex("releases", i)
			h.Releases[i] = Release{r.U64("guid"), r.U8("major")}
			r.Leave()
		}
	}
	h.DataOffset = r.U32("data_offset")
	h.ManifestOffset = r.U32("manifest_offset")
	h.Title = r.Wide16("title")
	h.Author = r.Wide16("author")
	h.Description = r.Wide16("description")
	h.Website = r.Wide16("website")
	h.DownloadURL = r.Wide16("download_url")
	h.ID = r.Int64("id")
	h.Flags = r.U32("flags")
	h.RequiredHash = r.U64("required_hash")
	h.Required = make([]Required, r.Count16("num_required", 10))
	for i := range h.Required {
		r.EnterIndex("required", i)
		h.Required[i] = Required{Name: r.Wide16("name"), ID: r.Int64("id")}
		if h.Version > 1 {
			h.Required[i].Version = r.U16("version")
		}
		r.Leave()
	}
	if h.Version >= 3 {
		h.Removed = make([]string, r.Count16("num_removed", 2))
		for i := range h.Removed {
			r.EnterIndex("removed", i)
			h.Removed[i] = r.Wide16("path")
			r.Leave()
		}
	}
}

// Clone returns an independent copy of the header.
func (h *Header) Clone() *Header { return deep.Clone(h) }

// Equal reports whether both headers have equal contents.
func (h *Header) Equal(other *Header) bool { return deep.Equal(h, other) }

// Encode returns the bytes of the header with its current offsets; it does not change the header. It fails for an
// unknown version, for fields that the version does not have, and for strings and lists longer than 65535. Game is left
// out in versions without it.
func (h *Header) Encode() ([]byte, error) {
	if err := h.valid(); err != nil {
		return nil, err
	}
	w := bin.NewWriter(bin.LittleEndian, 256)
	w.U16(h.Version)
	w.U16(h.ModVersion)
	switch h.Version {
	case LastVersion:
		for _, v := range h.Game {
			w.U16(v)
		}
	case 1:
		for _, r := range h.Releases {
			w.U64(r.GUID)
			w.U8(r.Major)
		}
	}
	w.U32(h.DataOffset)
	w.U32(h.ManifestOffset)
	for _, s := range []string{h.Title, h.Author, h.Description, h.Website, h.DownloadURL} {
		w.Wide16(s)
	}
	w.U64(uint64(h.ID))
	w.U32(h.Flags)
	w.U64(h.RequiredHash)
	w.U16(uint16(len(h.Required)))
	for _, q := range h.Required {
		w.Wide16(q.Name)
		w.U64(uint64(q.ID))
		if h.Version > 1 {
			w.U16(q.Version)
		}
	}
	if h.Version >= 3 {
		w.U16(uint16(len(h.Removed)))
		for _, path := range h.Removed {
			w.Wide16(path)
		}
	}
	return w.Data(), nil
}

// valid returns an error if the header cannot be encoded.
func (h *Header) valid() error {
	fail := func(path, want string, got any, err error) error {
		return &fault.Error{Path: path, Offset: -1, Want: want, Got: fmt.Sprint(got), Err: err}
	}
	switch {
	case h.Version < 1 || h.Version > LastVersion:
		return fail("version", "1 to 4", h.Version, fault.ErrVersion)
	case h.Version == 1 && len(h.Releases) != int(h.ModVersion)+1:
		return fail("releases", fmt.Sprintf("%d, one more than the version of the mod", int(h.ModVersion)+1),
			len(h.Releases), fault.ErrFormat)
	case h.Version != 1 && len(h.Releases) > 0:
		return fail("releases", "none after version 1", len(h.Releases), fault.ErrVersion)
	case h.Version == 1 && slices.ContainsFunc(h.Required, func(r Required) bool { return r.Version != 0 }):
		return fail("required", "no versions of required mods before version 2", "some", fault.ErrVersion)
	case h.Version < 3 && len(h.Removed) > 0:
		return fail("removed", "no removed files before version 3", len(h.Removed), fault.ErrVersion)
	case len(h.Required) > 65535:
		return fail("required", "at most 65535", len(h.Required), fault.ErrFormat)
	case len(h.Removed) > 65535:
		return fail("removed", "at most 65535", len(h.Removed), fault.ErrFormat)
	}
	texts := []struct{ path, s string }{{"title", h.Title}, {"author", h.Author}, {"description", h.Description},
		{"website", h.Website}, {"download_url", h.DownloadURL}}
	for i := range h.Required {
		texts = append(texts, struct{ path, s string }{fmt.Sprintf("required[%d].name", i), h.Required[i].Name})
	}
	for i := range h.Removed {
		texts = append(texts, struct{ path, s string }{fmt.Sprintf("removed[%d]", i), h.Removed[i]})
	}
	for _, t := range texts {
		if n := bin.UTF16Len(t.s); n > 65535 {
			return fail(t.path, "at most 65535 UTF-16 units", n, fault.ErrFormat)
		}
	}
	return nil
}

// Recognize reports whether a file that begins with head is a mod. 32 bytes of head are enough.
func Recognize(head []byte) bool {
	at, err := offsetsAt(head)
	if err != nil || at > int64(len(head)) {
		return false
	}
	head = head[at:]
	if len(head) < 10 {
		return false
	}
	data, man := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	const least = 8 + 5*2 + 8 + 4 + 8 + 2 // size of the header from the offsets on, if all texts are empty
	title := int64(binary.LittleEndian.Uint16(head[8:]))
	return int64(data) >= at+least+2*title && man >= data+8
}
