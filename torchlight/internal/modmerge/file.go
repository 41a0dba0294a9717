package modmerge

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// Options control how versions are merged.
type Options struct {
	merge3.Options
	Names  *hash.Names // nil for the known names
	OnWarn func(path, message string)
}

// From is the origin of a merged file.
type From int

// A merged file is identical to the file of one side, or it is new.
const (
	Ours   = From(merge3.Ours)
	Theirs = From(merge3.Theirs)
	Merged = From(2)
)

// reportTo reports the result of merging a file.
func (m *merger) reportTo(log *merge3.Log) {
	conflicts, _ := m.log.End(nil)
	log.Report(conflicts...)
	if n := len(m.took); n > 0 {
		const few = 20
		c := check.Change{Path: m.path, What: "took from theirs", Count: int64(n), Unit: "changes"}
		if n <= few {
			c.At = m.took
		}
		log.Change(c)
	}
}

var errUnchanged = errors.New("unchanged")

// File merges the changes of two sides to a file. The name is its path in the game. Data files and layouts, as text or
// compiled, are merged key by key and object by object, image sets image by image. If both sides changed any other
// file, it is taken from one side as a whole, which is a conflict. If base is nil, because both sides added the file,
// everything that only one side has is kept.
func File(name string, base, ours, theirs []byte, o Options) ([]byte, []check.Conflict, error) {
	log := &merge3.Log{Options: o.Options}
	data, _, err := mergeFile(log, name, base, ours, theirs, o.Names)
	conflicts, err := log.End(err)
	return data, conflicts, err
}

func mergeFile(log *merge3.Log, name string, base, ours, theirs []byte, names *hash.Names) ([]byte, From, error) {
	side, both := merge3.Compare(base, ours, theirs, bytes.Equal)
	switch {
	case base == nil && !bytes.Equal(ours, theirs): // even if one of them is empty
	case !both:
		return merge3.Of(side, ours, theirs), From(side), nil
	}
	side = log.Prefer
	newMerger := func() *merger {
		return &merger{path: name, log: merge3.Log{Options: merge3.Options{Prefer: log.Prefer}}}
	}
	m := newMerger()
	data, from, err := m.file(name, base, ours, theirs, names)
	if errors.Is(err, errWhole) {
		m = newMerger()
		m.conflict("", "the file was changed on both sides", sizeOf(base), sizeOf(ours), sizeOf(theirs))
		data, from, err = merge3.Of(side, ours, theirs), From(side), nil
	}
	if err == nil {
		m.reportTo(log)
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
var errWhole = errors.New("taken as one unit")

func (m *merger) file(name string, base, ours, theirs []byte, names *hash.Names) ([]byte, From, error) {
	if strings.EqualFold(path.Ext(name), ".IMAGESET") || imageset.Recognize(ours) {
		return m.images(base, ours, theirs)
	}
	o := modedit.Options{Names: names}
	mine, err := modedit.TreeOf(name, ours, o)
	if err != nil {
		return nil, 0, errWhole
	}
	theirTree, err := modedit.TreeOf(name, theirs, o)
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
		side, both := merge3.Compare(signature(was), signature(mine), signature(theirTree), sameText)
		if !both {
			if side == merge3.Theirs {
				m.take("")
			}
			return merge3.Of(side, ours, theirs), From(side), nil
		}
	} else if signature(mine) == signature(theirTree) {
		return ours, Ours, nil
	}
	data, err := modedit.EditTree(name, ours, o, func(root *text.Node) error {
		if isLayout {
			if !m.layout(was, root, theirTree) {
				return errWhole
			}
		} else {
			m.name(was, root, theirTree)
			m.node(was, root, theirTree, root.Name)
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
		return nil, 0, errWhole
	}
	return data, Merged, err
}

// name merges the names of the roots.
func (m *merger) name(base, ours, theirs *text.Node) {
	b, o, t := base.Name, ours.Name, theirs.Name
	ours.Name = merge3.Of(merge3.Pick(b, o, t, strings.EqualFold, func() { m.take(t) }, func() merge3.Side {
		return m.conflict(b, "the root has different names", b, o, t)
	}), o, t)
}
