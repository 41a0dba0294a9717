package sqlitepage

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"
)

// An Object is a row of the schema that describes a table or an index.
type Object struct {
	Kind  string // "table", "index", "view" or "trigger"
	Name  string
	Table string // the table that it belongs to
	Root  uint32
	SQL   string // "" for an automatic index of a table
}

// Kinds is a set of the kinds of values.
type Kinds uint8

const (
	Null Kinds = 1 << iota
	Integer
	Float
	Text
	Blob
)

func kindOf(v any) Kinds {
	switch v.(type) {
	case nil:
		return Null
	case int64:
		return Integer
	case float64:
		return Float
	case string:
		return Text
	}
	return Blob
}

// A Shape describes the rows of a table, so that pages can be assigned to the table if its tree is damaged.
type Shape struct {
	Table   string
	Root    uint32   // root page of the table; 0 if unknown
	Indexes []uint32 // root pages of its indexes
	Columns []Kinds

	index int
	guess bool // Root was searched for, and rows elsewhere may be newer
}

// fits reports whether values can be a row of the table.
func (s *Shape) fits(values []any) bool {
	if len(values) != len(s.Columns) {
		return false
	}
	for i, v := range values {
		if kindOf(v)&s.Columns[i] == 0 {
			return false
		}
	}
	return true
}

// A Row is a row of a table. The value of a column that is an alias of the rowid is nil.
type Row struct {
	Table  int // the index of its shape
	RowID  int64
	Values []any // nil, int64, float64, string or []byte
	Page   uint32
	// Found is set if the page is not reachable from the root of the table. Of rows with the same key, one without
	// Found is newer than one with it; of two with Found, the one with the greater RowID is newer.
	Found bool
}

// A Loss is a page whose rows cannot be read, or a row whose value cannot be read.
type Loss struct {
	Page   uint32
	Table  string // "" if unknown
	Index  bool   // the page belongs to an index: no row is lost
	RowID  int64  // rowid of the row, if Row is set
	Row    bool
	Reason error
	// Inner is set if the page is an inner page. Most of the pages below it are found anyway.
	Inner bool
	// Doubt is set if the free list is damaged, so that rows may have been read from pages with old data.
	Doubt bool

	shape *Shape
	depth int
}

// States of a page.
const (
	unknown = iota
	freed   // in the free list
	claimed // in a tree
	broken
)

// survey is one pass through a file.
type survey struct {
	*File
	ctx      context.Context
	state    []uint8          // of pages in the file
	beyond   map[uint32]uint8 // of pages after its end: the header or a log may state any number
	freeOK   bool
	losses   []Loss
	gaps     map[*Shape][]gap
	leafAt   map[*Shape]int // depth of the leaves of a table
	emit     func(Row) error
	rowError error
}

// gap is a range of rowids below a damaged page.
type gap struct {
	from, to int64 // inclusive
	depth    int
}

// maxDepth is larger than the depth of any tree.
const maxDepth = 24

func (f *File) survey(ctx context.Context) *survey {
	s := &survey{File: f, ctx: ctx, state: make([]uint8, int64(f.present())+1), beyond: make(map[uint32]uint8),
		gaps: make(map[*Shape][]gap), leafAt: make(map[*Shape]int)}
	// Pages beyond the page count in the header are not part of the database.
	for p := int64(f.pages) + 1; f.headed && p < int64(len(s.state)); p++ {
		s.state[p] = freed
	}
	s.freeOK = f.headed && s.markFree()
	return s
}

// exists reports whether the database should have this page.
func (s *survey) exists(p uint32) bool {
	return p != 0 && (p <= s.pages || int64(p) < int64(len(s.state)))
}

// known returns the state of a page that exists.
func (s *survey) known(p uint32) uint8 {
	if int64(p) < int64(len(s.state)) {
		return s.state[p]
	}
	return s.beyond[p]
}

func (s *survey) mark(p uint32, as uint8) {
	if int64(p) < int64(len(s.state)) {
		s.state[p] = as
	} else {
		s.beyond[p] = as
	}
}

// stored yields the readable pages, except for the first, in order.
func (s *survey) stored(yield func(uint32) bool) {
	for p := int64(2); p < int64(len(s.state)); p++ {
		if !yield(uint32(p)) {
			return
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.newer)) {
		if p != 1 && int64(p) >= int64(len(s.state)) && s.exists(p) && !yield(p) {
			return
		}
	}
}

