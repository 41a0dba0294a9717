package mapedit

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// Scale enlarges the whole map by a factor: 1, 2, 4, 8 or 16. Each tile becomes a square of tiles; quads and
// everything else are stretched.
//
// Design layers look as before, only larger: each tile becomes a square of tiles that each show a part of its
// picture, in new images. A layer becomes several layers if it needs several of these images. The pictures of all
// tile layers must be embedded. Automappers are removed, because their rules are for the old tiles.
//
// Quads cannot be farther away than 65536 tiles. Things that must not be duplicated (entities, and exits of
// teleporters) stay single, at the bottom of their square, and the tiles that set the length of a laser stay next to
// it. The length of lasers, and the distance that players jump or are pushed, do not grow.
func (e *Editor) Scale(factor int) error {
	if !slices.Contains([]int{1, 2, 4, 8, 16}, factor) {
		return fmt.Errorf("%d times as large: expected 1, 2, 4, 8 or 16", factor)
	}
	if factor == 1 {
		return nil
	}
	s := &scaling{e: e, f: factor, sheets: make(map[int]*cutImage)}
	if err := s.plan(); err != nil {
		return err
	}
	for _, g := range e.m.Groups {
		s.group(g)
	}
	for _, env := range e.m.Envelopes {
		if env.Channels == twmap.ChannelsPosition {
			for i := range env.Points {
				p := &env.Points[i]
				for c := range 2 {
					p.Values[c] = s.times(p.Values[c])
					p.In[c].DY, p.Out[c].DY = s.times(p.In[c].DY), s.times(p.Out[c].DY)
				}
			}
			e.reportChange(env, len(env.Points), "points", "%d times as far", s.f)
		}
	}
	e.reportChange(nil, s.far, "coordinates", "were limited to the maximum of a map, 65536 tiles")
	return s.dropOld()
}

type scaling struct {
	e      *Editor
	f      int
	far    int               // number of coordinates out of range
	sheets map[int]*cutImage // by the number of the original image
}

// times returns a number multiplied by the factor, clamped to 32 bits.
func (s *scaling) times(n int32) int32 {
	m := int64(n) * int64(s.f)
	kept := int32(min(max(m, math.MinInt32), math.MaxInt32))
	if int64(kept) != m {
		s.far++
	}
	return kept
}

func (s *scaling) quad(q *twmap.Quad) {
	for i := range q.Points {
		q.Points[i] = s.point(q.Points[i])
	}
	q.Pivot = s.point(q.Pivot)
}

func (s *scaling) source(src *twmap.SoundSource) {
	src.Position, src.Width, src.Height = s.point(src.Position), s.times(src.Width), s.times(src.Height)
}

// plan makes the images, and checks that everything has room, before anything is changed.
func (s *scaling) plan() error {
	e, all := s.e, effort.MapMade.Start(0)
	used := make(map[int]*[256]bool)
	var external []string
	for _, l := range e.m.Layers() {
		t, ok := l.(*twmap.TileLayer)
		if !ok {
			continue
		}
		if err := fits(t.Width()*s.f, t.Height()*s.f, all); err != nil {
			return fmt.Errorf("%s: %w", e.Path(l), err)
		}
		if !isSeen(l) || t.Image < 0 || t.Image >= len(e.m.Images) {
			continue
		}
		if im := e.m.Images[t.Image]; im.External() && !slices.Contains(external, im.Name) {
			external = append(external, im.Name)
		}
		if used[t.Image] == nil {
			used[t.Image] = new([256]bool)
		}
		for _, row := range t.Tiles().Rows() {
			for _, c := range row {
				used[t.Image][c.ID] = true
			}
		}
	}
	if external != nil {
		return fmt.Errorf("the pictures of %s are not in the map: embed them first", strings.Join(external, ", "))
	}
	n := len(e.m.Images)
	for i := range e.m.Images {
		if used[i] == nil {
			continue
		}
		sh, err := s.cut(e.m.Images[i], used[i])
		if err != nil {
			return fmt.Errorf("%s: %w", e.Path(e.m.Images[i]), err)
		}
		for _, im := range sh.images {
			im.Version = e.imageVersion()
		}
		sh.first = n
		n += len(sh.images)
		s.sheets[i] = sh
	}
	if kept := n - len(s.leaving()); kept > MaxImages {
		return fmt.Errorf("its tiles are %d times as large in %s, and the game loads %d", s.f, words.Count(kept, "image"), MaxImages)
	}
	for _, g := range e.m.Groups { // each layer becomes a layer per new image
		for _, l := range g.Layers {
			t, ok := l.(*twmap.TileLayer)
			if !ok || s.sheets[t.Image] == nil || !isSeen(l) {
				continue
			}
			for range len(s.touched(t)) - 1 {
				if err := fits(t.Width()*s.f, t.Height()*s.f, all); err != nil {
					return fmt.Errorf("%s: %w", e.Path(l), err)
				}
			}
		}
	}
	for i := range len(e.m.Images) {
		if sh := s.sheets[i]; sh != nil {
			e.m.Images = append(e.m.Images, sh.images...)
		}
	}
	return nil
}

