package pixel

import (
	"image"
	"image/color"
)

// Straight takes the alpha out of the colours of pixels in RGBA, as [color.NRGBAModel] does.
func Straight(dst, pix []byte) {
	for len(pix) >= 4 && len(dst) >= 4 {
		switch a := uint32(pix[3]); a {
		case 0xff:
			copy(dst[:4], pix[:4])
		case 0:
			dst[0], dst[1], dst[2], dst[3] = 0, 0, 0, 0
		default:
			for i := range 3 {
				dst[i] = byte(min(uint32(pix[i])*0xffff/a>>8, 0xff))
			}
			dst[3] = byte(a)
		}
		dst, pix = dst[4:], pix[4:]
	}
}

// Fill makes all pixels of a picture one colour.
func Fill(dst *image.RGBA, c color.NRGBA) {
	if dst.Rect.Empty() {
		return
	}
	p := color.RGBAModel.Convert(c).(color.RGBA)
	width := 4 * dst.Rect.Dx()
	first := dst.Pix[:width]
	first[0], first[1], first[2], first[3] = p.R, p.G, p.B, p.A
	for n := 4; n < width; n *= 2 {
		copy(first[n:], first[:n])
	}
	for y := 1; y < dst.Rect.Dy(); y++ {
		copy(dst.Pix[y*dst.Stride:][:width], first)
	}
}
