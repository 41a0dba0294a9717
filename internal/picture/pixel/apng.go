package pixel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"math"
)

// APNG writes an animated PNG that repeats forever. Each frame after the first contains only the rectangle that has
// changed.
type APNG struct {
	chunks   chunks
	kind     Kind
	size     image.Point
	delay    []byte // duration of a frame
	frames   int
	done     int
	sequence uint32
	last     []byte // pixels of the previous frame
}

// NewAPNG starts a PNG with the given number of frames, fps per second, in RGB or RGBA.
func NewAPNG(w io.Writer, size image.Point, kind Kind, frames int, fps float64) (*APNG, error) {
	if err := possible(size); err != nil {
		return nil, err
	}
	p := &APNG{chunks: chunks{w: w}, kind: kind, size: size, frames: frames}
	count, per := fraction(fps)
	p.delay = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, uint16(per)), uint16(count))
	p.chunks.header(size, kind)
	p.chunks.write("acTL", binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(frames)), 0))
	return p, p.chunks.err
}

// fraction returns a fraction of frames and seconds for a frame rate, both within 16 bits.
func fraction(fps float64) (frames, seconds int) {
	for _, seconds := range []int{1, 1001, 1000, 60} {
		if v := fps * float64(seconds); v < 1<<16 && math.Abs(v-math.Round(v)) < 1e-6 {
			return int(math.Round(v)), seconds
		}
	}
	seconds = max(1, int(min(1000, 65535/fps)))
	return max(1, int(math.Round(fps*float64(seconds)))), seconds
}

// Add writes the next frame, which has the size of the picture.
func (p *APNG) Add(m *image.RGBA) error {
	if p.chunks.err == nil && (m.Rect.Size() != p.size || p.done == p.frames) {
		p.chunks.err = fmt.Errorf("frame %d of %d has the bounds %v, in a picture of %v", p.done+1, p.frames, m.Rect.Size(), p.size)
	}
	if p.chunks.err != nil {
		return p.chunks.err
	}
	part := image.Rectangle{Max: p.size}
	if p.done > 0 {
		part = p.changed(m)
	}
	p.last = append(p.last[:0], m.Pix...)

	head := p.next()
	for _, v := range []int{part.Dx(), part.Dy(), part.Min.X, part.Min.Y} {
		head = binary.BigEndian.AppendUint32(head, uint32(v))
	}
	const keep, replace = 0, 0 // dispose and blend operations: keep the frame, and replace the previous one
	p.chunks.write("fcTL", append(append(head, p.delay...), keep, replace))
	pixels := newStream(part.Dx(), p.kind, level, func(data []byte) {
		if p.done == 0 {
			p.chunks.write("IDAT", data)
		} else {
			p.chunks.write("fdAT", append(p.next(), data...))
		}
	})
	pixels.add(part.Dy(), rowsOf(m.SubImage(part.Add(m.Rect.Min)).(*image.RGBA), p.kind))
	pixels.close()
	p.done++
	return p.chunks.err
}

// next returns the next sequence number.
func (p *APNG) next() []byte {
	p.sequence++
	return binary.BigEndian.AppendUint32(nil, p.sequence-1)
}

// changed returns the rectangle in which a frame differs from the previous one, or a single pixel if they are equal.
func (p *APNG) changed(m *image.RGBA) image.Rectangle {
	var r image.Rectangle
	for y := range p.size.Y {
		was, is := p.last[y*m.Stride:][:4*p.size.X], m.Pix[y*m.Stride:][:4*p.size.X]
		if bytes.Equal(was, is) {
			continue
		}
		from, to := 0, len(is)
		for was[from] == is[from] {
			from++
		}
		for was[to-1] == is[to-1] {
			to--
		}
		r = r.Union(image.Rect(from/4, y, (to+3)/4, y+1))
	}
	if r.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return r
}

// Close writes the end of the file. All frames must have been added.
func (p *APNG) Close() error {
	if p.chunks.err == nil && p.done != p.frames {
		p.chunks.err = fmt.Errorf("only %d of %d frames were written", p.done, p.frames)
	}
	p.chunks.write("IEND", nil)
	return p.chunks.err
}