// cutImage holds the pieces of an image.
type cutImage struct {
	first  int // number of the first new image in the map
	images []*twmap.Image
	pieces map[int]int // numbers of pieces, 255 in each image, by tile and position in it, row by row; none for transparent pieces
}

// perSheet is the number of visible tiles of an image.
const perSheet = 255

// cut makes images with the pieces of the used tiles.
func (s *scaling) cut(im *twmap.Image, used *[256]bool) (*cutImage, error) {
	p, err := im.Picture()
	if err != nil {
		return nil, err
	}
	w, h := p.Rect.Dx()/16, p.Rect.Dy()/16 // size of a tile
	if w < 1 || h < 1 || p.Rect.Dx()%16 != 0 || p.Rect.Dy()%16 != 0 {
		return nil, fmt.Errorf("%d x %d pixels are not 16 x 16 tiles", p.Rect.Dx(), p.Rect.Dy())
	}
	zoomX, zoomY := zoom(w, s.f), zoom(h, s.f)
	pw, ph := w*zoomX/s.f, h*zoomY/s.f
	sh := &cutImage{pieces: make(map[int]int)}
	known := make(map[string]int)
	var sheet *image.NRGBA
	piece := make([]byte, 4*pw*ph)
	for id := 1; id < 256; id++ {
		if !used[id] {
			continue
		}
		tile, _ := p.SubImage(image.Rect(id%16*w, id/16*h, id%16*w+w, id/16*h+h).Add(p.Rect.Min)).(*image.NRGBA)
		for at := range s.f * s.f {
			left, top := at%s.f*pw, at/s.f*ph
			visible := false
			for y := range ph {
				for x := range pw {
					pixel := piece[4*(y*pw+x):][:4]
					between(pixel, tile, float64(left+x)/float64(zoomX), float64(top+y)/float64(zoomY), 0.5/float64(zoomX), 0.5/float64(zoomY))
					visible = visible || pixel[3] != 0
				}
			}
			if !visible {
				continue
			}
			n, ok := known[string(piece)]
			if !ok {
				n = len(known)
				known[string(piece)] = n
				if n%perSheet == 0 {
					if n/perSheet >= MaxImages {
						return nil, fmt.Errorf("its tiles take more than %d images", MaxImages)
					}
					sheet = image.NewNRGBA(image.Rect(0, 0, 16*pw, 16*ph))
					sh.images = append(sh.images, twmap.NewImage(fmt.Sprintf("%s x%d %d", im.Name, s.f, len(sh.images)+1), sheet))
				}
				cell := n%perSheet + 1
				for y := range ph {
					copy(sheet.Pix[sheet.PixOffset(cell%16*pw, cell/16*ph+y):], piece[4*y*pw:4*(y+1)*pw])
				}
			}
			sh.pieces[id*s.f*s.f+at] = n
		}
	}
	return sh, nil
}

// leastPiece is the smallest side of a piece, in pixels. The game interpolates between the pixels of an enlarged
// tile, but not between tiles, so pieces must contain some of the interpolated pixels.
const leastPiece = 16

