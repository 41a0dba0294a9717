package merge3_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/values/merge3"
)

var sides = []merge3.Side{merge3.Ours, merge3.Theirs}

func TestSide(t *testing.T) {
	for _, side := range sides {
		if got, err := merge3.ParseSide(side.String()); got != side || err != nil {
			t.Errorf("%v: got %v, %v", side, got, err)
		}
	}
	if side, err := merge3.ParseSide(""); side != merge3.Ours || err != nil {
		t.Errorf("the default is %v, %v", side, err)
	}
	if _, err := merge3.ParseSide("Theirs"); err == nil || err.Error() != `expected ours or theirs, not "Theirs"` {
		t.Errorf("got %v", err)
	}
}

// merger merges one thing, and returns the number of conflicts.
type merger[T any] func(base, ours, theirs T, prefer merge3.Side) (T, int)

// laws checks the laws of every merge with random versions: an unchanged side gives the other side, equal sides give
// that version, both without conflicts; and conflicts do not depend on which side is ours.
func laws[T any](t *testing.T, random func(*rand.Rand) T, equal func(x, y T) bool, merge merger[T]) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		base, x, y := random(r), random(r), random(r)
		for _, prefer := range sides {
			for _, one := range []struct {
				name               string
				base, ours, theirs T
				want               T
			}{{"ours is base", base, base, y, y}, {"theirs is base", base, x, base, x}, {"equal sides", base, x, x, x}} {
				if got, conflicts := merge(one.base, one.ours, one.theirs, prefer); conflicts > 0 || !equal(got, one.want) {
					t.Fatalf("%s: base %v, ours %v, theirs %v gives %v with %d conflicts", one.name, one.base, one.ours, one.theirs, got, conflicts)
				}
			}
			_, one := merge(base, x, y, prefer)
			if _, other := merge(base, y, x, prefer); one != other {
				t.Fatalf("base %v, sides %v and %v: %d conflicts, %d with the sides exchanged", base, x, y, one, other)
			}
		}
	}
}

func TestValue(t *testing.T) {
	laws(t, func(r *rand.Rand) int { return r.IntN(3) }, func(x, y int) bool { return x == y },
		func(base, ours, theirs int, prefer merge3.Side) (int, int) {
			conflicts, took := 0, 0
			got := merge3.Value(base, ours, theirs, func() { took++ }, func() merge3.Side { conflicts++; return prefer })
			if conflicts == 1 && got != merge3.Of(prefer, ours, theirs) || conflicts == 0 && (took == 1) != (got != ours) {
				t.Errorf("base %d, ours %d, theirs %d gives %d: took %d, %d conflicts", base, ours, theirs, got, took, conflicts)
			}
			if side, both := merge3.Compare(base, ours, theirs,
				func(x, y int) bool { return x == y }); both != (conflicts == 1) || side != merge3.Side(took) {
				t.Errorf("base %d, ours %d, theirs %d: the side is %v, %v", base, ours, theirs, side, both)
			}
			return got, conflicts
		})
}

// in merges a set: whether it has an element. There is no conflict.
func in(base, ours, theirs bool) bool { return merge3.Value(base, ours, theirs, nil, nil) }

func TestSets(t *testing.T) {
	laws(t, func(r *rand.Rand) bool { return r.IntN(2) == 0 }, func(x, y bool) bool { return x == y },
		func(base, ours, theirs bool, _ merge3.Side) (bool, int) {
			return in(base, ours, theirs), 0
		})
	laws(t, func(r *rand.Rand) int { return r.IntN(6) }, func(x, y int) bool { return x == y },
		func(base, ours, theirs int, _ merge3.Side) (int, int) {
			got := merge3.Count(base, ours, theirs)
			if got != merge3.Count(base, theirs, ours) {
				t.Errorf("%d, %d, %d: the sides differ", base, ours, theirs)
			}
			if got < min(ours, theirs, ours+theirs-base) || ours >= base && theirs >= base && got != max(ours, theirs) ||
				ours <= base && theirs <= base && got != min(ours, theirs) {
				t.Errorf("%d, %d, %d gives %d", base, ours, theirs, got)
			}
			return got, 0
		})
}

type pair struct{ key, value int }

// pairs returns a list of pairs with distinct keys, or with a repeated one.
func pairs(r *rand.Rand) (list []pair) {
	for _, key := range r.Perm(5)[:r.IntN(6)] {
		list = append(list, pair{key, r.IntN(2)})
	}
	if len(list) > 0 && r.IntN(3) == 0 {
		list = append(list, pair{list[0].key, r.IntN(2)})
	}
	return list
}

