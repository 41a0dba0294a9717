package textured

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/raster"
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
	faces  int
	meshed int // triangles of models
	texels int // of the textures
	err    error

	meters  [len(works)]effort.Meter
	counted [len(works)]int
}

func newDrawing(ctx context.Context, p projection, canvas *raster.Canvas, g *Game) *drawing {
	size := canvas.Image.Rect.Size()
	d := &drawing{projection: p, canvas: canvas, game: g, ctx: ctx}
	for i, k := range works {
		d.meters[i] = k.Start(int64(size.X) * int64(size.Y))
	}
	return d
}

// The work for a part of a picture that hostile definitions of nodes make large.
var works = [...]*effort.Kind{effort.WorldPixels, effort.WorldFaces, effort.WorldTriangles,
	effort.WorldTranslucent, effort.WorldTexels}

// goOn reports whether the work for another face is within the limits.
func (d *drawing) goOn() bool {
	if d.faces++; d.faces%256 == 0 {
		d.count()
	}
	return d.err == nil
}

// count counts the work since the last call.
func (d *drawing) count() {
	sums := [len(works)]int{int(d.canvas.Pixels), d.faces, d.meshed, len(d.late), d.texels}
	for i, n := range sums {
		if d.err == nil {
			d.err = d.meters[i].Spend(int64(n - d.counted[i]))
		}
		d.counted[i] = n
	}
	if d.err == nil {
		d.err = d.ctx.Err()
	}
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
	d.count()
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
		d.count()
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

// in adds the place of what was drawn to the error of work that met its budget.
func in(err error, place string, args ...any) error {
	if e, ok := err.(*fault.Error); ok && e.Path == "" {
		e.Path = fmt.Sprintf(place, args...)
	}
	return err
}
