package mod

import (
	"slices"

	"trowel.example/torchlight/pak"
)

// Edit changes single files of a mod, and its header, at the cost of what changes: all
// other files are copied as they are, without inflating them.
type Edit struct {
	*pak.Edit
	Header Header // of the new mod; the offsets in it are set by Write

	m *Mod
}

// NewEdit begins to edit a mod, whose file must stay open and as it is until Write is
// done.
func NewEdit(m *Mod) *Edit {
	h := *m.Header
	h.Releases, h.Required, h.Removed = slices.Clone(h.Releases), slices.Clone(h.Required), slices.Clone(h.Removed)
	return &Edit{pak.NewEdit(m.Archive), h, m}
}

// Write writes the mod to target, from its first byte on, and returns its size. The
// target must be another file than the one that is read. Without any change that gives
// the same bytes. Records of removed files follow what was added to, or taken out of,
// Header.Removed.
func (e *Edit) Write(target pak.Target) (size int64, err error) {
	gap, err := e.m.Gap()
	if err != nil {
		return 0, err
	}
	record := make(map[string]bool) // of the paths that have one: is it that of a removed file?
	for _, f := range e.Files() {
		record[f.Path] = f.Removed
	}
	for _, path := range e.m.Header.Removed {
		if record[path] && !slices.Contains(e.Header.Removed, path) {
			if err := e.Delete(path); err != nil {
				return 0, err
			}
		}
	}
	for _, path := range e.Header.Removed {
		if _, is := record[path]; !is && (e.m.Archive.Salvaged() || !slices.Contains(e.m.Header.Removed, path)) {
			e.Put(pak.NewFile{Path: path, Removed: true})
		}
	}
	return writeParts(target, &e.Header, gap, e.Edit.Write)
}
