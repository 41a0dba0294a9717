package mapdb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// A Slab names a part of a store that can be read separately. Most stores have slabs of 16 planes along the first
// axis of their keys, such as "z=-16..-1" or "x=0..15"; large, dense stores have slabs of 8, 4, 2 or 1 planes.
// LevelDB sorts its keys by their digits; its slabs are the keys that begin with a sign and two digits, such as
// "key=-16", or with more digits in large databases. The name of a slab defines its content in every store.
type Slab string

const (
	// SlabRest is the rows outside all other slabs, none of which has a valid position, and the damage found when the
	// store was opened.
	SlabRest Slab = "rest"
	// SlabAll is the whole of a store that cannot be divided: a damaged file, or a table with thousands of rows
	// without a valid position.
	SlabAll Slab = "all"
)

// slabSide is the maximum number of planes in a slab, a power of two. A slab is aligned to its number of planes.
const slabSide = 16

// slabBytes is the maximum mean number of bytes per slab, unless the slabs have only one plane: about half a million
// blocks, which are checked in about 10 seconds.
var slabBytes int64 = 256 << 20 // tests change it

// sized is a store that can return its size in bytes.
type sized interface {
	bytes(ctx context.Context) (int64, error)
}

// The coordinate along which a store is divided.
const (
	alongX = 0
	alongZ = 2
)

// slabAt returns the slab that contains a coordinate.
func slabAt(axis int, v int16) Slab {
	return slabOf("xyz"[axis], v&^(slabSide-1), slabSide)
}

// slabOf returns the slab of side planes, beginning at from.
func slabOf(axis byte, from, side int16) Slab {
	return Slab(fmt.Sprintf("%c=%d..%d", axis, from, from+side-1))
}

// planes returns the area of a slab along an axis.
func (s Slab) planes(axis int) (a Area, ok bool) {
	rest, ok := strings.CutPrefix(string(s), "xyz"[axis:axis+1]+"=")
	first, last, _ := strings.Cut(rest, "..")
	from, err := strconv.ParseInt(first, 10, 16)
	to, err2 := strconv.ParseInt(last, 10, 16)
	side := to - from + 1
	if !ok || err != nil || err2 != nil || !inRange(from) || !inRange(to) || side < 1 || side > slabSide ||
		side&(side-1) != 0 || from&(side-1) != 0 ||
		slabOf("xyz"[axis], int16(from), int16(side)) != s {
		return a, false
	}
	lo, hi := All().Min.coords(), All().Max.coords()
	lo[axis], hi[axis] = int16(from), int16(to)
	return Area{posOf(lo), posOf(hi)}, true
}

// Where returns an area that contains all blocks of a slab, and a function that reports whether a position of the
// area is in the slab. The error wraps [ErrSlab] if no store can have this slab.
func (s Slab) Where() (Area, func(Pos) bool, error) {
	every := func(Pos) bool { return true }
	switch s {
	case SlabAll:
		return All(), every, nil
	case SlabRest:
		return Area{Min: Pos{X: 1}}, every, nil // an empty area
	}
	for _, axis := range []int{alongX, alongZ} {
		if a, ok := s.planes(axis); ok {
			return a, every, nil
		}
	}
	from, to, ok := s.keys()
	if !ok {
		return Area{}, nil, notSlab("a store", s)
	}
	return All(), func(p Pos) bool {
		key := strconv.FormatInt(p.Key(), 10)
		return from <= key && key < to
	}, nil
}

// thin divides the slabs of a store into thinner ones if they are too large. Some of these may be empty.
func (p *apart) thin(ctx context.Context) (err error) {
	if len(p.list) == 0 || p.list[0] == SlabAll {
		return nil
	}
	if db, ok := p.db.(interface {
		thinner(context.Context, []Slab) ([]Slab, error)
	}); ok {
		p.list, err = db.thinner(ctx, p.list)
		return err
	}
	db, ok := p.db.(sized)
	if !ok {
		return nil
	}
	bytes, err := db.bytes(ctx)
	if err != nil {
		return err
	}
	side := int16(slabSide)
	for n := int64(len(p.list)); side > 1 && bytes/n > slabBytes; n *= 2 {
		side /= 2
	}
	if side == slabSide {
		return nil
	}
	var list []Slab
	for _, s := range p.list {
		axis := strings.IndexByte("xyz", s[0])
		a, _ := s.planes(axis)
		for v := a.Min.coords()[axis]; v <= a.Max.coords()[axis]; v += side {
			list = append(list, slabOf(s[0], v, side))
		}
	}
	p.list = list
	return nil
}

// ErrSlab means that a store does not have this slab.
var ErrSlab = errors.New("the store has no such part")

// notSlab returns the error for a slab that a store cannot have.
func notSlab(db string, s Slab) error {
	return fmt.Errorf("%s: %w: %q", db, ErrSlab, abridge(string(s)))
}

// slabbed is a store that can be divided by looking up keys.
type slabbed interface {
	DB
	// slabs returns the slabs that contain blocks of an area, in order, and the content of SlabRest. ok is false if
	// the store cannot be divided.
	slabs(ctx context.Context, a Area) (list []Slab, rest []*RowError, ok bool, err error)
	// slab yields the rows of a slab that are in an area. The error is [notSlab].
	slab(ctx context.Context, s Slab, a Area) (iter.Seq2[Block, error], error)
}

