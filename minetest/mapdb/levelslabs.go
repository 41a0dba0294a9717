package mapdb

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// The keys of LevelDB are in the order of their digits, in which the blocks of some planes are
// scattered over all of the database. What stands together are the keys that begin with the
// same digits: a slab is those with the same sign and the same two digits, and that of 10, 20
// and so on also the one with the one digit.
const (
	leastDigits = 10
	mostDigits  = 99
)

// digitSlabs are the slabs that there can be, in order.
var digitSlabs = func() (list []Slab) {
	for _, sign := range []string{"-", ""} {
		for n := leastDigits; n <= mostDigits; n++ {
			list = append(list, Slab(fmt.Sprintf("key=%s%d", sign, n)))
		}
	}
	return list
}()

// keys returns the first key of a slab and the first behind it.
func (s Slab) keys() (from, to string, ok bool) {
	digits, ok := strings.CutPrefix(string(s), "key=")
	n, err := strconv.Atoi(strings.TrimPrefix(digits, "-"))
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign = "-"
	}
	if !ok || err != nil || n < leastDigits || n > mostDigits || digits != sign+strconv.Itoa(n) {
		return "", "", false
	}
	from, to = digitsFrom(n), digitsFrom(n+1)
	if sign == "" && n == leastDigits {
		from = "0" // the key of the block in the middle, which begins with no other digit
	}
	return sign + from, sign + to, true
}

// digitsFrom returns what the keys that begin with the digits of n begin at.
func digitsFrom(n int) string {
	switch {
	case n > mostDigits:
		return ":" // behind the 9
	case n%10 == 0:
		return strconv.Itoa(n / 10)
	}
	return strconv.Itoa(n)
}

// betweenSlabs are the ranges of keys that are in no slab, and none of them a position.
var betweenSlabs = [][2][]byte{{nil, []byte("-1")}, {[]byte("-:"), []byte("0")}, {[]byte(":"), nil}}

// slabs looks for the first key of each slab.
func (l *levelDB) slabs(ctx context.Context, a Area) (list []Slab, rest []*RowError, ok bool, err error) {
	db, err := l.view()
	if err != nil {
		return nil, nil, false, err
	}
	for _, s := range digitSlabs {
		from, to, _ := s.keys()
		records, problems := db.Range([]byte(from), []byte(to))
		found := false
		for range records {
			found = true
			break
		}
		if found || len(problems()) > 0 {
			list = append(list, s)
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, false, err
		}
	}
	rest = damageOf(db.Opening())
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

// within goes through the blocks of a range of keys, and tells at the end what is damaged in it.
func (l *levelDB) within(ctx context.Context, from, to []byte, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		db, err := l.view()
		if err != nil {
			yield(Block{}, err)
			return
		}
		records, problems := db.Range(from, to)
		if !l.rows(ctx, records, a, yield) {
			return
		}
		for _, row := range damageOf(problems()) {
			if !yield(Block{}, row) {
				return
			}
		}
	}
}
