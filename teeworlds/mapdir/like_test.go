package mapdir_test

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// TestAnyNames tests that maps with any names become folders that every system accepts, and that they round-trip.
func TestAnyNames(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		data := encode(t, oddMap(rng))
		files := extract(t, data)
		seen := make(map[string]bool)
		for name := range files {
			for _, elem := range strings.Split(name, "/") {
				if safename.Escape(elem) != elem {
					t.Errorf("seed %d: %q is not safe", seed, name)
				}
			}
			if k := safename.Fold(name); seen[k] {
				t.Errorf("seed %d: two files are %q to some system", seed, name)
			} else {
				seen[k] = true
			}
		}
		if back := pack(t, files); !bytes.Equal(back, data) {
			t.Errorf("seed %d: packs to other bytes", seed)
		}
		delete(files, tree.Sidecar)
		again := extract(t, pack(t, files))
		delete(again, tree.Sidecar)
		if !maps.EqualFunc(files, again, func(a, b *fstest.MapFile) bool { return bytes.Equal(a.Data, b.Data) }) {
			t.Errorf("seed %d: without sidecar it is another folder", seed)
		}
		if t.Failed() {
			return
		}
	}
}

// layerNames returns the paths of the layers of a map.
func layerNames(n *mapdir.Names) map[twmap.Layer]string {
	paths := make(map[twmap.Layer]string)
	for i, g := range n.Map().Groups {
		for j, l := range g.Layers {
			paths[l] = n.Layer(i, j)
		}
	}
	return paths
}

// keptNames inserts a part into a map, and counts the layers that existed before and those of them that keep their
// names: with --like, and without.
func keptNames(t *testing.T, rng *rand.Rand, m *twmap.Map) (all, like, alone int) {
	before := mapdir.NamesOf(m)
	old := layerNames(before)
	// The names must not depend on pointers.
	earlier := decode(t, encode(t, m))
	oldNames := mapdir.NamesOf(earlier)
	insert(rng, m)
	alike := layerNames(oldNames.For(m))
	fresh := layerNames(mapdir.NamesOf(m))
	for l, name := range old {
		all++
		if alike[l] == name {
			like++
		}
		if fresh[l] == name {
			alone++
		}
	}
	return all, like, alone
}

// TestKeptNames tests that parts keep their names with the folder of before, and that most do without it.
func TestKeptNames(t *testing.T) {
	var all, like, alone int
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		a, l, f := keptNames(t, rng, oddMap(rng))
		all, like, alone = all+a, like+l, alone+f
	}
	t.Logf("of %d layers %d keep their names with --like, %d without", all, like, alone)
	if like*100 < 98*all || alone*100 < 80*all { // most names of the odd maps clash
		t.Errorf("of %d layers only %d keep their names with --like, and %d without", all, like, alone)
	}
}

// TestCorpusKeptNames tests the same for the maps of the corpus, a few times each.
func TestCorpusKeptNames(t *testing.T) {
	var all, like, alone, clashes, count atomic.Int64
	t.Run("maps", func(t *testing.T) {
		for _, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				data := judge.Read(t, path)
				m, err := twmap.Decode(data)
				if errors.Is(err, twmap.ErrNoVersion) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if len(m.Groups) == 0 {
					return
				}
				count.Add(1)
				if slices.ContainsFunc(slices.Collect(maps.Values(layerNames(mapdir.NamesOf(m)))),
					func(name string) bool { return strings.Contains(name, "~") }) {
					clashes.Add(1)
				}
				a, l, f := keptNames(t, rand.New(rand.NewPCG(uint64(len(data)), 3)), m)
				all.Add(int64(a))
				like.Add(int64(l))
				alone.Add(int64(f))
				if l < a {
					t.Logf("%d of %d layers have other names", a-l, a)
				}
			})
		}
	})
	if n := all.Load(); n > 0 {
		t.Logf("%d maps, %d with names that clash: of %d layers %d keep their names with --like, %d without", count.Load(),
			clashes.Load(), n, like.Load(), alone.Load())
		if like.Load()*100 < 95*n || alone.Load()*100 < 90*n {
			t.Error("too few layers keep their names")
		}
	}
}
