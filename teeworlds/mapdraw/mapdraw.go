// Package mapdraw draws maps of Teeworlds and DDNet as the game's client does, pixel for pixel as far as possible
// without a graphics card.
//
// [New] returns a [Renderer] of a map; [Renderer.Render] draws any part of a picture of the map, concurrently if the
// caller likes. docs/rendering.md describes the drawing, and the differences from the game.
//
// All lengths are in the units of the map (a tile has 32), and angles in degrees, clockwise. x increases to the right
// and y downwards; 0,0 is the top left corner of the game layer.
package mapdraw

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/twmap"
)

// TileSize is the length of a side of a tile in units.
const TileSize = 32

// Background is the colour that the game shows in empty areas.
var Background = color.NRGBA{128, 128, 128, 255}

// Game selects the game whose external images are drawn, where games have different images with the same name.
type Game int

// The games. GameAuto selects the images of Teeworlds 0.7 for maps in its format if they fit the tiles better.
const (
	GameAuto Game = iota
	Game06        // Teeworlds 0.6 and DDNet
	Game07        // Teeworlds 0.7
)

// Options specify how a map is drawn. With the zero value, maps are drawn as players see them, without external
// images.
type Options struct {
	// Entities is the opacity of the entities over the map, 0 to 100: at 100 only entities are visible.
	Entities int
	// EntitiesImage is a picture of 16 x 16 entities that replaces the built-in ones. Mask selects the cells that are
	// drawn.
	EntitiesImage *image.NRGBA
	Mask          Mask

	Mapres  []string // folders with external images, in search order
	Game    Game     // the game whose external images are drawn
	Checker bool     // draw missing images as a checkerboard, not as the game does
	Hatch   bool     // draw missing external images in one tone with a light hatch, not in four colours as the game does

	// Effort multiplies the drawing limit of a picture, see [Renderer.Render]; 0 means 1.
	Effort int
}

// Renderer draws a map. It is safe for concurrent use.
type Renderer struct {
	m        *twmap.Map
	o        Options
	pictures []*picture
	layers   [][]*layer // by group
	isGame   []bool     // the groups that have a game layer
	sheets07 func() bool
	signs    func() *signs
	scaled   *scaledCells
	stills   *stills

	keeps bool             // keep what was read for later pictures
	room  *parallel.Budget // for what is not kept

	mu     sync.Mutex
	missed map[Missing]bool
}

// Missing is something that a picture lacks.
type Missing struct {
	Kind   string // MissingImage or MissingLayer
	Name   string
	Layers int    // number of layers with the image
	What   string // the reason, and what is drawn instead
	Loss   bool   // the map should contain it
}

// Kinds of missing things.
const (
	MissingImage = "image"
	MissingLayer = "layer"
)

// New returns a renderer of a map. The map must not be changed while the renderer is in use. New reads nothing yet.
func New(m *twmap.Map, o Options) (*Renderer, error) {
	r, err := newRenderer(m, o)
	if err == nil {
		r.scaled, r.stills, r.room = new(scaledCells), new(stills), parallel.NewBudget(maxPassing)
		r.findImages()
		r.findLayers()
	}
	return r, err
}

// With returns a renderer of the same map with other options. Both renderers share what they have read of the map.
func (r *Renderer) With(o Options) (*Renderer, error) {
	other, err := newRenderer(r.m, o)
	if err != nil {
		return nil, err
	}
	other.scaled, other.stills, other.room, other.keeps, other.isGame = r.scaled, r.stills, r.room, r.keeps, r.isGame
	same := o.Checker == r.o.Checker && o.Hatch == r.o.Hatch
	sameExternal := same && o.Game == r.o.Game && slices.Equal(o.Mapres, r.o.Mapres)
	other.findImages()
	now := make(map[*picture]*picture)
	for i, p := range r.pictures {
		if same && !p.image.External() || sameExternal {
			other.pictures[i] = p
		}
		now[p] = other.pictures[i]
	}
	for _, layers := range r.layers {
		var list []*layer
		for _, l := range layers {
			own := *l
			own.picture = now[l.picture]
			list = append(list, &own)
		}
		other.layers = append(other.layers, list)
	}
	return other, nil
}

// newRenderer returns a renderer that has read nothing of its map.
func newRenderer(m *twmap.Map, o Options) (*Renderer, error) {
	if o.Entities < 0 || o.Entities > 100 {
		return nil, fmt.Errorf("entities: %d, should be 0 to 100", o.Entities)
	}
	if p := o.EntitiesImage; p != nil && (p.Rect.Dx() < cellsInRow || p.Rect.Dy() < cellsInRow) {
		return nil, fmt.Errorf("entities: a picture of %d x %d pixels, should be 16 x 16 at least", p.Rect.Dx(), p.Rect.Dy())
	}
	r := &Renderer{m: m, o: o, missed: make(map[Missing]bool)}
	r.sheets07 = sync.OnceValue(r.wants07)
	r.signs = usualSigns
	if o.EntitiesImage != nil {
		r.signs = sync.OnceValue(func() *signs { return newSheets(o.EntitiesImage, o.Mask) })
	}
	return r, nil
}

// Missing returns what all pictures so far lacked, sorted by kind and name.
func (r *Renderer) Missing() []Missing {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Missing
	for m := range r.missed {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b Missing) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.What, b.What))
	})
	return list
}

func (r *Renderer) miss(m Missing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missed[m] = true
}

