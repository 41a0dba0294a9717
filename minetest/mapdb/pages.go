package mapdb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/stores/sqlitepage"
)

// pagesDB is an SQLite database that is read without SQLite. No program may write to it. A damaged page is an error in
// the loop over its blocks; the blocks in other pages are read.
type pagesDB struct {
	blockTable
	db   *sqlitepage.DB
	keys *sqlitepage.Order
	key  []int // the key columns, in key order
	data int   // the column with the bytes
}

func openPages(ctx context.Context, path string) (*pagesDB, error) {
	db, err := sqlitepage.OpenDB(ctx, path)
	if err != nil {
		return nil, err
	}
	p, err := newPages(path, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return p, nil
}

// newPages determines the schema of an open database.
func newPages(path string, db *sqlitepage.DB) (*pagesDB, error) {
	table, err := db.Table("blocks")
	isView := table == nil && !errors.Is(err, sqlitepage.ErrNoTable)
	var columns []string
	first := ""
	if err == nil {
		for _, c := range table.Columns {
			if c.Generated {
				continue
			}
			columns = append(columns, strings.ToLower(c.Name))
			if c.Key == 1 && c.Affinity == sqlitepage.IntegerAffinity {
				first = strings.ToLower(c.Name)
			}
		}
	}
	layout, bad := layoutOf(path, err == nil, isView, columns, first)
	if bad != nil {
		return nil, bad
	}
	p := &pagesDB{blockTable: layout, db: db, data: table.Column("data")}
	names := strings.Split(p.keyColumns(), ", ")
	for _, name := range names {
		p.key = append(p.key, table.Column(name))
	}
	p.keys, err = table.Order(names...)
	return p, err
}

// Get returns the bytes of a block.
func (p *pagesDB) Get(ctx context.Context, pos Pos) ([]byte, error) {
	key := p.keyOf(pos)
	for row, err := range p.keys.Range(ctx, sqlitepage.Range{From: key, To: key}) {
		var data []byte
		if err == nil {
			data, err = p.bytesOf(row, key, pos)
		}
		if row, ok := errors.AsType[*RowError](p.failed(err)); ok {
			return nil, row.at(pos)
		}
		return data, err
	}
	return nil, notFound(pos)
}

// bytesOf reads the bytes of a block.
func (p *pagesDB) bytesOf(row *sqlitepage.Entry, key []any, pos Pos) ([]byte, error) {
	kind, size, err := row.Size(p.data)
	switch {
	case err != nil:
		return nil, err
	case kind != sqlitepage.Blob:
		name := map[sqlitepage.Kinds]string{sqlitepage.Null: "null", sqlitepage.Integer: "integer", sqlitepage.Float: "real",
			sqlitepage.Text: "text"}[kind]
		return nil, badRow(p.path, keyText(key), "data", "a blob", name).at(pos)
	}
	if err := tooLarge(p.path, keyText(key), size, pos); err != nil {
		return nil, err
	}
	v, err := row.Value(p.data)
	data, _ := v.([]byte)
	return data, err
}

// failed converts an error about a damaged page.
func (p *pagesDB) failed(err error) error {
	var e *fault.Error
	if _, isRow := errors.AsType[*RowError](err); isRow || !errors.Is(err, fault.ErrFormat) || !errors.As(err, &e) {
		return err
	}
	return &RowError{Err: err, At: []check.Place{check.Span{Offset: e.Offset, Length: int64(p.db.PageSize())}}}
}

// rangeOf returns the range of keys of an area, and whether there is any.
func (p *pagesDB) rangeOf(a Area) (rng sqlitepage.Range, ok bool) {
	if a == All() {
		return rng, true
	}
	first, ok := p.order.next(a, a.Min)
	return sqlitepage.Range{From: p.edge(a, first), To: p.edge(a, a.Max)}, ok
}

// scan yields the rows of an area in the order of the key, after a position if there is one.
func (p *pagesDB) scan(ctx context.Context, a Area, after *Pos, data bool, yield func(Block, error) bool) {
	a = a.within()
	rng, again := p.rangeOf(a)
	if after != nil {
		rng.From, rng.After = p.keyOf(*after), true
	}
	nulls := 0
	for again {
		again = false
		for row, err := range p.keys.Range(ctx, rng) {
			var b Block
			kind := keyPos
			if err == nil {
				b, kind, err = p.block(row, a, data)
			}
			if kind == keyNull {
				nulls++
			}
			switch {
			case err == errOutside:
				var next Pos
				next, again = p.order.next(a, b.Pos)
				rng.From, rng.After = p.keyOf(next), false
			case nulls > pageRows && kind == keyNull:
				continue
			default:
				err = p.failed(err)
				_, isRow := errors.AsType[*RowError](err)
				if !yield(b, err) || err != nil && !isRow {
					return
				}
				continue
			}
			break
		}
	}
	if nulls > pageRows {
		yield(Block{}, badRow(p.path, "NULL", "", "the integers of a position", fmt.Sprintf("%d more rows with NULL", nulls-pageRows)))
	}
}

// errOutside means that a block is outside an area.
var errOutside = errors.New("outside the area")

// block reads a row, and returns the kind of its key.
func (p *pagesDB) block(row *sqlitepage.Entry, a Area, data bool) (b Block, kind int, err error) {
	key, err := p.keyIn(row)
	if err != nil {
		return b, keyPos, err
	}
	pos, kind := p.position(key)
	switch {
	case kind != keyPos:
		return b, kind, p.oddRow(key)
	case !a.Contains(pos):
		return Block{Pos: pos}, kind, errOutside
	}
	if data {
		if b.Data, err = p.bytesOf(row, key, pos); err != nil {
			if row, ok := errors.AsType[*RowError](p.failed(err)); ok {
				row.Key = keyText(key)
				err = row.at(pos)
			}
			return Block{}, kind, err
		}
	}
	b.Pos = pos
	return b, kind, nil
}

// keyIn returns the key of a row.
func (p *pagesDB) keyIn(row *sqlitepage.Entry) (key []any, err error) {
	key = make([]any, len(p.key))
	for i, column := range p.key {
		if key[i], err = row.Value(column); err != nil {
			return nil, err
		}
	}
	return key, nil
}

// Blocks yields the blocks of an area in the order of the primary key.
func (p *pagesDB) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) { p.scan(ctx, a, nil, true, yield) }
}

