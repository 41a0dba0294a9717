package modedit

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/deep"
	"trowel.example/torchlight/internal/tables"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// UpdateTables updates the tables (.RAW) of the mod after all changes to data files and layouts. Records change only in
// the values that the changes affect; values inherited from unavailable files of the game are kept. Missing tables are
// not created, unless a change added the first file of their kind. UpdateTables must be called after all other changes.
func (e *Editor) UpdateTables() error {
	touched := e.tablesTouched()
	if !touched && len(e.owners) == 0 {
		return nil
	}
	var base tables.Sources
	if e.Base != nil {
		base = e.Base
	}
	now := make([]*file, 0, len(e.files))
	renamed := make(map[string]string)
	for _, f := range e.files {
		now = append(now, f)
		if f.from != "" && f.from != f.path {
			renamed[gameName(f.from)] = f.path
		}
	}
	var before, after map[string]raw.Table
	if touched {
		was := e.before
		if e.isNew {
			was = nil
			for _, f := range now {
				was = append(was, cmp.Or(f.was, f))
			}
		}
		before, _ = tables.Build(sourcesOf(e, was), base)
		after, _ = tables.Build(sourcesOf(e, now), base)
	}
	for _, kind := range raw.Kinds() {
		name := kind.File()
		b, a, f := before[name], after[name], e.find(name)
		changed := (a != nil || b != nil) && (a == nil || b == nil || !raw.Equal(a, b))
		if !changed && len(e.owners) == 0 {
			continue
		}
		if f == nil && len(e.owners) == 0 {
			if b == nil {
				if err := e.putTable(name, a, "new, with %s", words.Count(a.Len(), "record")); err != nil {
					return err
				}
			}
			continue
		}
		old := raw.New(kind)
		if f != nil {
			data, err := f.read()
			if err != nil {
				return err
			}
			if old, err = raw.Decode(data, kind); err != nil {
				e.Miss(f.path, fmt.Sprintf("unchanged, because it cannot be read: %v", err))
				continue
			}
		}
		made := raw.Clone(old)
		if len(e.owners) > 0 {
			e.adopt(made)
		}
		if changed {
			made = follow(made, orEmpty(b, kind), orEmpty(a, kind), renamed,
				func(name string) bool { f := e.find(name); return f != nil && f.adopted() })
		}
		n := differing(old, made)
		switch {
		case n == 0:
		case made.Len() == 0:
			delete(e.files, gameName(f.path))
			e.Report(check.Change{Path: f.path, What: "removed, because it has no more records", Count: int64(n), Unit: "records"})
		default:
			if err := e.putTable(name, made, "records updated"); err != nil {
				return err
			}
		}
	}
	return nil
}

func orEmpty(t raw.Table, kind raw.Kind) raw.Table {
	if t == nil {
		return raw.New(kind)
	}
	return t
}

func (e *Editor) putTable(name string, t raw.Table, what string, args ...any) error {
	data, err := raw.Encode(t)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	n := t.Len()
	if f := e.find(name); f != nil {
		old, _ := f.read()
		if table, err := raw.Decode(old, t.Kind()); err == nil {
			n = differing(table, t)
		}
		e.put(f, data)
	} else {
		e.add(name, data)
	}
	e.Report(check.Change{Path: name, What: fmt.Sprintf(what, args...), Count: int64(n), Unit: "records"})
	return nil
}

// tablesTouched reports whether a source of the tables has changed.
func (e *Editor) tablesTouched() bool {
	if e.archive == nil && e.folder == nil && !e.isNew {
		return false
	}
	for _, f := range e.files {
		if (f.new || f.from != f.path) && isTree(f.path) && !f.adopted() {
			return true
		}
	}
	stays := make(map[string]bool)
	for _, f := range e.files {
		stays[f.from] = true
	}
	return slices.ContainsFunc(e.before, func(f *file) bool { return isTree(f.path) && !stays[f.path] })
}

// sources are the files to build tables from.
type sources struct {
	e     *Editor
	files map[string]*file
	paths []string
}

func sourcesOf(e *Editor, files []*file) *sources {
	s := &sources{e: e, files: make(map[string]*file)}
	for _, f := range files {
		name := gameName(f.path)
		s.files[name] = f
		s.paths = append(s.paths, name)
	}
	slices.Sort(s.paths)
	return s
}

func (s *sources) Files() iter.Seq[string] { return slices.Values(s.paths) }

func (s *sources) Tree(name string) (*text.Node, error) {
	f := s.files[name]
	if f == nil {
		return nil, errNotThere
	}
	data, err := f.read()
	if err != nil {
		return nil, err
	}
	return s.e.tree(f.path, data)
}

// lists returns the lists of records of a table, in the order of its fields.
func lists(t raw.Table) []reflect.Value {
	var all []reflect.Value
	v := reflect.ValueOf(t).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct {
			if _, ok := f.Type().Elem().FieldByName("File"); ok {
				all = append(all, f)
			}
		}
	}
	return all
}

func fileOf(record reflect.Value) string { return gameName(record.FieldByName("File").String()) }

// follow applies to a table the differences between before and after, which were both built, except for files whose
// records are already right.
func follow(t, before, after raw.Table, renamed map[string]string, right func(name string) bool) raw.Table {
	olds, befores, afters := lists(t), lists(before), lists(after)
	origin := make(map[string]string)
	for from, to := range renamed {
		origin[gameName(to)] = gameName(from)
	}
	for i, old := range olds {
		was, now := byFile(befores[i]), byFile(afters[i])
		var kept []reflect.Value
		there := make(map[string]bool)
		for j := range old.Len() {
			record := reflect.New(old.Type().Elem()).Elem()
			record.Set(old.Index(j))
			name := fileOf(record)
			b, hadBuilt := was[name]
			a, builds := now[gameName(cmp.Or(renamed[name], name))]
			hadBuilt = hadBuilt && !right(name)
			if hadBuilt && !builds {
				continue
			}
			if hadBuilt {
				for k := range record.NumField() {
					if !deep.Equal(b.Field(k).Interface(), a.Field(k).Interface()) {
						record.Field(k).Set(a.Field(k))
					}
				}
			}
			there[fileOf(record)] = true
			kept = append(kept, record)
		}
		// New records are inserted at their place in the built table. Records that the table lacked before the change
		// are not added.
		following := make(map[string][]reflect.Value)
		last := ""
		for j := range afters[i].Len() {
			record := afters[i].Index(j)
			name := fileOf(record)
			if _, had := was[cmp.Or(origin[name], name)]; there[name] {
				last = name
			} else if !had && !right(name) {
				following[last] = append(following[last], record)
			}
		}
		old.Set(woven(old.Type(), kept, following))
	}
	return t
}

func byFile(list reflect.Value) map[string]reflect.Value {
	m := make(map[string]reflect.Value, list.Len())
	for i := range list.Len() {
		m[fileOf(list.Index(i))] = list.Index(i)
	}
	return m
}

// differing returns the number of records that are not equal in both tables.
func differing(a, b raw.Table) int {
	n := 0
	as, bs := lists(a), lists(b)
	for i := range as {
		x, y := byFile(as[i]), byFile(bs[i])
		for name, record := range x {
			if other, ok := y[name]; !ok || !deep.Equal(record.Interface(), other.Interface()) {
				n++
			}
		}
		for name := range y {
			if _, ok := x[name]; !ok {
				n++
			}
		}
	}
	return n
}
