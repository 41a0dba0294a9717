package mapedit

import (
	"errors"
	"fmt"

	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/twmap"
)

// GameTile is a tile of the game with its name in the editor.
type GameTile struct {
	Name string
	Tile twmap.GameTile
}

// GameTiles lists the tiles that can be made from a design layer. Checkpoints of teleporters are put into the tele
// layer.
var GameTiles = []GameTile{
	{"air", twmap.TileAir},
	{"hookable", twmap.TileSolid},
	{"death", twmap.TileDeath},
	{"unhookable", twmap.TileNoHook},
	{"hookthrough", twmap.TileThroughCut},
	{"freeze", twmap.TileFreeze},
	{"unfreeze", twmap.TileUnfreeze},
	{"deep-freeze", twmap.TileDeepFreeze},
	{"deep-unfreeze", twmap.TileDeepUnfreeze},
	{"live-freeze", twmap.TileLiveFreeze},
	{"live-unfreeze", twmap.TileLiveUnfreeze},
	{"blue-checkpoint-tele", twmap.TileTeleCheckpointIn},
	{"red-checkpoint-tele", twmap.TileTeleCheckpointInEvil},
}

var errNoGame = errors.New("the map has no game layer")

// ConstructGameTiles sets a game tile wherever a design layer has a tile. Checkpoints of teleporters (31 and 63) are
// put into the tele layer, which is added if there is none, with the number 1. The physics layers grow if the design
// layer reaches beyond them at the right or the bottom.
//
// The group of the design layer must move with the game, with an offset of whole tiles.
func (e *Editor) ConstructGameTiles(from LayerAt, tile twmap.GameTile) error {
	game := e.m.Physics(twmap.KindGame)
	if game == nil {
		return errNoGame
	}
	design, ok := e.layer(from).(*twmap.TileLayer)
	if !ok || design.Kind() != twmap.KindTiles {
		return fmt.Errorf("%s: expected a design layer of tiles", e.Path(e.layer(from)))
	}
	g, dx, dy := e.m.Groups[from.Group], 0, 0
	if from.Group != e.gameGroup() {
		if g.ParallaxX != 100 || g.ParallaxY != 100 {
			return fmt.Errorf("%s: its parallax is %d,%d: expected 100,100, or its tiles have no place in the game", e.Path(g),
				g.ParallaxX, g.ParallaxY)
		}
		if g.OffsetX%tileUnits != 0 || g.OffsetY%tileUnits != 0 {
			return fmt.Errorf("%s: its offset is %d,%d: expected whole tiles, of %d each", e.Path(g), g.OffsetX, g.OffsetY, tileUnits)
		}
		dx, dy = -int(g.OffsetX)/tileUnits, -int(g.OffsetY)/tileUnits
	}
	w, h := max(game.Width(), design.Width()+dx), max(game.Height(), design.Height()+dy)
	if err := e.growPhysics(w, h); err != nil {
		return err
	}
	cells, what := openGrid(design), fmt.Sprintf("became %v, as %s has tiles there", tile, e.Path(design))
	to := func(x, y int, c Cell) Cell {
		if cells.at(x-dx, y-dy).ID != 0 {
			c = Cell{ID: uint8(tile)}
		}
		return c
	}
	area := Area{dx, dy, design.Width(), design.Height()}
	if tile != twmap.TileTeleCheckpointIn && tile != twmap.TileTeleCheckpointInEvil {
		e.paintGame(e.physicsLayer(twmap.KindGame), &area, what, to)
		return nil
	}
	e.edit(e.physicsLayer(twmap.KindTele), &area, what, func(x, y int, c Cell) Cell {
		is := to(x, y, c)
		if is != c {
			is.Number = 1
		}
		return is
	})
	return nil
}

// growPhysics enlarges all physics layers to at least the given size. New tiles are air.
func (e *Editor) growPhysics(w, h int) error {
	var small []*twmap.TileLayer
	all := effort.MapMade.Start(0)
	for _, l := range e.m.Layers() {
		if t, ok := l.(*twmap.TileLayer); ok && t.Kind().Physics() && (t.Width() < w || t.Height() < h) {
			if err := fits(max(w, t.Width()), max(h, t.Height()), all); err != nil {
				return fmt.Errorf("%s: %w", e.Path(t), err)
			}
			small = append(small, t)
		}
	}
	for _, t := range small {
		e.readable(t)
		nw, nh := max(w, t.Width()), max(h, t.Height())
		e.reportChange(t, 1, "", "%d x %d tiles became %d x %d", t.Width(), t.Height(), nw, nh)
		t.Resize(nw, nh)
	}
	return nil
}

// CleanGameTiles replaces solid, deadly and unhookable tiles of the game layer by air where no other layer of its
// group has a tile.
func (e *Editor) CleanGameTiles() error {
	game := e.m.Physics(twmap.KindGame)
	if game == nil {
		return errNoGame
	}
	var others []cells
	for _, l := range e.m.Groups[e.gameGroup()].Layers {
		if t, ok := l.(*twmap.TileLayer); ok && t != game {
			others = append(others, openGrid(t))
		}
	}
	e.edit(e.physicsLayer(twmap.KindGame), nil, "became air, as no layer shows anything there", func(x, y int, c Cell) Cell {
		if c.ID > uint8(twmap.TileNoHook) {
			return c
		}
		for _, other := range others {
			if other.at(x, y).ID != 0 {
				return c
			}
		}
		if c.ID == 0 {
			return c
		}
		return Cell{}
	})
	return nil
}

// Border makes the border of layers solid, two tiles wide, like the editor's tool: it goes by the numbers of tiles,
// row by row, so the first tile of the last row but one belongs to the border only through its column. Flags are
// kept.
func (e *Editor) Border(layers []LayerAt) error {
	layers = e.tileLayers(layers)
	if len(layers) == 0 {
		return errNoTiles
	}
	for _, at := range layers {
		l := e.layer(at).(*twmap.TileLayer)
		if l.Tiles() == nil {
			return fmt.Errorf("%s: a %v layer has no solid tiles", e.Path(l), l.Kind())
		}
	}
	for _, at := range layers {
		l := e.layer(at).(*twmap.TileLayer)
		w, h := l.Width(), l.Height()
		to := func(x, y int, c Cell) Cell {
			if i := y*w + x; x < 2 || x > w-3 || i < 2*w || i > w*(h-2) {
				c.ID = uint8(twmap.TileSolid)
			}
			return c
		}
		if l == e.m.Physics(twmap.KindGame) {
			e.paintGame(at, nil, "became the border", to)
		} else {
			e.edit(at, nil, "became the border", to)
		}
	}
	return nil
}
