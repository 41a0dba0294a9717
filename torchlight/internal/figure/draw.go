package figure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"

	"trowel.example/internal/picture/raster"
)

// Camera is a direction to look from. Its axes are perpendicular and have the length 1.
type Camera struct{ right, up, toward [3]float64 }

// The cameras.
var (
	Front = newCamera(0, 0)
	Iso   = newCamera(math.Pi/4, math.Pi/6)
)

// newCamera returns the camera that is turned around the model by an angle, and raised by another one.
func newCamera(around, above float64) Camera {
	sa, ca := math.Sincos(around)
	sb, cb := math.Sincos(above)
	return Camera{[3]float64{ca, 0, -sa}, [3]float64{-sa * sb, cb, -ca * sb}, [3]float64{sa * cb, sb, ca * cb}}
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// place returns the place of a point in a picture, in units to the right and downwards, and how near the point is.
func (c *Camera) place(p [3]float32) (x, y, near float64) {
	v := wide3(p)
	return dot(v, c.right), -dot(v, c.up), dot(v, c.toward)
}

// Axes returns the directions to the right, up and toward the eye.
func (c *Camera) Axes() [3][3]float64 { return [3][3]float64{c.right, c.up, c.toward} }

// Light returns the direction towards the light along the axes of any camera, and the parts of its ambient and direct
// light.
func Light() (lamp [3]float64, ambientPart, directPart float64) { return light, ambient, direct }

// light shines from the upper left behind the camera.
var light = [3]float64{-0.4, 0.6, math.Sqrt(1 - 0.4*0.4 - 0.6*0.6)}

const (
	ambient = 0.45
	direct  = 0.65
)

// shade returns the light on a surface, 0 to 1.
func (c *Camera) shade(normal [3]float64) float64 {
	n := [3]float64{dot(normal, c.right), dot(normal, c.up), dot(normal, c.toward)}
	return min(1, ambient+direct*max(0, dot(n, light)))
}

// Bounds returns the rectangle that the model fills at several moments of a clip, which may be nil.
func (f *Figure) Bounds(c Camera, clip *Clip) (low, high [2]float64) {
	const moments = 16
	low, high = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range moments {
		var pose []Matrix
		if clip != nil {
			pose = f.Pose(clip, clip.Length*float64(i)/moments)
		}
		posed := poser(pose)
		for _, p := range f.Parts {
			positions, _ := posed(p.Geometry)
			for _, t := range p.Triangles {
				for _, corner := range t {
					x, y, near := c.place(positions[corner])
					if !(math.Abs(x) < maxPlace && math.Abs(y) < maxPlace && math.Abs(near) < maxPlace) {
						continue
					}
					for k, v := range [2]float64{x * f.Scale, y * f.Scale} {
						low[k], high[k] = min(low[k], v), max(high[k], v)
					}
				}
			}
		}
		if pose == nil {
			break
		}
	}
	if low[0] > high[0] {
		return [2]float64{}, [2]float64{}
	}
	return low, high
}

// maxPlace is the greatest distance from the origin at which a triangle is drawn.
const maxPlace = 1e9

// maxOverdraw limits the average number of triangles over each other. Real models have about ten.
const maxOverdraw = 1000

// ErrCrowded is returned for a model that would take too long to draw.
var ErrCrowded = errors.New("too many large triangles overlap")

// fine is the number of pixels, along each axis, of which a pixel of a picture is the mean.
const fine = 2

// piece is a triangle to draw.
type piece struct {
	part    *Part
	corners [3]raster.Vertex
	texels  float64 // per pixel, along each axis
	near    float64
	face    [3]float64 // the normal
	index   int
}

// pieces returns the triangles that a camera sees, in the order in which they are drawn. The scale is in pixels per unit.
func (f *Figure) pieces(c Camera, pose []Matrix, origin [2]float64, scale float64) ([]piece, error) {
	var list []piece
	area, low, high := 0., [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	posed := poser(pose)
	for i := range f.Parts {
		p := &f.Parts[i]
		positions, normals := posed(p.Geometry)
	triangles:
		for index, t := range p.Triangles {
			tri := piece{part: p, index: index}
			var at [3][3]float64
			for k, corner := range t {
				x, y, near := c.place(positions[corner])
				at[k] = [3]float64{x * f.Scale, y * f.Scale, near * f.Scale}
				for _, v := range at[k] {
					if !(math.Abs(v) < maxPlace) {
						continue triangles
					}
				}
				low[0], low[1] = min(low[0], at[k][0]), min(low[1], at[k][1])
				high[0], high[1] = max(high[0], at[k][0]), max(high[1], at[k][1])
				tri.near += at[k][2] / 3
				v := &tri.corners[k]
				v.X, v.Y = float32((at[k][0]-origin[0])*scale), float32((at[k][1]-origin[1])*scale)
				v.Z, v.W = float32(at[k][2]), 1
				if p.Places != nil {
					v.U, v.V = p.Places[corner][0], p.Places[corner][1]
				}
			}
			// The front is counter-clockwise.
			twice := (at[1][0]-at[0][0])*(at[2][1]-at[0][1]) - (at[1][1]-at[0][1])*(at[2][0]-at[0][0])
			front := twice < 0
			if twice == 0 || front && !p.Material.Front || !front && !p.Material.Back {
				continue
			}
			area += math.Abs(twice) / 2
			u, v := positions[t[0]], positions[t[1]]
			w := positions[t[2]]
			tri.face = cross(sub(v, u), sub(w, u))
			for k, corner := range t {
				normal := tri.face
				if normals != nil {
					normal = wide3(normals[corner])
				}
				if !front {
					normal = [3]float64{-normal[0], -normal[1], -normal[2]}
				}
				shade := c.shade(normal)
				for i := range tri.corners[k].Color {
					tri.corners[k].Color[i] = float32(255 * shade)
					if p.Colors != nil {
						tri.corners[k].Color[i] *= float32(p.Colors[corner][i]) / 255
					}
				}
			}
			if m := p.Material; m.Texture != nil && p.Places != nil {
				a, b, d := p.Places[t[0]], p.Places[t[1]], p.Places[t[2]]
				mapped := math.Abs(float64((b[0]-a[0])*(d[1]-a[1]) - (b[1]-a[1])*(d[0]-a[0])))
				size := m.Texture.Image.Rect
				tri.texels = math.Sqrt(mapped * float64(size.Dx()) * float64(size.Dy()) / math.Abs(twice) / scale / scale)
			}
			list = append(list, tri)
		}
	}
	if area > maxOverdraw*max(1e-12, (high[0]-low[0])*(high[1]-low[1])) {
		return nil, fmt.Errorf("%w: %.0f times the size of the model", ErrCrowded, area/((high[0]-low[0])*(high[1]-low[1])))
	}
	isMixed := func(p *piece) bool { return p.part.Material.Alpha >= Blend }
	slices.SortStableFunc(list, func(a, b piece) int {
		switch x, y := isMixed(&a), isMixed(&b); {
		case x && y:
			return cmp.Compare(a.near, b.near)
		case x:
			return 1
		case y:
			return -1
		}
		return 0
	})
	return list, nil
}

func sub(a, b [3]float32) [3]float64 {
	return [3]float64{float64(a[0]) - float64(b[0]), float64(a[1]) - float64(b[1]), float64(a[2]) - float64(b[2])}
}

// cross returns the direction that is perpendicular to two others, with the length 1.
func cross(a, b [3]float64) [3]float64 {
	n := [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	l := math.Sqrt(dot(n, n))
	if !(l > 0) || !isFinite(l) {
		return [3]float64{0, 1, 0}
	}
	return [3]float64{n[0] / l, n[1] / l, n[2] / l}
}

// Draw draws the model over a part of a picture, whose pixel 0,0 is at origin, with scale pixels per unit.
func (f *Figure) Draw(ctx context.Context, dst *image.RGBA, c Camera, pose []Matrix, origin [2]float64, scale float64) error {
	list, err := f.pieces(c, pose, origin, scale*fine)
	if err != nil {
		return err
	}
	r := dst.Rect
	big := image.NewRGBA(image.Rect(r.Min.X*fine, r.Min.Y*fine, r.Max.X*fine, r.Max.Y*fine))
	canvas := raster.NewCanvas(big)
	for i := range list {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p := &list[i]
		canvas.Triangle(p.part.Material.paint(p.texels), &p.corners, false)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			var sum [4]uint32
			for k := range fine * fine {
				at := big.PixOffset(x*fine+k%fine, y*fine+k/fine)
				for i := range sum {
					sum[i] += uint32(big.Pix[at+i])
				}
			}
			const n = fine * fine
			if sum[3] == 0 {
				continue
			}
			to := dst.Pix[dst.PixOffset(x, y):][:4:4]
			for i := range to {
				to[i] = uint8(min(255, (sum[i]+n/2)/n+(uint32(to[i])*(255*n-sum[3])+255*n/2)/(255*n)))
			}
		}
	}
	return nil
}

// At returns the nearest triangle at a place of a picture: the part, and the triangle's index. It returns nil if there is
// none.
func (f *Figure) At(c Camera, pose []Matrix, at [2]float64) (part *Part, index int) {
	list, err := f.pieces(c, pose, at, 1)
	if err != nil {
		return nil, 0
	}
	nearest := math.Inf(-1)
	for i := range list {
		p := &list[i]
		var w [3]float64
		for k := range w {
			a, b := p.corners[(k+1)%3], p.corners[(k+2)%3]
			w[k] = float64(a.X)*float64(b.Y) - float64(a.Y)*float64(b.X)
		}
		sum := w[0] + w[1] + w[2]
		if sum == 0 || w[0]/sum < 0 || w[1]/sum < 0 || w[2]/sum < 0 {
			continue
		}
		near := 0.
		for k := range w {
			near += float64(p.corners[k].Z) * w[k] / sum
		}
		if near >= nearest {
			nearest, part, index = near, p.part, p.index
		}
	}
	return part, index
}
