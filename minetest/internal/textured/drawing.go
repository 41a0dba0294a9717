package textured

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/picture/raster"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/nodemesh"
)

// projection projects places of a volume into a picture.
type projection interface {
	vertex(v *nodemesh.Vertex) raster.Vertex
	distance(p [3]float64) float32 // from the eye: only the order counts
}

// drawing is a picture that is drawn.
type drawing struct {
	projection
	canvas    *raster.Canvas
	game      *Game
	materials []nodemesh.Material
	textures  []*raster.Texture
	late      []lateFace

	ctx    context.Context
	most   int64 // pixels
	faces  int
	meshed int // triangles of models
	texels int // of the textures
	err    error
}

func newDrawing(ctx context.Context, p projection, canvas *raster.Canvas, g *Game) *drawing {
	size := canvas.Image.Rect.Size()
	return &drawing{projection: p, canvas: canvas, game: g, ctx: ctx, most: maxPixels + maxLayers*int64(size.X)*int64(size.Y)}
}

// The limits of the work for a picture, which hostile definitions of nodes reach: pixels of faces on top of each other
// over the whole picture, more pixels, faces, triangles of models, translucent faces, which are kept, and pixels of textures.
const (
	maxLayers = 512
	maxPixels = 1 << 24
	maxFaces  = 1 << 24
	maxMeshed = 1 << 22
	maxLate   = 1 << 20
	maxTexels = 1 << 27
)

// goOn reports whether the work for another face is within the limits.
func (d *drawing) goOn() bool {
	if d.faces++; d.faces%256 == 0 {
		d.err = d.ctx.Err()
	}
	if d.err != nil {
		return false
	}
	switch {
	case d.canvas.Pixels > d.most:
		d.limit("nodes whose faces fill the picture at most %s times", maxLayers)
	case d.faces > maxFaces:
		d.limit("nodes with at most %s faces", maxFaces)
	case d.meshed > maxMeshed:
		d.limit("nodes with at most %s triangles of models", maxMeshed)
	case len(d.late) > maxLate:
		d.limit("nodes with at most %s translucent faces", maxLate)
	case d.texels > maxTexels:
		d.limit("textures of at most %s pixels together", maxTexels)
	}
	return d.err == nil
}

func (d *drawing) limit(want string, most int64) {
	d.err = &fault.Error{Offset: -1, Want: fmt.Sprintf(want, words.Thousands(most)), Got: "more", Err: fault.ErrLimit}
}

// corners is a face in the picture.
type corners struct {
	p         [4]raster.Vertex
	triangles [][3]int
	material  int
}

// lateFace is a translucent face, which is drawn after what is behind it.
type lateFace struct {
	corners
	distance float32
}

func (d *drawing) face(f *nodemesh.Face) bool {
	for len(d.materials) <= f.Material {
		d.materials = d.game.Materials()
		d.textures = append(d.textures, make([]*raster.Texture, len(d.materials)-len(d.textures))...)
	}
	c := corners{triangles: f.Triangles(), material: f.Material}
	if f.N == 3 {
		d.meshed++
	}
	for i := range f.N {
		c.p[i] = d.vertex(&f.V[i])
	}
	if d.materials[f.Material].Alpha != nodemesh.Blend {
		d.draw(&c)
		return d.goOn()
	}
	var sum [3]float64
	for i := range f.N {
		for a := range sum {
			sum[a] += float64(f.V[i].Pos[a]) / float64(f.N)
		}
	}
	d.late = append(d.late, lateFace{c, d.distance(sum)})
	return d.goOn()
}

// finish draws the translucent faces.
func (d *drawing) finish() error {
	slices.SortStableFunc(d.late, func(a, b lateFace) int { return cmp.Compare(b.distance, a.distance) })
	for i := range d.late {
		d.draw(&d.late[i].corners)
		if !d.goOn() {
			break
		}
	}
	return d.err
}

func (d *drawing) draw(c *corners) {
	m := &d.materials[c.material]
	t := d.textures[c.material]
	if t == nil {
		t = &raster.Texture{Image: d.game.files.Image(m.Texture), Mode: raster.Mode(m.Alpha), RepeatU: m.RepeatU, RepeatV: m.RepeatV}
		d.textures[c.material] = t
		if t.Image != nil {
			d.texels += len(t.Image.Pix) / 4
		}
		if d.err == nil {
			d.err = d.ctx.Err()
		}
	}
	if t.Image == nil || t.Image.Rect.Empty() {
		return
	}
	if len(c.triangles) == 2 && d.canvas.Rectangle(t, &c.p, m.Culling) {
		return
	}
	for _, t3 := range c.triangles {
		d.canvas.Triangle(t, &[3]raster.Vertex{c.p[t3[0]], c.p[t3[1]], c.p[t3[2]]}, m.Culling)
	}
}
