package mapscene

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Canvases returns the layers of tiles.
func (s *scene) Canvases() (list []format.Canvas) {
	e := mapedit.New(s.m, nil)
	for _, l := range s.layers {
		t, ok := s.m.Groups[l.group].Layers[l.number].(*twmap.TileLayer)
		if !ok || t.Width() == 0 || t.Height() == 0 {
			continue
		}
		p := s.Placing(s.whole, l.group)
		from, to := tilesOf(p, 0, 0), tilesOf(p, mapdraw.TileSize, mapdraw.TileSize)
		c := format.Canvas{Layer: l.Name, Kind: t.Kind().String(), Width: t.Width(), Height: t.Height(),
			Options: []string{"--layer=" + layerWord(e, l)}, Origin: from, Cell: [2]float64{to[0] - from[0], to[1] - from[1]},
			Color: "#ffffffff", Flags: flagsOf(t.Kind()), Numbers: numbersOf(t.Kind())}
		if t.Kind().Physics() {
			c.Any, c.Tiles = "--unused", tileNames(t.Kind())
		} else {
			c.Color = fmt.Sprintf("#%02x%02x%02x%02x", octet(t.Color.R), octet(t.Color.G), octet(t.Color.B), octet(t.Color.A))
		}
		list = append(list, c)
	}
	return list
}

// tileNames returns the names of the tiles that a physics layer has.
func tileNames(kind twmap.Kind) []string {
	names := make([]string, 256)
	for id := range names {
		if twmap.ValidTile(kind, uint8(id)) {
			names[id] = twmap.TileName(kind, uint8(id))
		}
	}
	return names
}

func octet(v int32) int32 { return min(max(v, 0), 255) }

// layerWord returns the pattern that selects one layer only.
func layerWord(e *mapedit.Editor, l sceneLayer) string {
	if list, err := e.Layers(l.Name); err == nil && len(list) == 1 && list[0] == (mapedit.LayerAt{Group: l.group, Layer: l.number}) {
		return l.Name
	}
	return fmt.Sprintf("%d/%d", l.group, l.number)
}

func flagsOf(kind twmap.Kind) []format.CellFlag {
	flags := []format.CellFlag{{Letter: "x", Title: "mirror left to right"}, {Letter: "y", Title: "mirror top to bottom"},
		{Letter: "r", Title: "rotate clockwise"}}
	switch kind {
	case twmap.KindTele, twmap.KindSpeedup, twmap.KindTune:
		return nil
	case twmap.KindTiles:
		flags = append(flags, format.CellFlag{Letter: "o", Title: "opaque: hides what is behind it"})
	}
	return flags
}

func numbersOf(kind twmap.Kind) []format.CellNumber {
	number := func(name, title string, most, usual int) format.CellNumber {
		return format.CellNumber{Name: name, Title: title, Most: most, Usual: usual}
	}
	switch kind {
	case twmap.KindTele:
		return []format.CellNumber{number("number", "Number of the teleporter", 255, 1)}
	case twmap.KindTune:
		return []format.CellNumber{number("number", "Number of the zone", 255, 1)}
	case twmap.KindSwitch:
		return []format.CellNumber{number("number", "Number of the switch", 255, 1), number("delay", "Delay in seconds", 255, 0)}
	case twmap.KindSpeedup:
		angle := number("angle", "Angle in degrees clockwise; 0 is to the right", 359, 0)
		angle.Angle = true
		return []format.CellNumber{number("force", "Force", 255, 50), number("max-speed", "Maximum speed; 0 is no limit", 255, 0), angle}
	}
	return nil
}

// canvas returns a layer of tiles by its name.
func (s *scene) canvas(name string) (sceneLayer, *twmap.TileLayer, error) {
	for _, l := range s.layers {
		if t, ok := s.m.Groups[l.group].Layers[l.number].(*twmap.TileLayer); ok && l.Name == name {
			return l, t, nil
		}
	}
	return sceneLayer{}, nil, errNoLayer(name, "tiles")
}

func errNoLayer(name, of string) error {
	return fmt.Errorf("%s: not a layer of %s: %w", name, of, fs.ErrNotExist)
}

// Cells returns the text of tiles.
func (s *scene) Cells(ctx context.Context, layer string, box image.Rectangle) (rows []string, err error) {
	_, t, err := s.canvas(layer)
	if err != nil {
		return nil, err
	}
	for y := box.Min.Y; y < box.Max.Y && ctx.Err() == nil; y++ {
		switch t.Kind() {
		case twmap.KindTele:
			rows = append(rows, rowText(t.Teles(), y, box))
		case twmap.KindSpeedup:
			rows = append(rows, rowText(t.Speedups(), y, box))
		case twmap.KindSwitch:
			rows = append(rows, rowText(t.Switches(), y, box))
		case twmap.KindTune:
			rows = append(rows, rowText(t.Tunes(), y, box))
		default:
			rows = append(rows, rowText(t.Tiles(), y, box))
		}
	}
	return rows, errors.Join(t.Load(), ctx.Err())
}

func rowText[T twmap.Cell](g *twmap.Grid[T], y int, box image.Rectangle) string {
	from, to := max(box.Min.X, 0), min(box.Max.X, g.Width())
	cells, _ := g.Cells()
	if y < 0 || y >= g.Height() || from >= to || len(cells) < (y+1)*g.Width() {
		from, to, cells = box.Max.X, box.Max.X, nil
	} else {
		cells = cells[y*g.Width()+from : y*g.Width()+to]
	}
	return string(appendRow(nil, cells, from-box.Min.X, box.Max.X-to))
}

// Palette returns the tileset of a layer.
func (s *scene) Palette(layer string) (*image.NRGBA, error) {
	l, _, err := s.canvas(layer)
	if err != nil {
		return nil, err
	}
	return s.Renderer.Palette(l.group, l.number), nil
}

// Turned turns a block of tiles as mirror-tiles and rotate-tiles do.
func (s *scene) Turned(layer string, rows []string, mirrored bool, quarters int) ([]string, error) {
	_, t, err := s.canvas(layer)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if strings.ContainsAny(row, "\r\n") {
			return nil, errors.New("a row of tiles is one line")
		}
	}
	return turnRows(t.Kind(), rows, mapedit.Turn{Mirrored: mirrored, Quarters: quarters & 3})
}
