package mapdraw

import (
	"context"
	"image"
	"image/draw"

	"trowel.example/internal/picture/pixel"
)

// In pictures in which a tile is smaller than a pixel, the game shows the tile in the middle of each pixel, which
// changes with the zoom. To get the mean of all tiles in a pixel, the picture is drawn at double size, repeatedly,
// until a tile has minTile pixels, but at most maxHalving times.
const (
	minTile    = 2
	maxHalving = 3
	meanSide   = 64      // side of the parts drawn at a time, in pixels of the picture
	meanPixels = 1 << 22 // pixels of the larger picture per part, where each part reads all layers
)

// parts returns the size of the parts of a picture that are drawn at a time.
func (c *canvas) parts(n int) (w, h int) {
	if c.keeps {
		return meanSide, meanSide
	}
	w = min(c.dst.Rect.Dx(), meanPixels/meanSide>>(2*n))
	return w, min(c.dst.Rect.Dy(), max(meanSide, meanPixels>>(2*n)/w))
}

// halvings returns how many times the size of the picture is doubled for drawing.
func (p Picture) halvings() (n int) {
	for size := p.Scale * TileSize; p.Mean && size < minTile && n < maxHalving; size *= 2 {
		n++
	}
	return n
}

// larger returns the picture that gives this one after n halvings.
func (p Picture) larger(n int) Picture {
	p.Scale *= float64(int(1) << n)
	return p
}

// enlarged returns the pixels of the larger picture for some pixels of this one.
func enlarged(r image.Rectangle, n int) image.Rectangle {
	return image.Rectangle{Min: r.Min.Mul(1 << n), Max: r.Max.Mul(1 << n)}
}

// drawMean draws the part in the larger picture and halves it n times.
func (c *canvas) drawMean(ctx context.Context, n int) error {
	dst := c.dst
	w, h := c.parts(n)
	large := image.NewRGBA(image.Rect(0, 0, w<<n, h<<n))
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y += h {
		for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x += w {
			part := image.Rect(x, y, x+w, y+h).Intersect(dst.Rect)
			m := &image.RGBA{Pix: large.Pix, Stride: large.Stride, Rect: enlarged(part, n)}
			for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ { // over the contents of dst
				for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
					copy(m.Pix[m.PixOffset(x, y):][:4], dst.Pix[dst.PixOffset(x>>n, y>>n):][:4])
				}
			}
			larger := canvas{Renderer: c.Renderer, dst: m, picture: c.picture.larger(n), envelopes: c.envelopes, effort: c.effort, cut: c.cut}
			if err := larger.draw(ctx); err != nil {
				return err
			}
			for range n {
				m = pixel.Half(m)
			}
			draw.Draw(dst, part, m, image.Point{}, draw.Src)
		}
	}
	return nil
}