// markFree walks the free list, and reports whether it is complete.
func (s *survey) markFree() bool {
	count := uint32(0)
	for trunk := s.freeHead; trunk != 0; {
		if !s.take(trunk, freed) {
			return false
		}
		data, err := s.read(trunk)
		if err != nil {
			return false
		}
		next, n := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
		if int64(n) > int64(s.usable/4-2) {
			return false
		}
		count++
		for i := range n {
			if !s.take(binary.BigEndian.Uint32(data[8+4*i:]), freed) {
				return false
			}
			count++
		}
		trunk = next
	}
	return count == s.freeLen
}

// take sets the state of a page, and reports whether the page was unassigned.
func (s *survey) take(p uint32, as uint8) bool {
	if !s.exists(p) || s.known(p) != unknown {
		return false
	}
	s.mark(p, as)
	return true
}

// Schema returns the tables and indexes in the schema of the file, and whether the list is complete.
func (f *File) Schema(ctx context.Context) (list []Object, whole bool) {
	s := f.survey(ctx)
	shape := &Shape{Table: "sqlite_master", Root: 1, Columns: []Kinds{Text, Text, Text, Integer | Null, Text | Null}}
	s.emit = func(r Row) error {
		if !shape.fits(r.Values) {
			return nil
		}
		root, _ := r.Values[3].(int64)
		sql, _ := r.Values[4].(string)
		list = append(list, Object{Kind: r.Values[0].(string), Name: r.Values[1].(string), Table: r.Values[2].(string),
			Root: uint32(root), SQL: sql})
		return nil
	}
	s.tree(shape, 1, math.MinInt64, math.MaxInt64, 0)
	return list, len(s.losses) == 0
}

// Rows calls row with each readable row of the tables described by shapes, and returns the losses. The error is that
// of row or of the context.
func (f *File) Rows(ctx context.Context, shapes []Shape, row func(Row) error) ([]Loss, error) {
	s := f.survey(ctx)
	shapes = slices.Clone(shapes)
	for i := range shapes {
		shapes[i].index = i
	}
	s.emit = row
	if s.headed && s.known(1) == unknown {
		quiet := *s
		quiet.emit = func(Row) error { return nil }
		quiet.losses = nil
		quiet.tree(&Shape{Table: "sqlite_master", Columns: make([]Kinds, 5)}, 1, math.MinInt64, math.MaxInt64, 0)
		s.losses = quiet.losses
	} else {
		s.mark(1, broken)
		s.losses = append(s.losses, Loss{Page: 1, Table: "sqlite_master", Inner: true, Reason: errors.New("the header of the file is damaged")})
	}
	s.findRoots(shapes)
	for i := range shapes {
		sh := &shapes[i]
		if sh.Root == 0 {
			s.gaps[sh] = []gap{{math.MinInt64, math.MaxInt64, -1}}
			continue
		}
		if sh.guess {
			s.lose(Loss{Page: 1, Table: sh.Table, Inner: true, Doubt: true, Reason: errors.New("the page must contain the start of the table")})
			s.gaps[sh] = []gap{{math.MinInt64, math.MaxInt64, -1}}
		}
		s.tree(sh, sh.Root, math.MinInt64, math.MaxInt64, 0)
	}
	for i := range shapes {
		for _, root := range shapes[i].Indexes {
			s.index(&shapes[i], root, 0)
		}
	}
	if err := s.stopped(); err != nil {
		return nil, err
	}
	s.orphans(shapes)
	return s.losses, s.stopped()
}

func (s *survey) stopped() error { return cmp.Or(s.rowError, s.ctx.Err()) }

func (s *survey) lose(l Loss) { s.losses = append(s.losses, l) }

// tree reads a part of a table: the subtree of a page, whose rowids r must satisfy from <= r <= to.
func (s *survey) tree(sh *Shape, number uint32, from, to int64, depth int) {
	if s.stopped() != nil {
		return
	}
	p, err := s.treePage(number, tableInner, tableLeaf)
	if err == nil && len(p.cells) > 0 && (p.cells[0].rowid < from || p.cells[len(p.cells)-1].rowid > to) {
		err = errors.New("the page has rows of another page")
		s.mark(number, unknown) // it may be found as an orphan
	}
	if depth > maxDepth {
		err = errors.New("the pages form a circle, or too deep a tree")
	}
	if err != nil {
		s.lose(Loss{Page: number, Table: sh.Table, Reason: err, shape: sh, depth: depth})
		s.gaps[sh] = append(s.gaps[sh], gap{from, to, depth})
		return
	}
	if !p.tidy {
		s.lose(Loss{Page: number, Table: sh.Table, Reason: errUntidy, shape: sh, depth: depth})
		s.gaps[sh] = append(s.gaps[sh], gap{from, to, depth})
	}
	if p.kind == tableLeaf {
		s.leafAt[sh] = depth
		for _, c := range p.cells {
			if len(sh.Columns) > 0 {
				s.row(sh, number, c, sh.guess)
			}
		}
		return
	}
	for _, c := range p.cells {
		s.tree(sh, c.child, from, c.rowid, depth+1)
		if c.rowid == math.MaxInt64 {
			return
		}
		from = c.rowid + 1
	}
	s.tree(sh, p.right, from, to, depth+1)
}

