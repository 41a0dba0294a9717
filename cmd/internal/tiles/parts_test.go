package tiles

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// apart draws a field as separate workers do: each part with a separate pyramid, in random order, some parts
// twice. With placed, parts store the files of tiles in their final place; with adopt, they are moved from there at the end.
func apart(t *testing.T, dir string, f field, placed, adopt bool) (*Pyramid, func()) {
	t.Helper()
	ctx := t.Context()
	store := work.Folder(t.TempDir())
	files := &work.Files{Store: store}
	many := 0
	if placed {
		many = -1
	}
	plan, err := work.Begin(ctx, work.Of(pyramidOf(t, dir, f)), work.Plan{Many: many}, store)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, i := range rand.Perm(len(plan.Parts)) {
		part := plan.Parts[i]
		p := pyramidOf(t, dir, f)
		p.Open = nil // only the process that stores tiles opens the folder
		if placed {
			p.Place = files
		}
		if err := store.Add(ctx, work.ResultName(part), func(to io.Writer) error { return work.Of(p).Do(ctx, part, to) }); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			if err := work.Of(p).Do(ctx, part, io.Discard); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Do(ctx, part, func(tile Tile) error {
			if tile.Name != "" && seen[tile.Name] {
				t.Errorf("%s is drawn by two parts", tile.Name)
			}
			seen[tile.Name] = true
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	p := pyramidOf(t, dir, f)
	p.Files = files
	adopted := make(map[string]work.Ref)
	if adopt {
		p.Adopt = func(name string, ref work.Ref) error { adopted[name] = ref; return nil }
	}
	if left, err := work.Finish(ctx, work.Of(p), plan, store); err != nil || left.Files > 0 {
		t.Fatal(left, err)
	}
	return p, func() {
		for name, ref := range adopted {
			data, err := files.Read(ctx, ref, maxPNG)
			to := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, data, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		if adopt && len(adopted) == 0 && placed && len(p.levels) > squareLevel && p.Made().Drawn > 100 {
			t.Error("no tile is where it was stored")
		}
	}
}

// TestApart tests that parts produce identical output as one process, in a new folder and in one with the tiles of
// an earlier state of the scene.
func TestApart(t *testing.T) {
	tests.NotRaced(t, "draws one part after the other")
	seeds := uint64(4)
	if !tests.Long(t) {
		seeds = 1
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		one, many := filepath.Join(dir, "one"), filepath.Join(dir, "many")
		for i := range 3 { // the scene grows and shrinks
			at := func() float64 { return float64(r.IntN(2400) - 1200) }
			f := field{bounds: format.Rect{Min: [2]float64{at(), at()}}}
			f.bounds.Max = [2]float64{f.bounds.Min[0] + float64(r.IntN(4000)), f.bounds.Min[1] + float64(r.IntN(900))}
			want, err := drawField(t, t.Context(), one, f)
			if err != nil {
				t.Fatal(err)
			}
			p, end := apart(t, many, f, i > 0, i > 1)
			got, err := p.Finish(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			end()
			p.folder.Close()
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(judge.Files(t, one), judge.Files(t, many)); d != "" {
				t.Fatalf("%v: %s", f.bounds, d)
			}
		}
	}
}

// TestMissingApart tests that missing data is reported as in one process: counts of drawn objects add up,
// counts of the whole file do not.
func TestMissingApart(t *testing.T) {
	tests.NotRaced(t, "draws one part after the other")
	f := field{bounds: format.Rect{Max: [2]float64{5000, 300}}}
	dir := filepath.Join(t.TempDir(), "tiles")
	tiles := int64(20 * 2)
	want := []format.Missing{{Kind: "color", Name: "drawn", Count: tiles, Adds: true}, {Kind: "layer", Name: "whole", Count: 7}}
	for range 2 {
		p, _ := apart(t, dir, f, true, false)
		if _, err := p.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, p.Missing()); d != "" {
			t.Error(d)
		}
		p.folder.Close()
	}
}

// TestHostileParts tests that invalid parts and records are rejected.
func TestHostileParts(t *testing.T) {
	p := pyramidOf(t, filepath.Join(t.TempDir(), "tiles"), field{bounds: format.Rect{Max: [2]float64{100, 100}}})
	good := square{Level: 3, Tiles: image.Rect(-8, 0, -1, 3)}
	if !good.valid() {
		t.Error("refused")
	}
	for _, s := range []square{
		{}, {Level: -1, Tiles: good.Tiles}, {Level: 2, Tiles: good.Tiles}, {Level: 40, Tiles: good.Tiles},
		{Level: 3, Tiles: image.Rect(-1, 0, 1, 1)},
		{Level: 3, Tiles: image.Rectangle{Min: image.Pt(5, 5), Max: image.Pt(4, 4)}}, {Tiles: image.Rect(maxPlace, 0, maxPlace+1, 1)},
	} {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Do(t.Context(), work.Part{Name: "x", Data: data}, func(Tile) error { return nil }); err == nil {
			t.Errorf("%+v", s)
		}
	}
	data, _ := json.Marshal(good)
	part := work.Part{Name: "x", Data: data}
	defer func() { p.folder.Close() }()
	for _, name := range []string{"index.html", "../0/0/0.png", "/0/0/0.png", "0/0/0.png/..", ".trowel-made"} {
		if err := p.Take(t.Context(), part, Tile{Name: name, PNG: []byte("x"), Content: [16]byte{1}}); err == nil {
			t.Error(name)
		}
	}
	if err := p.Take(t.Context(), part, Tile{Name: "0/0/0.png", Content: [16]byte{1}}); err == nil {
		t.Error("a tile that is not there was taken as kept")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Do(ctx, part, func(Tile) error { return nil }); err == nil {
		t.Error("goes on after its end")
	}
}
