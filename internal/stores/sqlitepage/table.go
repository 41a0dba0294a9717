package sqlitepage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"trowel.example/fault"
)

// ErrNoTable means that a database has no table of a name.
var ErrNoTable = errors.New("no such table")

// A TableReader reads the rows of a table.
type TableReader struct {
	Name    string
	SQL     string // the statement that creates the table
	Columns []Column

	db      *DB
	main    tree
	rowid   int    // the column that is an alias of the rowid, or -1
	place   []int  // the place of each column in the record, or -1
	primary *index // of a table without rowids: the table itself
	indexes []*index
}

// index is an index of a table, or the tree of a table without rowids.
type index struct {
	tree
	keys  []keyColumn // those of the statement, then those that refer to the row; without columns, the rowid
	place map[int]int // the place of a column in the record
}

// Table returns a table. The error wraps [ErrNoTable] if there is none of this name, and errors.ErrUnsupported if it
// is a view, or a virtual table, which a program computes.
func (db *DB) Table(name string) (*TableReader, error) {
	o := db.object(name)
	switch {
	case o == nil:
		return nil, fmt.Errorf("%s: %w: %q", db.file.path, ErrNoTable, name)
	case o.Kind == "view":
		return nil, db.unsupported(name, "a table", "a view")
	case o.Root == 0:
		return nil, db.unsupported(name, "a table with rows", "a virtual table")
	}
	if strings.EqualFold(name, "sqlite_sequence") && o.SQL == "" {
		o.SQL = "CREATE TABLE sqlite_sequence(name,seq)"
	}
	c, ok := parseTable(o.SQL)
	if !ok {
		return nil, db.unsupported(name, "a CREATE TABLE statement", fmt.Sprintf("%.80q", o.SQL))
	}
	t := &TableReader{Name: o.Name, SQL: o.SQL, Columns: c.columns, db: db, rowid: c.rowid, main: tree{db: db, root: o.Root}}
	for i := range c.columns {
		place := -1
		if !c.columns[i].virtual {
			place = i - countVirtual(c.columns[:i])
		}
		t.place = append(t.place, place)
	}
	if c.withoutRowID {
		t.main.index = true
		keys := t.unique(c, nil, c.primary)
		for i := range c.columns {
			if !c.columns[i].virtual && !slices.ContainsFunc(keys, func(k keyColumn) bool { return k.column == i }) {
				keys = append(keys, keyColumn{column: i})
			}
		}
		t.primary = t.newIndex(c, o.Root, keys)
	}
	db.addIndexes(t, c)
	return t, nil
}

func countVirtual(columns []Column) (n int) {
	for _, c := range columns {
		if c.virtual {
			n++
		}
	}
	return n
}

func (db *DB) unsupported(path, want, got string) error {
	return &fault.Error{File: db.file.path, Path: path, Offset: -1, Want: want, Got: got, Err: errors.ErrUnsupported}
}

// addIndexes finds the indexes of a table that contain all of its rows.
func (db *DB) addIndexes(t *TableReader, c *creation) {
	for _, o := range db.objects {
		if o.Kind != "index" || o.Root == 0 || !strings.EqualFold(o.Table, t.Name) {
			continue
		}
		var keys []keyColumn
		partial, ok := false, false
		if o.SQL != "" {
			keys, partial, ok = c.parseIndex(o.SQL)
		} else {
			for i, k := range c.unique { // automatic indexes are numbered
				if strings.EqualFold(o.Name, fmt.Sprintf("sqlite_autoindex_%s_%d", t.Name, i+1)) {
					keys, ok = k, true
				}
			}
		}
		if !ok || partial {
			continue
		}
		if keys = slices.Clone(keys); t.primary != nil {
			keys = t.unique(c, keys, c.primary)
		} else {
			keys = append(keys, keyColumn{column: -1})
		}
		t.indexes = append(t.indexes, t.newIndex(c, o.Root, keys))
	}
}

// unique appends the columns of a key that are not in a list yet with the same collation.
func (t *TableReader) unique(c *creation, list, key []keyColumn) []keyColumn {
	for _, k := range key {
		if !slices.ContainsFunc(list, func(x keyColumn) bool { return x.column == k.column && c.collationOf(x) == c.collationOf(k) }) {
			list = append(list, k)
		}
	}
	return list
}

func (t *TableReader) newIndex(c *creation, root uint32, keys []keyColumn) *index {
	ix := &index{tree: tree{db: t.db, root: root, index: true}, keys: keys, place: make(map[int]int)}
	for i := range keys {
		k := &keys[i]
		k.collation = c.collationOf(*k)
		k.desc = k.desc && !t.db.legacy
		if _, ok := ix.place[k.column]; !ok && k.column >= 0 {
			ix.place[k.column] = i
		}
	}
	return ix
}

// Column returns the number of a column, or -1.
func (t *TableReader) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
}

// RowID returns the rowid of a row. It is 0 in a table without rowids.
func (e *Entry) RowID() (int64, error) {
	switch {
	case e.index == nil:
		return e.cell.rowid, nil
	case e.table.primary != nil:
		return 0, nil
	}
	v, ok, err := e.stored(len(e.index.keys) - 1)
	if err == nil && (!ok || v.class != Integer) {
		err = e.bad("an entry of an index without a rowid")
	}
	return v.i, err
}

