package twmap

import (
	"cmp"
	"errors"
	"fmt"
	"image"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/datafile"
)

// Item types of maps of 2007 (section "Maps of 2007").
const (
	type2007Spawn     = 1
	type2007Pickup    = 2
	type2007SpawnRed  = 3
	type2007SpawnBlue = 4
	type2007FlagRed   = 5
	type2007FlagBlue  = 6
	type2007Image     = 0x8001
	type2007Tiles     = 0x8002
	type2007Collision = 0x8003
)

// pickups2007 maps the pickups of 2007 to current entities. The gun is missing: every player has it now.
var pickups2007 = map[int32]GameTile{
	0x10002: EntityShotgun, 0x10003: EntityGrenade, 0x10004: EntityLaser,
	0x20001: EntityHealth, 0x30001: EntityArmor, 0x40001: EntityNinja,
}

// Import2007 converts a map of 2007, which has no map version item, to a current map. It fails with [ErrNoVersion] if
// f has no layer of a map of 2007. Parts that cannot be read are left out; the error then wraps [fault.ErrLost],
// unless f was returned by [datafile.Salvage]. If one is too large to be read, Import2007 returns no map, and an error
// that wraps [fault.ErrLimit].
func Import2007(f *datafile.File) (*Map, error) {
	var lost []error
	var limit error
	lose := func(typ string, it datafile.Item, err error) {
		if errors.Is(err, fault.ErrLimit) {
			limit = cmp.Or(limit, fmt.Errorf("%s %d: %w", typ, it.ID, err))
		} else if err != nil {
			lost = append(lost, fmt.Errorf("%w: %s %d: %w", fault.ErrLost, typ, it.ID, err))
		}
	}
	width, height, front := 0, 0, 0
	meter := effort.MapGrid.Start(0)
	var group Group
	for _, it := range f.All(type2007Tiles) {
		l, err := tiles2007(f, it, meter)
		if err == nil {
			err = CheckSize(max(width, l.Width()), max(height, l.Height()))
		}
		if lose("layer", it, err); err != nil {
			continue
		}
		group.Layers = append(group.Layers, l)
		width, height = max(width, l.Width()), max(height, l.Height())
		if len(it.Data) > 7 && it.Data[7] == 1 {
			front = len(group.Layers)
		}
	}
	if limit != nil {
		return nil, limit
	}
	if len(group.Layers) == 0 {
		return nil, errors.Join(append(lost, ErrNoVersion)...)
	}
	m := New(width, height)
	m.salvage = f
	g := m.Groups[0]
	g.Layers = append(append(append([]Layer{}, group.Layers[:front]...), g.Layers...), group.Layers[front:]...)
	for _, it := range f.All(type2007Image) {
		im, err := image2007(f, it, fmt.Sprintf("image %d", len(m.Images)))
		lose("image", it, err)
		m.Images = append(m.Images, im)
	}
	game := m.Physics(KindGame).Tiles()
	for _, it := range f.All(type2007Collision) {
		if len(it.Data) < 3 {
			continue
		}
		data, err := blockOf(f, it.Data[2])
		lose("collision", it, err)
		if w := int(it.Data[0]); err == nil && w > 0 {
			for i, c := range data[:min(len(data), w*height)] {
				if x := i % w; c != 0 && x < width {
					game.Set(x, i/w, Tile{ID: uint8(TileSolid)})
				}
			}
		}
	}
	put := func(typ uint16, entity func(kind int32) GameTile) {
		for _, it := range f.All(typ) {
			if len(it.Data) < 2 {
				continue
			}
			kind := int32(0)
			if len(it.Data) > 2 {
				kind = it.Data[2]
			}
			x, y := int(it.Data[0])>>5, int(it.Data[1])>>5
			if tile := entity(kind); tile != TileAir && x >= 0 && x < width && y >= 0 && y < height {
				game.Set(x, y, Tile{ID: uint8(tile)})
			}
		}
	}
	for _, e := range [...]struct {
		typ  uint16
		tile GameTile
	}{{type2007Spawn, EntitySpawn}, {type2007SpawnRed, EntitySpawnRed}, {type2007SpawnBlue, EntitySpawnBlue},
		{type2007FlagRed, EntityFlagRed}, {type2007FlagBlue, EntityFlagBlue}} {
		put(e.typ, func(int32) GameTile { return e.tile })
	}
	put(type2007Pickup, func(kind int32) GameTile { return pickups2007[kind] })
	if limit != nil {
		return nil, limit
	}
	if f.Salvaged() {
		return m, nil
	}
	return m, errors.Join(append(lost, f.Lost())...)
}

// tiles2007 reads a layer, and counts its cells: several layers may share a block. A cell is an id and whether it is
// flipped.
func tiles2007(f *datafile.File, it datafile.Item, meter effort.Meter) (*TileLayer, error) {
	if len(it.Data) < 7 {
		return nil, fault.ErrShort
	}
	w, h := int(it.Data[1]), int(it.Data[2])
	if !sizeOK(w, h) {
		return nil, fault.ErrFormat
	}
	data, err := blockOf(f, it.Data[6])
	if err != nil {
		return nil, err
	}
	if len(data)/2 < w*h {
		return nil, fault.ErrShort
	}
	if err := meter.Spend(int64(w) * int64(h)); err != nil {
		return nil, err
	}
	l := NewTileLayer(KindTiles, w, h)
	l.Image = int(it.Data[0])
	for i := range w * h {
		t := Tile{ID: data[2*i]}
		if data[2*i+1]&1 != 0 {
			t.Flags = FlipX
		}
		l.Tiles().Set(i%w, i/w, t)
	}
	return l, nil
}

// image2007 reads a picture, or returns one without pixels if that fails.
func image2007(f *datafile.File, it datafile.Item, name string) (*Image, error) {
	if len(it.Data) < 3 {
		return NewMissingImage(name, 0, 0), fault.ErrShort
	}
	w, h := int(it.Data[0]), int(it.Data[1])
	data, err := blockOf(f, it.Data[2])
	switch {
	case err != nil:
	case w <= 0 || h <= 0 || w > MaxPixels/h:
		err = fault.ErrFormat
	case len(data) < 4*w*h:
		err = fault.ErrShort
	default:
		return NewImage(name, &image.NRGBA{Pix: data[:4*w*h], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}), nil
	}
	return NewMissingImage(name, w, h), err
}

func blockOf(f *datafile.File, n int32) ([]byte, error) {
	b := f.Block(n)
	if b == nil {
		return nil, fault.ErrFormat
	}
	return b.Bytes()
}
