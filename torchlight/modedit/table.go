package modedit

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/text"
)

// Table is a kind of things, each of which is defined in one file of a mod.
type Table string

// The tables.
const (
	Skills  Table = "skills"
	Units   Table = "units" // except items: monsters, players, props
	Items   Table = "items"
	Affixes Table = "affixes"
)

// Tables are all tables.
var Tables = []Table{Skills, Units, Items, Affixes}

// Has reports whether a file belongs to the table, by its path in the game.
func (t Table) Has(name string) bool {
	name = gameName(name)
	if extension(name) != ".DAT" {
		return false
	}
	const items = "MEDIA/UNITS/ITEMS/"
	switch t {
	case Skills:
		return strings.HasPrefix(name, "MEDIA/SKILLS/")
	case Units:
		return strings.HasPrefix(name, "MEDIA/UNITS/") && !strings.HasPrefix(name, items)
	case Items:
		return strings.HasPrefix(name, items)
	}
	return strings.HasPrefix(name, "MEDIA/AFFIXES/")
}

// columnFile is the column with the file of a row.
const columnFile = "file"

// firstColumns are the columns that come first, because users look for them first.
var firstColumns = []string{"NAME", "DISPLAYNAME", "BASEFILE", "UNITTYPE", "LEVEL", "MINLEVEL", "MAXLEVEL", "RARITY"}

// Table returns a table of the mod as CSV in the form of [FormatCSV]: a row for each file, and a column for each key
// that a file has in its root or inherits from its base files. If columns are given, they replace these; a column with
// periods is the path of a key in nodes below the root, for example LEVEL1.MANACOST. Of several equal keys the first is
// used, except for AFFIXES.AFFIX: the affixes of a file and of its base files add up. 64-bit numbers, and texts that a
// spreadsheet would change, begin with #. Missing are the base files that are unavailable.
func (e *Editor) Table(t Table, columns []string) (data []byte, missing []string, err error) {
	files := e.matching(t.Has)
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("the mod has no %s", t)
	}
	r := e.newResolver()
	chains := make([]inherit.Chain, 0, len(files))
	var seen []string
	known := make(map[uint32]bool)
	files = slices.DeleteFunc(files, func(f *file) bool {
		root, err := r.own(f.path)
		if err != nil {
			e.Miss(f.path, fmt.Sprintf("left out, because it cannot be read: %v", err))
			return true
		}
		chain := r.chain(f.path, root)
		chains = append(chains, chain)
		for _, v := range chain.Values() {
			if key := hash.Of(v.Key); !known[key] {
				known[key] = true
				seen = append(seen, strings.ToUpper(v.Key))
			}
		}
		return false
	})
	if len(columns) == 0 {
		for _, key := range firstColumns {
			if known[hash.Of(key)] {
				columns = append(columns, key)
			}
		}
		for _, key := range seen {
			if !slices.ContainsFunc(firstColumns, text.Named(key)) {
				columns = append(columns, key)
			}
		}
	}
	rows := [][]string{append([]string{columnFile}, columns...)}
	for i, f := range files {
		row := []string{f.path}
		for _, column := range columns {
			value := ""
			if v, ok := chains[i].Find(column); ok {
				value = toSheet(v.Type, v.Value)
			}
			row = append(row, value)
		}
		rows = append(rows, row)
	}
	return formatRows(rows), r.missing, nil
}

// resolver finds the values that a file inherits from its base files.
type resolver struct {
	e       *Editor
	trees   map[string]*text.Node
	types   map[string]text.Type // of columns
	missing []string
}

func (e *Editor) newResolver() *resolver {
	return &resolver{e: e, trees: make(map[string]*text.Node), types: make(map[string]text.Type)}
}

// own returns the tree of a file of the mod.
func (r *resolver) own(name string) (*text.Node, error) {
	name = gameName(name)
	if root := r.trees[name]; root != nil {
		return root, nil
	}
	root, err := r.e.Tree(name)
	if err == nil {
		r.trees[name] = root
	}
	return root, err
}

// chain returns a file and its base files.
func (r *resolver) chain(name string, root *text.Node) inherit.Chain {
	c := inherit.Follow(name, root, func(base string) (*text.Node, error) {
		n, err := r.own(base)
		if errors.Is(err, fs.ErrNotExist) && r.e.Base != nil {
			if n, err = r.e.Base.Tree(base); err == nil {
				r.trees[base] = n
			}
		}
		return n, err
	})
	// check reports loops
	if c.Err != nil && !errors.Is(c.Err, inherit.ErrLoop) && !slices.Contains(r.missing, c.Missing) {
		r.missing = append(r.missing, c.Missing)
	}
	return c
}

// cell is a change of a value in a file by a table.
type cell struct {
	column, value string
	t             text.Type
	remove        bool
}