// Value returns the value of a column: nil, int64, float64, string or []byte.
func (e *Entry) Value(column int) (any, error) {
	v, err := e.field(column)
	if err != nil {
		return nil, err
	}
	return e.w.db.file.decode(v), nil
}

// Size returns the kind of the value of a column, and for a text or a blob its size in bytes, without reading it.
func (e *Entry) Size(column int) (Kinds, int64, error) {
	row, place, err := e.holder(column)
	if err != nil {
		return 0, 0, err
	}
	if place >= 0 && column != e.table.rowid {
		kind, _, ok, err := row.locate(place)
		if err != nil {
			return 0, 0, err
		}
		if size, _ := sizeOf(kind); ok && kind >= 12 {
			return [2]Kinds{Blob, Text}[kind%2], size, nil
		}
	}
	v, err := e.Value(column)
	size := int64(0)
	switch v := v.(type) {
	case string:
		size = int64(len(e.w.db.file.encode(v)))
	case []byte:
		size = int64(len(v))
	}
	return kindOf(v), size, err
}

// holder returns the entry that stores a column, and the place of the column in the entry.
func (e *Entry) holder(column int) (*Entry, int, error) {
	t := e.table
	if t.Columns[column].virtual {
		return nil, 0, t.db.unsupported(t.Name+"."+t.Columns[column].Name, "a stored column", "a generated column")
	}
	if e.index == nil {
		return e, t.place[column], nil
	}
	if place, ok := e.index.place[column]; ok {
		return e, place, nil
	}
	if t.primary == nil && column == t.rowid {
		return e, len(e.index.keys) - 1, nil
	}
	if e.row == nil {
		if err := e.fetch(); err != nil {
			return nil, 0, err
		}
	}
	return e.row.holder(column)
}

// field returns the value of a column.
func (e *Entry) field(column int) (field, error) {
	row, place, err := e.holder(column)
	if err != nil {
		return field{}, err
	}
	t := e.table
	if row.index == nil && column == t.rowid {
		return field{class: Integer, i: row.cell.rowid}, nil
	}
	v, ok, err := row.stored(place)
	switch {
	case err != nil:
	case !ok && row.index != nil && row.index != t.primary:
		err = row.bad("an entry of an index with too few values")
	case !ok && t.Columns[column].unknown:
		err = t.db.unsupported(t.Name+"."+t.Columns[column].Name, "a constant default value", "an expression")
	case !ok:
		v = t.db.file.fieldFrom(t.Columns[column].fallback)
	case v.class == Integer && t.Columns[column].Affinity == RealAffinity:
		v = field{class: Float, f: float64(v.i)}
	}
	return v, err
}

// fetch finds the row of an entry of an index.
func (e *Entry) fetch() (err error) {
	t := e.table
	var ref reference
	if t.primary == nil {
		ref.rowid, err = e.RowID()
	} else {
		for _, k := range t.primary.keys[:t.keyLength()] {
			v, _, bad := e.stored(e.index.place[k.column])
			ref.key, err = append(ref.key, v), errors.Join(err, bad)
		}
	}
	if err == nil {
		e.row, err = t.find(e.w, ref)
	}
	if err == nil && e.row == nil {
		err = e.bad("an entry of an index without a row")
	}
	return err
}

// reference is the rowid of a row, or its primary key in a table without rowids.
type reference struct {
	rowid int64
	key   []field
}

// find returns a row as a part of a walk; nil if there is none.
func (t *TableReader) find(w *walk, ref reference) (row *Entry, err error) {
	if t.primary == nil {
		if row, err = w.find(&t.main, ref.rowid); row != nil {
			row.table = t
		}
		return row, err
	}
	for i, k := range t.primary.keys[:len(ref.key)] {
		if ref.key[i].class == Text && !knownCollation(k.collation) {
			return nil, t.unknownCollation(k.column)
		}
	}
	t.primary.walk(w.ctx).run(t.primary.root, 0, func(e *Entry) (bool, error) {
		c, err := e.compare(t.primary, ref.key)
		return c < 0, err
	}, func(e *Entry) bool {
		same := 0
		if same, err = e.compare(t.primary, ref.key); same == 0 && err == nil {
			row = e
			row.w, row.table, row.index = w, t, t.primary
		}
		return false
	}, func(bad error) bool { err = bad; return false })
	return row, err
}

func (t *TableReader) unknownCollation(column int) error {
	return t.db.unsupported(t.Name+"."+t.Columns[column].Name, "the collation BINARY, NOCASE or RTRIM", t.collation(column))
}

// keyLength returns the number of columns of the primary key of a table without rowids.
func (t *TableReader) keyLength() int {
	n := 0
	for n < len(t.primary.keys) && t.Columns[t.primary.keys[n].column].Key > 0 {
		n++
	}
	return n
}

// compare compares the first values of an entry with a key, in the order of an index.
func (e *Entry) compare(ix *index, key []field) (int, error) {
	for i, want := range key {
		v, ok, err := e.stored(i)
		if err == nil && !ok {
			err = e.bad("an entry of an index with too few values")
		}
		if err != nil {
			return 0, err
		}
		if c := e.w.db.file.compare(v, want, ix.keys[i].collation); c != 0 {
			if ix.keys[i].desc {
				c = -c
			}
			return c, nil
		}
	}
	return 0, nil
}
