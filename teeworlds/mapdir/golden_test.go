package mapdir_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"image"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/judge"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

var update = flag.Bool("update", false, "make the maps in testdata again, with the tools in their names")

// goldens are maps that other programs wrote from maps made here. Each is testdata/SOURCE.ddnet-tools-16.4-TOOL.map.
// To regenerate them, with the tools of that version installed:
//
//	go test ./teeworlds/mapdir -run TestGolden -update
var goldens = []struct {
	source string
	make   func() *twmap.Map
	tool   string
	same   bool                                  // the tool writes exactly the bytes that it reads
	change func(t *testing.T, m, got *twmap.Map) // applies the changes that the tool makes beyond bytes; got is what the tool wrote
}{
	{"everything", everything, "map_resave", true, nil},
	{"everything", everything, "map_convert_07", true, nil}, // it embeds external images, which this map lacks
	{"everything", everything, "map_optimize", false, optimized},
	{"everything", everything, "config_store", false, stored},
	{"everything-0.7", everything07, "map_resave", true, nil},
	{"everything-0.7", everything07, "map_convert_07", true, nil},
}

// optimized applies the changes of map_optimize, apart from compression with level 9: the tool clears unused tiles in
// the images of tile layers, and adds a hash to the names of all images.
func optimized(t *testing.T, m, got *twmap.Map) {
	for i, im := range m.Images {
		hash, ok := strings.CutPrefix(got.Images[i].Name, im.Name+"_cut_")
		if !ok || len(hash) != 64 {
			t.Errorf("image %s has become %s", im.Name, got.Images[i].Name)
		}
		im.Name = got.Images[i].Name
	}
	cut, err := m.Images[0].Picture()
	if err != nil {
		t.Fatal(err)
	}
	for i := range cut.Pix {
		if x, y := i/4%64, i/4/64; x < 4 || x >= 16 || y >= 4 { // tiles 1 to 3 are used
			cut.Pix[i] = 0
		}
	}
	m.Images[0].SetPicture(cut)
}

// stored applies the changes of config_store: it replaces the settings. It also adds an entry of the UUID index for
// each one that it finds, which explains the duplicates in real maps.
func stored(t *testing.T, m, got *twmap.Map) {
	m.Info.Settings = []string{"# stored by a tool", "sv_hit 1"}
	uuid := datafile.NameUUID("mapitemtype-automapper-config@ddnet.tw")
	entry := make([]int32, 4)
	for i := range entry {
		entry[i] = int32(binary.BigEndian.Uint32(uuid[4*i:]))
	}
	m.Extras = []*twmap.Extra{{Type: datafile.TypeUUIDIndex, ID: 0xfffe, Data: entry}}
}

