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

// Like is an earlier folder of a mod. Its names and texts are kept in a new folder of the mod where their contents are
// equal.
type Like struct {
	folder *folder
	files  map[string]*source // by path in the archive
	names  map[string]string  // names of files and folders by path in upper case; the first of those that differ only in case
}

// NewLike lists the files of a folder.
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

// place replaces the names in a path of the new folder by those of the earlier folder.
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

// content returns the editable form of a file from the earlier folder, and its residue for the compiled file in data.
// It returns false if their contents differ.
func (l *Like) content(f *form, name string, data []byte, o *Options) (content []byte, residue json.RawMessage, same bool) {
	if l == nil || l.files[name] == nil {
		return nil, nil, false
	}
	s := l.files[name]
	content, err := fs.ReadFile(l.folder.fsys, s.at)
	if err != nil || !f.isText(content) {
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

// header returns the name of the MOD.DAT in the earlier folder, and its content if it is equivalent to the header h, or
// else nil.
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

// asIs reports whether the earlier folder has a file unchanged that could be in its editable form.
func (l *Like) asIs(name string) bool {
	if l == nil {
		return false
	}
	s := l.files[name]
	return s != nil && s.form != nil && s.form.suffix != "" && strings.EqualFold(s.at, treePath(name, true))
}

// editedResidue returns the part of a residue that applies to an edited form: the digits of numbers.
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

// residueOfData returns the results of [dat.ResidueOf], with the residue as JSON. residueOfLayout does the same for
// layouts.
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
