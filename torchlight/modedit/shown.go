package modedit

import (
	"io/fs"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

const modDat = "MOD.DAT"

// Shown is a mod as the folder that [moddir.Open] shows, whose files go back into the mod one by
// one. It is of use until something else changes the mod.
type Shown struct {
	e     *Editor
	o     moddir.Options
	files map[string]*file // by their paths in the folder, in capitals
}

// Show shows the mod as a folder, after all changes so far.
func (e *Editor) Show(o moddir.Options) *Shown {
	s := &Shown{e, o, make(map[string]*file)}
	for _, f := range e.files {
		at := f.path
		if !o.Raw {
			at = moddir.FolderPath(at)
		}
		s.files[strings.ToUpper(at)] = f
	}
	return s
}

// isHeader reports whether a path is that of the file with what the mod says of itself.
func (s *Shown) isHeader(at string) bool { return s.e.header != nil && strings.EqualFold(at, modDat) }

// Content returns a file. The error of one that is not there is fs.ErrNotExist.
func (s *Shown) Content(at string) ([]byte, error) {
	if s.isHeader(at) {
		return moddir.ModDat(s.e.header), nil
	}
	f := s.files[strings.ToUpper(at)]
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: at, Err: fs.ErrNotExist}
	}
	data, err := f.read()
	if err != nil || s.o.Raw || text.Recognize(data) {
		return data, err
	}
	if form, err := moddir.Decompile(data, f.path, s.o); err == nil {
		return form, nil
	}
	return data, nil // what cannot be read stands there as it is
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
