package maprules

import (
	"image"
	"math"

	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// A pixel is visible above this alpha, and opaque from the other one on.
const (
	visibleAlpha = 32
	opaqueAlpha  = 250
)

// tileLook is how much of a tile's picture is visible.
type tileLook struct {
	seen   bool // at least 5 % of its pixels are visible
	dense  bool // at least 90 % of its pixels are opaque
	opaque bool // all are
}

// imageLook is how much of an image is visible.
type imageLook struct {
	tiles  [256]tileLook
	opaque bool   // all of it
	print  string // of its pixels, if it is embedded and another image has the same size; else ""
}

// noImage is the look of a layer without an image, which is drawn in plain colour.
var noImage = solidLook(true)

// unknownImage is the look of an image that is not here: its tiles count as visible, and not as opaque.
var unknownImage = solidLook(false)

func solidLook(opaque bool) *imageLook {
	look := &imageLook{opaque: opaque}
	for i := 1; i < 256; i++ {
		look.tiles[i] = tileLook{seen: true, dense: opaque, opaque: opaque}
	}
	return look
}

// sight is what players see of a map.
type sight struct {
	m     *twmap.Map
	r     *mapdraw.Renderer
	looks map[int]*imageLook
	sizes map[image.Point]int // the number of images of each size
}

func newSight(m *twmap.Map, r *mapdraw.Renderer) *sight {
	s := &sight{m: m, r: r, looks: make(map[int]*imageLook), sizes: make(map[image.Point]int)}
	for _, im := range m.Images {
		s.sizes[image.Pt(im.Width(), im.Height())]++
	}
	return s
}

// image returns the look of an image by its number.
func (s *sight) image(number int) *imageLook {
	if number < 0 || number >= len(s.m.Images) {
		return noImage
	}
	if look := s.looks[number]; look != nil {
		return look
	}
	im := s.m.Images[number]
	look := unknownImage
	if im.External() {
		if p, err := s.r.External(im.Name); err == nil {
			look = lookOf(p)
		}
	} else {
		im.Look(func(p *image.NRGBA, err error) {
			if err != nil || p == nil {
				return
			}
			if look = lookOf(p); s.sizes[p.Rect.Size()] > 1 {
				look.print = printOf(p)
			}
		})
	}
	s.looks[number] = look
	return look
}

func lookOf(p *image.NRGBA) *imageLook {
	look := &imageLook{opaque: true}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	var pixels, seen, opaque [256]int
	columns := make([]int, w) // the tile of each column
	for x := range columns {
		columns[x] = x * 16 / w
	}
	for y := range h {
		row, first := p.Pix[y*p.Stride:][:4*w], y*16/h*16
		for x, column := range columns {
			tile := first + column
			pixels[tile]++
			if alpha := row[4*x+3]; alpha >= opaqueAlpha {
				opaque[tile]++
				seen[tile]++
			} else {
				look.opaque = false
				if alpha > visibleAlpha {
					seen[tile]++
				}
			}
		}
	}
	for i, n := range pixels {
		if i > 0 && n > 0 { // tile 0 is air
			look.tiles[i] = tileLook{seen: 20*seen[i] >= n, dense: 10*opaque[i] >= 9*n, opaque: opaque[i] == n}
		}
	}
	return look
}

// aligned reports whether the cells of a group are those of the game, and by how many cells they are shifted.
func (s *sight) aligned(g *twmap.Group) (dx, dy int, ok bool) {
	if g.ParallaxX != 100 || g.ParallaxY != 100 || g.OffsetX%mapdraw.TileSize != 0 || g.OffsetY%mapdraw.TileSize != 0 {
		return 0, 0, false
	}
	return int(g.OffsetX) / mapdraw.TileSize, int(g.OffsetY) / mapdraw.TileSize, true
}

// clips reports whether a clip, nil for none, hides a point of the map, in units.
func clips(c *twmap.Clip, x, y float64) bool {
	return c != nil && !(x >= float64(c.X) && y >= float64(c.Y) && x < float64(c.X)+float64(c.Width) && y < float64(c.Y)+float64(c.Height))
}

// middle returns the place of the middle of a column or row of cells, in units.
func middle(i int) float64 { return (float64(i) + 0.5) * mapdraw.TileSize }

// cover is what a design layer shows in the cells of a field.
type cover struct {
	layer twmap.Layer
	tiles []uint8 // the visible tile of each cell; 0: none. A layer of quads has tile 1 where it is visible
}

// covers calls do with each design layer whose cells are those of the game, except backdrops: layers that show something in more than
// half of the cells of air. The cover is valid during the call.
func (s *sight) covers(f *field, air []int32, do func(*cover)) (err error) {
	c := cover{tiles: make([]uint8, f.w*f.h)}
	for _, g := range s.m.Groups {
		dx, dy, ok := s.aligned(g)
		if !ok {
			continue
		}
		for _, l := range g.Layers {
			c.layer = l
			clear(c.tiles)
			switch l := l.(type) {
			case *twmap.TileLayer:
				if l.Kind() != twmap.KindTiles || l.Color.A <= 0 && l.ColorEnv < 0 || l.Width() <= 0 || l.Height() <= 0 {
					continue
				}
				err = s.coverTiles(f, g, l, dx, dy, &c)
			case *twmap.QuadLayer:
				err = s.coverQuads(f, g, l, dx, dy, &c)
			default:
				continue
			}
			if err != nil {
				return err
			}
			shown := 0
			for _, i := range air {
				if c.tiles[i] != 0 {
					shown++
				}
			}
			if 2*shown <= len(air) {
				do(&c)
			}
		}
	}
	return nil
}

func (s *sight) coverTiles(f *field, g *twmap.Group, l *twmap.TileLayer, dx, dy int, c *cover) (err error) {
	look := s.image(l.Image)
	l.Look(func(l *twmap.TileLayer) {
		var cells []twmap.Tile
		if cells, err = l.Tiles().Cells(); err != nil {
			return
		}
		w, h := l.Width(), l.Height()
		for y := range f.h {
			row := cells[clamp(y+dy, h)*w:][:w] // the game repeats the outer tiles
			for x := range f.w {
				if id := row[clamp(x+dx, w)].ID; look.tiles[id].seen && !clips(g.Clip, middle(x), middle(y)) {
					c.tiles[y*f.w+x] = id
				}
			}
		}
	})
	return err
}

// clamp returns the index nearest to i of a list of n.
func clamp(i, n int) int { return max(0, min(i, n-1)) }

// Quads that mark cells are at most so large, in cells; those that move mark cells within a distance.
const (
	maxMarkingQuad = 2500
	movingMargin   = 3
)

func (s *sight) coverQuads(f *field, g *twmap.Group, l *twmap.QuadLayer, dx, dy int, c *cover) (err error) {
	l.Look(func(quads []twmap.Quad, e error) {
		if err = e; err != nil {
			return
		}
		for i := range quads {
			q := &quads[i]
			if q.Colors[0].A <= 0 && q.Colors[1].A <= 0 && q.Colors[2].A <= 0 && q.Colors[3].A <= 0 {
				continue
			}
			shape, left, top, right, bottom := inCells(q, dx, dy)
			if (right-left)*(bottom-top) > maxMarkingQuad {
				continue
			}
			margin := 0.0
			if q.PosEnv >= 0 {
				margin = movingMargin
			}
			for y := max(0, int(top-margin)); y < min(f.h, int(math.Ceil(bottom+margin))); y++ {
				for x := max(0, int(left-margin)); x < min(f.w, int(math.Ceil(right+margin))); x++ {
					if (margin > 0 || shape.Contains(float64(x)+0.5, float64(y)+0.5)) && !clips(g.Clip, middle(x), middle(y)) {
						c.tiles[y*f.w+x] = 1
					}
				}
			}
		}
	})
	return err
}

// inCells returns the shape of a quad in cells of the game, and the smallest rectangle around it.
func inCells(q *twmap.Quad, dx, dy int) (shape mapdraw.Shape, left, top, right, bottom float64) {
	const unit = 1 << 10 * mapdraw.TileSize
	left, top, right, bottom = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i, p := range q.Points {
		x, y := float64(p.X)/unit-float64(dx), float64(p.Y)/unit-float64(dy)
		shape.Corners[i] = [2]float64{x, y}
		left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
	}
	return shape, left, top, right, bottom
}