func byKey(x, y pair) int { return x.key - y.key }

// TestStore tests a store in the order of its keys. An item that both sides have is never lost.
func TestStore(t *testing.T) {
	sorted := func(r *rand.Rand) []pair {
		list := pairs(r)
		slices.SortStableFunc(list, byKey)
		return list
	}
	laws(t, sorted, slices.Equal, func(base, ours, theirs []pair, prefer merge3.Side) ([]pair, int) {
		conflicts := 0
		got := merge3.Store[int, pair]{
			Key:     func(p pair) int { return p.key },
			Compare: func(x, y int) int { return x - y },
			Conflict: func(key int, b, o, t merge3.Maybe[pair]) merge3.Side {
				conflicts++
				return prefer
			},
		}.Merge(base, ours, theirs)
		for _, p := range ours {
			in := func(list []pair) bool { return slices.ContainsFunc(list, func(q pair) bool { return q.key == p.key }) }
			if in(theirs) && !in(got) {
				t.Fatalf("base %v, ours %v, theirs %v gives %v without %d", base, ours, theirs, got, p.key)
			}
		}
		return got, conflicts
	})
}

// TestStoreOrder tests that items have the order of ours, and that those of theirs follow.
func TestStoreOrder(t *testing.T) {
	store := merge3.Store[string, string]{Key: func(s string) string { return s }}
	got := store.Merge([]string{"a", "b", "c"}, []string{"c", "n", "a", "b"}, []string{"x", "b", "c", "x"})
	if want := []string{"c", "n", "b", "x", "x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOrder tests the order of lists: all items that stay are there once, and moves of one side are taken.
func TestOrder(t *testing.T) {
	perm := func(r *rand.Rand) []int { return r.Perm(7)[:4+r.IntN(4)] }
	laws(t, perm, slices.Equal, func(base, ours, theirs []int, prefer merge3.Side) ([]int, int) {
		inB, inO, inT := merge3.Has(base), merge3.Has(ours), merge3.Has(theirs)
		stays := func(v int) bool { return in(inB(v), inO(v), inT(v)) }
		conflicts := 0
		got := merge3.Order(base, ours, theirs, stays, nil, func() merge3.Side { conflicts++; return prefer })
		want := merge3.Filter(merge3.Union(slices.Values(ours), slices.Values(theirs)), stays)
		slices.Sort(want)
		if all := slices.Sorted(slices.Values(got)); !slices.Equal(all, want) {
			t.Fatalf("base %v, ours %v, theirs %v gives %v, want the items %v", base, ours, theirs, got, want)
		}
		return got, conflicts
	})
}

func TestPlace(t *testing.T) {
	list := []string{"a", "new", "newer", "b"}
	added := func(s string) bool { return s == "new" || s == "newer" }
	for _, one := range []struct {
		before []string
		want   int
	}{{nil, 0}, {[]string{"gone"}, 0}, {[]string{"a"}, 3}, {[]string{"a", "gone"}, 3}, {[]string{"a", "b"}, 4}, {[]string{"b", "new"}, 3}} {
		if got := merge3.Place(list, one.before, added); got != one.want {
			t.Errorf("after %q: %d, want %d", one.before, got, one.want)
		}
	}
	merge3.Arrange(list, []string{"b", "a"})
	if want := []string{"b", "new", "newer", "a"}; !slices.Equal(list, want) {
		t.Errorf("arranged %q, want %q", list, want)
	}
}

func TestLog(t *testing.T) {
	failure := errors.New("no more room")
	took := 0
	log := merge3.Log{Options: merge3.Options{Prefer: merge3.Theirs, OnTook: func(c check.Change) error {
		if took++; c.What != "1 became 2" || c.Count != 1 {
			t.Errorf("took %+v", c)
		}
		return failure
	}}}
	log.Took("x", nil, "%d became %d", 1, 2)
	log.Took("y", nil, "not reported")
	if side := log.Conflict(check.Conflict{Path: "x"}); side != merge3.Theirs {
		t.Errorf("the side is %v", side)
	}
	log.Report(check.Conflict{Path: "y", Took: "A.MOD"})
	conflicts, err := log.End(nil)
	if len(conflicts) != 2 || conflicts[0].Took != "theirs" || conflicts[1].Took != "A.MOD" || err != failure || took != 1 {
		t.Errorf("got %+v, %v, %d calls", conflicts, err, took)
	}
	if _, err := log.End(errors.ErrUnsupported); err != errors.ErrUnsupported {
		t.Errorf("got %v", err)
	}
}
