package moddir

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"io/fs"
	"path"
	"strings"

	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
)

// Like is the folder of a mod whose names and texts another folder of the mod shall have, where they
// say the same.
type Like struct {
	folder *folder
	files  map[string]*source // by their paths in the archive
	names  map[string]string  // of files and folders, by their paths in capitals: of two that differ in case the first
}

// NewLike reads which files a folder has.
func NewLike(fsys fs.FS) (*Like, error) {
	f, err := collect(fsys, true, func(string, string) {})
	if err != nil {
		return nil, err
	}
	l := &Like{f, make(map[string]*source), make(map[string]string)}
	for _, s := range f.sources {
		if !s.twin && (s.kept == nil || s.kept.Path == "") {
			l.files[s.path] = s
			for at := s.at; at != "."; at = path.Dir(at) {
				if upper := strings.ToUpper(at); l.names[upper] == "" {
					l.names[upper] = path.Base(at)
				}
			}
		}
	}
	return l, nil
}

// place returns a path of the folder of an archive with the names that the other folder has.
func (l *Like) place(at string) string {
	if l == nil {
		return at
	}
	elems := strings.Split(at, "/")
	for i := range elems {
		if name := l.names[strings.ToUpper(strings.Join(elems[:i+1], "/"))]; name != "" {
			elems[i] = name
		}
	}
	return strings.Join(elems, "/")
}

// content returns the form of a file as it is in the folder, with what it does not say of the
// compiled file, if both say the same.
func (l *Like) content(f *form, name string, data []byte, o *Options) (content []byte, residue json.RawMessage, same bool) {
	if l == nil || l.files[name] == nil {
		return nil, nil, false
	}
	s := l.files[name]
	content, err := fs.ReadFile(l.folder.fsys, s.at)
	if err != nil || !f.is(content) {
		return nil, nil, false
	}
	if s.kept != nil && !s.kept.AsIs {
		if residue = s.kept.Residue; s.kept.CRC32 != crc32.ChecksumIEEE(content) {
			residue = editedResidue(residue)
		}
	}
	made, err := f.compile(content, residue, name, o.lenient())
	if err == nil && bytes.Equal(made, data) {
		return content, residue, true
	}
	if residue != nil || f.residueOf == nil {
		return nil, nil, false
	}
	residue, same = f.residueOf(data, content, name, o)
	return content, residue, same
}

// header returns the name that the MOD.DAT has in the folder, and its content if that says the same
// as a header; else nil.
func (l *Like) header(h *mod.Header) (name string, content []byte) {
	if l == nil {
		return modDat, nil
	}
	if name = findEntry(l.folder.fsys, modDat, false); name == "" {
		return modDat, nil
	}
	content, err := fs.ReadFile(l.folder.fsys, name)
	if err != nil {
		return name, nil
	}
	made, err := headerOf(content, h.Residue())
	if err != nil {
		return name, nil
	}
	made.DataOffset, made.ManifestOffset = h.DataOffset, h.ManifestOffset
	a, errA := made.Encode()
	b, errB := h.Encode()
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return name, nil
	}
	return name, content
}

// asIs reports whether the folder has a file as it is in the archive, of which there is another form.
func (l *Like) asIs(name string) bool {
	if l == nil {
		return false
	}
	s := l.files[name]
	return s != nil && s.form != nil && s.form.suffix != "" && strings.EqualFold(s.at, treePath(name, true))
}

// editedResidue returns what of a residue counts for a form that was edited since: the digits of numbers.
func editedResidue(kept json.RawMessage) json.RawMessage {
	var part struct {
		Floats map[string]string `json:"floats,omitempty"`
	}
	if kept == nil || json.Unmarshal(kept, &part) != nil || part.Floats == nil {
		return nil
	}
	data, err := json.Marshal(part)
	if err != nil {
		return nil
	}
	return data
}

// residueOfData and residueOfLayout are what ResidueOf of the packages returns, as JSON.
func residueOfData(data, content []byte, name string, o *Options) (json.RawMessage, bool) {
	return residueJSON(dat.ResidueOf(data, content, dat.Options{Names: o.names(), Path: name}))
}

func residueOfLayout(data, content []byte, name string, _ *Options) (json.RawMessage, bool) {
	return residueJSON(layout.ResidueOf(data, content, layout.Options{Path: name}))
}

func residueJSON[R any](residue *R, same bool) (json.RawMessage, bool) {
	if residue == nil || !same {
		return nil, same
	}
	data, err := json.Marshal(residue)
	return data, err == nil
}
