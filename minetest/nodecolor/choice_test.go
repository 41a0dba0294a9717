package nodecolor_test

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/nodedef"
)

func texture(t *testing.T, dir, name string, pixels ...color.NRGBA) {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, len(pixels), 1))
	for i, c := range pixels {
		img.SetNRGBA(i, 0, c)
	}
	f, err := os.Create(filepath.Join(dir, name))
	if err == nil {
		err = png.Encode(f, img)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestTextures(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "mods", "x", "textures")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	black, white := color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 255, 255, 255}
	texture(t, sub, "a_stone.png", color.NRGBA{100, 0, 10, 255}, color.NRGBA{200, 0, 10, 255}, color.NRGBA{9, 9, 9, 20})
	texture(t, sub, "a_log_top.png", white)
	texture(t, sub, "a_log.png", black)
	texture(t, sub, "empty.png", color.NRGBA{})
	texture(t, sub, "water.png", color.NRGBA{10, 20, 30, 160})
	texture(t, sub, "pal.png", color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 255})
	judge.Write(t, filepath.Join(sub, "broken.png"), []byte("no picture"))
	textures, err := nodecolor.FindTextures(dir)
	if err != nil {
		t.Fatal(err)
	}
	defs := nodedef.List{}
	for _, d := range []nodedef.Node{
		{Name: "b:tile", Tiles: []nodedef.Tile{{Name: "(a_stone.png^[colorize:#fff:100)^x.png"}}},
		{Name: "b:combined", Tiles: []nodedef.Tile{{Name: "[combine:16x16:0,0=a_log_top.png:1,1=a_stone.png"}}},
		{Name: "b:made", Tiles: []nodedef.Tile{{Name: "[png:AAAA"}}},
		{Name: "b:air", DrawType: "airlike", Tiles: []nodedef.Tile{{Name: "a_stone.png"}}},
		{Name: "b:water", DrawType: "flowingliquid", Tiles: []nodedef.Tile{{Name: "water.png"}}},
		{Name: "default:water_source", DrawType: "liquid", LiquidType: "source", Tiles: []nodedef.Tile{{Name: "water.png"}}},
		{Name: "b:glass", DrawType: "glasslike_framed", Tiles: []nodedef.Tile{{Name: "a_log_top.png"}}},
		{Name: "b:tinted", Tiles: []nodedef.Tile{{Name: "a_log_top.png"}}, Color: "#804020"},
		{Name: "b:named", Tiles: []nodedef.Tile{{Name: "a_log_top.png"}}, Color: "maroon#80"},
		{Name: "b:dyed", Tiles: []nodedef.Tile{{Name: "a_log_top.png"}}, Palette: "pal.png", ParamType2: "colorfacedir"},
		{Name: "b:plain", Tiles: []nodedef.Tile{{Name: "a_log_top.png"}}, Palette: "pal.png", ParamType2: "facedir"},
		{Name: "b:broken", Tiles: []nodedef.Tile{{Name: "broken.png"}}},
		{Name: "b:empty", Tiles: []nodedef.Tile{{Name: "empty.png"}}},
	} {
		defs[d.Name] = &d
	}
	c := &nodecolor.Choice{Textures: textures, Nodes: defs, List: nodecolor.List{"b:listed": {R: 1, A: 255}}}
	for name, want := range map[string]nodecolor.Color{
		"a:stone": {R: 158, G: 0, B: 10, A: 255}, "a:log": {R: 255, G: 255, B: 255, A: 255},
		"b:tile": {R: 158, G: 0, B: 10, A: 255}, "b:combined": {R: 255, G: 255, B: 255, A: 255},
		"default:water_source": {R: 39, G: 66, B: 106, A: 128, T: 224},
		"b:air":                {}, "b:water": {R: 10, G: 20, B: 30, A: 128, T: 224}, "b:glass": {R: 255, G: 255, B: 255, A: 64, T: 16},
		"b:named":  {R: 128, A: 255},
		"b:tinted": {R: 128, G: 64, B: 32, A: 255}, "b:listed": {R: 1, A: 255},
		"b:made": nodecolor.Guess("b:made"), "b:broken": nodecolor.Guess("b:broken"), "b:empty": nodecolor.Guess("b:empty"),
	} {
		if got, ok := c.Color(name); !ok || got != want {
			t.Errorf("%s is %v, not %v", name, got, want)
		}
	}
	if len(c.Guessed()) != 3 {
		t.Errorf("guessed: %v", c.Guessed())
	}
	p := c.Palette("b:dyed")
	if p == nil || p[127] != (nodecolor.Color{R: 255, A: 255}) || p[128] != (nodecolor.Color{G: 255, A: 255}) {
		t.Errorf("the palette is %v", p)
	}
	if c.Palette("b:plain") != nil || c.Palette("b:listed") != nil {
		t.Error("a palette where param2 means no colour")
	}
	c.Only = true
	if _, ok := c.Color("a:stone"); ok {
		t.Error("a colour that the only list lacks")
	}
}

// TestGuess tests that every name gets a colour and that words in names are used.
func TestGuess(t *testing.T) {
	for name, want := range map[string]nodecolor.Color{
		"mod:birch_planks":        {R: 206, G: 190, B: 140, A: 255},
		"mod:deep_water_flowing":  {R: 39, G: 66, B: 106, A: 128, T: 224},
		"mod:junglewood":          {R: 120, G: 84, B: 50, A: 255},
		"mod:obsidian_glass":      {R: 24, G: 24, B: 36, A: 255},
		"wool:red":                {R: 178, G: 34, B: 32, A: 255},
		"wool:dark_green":         {R: 36, G: 71, B: 15, A: 255},
		"mod:hidden_thing":        {},
		"mesecons_torch:switched": nodecolor.Guess("mesecons_torch:other"),
	} {
		if got := nodecolor.Guess(name); got != want {
			t.Errorf("%s is %v, not %v", name, got, want)
		}
	}
	if a, b := nodecolor.Guess("x:zzz"), nodecolor.Guess("x:yyy"); a == b || a.A != 255 || a != nodecolor.Guess("x:zzz") {
		t.Errorf("%v, %v", a, b)
	}
	if len(nodecolor.Usual()) < 80 {
		t.Error("the list of usual names is short")
	}
}
