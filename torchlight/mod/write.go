package mod

import (
	"context"
	"slices"

	"trowel.example/torchlight/pak"
)

// Residue holds everything about a mod that its header and files do not contain: see [pak.Residue].
type Residue struct {
	Gap        []byte            `json:"gap,omitempty"`        // bytes between header and archive
	Unlisted   []pak.ResidueName `json:"unlisted,omitempty"`   // files that the manifest removes, but the header does not
	Unrecorded []pak.ResidueName `json:"unrecorded,omitempty"` // files that the header removes, but the manifest does not
	Archive    *pak.Residue      `json:"archive,omitempty"`
}

// NewResidue returns the residue of a mod. It inflates every block of the archive. The errors are those of
// [pak.NewResidue].
func NewResidue(m *Mod) (*Residue, error) {
	archive, err := pak.NewResidue(m.Archive)
	if err != nil {
		return nil, shift(err, 0, "archive")
	}
	return NewResidueWith(m, archive)
}

// NewResidueWith returns the residue of a mod, given the residue of its archive.
func NewResidueWith(m *Mod, archive *pak.Residue) (k *Residue, err error) {
	k = &Residue{Archive: archive}
	if k.Gap, err = m.Gap(); err != nil {
		return nil, err
	}
	recorded, listed := make(map[string]bool), make(map[string]bool)
	for _, path := range m.Header.Removed {
		listed[path] = true
	}
	for _, f := range m.Archive.Files() {
		if f.Removed() && !f.Duplicate {
			recorded[f.Path] = true
			if !listed[f.Path] {
				k.Unlisted = append(k.Unlisted, pak.ResidueName(f.Path))
			}
		}
	}
	for _, path := range m.Header.Removed {
		if !recorded[path] {
			recorded[path] = true
			k.Unrecorded = append(k.Unrecorded, pak.ResidueName(path))
		}
	}
	return k, nil
}

// Write writes a mod to target, starting at its first byte, and returns its size. The files that the header removes
// become records of the manifest; they need not be in files. Everything else works as in [pak.Write].
func Write(ctx context.Context, target pak.Target, h *Header, files []pak.NewFile, k *Residue) (size int64, err error) {
	if k == nil {
		k = new(Residue)
	}
	return writeParts(target, h, k.Gap, func(archive pak.Target) (*pak.Manifest, int64, error) {
		return pak.Write(ctx, archive, withRemoved(h, files, k), k.Archive)
	})
}

// writeParts writes header, gap and manifest, and calls write for the archive between them.
func writeParts(target pak.Target, h *Header, gap []byte, write func(pak.Target) (*pak.Manifest, int64, error)) (size int64, err error) {
	placed := *h
	if _, err := placed.place(int64(len(gap)), 0); err != nil {
		return 0, err
	}
	start := int64(placed.DataOffset)
	man, length, err := write(section{target, start})
	if err != nil {
		return 0, shift(err, 0, "archive")
	}
	manifest, err := man.Encode()
	if err != nil {
		return 0, shift(err, 0, "manifest")
	}
	head, err := placed.place(int64(len(gap)), length)
	if err != nil {
		return 0, err
	}
	if _, err := target.WriteAt(append(head, gap...), 0); err != nil {
		return 0, err
	}
	_, err = target.WriteAt(manifest, start+length)
	return start + length + int64(len(manifest)), err
}

// withRemoved returns files with records for those that the mod removes.
func withRemoved(h *Header, files []pak.NewFile, k *Residue) []pak.NewFile {
	have := make(map[string]bool, len(files))
	for i := range files {
		have[files[i].Path] = true
	}
	for _, path := range k.Unrecorded {
		have[string(path)] = true
	}
	files = slices.Clone(files)
	add := func(path string) {
		if !have[path] {
			have[path] = true
			files = append(files, pak.NewFile{Path: path, Removed: true})
		}
	}
	for _, path := range h.Removed {
		add(path)
	}
	for _, path := range k.Unlisted {
		add(string(path))
	}
	return files
}

// section is a part of a target that begins at an offset.
type section struct {
	pak.Target
	start int64
}

func (s section) WriteAt(b []byte, at int64) (int, error) { return s.Target.WriteAt(b, s.start+at) }
func (s section) ReadAt(b []byte, at int64) (int, error)  { return s.Target.ReadAt(b, s.start+at) }
