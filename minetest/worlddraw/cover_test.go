package worlddraw_test

import (
	"context"
	"image"
	"testing"

	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

// unread is a store that allows reading only its positions.
type unread struct {
	*mapdb.Memory
	t    testing.TB
	open bool
}

func (u *unread) Get(ctx context.Context, p mapdb.Pos) ([]byte, error) {
	if !u.open {
		u.t.Errorf("the block %v is read", p)
	}
	return u.Memory.Get(ctx, p)
}

// TestCover tests, for every view and scale, that the cover contains everything that is drawn, that it is only where
// blocks are, and that it needs only their positions.
func TestCover(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	ctx := context.Background()
	db := &unread{Memory: hills(t), t: t}
	places, err := worlddraw.ReadPlaces(ctx, db, worlddraw.Everything(), nil)
	if err != nil {
		t.Fatal(err)
	}
	type picture interface {
		Cover(context.Context, *image.RGBA, worlddraw.Scaled) error
		RenderScaled(context.Context, *image.RGBA, worlddraw.Scaled) error
	}
	for _, view := range []worlddraw.View{worlddraw.Top, worlddraw.North, worlddraw.South, worlddraw.West, worlddraw.East, worlddraw.IsoView} {
		for _, low := range []int{worlddraw.Everything().Min[1], 5} {
			o := worlddraw.Options{View: view, Box: worlddraw.Everything(), Colors: testColors}
			o.Box.Min[1] = low
			var p picture
			bounds := view.Bounds(places.Extent())
			if view == worlddraw.IsoView {
				p, err = places.Iso(o)
				low, high := worlddraw.IsoBounds(places.Extent())
				bounds = image.Rect(int(low[0]), int(low[1]), int(high[0]), int(high[1]))
			} else {
				p, err = places.Map(o)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, scale := range tests.Of(t, []float64{1, 0.3, 1.0 / 16}, []float64{4, 1, 0.3, 1.0 / 16, 0.01}) {
				at := worlddraw.Scaled{Origin: [2]float64{float64(bounds.Min.X), float64(bounds.Min.Y)}, Scale: scale}
				r := image.Rect(-20, -20, min(300, int(float64(bounds.Dx())*scale)+20), min(300, int(float64(bounds.Dy())*scale)+20))
				cover, drawn := image.NewRGBA(r), image.NewRGBA(r)
				db.open = false
				if err := p.Cover(ctx, cover, at); err != nil {
					t.Fatal(err)
				}
				db.open = true
				if err := p.RenderScaled(ctx, drawn, at); err != nil {
					t.Fatal(err)
				}
				near := func(img *image.RGBA, x, y, far int) bool {
					for dy := -far; dy <= far; dy++ {
						for dx := -far; dx <= far; dx++ {
							if img.RGBAAt(x+dx, y+dy).A > 0 {
								return true
							}
						}
					}
					return false
				}
				slack := 0
				if view == worlddraw.IsoView { // it is scaled from cubes of whole pixels
					slack = 1
				}
				some, step := 0, tests.Of(t, 3, 1)
				for y := r.Min.Y; y < r.Max.Y; y++ {
					for x := r.Min.X + (y-r.Min.Y)%step; x < r.Max.X; x += step {
						if drawn.RGBAAt(x, y).A > 0 && !near(cover, x, y, slack) {
							t.Fatalf("%s from %d at scale %v: %d,%d is drawn and not covered", view, low, scale, x, y)
						}
						if cover.RGBAAt(x, y).A > 0 {
							some++
						}
						// All blocks of this world contain visible nodes, beginning with the lowest.
						if cover.RGBAAt(x, y).A > 0 && low < 0 && scale == 1 && !near(drawn, x, y, 16) {
							t.Fatalf("%s: %d,%d is covered, and nothing is near", view, x, y)
						}
					}
				}
				if some == 0 || some == r.Dx()*r.Dy() {
					t.Errorf("%s at scale %v: %d pixels of %d are covered", view, scale, some, r.Dx()*r.Dy())
				}
			}
		}
	}
}

// counted is a store that counts the blocks that are read.
type counted struct {
	*mapdb.Memory
	read map[mapdb.Pos]int
}

func (c *counted) Get(ctx context.Context, p mapdb.Pos) ([]byte, error) {
	c.read[p]++
	return c.Memory.Get(ctx, p)
}

// TestDeep tests that blocks of deep columns are read only as far as they are visible.
func TestDeep(t *testing.T) {
	ctx := context.Background()
	db := &counted{mapdb.NewMemory(), make(map[mapdb.Pos]int)}
	fill := func(name string) []byte {
		b := mapblock.New(29)
		b.Names[0].Name = name
		data, err := b.EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	stone, air := fill("stone"), fill("air")
	const depth = 200
	for x := range int16(20) {
		for y := range int16(depth) {
			data := stone
			if x == 7 && y > 3 { // a shaft
				data = air
			}
			if err := db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: x, Y: -y}, Data: data}, {Pos: mapdb.Pos{X: x, Y: -y, Z: 40},
				Data: data}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The shaft is closed at 1, and open down to the bottom in the other row.
	for y := range int16(4) {
		if err := db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: 7, Y: -y, Z: 40}, Data: air}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: 7, Y: 1 - depth, Z: 40}, Data: fill("grass")}}); err != nil {
		t.Fatal(err)
	}
	m := newMap(t, db, worlddraw.Options{View: worlddraw.Top, Flat: true})
	img := whole(t, m)
	for x := range 20 {
		want := testColors["stone"]
		if got := img.RGBAAt(x*16, -1); got.R != want.R {
			t.Errorf("column %d of the first row is %v", x, got)
		}
		if x == 7 {
			want = testColors["grass"]
		}
		if got := img.RGBAAt(x*16, -40*16-1); got.R != want.R {
			t.Errorf("column %d of the second row is %v", x, got)
		}
	}
	for p, n := range db.read {
		if deep := p.Y <= -8; n > 1 || deep != (p.X == 7 && p.Z == 40 && deep) {
			t.Errorf("%v is read %d times", p, n)
		}
	}
	if len(db.read) != 2*20*8+depth-8 {
		t.Errorf("%d blocks are read", len(db.read))
	}
}

// TestBoundsOfNothing tests that a world without blocks has empty bounds in all views.
func TestBoundsOfNothing(t *testing.T) {
	nothing := worlddraw.Box{Min: [3]int{1, 1, 1}}
	for _, v := range []worlddraw.View{worlddraw.Top, worlddraw.South, worlddraw.North, worlddraw.West, worlddraw.East} {
		if r := v.Bounds(nothing); !r.Empty() {
			t.Errorf("%s: %v", v, r)
		}
	}
	if low, high := worlddraw.IsoBounds(nothing); low[0] < high[0] && low[1] < high[1] {
		t.Errorf("iso: %v to %v", low, high)
	}
}