// zoom returns the power of two by which a tile of n pixels is enlarged, so that pieces have a whole number of
// pixels, and enough of them.
func zoom(n, by int) int {
	z := 1
	for n*z%by != 0 || n*z/by < leastPiece {
		z *= 2
	}
	return z
}

// between interpolates the pixel of a tile at the distance toX, toY from the top left corner x, y, as a graphics card
// does.
func between(pixel []byte, tile *image.NRGBA, x, y, toX, toY float64) {
	x, y = x+toX-0.5, y+toY-0.5
	left, top := math.Floor(x), math.Floor(y)
	right, down := x-left, y-top
	at := func(x, y int) []byte {
		x, y = min(max(x, 0), tile.Rect.Dx()-1), min(max(y, 0), tile.Rect.Dy()-1)
		return tile.Pix[tile.PixOffset(tile.Rect.Min.X+x, tile.Rect.Min.Y+y):]
	}
	a, b := at(int(left), int(top)), at(int(left)+1, int(top))
	c, d := at(int(left), int(top)+1), at(int(left)+1, int(top)+1)
	for i := range pixel {
		upper := float64(a[i])*(1-right) + float64(b[i])*right
		lower := float64(c[i])*(1-right) + float64(d[i])*right
		pixel[i] = uint8(upper*(1-down) + lower*down + 0.5)
	}
}

// piece returns the piece at a position of a scaled tile, as the sheet and its cell, or -1 for none.
func (s *scaling) piece(sh *cutImage, c Cell, x, y int) (sheet, cell int) {
	x, y = turnOf(c.Flags).back().place(x, y, s.f-1, s.f-1)
	n, ok := sh.pieces[int(c.ID)*s.f*s.f+y*s.f+x]
	if c.ID == 0 || !ok {
		return -1, 0
	}
	return n / perSheet, n%perSheet + 1
}

// touched returns the sheets that a layer needs, at least one.
func (s *scaling) touched(t *twmap.TileLayer) []int {
	sh := s.sheets[t.Image]
	var ids [256]bool
	for _, row := range t.Tiles().Rows() {
		for _, c := range row {
			ids[c.ID] = true
		}
	}
	need := make([]bool, max(len(sh.images), 1))
	for id := 1; id < len(ids); id++ {
		for at := range s.f * s.f {
			if n, ok := sh.pieces[id*s.f*s.f+at]; ok && ids[id] {
				need[n/perSheet] = true
			}
		}
	}
	var list []int
	for i, is := range need {
		if is {
			list = append(list, i)
		}
	}
	if list == nil {
		return []int{0}
	}
	return list
}

// leaving returns the images that are no longer used.
func (s *scaling) leaving() []int {
	var list []int
	for i := range s.e.m.Images {
		if s.sheets[i] == nil {
			continue
		}
		if !slices.ContainsFunc(Users(s.e.m, twmap.PartImage, i), func(r Ref) bool {
			part := r.At.Part
			return part.Group == nil || !isSeen(s.e.layer(LayerAt{part.Group.Number, part.Number}))
		}) {
			list = append(list, i)
		}
	}
	return list
}

func (s *scaling) dropOld() error {
	var old []int
	for i := range s.e.m.Images {
		if s.sheets[i] != nil && len(Users(s.e.m, twmap.PartImage, i)) == 0 {
			old = append(old, i)
		}
	}
	return s.e.RemoveImages(old)
}

func (s *scaling) group(g *twmap.Group) {
	var layers []twmap.Layer
	for _, l := range g.Layers {
		layers = append(layers, s.layer(l)...)
	}
	g.Layers = layers
	g.OffsetX, g.OffsetY = s.times(g.OffsetX), s.times(g.OffsetY)
	if c := g.Clip; c != nil {
		*c = twmap.Clip{X: s.times(c.X), Y: s.times(c.Y), Width: s.times(c.Width), Height: s.times(c.Height)}
	}
}

func (s *scaling) point(p twmap.Point) twmap.Point {
	return twmap.Point{X: s.times(p.X), Y: s.times(p.Y)}
}

