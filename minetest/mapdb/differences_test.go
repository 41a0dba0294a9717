package mapdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"trowel.example/internal/testing/tests"
)

// TestDifferences tests that exactly the differences are found for all combinations of stores, and that a damaged row
// is reported once and does not affect other rows.
func TestDifferences(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	ctx := context.Background()
	before, after := someBlocks(900), map[Pos][]byte{}
	want := map[Pos]string{}
	i := 0
	for p, data := range before {
		switch i++; i % 7 {
		case 0:
			want[p] = "removed"
		case 1:
			after[p], want[p] = append(bytes.Clone(data), 7), "changed"
		default:
			after[p] = data
		}
		if q := (Pos{p.X, p.Y, p.Z + 1}); i%9 == 0 && q.Valid() && before[q] == nil {
			after[q], want[q] = data, "added"
		}
	}
	stores := map[string]func(blocks map[Pos][]byte) DB{
		"memory": func(blocks map[Pos][]byte) DB {
			m := NewMemory()
			if _, err := Load(ctx, m, seq(blocks)); err != nil {
				t.Fatal(err)
			}
			return m
		},
	}
	for name, c := range map[string]Config{"pos": {}, "xyz": {Schema: SchemaXYZ}, "leveldb": {Backend: LevelDB}} {
		stores[name] = func(blocks map[Pos][]byte) DB {
			dir := t.TempDir()
			w, err := Create(ctx, dir, c)
			if err == nil {
				_, err = Load(ctx, w, seq(blocks))
			}
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			if name == "pos" || name == "xyz" { // a row that is not a blob, where the other store has a block
				key, columns := "0", "pos = 0"
				if name == "xyz" {
					key, columns = "0, 0, 0", "x = 0 AND y = 0 AND z = 0"
				}
				native(t, dir, "DELETE FROM blocks WHERE "+columns+"; INSERT INTO blocks VALUES ("+key+", 'text')").Close()
			}
			return open(t, dir, c)
		}
	}
	before[Pos{}], after[Pos{}] = []byte("a"), []byte("a")
	delete(want, Pos{})
	for from, old := range stores {
		for to, new := range stores {
			got := map[Pos]string{}
			bad := make(map[bool]int) // key: the error is of the new store
			a := All()
			if from == "pos" && to == "xyz" {
				a.Max.Y = 5
			}
			for d, err := range Differences(ctx, old(before), new(after), a) {
				var row *RowError
				switch {
				case errors.As(err, &row):
					list := []error{err}
					if both, are := err.(interface{ Unwrap() []error }); are {
						list = both.Unwrap()
					}
					for _, err := range list {
						of, ok := errors.AsType[*SideError](err)
						if !ok {
							t.Fatalf("%s, %s: no one knows of which store it is: %v", from, to, err)
						}
						bad[of.New]++
					}
				case err != nil:
					t.Fatal(err)
				case got[d.Pos] != "":
					t.Fatalf("%s, %s: %v is reported twice", from, to, d.Pos)
				case d.Old == nil:
					got[d.Pos] = "added"
				case d.New == nil:
					got[d.Pos] = "removed"
				case !bytes.Equal(d.Old, before[d.Pos]) || !bytes.Equal(d.New, after[d.Pos]) || bytes.Equal(d.Old, d.New):
					t.Fatalf("%s, %s: %v has other bytes", from, to, d.Pos)
				default:
					got[d.Pos] = "changed"
				}
			}
			expected := map[Pos]string{}
			for p, what := range want {
				if a.Contains(p) {
					expected[p] = what
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(expected) {
				t.Errorf("%s, %s: %d differences, not %d", from, to, len(got), len(expected))
			}
			for side, name := range map[bool]string{false: from, true: to} {
				if damaged := name == "pos" || name == "xyz"; (bad[side] > 0) != damaged {
					t.Errorf("%s, %s: %d rows of %s cannot be read", from, to, bad[side], name)
				}
			}
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, name := range []string{"pos", "leveldb"} {
		var last error
		for _, err := range Differences(ended, stores[name](before), stores[name](after), All()) {
			last = err
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("%s: %v when nobody waits any more", name, last)
		}
	}
}