var errUntidy = errors.New("the entries and the free space do not fill the page")

// treePage reads an unassigned page of one of two kinds.
func (s *survey) treePage(number uint32, inner, leaf byte) (*page, error) {
	if !s.exists(number) {
		return nil, errors.New("no page with this number")
	}
	switch s.known(number) {
	case freed:
		return nil, errors.New("the page is also in the list of free pages")
	case claimed:
		return nil, errors.New("the page is used twice")
	}
	if s.unsure(number) {
		return nil, errUnsure // it may be found by its rows
	}
	s.mark(number, broken)
	data, err := s.read(number)
	if err != nil {
		return nil, err
	}
	p, err := s.parse(number, data)
	if err != nil {
		return nil, err
	}
	if p.kind != inner && p.kind != leaf {
		return nil, errNoTree
	}
	s.mark(number, claimed)
	return p, nil
}

// row emits a row if it can be read completely.
func (s *survey) row(sh *Shape, page uint32, c cell, found bool) {
	if s.stopped() != nil {
		return
	}
	data, err := s.payload(c, claimed)
	var values []any
	if err == nil {
		ok := false
		if values, ok = s.record(data); !ok || len(values) > len(sh.Columns) {
			err = errors.New("not a row of the table")
		}
	}
	if err != nil {
		s.lose(Loss{Page: page, Table: sh.Table, Row: true, RowID: c.rowid, Reason: err})
		return
	}
	s.rowError = s.emit(Row{Table: sh.index, RowID: c.rowid, Values: values, Page: page, Found: found})
}

// payload returns the bytes of a row. It marks the overflow pages.
func (s *survey) payload(c cell, as uint8) ([]byte, error) {
	if c.payload > MaxPayload {
		return nil, fmt.Errorf("the row has %d bytes: at most %d are read", c.payload, MaxPayload)
	}
	data := c.local
	for next := c.overflow; int64(len(data)) < c.payload; {
		if next == 0 {
			return nil, errors.New("the row is cut off")
		}
		if as != unknown && !s.take(next, as) || as == unknown && (!s.exists(next) || s.known(next) != unknown) {
			return nil, fmt.Errorf("the row continues in page %d, which does not belong to it", next)
		}
		b, err := s.read(next)
		if err == nil && s.unsure(next) {
			err = errUnsure
		}
		if err == nil && isZero(b) {
			err = errZeroed
		}
		if err != nil {
			return nil, fmt.Errorf("the row continues in page %d: %w", next, err)
		}
		was := next
		next = binary.BigEndian.Uint32(b)
		part := b[4:s.usable]
		if rest := c.payload - int64(len(data)); rest <= int64(len(part)) {
			if part = part[:rest]; next != 0 {
				return nil, fmt.Errorf("the row continues in page %d, which does not belong to it", was)
			}
		}
		data = append(slices.Clip(data), part...)
	}
	return data, nil
}

// index walks an index to mark its pages.
func (s *survey) index(sh *Shape, number uint32, depth int) {
	if s.stopped() != nil {
		return
	}
	p, err := s.treePage(number, indexInner, indexLeaf)
	if err == nil && depth > maxDepth {
		err = errors.New("the pages form a circle, or too deep a tree")
	}
	if err == nil && !p.tidy {
		err = errUntidy
	}
	if err != nil {
		s.lose(Loss{Page: number, Table: sh.Table, Index: true, Reason: err})
		return
	}
	for _, c := range p.cells {
		if _, err := s.payload(c, claimed); err != nil {
			s.lose(Loss{Page: number, Table: sh.Table, Index: true, Reason: err})
		}
		if p.kind == indexInner {
			s.index(sh, c.child, depth+1)
		}
	}
	if p.kind == indexInner {
		s.index(sh, p.right, depth+1)
	}
}

// orphan is a leaf that is not in a tree.
type orphan struct {
	page  uint32
	shape *Shape
	rank  int // 0 if a page refers to it that no page refers to
	first int64
}

