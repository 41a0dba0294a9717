package maprules

import (
	"context"
	"math"
	"slices"

	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// The largest view of a player, in units: the editor's border of the proof mode spans all screens from 1:1 to 16:9.
const (
	viewWidth  = 1430
	viewHeight = 1050
)

// The background is checked from some cells, each time at a grid of points.
const (
	maxCameras  = 60
	pointsRight = 45
	pointsDown  = 33
)

// cameras returns cells spread over those that players reach, and the outermost ones.
func (s *stage) cameras() []int {
	var cells []int
	for i, time := range s.time {
		if time != 0 {
			cells = append(cells, i)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	column := func(a, b int) int { return a%s.w - b%s.w }
	list := []int{cells[0], cells[len(cells)-1], slices.MinFunc(cells, column), slices.MaxFunc(cells, column)}
	n := min(maxCameras, len(cells))
	for k := range n {
		list = append(list, cells[k*len(cells)/n])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// screen is a group as a background: what covers points of the view at some camera.
type screen struct {
	*twmap.Group
	quads []opaqueQuad
	tiles []*opaqueTiles
}

type opaqueQuad struct {
	mapdraw.Shape
	left, top, right, bottom float64
}

type opaqueTiles struct {
	w, h  int
	cells []bool
}

// screens returns the opaque parts of all groups, without those that are shown only with high detail.
func (s *sight) screens() (list []screen, err error) {
	for _, g := range s.m.Groups {
		one := screen{Group: g}
		for _, l := range g.Layers {
			if l.Base().Flags&twmap.Detail != 0 {
				continue
			}
			switch l := l.(type) {
			case *twmap.TileLayer:
				if look := s.image(l.Image); l.Kind() == twmap.KindTiles && l.Color.A >= opaqueAlpha && l.ColorEnv < 0 {
					var t *opaqueTiles
					if t, err = opaqueCells(l, look); t != nil {
						one.tiles = append(one.tiles, t)
					}
				}
			case *twmap.QuadLayer:
				if l.Image < 0 || l.Image >= len(s.m.Images) || s.image(l.Image).opaque {
					l.Look(func(quads []twmap.Quad, e error) {
						err = e
						one.quads = append(one.quads, opaqueQuads(quads)...)
					})
				}
			}
			if err != nil {
				return nil, err
			}
		}
		if len(one.quads)+len(one.tiles) > 0 {
			list = append(list, one)
		}
	}
	return list, nil
}

func opaqueCells(l *twmap.TileLayer, look *imageLook) (t *opaqueTiles, err error) {
	l.Look(func(l *twmap.TileLayer) {
		var cells []twmap.Tile
		if cells, err = l.Tiles().Cells(); err != nil || len(cells) == 0 {
			return
		}
		list, some := make([]bool, len(cells)), false
		for i, c := range cells {
			list[i] = look.tiles[c.ID].opaque
			some = some || list[i]
		}
		if some {
			t = &opaqueTiles{l.Width(), l.Height(), list}
		}
	})
	return t, err
}

func opaqueQuads(quads []twmap.Quad) (list []opaqueQuad) {
	for i := range quads {
		q := &quads[i]
		if q.ColorEnv >= 0 || slices.ContainsFunc(q.Colors[:], func(c twmap.Color) bool { return c.A < opaqueAlpha }) {
			continue
		}
		var one opaqueQuad
		one.Shape, one.left, one.top, one.right, one.bottom = inCells(q, 0, 0)
		list = append(list, one)
	}
	return list
}

// holes returns the cells from which a player sees a place without background.
func (s *stage) holes(ctx context.Context) (cells []int, err error) {
	screens, err := s.sight.screens()
	if err != nil {
		return nil, err
	}
	for _, i := range s.cameras() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !covered(screens, middle(i%s.w), middle(i/s.w)) {
			cells = append(cells, i)
		}
	}
	return cells, nil
}

// covered reports whether something opaque is behind every point of the view of a camera.
func covered(screens []screen, x, y float64) bool {
	const n = pointsRight * pointsDown
	var open [n][2]float64 // the points that nothing covers yet, as distances from the camera
	for i := range open {
		right, down := float64(i%pointsRight)/(pointsRight-1), float64(i/pointsRight)/(pointsDown-1)
		open[i] = [2]float64{(right - 0.5) * viewWidth, (down - 0.5) * viewHeight}
	}
	left := open[:]
	for _, g := range screens {
		cx := x*float64(g.ParallaxX)/100 + float64(g.OffsetX)
		cy := y*float64(g.ParallaxY)/100 + float64(g.OffsetY)
		visible := g.visible(cx, cy)
		left = slices.DeleteFunc(left, func(p [2]float64) bool {
			if clips(g.Clip, x+p[0], y+p[1]) {
				return false
			}
			px, py := (cx+p[0])/mapdraw.TileSize, (cy+p[1])/mapdraw.TileSize
			for _, t := range g.tiles {
				if t.cells[clamp(floor(py), t.h)*t.w+clamp(floor(px), t.w)] {
					return true
				}
			}
			for _, q := range visible {
				if px >= q.left && px <= q.right && py >= q.top && py <= q.bottom && q.Contains(px, py) {
					return true
				}
			}
			return false
		})
	}
	return len(left) == 0
}

// visible returns the quads that are partly in the view with the given middle, in units.
func (g *screen) visible(cx, cy float64) (list []*opaqueQuad) {
	const w, h = viewWidth / 2.0 / mapdraw.TileSize, viewHeight / 2.0 / mapdraw.TileSize
	cx, cy = cx/mapdraw.TileSize, cy/mapdraw.TileSize
	for i := range g.quads {
		q := &g.quads[i]
		if q.right >= cx-w && q.left <= cx+w && q.bottom >= cy-h && q.top <= cy+h {
			list = append(list, q)
		}
	}
	return list
}

func floor(v float64) int { return int(math.Floor(v)) }
