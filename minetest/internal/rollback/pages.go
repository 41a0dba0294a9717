package rollback

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"time"

	"trowel.example/fault"
	"trowel.example/internal/stores/sqlitepage"
	"trowel.example/minetest/mapdb"
)

// pagesDB reads without SQLite. No program may write to the file.
type pagesDB struct{ db *sqlitepage.DB }

func openPages(ctx context.Context, path string) (reader, error) {
	db, err := sqlitepage.OpenDB(ctx, path)
	if err != nil {
		return nil, err
	}
	return &pagesDB{db}, nil
}

func (p *pagesDB) Close() error { return p.db.Close() }

// columns are the columns of the table action, in the order of the fields of scanned.
var columns = []string{"id", "actor", "guessedActor", "timestamp", "type", "x", "y", "z", "oldNode", "oldParam1", "oldParam2",
	"oldMeta", "newNode", "newParam1", "newParam2", "newMeta", "list", "index", "add", "stackNode", "stackQuantity"}

// The numbers of columns that select actions.
const (
	columnID        = 0
	columnActor     = 1
	columnTimestamp = 3
	columnX         = 5
)

// scan is one pass through the actions.
type scan struct {
	*pagesDB
	ctx     context.Context
	filter  Filter
	table   *sqlitepage.TableReader
	numbers []int // of the columns
	actors  map[int64]string
	nodes   map[int64]string
	lost    error
}

func (p *pagesDB) scan(ctx context.Context, f Filter) (*scan, error) {
	s := &scan{pagesDB: p, ctx: ctx, filter: f}
	var err error
	if s.table, err = p.db.Table("action"); err != nil {
		return nil, s.failed(err)
	}
	for _, name := range columns {
		n := s.table.Column(name)
		if n < 0 {
			return nil, &fault.Error{File: File, Path: "action", Offset: -1, Want: "a column " + name, Got: "no such column", Err: fault.ErrFormat}
		}
		s.numbers = append(s.numbers, n)
	}
	if s.actors, err = s.names("actor"); err == nil {
		s.nodes, err = s.names("node")
	}
	return s, err
}

// failed replaces the path in an error.
func (s *scan) failed(err error) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	return &fault.Error{File: File, Offset: -1, Got: err.Error(), Err: err}
}

// skip remembers damage, and reports whether the error is damage.
func (s *scan) skip(err error) bool {
	if !errors.Is(err, fault.ErrFormat) {
		return false
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		s.lost = errors.Join(s.lost, lost("%s", e.Got))
	}
	return true
}

// names reads a table of names.
func (s *scan) names(table string) (map[int64]string, error) {
	m := make(map[int64]string)
	err := s.db.Select(s.ctx, "SELECT id, name FROM "+table, nil, func(v []any) error {
		m[integer(v[0])] = text(v[1])
		return nil
	}, s.skip)
	if err != nil {
		return nil, s.failed(err)
	}
	return m, nil
}

// integer converts a value to an integer, as SQLite does.
func integer(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	case string:
		n, _ := strconv.ParseInt(v, 10, 64)
		return n
	}
	return 0
}

// text converts a value to a text.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// values reads some columns of an action.
func (s *scan) values(e *sqlitepage.Entry, from, to int) ([]any, error) {
	values := make([]any, to-from)
	for i := range values {
		v, err := e.Value(s.numbers[from+i])
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// each calls do for the rows of a range.
func (s *scan) each(o *sqlitepage.Order, r sqlitepage.Range, do func(*sqlitepage.Entry) error) error {
	for e, err := range o.Range(s.ctx, r) {
		if err == nil {
			err = do(e)
		}
		if err != nil && !s.skip(err) {
			if errors.Is(err, errStop) {
				return err
			}
			return s.failed(err)
		}
	}
	return nil
}

// matching calls do for each action that matches the filter.
func (s *scan) matching(do func(id, timestamp int64)) error {
	f := s.filter
	order, err := s.table.Order()
	var rng sqlitepage.Range
	if a := f.Area; a != nil && err == nil {
		byX, bad := s.table.Order("x")
		if err = bad; err == nil && byX.Indexed() {
			order = byX
			rng = sqlitepage.Range{From: []any{int64(a[0][0])}, To: []any{int64(a[1][0])}}
		}
	}
	if err != nil {
		return s.failed(err)
	}
	return s.each(order, rng, func(e *sqlitepage.Entry) error {
		if a := f.Area; a != nil {
			at, err := s.values(e, columnX, columnX+3)
			if err != nil {
				return err
			}
			for i, v := range at {
				if v == nil || integer(v) < int64(a[0][i]) || integer(v) > int64(a[1][i]) {
					return nil
				}
			}
		}
		v, err := s.values(e, columnID, columnTimestamp+1)
		if err != nil {
			return err
		}
		actor, known := s.actors[integer(v[columnActor])]
		timestamp := integer(v[columnTimestamp])
		switch {
		case f.Actor != "" && (!known || actor != f.Actor && actor != "player:"+f.Actor):
		case !f.Since.IsZero() && timestamp < f.Since.Unix():
		case !f.Until.IsZero() && timestamp >= f.Until.Unix():
		default:
			do(integer(v[columnID]), timestamp)
		}
		return nil
	})
}

func (p *pagesDB) Actions(ctx context.Context, f Filter) iter.Seq2[Action, error] {
	return func(yield func(Action, error) bool) {
		if err := p.actions(ctx, f, yield); err != nil && !errors.Is(err, errStop) {
			yield(Action{}, err)
		}
	}
}

func (p *pagesDB) actions(ctx context.Context, f Filter, yield func(Action, error) bool) error {
	s, err := p.scan(ctx, f)
	if err != nil {
		return err
	}
	type found struct{ id, timestamp int64 }
	var list []found
	if err := s.matching(func(id, timestamp int64) { list = append(list, found{id, timestamp}) }); err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b found) int { return cmp.Or(cmp.Compare(b.timestamp, a.timestamp), cmp.Compare(b.id, a.id)) })
	byID, err := s.table.Order("id")
	if err != nil {
		return s.failed(err)
	}
	for _, x := range list {
		key := []any{x.id}
		if err := s.each(byID, sqlitepage.Range{From: key, To: key}, func(e *sqlitepage.Entry) error {
			a, lost, err := s.action(e)
			if err == nil && !yield(a, lost) {
				return errStop
			}
			return err
		}); err != nil {
			return err
		}
	}
	return errors.Join(s.lost, s.nobody())
}