// SetTable applies a CSV of Table to the mod. Cells that differ from the mod are written to the file of their row, even
// if the value was inherited from a base file, which is not changed. An emptied cell removes the key from the file, so
// that the inherited value applies again. Rows and columns may be omitted and reordered; a column <TYPE>KEY adds a key
// that no file has yet. Values may begin with # as in Table, or not. SetTable returns the number of changed values. The
// error for a problem of the CSV is a [*fault.TextError], or a [CellsError] with all cells that are invalid for their
// type, or were rounded by a spreadsheet. In these cases nothing changes.
func (e *Editor) SetTable(data []byte) (int, error) {
	rows, lines, err := parseRows(data)
	if err != nil {
		return 0, err
	}
	columns, types, at, err := tableColumns(rows[0])
	if err != nil {
		return 0, err
	}
	r := e.newResolver()
	cells := make(map[*file][]cell)
	var files []*file
	var wrong CellsError
	for i, row := range rows[1:] {
		fail := func(column, what string) {
			wrong = append(wrong, &fault.TextError{Line: lines[i+1], Msg: column + ": " + what})
		}
		if at >= len(row) || row[at] == "" {
			continue
		}
		f := e.find(row[at])
		if f == nil {
			f = e.find("MEDIA/" + row[at])
		}
		if f == nil || !isData(f.path) {
			fail(columnFile, row[at]+" is not a data file of the mod")
			continue
		}
		if cells[f] != nil {
			fail(columnFile, row[at]+" has two rows")
			continue
		}
		root, err := r.own(f.path)
		if err != nil {
			fail(columnFile, fmt.Sprintf("%s cannot be read: %v", f.path, err))
			continue
		}
		chain := r.chain(f.path, root)
		cells[f] = []cell{}
		for j, value := range row[:min(len(row), len(columns))] {
			if j == at || columns[j] == "" {
				continue
			}
			switch c, err := r.changedCell(chain, columns[j], types[j], value); {
			case err != nil:
				fail(columns[j], err.Error())
			case c != nil:
				cells[f] = append(cells[f], *c)
			}
		}
		if len(cells[f]) > 0 {
			files = append(files, f)
		}
	}
	if wrong != nil {
		return 0, wrong
	}
	return e.each(files, func(f *file, root *text.Node) ([]check.Change, error) {
		t := changeCounts{file: f.path, unit: "values"}
		for _, c := range cells[f] {
			n, key := inherit.Below(root, c.column)
			if n == nil {
				return nil, fmt.Errorf("%s: the file has no such node", c.column)
			}
			t.put(root, n, key, c)
		}
		return t.changes(), nil
	})
}

// put writes a cell into its node.
func (t *changeCounts) put(root, n *text.Node, key string, c cell) {
	where := nodePlace{name: root.Name}
	for i, it := range n.Items {
		p, ok := it.(*text.Property)
		if !ok || !text.Named(key)(p.Key) {
			continue
		}
		if c.remove {
			t.note(where, c.column, p.Key+": "+shown(p.Value)+" is removed")
			n.Items = slices.Delete(n.Items, i, i+1)
		} else {
			t.note(where, c.column, p.Key+": "+shown(p.Value)+" became "+shown(c.value))
			p.Value = c.value
		}
		return
	}
	key = strings.ToUpper(hash.Known().Spelled(key))
	addProperty(n, c.t, key, c.value)
	t.note(where, c.column, "added "+key+": "+shown(c.value))
}

// tableColumns returns the keys of columns, the types of columns that state one, and the index of the file column.
func tableColumns(head []string) (columns []string, types []text.Type, file int, err error) {
	file = -1
	been := make(map[uint32]bool)
	for i, name := range head {
		name = strings.TrimSpace(name)
		var t text.Type
		if strings.HasPrefix(name, "<") {
			word, key, _ := strings.Cut(name[1:], ">")
			var ok bool
			if t, ok = text.ParseType(word); !ok {
				return nil, nil, 0, &fault.TextError{Line: 1, Msg: fmt.Sprintf("%s: expected a type, such as STRING, not %q", name, word)}
			}
			name = key
		}
		switch {
		case strings.EqualFold(name, columnFile) && file < 0:
			file = i
		case been[hash.Meant(name)] && name != "":
			return nil, nil, 0, &fault.TextError{Line: 1, Msg: "two columns have the name " + name}
		case name != "" && !text.FitsKey(name):
			return nil, nil, 0, &fault.TextError{Line: 1, Msg: fmt.Sprintf("%q cannot be a key", name)}
		}
		been[hash.Meant(name)] = true
		columns, types = append(columns, name), append(types, t)
	}
	if file < 0 {
		return nil, nil, 0, &fault.TextError{Line: 1, Msg: "no column " + columnFile + ", the file of each row"}
	}
	return columns, types, file, nil
}

// changedCell returns the change that a cell makes, or nil for none.
func (r *resolver) changedCell(chain inherit.Chain, column string, t text.Type, value string) (*cell, error) {
	v, has := chain.Find(column)
	was := ""
	if has {
		t, was = v.Type, v.Value
	}
	switch {
	case value == was:
		return nil, nil
	case strings.EqualFold(column, inherit.Affixes) && len(chain.Affixes()) > 1:
		return nil, errors.New("affixes add up along BASEFILE: change them in their files, with set or add-key")
	case value == "" && has && v.Link == 0:
		return &cell{column: column, remove: true}, nil
	case value == "":
		return nil, errors.New("the value comes from the base file and cannot be removed here")
	case t == 0:
		if t = r.typeOf(column); t == 0 {
			return nil, fmt.Errorf("no file has this key: name the column <TYPE>%s, such as <INTEGER>%s", column, column)
		}
	}
	if value = fromSheet(t, value); value == was {
		return nil, nil
	}
	now, err := typed(t, value)
	if err != nil {
		return nil, err
	}
	if before, _ := typed(t, was); has && before == now {
		return nil, nil // the value is equal, in another spelling
	}
	if err := damagedBySheet(t, was, value); err != nil {
		return nil, err
	}
	return &cell{column: column, value: now, t: t}, nil
}

// typeOf returns the type that a key has in the mod, or 0 if no file has the key.
func (r *resolver) typeOf(column string) text.Type {
	t, known := r.types[column]
	if known {
		return t
	}
	for _, f := range r.e.matching(isData) {
		if root, err := r.e.Tree(f.path); err == nil {
			if v, ok := (inherit.Chain{Links: []inherit.Link{{Root: root}}}).Find(column); ok {
				t = v.Type
				break
			}
		}
	}
	r.types[column] = t
	return t
}
