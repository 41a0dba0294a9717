package mapdraw

import (
	"image"
	"image/color"
	"testing"

	"trowel.example/teeworlds/twmap"
)

// TestSigns tests that each tile that DDNet supports has a sign, and that all signs are different.
func TestSigns(t *testing.T) {
	s := newSheet(ownSigns())
	l := s.levels[0]
	looks := make(map[string]int)
	for id := 1; id < 256; id++ {
		valid := id == switchTimedOpenCell
		for kind := twmap.KindGame; kind <= twmap.KindTune; kind++ {
			if kind != twmap.KindSpeedup { // speedup tiles have arrows
				valid = valid || twmap.ValidTile(kind, uint8(id))
			}
		}
		valid = valid && id != 219 // a gap among the entities
		if valid == s.empty[id] {
			t.Errorf("%d, %v: valid %t, empty %t", id, twmap.GameTile(id), valid, s.empty[id])
		}
		var look []byte
		for y := range l.h {
			look = append(look, l.pix[l.cell(id)+y*l.stride:][:4*l.w]...)
		}
		if other, ok := looks[string(look)]; ok && valid {
			t.Errorf("%d and %d look the same", id, other)
		}
		looks[string(look)] = id
	}
	for i, s := range []*sheet{numberSheet(), numberSheetAbove(), numberSheetBelow()} {
		for n := 1; n < 256; n++ {
			if s.empty[n] {
				t.Errorf("sheet %d has no %d", i, n)
			}
		}
	}
}

// TestNumberWidth tests that numbers of three digits, with their outline, fill all columns of a cell but the first and the
// last one.
func TestNumberWidth(t *testing.T) {
	l := numberSheet().levels[0]
	for n := 100; n < 256; n++ {
		most := make([]byte, l.w) // the largest alpha of each column
		for y := range l.h {
			row := l.pix[l.cell(n)+y*l.stride:]
			for x := range most {
				most[x] = max(most[x], row[4*x+3])
			}
		}
		if most[0] > 96 || most[1] < 192 || most[l.w-2] < 192 || most[l.w-1] > 96 {
			t.Errorf("%d: the columns on the left and on the right have the alpha %d and %d", n, most[:2], most[l.w-2:])
		}
	}
}

