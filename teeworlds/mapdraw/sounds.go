package mapdraw

import (
	"image"
	"math"
	"sync"

	"trowel.example/teeworlds/twmap"
)

// soundColor is the colour of the area in which a sound is heard, as in the game's editor.
var soundColor = [4]float64{0.6, 0.8, 1, 0.4}

// speaker is the picture of a source.
var speaker = sync.OnceValue(func() texture {
	sheet := newSigns()
	newPen(sheet, 0).speaker()
	return newTexture(sheet.SubImage(image.Rect(0, 0, signSide, signSide)).(*image.NRGBA))
})

// drawSounds draws the sound sources and the areas in which they are heard.
func (c *canvas) drawSounds(f *frame, l *layer) (err error) {
	c.with(l, func(content *content) {
		for i := range content.sources {
			if err = c.effort.spend(c.drawSource(f, &content.sources[i])); err != nil {
				return
			}
		}
	})
	return err
}

// drawSource draws a source and returns its effort, as drawTriangle does.
func (c *canvas) drawSource(f *frame, s *twmap.SoundSource) (drawn int) {
	x, y := c.envelopes.source(s)
	x, y = (x-f.left)/f.step, (y-f.top)/f.step
	inner := float64(s.Falloff) / 255
	for _, size := range [2]float64{1, inner} {
		switch {
		case !(size > 0):
		case s.Shape == twmap.ShapeCircle:
			drawn += c.disc(f, x, y, float64(s.Width)*size/f.step)
		case s.Shape == twmap.ShapeRectangle:
			drawn += c.box(f, nil, soundColor, x, y, units(s.Width)*size/f.step, units(s.Height)*size/f.step)
		}
	}
	side := TileSize / f.step
	return drawn + c.box(f, speaker(), [4]float64{1, 1, 1, 1}, x, y, side, side)
}

// source returns the position of a source.
func (e *envelopes) source(s *twmap.SoundSource) (x, y float64) {
	var move [2]float64
	e.apply(move[:], s.PosEnv, s.PosEnvOffset)
	return units(s.Position.X) + move[0], units(s.Position.Y) + move[1]
}

// box draws a rectangle around a point, all in pixels.
func (c *canvas) box(f *frame, t texture, color [4]float64, x, y, w, h float64) int {
	corner := func(u, v float64) vertex { return vertex{x + (u-0.5)*w, y + (v-0.5)*h, u, v, color} }
	return drawTriangle(c.dst, f.Rectangle, t, corner(0, 0), corner(1, 0), corner(1, 1)) +
		drawTriangle(c.dst, f.Rectangle, t, corner(0, 0), corner(1, 1), corner(0, 1))
}

// disc draws a circle around a point, all in pixels.
func (c *canvas) disc(f *frame, x, y, r float64) (drawn int) {
	t := newTint(soundColor)
	s := t.of(whiteShade)
	for row := max(f.Min.Y, pixelFrom(y-r)); row < min(f.Max.Y, pixelFrom(y+r)); row++ {
		dy := float64(row) + 0.5 - y
		half := math.Sqrt(max(r*r-dy*dy, 0))
		from, to := max(f.Min.X, pixelFrom(x-half)), min(f.Max.X, pixelFrom(x+half))
		if from < to {
			fill(c.dst.Pix[c.dst.PixOffset(from, row):], to-from, s)
			drawn += to - from
		}
		drawn++
	}
	return drawn
}
