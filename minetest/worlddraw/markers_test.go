package worlddraw_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

func TestMarkerRules(t *testing.T) {
	rules, err := worlddraw.ParseMarkerRules(strings.NewReader("# rules\n\na:* thing #ff8000 it is {owner}'s  own\nb:c other #000000\n"))
	if err != nil || len(rules) != 2 || rules[0].Label != "it is {owner}'s own" || rules[1].Label != "" || rules[0].Color.G != 128 {
		t.Errorf("%+v, %v", rules, err)
	}
	for _, text := range []string{"a b", "a b red", "a b #12345g", "[ b #123456"} {
		if _, err := worlddraw.ParseMarkerRules(strings.NewReader("x y #000000\n" + text)); err == nil ||
			!strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestMarkers tests that markers contain the values of metadata, in old and new blocks.
func TestMarkers(t *testing.T) {
	ctx := context.Background()
	db := mapdb.NewMemory()
	for i, version := range []int{29, 25} {
		b := mapblock.New(version)
		b.Names = []mapblock.NameID{{ID: 0, Name: "default:chest_locked"}, {ID: 1, Name: "default:sign_wall"}, {ID: 2, Name: "a:other"}}
		meta := func(index int, id uint16, vars ...mapblock.Var) {
			b.Param0[index] = id
			b.Metadata.Version = 1
			b.Metadata.List = append(b.Metadata.List, mapblock.NodeMeta{Pos: uint16(index), Vars: vars, Inventory: []byte("EndInventory\n")})
		}
		meta(0, 0, mapblock.Var{Key: "owner", Value: "ann"})
		meta(1, 1, mapblock.Var{Key: "text", Value: strings.Repeat("long\x1b ", 20)})
		meta(2, 0)
		meta(3, 2, mapblock.Var{Key: "owner", Value: "bob"})
		data, err := b.EncodeFresh()
		if err == nil {
			err = db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: int16(-i)}, Data: data}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{Y: 1}, Data: []byte{29, 1, 2}}}); err != nil {
		t.Fatal(err)
	}
	lost := 0
	places, err := worlddraw.ReadPlaces(ctx, db, worlddraw.Everything(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := places.Markers(worlddraw.UsualMarkers()).Near(ctx, worlddraw.Top, image.Rect(-99, -99, 99, 99),
		worlddraw.Scaled{Scale: 1}, func(error) { lost++ })
	if err != nil || lost != 1 {
		t.Errorf("%v, %d lost", err, lost)
	}
	var text []string
	for _, m := range got {
		text = append(text, fmt.Sprint(m.Pos, " ", m.Kind, " ", m.Label))
	}
	want := "[-16 0 0] chest ann,[-15 0 0] sign long long long long long long long long~,[0 0 0] chest ann,[1 0 0] " +
		"sign long long long long long long long long~"
	if strings.Join(text, ",") != want {
		t.Errorf("%q", text)
	}
}

func FuzzParseMarkerRules(f *testing.F) {
	f.Add("default:sign_* sign #ffffff {text}\n# x\n")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := worlddraw.ParseMarkerRules(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range rules {
			if r.Pattern == "" || r.Kind == "" || r.Color.A != 255 {
				t.Errorf("%+v", r)
			}
		}
	})
}

// TestManyMarks tests that one of many overlapping marks is drawn, and that the choice does not depend on the part of
// the picture.
func TestManyMarks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	markers := make([]worlddraw.Marker, 5000)
	for i := range markers {
		markers[i] = worlddraw.Marker{Pos: [3]float64{rng.Float64() * 900, rng.Float64() * 50, rng.Float64() * 900},
			Label: fmt.Sprint("m", i), Color: color.NRGBA{uint8(i), uint8(i >> 8), 9, 255}}
	}
	box := worlddraw.Everything()
	box.Max[1] = 30
	for _, view := range []worlddraw.View{worlddraw.Top, worlddraw.East, worlddraw.IsoView} {
		low, high := view.Where(worlddraw.Box{Max: [3]int{900, 50, 900}})
		for _, scale := range []float64{0.11, 0.5} {
			at := worlddraw.Scaled{Origin: low, Scale: scale}
			draw := func(r image.Rectangle, at worlddraw.Scaled) *image.RGBA {
				img := image.NewRGBA(r)
				view.Marks(markers, box, r, at).Draw(img, at)
				return img
			}
			r := image.Rect(0, 0, int((high[0]-low[0])*scale), int((high[1]-low[1])*scale))
			whole := draw(r, at)
			if n := len(view.Marks(markers, box, r, at)); n == 0 || n > (r.Dx()/4+90)*(r.Dy()/4+9) || n == len(markers) {
				t.Errorf("%s at scale %v: %d marks", view, scale, n)
			}
			for y := 0; y < r.Dy(); y += 61 {
				for x := 0; x < r.Dx(); x += 67 {
					part := draw(image.Rect(x, y, x+67, y+61).Intersect(r), at)
					// The same with a different origin, as tiles have.
					own := at
					own.Origin[0], own.Origin[1] = at.Origin[0]+float64(x)/scale, at.Origin[1]+float64(y)/scale
					tile := draw(part.Rect.Sub(image.Pt(x, y)), own)
					for py := part.Rect.Min.Y; py < part.Rect.Max.Y; py++ {
						for px := part.Rect.Min.X; px < part.Rect.Max.X; px++ {
							if part.RGBAAt(px, py) != whole.RGBAAt(px, py) {
								t.Fatalf("%s at scale %v: %d,%d differs in a part", view, scale, px, py)
							}
						}
					}
					if n := differing(t, tile, part, nil); n > part.Rect.Dx()*part.Rect.Dy()/20 { // except for rounding
						t.Errorf("%s at scale %v: %d pixels of a tile differ", view, scale, n)
					}
				}
			}
		}
	}
}