func TestMasks(t *testing.T) {
	for name, want := range map[string]string{"ddnet": "xx...x.x", "fng": "xxx.xxxx", "blockworlds": "xxxxxxxx"} {
		stay := MaskOf(name).cells(false)
		got := ""
		for _, id := range []int{1, 2, 23, 140, 160, 192, 8, 27} {
			if stay[id] {
				got += "x"
			} else {
				got += "."
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if stay := MaskDDNet.cells(true); !stay[8] || !stay[23] || stay[1] {
		t.Error("the sheet of switches has other cells")
	}
}

// TestEntityLayers tests the drawing of tiles in each kind of layer.
func TestEntityLayers(t *testing.T) {
	for _, c := range []struct {
		what string
		got  []cell
		want []cell
	}{
		{"tele", []cell{teleCell(twmap.TeleTile{Number: 5, ID: 26}), teleNumber(twmap.TeleTile{Number: 5, ID: 26}),
			teleNumber(twmap.TeleTile{Number: 5, ID: 31}), teleNumber(twmap.TeleTile{Number: 5, ID: 63}),
			teleNumber(twmap.TeleTile{Number: 5})},
			[]cell{26, 5, 0, 0, 0}},
		{"switch", []cell{switchCell(twmap.SwitchTile{ID: 22, Flags: twmap.Rotate}), switchCell(twmap.SwitchTile{ID: 24})}, []cell{8 | 8<<8, 24}},
		{"speedup", []cell{speedupArrow(twmap.SpeedupTile{ID: 28}), speedupArrow(twmap.SpeedupTile{ID: 28, Force: 1}),
			speedupArrow(twmap.SpeedupTile{ID: 29, MaxSpeed: 9, Angle: 91}),
			speedupArrow(twmap.SpeedupTile{ID: 29, Force: 1, Angle: 180}),
			speedupArrow(twmap.SpeedupTile{ID: 29, Force: 1, Angle: -1}), speedupArrow(twmap.SpeedupTile{ID: 3, Force: 1})},
			[]cell{0, 1, 2 | 8<<8, 1 | 3<<8, 90 | 11<<8, 0}},
		{"numbers of speedups", []cell{speedupForce(twmap.SpeedupTile{ID: 29, MaxSpeed: 9}),
			speedupLimit(twmap.SpeedupTile{ID: 29, MaxSpeed: 9}), speedupForce(twmap.SpeedupTile{ID: 28, Force: 7})},
			[]cell{0, 9, 7}},
	} {
		for i := range c.want {
			if c.got[i] != c.want[i] {
				t.Errorf("%s %d: %#x, want %#x", c.what, i, c.got[i], c.want[i])
			}
		}
	}
	g := twmap.NewGrid[twmap.TuneTile](5, 1)
	for i, n := range []uint8{7, 0, 3, 7, 200} {
		g.Set(i, 0, twmap.TuneTile{Number: n, ID: uint8(twmap.TileTune)})
	}
	g.Set(1, 0, twmap.TuneTile{Number: 9})
	if s := tuneShades(g); s[7] != 1 || s[3] != 2 || s[200] != 3 || s[9] != 0 {
		t.Errorf("zones have the colours %v", []uint8{s[7], s[3], s[200], s[9]})
	}
	for _, c := range []struct {
		hue, l  float64
		r, g, b uint8
	}{{0, 0.5, 223, 32, 32}, {1.0 / 3, 0.5, 32, 223, 32}, {2.0 / 3, 0.5, 32, 32, 223}, {0.3, 1, 255, 255, 255}, {0.3, 0, 0, 0, 0}} {
		if r, g, b := hsl(c.hue, 0.75, c.l); r != c.r || g != c.g || b != c.b {
			t.Errorf("hue %v, lightness %v: %d %d %d", c.hue, c.l, r, g, b)
		}
	}
}

// entityMap returns a map with a layer of each kind, each with one tile next to the others.
func entityMap() *twmap.Map {
	m := twmap.New(6, 1)
	for kind := twmap.KindFront; kind <= twmap.KindTune; kind++ {
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(kind, 6, 1))
	}
	m.Physics(twmap.KindGame).Tiles().Set(0, 0, twmap.Tile{ID: 1})
	m.Physics(twmap.KindFront).Tiles().Set(1, 0, twmap.Tile{ID: 9})
	m.Physics(twmap.KindTele).Teles().Set(2, 0, twmap.TeleTile{Number: 12, ID: 26})
	m.Physics(twmap.KindSpeedup).Speedups().Set(3, 0, twmap.SpeedupTile{Force: 5, MaxSpeed: 77, ID: 29, Angle: 45})
	m.Physics(twmap.KindSwitch).Switches().Set(4, 0, twmap.SwitchTile{Number: 3, ID: 24, Delay: 4})
	m.Physics(twmap.KindTune).Tunes().Set(5, 0, twmap.TuneTile{Number: 3, ID: 68})
	return m
}

func TestOverlay(t *testing.T) {
	m := entityMap()
	black := color.RGBA{A: 255}
	seen := func(o Options) (tiles string) {
		p := draws(t, m, o, 1, 0)
		for x := range 6 {
			c := "."
			for i := range TileSize * TileSize {
				if p.RGBAAt(x*TileSize+i%TileSize, i/TileSize) != black {
					c = "x"
				}
			}
			tiles += c
		}
		return tiles
	}
	if got := seen(Options{}); got != "......" {
		t.Errorf("without entities: %s", got)
	}
	if got := seen(Options{Entities: 40}); got != "xxxxxx" {
		t.Errorf("with entities: %s", got)
	}
	// A picture of entities replaces the signs: arrows and numbers are still drawn.
	if got := seen(Options{Entities: 100, EntitiesImage: image.NewNRGBA(image.Rect(0, 0, 16, 16))}); got != "..xxx." {
		t.Errorf("with nothing for entities: %s", got)
	}
	// The layers of a map that is covered by 60 %.
	p := draws(t, m, Options{Entities: 60, EntitiesImage: plain(16, color.NRGBA{255, 0, 0, 255}), Mask: MaskNothing}, 1, 0)
	if got := p.RGBAAt(16, 16); got != (color.RGBA{153, 0, 0, 255}) {
		t.Errorf("60 %% of red: %v", got)
	}
}

func TestSounds(t *testing.T) {
	circle, box := twmap.NewSoundSource(32, 32, 20), twmap.NewSoundSource(96, 32, 0)
	circle.Falloff = 128
	box.Shape, box.Width, box.Height = twmap.ShapeRectangle, 60*1024, 40*1024
	box.PosEnv = 0
	m := withLayer(4, 2, twmap.NewSoundLayer(circle, box))
	m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("", 3, twmap.EnvPoint{Values: [4]int32{0, -1024 * 8}})}
	if p := draws(t, m, Options{}, 1, 0); p.RGBAAt(32, 14).R != 0 {
		t.Error("sounds are to be seen although nobody asked for them")
	}
	r, err := New(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dst := image.NewRGBA(image.Rect(0, 0, 128, 64))
	p := Whole(m).At(128)
	p.Draws = func(int, int) bool { return true }
	if err := r.Render(t.Context(), dst, p); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x, y int
		want uint8 // alpha
	}{{32, 13, 102}, {32, 11, 0}, {47, 46, 0}, {67, 5, 102}, {67, 3, 0}, {65, 20, 0}, {125, 43, 102}, {125, 45, 0}} {
		if got := dst.RGBAAt(c.x, c.y).A; got != c.want {
			t.Errorf("%d,%d: alpha %d, want %d", c.x, c.y, got, c.want)
		}
	}
	if dst.RGBAAt(32, 23).A <= 102 {
		t.Error("no inner circle")
	}
}
