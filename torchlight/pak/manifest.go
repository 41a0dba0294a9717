package pak

import (
	"bytes"
	"fmt"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/values/deep"
	"trowel.example/trace"
)

const (
	minSection = 6  // bytes: the length of the name, the number of records
	minRecord  = 23 // bytes: all fields but the name
)

// DecodeManifest reads a manifest from all of data. Bytes after the last section become Rest.
func DecodeManifest(data []byte) (*Manifest, error) {
	r := bin.NewReader(data, bin.LittleEndian)
	m := readManifest(r, false)
	return m, r.Err()
}

// DumpManifest reports every field of a manifest. The error gives the reason if the manifest cannot be read to its end.
func DumpManifest(data []byte, t trace.Tracer) error { return DumpManifestAt(data, 0, t) }

// DumpManifestAt is DumpManifest for a manifest at an offset of its file.
func DumpManifestAt(data []byte, offset int64, t trace.Tracer) error {
	r := bin.NewReader(data, bin.LittleEndian).At(offset)
	r.Trace(t)
	r.Enter("manifest")
	readManifest(r, false)
	r.Flush()
	return r.Err()
}

// readManifest reads a manifest up to the end of r, or as far as it can be read. If isCut is true, the manifest is
// known to be cut off, and counts may exceed the remaining data.
func readManifest(r *bin.Reader, isCut bool) *Manifest {
	count := func(name string, least int) int {
		if isCut {
			return int(min(int64(r.U32(name)), int64(r.Len()/least)+1))
		}
		return r.Count32(name, least)
	}
	m := new(Manifest)
	at := r.Offset()
	m.Version = r.U16("version")
	if m.Version > 2 {
		r.FailAt(at, "version", fault.ErrVersion, "0 to 2", fmt.Sprint(m.Version))
		return m
	}
	if m.Version == 2 {
		m.Hash = r.U32("hash")
	}
	m.Root = r.Wide16("root")
	m.Hint = r.U32("hint")
	m.Sections = make([]Section, count("num_sections", minSection))
	for i := range m.Sections {
		s := &m.Sections[i]
		r.EnterIndex("sections", i)
		s.Name = r.Wide16("name")
		s.Records = make([]Record, count("num_records", minRecord))
		for j := range s.Records {
			r.EnterIndex("records", j)
			s.Records[j].read(r)
			r.Leave()
			if r.Err() != nil {
				m.Sections = m.Sections[:i+1]
				s.Records = s.Records[:j]
				return m
			}
		}
		r.Leave()
		if r.Err() != nil {
			m.Sections = m.Sections[:i]
			return m
		}
	}
	if n := r.Len(); n > 0 && r.Err() == nil {
		m.Rest = bytes.Clone(r.Bytes("rest", n))
	}
	return m
}

func (rec *Record) read(r *bin.Reader) {
	rec.CRC32 = r.U32("crc32")
	rec.Type = Type(r.U8("type"))
	if rec.Type == TypeRemovedDirectory {
		r.MeansText("unknown, or a removed directory")
	} else {
		r.Means(rec.Type)
	}
	rec.Name = r.Wide16("name")
	rec.Offset = r.U32("offset")
	rec.Size = r.U32("size")
	rec.Time = Filetime(r.U64("time"))
	if r.Tracing() && rec.Time != 0 {
		r.MeansText(rec.Time.Time().Format("2006-01-02 15:04:05.0000000"))
	}
}

// Clone returns an independent copy of the manifest.
func (m *Manifest) Clone() *Manifest { return deep.Clone(m) }

// Equal reports whether both manifests have equal contents, in the same order.
func (m *Manifest) Equal(other *Manifest) bool { return deep.Equal(m, other) }