// along is a store whose slabs are areas.
type along interface {
	DB
	axis() int
}

// inOrder is a store whose Blocks yields the blocks slab by slab, and for [All] the rows without a position first.
// Reading it slab by slab does not require dividing it.
type inOrder interface{ inOrder() }

// apart is a store divided into slabs.
type apart struct {
	db   DB
	area Area
	list []Slab // only SlabAll if the store cannot be divided
	rest []*RowError
}

// takeApart lists the slabs of a store.
func takeApart(ctx context.Context, db DB, a Area) (*apart, error) {
	p := &apart{db: db, area: a}
	var ok bool
	var err error
	switch db := db.(type) {
	case slabbed:
		p.list, p.rest, ok, err = db.slabs(ctx, a)
	case along:
		p.list, p.rest, ok, err = listSlabs(ctx, db, a)
	}
	if !ok {
		p.list, p.rest = []Slab{SlabAll}, nil
	}
	return p, err
}

// listSlabs divides a store by its positions.
func listSlabs(ctx context.Context, db along, a Area) (list []Slab, rest []*RowError, ok bool, err error) {
	last := Slab("")
	for p, err := range db.Positions(ctx, a) {
		var row *RowError
		switch {
		case errors.As(err, &row):
			if rest = append(rest, row); len(rest) > maxOdd {
				return nil, nil, false, nil
			}
		case err != nil:
			return nil, nil, false, err
		default:
			if s := slabAt(db.axis(), p.coords()[db.axis()]); s != last {
				list, last = append(list, s), s
			}
		}
	}
	return list, rest, true, nil
}

// rows yields the rows of a slab.
func (p *apart) rows(ctx context.Context, s Slab) (iter.Seq2[Block, error], error) {
	switch s {
	case SlabRest:
		return func(yield func(Block, error) bool) {
			for _, row := range p.rest {
				if !yield(Block{}, row) {
					return
				}
			}
		}, nil
	case SlabAll:
		return p.db.Blocks(ctx, p.area), nil
	}
	switch db := p.db.(type) {
	case slabbed:
		return db.slab(ctx, s, p.area)
	case along:
		return slabOfPlanes(ctx, db, s, p.area)
	}
	return nil, notSlab(p.db.String(), s)
}

// slabOfPlanes yields the blocks of a slab that is an area.
func slabOfPlanes(ctx context.Context, db along, s Slab, a Area) (iter.Seq2[Block, error], error) {
	planes, ok := s.planes(db.axis())
	if !ok {
		return nil, notSlab(db.String(), s)
	}
	return db.Blocks(ctx, planes.and(a)), nil
}

// Slabs returns the parts of a store that contain blocks of an area, in order: first [SlabRest], then the slabs. It
// looks up at most a few hundred keys; for Redis and folders of files it lists all positions.
func Slabs(ctx context.Context, db DB, a Area) ([]Slab, error) {
	p, err := takeApart(ctx, db, a)
	if err == nil && a == All() {
		err = p.thin(ctx)
	}
	if err != nil {
		return nil, err
	}
	return append([]Slab{SlabRest}, p.list...), nil
}

// In is [InSlab], or if the slab is "" [InSlabs].
func In(ctx context.Context, db DB, s Slab, a Area) iter.Seq2[Block, error] {
	if s == "" {
		return InSlabs(ctx, db, a)
	}
	return InSlab(ctx, db, s, a)
}

// InSlab yields the blocks of an area in a slab, as [DB.Blocks] does. An empty slab has no blocks; for an invalid
// name the error wraps [ErrSlab].
func InSlab(ctx context.Context, db DB, s Slab, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		var rows iter.Seq2[Block, error]
		var err error
		p := &apart{db: db, area: a}
		if s == SlabRest {
			p, err = takeApart(ctx, db, a)
		}
		if err == nil {
			rows, err = p.rows(ctx, s)
		}
		if err != nil {
			yield(Block{}, err)
			return
		}
		rows(yield)
	}
}

// InSlabs yields the blocks of an area slab by slab, in the order of [Slabs], as [InSlab] does, but reports an error
// of a file only once instead of for each slab. Use it to read all blocks of a store if the result must equal that of
// reading the slabs separately.
func InSlabs(ctx context.Context, db DB, a Area) iter.Seq2[Block, error] {
	if _, ok := db.(inOrder); ok {
		return db.Blocks(ctx, a)
	}
	return func(yield func(Block, error) bool) {
		p, err := takeApart(ctx, db, a)
		if err != nil {
			yield(Block{}, err)
			return
		}
		reported := make(map[string]bool)
		for _, s := range append([]Slab{SlabRest}, p.list...) {
			rows, err := p.rows(ctx, s)
			if err != nil {
				yield(Block{}, err)
				return
			}
			for b, err := range rows {
				var row *RowError
				isRow := errors.As(err, &row)
				if isRow && row.OfFile() {
					if reported[row.Error()] {
						continue
					}
					reported[row.Error()] = true
				}
				if !yield(b, err) || err != nil && !isRow {
					return
				}
			}
		}
	}
}

// OfFile reports whether the error concerns damage of the file instead of one row. The same damage may be reported
// for several slabs.
func (e *RowError) OfFile() bool { return e.Key == "" && e.Pos == nil }
