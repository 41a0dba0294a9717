package modmerge

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// Options control how versions are merged.
type Options struct {
	Theirs     bool        // conflicts are resolved with theirs
	Names      *hash.Names // nil for the known names
	OnConflict func(check.Conflict)
	OnTook     func(check.Change) // receives changes that were taken from theirs
	OnWarn     func(path, message string)
}

// From is the origin of a merged file.
type From int

// A merged file is identical to the file of one side, or it is new.
const (
	Ours From = iota
	Theirs
	Merged
)

func (o *Options) side() From {
	if o.Theirs {
		return Theirs
	}
	return Ours
}

// tell reports the result of merging a file.
func (o *Options) tell(m *merger) {
	for _, c := range m.conflicts {
		o.conflict(c)
	}
	if n := len(m.took); n > 0 {
		const few = 20
		c := check.Change{Path: m.path, What: "took from theirs", Count: int64(n), Unit: "changes"}
		if n <= few {
			c.At = m.took
		}
		o.took(c)
	}
}

func (o *Options) conflict(c check.Conflict) {
	if o.OnConflict != nil {
		o.OnConflict(c)
	}
}

func (o *Options) took(c check.Change) {
	if o.OnTook != nil {
		o.OnTook(c)
	}
}

var errUnchanged = errors.New("unchanged")

// File merges the changes of two sides to a file. The name is its path in the game. Data files and layouts, as text or
// compiled, are merged key by key and object by object, image sets image by image. If both sides changed any other
// file, it is taken from one side as a whole, which is a conflict. If base is nil, because both sides added the file,
// everything that only one side has is kept.
func File(name string, base, ours, theirs []byte, o Options) ([]byte, From, error) {
	switch {
	case bytes.Equal(ours, theirs) || base != nil && bytes.Equal(base, theirs):
		return ours, Ours, nil
	case base != nil && bytes.Equal(base, ours):
		return theirs, Theirs, nil
	}
	m := &merger{path: name, theirs: o.Theirs}
	data, from, err := m.file(name, base, ours, theirs, o.Names)
	if errors.Is(err, errWhole) {
		m.conflicts, m.took = nil, nil
		m.conflict("", "the file was changed on both sides", sizeOf(base), sizeOf(ours), sizeOf(theirs))
		if data, from = ours, Ours; o.Theirs {
			data, from = theirs, Theirs
		}
		err = nil
	}
	if err == nil {
		o.tell(m)
	}
	return data, from, err
}

// sizeOf describes the content of a file for a conflict.
func sizeOf(data []byte) any {
	if data == nil {
		return nil
	}
	return map[string]int{"bytes": len(data)}
}

// errWhole means that a file must be taken from one side as a whole.
var errWhole = errors.New("taken as a whole")

func (m *merger) file(name string, base, ours, theirs []byte, names *hash.Names) ([]byte, From, error) {
	if strings.EqualFold(path.Ext(name), ".IMAGESET") || imageset.Recognize(ours) {
		return m.images(base, ours, theirs)
	}
	o := modedit.Options{Names: names}
	mine, err := modedit.TreeOf(name, ours, o)
	if err != nil {
		return nil, 0, errWhole
	}
	its, err := modedit.TreeOf(name, theirs, o)
	if err != nil {
		return nil, 0, errWhole
	}
	isLayout := layout.Recognize(ours) || mine.Child("OBJECTS") != nil
	was := &text.Node{Name: mine.Name}
	if isLayout {
		was.AddNode("OBJECTS")
	}
	if base != nil {
		if was, err = modedit.TreeOf(name, base, o); err != nil {
			return nil, 0, errWhole
		}
		switch s := signature(was); {
		case s == signature(its) || signature(mine) == signature(its):
			return ours, Ours, nil
		case s == signature(mine):
			m.take("")
			return theirs, Theirs, nil
		}
	} else if signature(mine) == signature(its) {
		return ours, Ours, nil
	}
	data, err := modedit.EditTree(name, ours, o, func(root *text.Node) error {
		if isLayout {
			if !m.layout(was, root, its) {
				return errWhole
			}
		} else {
			m.name(was, root, its)
			m.node(was, root, its, root.Name)
		}
		if signature(root) == signature(mine) {
			return errUnchanged
		}
		return nil
	})
	switch {
	case errors.Is(err, errUnchanged):
		return ours, Ours, nil
	case err != nil && !errors.Is(err, errWhole):
		m.conflicts = nil
		return nil, 0, errWhole
	}
	return data, Merged, err
}

// name merges the names of the roots.
func (m *merger) name(base, ours, theirs *text.Node) {
	switch {
	case strings.EqualFold(ours.Name, theirs.Name) || strings.EqualFold(base.Name, theirs.Name):
	case strings.EqualFold(base.Name, ours.Name):
		ours.Name = theirs.Name
		m.take(theirs.Name)
	default:
		m.conflict(base.Name, "the root has other names", base.Name, ours.Name, theirs.Name)
		if m.theirs {
			ours.Name = theirs.Name
		}
	}
}