// layer scales a layer and returns the layers that replace it.
func (s *scaling) layer(l twmap.Layer) []twmap.Layer {
	what := fmt.Sprintf("%d times as large", s.f)
	switch l := l.(type) {
	case *twmap.QuadLayer:
		s.e.eachQuad(l, what, s.quad)
	case *twmap.SoundLayer:
		s.e.eachSource(l, what, s.source)
	case *twmap.TileLayer:
		if isSeen(l) {
			return s.design(l, what)
		}
		s.physics(l, what)
	}
	return []twmap.Layer{l}
}

// design scales a design layer.
func (s *scaling) design(l *twmap.TileLayer, what string) []twmap.Layer {
	cells, w, h := s.e.readable(l), l.Width()*s.f, l.Height()*s.f
	s.e.reportChange(l, w*h, "tiles", "%s", what)
	if a := l.AutoMapper; a != nil {
		l.AutoMapper = nil
		s.e.reportChange(l, 1, "", "automapper removed: its rules are for the old tiles")
	}
	sh := s.sheets[l.Image]
	if sh == nil || len(sh.images) == 0 {
		cells.replace(l, w, h, func(x, y int) Cell { return cells.at(x/s.f, y/s.f) })
		return []twmap.Layer{l}
	}
	var layers []twmap.Layer
	old := l.Image
	for i, sheet := range s.touched(l) {
		t := l
		if i > 0 {
			t = twmap.NewTileLayer(twmap.KindTiles, MinSize, MinSize)
			t.LayerBase.Name, t.Flags, t.Version = l.Name, l.Flags, l.Version
			t.Color, t.ColorEnv, t.ColorEnvOffset = l.Color, l.ColorEnv, l.ColorEnvOffset
		}
		cells.replace(t, w, h, func(x, y int) Cell {
			c := cells.at(x/s.f, y/s.f)
			of, cell := s.piece(sh, c, x%s.f, y%s.f)
			if of != sheet {
				return Cell{}
			}
			c.ID = uint8(cell)
			return c
		})
		t.Image = sh.first + sheet
		layers = append(layers, t)
	}
	if n := len(layers) - 1; n > 0 {
		s.e.reportChange(l, n, "layers", "were added for the parts that did not fit into the first image made of %s", s.e.imageName(old))
	}
	return layers
}

// physics scales a physics layer.
func (s *scaling) physics(l *twmap.TileLayer, what string) {
	cells, kind, f := s.e.readable(l), l.Kind(), s.f
	ow, oh := l.Width(), l.Height()
	w, h := ow*f, oh*f
	cells.replace(l, w, h, func(x, y int) Cell { return repeated(kind, cells.at(x/f, y/f)) })
	s.e.reportChange(l, w*h, "tiles", "%s", what)
	place := openGrid(l)
	lasers := 0
	for y := range oh {
		for x := range ow {
			c := cells.at(x, y)
			if !one(kind, c) {
				continue
			}
			if kind == twmap.KindTele || !isLaserPart(c) {
				place.set(x*f+f/2, y*f+f-1, c)
				if isLaser(c) && kind != twmap.KindTele {
					lasers++
				}
				continue
			}
			alone := true
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					nx, ny := (x-dx)*f+f/2+dx, (y-dy)*f+f-1+dy
					if isLaser(cells.at(x-dx, y-dy)) && nx >= 0 && nx < w && ny >= 0 && ny < h {
						place.set(nx, ny, c)
						alone = false
					}
				}
			}
			if alone {
				place.set(x*f+f/2, y*f+f-1, c)
			}
		}
	}
	s.e.reportChange(l, lasers, "lasers and doors", "keep their length")
}

// isLaser reports whether the length of an entity is set by tiles around it.
func isLaser(c Cell) bool {
	id := twmap.GameTile(c.ID)
	return id >= twmap.EntityLaserFastCCW && id <= twmap.EntityLaserFastCW || id == twmap.EntityDoor
}

// isLaserPart reports whether an entity sets a property of an adjacent laser.
func isLaserPart(c Cell) bool {
	id := twmap.GameTile(c.ID)
	return id >= twmap.EntityLaserShort && id <= twmap.EntityLaserOpenFast
}
