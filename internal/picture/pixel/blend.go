package pixel

import "image"

// Straight converts pixels from premultiplied to straight alpha, as [color.NRGBAModel] does.
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

// Half returns a picture of half the width and height, in which each pixel is the mean of four. It drops an odd last
// row or column.
func Half(m *image.RGBA) *image.RGBA {
	half := image.NewRGBA(image.Rect(0, 0, m.Rect.Dx()/2, m.Rect.Dy()/2))
	for y := range half.Rect.Dy() {
		one, two := m.Pix[2*y*m.Stride:][:8*half.Rect.Dx()], m.Pix[(2*y+1)*m.Stride:][:8*half.Rect.Dx()]
		to := half.Pix[y*half.Stride:]
		for i := 0; i+8 <= len(one); i += 8 {
			for c := range 4 {
				to[i/2+c] = byte((uint(one[i+c]) + uint(one[i+4+c]) + uint(two[i+c]) + uint(two[i+4+c]) + 2) / 4)
			}
		}
	}
	return half
}

// NRGBA returns the picture with straight alpha, in rows without gaps starting at (0,0). The result may be m itself.
func NRGBA(m image.Image) *image.NRGBA {
	b := m.Bounds()
	if n, ok := m.(*image.NRGBA); ok && b.Min == (image.Point{}) && n.Stride == 4*b.Dx() && len(n.Pix) == 4*b.Dx()*b.Dy() {
		return n
	}
	n := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		row := n.Pix[y*n.Stride:][:4*b.Dx()]
		if rgba, ok := m.(*image.RGBA); ok {
			Straight(row, rgba.Pix[rgba.PixOffset(b.Min.X, b.Min.Y+y):][:len(row)])
			continue
		}
		for x := range b.Dx() {
			n.Set(x, y, m.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return n
}
