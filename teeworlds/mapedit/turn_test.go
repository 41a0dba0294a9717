package mapedit_test

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

var turns = []mapedit.Turn{mapedit.LeftRight, mapedit.UpDown, mapedit.Clockwise, {Quarters: 2}, {Quarters: 3},
	{Mirrored: true, Quarters: 1}}

// eachMap calls do for each map of the corpus; do may change the map.
func eachMap(t *testing.T, do func(t *testing.T, name string, m *twmap.Map)) {
	files := tests.CorpusFiles(t, "teeworlds", ".map")
	root := tests.Corpus(t, "teeworlds")
	mapres = []string{filepath.Join(root, "mapres/ddnet_ddnet/data/mapres")}
	parallel.Each(len(files), func(i int) {
		data, err := os.ReadFile(files[i])
		if err != nil {
			t.Error(err)
			return
		}
		m, err := twmap.Decode(data)
		if err != nil {
			return // a map of 2007
		}
		name, _ := filepath.Rel(root, files[i])
		do(t, name, m)
	})
}

// edited returns a changed copy of a map.
func edited(t testing.TB, m *twmap.Map, do func(e *mapedit.Editor) error) *twmap.Map {
	t.Helper()
	m = m.Clone()
	if err := do(mapedit.New(m, nil)); err != nil {
		t.Error(err)
	}
	return m
}

