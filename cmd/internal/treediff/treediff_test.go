package treediff_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"trowel.example/cmd/internal/treediff"
	"trowel.example/internal/format"
)

// TestCompare tests the comparison of trees with all kinds of differences.
func TestCompare(t *testing.T) {
	files := func(list ...string) fstest.MapFS {
		m := fstest.MapFS{}
		for i := 0; i < len(list); i += 2 {
			m[list[i]] = &fstest.MapFile{Data: []byte(list[i+1])}
		}
		return m
	}
	old := files("a", "1\n2\n", "d/gone", "x", "d/same", "s", "e", "\x00", "f", "was a file", ".trowel.json", "{}")
	now := files("a", "1\n3\n", "d/same", "s", "e", "\x01\x02", "f/new", "in a folder", ".trowel.json", "[]")
	for _, c := range []struct {
		old, new fs.FS
		sidecar  bool
		want     []string
	}{
		{old, now, false, []string{"changed a +1 -1", "removed d/gone +0 -0", "changed e +0 -0", "removed f +0 -0", "added f/new +0 -0"}},
		{old, now, true, []string{"changed .trowel.json +1 -1", "changed a +1 -1", "removed d/gone +0 -0", "changed e +0 -0",
			"removed f +0 -0", "added f/new +0 -0"}},
		{old, old, true, nil},
		{files("one", "a\n"), files("other", "b\n"), false, []string{"changed one +1 -1"}},
	} {
		var got []string
		trees := treediff.Trees{Old: c.old, New: c.new, Sidecar: c.sidecar}
		err := trees.Compare(t.Context(), func(d treediff.Difference) error {
			if !d.Same {
				got = append(got, fmt.Sprintf("%s %s +%d -%d", d.Change, d.Path, d.Plus, d.Minus))
			}
			return d.Err
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q, %v; want %q", got, err, c.want)
		}
	}
	d := (&treediff.Trees{Old: old, New: now}).File(treediff.Pair{Path: "d/gone", Change: treediff.Changed})
	if of := new(treediff.Error); !errors.As(d.Err, &of) || !of.New || !errors.Is(d.Err, fs.ErrNotExist) {
		t.Errorf("a file that the new tree lacks: %v", d.Err)
	}
}

func TestSameBytes(t *testing.T) {
	large := make([]byte, 200_000)
	other := slices.Clone(large)
	other[150_000] = 1
	for _, c := range []struct {
		a, b []byte
		want bool
	}{{nil, nil, true}, {large, slices.Clone(large), true}, {large, other, false}, {large, large[1:], false}} {
		if same, err := treediff.SameBytes(format.NewSource("a", c.a), format.NewSource("b", c.b)); same != c.want || err != nil {
			t.Errorf("%d and %d bytes: %v, %v", len(c.a), len(c.b), same, err)
		}
	}
}
