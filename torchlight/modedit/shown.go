package modedit

import (
	"io/fs"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

const modDat = "MOD.DAT"

// Shown is a mod presented as the folder that [moddir.Open] creates, whose files can be changed one by one. It is valid
// until the mod is changed in another way.
type Shown struct {
	e     *Editor
	o     moddir.Options
	files map[string]*file // by path in the folder, in upper case
}

// Show presents the mod as a folder, after all changes so far.
func (e *Editor) Show(o moddir.Options) *Shown {
	s := &Shown{e, o, make(map[string]*file)}
	for _, f := range e.files {
		at := f.path
		if !o.Raw {
			at = moddir.FolderPath(at, o)
		}
		s.files[strings.ToUpper(at)] = f
	}
	return s
}

// isHeader reports whether a path is that of the file with the mod's header.
func (s *Shown) isHeader(at string) bool { return s.e.header != nil && strings.EqualFold(at, modDat) }

// Content returns a file. The error for a missing file is fs.ErrNotExist.
func (s *Shown) Content(at string) ([]byte, error) {
	if s.isHeader(at) {
		return moddir.ModDat(s.e.header), nil
	}
	f := s.files[strings.ToUpper(at)]
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: at, Err: fs.ErrNotExist}
	}
	data, err := f.read()
	if err != nil || s.o.Unchanged(f.path) || text.Recognize(data) {
		return data, err
	}
	if form, err := moddir.Decompile(data, f.path, s.o); err == nil {
		return form, nil
	}
	return data, nil // unreadable files are unchanged in the folder
}

// Put adds a file or replaces one, as [Editor.Put] does.
func (s *Shown) Put(at string, content []byte) error {
	if !s.isHeader(at) {
		return s.e.Put(at, content)
	}
	h, err := moddir.HeaderOf(content)
	if err != nil {
		return err
	}
	s.e.header, s.e.named = h, true
	s.e.Report(check.Change{Path: modDat, What: "replaced", Count: 1, Unit: "files"})
	return nil
}

// Delete removes a file.
func (s *Shown) Delete(at string) error {
	f := s.files[strings.ToUpper(at)]
	if f == nil {
		return &fs.PathError{Op: "remove", Path: at, Err: fs.ErrNotExist}
	}
	delete(s.e.files, gameName(f.path))
	s.e.Report(check.Change{Path: f.path, What: "removed", Count: 1, Unit: "files"})
	return nil
}
