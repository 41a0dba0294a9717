package mapdraw

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/twmap"
)

// layer is a layer of the map, with the contents that were read.
type layer struct {
	at      place  // of the layer in the map
	name    string // for messages
	broken  string // the reason why the game does not draw it
	tiles   *twmap.TileLayer
	quads   *twmap.QuadLayer
	sounds  *twmap.SoundLayer
	picture *picture // nil if it has none, or one that the game does not load
	*held
}

// held is the contents of a layer, shared by all renderers of the map.
type held struct {
	once    sync.Once
	ready   atomic.Bool
	strata  atomic.Int32 // 1 more than the number of strata, once that is known
	content content
}

// content is the contents of a layer in the form in which it is drawn.
type content struct {
	strata  []stratum
	quads   []twmap.Quad
	sources []twmap.SoundSource
	broken  string
}

// stratum is a drawn layer of tiles. A layer of entities consists of several: its tiles and its numbers, each with
// other pictures.
type stratum struct {
	w, h  int
	cells []cell
	sheet func(*canvas, *layer) *sheet
}

// cell is the visible part of a tile: the number of its picture, 0 for none, and its flags in the higher bits.
type cell uint16

func newCell(id uint8, flags twmap.TileFlags) cell {
	return cell(id) | cell(flags&(twmap.FlipX|twmap.FlipY|twmap.Rotate))<<8
}

func (c cell) id() int                { return int(c & 0xff) }
func (c cell) flags() twmap.TileFlags { return twmap.TileFlags(c >> 8) }

// maxKept is the memory in bytes up to which the layers and images of a map are kept between pictures. Those of a
// larger map are read again for each picture, but the smaller sizes of its pictures of tiles, and at most maxPassing
// bytes of them are in memory at a time, except for a single larger one.
const (
	maxKept    = 320 << 20
	maxPassing = 160 << 20
	maxSmall   = 64 << 20 // of the largest kept size of all pictures of such a map
)

// Rereads reports whether the map is so large that each call of [Renderer.Render] reads all layers that it draws.
// Such a map should be drawn in few parts.
func (r *Renderer) Rereads() bool { return !r.keeps }

// findLayers prepares the layers for reading.
func (r *Renderer) findLayers() {
	size := int64(0)
	r.isGame = make([]bool, len(r.m.Groups))
	r.layers = make([][]*layer, len(r.m.Groups))
	for g, group := range r.m.Groups {
		for i, found := range group.Layers {
			l := &layer{at: place{group: g, layer: i}, name: fmt.Sprintf("groups[%d].layers[%d]", g, i), held: new(held)}
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
	r.keeps = size <= parallel.Share(maxKept)
}

// entities reports whether the layer is one of entities.
func (l *layer) entities() bool { return l.tiles != nil && l.tiles.Kind() != twmap.KindTiles }

// strataOf returns the largest number of strata for a layer of tiles of a kind.
func strataOf(kind twmap.Kind) int64 {
	switch kind {
	case twmap.KindTele:
		return 2
	case twmap.KindSpeedup, twmap.KindSwitch:
		return 3
	}
	return 1
}

// size returns the largest memory that the layer can take, in bytes.
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

// with calls do with the contents of a layer, which may be released afterwards.
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

// loadLayer reads a layer whose contents are kept.
func (r *Renderer) loadLayer(l *layer) {
	l.once.Do(func() {
		l.content = readLayer(l)
		l.ready.Store(true)
	})
}

// loadDrawn reads the drawn layers on all cores: this is most of the work for the first picture of a large map.
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
			c.sheetOf(l.picture, math.Inf(1))
		case len(l.content.quads) > 0:
			c.textureOf(l.picture)
		}
	})
}

// Survey reads all layers and images of a picture, so that [Renderer.Missing] returns everything that similar
// pictures lack.
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
					r.survey(l.picture)
				}
			})
		}
	}
	return nil
}

// show calls do with the contents of a layer, or reports what is missing from them.
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
				c.broken = fmt.Sprintf("the layer does not have the stated %d x %d tiles", t.Width(), t.Height())
				return
			}
			c.strata = strata(t)
		})
	case l.quads != nil:
		l.quads.Look(func(quads []twmap.Quad, e error) { c.quads, err = quads, e })
	case l.sounds != nil:
		l.sounds.Look(func(sources []twmap.SoundSource, e error) { c.sources, err = sources, e })
	}
	if err != nil { // the game then draws none of them
		c = content{broken: err.Error()}
	}
	return c
}

// cellsOfOtherSize reports whether the cells have the size that DDRace wrote in 2010, which is smaller than the
// current one.
func cellsOfOtherSize(t *twmap.TileLayer) bool { return errors.Is(t.Load(), fault.ErrVersion) }

// newStratum makes a stratum from the cells of a grid, or returns nil if all are invisible.
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

// strata returns the strata of a layer of tiles, or nil for layers of other games.
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