// orphans reads rows from leaves below damaged pages.
func (s *survey) orphans(shapes []Shape) {
	searched := false
	for sh, gaps := range s.gaps {
		leaf, known := s.leafAt[sh]
		s.gaps[sh] = slices.DeleteFunc(gaps, func(g gap) bool { return known && g.depth >= leaf })
		searched = searched || len(s.gaps[sh]) > 0
	}
	for i := range s.losses {
		if l := &s.losses[i]; l.shape != nil {
			leaf, known := s.leafAt[l.shape]
			l.Inner = !known || l.depth < leaf
		}
	}
	if !searched {
		return
	}
	var list []orphan
	parents := make(map[uint32]span64)
	for n := range s.stored {
		if s.ctx.Err() != nil {
			return
		}
		p := s.loose(n)
		switch {
		case p == nil:
		case p.kind == tableInner:
			from := int64(math.MinInt64)
			for _, c := range p.cells {
				parents[c.child] = span64{from, c.rowid}
				if c.rowid < math.MaxInt64 {
					from = c.rowid + 1
				}
			}
			parents[p.right] = span64{from, math.MaxInt64}
		default:
			if sh := s.owner(shapes, p, true); sh != nil {
				list = append(list, orphan{n, sh, 1, p.cells[0].rowid})
			}
		}
	}
	for i := range list {
		if r, ok := parents[list[i].page]; ok && r.from <= list[i].first && list[i].first <= r.to {
			list[i].rank = 0
		}
	}
	slices.SortFunc(list, func(a, b orphan) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.first, a.first), cmp.Compare(a.page, b.page))
	})
	s.takeOrphans(list)
}

type span64 struct{ from, to int64 }

// owner determines the table of a leaf by its rows, with inGap only among the tables with a gap that the rows fit; nil
// if it cannot be determined.
func (s *survey) owner(shapes []Shape, p *page, inGap bool) (owner *Shape) {
	var rows [][]any
	for _, c := range p.cells {
		data, err := s.payload(c, unknown)
		if err != nil {
			continue
		}
		values, ok := s.record(data)
		if !ok {
			return nil
		}
		rows = append(rows, values)
	}
	for i := range shapes {
		sh := &shapes[i]
		if len(rows) == 0 || slices.ContainsFunc(rows, func(v []any) bool { return !sh.fits(v) }) || inGap && !s.inGap(sh, p) {
			continue
		}
		if owner != nil {
			return nil
		}
		owner = sh
	}
	return owner
}

func (s *survey) inGap(sh *Shape, p *page) bool {
	return slices.ContainsFunc(s.gaps[sh], func(g gap) bool {
		return g.from <= p.cells[0].rowid && p.cells[len(p.cells)-1].rowid <= g.to
	})
}

// takeOrphans emits the rows of leaves, the most trustworthy leaves first. If two equally trustworthy leaves have
// different versions of a row, it emits neither.
func (s *survey) takeOrphans(list []orphan) {
	type seen struct {
		sum   uint64
		rank  int
		clash bool
	}
	type key struct {
		sh    *Shape
		rowid int64
	}
	rows := make(map[key]seen)
	seed := maphash.MakeSeed()
	each := func(do func(o orphan, c cell, k key, sum uint64)) {
		for _, o := range list {
			data, err := s.read(o.page)
			if err != nil || s.stopped() != nil {
				return
			}
			p, err := s.parse(o.page, data)
			if err != nil {
				continue
			}
			for _, c := range slices.Backward(p.cells) {
				sum := maphash.Bytes(seed, c.local) ^ uint64(c.overflow)*0x9e3779b97f4a7c15
				do(o, c, key{o.shape, c.rowid}, sum)
			}
		}
	}
	each(func(o orphan, _ cell, k key, sum uint64) {
		if was, ok := rows[k]; !ok {
			rows[k] = seen{sum: sum, rank: o.rank}
		} else if was.rank == o.rank && was.sum != sum {
			was.clash = true
			rows[k] = was
		}
	})
	each(func(o orphan, c cell, k key, sum uint64) {
		r, ok := rows[k]
		switch {
		case !ok || r.rank != o.rank:
		case r.clash:
			s.lose(Loss{Page: o.page, Table: o.shape.Table, Row: true, RowID: c.rowid,
				Reason: errors.New("two pages have different versions, and the newer one is unknown")})
		default:
			delete(rows, k)
			s.mark(o.page, claimed)
			s.row(o.shape, o.page, c, true)
		}
	})
	for i := range s.losses {
		if l := &s.losses[i]; l.Inner && !s.freeOK && len(list) > 0 {
			l.Doubt = true
		}
	}
}
