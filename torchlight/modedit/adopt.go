package modedit

import (
	"bytes"
	"io/fs"
	"reflect"
	"slices"

	"trowel.example/internal/values/deep"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// TreeOf returns the tree of a data file or a layout, as text or compiled. The name is its path in the game. Numbers
// have all their digits.
func TreeOf(name string, data []byte, o Options) (*text.Node, error) {
	return newEditor(o).tree(name, data)
}

// EditTree changes a data file or a layout, as text or compiled, by its tree. Unchanged parts keep their bits. If
// change fails, EditTree returns its error.
func EditTree(name string, data []byte, o Options, change func(root *text.Node) error) ([]byte, error) {
	return newEditor(o).edited(name, data, change)
}

// NewMod returns an editor of a new mod without files. [Editor.WriteMod] writes the mod.
func NewMod(h *mod.Header, o Options) *Editor {
	e := newEditor(o)
	e.header, e.isNew = h, true
	return e
}

// Header returns the header of the mod, which may be modified, or nil if the editor has no mod.
func (e *Editor) Header() *mod.Header { return e.header }

// Adopt copies a file from another editor, which must stay open. It replaces a file of the same path. The block of an
// archive is copied unchanged; the file's records in tables come from the other editor.
func (e *Editor) Adopt(from *Editor, name string) error {
	f := from.find(name)
	if f == nil {
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if !slices.Contains(e.owners, from) {
		e.owners = append(e.owners, from)
	}
	own := e.find(name)
	if own == nil {
		own = &file{path: gameName(name)}
		e.files[own.path] = own
	}
	own.read, own.source, own.owner, own.new = f.read, f.source, from, true
	return nil
}

// Follow applies the differences between the tables of base and those of another editor to the records of the tables,
// so that values that a record inherits from a changed file change, too. The editor base is the common ancestor of both
// mods.
func (e *Editor) Follow(base, from *Editor) {
	e.ancestor = base
	if !slices.Contains(e.owners, from) {
		e.owners = append(e.owners, from)
	}
}

// Replace gives a file, which may be an adopted one, another content in its stored form.
func (e *Editor) Replace(name string, data []byte) {
	f := e.find(name)
	if f == nil {
		e.add(name, data)
		return
	}
	if f.owner != nil {
		was := *f
		f.was = &was
	}
	e.put(f, data)
}

// Remove removes a file. The file need not exist.
func (e *Editor) Remove(name string) { delete(e.files, gameName(name)) }

// SameFile reports whether a file has the same content in two editors.
func SameFile(a, b *Editor, name string) (bool, error) {
	x, y := a.find(name), b.find(name)
	if x == nil || y == nil {
		return x == nil && y == nil, nil
	}
	if x.source != nil && y.source != nil {
		if x.source.Record.CRC32 != y.source.Record.CRC32 || x.source.Record.Size != y.source.Record.Size {
			return false, nil
		}
		if one, err := x.source.Block(); err == nil {
			if other, err := y.source.Block(); err == nil && bytes.Equal(one, other) {
				return true, nil
			}
		}
	}
	one, err := x.read()
	if err != nil {
		return false, err
	}
	other, err := y.read()
	return bytes.Equal(one, other), err
}

// Records returns a table (.RAW) of the mod, or nil if it has no readable one of this kind.
func (e *Editor) Records(kind raw.Kind) raw.Table {
	data, err := e.Content(kind.File())
	if err != nil {
		return nil
	}
	t, err := raw.Decode(data, kind)
	if err != nil {
		return nil
	}
	return t
}

// adopted reports whether a file was adopted from another editor and not changed since.
func (f *file) adopted() bool { return f.owner != nil && f.was == nil }

// adopt copies the records of adopted files from the tables of their owners into a table, and removes the records of
// deleted files.
func (e *Editor) adopt(t raw.Table) {
	gone := make(map[string]bool)
	for _, f := range e.before {
		gone[gameName(f.path)] = e.find(f.path) == nil
	}
	for i, list := range lists(t) {
		theirs := make(map[*Editor]reflect.Value)
		of := make(map[*Editor]map[string]reflect.Value)
		for _, owner := range e.owners {
			if table := owner.Records(t.Kind()); table != nil {
				theirs[owner] = lists(table)[i]
				of[owner] = byFile(theirs[owner])
			}
		}
		var was map[string]reflect.Value // records of the ancestor
		if e.ancestor != nil {
			if table := e.ancestor.Records(t.Kind()); table != nil {
				was = byFile(lists(table)[i])
			}
		}
		var kept []reflect.Value
		there := make(map[string]bool)
		for j := range list.Len() {
			record := list.Index(j)
			name := fileOf(record)
			f, other := e.find(name), reflect.Value{}
			if f != nil && f.owner != nil {
				adopted, has := of[f.owner][name]
				if !has {
					continue
				}
				record, other = adopted, record
			} else if e.ancestor != nil {
				other = of[e.owners[0]][name]
			}
			if before, has := was[name]; has && other.IsValid() {
				record = bothOf(before, record, other)
			}
			if !gone[name] {
				kept, there[name] = append(kept, record), true
			}
		}
		after := make(map[string][]reflect.Value)
		for _, owner := range e.owners {
			from, last := theirs[owner], ""
			if !from.IsValid() {
				continue
			}
			for j := range from.Len() {
				name := fileOf(from.Index(j))
				if there[name] {
					last = name
				} else if f := e.find(name); f != nil && f.owner == owner {
					after[last] = append(after[last], from.Index(j))
				}
			}
		}
		list.Set(woven(list.Type(), kept, after))
	}
}

// bothOf returns record with the fields of other that differ from before, unless record has changed them itself.
func bothOf(before, record, other reflect.Value) reflect.Value {
	out := reflect.New(record.Type()).Elem()
	out.Set(record)
	for k := range out.NumField() {
		b, x, y := before.Field(k), out.Field(k), other.Field(k)
		if deep.Equal(b.Interface(), x.Interface()) && !deep.Equal(x.Interface(), y.Interface()) {
			x.Set(y)
		}
	}
	return out
}

// woven returns a list of records, each followed by the records in behind for its file. Records in behind[""] come
// first.
func woven(t reflect.Type, kept []reflect.Value, after map[string][]reflect.Value) reflect.Value {
	out := reflect.Append(reflect.MakeSlice(t, 0, len(kept)), after[""]...)
	for _, record := range kept {
		out = reflect.Append(reflect.Append(out, record), after[fileOf(record)]...)
	}
	return out
}

// Has reports whether a file with a path exists, ignoring case.
func (e *Editor) Has(name string) bool { return e.find(name) != nil }
