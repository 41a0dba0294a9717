package tiles

import (
	"context"
	"image"
	"image/color"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// dated is a field of which an area has changed its color.
type dated struct {
	field
	now   image.Rectangle
	style string
	given bool
}

func (d dated) Render(ctx context.Context, dst *image.RGBA, look format.Look) error {
	if err := d.field.Render(ctx, dst, look); err != nil {
		return err
	}
	r := dst.Rect.Intersect(d.now)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			dst.SetRGBA(x, y, color.RGBA{A: 255})
		}
	}
	return nil
}

func (d dated) scene() *format.Scene {
	scene := d.field.scene()
	scene.Views[0].Render, scene.Style = d.Render, d.style
	if d.given {
		scene.Since = &format.Since{
			Bounds: func(format.Look) (format.Rect, error) { return d.bounds, nil },
			Changed: func(_ context.Context, _ format.Look, pixels image.Rectangle) (bool, error) {
				return pixels.Overlaps(d.now), nil
			},
		}
	}
	return scene
}

// TestSince tests that with the earlier tiles, unchanged tiles are not drawn, in one process and in parts; and
// that without them, the tiles needed for the levels above are drawn.
func TestSince(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	ctx := t.Context()
	base := t.TempDir()
	f := field{bounds: format.Rect{Min: [2]float64{-2000, -700}, Max: [2]float64{2500, 900}}}
	of := func(dir string, d dated) (*Pyramid, func() int64) {
		p := pyramidOf(t, filepath.Join(base, dir), f)
		d.field = f
		d.calls = new(atomic.Int64)
		p.Scene = d.scene()
		p.View = p.Scene.Views[0]
		return p, d.calls.Load
	}
	finish := func(p *Pyramid) Made {
		t.Helper()
		defer p.folder.Close()
		made, err := p.Finish(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	here := func(dir string, d dated) (Made, int64) {
		t.Helper()
		p, calls := of(dir, d)
		if err := work.Of(p).Here(ctx); err != nil {
			t.Fatal(err)
		}
		return finish(p), calls()
	}
	here("was", dated{})
	here("one", dated{})
	d := dated{now: image.Rect(700, 100, 800, 300)} // on four tiles of level 0 below one tile of level 1
	_, all := here("want", d)
	d.given = true
	want := judge.Files(t, filepath.Join(base, "want"))
	made, calls := here("one", d)
	levels := int64(made.Levels)
	if calls != 4 || made.Drawn != 4+levels-1 || made.Removed != 0 || len(made.Gone) != 0 {
		t.Errorf("%d tiles were drawn: %+v", calls, made)
	}
	got := judge.Files(t, filepath.Join(base, "one"))
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs", name)
		}
	}
	if made, calls = here("one", d); calls != 4 || made.Drawn != 0 {
		t.Errorf("once more %d tiles were drawn: %+v", calls, made)
	}
	made, calls = here("none", d)
	if calls != all || made.Drawn != 4+levels-1 {
		t.Errorf("%d tiles of %d were drawn into an empty folder: %+v", calls, all, made)
	}

	for _, seen := range []bool{true, false} {
		store, drawn := work.Folder(t.TempDir()), int64(0)
		part := func() (*Pyramid, func() int64) {
			p, calls := of(map[bool]string{true: "apart", false: "blind"}[seen], d)
			if seen {
				p.Was = func() (*output.Collection, error) { return output.LookInto(filepath.Join(base, "was")) }
				t.Cleanup(func() {
					if p.was != nil {
						p.was.Close()
					}
				})
			}
			return p, calls
		}
		p, _ := part()
		plan, err := work.Begin(ctx, work.Of(p), work.Plan{}, store)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range plan.Parts {
			p, calls := part()
			if err := store.Add(ctx, work.ResultName(one), func(to io.Writer) error { return work.Of(p).Do(ctx, one, to) }); err != nil {
				t.Fatal(err)
			}
			drawn += calls()
		}
		p, _ = part()
		if _, err := work.Finish(ctx, work.Of(p), plan, store); err != nil {
			t.Fatal(err)
		}
		if made := finish(p); made.Drawn != 4+levels-1 || seen && drawn != 4 || !seen && drawn != all {
			t.Errorf("%d tiles of %d were drawn in parts: %+v", drawn, all, made)
		}
		for name, is := range judge.Files(t, filepath.Join(base, map[bool]string{true: "apart", false: "blind"}[seen])) {
			if strings.HasSuffix(name, ".png") && is != want[name] {
				t.Errorf("in parts %s differs", name)
			}
		}
		// A missing tile that a worker has seen is an error, not a hole.
		if seen {
			p, _ := part()
			p.Was = nil
			if _, err := work.Finish(ctx, work.Of(p), plan, store); err == nil || !strings.Contains(err.Error(), "is missing now") {
				t.Error(err)
			}
			p.folder.Close()
		}
	}

	d.style = "other"
	p, _ := of("one", d)
	if err := work.Of(p).Here(ctx); err == nil || !strings.Contains(err.Error(), "drawn with other options") {
		t.Error(err)
	}
	p.folder.Close()
}