func turned(t testing.TB, m *twmap.Map, turns ...mapedit.Turn) *twmap.Map {
	t.Helper()
	return edited(t, m, func(e *mapedit.Editor) error {
		for _, turn := range turns {
			if err := e.Turn(turn); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestTurnBack tests that a turn and its inverse leave a map unchanged, except for what every turn changes: flags
// without meaning, and layers of a size different from the others.
func TestTurnBack(t *testing.T) {
	var same, all int
	eachMap(t, func(t *testing.T, name string, m *twmap.Map) {
		plain := turned(t, m, mapedit.Turn{})
		all++
		if plain.Equal(m) {
			same++
		}
		for i, way := range [][]mapedit.Turn{
			{mapedit.LeftRight, mapedit.LeftRight},
			{mapedit.Clockwise, mapedit.Clockwise, mapedit.Clockwise, mapedit.Clockwise},
			{mapedit.UpDown, mapedit.UpDown},
			{mapedit.LeftRight, mapedit.Clockwise, mapedit.LeftRight, mapedit.Clockwise},
			{mapedit.LeftRight, mapedit.UpDown, {Quarters: 2}},
		} {
			if i > 1 && len(name)%9 != 0 {
				break // a sample is enough
			}
			if back := turned(t, m, way...); !back.Equal(plain) {
				t.Errorf("%s: %v leave another map", name, way)
			}
		}
	})
	t.Logf("%d of %d maps are restored completely", same, all)
}

// drawn draws a whole map, with the given number of pixels per tile.
func drawn(t testing.TB, m *twmap.Map, pixels int) *image.RGBA {
	t.Helper()
	r, err := mapdraw.New(m, mapdraw.Options{Mapres: mapres})
	if err != nil {
		t.Fatal(err)
	}
	c := mapdraw.Whole(m)
	dst := image.NewRGBA(image.Rect(0, 0, int(c.Width)/32*pixels, int(c.Height)/32*pixels))
	draw.Draw(dst, dst.Rect, image.NewUniform(mapdraw.Background), image.Point{}, draw.Src)
	p := c.Part(0, 0, float64(pixels)/32)
	// The camera is square, because the view of a group with another parallax depends on the sides.
	p.Camera.Width, p.Camera.Height = max(c.Width, c.Height), max(c.Width, c.Height)
	if err := r.Render(context.Background(), dst, p); err != nil {
		t.Error(err)
	}
	return dst
}

// mapres holds the folders of external images, for maps of the corpus.
var mapres []string

// turnedPicture turns a picture.
func turnedPicture(p *image.RGBA, t mapedit.Turn) *image.RGBA {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	n := image.NewRGBA(image.Rect(0, 0, w, h))
	if t.Quarters&1 != 0 {
		n = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			nx, ny, nw, nh := x, y, w, h
			if t.Mirrored {
				nx = nw - 1 - nx
			}
			for range t.Quarters {
				nx, ny, nw, nh = nh-1-ny, nx, nh, nw
			}
			n.SetRGBA(nx, ny, p.RGBAAt(x, y))
		}
	}
	return n
}

// difference returns the mean over the pixels of the largest difference of a channel.
func difference(t testing.TB, a, b *image.RGBA) float64 {
	t.Helper()
	if a.Rect != b.Rect {
		t.Errorf("pictures of %v and %v", a.Rect, b.Rect)
		return 255
	}
	sum := 0
	for i := 0; i < len(a.Pix); i += 4 {
		most := 0
		for c := range 4 {
			most = max(most, int(a.Pix[i+c])-int(b.Pix[i+c]), int(b.Pix[i+c])-int(a.Pix[i+c]))
		}
		sum += most
	}
	return float64(sum) / float64(len(a.Pix)/4)
}

// pixelsFor returns the number of pixels per tile in a picture of a map.
func pixelsFor(m *twmap.Map) int {
	c := mapdraw.Whole(m)
	return max(1, int(300*32/max(c.Width, c.Height)))
}

// save writes a picture for inspection if MAPEDIT_OUT is set.
func save(t testing.TB, name string, p image.Image) {
	dir := os.Getenv("MAPEDIT_OUT")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, p); err != nil {
		t.Fatal(err)
	}
}

// TestTurnPictures tests that a turned map looks like the turned picture of the map.
func TestTurnPictures(t *testing.T) {
	eachMap(t, func(t *testing.T, name string, m *twmap.Map) {
		if len(name)%2 != 0 { // a sample is enough
			return
		}
		k := pixelsFor(m)
		before := drawn(t, m, k)
		for i, turn := range turns {
			if i != len(name)/2%len(turns) {
				continue
			}
			want, got := turnedPicture(before, turn), drawn(t, turned(t, m, turn), k)
			if d := difference(t, want, got); d > 0.5 {
				t.Errorf("%s, %v: the picture differs by %.3f", name, turn, d)
				base := fmt.Sprintf("%s-%d", filepath.Base(name), i)
				save(t, base+"-want", want)
				save(t, base+"-got", got)
			}
		}
	})
}

// TestTurnPhysics tests the function of tiles of physics layers after a turn, tile by tile.
func TestTurnPhysics(t *testing.T) {
	const x, y, r = twmap.FlipX, twmap.FlipY, twmap.Rotate
	for _, c := range []struct {
		turn   mapedit.Turn
		id     twmap.GameTile
		flags  twmap.TileFlags
		wantID twmap.GameTile
		want   twmap.TileFlags
	}{
		{mapedit.LeftRight, twmap.TileSolid, x, twmap.TileSolid, 0}, // has no direction
		{mapedit.LeftRight, twmap.TileStop, 0, twmap.TileStop, 0},   // down stays down
		{mapedit.LeftRight, twmap.TileStop, r, twmap.TileStop, x | y | r},
		{mapedit.UpDown, twmap.TileStop, 0, twmap.TileStop, x | y},
		{mapedit.UpDown, twmap.TileStop, r, twmap.TileStop, r},
		{mapedit.Clockwise, twmap.TileStop, r, twmap.TileStop, x | y},
		{mapedit.Clockwise, twmap.TileSpeeder, x | y | r, twmap.TileSpeeder, 0},
		{mapedit.LeftRight, twmap.TileThroughDirection, x | y | r, twmap.TileThroughDirection, r},
		{mapedit.LeftRight, twmap.TileSpeeder, y, twmap.TileSpeeder, y},                       // has no effect before or after
		{mapedit.Clockwise, twmap.EntityCrazyShotgun, 0, twmap.EntityCrazyShotgun, x | y | r}, // down, then left
		{mapedit.Clockwise, twmap.EntityCrazyShotgunEx, r, twmap.EntityCrazyShotgunEx, 0},     // right, then down
		{mapedit.LeftRight, twmap.EntityCrazyShotgun, r, twmap.EntityCrazyShotgun, x | y | r}, // right, then left
		{mapedit.UpDown, twmap.EntityCrazyShotgun, 0, twmap.EntityCrazyShotgun, x | y},        // down, then up
		{mapedit.LeftRight, twmap.EntityCrazyShotgun, x, twmap.EntityCrazyShotgun, r},         // left, whatever its picture shows
		{mapedit.LeftRight, twmap.EntityLaserFastCCW, 0, twmap.EntityLaserFastCW, 0},          // rotates in the opposite direction
		{mapedit.UpDown, twmap.EntityLaserSlowCW, 0, twmap.EntityLaserSlowCCW, 0},
		{mapedit.LeftRight, twmap.EntityLaserStop, 0, twmap.EntityLaserStop, 0},
		{mapedit.Clockwise, twmap.EntityLaserFastCCW, 0, twmap.EntityLaserFastCCW, 0}, // unchanged
		{mapedit.LeftRight, twmap.EntityArmor, 0, twmap.EntityArmor, x},               // is drawn mirrored
		{mapedit.LeftRight, twmap.EntityArmor, r, twmap.EntityArmor, y | r},
		{mapedit.Clockwise, twmap.EntityArmor, r, twmap.EntityArmor, x | y},
		{mapedit.LeftRight, twmap.TileAir, x, twmap.TileAir, 0},
		{mapedit.Clockwise, twmap.TileStopBothWays, 0, twmap.TileStopBothWays, r},
		{mapedit.LeftRight, twmap.TileEntitiesOff1, 0, twmap.TileEntitiesOff1, x},
		{mapedit.Turn{Quarters: 2}, twmap.TileFastSpeeder, r, twmap.TileFastSpeeder, x | y | r},
		{mapedit.Turn{Quarters: 2}, twmap.EntityCrazyShotgunEx, 0, twmap.EntityCrazyShotgunEx, x | y},
		{mapedit.Turn{Quarters: 3}, twmap.EntityCrazyShotgunEx, x | y, twmap.EntityCrazyShotgunEx, x | y | r}, // up, then left
	} {
		m := twmap.New(3, 3)
		m.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: uint8(c.id), Flags: c.flags})
		got := turned(t, m, c.turn).Physics(twmap.KindGame).Tiles().At(1, 1)
		if got.ID != uint8(c.wantID) || got.Flags != c.want {
			t.Errorf("%v %v, %v: %v %v, want %v %v", c.id, c.flags, c.turn, twmap.GameTile(got.ID), got.Flags, c.wantID, c.want)
		}
	}
}

