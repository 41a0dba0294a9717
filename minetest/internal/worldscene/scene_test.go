package worldscene_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldscene"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
)

// terrain creates a world of hills with a pool, with a node without a colour and a damaged block.
func terrain(t testing.TB) string {
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"), []byte("gameid = test\nbackend = sqlite3\n"))
	if err := os.WriteFile(filepath.Join(dir, "colors.txt"),
		[]byte("a:stone 90 90 90\na:grass 60 120 50\na:water 30 60 120 128 200\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := mapdb.Create(context.Background(), dir, mapdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var blocks []mapdb.Block
	for bx := range int16(4) {
		for bz := range int16(3) {
			for by := int16(-1); by < 1; by++ {
				b := mapblock.New(29)
				b.Names = []mapblock.NameID{{ID: 0, Name: "air"}, {ID: 1, Name: "a:stone"}, {ID: 2, Name: "a:grass"},
					{ID: 3, Name: "a:water"}, {ID: 4, Name: "a:secret"}, {ID: 5, Name: "default:sign_wall"}}
				for i := range b.Param0 {
					x, y, z := mapblock.Coordinates(i)
					wx, wy, wz := int(bx)*16+x, int(by)*16+y, int(bz)*16+z
					switch h := (wx*wx/50+wz*wz/40)%14 - 4; {
					case wy < h:
						b.Param0[i] = 1
					case wy == h:
						b.Param0[i] = 2
					case wy < 2:
						b.Param0[i] = 3
					case wy == 12 && wx == 3 && wz == 3:
						b.Param0[i] = 4
					}
					b.Param1[i] = 0x3f
				}
				if bx == 1 && bz == 1 && by == 0 {
					at := mapblock.Index(5, 13, 6)
					b.Param0[at] = 5
					b.Metadata = mapblock.Metadata{Version: 2,
						List: []mapblock.NodeMeta{{Pos: uint16(at), Vars: []mapblock.Var{{Key: "text", Value: "Welcome to\nthe pool"}},
							Inventory: []byte("EndInventory\n")}}}
				}
				data, err := b.EncodeFresh()
				if err != nil {
					t.Fatal(err)
				}
				if bx == 3 && bz == 2 && by == 0 {
					data = data[:9]
				}
				blocks = append(blocks, mapdb.Block{Pos: mapdb.Pos{X: bx, Y: by, Z: bz}, Data: data})
			}
		}
	}
	if err := w.Store(context.Background(), blocks); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func scene(t testing.TB, dir string, values map[string]string) *format.Scene {
	t.Helper()
	src, err := format.OpenSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := worldscene.Open(context.Background(), &format.Job{Values: values}, src, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func look(v format.View, scale float64) format.Look {
	return format.Look{View: v.Name, Origin: v.Bounds.Min, Scale: scale, Size: image.Pt(int(v.Bounds.Dx()*scale), int(v.Bounds.Dy()*scale))}
}

func drawPart(t testing.TB, s *format.Scene, l format.Look, r image.Rectangle) *image.RGBA {
	t.Helper()
	img := image.NewRGBA(r)
	if err := viewOf(s, l.View).Render(context.Background(), img, l); err != nil {
		t.Fatal(err)
	}
	return img
}

// TestSceneParts tests that every view is independent of the parts in which it is drawn.
func TestSceneParts(t *testing.T) {
	dir := terrain(t)
	for _, values := range []map[string]string{{"slice": "3"}, {"markers": "usual"}, {"drawalpha": "true", "guess-colors": "true"}} {
		for _, v := range scene(t, dir, values).Views {
			for _, scale := range []float64{1, 3, 0.5, 0.3} {
				if !tests.Long(t) && scale > 0.5 {
					continue
				}
				s := scene(t, dir, values)
				l := look(v, scale)
				want := drawPart(t, s, l, image.Rectangle{Max: l.Size})
				s = scene(t, dir, values)
				colors := make(map[color.RGBA]bool)
				for y := 0; y < l.Size.Y; y += 13 {
					for x := 0; x < l.Size.X; x += 29 {
						part := drawPart(t, s, l, image.Rect(x, y, x+29, y+13).Intersect(want.Rect))
						for py := part.Rect.Min.Y; py < part.Rect.Max.Y; py++ {
							for px := part.Rect.Min.X; px < part.Rect.Max.X; px++ {
								if part.RGBAAt(px, py) != want.RGBAAt(px, py) {
									t.Fatalf("%s at scale %v: %d,%d is %v and %v", v.Name, scale, px, py, part.RGBAAt(px, py), want.RGBAAt(px, py))
								}
								colors[part.RGBAAt(px, py)] = true
							}
						}
					}
				}
				if len(colors) < 3 {
					t.Errorf("%s at scale %v has %d colours", v.Name, scale, len(colors))
				}
			}
		}
	}
}

// TestSceneFingerprint tests that a changed block changes its own fingerprint and those of its neighbours to the
// right and below.
func TestSceneFingerprint(t *testing.T) {
	ctx := context.Background()
	dir := terrain(t)
	prints := func(view string) map[image.Point][32]byte {
		s := scene(t, dir, nil)
		v, _ := format.ViewOf(s.Views, view)
		l := look(v, 1)
		all := make(map[image.Point][32]byte)
		for y := 0; y < l.Size.Y; y += 16 {
			for x := 0; x < l.Size.X; x += 16 {
				p, err := viewOf(s, l.View).Fingerprint(ctx, l, image.Rect(x, y, x+16, y+16))
				if err != nil {
					t.Fatal(err)
				}
				all[image.Pt(x/16, y/16)] = p
			}
		}
		return all
	}
	before := prints("top")
	iso := prints("iso")
	w, err := mapdb.OpenForWriting(ctx, dir, mapdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	b := mapblock.New(29)
	data, err := b.EncodeFresh()
	if err == nil {
		err = w.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: 1, Z: 1}, Data: data}})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for p, now := range prints("top") {
		touched := p == image.Pt(1, 1) || p == image.Pt(2, 1) || p == image.Pt(1, 2) || p == image.Pt(2, 2)
		if (now != before[p]) != touched {
			t.Errorf("%v: changed %v", p, now != before[p])
		}
	}
	changed := 0
	for p, now := range prints("iso") {
		if now != iso[p] {
			changed++
		}
	}
	if changed == 0 || changed == len(iso) {
		t.Errorf("%d of %d parts of the view from aside have changed", changed, len(iso))
	}
}

// TestSceneMissing tests that everything missing in a picture is reported.
func TestSceneMissing(t *testing.T) {
	dir := terrain(t)
	listed := map[string]string{"colors": filepath.Join(dir, "colors.txt")}
	s := scene(t, dir, listed)
	l := look(s.Views[0], 1)
	drawPart(t, s, l, image.Rectangle{Max: l.Size})
	if got := fmt.Sprint(s.Missing()); len(s.Missing()) != 3 {
		t.Error(got)
	}
	for i, want := range []format.Missing{{Kind: "block", Name: "3,0,2", Loss: true, Adds: true},
		{Kind: "color", Name: "a:secret", Count: 1, Unit: "pixels", Adds: true}} {
		got := s.Missing()[i]
		if got.What == "" {
			t.Errorf("%v has no text", got)
		}
		if got.What = ""; got != want {
			t.Errorf("%+v, not %+v", got, want)
		}
	}
	listed["guess-colors"] = "true"
	for _, values := range []map[string]string{listed, nil} {
		s = scene(t, dir, values)
		drawPart(t, s, l, image.Rectangle{Max: l.Size})
		if m := s.Missing(); len(m) != 3 || m[1].Count != 0 {
			t.Error(values, m)
		}
	}
}

// TestSceneNodes tests that definitions in the folder of the world are found, and that damaged ones there are ignored
// with a warning.
func TestSceneNodes(t *testing.T) {
	draw := func(dir string, values map[string]string) []byte {
		values["guess-colors"] = "true"
		s := scene(t, dir, values)
		l := look(s.Views[0], 1)
		return drawPart(t, s, l, image.Rectangle{Max: l.Size}).Pix
	}
	dir := terrain(t)
	without := draw(dir, map[string]string{})
	const defs = `{"format": "trowel-nodes", "version": 2, "nodes": [{"name": "a:secret", "drawtype": "airlike"}]}`
	other, own := filepath.Join(t.TempDir(), "nodes.json"), filepath.Join(dir, nodedef.FileName)
	for _, path := range []string{other, own} {
		judge.Write(t, path, []byte(defs))
	}
	found := draw(dir, map[string]string{})
	if bytes.Equal(found, without) || !bytes.Equal(found, draw(terrain(t), map[string]string{"nodes": other})) {
		t.Error("the definitions in the folder of the world were not found")
	}
	judge.Write(t, own, []byte(defs[:40]))
	src, err := format.OpenSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	var warned []string
	job := &format.Job{Reports: format.Reports{OnWarn: func(path, text string) { warned = append(warned, path+": "+text) }}}
	s, err := worldscene.Open(context.Background(), job, src, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(warned) != 1 || !strings.HasPrefix(warned[0], own) {
		t.Errorf("warnings: %q", warned)
	}
	job.Values = map[string]string{"nodes": own}
	if _, err := worldscene.Open(context.Background(), job, src, ""); err == nil {
		t.Error("damaged definitions that the user chose were accepted")
	}
}

// TestSceneHeights tests that heights have 16 bits.
func TestSceneHeights(t *testing.T) {
	s := scene(t, terrain(t), nil)
	v, ok := format.ViewOf(s.Views, "height")
	if !ok || v.RenderGray16 == nil {
		t.Fatal(v)
	}
	l := look(v, 1)
	img := image.NewGray16(image.Rectangle{Max: l.Size})
	if err := viewOf(s, l.View).RenderGray16(context.Background(), img, l); err != nil {
		t.Fatal(err)
	}
	// The node at x = 0, z = 0 is at the bottom left: water at y = 1.
	if got := img.Gray16At(0, l.Size.Y-1).Y; got != 32768+1 {
		t.Errorf("the height is %d", got)
	}
}

// TestSceneRelief tests that equal heights have one colour, and different ones different colours.
func TestSceneRelief(t *testing.T) {
	s := scene(t, terrain(t), map[string]string{"noshading": "true"})
	height, relief := viewOf(s, "height"), viewOf(s, "relief")
	l := look(relief, 1)
	colors := drawPart(t, s, l, image.Rectangle{Max: l.Size})
	l.View = height.Name
	heights := image.NewGray16(colors.Rect)
	if err := height.RenderGray16(context.Background(), heights, l); err != nil {
		t.Fatal(err)
	}
	of := make(map[uint16]color.RGBA)
	for y := range l.Size.Y {
		for x := range l.Size.X {
			h, c := heights.Gray16At(x, y).Y, colors.RGBAAt(x, y)
			if was, seen := of[h]; h > 0 && seen && was != c {
				t.Fatalf("height %d: %v and %v", int(h)-32768, was, c)
			}
			of[h] = c
		}
	}
	seen := make(map[color.RGBA]bool)
	for _, c := range of {
		seen[c] = true
	}
	if sea := of[32768+1]; sea != (color.RGBA{140, 190, 225, 255}) || len(seen) != len(of) || len(of) < 4 {
		t.Errorf("%v at the sea, %d colours of %d heights", sea, len(seen), len(of))
	}
}

// TestSceneCover tests, for all views, that the cover contains everything that is drawn, and that the fingerprint is
// zero where nothing is covered.
func TestSceneCover(t *testing.T) {
	ctx := context.Background()
	for _, values := range []map[string]string{{"slice": "3"}, {"min-y": "0", "noshading": "true"}} {
		s := scene(t, terrain(t), values)
		for _, v := range s.Views {
			for _, scale := range []float64{1, 0.25} {
				l := look(v, scale)
				r := image.Rectangle{Max: l.Size}.Inset(-40)
				cover := image.NewRGBA(r)
				if err := viewOf(s, l.View).Cover(ctx, cover, l); err != nil {
					t.Fatal(err)
				}
				drawn := drawPart(t, s, l, r)
				some := 0
				for y := r.Min.Y; y < r.Max.Y; y++ {
					for x := r.Min.X; x < r.Max.X; x++ {
						if cover.RGBAAt(x, y).A > 0 {
							some++
						} else if drawn.RGBAAt(x, y).A > 0 && v.Name != "iso" { // the iso view is scaled from cubes
							t.Fatalf("%s at scale %v: %d,%d is drawn and not covered", v.Name, scale, x, y)
						}
					}
				}
				if some == 0 || some == r.Dx()*r.Dy() {
					t.Errorf("%s at scale %v: %d pixels are covered", v.Name, scale, some)
				}
				for _, part := range []image.Rectangle{image.Rect(-40, -40, -1, -1), image.Rect(l.Size.X+1, 0, l.Size.X+40, 9),
					image.Rect(0, l.Size.Y+1, 9, l.Size.Y+40)} {
					if sum, err := viewOf(s, l.View).Fingerprint(ctx, l, part); err != nil || sum != [32]byte{} {
						t.Errorf("%s: outside of all blocks the fingerprint is %x, %v", v.Name, sum, err)
					}
				}
			}
		}
	}
}

// TestSceneWith tests that a scene with other options draws the same as a new one, and is independent of the
// original.
func TestSceneWith(t *testing.T) {
	ctx := context.Background()
	dir := terrain(t)
	for _, values := range []map[string]string{{"max-y": "3"}, {"slice": "1", "drawalpha": "true"},
		{"noshading": "true", "markers": "usual"}} {
		first := scene(t, dir, nil)
		with, err := first.With(ctx, &format.Job{Values: values})
		if err != nil {
			t.Fatal(err)
		}
		if len(values) == 2 { // in any order
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
		}
		fresh := scene(t, dir, values)
		for i, v := range fresh.Views {
			if got := with.Views[i]; got.Name != v.Name || got.Bounds != v.Bounds {
				t.Errorf("%v: a view is %v, not %v", values, got, v)
			}
			l := look(v, 1)
			want := drawPart(t, fresh, l, image.Rectangle{Max: l.Size})
			if got := drawPart(t, with, l, image.Rectangle{Max: l.Size}); !bytes.Equal(got.Pix, want.Pix) {
				t.Errorf("%v: %s is another picture", values, v.Name)
			}
		}
		for range 2 { // Closing one scene twice does not close the other.
			if err := with.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if len(values) == 1 {
			drawPart(t, first, look(first.Views[0], 1), image.Rect(0, 0, 9, 9))
		}
	}
}

// viewOf returns a view by its name, or the first one.
func viewOf(s *format.Scene, name string) format.View {
	v, _ := format.ViewOf(s.Views, name)
	return v
}
