package mapdir_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/files/tree"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// extract returns the files of the folder of a map.
func extract(t testing.TB, data []byte) fstest.MapFS {
	t.Helper()
	return unfold(t, decode(t, data))
}

// load reads all files of a folder.
func load(t testing.TB, fsys fs.FS) fstest.MapFS {
	t.Helper()
	files := make(fstest.MapFS)
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(fsys, path)
		files[path] = &fstest.MapFile{Data: content}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func pack(t testing.TB, files fstest.MapFS) []byte {
	t.Helper()
	return encode(t, fold(t, files))
}

// edit replaces text in a file of the folder; the text must exist.
func edit(t testing.TB, files fstest.MapFS, name, old, new string) {
	t.Helper()
	f := files[name]
	if f == nil || !bytes.Contains(f.Data, []byte(old)) {
		t.Fatalf("no %q in %s", old, name)
	}
	f.Data = bytes.Replace(f.Data, []byte(old), []byte(new), 1)
}

// twin is the name of the first of two equal images of sample.
const twin = "own_ a_b_~2w18"

func TestFolder(t *testing.T) {
	data := encode(t, sample())
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		".trowel.json",
		"envelopes/8 channels.json", "envelopes/order.txt", "envelopes/sway.json",
		"groups/Game/Front.json", "groups/Game/Front.txt", "groups/Game/Game.json", "groups/Game/Game.txt",
		"groups/Game/Speedup.json", "groups/Game/Speedup.txt", "groups/Game/Switch.json", "groups/Game/Switch.txt",
		"groups/Game/Tele.json", "groups/Game/Tele.txt", "groups/Game/Tune.json", "groups/Game/Tune.txt",
		"groups/Game/group.json", "groups/Game/order.txt",
		"groups/a_b/deco.json", "groups/a_b/deco.txt", "groups/a_b/group.json", "groups/a_b/order.txt",
		"groups/a_b/quads own_ a_b_.json", "groups/a_b/quads.json", "groups/a_b/sounds wind.json", "groups/a_b/unknown 42.json",
		"groups/order.txt",
		"images/grass_main.json", "images/order.txt", "images/" + twin + "-2.json", "images/" + twin + "-2.png",
		"images/" + twin + ".json", "images/" + twin + ".png",
		"map.json",
		"orphans/order.txt", "orphans/tiles.json", "orphans/tiles.txt",
		"settings.cfg", "sounds/order.txt", "sounds/wind.opus",
	}
	if err := fstest.TestFS(mapdir.Open(m), want...); err != nil {
		t.Error(err)
	}
	files := load(t, mapdir.Open(m))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Error(diff)
	}
	for name, text := range map[string]string{
		"settings.cfg":             "sv_hit 0\n\ntune_zone 1 gravity 0.2\n",
		"groups/order.txt":         "Game\na_b\n",
		"groups/a_b/order.txt":     "deco\nquads own_ a_b_\nsounds wind\nquads\nunknown 42\n",
		"images/order.txt":         twin + "\ngrass_main\n" + twin + "-2\n",
		"images/grass_main.json":   "{\n  \"external\": true,\n  \"width\": 1024,\n  \"height\": 1024\n}\n",
		"images/" + twin + ".json": "{\n  \"name\": \"own: a/b?\"\n}\n",
		"groups/Game/Tele.txt":     strings.Repeat(strings.Repeat(".   ", 19)+".\n", 9) + strings.Repeat(".   ", 19) + "26:7\n",
		"groups/a_b/deco.txt":      ".   .   .   .   .\n.   .   .   .   .\n.   .   .   .   .\n.   .   .   .   17xr+64!1/2\n",
		"groups/Game/Switch.json":  "{\n  \"type\": \"switch\",\n  \"name\": \"Switch\",\n  \"width\": 20,\n  \"height\": 10\n}\n",
		"groups/a_b/group.json": "{\n  \"name\": \"a/b\",\n  \"parallax\": [50, 0],\n  \"clip\": {\n    \"x\": 1,\n   " +
			" \"y\": 0,\n    \"width\": 300,\n    \"height\": 400\n  },\n  \"parallaxZoom\": 20\n}\n",
		"groups/a_b/quads.json": "{\n  \"type\": \"quads\",\n  \"name\": \"\"\n}\n",
		"envelopes/sway.json": "{\n  \"name\": \"sway\",\n  \"type\": \"position\",\n  \"points\": [\n    " +
			"{\"time\":0,\"curve\":\"bezier\",\"values\":[0,1,0],\"out\":[[100,0.048828125],[0,0],[0,0],[0,0]]},\n    " +
			"{\"time\":1000,\"curve\":77,\"values\":[2,0,360,0.0048828125],\"in\":[[-100,0],[0,0],[0,0],[0,0]]}\n  ]\n}\n",
		"groups/a_b/sounds wind.json": "{\n  \"type\": \"sounds\",\n  \"name\": \"\",\n  \"sound\": \"wind\",\n  " +
			"\"sources\": [\n    " +
			"{\"position\":[0,0],\"loop\":true,\"pan\":true,\"falloff\":80,\"shape\":\"circle\",\"radius\":500},\n    " +
			"{\"position\":[0,0],\"posEnv\":\"sway\",\"shape\":\"rectangle\",\"width\":0.009765625,\"height\":0.01953125},\n   " +
			" {\"position\":[0,0],\"shape\":5}\n  ]\n}\n",
	} {
		if diff := cmp.Diff(text, string(files[name].Data)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if !bytes.Equal(pack(t, files), data) {
		t.Error("packs to other bytes")
	}
	if !mapdir.Recognize(files) {
		t.Error("the folder is not recognised")
	}
}

// TestEdits tests that edits have an effect, whatever the sidecar states about the previous contents.
func TestEdits(t *testing.T) {
	f, err := datafile.Decode(encode(t, sample()))
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range f.Data { // with an unusual compression
		content, _ := b.Bytes()
		stream, _ := datafile.NewBlockLevel(content, 9).Compressed()
		f.Data[i] = datafile.NewBlockStream(append(stream, "surplus"...), int32(len(content)))
	}
	f.SizeError, f.SwaplenError = -4*int32(len(f.Data)), -4*int32(len(f.Data))
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	files := extract(t, data)
	if !bytes.Equal(pack(t, files), data) {
		t.Fatal("packs to other bytes")
	}
	before := maps.Clone(files)
	for name := range before {
		before[name] = &fstest.MapFile{Data: bytes.Clone(files[name].Data)}
	}
	edit(t, files, "settings.cfg", "sv_hit 0", "sv_hit 1\r")
	edit(t, files, "groups/Game/Game.txt", ".   192", "5   192")
	edit(t, files, "map.json", "Ada", "Bob")
	edit(t, files, "envelopes/sway.json", "[2,0,360,", "[2,0,0.9999,")
	edit(t, files, "groups/a_b/deco.json", "grass_main", twin)
	red := image.NewNRGBA(image.Rect(0, 0, 8, 4))
	red.SetNRGBA(1, 1, color.NRGBA{255, 0, 0, 128})
	files["images/"+twin+".png"].Data = pngOf(t, red)

	packed := pack(t, files)
	m, err := twmap.Decode(packed)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := m.Images[0].Picture()
	if err != nil {
		t.Fatal(err)
	}
	deco := m.Groups[1].Layers[0].(*twmap.TileLayer)
	got := []any{m.Info.Settings[0], m.Physics(twmap.KindGame).Tiles().At(2, 9).ID, m.Info.Author,
		m.Envelopes[0].Points[1].Values[2], deco.Image, picture.Rect.Dx(), picture.NRGBAAt(1, 1)}
	want := []any{"sv_hit 1", uint8(5), "Bob", int32(1024), 0, 8, color.NRGBA{255, 0, 0, 128}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	like, err := mapdir.ReadNames(files)
	if err != nil {
		t.Fatal(err)
	}
	after := load(t, mapdir.OpenLike(m, like))
	for name := range files {
		changed := !bytes.Equal(before[name].Data, after[name].Data)
		switch name {
		case "settings.cfg", "groups/Game/Game.txt", "map.json", "envelopes/sway.json", "groups/a_b/deco.json",
			"images/" + twin + ".png", tree.Sidecar:
		default:
			if changed {
				t.Errorf("%s changed", name)
			}
		}
	}
	if m.Source().SizeError != -4*int32(len(m.Source().Data)) {
		t.Error("the quirk of the header is gone")
	}

	delete(files, tree.Sidecar)
	clean, err := datafile.Decode(pack(t, files))
	if err != nil || clean.SizeError != 0 {
		t.Errorf("without sidecar: %v, size error %d", err, clean.SizeError)
	}
	for i, b := range clean.Blocks() {
		if content, err := b.Bytes(); err != nil {
			t.Error(err)
		} else if want, _ := datafile.NewBlock(content).Compressed(); !bytes.Equal(b.Stream(), want) {
			t.Errorf("without sidecar: data[%d] is not compressed as usual", i)
		}
	}
}

// TestKeptWhole tests that a file that cannot be reproduced from its parts is kept whole until it is edited.
func TestKeptWhole(t *testing.T) {
	f, err := datafile.Decode(encode(t, sample()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Items {
		if it := &f.Items[i]; it.Type == 4 && it.ID == 0 { // the first group loses its third layer
			it.Data[6] = 2
		}
	}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	files := extract(t, data)
	if !bytes.Contains(files[tree.Sidecar].Data, []byte("\"original\"")) {
		t.Fatal("the file is not kept whole: this test needs another one")
	}
	if !bytes.Equal(pack(t, files), data) {
		t.Error("packs to other bytes")
	}
	edit(t, files, "settings.cfg", "sv_hit 0", "sv_hit 1")
	m, err := twmap.Decode(pack(t, files))
	if err != nil || m.Info.Settings[0] != "sv_hit 1" {
		t.Errorf("the edit is lost, %v", err)
	}
}

// TestFolderOfFolder tests that a map that was read from a folder and is written to a folder again keeps its sidecar.
func TestFolderOfFolder(t *testing.T) {
	f, err := datafile.Decode(encode(t, sample()))
	if err != nil {
		t.Fatal(err)
	}
	f.SizeError = -4 * int32(len(f.Data))
	for i := range f.Items {
		if it := &f.Items[i]; it.Type == 5 {
			it.Data[0] = 77
		}
	}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	files := extract(t, data)
	m, err := mapdir.Read(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	again := load(t, mapdir.Open(m))
	if diff := cmp.Diff(string(files[tree.Sidecar].Data), string(again[tree.Sidecar].Data)); diff != "" {
		t.Error(diff)
	}
	if !bytes.Equal(pack(t, again), data) {
		t.Error("packs to other bytes")
	}
}

// TestAdd tests that a new layer or group needs new files and one line in a list.
func TestAdd(t *testing.T) {
	files := extract(t, encode(t, twmap.New(3, 2)))
	file := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	file("groups/Game/new.json", `{"type": "front", "name": "Front", "width": 3, "height": 2}`)
	file("groups/Game/new.txt", "1 2xy\t3r\r\n. . 255o\r\n\r\n")
	file("groups/Game/order.txt", "# the last is in front\r\nGame\r\n\r\n  new\t\r\n")
	file("groups/the sky/group.json", `{"name": "sky", "parallax": [0, 0]}`)
	file("groups/middle/group.json", `{"name": "", "parallax": [1, 2]}`)
	file("groups/order.txt", "Game\nmiddle\nthe sky")
	m := fold(t, files)
	front, _ := m.Physics(twmap.KindFront).Tiles().Cells()
	want := []twmap.Tile{{ID: 1}, {ID: 2, Flags: twmap.FlipX | twmap.FlipY}, {ID: 3, Flags: twmap.Rotate}, {}, {},
		{ID: 255, Flags: twmap.Opaque}}
	if !slices.Equal(front, want) {
		t.Errorf("front = %v", front)
	}
	if len(m.Groups) != 3 || m.Groups[1].ParallaxY != 2 || m.Groups[2].Name != "sky" {
		t.Errorf("groups = %+v", m.Groups)
	}
	if back := extract(t, encode(t, m)); back["groups/group 1x2/group.json"] == nil || back["groups/sky/group.json"] == nil {
		t.Error("the new groups are lost")
	}
}

func pngOf(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPictures tests that pictures of every usual kind give the same colours.
func TestPictures(t *testing.T) {
	rect := image.Rect(0, 0, 16, 16)
	paletted := image.NewPaletted(rect, color.Palette{color.NRGBA{0, 0, 0, 0}, color.NRGBA{10, 20, 30, 40}, color.NRGBA{255, 0, 0, 255}})
	paletted.SetColorIndex(1, 0, 1)
	paletted.SetColorIndex(2, 0, 2)
	gray := image.NewGray(rect)
	gray.SetGray(1, 0, color.Gray{99})
	gray16 := image.NewGray16(rect)
	gray16.SetGray16(1, 0, color.Gray16{0x9912})
	opaque := image.NewRGBA(rect)
	for i := range opaque.Pix {
		opaque.Pix[i] = 255
	}
	opaque.SetRGBA(1, 0, color.RGBA{1, 2, 3, 255})
	deep := image.NewNRGBA64(rect)
	deep.SetNRGBA64(1, 0, color.NRGBA64{0x1122, 0x3344, 0x5566, 0x8000})
	deep.SetNRGBA64(2, 0, color.NRGBA64{0x1122, 0x3344, 0x5566, 0})
	plain := image.NewNRGBA(rect)
	plain.SetNRGBA(2, 0, color.NRGBA{7, 8, 9, 0})
	for _, c := range []struct {
		name    string
		picture image.Image
		at      [3]color.NRGBA
	}{
		{"palette", paletted, [3]color.NRGBA{{}, {10, 20, 30, 40}, {255, 0, 0, 255}}},
		{"gray", gray, [3]color.NRGBA{{A: 255}, {99, 99, 99, 255}, {A: 255}}},
		{"gray with 16 bits", gray16, [3]color.NRGBA{{A: 255}, {0x99, 0x99, 0x99, 255}, {A: 255}}},
		{"no alpha", opaque, [3]color.NRGBA{{255, 255, 255, 255}, {1, 2, 3, 255}, {255, 255, 255, 255}}},
		{"16 bits", deep, [3]color.NRGBA{{}, {0x11, 0x33, 0x55, 0x80}, {0x11, 0x33, 0x55, 0}}},
		{"colours that cannot be seen", plain, [3]color.NRGBA{{}, {}, {7, 8, 9, 0}}},
	} {
		files := extract(t, encode(t, twmap.New(2, 2)))
		files["images/order.txt"] = &fstest.MapFile{Data: []byte("p\n")}
		files["images/p.png"] = &fstest.MapFile{Data: pngOf(t, c.picture)}
		m, err := mapdir.Read(files, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := m.Images[0].Picture()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for x, want := range c.at {
			if pixel := got.NRGBAAt(x, 0); pixel != want {
				t.Errorf("%s: pixel %d = %v, want %v", c.name, x, pixel, want)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	files := extract(f, encode(f, sample()))
	names := slices.Sorted(maps.Keys(files))
	for i, name := range names {
		f.Add(i, files[name].Data)
	}
	f.Fuzz(func(t *testing.T, which int, content []byte) {
		if which < 0 || which >= len(names) {
			return
		}
		damaged := maps.Clone(files)
		damaged[names[which]] = &fstest.MapFile{Data: content}
		m, err := mapdir.Read(damaged, nil)
		if err != nil {
			return
		}
		data, err := m.Encode()
		if err != nil {
			return // a sidecar can state impossible values
		}
		if _, err := datafile.Decode(data); err != nil {
			t.Errorf("what was packed cannot be read: %v", err)
		}
	})
}

func Example() {
	data, err := twmap.New(4, 2).Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := twmap.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := fs.ReadFile(mapdir.Open(m), "groups/Game/Game.txt")
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// .   .   .   .
	// .   .   .   .
	// <nil>
}

// TestFolderOfChangedMap tests that the folder of a map that was changed after reading contains the changes.
func TestFolderOfChangedMap(t *testing.T) {
	m := decode(t, encode(t, sample()))
	m.Groups[1].OffsetX = 77
	m.Info.Author = "Eve"
	m.Physics(twmap.KindGame).Tiles().Set(0, 0, twmap.Tile{ID: 1})
	m.Envelopes[0].Points[0].Values[0] = 9
	want := encode(t, m)
	if got := pack(t, unfold(t, m)); !bytes.Equal(got, want) {
		back := decode(t, got)
		t.Errorf("the folder is of another map: offset %d, author %q, tile %v, envelope %v", back.Groups[1].OffsetX,
			back.Info.Author, back.Physics(twmap.KindGame).Tiles().At(0, 0), back.Envelopes[0].Points[0])
	}
}

// TestInfclass tests that the folder contains the tiles of infclass's layers, which have the flags of tele and
// speedup layers.
func TestInfclass(t *testing.T) {
	m := twmap.New(9, 9)
	entities := twmap.NewTileLayer(twmap.KindEntities, 4, 3)
	entities.Tiles().Set(1, 2, twmap.Tile{ID: 7})
	m.Groups[0].Layers = append(m.Groups[0].Layers, entities)
	files := extract(t, encode(t, m))
	if text := string(files["groups/Game/Entities.txt"].Data); !strings.HasSuffix(text, "\n.   7   .   .\n") {
		t.Errorf("the tiles are %q", text)
	}
	edit(t, files, "groups/Game/Entities.txt", "7", "8")
	delete(files, tree.Sidecar)
	m, err := twmap.Decode(pack(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if l := m.Groups[0].Layers[1].(*twmap.TileLayer); l.Kind() != twmap.KindEntities || l.Tiles().At(1, 2).ID != 8 {
		t.Errorf("a %v layer with %v came back", l.Kind(), l.Tiles().At(1, 2))
	}
}