func (p *pagesDB) All(ctx context.Context) iter.Seq2[Action, error] {
	return func(yield func(Action, error) bool) {
		s, err := p.scan(ctx, Filter{})
		var order *sqlitepage.Order
		if err == nil {
			order, err = s.table.Order()
		}
		if err == nil {
			err = s.each(order, sqlitepage.Range{}, func(e *sqlitepage.Entry) error {
				a, lost, err := s.action(e)
				if err == nil && !yield(a, lost) {
					return errStop
				}
				return err
			})
		}
		if err == nil {
			err = s.lost
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(Action{}, err)
		}
	}
}

// action reads an action. The first error is about lost names.
func (s *scan) action(e *sqlitepage.Entry) (a Action, lostNames, err error) {
	v, err := s.values(e, 0, len(columns))
	if err != nil {
		return a, nil, err
	}
	number := func(i int) int { return int(integer(v[i])) }
	name := func(i int, what string, from map[int64]string) string {
		id := integer(v[i])
		name, ok := from[id]
		if !ok && (id > 0 || i == columnActor) {
			lostNames = errors.Join(lostNames, lost("action %d has no name for the %s", integer(v[columnID]), what))
		}
		return name
	}
	a = Action{
		ID: integer(v[columnID]), Actor: name(columnActor, "actor", s.actors), Guessed: integer(v[2]) != 0,
		Time: time.Unix(integer(v[columnTimestamp]), 0).UTC(), Type: Type(number(4)),
		Pos: [3]int{number(columnX), number(columnX + 1), number(columnX + 2)}, HasPos: v[columnX] != nil,
		Old:  Node{name(8, "old node", s.nodes), uint8(number(9)), uint8(number(10)), text(v[11])},
		New:  Node{name(12, "new node", s.nodes), uint8(number(13)), uint8(number(14)), text(v[15])},
		List: text(v[16]), Slot: number(17), Added: number(18) != 0,
		Item: name(19, "item", s.nodes), Count: number(20),
	}
	return a, lostNames, nil
}

// nobody returns an error if there are actions whose actor has lost its name, and the filter has an actor.
func (s *scan) nobody() error {
	n := int64(0)
	if s.filter.Actor == "" {
		return nil
	}
	err := s.db.Select(s.ctx, "SELECT count(*) FROM action WHERE actor NOT IN (SELECT id FROM actor)", nil, func(v []any) error {
		n = v[0].(int64)
		return nil
	}, s.skip)
	if err != nil {
		return s.failed(err)
	}
	if n > 0 {
		return lost("actions without a name of the actor: %d", n)
	}
	return nil
}

func (p *pagesDB) Count(ctx context.Context, f Filter) (n int64, err error) {
	s, err := p.scan(ctx, f)
	if err == nil {
		err = s.matching(func(int64, int64) { n++ })
	}
	if err != nil {
		return 0, err
	}
	return n, errors.Join(s.lost, s.nobody())
}

func (p *pagesDB) Deeds(ctx context.Context, since, until time.Time) iter.Seq2[Deed, error] {
	return func(yield func(Deed, error) bool) {
		for a, err := range p.Actions(ctx, Filter{Since: since, Until: until}) {
			switch {
			case a.HasPos: // a name that is lost is ""
				if !yield(Deed{a.Actor, a.Guessed, a.Time, a.Pos}, nil) {
					return
				}
			case a.ID == 0 && err != nil:
				if !yield(Deed{}, err) {
					return
				}
			}
		}
	}
}

func (p *pagesDB) Blocks(ctx context.Context) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		s, err := p.scan(ctx, Filter{})
		once := blocksOnce(yield)
		if err == nil {
			err = s.db.Select(ctx, "SELECT x, y, z FROM action", nil, func(v []any) error {
				if v[0] != nil && !once([3]int64{integer(v[0]) >> 4, integer(v[1]) >> 4, integer(v[2]) >> 4}) {
					return errStop
				}
				return nil
			}, s.skip)
			if err != nil && !errors.Is(err, errStop) {
				err = s.failed(err)
			}
		}
		if err == nil {
			err = s.lost
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(mapdb.Pos{}, err)
		}
	}
}