// Encode returns the bytes of the manifest with the current Hash and Hint; it does not change the manifest. It fails
// for an unknown version and for names of more than 65535 UTF-16 units.
func (m *Manifest) Encode() ([]byte, error) {
	if m.Version > 2 {
		return nil, &fault.Error{Path: "version", Offset: -1, Want: "0 to 2", Got: fmt.Sprint(m.Version), Err: fault.ErrVersion}
	}
	w := bin.NewWriter(bin.LittleEndian, m.encodedSize())
	w.U16(m.Version)
	if m.Version == 2 {
		w.U32(m.Hash)
	}
	if err := checkName("root", m.Root); err != nil {
		return nil, err
	}
	w.Wide16(m.Root)
	w.U32(m.Hint)
	w.U32(uint32(len(m.Sections)))
	for i := range m.Sections {
		s := &m.Sections[i]
		if err := checkName(fmt.Sprintf("sections[%d].name", i), s.Name); err != nil {
			return nil, err
		}
		w.Wide16(s.Name)
		w.U32(uint32(len(s.Records)))
		for j := range s.Records {
			rec := &s.Records[j]
			if len(rec.Name) > maxName { // check first, to avoid building a path needlessly
				if err := checkName(fmt.Sprintf("sections[%d].records[%d].name", i, j), rec.Name); err != nil {
					return nil, err
				}
			}
			w.U32(rec.CRC32)
			w.U8(uint8(rec.Type))
			w.Wide16(rec.Name)
			w.U32(rec.Offset)
			w.U32(rec.Size)
			w.U64(uint64(rec.Time))
		}
	}
	w.Bytes(m.Rest)
	return w.Data(), nil
}

const maxName = 65535 // the greatest length of a name, in UTF-16 units

func checkName(path, s string) error {
	if len(s) <= maxName {
		return nil
	}
	if n := bin.UTF16Len(s); n > maxName {
		return &fault.Error{Path: path, Offset: -1, Want: "at most 65535 UTF-16 units", Got: fmt.Sprint(n), Err: fault.ErrFormat}
	}
	return nil
}

// encodedSize returns the approximate number of bytes that Encode writes; it is exact for ASCII names.
func (m *Manifest) encodedSize() int {
	n := 16 + 2*len(m.Root) + len(m.Rest)
	for i := range m.Sections {
		n += minSection + 2*len(m.Sections[i].Name)
		for j := range m.Sections[i].Records {
			n += minRecord + 2*len(m.Sections[i].Records[j].Name)
		}
	}
	return n
}

// Seal sets Hint and Hash to the values that the editor writes and returns the bytes of the manifest.
func (m *Manifest) Seal() ([]byte, error) {
	m.Hint = m.NativeHint()
	return m.seal()
}

// seal encodes the manifest and sets its hash.
func (m *Manifest) seal() ([]byte, error) {
	data, err := m.Encode()
	if err != nil || m.Version < 2 {
		return data, err
	}
	m.Hash = ManifestHash(data)
	data[2], data[3], data[4], data[5] = byte(m.Hash), byte(m.Hash>>8), byte(m.Hash>>16), byte(m.Hash>>24)
	return data, nil
}

// NativeHint returns the hint that the editor writes: the number of all files, removed ones included, plus the number
// of slashes in the path of each directory that directly holds files.
func (m *Manifest) NativeHint() uint32 {
	n := 0
	counted := make(map[string]bool)
	for i := range m.Sections {
		s := &m.Sections[i]
		files := 0
		for j := range s.Records {
			if rec := &s.Records[j]; rec.Type != TypeDirectory && !rec.isDirectory() {
				files++
			}
		}
		if n += files; files > 0 && !counted[s.Name] {
			counted[s.Name] = true
			n += strings.Count(s.Name, "/")
		}
	}
	return uint32(n)
}

// RecognizeManifest reports whether a file that begins with head is a manifest.
func RecognizeManifest(head []byte) bool {
	if len(head) < 2 || head[0] > 2 || head[1] != 0 {
		return false
	}
	at := 2
	if head[0] == 2 {
		at = 6
	}
	root := bin.AppendUTF16([]byte{byte(len(DefaultRoot)), 0}, DefaultRoot)
	return len(head) >= at && bytes.HasPrefix(head[at:], root)
}
