package twmap_test

import (
	"errors"
	"image/color"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

func TestImport2007(t *testing.T) {
	item := func(typ uint16, data ...int32) datafile.Item { return datafile.Item{Type: typ, Data: data} }
	f := &datafile.File{Version: 4, Items: []datafile.Item{
		item(1, 32, 33), item(2, 64, 0, 0x20001), item(2, 96, 0, 0x10001), item(3, 0, 0), item(5, -1, 0), item(6, 1<<30, 0), item(4),
		item(0x8001, 16, 16, 0), item(0x8001, 99, 99, 0),
		item(0x8002, 1, 2, 2, 0, 0, 65536, 1, 0), item(0x8002, 0, 4, 2, 0, 0, 65536, 2, 1), item(0x8002, 0, 3, 2, 0, 0, 65536, 1, 0),
		item(0x8002, 0, 60000, 60000, 0, 0, 65536, 1, 0), item(0x8002, 0, 9, 9, 0, 0, 65536, 77, 0),
		item(0x8003, 4, 2, 3), item(0x8003),
	}}
	picture := make([]byte, 16*16*4)
	picture[0], picture[3] = 200, 255
	for _, content := range [][]byte{picture, {1, 0, 2, 1, 3, 0, 4, 0}, make([]byte, 16), {0, 0, 0, 1, 0, 1, 0, 0}} {
		f.Data = append(f.Data, datafile.NewBlock(content))
	}
	m, err := twmap.Import2007(f)
	if !errors.Is(err, fault.ErrLost) || strings.Count(err.Error(), "layer 0") != 3 || strings.Count(err.Error(), "image 0") != 1 {
		t.Fatalf("three layers and an image are broken: %v", err)
	}
	layers := m.Groups[0].Layers
	if len(layers) != 3 {
		t.Fatalf("%d layers", len(layers))
	}
	first := layers[0].(*twmap.TileLayer)
	if first.Image != 1 || first.Tiles().At(1, 0) != (twmap.Tile{ID: 2, Flags: twmap.FlipX}) || first.Tiles().At(0, 1).ID != 3 {
		t.Errorf("the first layer has image %d, %v", first.Image, first.Tiles().At(1, 0))
	}
	game := layers[2].(*twmap.TileLayer)
	ids := ""
	for _, row := range game.Tiles().Rows() {
		for _, tile := range row {
			ids += twmap.GameTile(tile.ID).String() + ", "
		}
	}
	if want := "entity: red spawn, air, entity: health, solid, air, entity: spawn, air, air, "; game.Kind() != twmap.KindGame || ids != want {
		t.Errorf("%v layer: %s", game.Kind(), ids)
	}
	if p, err := m.Images[0].Picture(); err != nil || p.NRGBAAt(0, 0) != (color.NRGBA{R: 200, A: 255}) || m.Images[1].HasPicture() {
		t.Errorf("images: %v", err)
	}
	if _, err := m.Encode(); err != nil {
		t.Error(err)
	}
	if _, err := twmap.Import2007(new(datafile.File)); !errors.Is(err, twmap.ErrNoVersion) {
		t.Errorf("of nothing: %v", err)
	}
}
