package mod

import (
	"context"
	"slices"

	"trowel.example/torchlight/pak"
)

// Edit changes single files of a mod and its header. Its cost depends only on the size of the changes: all other files
// are copied unchanged, without inflating them. [NewEdit] makes an Edit; the zero value is not usable.
type Edit struct {
	*pak.Edit
	Header Header // of the new mod; Write sets its offsets

	m *Mod
}

// NewEdit begins to edit a mod. The file of the mod must stay open and unchanged until Write returns.
func NewEdit(m *Mod) *Edit {
	h := *m.Header
	h.Releases, h.Required, h.Removed = slices.Clone(h.Releases), slices.Clone(h.Required), slices.Clone(h.Removed)
	return &Edit{pak.NewEdit(m.Archive), h, m}
}

// Write writes the mod to target, starting at its first byte, and returns its size. The target must not be the file
// that is being read. Without changes the output is byte-identical. Records of removed files are added and deleted
// according to the changes of Header.Removed.
func (e *Edit) Write(ctx context.Context, target pak.Target) (size int64, err error) {
	gap, err := e.m.Gap()
	if err != nil {
		return 0, err
	}
	record := make(map[string]bool) // for each path with a record: whether it removes the file
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
		if _, ok := record[path]; !ok && (e.m.Archive.Salvaged() || !slices.Contains(e.m.Header.Removed, path)) {
			e.Put(pak.NewFile{Path: path, Removed: true})
		}
	}
	return writeParts(target, &e.Header, gap, func(archive pak.Target) (*pak.Manifest, int64, error) {
		return e.Edit.Write(ctx, archive)
	})
}
