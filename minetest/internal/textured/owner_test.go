package textured

import (
	"image"

	"trowel.example/internal/picture/raster"
	"trowel.example/minetest/internal/nodemesh"
)

// Owners returns, for each pixel of a picture of a camera, the node that is drawn there; for the background a node outside of the box.
func (c *Camera) Owners(r image.Rectangle, p Picture, g *Game, v *nodemesh.Volume, low, high [3]int) [][3]int {
	img := image.NewRGBA(r)
	l, canvas := c.lens(v, r, p), raster.NewCanvas(img)
	canvas.Near = near
	var masks []*raster.Texture
	nodes := [][3]int{{low[0] - 1, low[1] - 1, low[2] - 1}}
	for z := low[2]; z <= high[2]; z++ {
		for y := low[1]; y <= high[1]; y++ {
			for x := low[0]; x <= high[0]; x++ {
				n := len(nodes)
				nodes = append(nodes, [3]int{x, y, z})
				v.Faces([3]int{x, y, z}, [3]int{x, y, z}, func(f *nodemesh.Face) bool {
					materials := g.Materials()
					for i := len(masks); i < len(materials); i++ {
						masks = append(masks, mask(g, &materials[i]))
					}
					if masks[f.Material] == nil {
						return true
					}
					var p [4]raster.Vertex
					for i := range f.N {
						p[i] = l.vertex(&f.V[i])
						p[i].Color = [3]float32{float32(n & 255), float32(n >> 8 & 255), float32(n >> 16)}
					}
					for i := 2; i < f.N; i++ {
						canvas.Triangle(masks[f.Material], &[3]raster.Vertex{p[0], p[i-1], p[i]}, materials[f.Material].Culling)
					}
					return true
				})
			}
		}
	}
	all := make([][3]int, r.Dx()*r.Dy())
	for i := range all {
		all[i] = nodes[int(img.Pix[4*i])|int(img.Pix[4*i+1])<<8|int(img.Pix[4*i+2])<<16]
	}
	return all
}

// mask returns a texture that is white where a material draws something.
func mask(g *Game, m *nodemesh.Material) *raster.Texture {
	img := g.files.Image(m.Texture)
	if img == nil {
		return nil
	}
	white := image.NewNRGBA(image.Rect(0, 0, img.Rect.Dx(), img.Rect.Dy()))
	for y := range white.Rect.Dy() {
		for x := range white.Rect.Dx() {
			alpha := img.Pix[y*img.Stride+4*x+3]
			if m.Alpha == nodemesh.Opaque || alpha >= 128 || m.Alpha == nodemesh.Blend && alpha > 0 {
				copy(white.Pix[white.PixOffset(x, y):], "\xff\xff\xff\xff")
			}
		}
	}
	return &raster.Texture{Image: white, Mode: raster.Clip, RepeatU: m.RepeatU, RepeatV: m.RepeatV}
}