// everything returns a map with every feature that DDNet 16.4 supports, so that its tools can read and write the map.
func everything() *twmap.Map {
	m := twmap.New(24, 16)
	m.Info = &twmap.Info{Author: "Trowel", MapVersion: "1.2", Credits: "nobody", License: "MIT",
		Settings: []string{"sv_hit 1", "tune gravity 0.25", "tune_zone 1 gravity 0.2"}}
	m.Images = []*twmap.Image{
		twmap.NewImage("tileset", pattern(64, 64)),
		twmap.NewImage("sign", pattern(24, 10)),
	}
	m.Sounds = []*twmap.Sound{twmap.NewSound("silence", silence())}
	m.Envelopes = []*twmap.Envelope{
		{Version: 2, Name: "sway", Channels: twmap.ChannelsPosition, Synchronized: true, Points: []twmap.EnvPoint{
			{Time: 0, Curve: twmap.CurveSmooth, Values: [4]int32{0, -1024, 0}},
			{Time: 500, Curve: twmap.CurveStep, Values: [4]int32{2048, 0, 90 * 1024}},
			{Time: 1000, Curve: twmap.CurveFast, Values: [4]int32{2048, 7, 360 * 1024}},
			{Time: 2000, Curve: twmap.CurveSlow, Values: [4]int32{0, -1024, 0}},
		}},
		{Version: 2, Name: "glow", Channels: twmap.ChannelsColor, Points: []twmap.EnvPoint{
			{Time: 0, Curve: twmap.CurveLinear, Values: [4]int32{1024, 512, 0, 1024}},
			{Time: 1500, Curve: twmap.CurveLinear, Values: [4]int32{1024, 1024, 1024, 256}},
		}},
		{Version: 2, Name: "swell", Channels: twmap.ChannelsSound, Points: []twmap.EnvPoint{{Curve: twmap.CurveLinear, Values: [4]int32{512}}}},
	}

	for _, kind := range []twmap.Kind{twmap.KindFront, twmap.KindTele, twmap.KindSpeedup, twmap.KindSwitch, twmap.KindTune} {
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(kind, 24, 16))
	}
	game := m.Physics(twmap.KindGame)
	for x := range 24 {
		game.Tiles().Set(x, 15, twmap.Tile{ID: uint8(twmap.TileSolid)})
	}
	game.Tiles().Set(3, 13, twmap.Tile{ID: uint8(twmap.EntitySpawn)})
	game.Tiles().Set(20, 14, twmap.Tile{ID: uint8(twmap.TileStop), Flags: twmap.Rotate | twmap.FlipX | twmap.FlipY})
	m.Physics(twmap.KindFront).Tiles().Set(5, 14, twmap.Tile{ID: uint8(twmap.TileFreeze)})
	m.Physics(twmap.KindTele).Teles().Set(7, 14, twmap.TeleTile{Number: 1, ID: uint8(twmap.TileTeleIn)})
	m.Physics(twmap.KindTele).Teles().Set(9, 14, twmap.TeleTile{Number: 1, ID: uint8(twmap.TileTeleOut)})
	m.Physics(twmap.KindSpeedup).Speedups().Set(11, 14, twmap.SpeedupTile{Force: 20, MaxSpeed: 10,
		ID: uint8(twmap.TileSpeedupOld), Angle: 270})
	m.Physics(twmap.KindSwitch).Switches().Set(13, 14, twmap.SwitchTile{Number: 2, ID: uint8(twmap.TileSwitchTimedOpen), Delay: 3})
	m.Physics(twmap.KindTune).Tunes().Set(15, 14, twmap.TuneTile{Number: 1, ID: uint8(twmap.TileTune)})

	grass := twmap.NewTileLayer(twmap.KindTiles, 24, 16)
	grass.Name, grass.Flags, grass.Image = "Grass", twmap.Detail, 0
	grass.Color, grass.ColorEnv, grass.ColorEnvOffset = twmap.Color{R: 255, G: 200, B: 100, A: 254}, 1, 250
	grass.AutoMapper = &twmap.AutoMapper{Config: 1, Seed: 99, Automatic: true}
	for x := range 24 {
		grass.Tiles().Set(x, 15, twmap.Tile{ID: uint8(1 + x%3), Flags: twmap.TileFlags(x % 4)})
	}
	plain := twmap.NewTileLayer(twmap.KindTiles, 3, 2)
	plain.Name = "Plain"
	plain.Tiles().Set(2, 1, twmap.Tile{ID: 255, Flags: twmap.Rotate | twmap.Opaque})
	quads := twmap.NewQuadLayer(
		square(100, 100, 24, twmap.Quad{PosEnv: 0, PosEnvOffset: 100, ColorEnv: 1, ColorEnvOffset: -1}),
		square(300, 200, 10, twmap.Quad{PosEnv: -1, ColorEnv: -1}))
	quads.Name, quads.Image = "Sign", 1
	sounds := twmap.NewSoundLayer(
		twmap.SoundSource{Position: twmap.Point{X: 3 << 15, Y: 4 << 15}, Loop: true, Pan: true, Falloff: 80,
			PosEnv: 0, SoundEnv: 2, SoundEnvOffset: 7, Shape: twmap.ShapeCircle, Width: 500},
		twmap.SoundSource{Delay: 2, PosEnv: -1, SoundEnv: -1, Shape: twmap.ShapeRectangle, Width: 100 << 10, Height: 50 << 10})
	sounds.Name, sounds.Sound = "Wind", 0
	far := &twmap.Group{Version: 3, Name: "Far", OffsetX: -50, OffsetY: 20, ParallaxX: 50, ParallaxY: 60,
		Clip: &twmap.Clip{X: 1, Y: -2, Width: 300, Height: 400}, Layers: []twmap.Layer{quads, sounds}}
	near := &twmap.Group{Version: 3, Name: "Near", ParallaxX: 100, ParallaxY: 100, Layers: []twmap.Layer{grass, plain}}
	m.Groups = []*twmap.Group{far, m.Groups[0], near}
	return m
}

// everything07 returns the part of everything that Teeworlds 0.7 supports.
func everything07() *twmap.Map {
	m := everything()
	m.To07()
	return m
}

// square returns a quad with sides of 2 * size pixels around a point.
func square(x, y, size int32, q twmap.Quad) twmap.Quad {
	at := func(dx, dy int32) twmap.Point { return twmap.Point{X: (x + dx*size) << 10, Y: (y + dy*size) << 10} }
	q.Points = [4]twmap.Point{at(-1, -1), at(1, -1), at(-1, 1), at(1, 1)}
	q.Pivot = at(0, 0)
	q.Texture = [4]twmap.Point{{X: 0, Y: 0}, {X: 1024, Y: 0}, {X: 0, Y: 1024}, {X: 1024, Y: 1024}}
	for i := range q.Colors {
		q.Colors[i] = twmap.Color{R: 255, G: 255, B: int32(50 * i), A: 255}
	}
	return q
}

// pattern returns a picture in which no two pixels of a row are equal. Some pixels are transparent, with a colour.
func pattern(width, height int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			p.SetNRGBA(x, y, color.NRGBA{uint8(x), uint8(y), uint8(x ^ y), uint8(255 - 255*((x/8+y/8)%5/4))})
		}
	}
	return p
}

