package mapdir_test

import (
	"image"
	"image/color"
	"testing"

	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

func encode(t testing.TB, m *twmap.Map) []byte {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// sample returns a map with every kind of part.
func sample() *twmap.Map {
	m := twmap.New(20, 10)
	m.Info = &twmap.Info{Author: "Ada", Credits: "böse Zungen", Settings: []string{"sv_hit 0", "", "tune_zone 1 gravity 0.2"}}
	picture := image.NewNRGBA(image.Rect(0, 0, 32, 16))
	picture.SetNRGBA(3, 4, color.NRGBA{1, 2, 3, 4})
	picture.SetNRGBA(4, 4, color.NRGBA{200, 100, 50, 0})
	m.Images = []*twmap.Image{twmap.NewImage("own: a/b?", picture), twmap.NewExternalImage("grass_main", 1024, 1024),
		twmap.NewImage("own: a/b?", picture)}
	m.Sounds = []*twmap.Sound{twmap.NewSound("wind", []byte("OggS, or so"))}
	m.Envelopes = []*twmap.Envelope{
		{Version: 2, Name: "sway", Channels: twmap.ChannelsPosition, Points: []twmap.EnvPoint{
			{Time: 0, Curve: twmap.CurveBezier, Values: [4]int32{0, 1024, 0}, Out: [4]twmap.Tangent{{DX: 100, DY: 50}}},
			{Time: 1000, Curve: 77, Values: [4]int32{2048, 0, 360 * 1024, 5}, In: [4]twmap.Tangent{{DX: -100}}},
		}},
		{Version: 2, Channels: 8, Points: []twmap.EnvPoint{{Curve: twmap.CurveLinear, Values: [4]int32{1024, 1024, 0, 512}}}},
	}
	for kind := twmap.KindFront; kind <= twmap.KindTune; kind++ {
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(kind, 20, 10))
	}
	m.Physics(twmap.KindGame).Tiles().Set(3, 9, twmap.Tile{ID: 192})
	m.Physics(twmap.KindTele).Teles().Set(19, 9, twmap.TeleTile{Number: 7, ID: 26})
	m.Physics(twmap.KindSpeedup).Speedups().Set(1, 1, twmap.SpeedupTile{Force: 50, MaxSpeed: 3, ID: 28, Angle: -90, Padding: 1})
	m.Physics(twmap.KindSwitch).Switches().Set(1, 2, twmap.SwitchTile{Number: 1, ID: 24, Flags: twmap.Rotate, Delay: 5})
	m.Physics(twmap.KindTune).Tunes().Set(2, 2, twmap.TuneTile{Number: 1, ID: 68})
	deco := twmap.NewTileLayer(twmap.KindTiles, 5, 4)
	deco.Name, deco.Flags, deco.Image, deco.ColorEnv = "deco", twmap.Detail|4, 1, 9
	deco.AutoMapper = &twmap.AutoMapper{Config: 1, Seed: 99, Automatic: true}
	deco.Tiles().Set(4, 3, twmap.Tile{ID: 17, Flags: twmap.FlipX | twmap.Rotate | 64, Skip: 1, Reserved: 2})
	quads := twmap.NewQuadLayer(twmap.Quad{PosEnv: 0, ColorEnv: -1}, twmap.Quad{PosEnv: -1, ColorEnv: 1, Colors: [4]twmap.Color{twmap.White}})
	quads.Image = 2
	sounds := twmap.NewSoundLayer(
		twmap.SoundSource{Loop: true, Pan: true, Falloff: 80, PosEnv: -1, SoundEnv: -1, Shape: twmap.ShapeCircle, Width: 500},
		twmap.SoundSource{PosEnv: 0, SoundEnv: -1, Shape: twmap.ShapeRectangle, Width: 10, Height: 20},
		twmap.SoundSource{PosEnv: -1, SoundEnv: -1, Shape: 5})
	sounds.Sound = 0
	m.Groups = append(m.Groups, &twmap.Group{Version: 3, Name: "a/b", ParallaxX: 50, Clip: &twmap.Clip{X: 1, Width: 300, Height: 400},
		ParallaxZoom: &twmap.ParallaxZoom{Percent: 20}, Layers: []twmap.Layer{deco, quads, sounds, twmap.NewQuadLayer(),
			&twmap.UnknownLayer{Type: 42, Data: []int32{1, 2}}}})
	m.Orphans = []twmap.Layer{twmap.NewTileLayer(twmap.KindTiles, 2, 2)}
	uuid := datafile.NameUUID("mapitemtype-of-nobody@example.org")
	m.Extras = []*twmap.Extra{{Type: 99, Data: []int32{5}}, {UUID: &uuid, ID: 3, Data: []int32{1, 2}}}
	return m
}
