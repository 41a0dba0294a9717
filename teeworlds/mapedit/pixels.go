package mapedit

import (
	"image"
	"slices"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// DilateImages gives invisible pixels of embedded images the colours of their neighbours, as the editor does when it
// loads a map: scaling a picture mixes these colours into adjacent pixels.
func (e *Editor) DilateImages(images []int) error {
	return e.changePictures(images, "pixels", "transparent pixels took the colours of their neighbours",
		func(_ int, p *image.NRGBA) bool { Dilate(p); return true })
}

// opaqueEnough is the alpha above which the colour of a pixel spreads.
const opaqueEnough = 10

// Dilate gives the transparent pixels of a picture the colours of adjacent pixels, up to a distance of eleven pixels,
// like DDNet's editor.
func Dilate(p *image.NRGBA) {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	from, to := packed(p), make([]byte, 4*w*h)
	for range 11 {
		for i := 0; i < len(from); i += 4 {
			copy(to[i:i+4], from[i:i+4])
			if from[i+3] > opaqueEnough {
				continue
			}
			x, y := i/4%w, i/4/w
			for _, d := range [4][2]int{{0, -1}, {-1, 0}, {1, 0}, {0, 1}} {
				n := 4 * (min(max(y+d[1], 0), h-1)*w + min(max(x+d[0], 0), w-1))
				if from[n+3] > opaqueEnough {
					copy(to[i:i+3], from[n:n+3])
					to[i+3] = 255
					break
				}
			}
		}
		from, to = to, from
	}
	for y := range h {
		own := row(p, y)
		for i := 0; i < len(own); i += 4 {
			if own[i+3] == 0 {
				copy(own[i:i+3], from[4*y*w+i:])
			}
		}
	}
}

// packed returns a copy of the pixels without gaps between rows.
func packed(p *image.NRGBA) []byte {
	pix := make([]byte, 0, 4*p.Rect.Dx()*p.Rect.Dy())
	for y := range p.Rect.Dy() {
		pix = append(pix, row(p, y)...)
	}
	return pix
}

// OptimizeOptions are the options of [Editor.OptimizeImages].
type OptimizeOptions struct {
	// KeepTiles keeps tiles that no layer uses, for later edits of the map.
	KeepTiles bool
	// Exact changes only what no scaling mixes into what is seen: wholly transparent tiles, in images that only tile layers use.
	Exact bool
}

// OptimizeImages makes embedded images smaller without visible changes: tiles that no layer uses become transparent,
// in images that only tile layers use, and transparent pixels become black, except those next to others, which get
// their colours from [Dilate]. An image that would not become smaller is left unchanged.
func (e *Editor) OptimizeImages(images []int, o OptimizeOptions) error {
	used := make([]*[256]bool, len(e.m.Images)) // nil: the whole image is used, or none of it
	if !o.KeepTiles || o.Exact {
		e.usedTiles(used)
	}
	if o.Exact {
		return e.changePictures(images, "pixels", "pixels that are not seen changed", func(i int, p *image.NRGBA) bool {
			return used[i] != nil && clearEmpty(p) && smaller(e.m.Images[i], p)
		})
	}
	return e.changePictures(images, "pixels", "pixels that are not seen changed", func(i int, p *image.NRGBA) bool {
		w, h := p.Rect.Dx(), p.Rect.Dy()
		cut := used[i] != nil && w%16 == 0 && h%16 == 0
		for y := range h {
			own := row(p, y)
			for x := range w {
				pixel := own[4*x : 4*x+4]
				if pixel[3] == 0 || cut && !used[i][y/(h/16)*16+x/(w/16)] {
					clear(pixel)
				}
			}
		}
		if !cut {
			Dilate(p)
			return smaller(e.m.Images[i], p)
		}
		for id := range 256 {
			tile := image.Rect(0, 0, w/16, h/16).Add(image.Pt(id%16*(w/16), id/16*(h/16)))
			Dilate(p.SubImage(tile).(*image.NRGBA))
		}
		return smaller(e.m.Images[i], p)
	})
}

// clearEmpty removes the colours of wholly transparent tiles. It reports whether the picture has tiles.
func clearEmpty(p *image.NRGBA) bool {
	w, h := p.Rect.Dx()/16, p.Rect.Dy()/16
	if 16*w != p.Rect.Dx() || 16*h != p.Rect.Dy() {
		return false
	}
	for id := range 256 {
		tile := p.SubImage(image.Rect(0, 0, w, h).Add(image.Pt(id%16*w, id/16*h))).(*image.NRGBA)
		empty := true
		for y := 0; y < h && empty; y++ {
			own := tile.Pix[y*tile.Stride:][:4*w]
			for i := 3; i < len(own) && empty; i += 4 {
				empty = own[i] == 0
			}
		}
		for y := 0; y < h && empty; y++ {
			clear(tile.Pix[y*tile.Stride:][:4*w])
		}
	}
	return true
}

// smaller reports whether the image would take fewer bytes in the file with the picture p, whose rows have no gaps.
func smaller(im *twmap.Image, p *image.NRGBA) bool {
	was := im.StoredSize()
	if was == 0 {
		old, _ := im.Picture()
		was = len(compressed(packed(old)))
	}
	return len(compressed(p.Pix)) < was
}

// compressed returns pixels as they are stored in a file.
func compressed(pix []byte) []byte {
	stream, _ := deflate.Compress(nil, pix, datafile.DefaultLevel) // fails only for an unknown level
	return stream
}

// usedTiles finds the drawn tiles of each image; an entry of used stays nil if quads use the image, if nothing uses
// it, or if a layer that uses it cannot be read.
func (e *Editor) usedTiles(used []*[256]bool) {
	whole := make([]bool, len(used))
	for _, l := range e.m.Layers() {
		switch l := l.(type) {
		case *twmap.QuadLayer:
			if l.Image >= 0 && l.Image < len(used) {
				whole[l.Image] = true
			}
		case *twmap.TileLayer:
			if l.Kind().Physics() || l.Image < 0 || l.Image >= len(used) {
				continue
			}
			if used[l.Image] == nil {
				used[l.Image] = new([256]bool)
			}
			cells, err := l.Tiles().Cells()
			if err != nil { // its tiles are unknown
				whole[l.Image] = true
			}
			for _, t := range cells {
				used[l.Image][t.ID] = true
			}
		}
	}
	for i := range used {
		if whole[i] {
			used[i] = nil
		} else if used[i] != nil {
			used[i][0] = false // air is not drawn
		}
	}
}

// changePictures calls do with copies of pictures, which replace the pictures if it returns true, and reports the number
// of changed pixels. It skips external images and unreadable pictures.
func (e *Editor) changePictures(images []int, unit, what string, do func(i int, p *image.NRGBA) bool) error {
	if err := allInRange(twmap.PartImage, images, len(e.m.Images)); err != nil {
		return err
	}
	for _, i := range images {
		im := e.m.Images[i]
		old, err := im.Picture()
		if old == nil || err != nil {
			continue
		}
		p := &image.NRGBA{Pix: packed(old), Stride: 4 * old.Rect.Dx(), Rect: image.Rect(0, 0, old.Rect.Dx(), old.Rect.Dy())}
		if !do(i, p) {
			continue
		}
		changed := 0
		for at := 0; at < len(p.Pix); at += 4 {
			if !slices.Equal(p.Pix[at:at+4], old.Pix[at:at+4]) {
				changed++
			}
		}
		if changed > 0 {
			im.SetPicture(p)
			e.reportChange(im, changed, unit, "%s", what)
		}
	}
	return nil
}
