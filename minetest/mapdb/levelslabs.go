package mapdb

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"trowel.example/internal/stores/leveldb"
)

// The keys of LevelDB are sorted by their digits, which scatters the blocks of a plane over the whole database. Keys
// with the same first digits are adjacent: a slab holds the keys with the same sign and the same first two digits;
// the slabs 10, 20 and so on also hold the one-digit key. A large slab is divided by the next digit; keys without
// further digits belong to the part for digit 0.
const (
	leastDigits = 10
	mostDigits  = 99

	maxDigits = 11 // of a position
)

// digitSlabs are all possible slabs, in order.
var digitSlabs = func() (list []Slab) {
	for _, sign := range []string{"-", ""} {
		for n := leastDigits; n <= mostDigits; n++ {
			list = append(list, Slab(fmt.Sprintf("key=%s%d", sign, n)))
		}
	}
	return list
}()

// keys returns the first key of a slab and the first key after the slab.
func (s Slab) keys() (from, to string, ok bool) {
	text, ok := strings.CutPrefix(string(s), "key=")
	digits, minus := strings.CutPrefix(text, "-")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < leastDigits || len(digits) > maxDigits || digits != strconv.Itoa(n) {
		return "", "", false
	}
	from = strings.TrimRight(digits, "0")
	if to = strings.TrimRight(strconv.Itoa(n+1), "0"); strings.Trim(digits, "9") == "" {
		to = ":" // after the 9
	}
	switch {
	case minus:
		return "-" + from, "-" + to, true
	case from == "1":
		from = "0" // the key of position (0,0,0); no other key begins with 0
	}
	return from, to, true
}

// someIn reports whether a slab contains records or damage.
func (s Slab) someIn(db *leveldb.DB) bool {
	from, to, _ := s.keys()
	records, problems := db.Range([]byte(from), []byte(to))
	for range records {
		return true
	}
	return len(problems()) > 0
}

// thinner divides large slabs into slabs with one more digit.
func (l *levelDB) thinner(ctx context.Context, list []Slab) (thin []Slab, err error) {
	db, err := l.view()
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		from, to, _ := s.keys()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if digits := strings.TrimLeft(string(s), "key=-"); len(digits) == maxDigits || db.Size([]byte(from), []byte(to)) <= slabBytes {
			thin = append(thin, s)
			continue
		}
		var next []Slab
		for digit := range 10 {
			if one := Slab(fmt.Sprintf("%s%d", s, digit)); one.someIn(db) {
				next = append(next, one)
			}
		}
		if next, err = l.thinner(ctx, next); err != nil {
			return nil, err
		}
		thin = append(thin, next...)
	}
	return thin, nil
}

// betweenSlabs are the ranges of keys outside all slabs; none of these keys is a position.
var betweenSlabs = [][2][]byte{{nil, []byte("-1")}, {[]byte("-:"), []byte("0")}, {[]byte(":"), nil}}

// slabs looks up the first key of each slab.
func (l *levelDB) slabs(ctx context.Context, a Area) (list []Slab, rest []*RowError, ok bool, err error) {
	db, err := l.view()
	if err != nil {
		return nil, nil, false, err
	}
	for _, s := range digitSlabs {
		if s.someIn(db) {
			list = append(list, s)
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, false, err
		}
	}
	rest = l.damageOf(db.Opening())
	for _, part := range betweenSlabs {
		for _, err := range l.within(ctx, part[0], part[1], a) {
			row, isRow := err.(*RowError)
			if !isRow {
				return nil, nil, false, err
			}
			if rest = append(rest, row); len(rest) > maxOdd {
				return nil, nil, false, nil
			}
		}
	}
	return list, rest, true, nil
}

func (l *levelDB) slab(ctx context.Context, s Slab, a Area) (iter.Seq2[Block, error], error) {
	from, to, ok := s.keys()
	if !ok {
		return nil, notSlab(l.String(), s)
	}
	return l.within(ctx, []byte(from), []byte(to), a), nil
}

// within yields the blocks of a range of keys, and reports the damage in the range at the end.
func (l *levelDB) within(ctx context.Context, from, to []byte, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		db, err := l.view()
		if err != nil {
			yield(Block{}, err)
			return
		}
		records, problems := db.Range(from, to)
		if !l.rows(ctx, db, records, a, yield) {
			return
		}
		for _, row := range l.damageOf(problems()) {
			if !yield(Block{}, row) {
				return
			}
		}
	}
}