// Positions yields the positions of an area; it reads the index only.
func (p *pagesDB) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return func(yield func(Pos, error) bool) {
		p.scan(ctx, a, nil, false, func(b Block, err error) bool { return yield(b.Pos, err) })
	}
}

// Count counts the rows with a valid position; it reads the index only.
func (p *pagesDB) Count(ctx context.Context) (n int64, err error) {
	for _, err := range p.Positions(ctx, All()) {
		if _, isRow := errors.AsType[*RowError](err); err != nil && !isRow {
			return 0, err
		}
		if err == nil {
			n++
		}
	}
	return n, nil
}

// HasPlanes reports whether the blocks of a plane are one range of the primary key.
func (p *pagesDB) HasPlanes() bool { return p.planes && p.schema == SchemaPos }

// Planes looks up the first row, then the first row after each plane.
func (p *pagesDB) Planes(ctx context.Context, a Area) (planes []int16, odd []*RowError, ok bool, err error) {
	a = a.within()
	var after *Pos
	for more := true; more && p.HasPlanes() && len(odd) <= maxOdd; {
		more = false
		p.scan(ctx, a, after, false, func(b Block, bad error) bool {
			if row, isRow := errors.AsType[*RowError](bad); isRow {
				odd = append(odd, row)
				return len(odd) <= maxOdd
			}
			if err = bad; err == nil {
				planes = append(planes, b.Pos.Z)
				after, more = &Pos{a.Max.X, a.Max.Y, b.Pos.Z}, true
			}
			return false
		})
	}
	return planes, odd, err == nil && p.HasPlanes() && len(odd) <= maxOdd, err
}

// slabs looks up the first row, then the first row after each slab.
func (p *pagesDB) slabs(ctx context.Context, a Area) (list []Slab, rest []*RowError, ok bool, err error) {
	a = a.within()
	rng, more := p.rangeOf(a)
	for more = more && p.planes; more && len(rest) <= maxOdd; {
		more = false
		for row, err := range p.keys.Range(ctx, rng) {
			var key []any
			if err == nil {
				key, err = p.keyIn(row)
			}
			if err != nil {
				row, isRow := errors.AsType[*RowError](p.failed(err))
				if !isRow || len(rest) > maxOdd {
					return nil, nil, false, err
				}
				rest = append(rest, row)
				continue
			}
			if v, valid := p.coordinate(key[0]); valid {
				s := slabAt(p.axis(), v)
				list = append(list, s)
				planes, _ := s.planes(p.axis())
				rng.From, rng.After, more = p.edge(planes, planes.Max), true, true
				break
			}
			if rest = append(rest, p.oddRow(key)); len(rest) > maxOdd {
				break
			}
		}
	}
	return list, rest, p.planes && len(rest) <= maxOdd, nil
}

func (p *pagesDB) slab(ctx context.Context, s Slab, a Area) (iter.Seq2[Block, error], error) {
	return slabOfPlanes(ctx, p, s, a)
}

func (p *pagesDB) bytes(context.Context) (int64, error) {
	info, err := os.Stat(p.path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Close closes the files.
func (p *pagesDB) Close() error { return p.db.Close() }
