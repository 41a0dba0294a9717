// Package mapdraw draws maps of Teeworlds and DDNet as the game's client shows them, pixel
// for pixel as far as that can be had without a graphics card.
//
// [New] makes a [Renderer] of a map; [Renderer.Render] draws any part of a picture of it,
// in as many goroutines at a time as the caller likes. How a picture comes about, and what
// differs from the game, is in docs/rendering.md.
//
// All lengths are in the map's units, of which a tile has 32, and angles in degrees,
// clockwise. x goes to the right and y down; 0,0 is the top left corner of the game layer.
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

	"trowel.example/fault"
	"trowel.example/internal/budget"
	"trowel.example/teeworlds/twmap"
)

// TileSize is the length of a side of a tile in units.
const TileSize = 32

// Background is what the game shows where nothing is.
var Background = color.NRGBA{128, 128, 128, 255}

// Game says whose pictures external images are, where there are different ones under one
// name.
type Game int

// The games. GameAuto takes those of Teeworlds 0.7 for maps in its form if the tiles fit
// them better.
const (
	GameAuto Game = iota
	Game06        // Teeworlds 0.6 and DDNet
	Game07        // Teeworlds 0.7
)

// Options say how a map is drawn. The zero value is what the game shows to who plays,
// without external images.
type Options struct {
	// Entities is how far the entities cover the map, 0 to 100: at 100 nothing else is to
	// be seen.
	Entities int
	// EntitiesImage is a picture of 16 x 16 entities in place of those drawn for Trowel.
	// What it shows where the game has no entity stays, as Mask says.
	EntitiesImage *image.NRGBA
	Mask          Mask

	Mapres  []string // folders in which external images are looked for, in this order
	Game    Game     // whose they are
	Checker bool     // images that cannot be had are drawn as a checker, and not as the game does

	// Effort multiplies how much may be drawn for a picture, see [Renderer.Render]; 0 is 1.
	Effort int
}

// Renderer draws a map. It may be used by many goroutines.
type Renderer struct {
	m        *twmap.Map
	o        Options
	pictures []*picture
	layers   [][]*layer // by group
	isGame   []bool     // which groups have a game layer
	sheets07 func() bool
	signs    func() *signs
	scaled   *scaledCells

	keeps bool           // what was read for one picture stays for the next
	room  *budget.Budget // for what does not stay

	mu     sync.Mutex
	missed map[Missing]bool
}

// Missing is something that a picture had to do without.
type Missing struct {
	Kind   string // MissingImage or MissingLayer
	Name   string
	Layers int    // how many have the image
	What   string // why, and what is drawn in its place
	Loss   bool   // the map should have it
}

// Kinds of what can be missing.
const (
	MissingImage = "image"
	MissingLayer = "layer"
)

// New returns a renderer of a map, which must not be changed as long as it is used. It
// reads nothing yet.
func New(m *twmap.Map, o Options) (*Renderer, error) {
	r, err := newRenderer(m, o)
	if err == nil {
		r.scaled, r.room = new(scaledCells), budget.New(maxPassing)
		r.findImages()
		r.findLayers()
	}
	return r, err
}

// With returns a renderer of the same map with other options. It has what this one has read of
// the map, and what it reads this one has.
func (r *Renderer) With(o Options) (*Renderer, error) {
	other, err := newRenderer(r.m, o)
	if err != nil {
		return nil, err
	}
	other.scaled, other.room, other.keeps, other.isGame = r.scaled, r.room, r.keeps, r.isGame
	same := o.Checker == r.o.Checker
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

// newRenderer returns a renderer that knows nothing of its map.
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

// Missing returns what all pictures so far had to do without, sorted by kind and name.
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

// Picture describes a picture of a map.
type Picture struct {
	Camera    Camera
	Left, Top float64       // where the pixel 0,0 begins
	Scale     float64       // pixels of a unit
	Time      time.Duration // of envelopes
	Mean      bool          // a pixel in which several tiles lie is the mean of them, and not one of them as in the game

	// Draws reports whether a layer is drawn, by the numbers of its group and in it. Nil:
	// those of which [Renderer.Usual] says so.
	Draws func(group, layer int) bool

	// Spent is what the parts of a picture share that are limited together, and Size is that of the whole
	// picture. Nil: each part is limited as a picture of its own.
	Spent *atomic.Int64
	Size  image.Point
}

// At returns the picture that a camera takes, of a width in pixels.
func (c Camera) At(width int) Picture {
	return Picture{Camera: c, Left: c.X - c.Width/2, Top: c.Y - c.Height/2, Scale: float64(width) / c.Width}
}

// Render draws the pixels of dst.Rect over what dst holds, the background. No pixel depends
// on which others are drawn with it.
//
// Layers may be drawn over each other without end: if the parts of a picture draw more than 2^25 pixels, and
// 512 for each pixel of the picture, Render returns an error that wraps [fault.ErrLimit] and names the layer.
// Where a tile is smaller than two pixels and Picture.Mean is set, each pixel counts as up to 64.
func (r *Renderer) Render(ctx context.Context, dst *image.RGBA, p Picture) error {
	if !p.ok() {
		return fmt.Errorf("a picture too far away, too large or too small: %.4g x %.4g units around %.4g,%.4g at %.4g pixels each", p.Camera.Width, p.Camera.Height, p.Camera.X, p.Camera.Y, p.Scale)
	}
	if dst.Rect.Empty() {
		return nil
	}
	c := canvas{Renderer: r, dst: dst, picture: p, envelopes: r.at(p.Time)}
	c.loadDrawn(ctx)
	n := p.halvings()
	c.effort = r.newEffort(ctx, dst.Rect, &p, n)
	if n > 0 {
		return c.drawMean(ctx, n)
	}
	return c.draw(ctx)
}

// draw draws the part.
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
		if errors.Is(err, fault.ErrLimit) {
			return &fault.Error{Path: l.name, Offset: -1, Got: "more drawn over each other than is allowed for a picture of this size", Err: fault.ErrLimit}
		}
		return err
	})
}

// canvas is a part of a picture that is being drawn.
type canvas struct {
	*Renderer
	dst       *image.RGBA
	picture   Picture
	envelopes envelopes
	effort    *effort
}

// each calls do with the layers that are drawn, from back to front, up to its first error.
func (c *canvas) each(ctx context.Context, do func(*frame, *layer) error) error {
	for g, layers := range c.layers {
		var f *frame
		for i, l := range layers {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !c.shows(g, i, l) {
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

// Usual reports whether the game draws a layer, by the numbers of its group and in it: one
// of entities only if there are any, others only if these do not cover all, and sounds never.
func (r *Renderer) Usual(group, number int) bool {
	switch l := r.layers[group][number]; {
	case l.sounds != nil:
		return false
	case l.entities():
		return r.o.Entities > 0
	}
	return r.o.Entities < 100
}

// opacity returns how opaque a layer of tiles is because of the entities, 0 to 1. One that
// would not be seen at all is drawn for who asks for it.
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