// Picture describes a picture of a map. [Camera.At] and [Camera.Part] make one.
type Picture struct {
	placed bool // made by Camera.At or Camera.Part: without them, pixel 0,0 would be at unit 0,0 for every camera

	Camera    Camera
	Left, Top float64       // position of pixel 0,0, in units
	Scale     float64       // pixels per unit
	Time      time.Duration // time for the envelopes
	Film      bool          // one of many pictures that differ only in Time: up to 96 MiB of them are kept
	Mean      bool          // a pixel that contains several tiles is their mean, instead of one of them as in the game

	// Draws reports whether a layer is drawn, by the number of its group and its number in the group. If it is nil,
	// the result of [Renderer.Usual] is used.
	Draws func(group, layer int) bool

	// Spent is the drawing effort that the parts of a picture share for a common limit, and Size is the size of the
	// whole picture. If Spent is nil, each part is limited like a separate picture.
	Spent *atomic.Int64
	Size  image.Point
}

// At returns the picture of a camera's view with a width in pixels.
func (c Camera) At(width int) Picture {
	return c.Part(c.X-c.Width/2, c.Y-c.Height/2, float64(width)/c.Width)
}

// Part returns a picture of what a camera shows whose pixel 0,0 is at left and top, in units, with a scale in pixels per unit. It may
// be a part of the view, or be outside of it.
func (c Camera) Part(left, top, scale float64) Picture {
	return Picture{placed: true, Camera: c, Left: left, Top: top, Scale: scale}
}

// Render draws the pixels of dst.Rect over the contents of dst, which are the background. No pixel depends on the
// other pixels that are drawn with it.
//
// The work is limited because a map may have any number of layers on top of each other: if the parts of a picture
// draw more than 2^25 pixels, and more than 512 for each pixel of the picture, Render returns an error that wraps
// [fault.ErrLimit] and names the layer that can cover the picture most often. Where a tile is smaller than two pixels
// and Picture.Mean is set, each pixel counts as up to 64.
func (r *Renderer) Render(ctx context.Context, dst *image.RGBA, p Picture) error {
	switch {
	case !p.placed:
		return errors.New("mapdraw: a Picture without a place: expected one of Camera.At or Camera.Part")
	case p.Spent != nil && (p.Size.X <= 0 || p.Size.Y <= 0):
		return errors.New("mapdraw: a Picture with Spent needs the Size of the whole picture")
	case !p.ok():
		return fmt.Errorf("a picture too far away, too large or too small: %.4g x %.4g units around %.4g,%.4g at %.4g "+
			"pixels each", p.Camera.Width, p.Camera.Height, p.Camera.X, p.Camera.Y, p.Scale)
	}
	if dst.Rect.Empty() {
		return nil
	}
	c := canvas{Renderer: r, dst: dst, picture: p, envelopes: r.at(p.Time)}
	c.loadDrawn(ctx)
	n := p.halvings()
	if err := c.begin(ctx, n); err != nil {
		return err
	}
	if n > 0 {
		return c.drawMean(ctx, n)
	}
	return c.draw(ctx)
}

// draw draws the layers of the part.
func (c *canvas) draw(ctx context.Context) error {
	return c.each(ctx, func(f *frame, l *layer) error {
		var err error
		switch {
		case l.tiles != nil:
			err = c.drawTiles(ctx, f, l)
		case l.quads != nil:
			err = c.drawQuads(f, l)
		case l.sounds != nil:
			err = c.drawSounds(f, l)
		}
		if err == nil {
			err = c.effort.add()
		}
		return c.named(err)
	})
}

// canvas is a part of a picture during drawing.
type canvas struct {
	*Renderer
	dst       *image.RGBA
	picture   Picture
	envelopes envelopes
	effort    *spending
	cut       *cut // nil: everything is drawn
}

// each calls do for the drawn layers, from back to front, and stops at the first error.
func (c *canvas) each(ctx context.Context, do func(*frame, *layer) error) error {
	for g, layers := range c.layers {
		var f *frame
		for i, l := range layers {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !c.cut.reaches(l.at) || !c.shows(g, i, l) {
				continue
			}
			if f == nil {
				f = c.frame(g)
			}
			if f.Empty() {
				continue
			}
			if err := do(f, l); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// shows reports whether a layer is drawn.
func (c *canvas) shows(group, number int, l *layer) bool {
	if c.picture.Draws == nil && !c.Usual(group, number) || c.picture.Draws != nil && !c.picture.Draws(group, number) {
		return false
	}
	if l.broken != "" {
		c.miss(Missing{Kind: MissingLayer, Name: l.name, What: l.broken, Loss: true})
		return false
	}
	return true
}

// Usual reports whether the game draws a layer, by the number of its group and its number in the group: layers of
// entities if Entities is greater than 0, other layers if it is below 100, and sound layers never.
func (r *Renderer) Usual(group, number int) bool {
	switch l := r.layers[group][number]; {
	case l.sounds != nil:
		return false
	case l.entities():
		return r.o.Entities > 0
	}
	return r.o.Entities < 100
}

// opacity returns the opacity of a layer of tiles according to Options.Entities, 0 to 1. A layer that would be
// invisible is opaque, because it is drawn only if Picture.Draws selects it.
func (r *Renderer) opacity(l *layer) float64 {
	percent := 100 - r.o.Entities
	if l.entities() {
		percent = r.o.Entities
	}
	if percent == 0 {
		percent = 100
	}
	return float64(percent) / 100
}
