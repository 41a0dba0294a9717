package mpp_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/mpp"
)

// TestCorpus tests that every grid in real mods is recognized, round-trips through its picture without a residue, and
// contains only 0, 1 and 255.
func TestCorpus(t *testing.T) {
	grids, walls := 0, 0
	for _, name := range append(tests.CorpusFiles(t, "torchlight", ".MOD"), tests.CorpusFiles(t, "torchlight", ".mod")...) {
		data := judge.Read(t, name)
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Archive.Files() {
			if f.Removed() || !strings.HasSuffix(f.Path, ".MPP") {
				continue
			}
			grids++
			content, err := f.Content()
			if err != nil {
				t.Fatal(err)
			}
			if !mpp.Recognize(content[:min(len(content), 1024)]) {
				t.Errorf("%s: not recognised", f.Path)
			}
			form, residue, err := mpp.Decompile(content, mpp.Options{Path: f.Path})
			if err != nil || residue != nil {
				t.Errorf("%s: residue %v, %v", f.Path, residue, err)
				continue
			}
			if back, err := mpp.Compile(form, nil, mpp.Options{Path: f.Path}); err != nil || !bytes.Equal(back, content) {
				t.Errorf("%s: the picture does not give it back: %v", f.Path, err)
			}
			if want, known := straight[f.Path[strings.LastIndexByte(f.Path, '/')+1:]]; known {
				walls++
				if got := longest(t, content); math.Abs(got-want) > 1e-4 {
					t.Errorf("%s: the longest wall along z is at x %g, want %g", f.Path, got, want)
				}
			}
			mpp.Check(content, func(finding check.Finding) { t.Errorf("%s: %s", f.Path, finding) })
		}
	}
	if grids == 0 || walls < len(straight) {
		t.Errorf("%d grids, %d of %d with a known wall", grids, walls, len(straight))
	}
}

// straight are the x of long walls in levels whose pieces are laid at multiples of ten units. The second level and the
// third one have a cell more than their boxes require.
var straight = map[string]float64{"1X1_CONCAVE_N2W2_WATERTEMPLE_BB_A.MPP": 50,
	"1X1_CONCAVE_S1E1_WATERTEMPLE_LM_A.MPP": -50, "QA_TEST_ROOM.MPP": -42}

// longest returns the x at which most cells differ from the one before.
func longest(t *testing.T, content []byte) float64 {
	f, err := mpp.Decode(content)
	if err != nil {
		t.Fatal(err)
	}
	most, at := 0, 0
	for x := 1; x < f.Width; x++ {
		n := 0
		for z := range f.Height {
			if f.Cells[z*f.Width+x] != f.Cells[z*f.Width+x-1] {
				n++
			}
		}
		if n > most {
			most, at = n, x
		}
	}
	corner, cell := f.World()
	return corner[0] + float64(at)*cell[0]
}
