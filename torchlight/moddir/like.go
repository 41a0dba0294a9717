package moddir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path"
	"strings"

	"trowel.example/internal/text/words"
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
			residue, _ = editedResidue(residue)
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

// editedResidue returns the part of a residue that applies to an edited form as well: the digits of numbers, the
// version, and bytes after the end. It also returns names of the other parts, which are lost; the numbers of strings
// have no meaning and are not named.
func editedResidue(kept json.RawMessage) (residue json.RawMessage, lost []string) {
	const versionAt = 1 // the offset of the version of a layout
	type part struct {  // the parts of all residues, of which a file has those of its form
		Floats  map[string]string `json:"floats,omitempty"`
		Version uint32            `json:"version,omitempty"`
		NoEmpty bool              `json:"noEmpty,omitempty"`
		Rest    []byte            `json:"rest,omitempty"`
		Patches []layout.Patch    `json:"patches,omitempty"`
	}
	var all struct {
		part
		Whole  []byte       `json:"whole"`
		Table  []dat.String `json:"table"`
		Values []dat.Bits   `json:"values"`
		World  *[4]uint32   `json:"world"`
	}
	if kept == nil || json.Unmarshal(kept, &all) != nil {
		return nil, nil
	}
	add := func(is bool, what string) {
		if is {
			lost = append(lost, what)
		}
	}
	bytesLost := 0
	if list := all.Patches; len(list) > 0 {
		all.Patches = nil
		for i, p := range list {
			bytesLost += len(p.Is) / 2
			if i == 0 && p.At == versionAt && len(p.Is) >= 2 {
				all.Patches = []layout.Patch{{At: versionAt, Is: p.Is[:2]}}
				bytesLost--
			}
		}
	}
	if f, err := layout.Decode(all.Whole); err == nil && f.Version != layout.Version {
		all.Patches = []layout.Patch{{At: versionAt, Is: fmt.Sprintf("%02x", f.Version)}}
	}
	add(bytesLost > 0, words.Count(bytesLost, "byte"))
	add(len(all.Values) > 0, "the exact bits of "+words.Count(len(all.Values), "value"))
	add(all.Table != nil, "the order of the strings, and strings that are repeated or unused")
	add(all.World != nil, "the exact bits of the numbers in the header")
	add(all.Whole != nil, "parts of the original file")
	residue, err := json.Marshal(all.part)
	if err != nil || string(residue) == "{}" {
		return nil, lost
	}
	return residue, lost
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
