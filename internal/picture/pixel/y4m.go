package pixel

import (
	"fmt"
	"image"
	"io"
)

// Y4M writes frames as YUV4MPEG2, a format for video programs: BT.601 with full chroma resolution, in the limited
// range from 16, which all these programs assume.
type Y4M struct {
	w      io.Writer
	header string
	planes []byte
}

// NewY4M starts a video with frames of the given size, fps per second.
func NewY4M(w io.Writer, size image.Point, fps float64) *Y4M {
	frames, seconds := fraction(fps)
	return &Y4M{w: w, header: fmt.Sprintf("YUV4MPEG2 W%d H%d F%d:%d Ip A1:1 C444\n", size.X, size.Y, frames, seconds)}
}

// Add writes the next frame. Transparent pixels are drawn over black.
func (v *Y4M) Add(m *image.RGBA) error {
	n := m.Rect.Dx() * m.Rect.Dy()
	v.planes = sized(v.planes, 3*n)
	y, cb, cr := v.planes[:n], v.planes[n:2*n], v.planes[2*n:]
	i := 0
	for row := range m.Rect.Dy() {
		pix := m.Pix[row*m.Stride:][:4*m.Rect.Dx()]
		for ; len(pix) >= 4; pix = pix[4:] {
			r, g, b := int32(pix[0]), int32(pix[1]), int32(pix[2])
			// The coefficients of BT.601 times 219/255 and 224/255, with 16 fractional bits.
			y[i] = byte((16829*r + 33039*g + 6416*b + 16<<16 + 1<<15) >> 16)
			cb[i] = byte((-9714*r - 19071*g + 28785*b + 128<<16 + 1<<15) >> 16)
			cr[i] = byte((28784*r - 24103*g - 4681*b + 128<<16 + 1<<15) >> 16)
			i++
		}
	}
	for _, part := range []string{v.header, "FRAME\n"} {
		if _, err := io.WriteString(v.w, part); err != nil {
			return err
		}
	}
	v.header = ""
	_, err := v.w.Write(v.planes)
	return err
}
