package mapdraw

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"image"
)

// Fingerprint returns a hash of everything that determines the pixels in a part of a picture: the visible tiles,
// quads and sources, their positions at the time, their images and the options. It changes when any pixel changes,
// and seldom without a changed pixel. It is zero if nothing is drawn.
func (r *Renderer) Fingerprint(ctx context.Context, part image.Rectangle, p Picture) (sum [32]byte, err error) {
	if n := p.halvings(); n > 0 {
		part, p = enlarged(part, n), p.larger(n)
	}
	print := &print{canvas: canvas{Renderer: r, dst: &image.RGBA{Rect: part}, picture: p, envelopes: r.at(p.Time)}, Hash: sha256.New()}
	err = print.each(ctx, func(f *frame, l *layer) error {
		before := print.n
		print.header = func() { print.add(l.name, f.Rectangle, f.left, f.top, f.step) }
		r.with(l, func(content *content) {
			switch {
			case l.tiles != nil:
				print.tiles(f, l, content)
			case l.quads != nil:
				print.quads(f, content)
			case l.sounds != nil:
				print.sources(f, content)
			}
		})
		if l.picture != nil && print.n > before {
			digest := r.pictureDigest(l.picture)
			print.Write(digest[:])
		}
		return nil
	})
	if err != nil || print.n == 0 {
		return sum, err
	}
	print.Sum(sum[:0])
	return sum, nil
}

// print is a fingerprint during its computation.
type print struct {
	canvas
	hash.Hash
	n      int    // the number of things in it
	header func() // adds what all things of a layer have in common
	buffer []byte
}

// thing adds a visible thing of a layer.
func (p *print) thing() {
	if p.n++; p.header != nil {
		p.header()
		p.header = nil
	}
}

func (p *print) add(values ...any) { fmt.Fprintln(p.Hash, values...) }

func (p *print) tiles(f *frame, l *layer, content *content) {
	color := p.color(l)
	if !(color[3] > 0) {
		return
	}
	size := TileSize / f.step
	cols, _, _ := pixels(f.Min.X, f.Max.X, f.left/f.step, size)
	rows, _, _ := pixels(f.Min.Y, f.Max.Y, f.top/f.step, size)
	for i := range content.strata {
		s := &content.strata[i]
		x0, x1 := inLayer(cols[0].tile, s.w), inLayer(cols[len(cols)-1].tile, s.w)+1
		y0, y1 := inLayer(rows[0].tile, s.h), inLayer(rows[len(rows)-1].tile, s.h)+1
		if !s.any(x0, y0, x1, y1) {
			continue
		}
		p.thing()
		p.add(i, color, x0, y0, x1, y1)
		if l.entities() {
			digest := p.digestSigns()
			p.Write(digest[:])
		}
		for y := y0; y < y1; y++ {
			p.buffer = p.buffer[:0]
			for _, c := range s.cells[y*s.w:][x0:x1] {
				p.buffer = binary.LittleEndian.AppendUint16(p.buffer, uint16(c))
			}
			p.Write(p.buffer)
		}
	}
}

// any reports whether something in a range of cells is visible.
func (s *stratum) any(x0, y0, x1, y1 int) bool {
	for y := y0; y < y1; y++ {
		for _, c := range s.cells[y*s.w:][x0:x1] {
			if c.id() != 0 {
				return true
			}
		}
	}
	return false
}

func (p *print) quads(f *frame, content *content) {
	for i := range content.quads {
		if corners, seen := p.quad(f, &content.quads[i]); seen {
			p.thing()
			p.add(corners)
		}
	}
}

func (p *print) sources(f *frame, content *content) {
	for i := range content.sources {
		s := &content.sources[i]
		sign, heard := p.Source(s, p.picture.Time)
		if f.touches(sign.Corners) || f.touches(heard.Corners) {
			p.thing()
			p.add(sign, heard, s.Shape, s.Falloff)
		}
	}
}

// pictureDigest returns a hash of the pixels that layers with a picture are drawn with.
func (r *Renderer) pictureDigest(p *picture) [32]byte {
	p.onceDigest.Do(func() {
		h := sha256.New()
		if source := r.source(p); source != nil {
			fmt.Fprintln(h, source.Rect)
			h.Write(source.Pix)
		}
		p.digest = [32]byte(h.Sum(nil))
	})
	return p.digest
}

// digestSigns returns a hash of everything that determines the appearance of entities.
func (r *Renderer) digestSigns() [32]byte {
	h := sha256.New()
	fmt.Fprintln(h, r.o.Mask)
	if p := r.o.EntitiesImage; p != nil {
		fmt.Fprintln(h, p.Rect)
		h.Write(p.Pix)
	}
	return [32]byte(h.Sum(nil))
}
