package mapdraw

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"trowel.example/fault"
	"trowel.example/internal/parallel"
	"trowel.example/teeworlds/twmap"
)

// layer is a layer of the map, with what was read of it.
type layer struct {
	name    string // for messages
	broken  string // why the game does not draw it
	tiles   *twmap.TileLayer
	quads   *twmap.QuadLayer
	sounds  *twmap.SoundLayer
	picture *picture // nil if it has none, or one that the game does not load
	*held
}

// held is what was read of a layer, for all renderers of the map.
type held struct {
	once    sync.Once
	ready   atomic.Bool
	content content
}

// content is what a layer holds, in the form in which it is drawn.
type content struct {
	strata  []stratum
	quads   []twmap.Quad
	sources []twmap.SoundSource
	broken  string
}

// stratum is a layer of tiles, or what an entity layer is drawn with: its tiles, then its
// numbers, each with pictures of their own.
type stratum struct {
	w, h  int
	cells []cell
	sheet func(*canvas, *layer) *sheet
}

// cell is what is to be seen of a tile: the number of its picture, 0 for none, and in the
// higher bits its flags.
type cell uint16

func newCell(id uint8, flags twmap.TileFlags) cell {
	return cell(id) | cell(flags&(twmap.FlipX|twmap.FlipY|twmap.Rotate))<<8
}

func (c cell) id() int                { return int(c & 0xff) }
func (c cell) flags() twmap.TileFlags { return twmap.TileFlags(c >> 8) }

// maxKept is how many bytes the layers and images of a map may take, so that they stay from
// one picture to the next. Those of a map with more are read again each time, and no more than
// maxPassing of them at a time, but for a single one that is larger.
const (
	maxKept    = 320 << 20
	maxPassing = 160 << 20
)

// Rereads reports whether the map is so large that each call of [Renderer.Render] reads all layers that it
// draws: the fewer parts a picture is drawn in, the better.
func (r *Renderer) Rereads() bool { return !r.keeps }

// findLayers makes the layers ready to be read.
func (r *Renderer) findLayers() {
	size := int64(0)
	r.isGame = make([]bool, len(r.m.Groups))
	r.layers = make([][]*layer, len(r.m.Groups))
	for g, group := range r.m.Groups {
		for i, found := range group.Layers {
			l := &layer{name: fmt.Sprintf("groups[%d].layers[%d]", g, i), held: new(held)}
			if name := found.Base().Name; name != "" {
				l.name += fmt.Sprintf(" %q", name)
			}
			switch found := found.(type) {
			case *twmap.TileLayer:
				l.tiles = found
				r.isGame[g] = r.isGame[g] || found.Kind() == twmap.KindGame
			case *twmap.QuadLayer:
				l.quads = found
			case *twmap.SoundLayer:
				l.sounds = found
			case *twmap.UnknownLayer:
				l.broken = fmt.Sprintf("a layer of type %d", found.Type)
			}
			if n := imageOf(found); n >= 0 && n < len(r.pictures) {
				l.picture = r.pictures[n]
			}
			r.layers[g] = append(r.layers[g], l)
			size += l.size()
		}
	}
	for _, p := range r.pictures {
		if p.users > 0 {
			size += p.size()
		}
	}
	r.keeps = size <= maxKept
}

// entities reports whether a layer is one of entities.
func (l *layer) entities() bool { return l.tiles != nil && l.tiles.Kind() != twmap.KindTiles }

// strataOf returns how many strata a layer of tiles of a kind has at most.
func strataOf(kind twmap.Kind) int64 {
	switch kind {
	case twmap.KindTele:
		return 2
	case twmap.KindSpeedup, twmap.KindSwitch:
		return 3
	}
	return 1
}

// size returns at most how many bytes the layer takes in memory.
func (l *layer) size() int64 {
	switch {
	case l.tiles != nil:
		return int64(l.tiles.Width()) * int64(l.tiles.Height()) * 2 * strataOf(l.tiles.Kind())
	case l.quads != nil:
		return int64(max(l.quads.NumQuads(), 0)) * 160
	case l.sounds != nil:
		return int64(max(l.sounds.NumSources(), 0)) * 64
	}
	return 0
}

// with calls do with what a layer holds; afterwards it may be gone.
func (r *Renderer) with(l *layer, do func(*content)) {
	if r.keeps {
		r.loadLayer(l)
		r.show(l, &l.content, do)
		return
	}
	size := l.size()
	if l.picture != nil {
		size += l.picture.size()
	}
	defer r.room.Take(size)()
	c := readLayer(l)
	r.show(l, &c, do)
}

// loadLayer reads a layer that stays.
func (r *Renderer) loadLayer(l *layer) {
	l.once.Do(func() {
		l.content = readLayer(l)
		l.ready.Store(true)
	})
}