// TestTurnSpeedups tests the angles of speedups, and that numbers of teleporters are moved with their tiles.
func TestTurnSpeedups(t *testing.T) {
	for _, c := range []struct {
		turn        mapedit.Turn
		angle, want int16
		x, y        int // the new position of the tile at 0,0 of 4 x 3
	}{
		{mapedit.LeftRight, 30, 150, 3, 0}, {mapedit.LeftRight, 270, 270, 3, 0}, {mapedit.UpDown, 30, 330, 0, 2},
		{mapedit.UpDown, 0, 0, 0, 2}, {mapedit.Clockwise, 300, 30, 2, 0}, {mapedit.Turn{Quarters: 3}, 0, 270, 0, 3},
	} {
		m := twmap.New(4, 3)
		speedups, teles := twmap.NewTileLayer(twmap.KindSpeedup, 4, 3), twmap.NewTileLayer(twmap.KindTele, 4, 3)
		speedups.Speedups().Set(0, 0, twmap.SpeedupTile{ID: 29, Force: 5, MaxSpeed: 6, Angle: c.angle})
		teles.Teles().Set(0, 0, twmap.TeleTile{ID: 26, Number: 7})
		m.Groups[0].Layers = append(m.Groups[0].Layers, speedups, teles)
		n := turned(t, m, c.turn)
		if got, want := n.Physics(twmap.KindSpeedup).Speedups().At(c.x, c.y),
			(twmap.SpeedupTile{ID: 29, Force: 5, MaxSpeed: 6, Angle: c.want}); got != want {
			t.Errorf("%d, %v: %v at %d,%d, want %v", c.angle, c.turn, got, c.x, c.y, want)
		}
		if got, want := n.Physics(twmap.KindTele).Teles().At(c.x, c.y), (twmap.TeleTile{ID: 26, Number: 7}); got != want {
			t.Errorf("%v: %v at %d,%d, want %v", c.turn, got, c.x, c.y, want)
		}
	}
}

// TestTurnTold tests that everything that is turned is reported, and so are cells that cannot be read.
func TestTurnTold(t *testing.T) {
	m := twmap.New(4, 3)
	short := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(4, 3, []twmap.Tile{{ID: 1}}))
	m.Groups = append(m.Groups, twmap.NewGroup("Sky", short, twmap.NewQuadLayer(twmap.NewQuad(0, 0, 32, 32)),
		twmap.NewSoundLayer(twmap.NewSoundSource(1, 2, 3))))
	m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("way", twmap.ChannelsPosition, twmap.EnvPoint{Values: [4]int32{1, 2, 3}})}
	reported := make(map[string]int64)
	e := mapedit.New(m, func(c check.Change) { reported[c.Path] += c.Count })
	if err := e.Turn(mapedit.Clockwise); err != nil {
		t.Fatal(err)
	}
	want := "map[envelopes/way:1 groups/Game/Game:12 groups/Sky/quads:1 groups/Sky/sounds:1 groups/Sky/tiles:12]"
	if got := fmt.Sprint(reported); got != want {
		t.Errorf("reported %s, want %s", got, want)
	}
	if got, want := m.Envelopes[0].Points[0].Values, [4]int32{-2, 1, 3}; got != want {
		t.Errorf("the way became %v, want %v", got, want)
	}
}