// silence returns an Opus file with 20 milliseconds of silence.
func silence() []byte {
	head := append([]byte("OpusHead\x01\x01\x00\x00"), 0x80, 0xbb, 0, 0, 0, 0, 0) // one channel, 48 kHz
	tags := append([]byte("OpusTags\x06\x00\x00\x00Trowel"), 0, 0, 0, 0)
	var file []byte
	for i, packet := range [][]byte{head, tags, {0xf8, 0xff, 0xfe}} {
		page := append([]byte("OggS\x00"), 0)
		page[5] = []byte{2, 0, 4}[i] // first, -, last
		page = binary.LittleEndian.AppendUint64(page, uint64(i/2*960))
		page = binary.LittleEndian.AppendUint32(page, 0x54726f77)
		page = binary.LittleEndian.AppendUint32(page, uint32(i))
		page = append(page, 0, 0, 0, 0, 1, byte(len(packet)))
		page = append(page, packet...)
		binary.LittleEndian.PutUint32(page[22:], oggSum(page))
		file = append(file, page...)
	}
	return file
}

// oggSum returns the CRC of an Ogg page: polynomial 0x04c11db7, most significant bit first.
func oggSum(page []byte) (sum uint32) {
	for _, b := range page {
		sum ^= uint32(b) << 24
		for range 8 {
			carry := sum >> 31
			sum = sum<<1 ^ carry*0x04c11db7
		}
	}
	return sum
}

// unfold returns all files of the folder of a map.
func unfold(t testing.TB, m *twmap.Map) fstest.MapFS {
	t.Helper()
	return load(t, mapdir.Open(m))
}

// fold builds a map from its folder.
func fold(t testing.TB, files fstest.MapFS) *twmap.Map {
	t.Helper()
	m, err := mapdir.Read(files, func(file, message string) { t.Errorf("warning: %s: %s", file, message) })
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// contents returns the files of the folder of a map without the sidecar: everything that the model of the map
// expresses.
func contents(t testing.TB, m *twmap.Map) map[string]string {
	t.Helper()
	return contentsOf(t, mapdir.Open(m))
}

func contentsOf(t testing.TB, folder fs.FS) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for path, f := range load(t, folder) {
		if path != tree.Sidecar {
			all[path] = string(f.Data)
		}
	}
	return all
}

func decode(t testing.TB, data []byte) *twmap.Map {
	t.Helper()
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestEverythingIsRight tests that a check has no findings in the map with all features.
func TestEverythingIsRight(t *testing.T) {
	for _, m := range []*twmap.Map{everything(), everything07()} {
		f, err := datafile.Decode(encode(t, m))
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range check.Collect(func(sink check.Sink) { twmap.CheckFile(f, sink) }) {
			if finding.Severity != check.Info {
				t.Errorf("%+v", finding)
			}
		}
	}
}

// TestGolden tests that maps written by other tools are equal to their sources, and that they round-trip through the
// model and the folder byte for byte.
func TestGolden(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.source+"/"+g.tool, func(t *testing.T) {
			path := filepath.Join("testdata", g.source+".ddnet-tools-16.4-"+g.tool+".map")
			given := encode(t, g.make())
			if *update {
				judge.Write(t, path, runWriter(t, g.tool, given))
			}
			wrote := judge.Read(t, path)
			if same := bytes.Equal(wrote, given); same != g.same {
				t.Errorf("are these the bytes that the tool was given? %v, expected %v", same, g.same)
			}
			m := decode(t, wrote)
			if out := encode(t, m); !bytes.Equal(out, wrote) {
				t.Error("encodes to other bytes")
			}
			if out := encode(t, fold(t, unfold(t, m))); !bytes.Equal(out, wrote) {
				t.Error("packs to other bytes")
			}
			want := decode(t, given)
			if g.change != nil {
				g.change(t, want, m)
			}
			if diff := cmp.Diff(contents(t, want), contents(t, m)); diff != "" {
				t.Errorf("the tool (+) wrote something else than it was given (-):\n%s", diff)
			}
		})
	}
}

// runWriter runs a tool of DDNet that writes a map.
func runWriter(t *testing.T, tool string, given []byte) []byte {
	t.Helper()
	dir := judge.Dir(t)
	judge.Write(t, filepath.Join(dir, "given.map"), given)
	args := []string{"given.map", "wrote.map"}
	if tool == "config_store" { // it changes the map in place
		judge.Write(t, filepath.Join(dir, "given.cfg"), []byte("# stored by a tool\nsv_hit 1\n"))
		args = []string{"given.map"}
	}
	said, err := judge.Run(t, dir, tool, args...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", tool, err, said)
	}
	for _, name := range []string{"wrote.map", "out/wrote.map", "maps/wrote.map", "given.map"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil && (name != "given.map" || tool == "config_store") {
			return data
		}
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*"))
	t.Fatalf("%s wrote no map: %s\n%s", tool, strings.Join(found, " "), said)
	return nil
}