// loadDrawn reads the layers that are drawn, on all cores: for the first picture of a large map
// that is most of the work.
func (c *canvas) loadDrawn(ctx context.Context) {
	var fresh []*layer
	for g, layers := range c.layers {
		for i, l := range layers {
			if c.keeps && !l.ready.Load() && c.shows(g, i, l) {
				fresh = append(fresh, l)
			}
		}
	}
	parallel.Each(len(fresh), func(i int) {
		l := fresh[i]
		if ctx.Err() != nil {
			return
		}
		c.loadLayer(l)
		switch {
		case l.picture == nil:
		case len(l.content.strata) > 0:
			c.sheetOf(l.picture)
		case len(l.content.quads) > 0:
			c.textureOf(l.picture)
		}
	})
}

// Survey reads all layers and images of a picture, so that [Renderer.Missing] returns whatever pictures
// that look like it have to do without.
func (r *Renderer) Survey(ctx context.Context, p Picture) error {
	c := canvas{Renderer: r, picture: p}
	c.loadDrawn(ctx)
	for g, layers := range r.layers {
		for i, l := range layers {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !c.shows(g, i, l) {
				continue
			}
			r.with(l, func(content *content) {
				if l.picture != nil && len(content.strata)+len(content.quads) > 0 {
					r.source(l.picture)
				}
			})
		}
	}
	return nil
}

// show calls do with what a layer holds, or tells what it misses of it.
func (r *Renderer) show(l *layer, c *content, do func(*content)) {
	if c.broken != "" {
		r.miss(Missing{Kind: MissingLayer, Name: l.name, What: c.broken + ": not drawn, as in the game", Loss: true})
		return
	}
	do(c)
}

func readLayer(l *layer) (c content) {
	var err error
	switch {
	case l.tiles != nil:
		l.tiles.Look(func(t *twmap.TileLayer) {
			if n := t.Width() * t.Height(); t.NumCells() < n || cellsOfOtherSize(t) {
				c.broken = fmt.Sprintf("it has not the %d x %d tiles that it says", t.Width(), t.Height())
				return
			}
			c.strata = strata(t)
		})
	case l.quads != nil:
		l.quads.Look(func(quads []twmap.Quad, e error) { c.quads, err = quads, e })
	case l.sounds != nil:
		l.sounds.Look(func(sources []twmap.SoundSource, e error) { c.sources, err = sources, e })
	}
	if err != nil { // the game draws none of them then
		c = content{broken: err.Error()}
	}
	return c
}

// cellsOfOtherSize reports whether the cells are such as DDRace wrote in 2010, which take
// less room than the game reads today.
func cellsOfOtherSize(t *twmap.TileLayer) bool { return errors.Is(t.Load(), fault.ErrVersion) }

// newStratum makes a stratum of the cells of a grid, nil if nothing of it is to be seen.
func newStratum[T twmap.Cell](g *twmap.Grid[T], sheet func(*canvas, *layer) *sheet, look func(T) cell) []stratum {
	cells, _ := g.Cells()
	s := stratum{g.Width(), g.Height(), make([]cell, g.Width()*g.Height()), sheet}
	any := 0
	for i, t := range cells {
		s.cells[i] = look(t)
		any |= s.cells[i].id()
	}
	if any == 0 {
		return nil
	}
	return []stratum{s}
}

// strata returns what a layer of tiles is drawn with: nothing for layers of other games.
func strata(t *twmap.TileLayer) (all []stratum) {
	add := func(s []stratum) { all = append(all, s...) }
	switch t.Kind() {
	case twmap.KindTiles:
		add(newStratum(t.Tiles(), (*canvas).layerSheet, plainCell))
	case twmap.KindGame, twmap.KindFront:
		add(newStratum(t.Tiles(), (*canvas).entities, plainCell))
	case twmap.KindTele:
		add(newStratum(t.Teles(), (*canvas).entities, teleCell))
		add(newStratum(t.Teles(), (*canvas).numbers, teleNumber))
	case twmap.KindSpeedup:
		add(newStratum(t.Speedups(), (*canvas).arrows, speedupArrow))
		add(newStratum(t.Speedups(), (*canvas).numbersBelow, speedupForce))
		add(newStratum(t.Speedups(), (*canvas).numbersAbove, speedupLimit))
	case twmap.KindSwitch:
		add(newStratum(t.Switches(), (*canvas).switches, switchCell))
		add(newStratum(t.Switches(), (*canvas).numbersAbove, func(t twmap.SwitchTile) cell { return numberIf(t.ID != 0, t.Number) }))
		add(newStratum(t.Switches(), (*canvas).numbersBelow, func(t twmap.SwitchTile) cell { return numberIf(t.ID != 0, t.Delay) }))
	case twmap.KindTune:
		shades := tuneShades(t.Tunes())
		add(newStratum(t.Tunes(), (*canvas).tunes, func(t twmap.TuneTile) cell { return numberIf(t.ID != 0, shades[t.Number]) }))
	}
	return all
}
