package mapedit

import (
	"image"
	"slices"

	"trowel.example/teeworlds/twmap"
)

// DilateImages gives the pixels of embedded images that are not seen at all the colours of
// their neighbours, as the editor does when it loads a map: where a picture is drawn smaller
// or larger, such colours are mixed into those beside them.
func (e *Editor) DilateImages(images []int) error {
	return e.changePictures(images, "pixels", "transparent pixels took the colours of their neighbours", func(_ int, p *image.NRGBA) { Dilate(p) })
}

// opaqueEnough is the alpha that a pixel has to be above for its colour to spread.
const opaqueEnough = 10

// Dilate gives the transparent pixels of a picture the colours of those beside them, eleven
// pixels far, as the editor of DDNet does.
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

// packed returns a copy of the pixels without anything between the rows.
func packed(p *image.NRGBA) []byte {
	pix := make([]byte, 0, 4*p.Rect.Dx()*p.Rect.Dy())
	for y := range p.Rect.Dy() {
		pix = append(pix, row(p, y)...)
	}
	return pix
}

// OptimizeImages makes embedded images smaller without a change to what is seen: tiles that no
// layer uses become transparent, in images that nothing but tiles is drawn with, and transparent
// pixels black, but for those beside others, which are as [Dilate] makes them. With keepTiles those stay, for whoever goes on to edit the map.
func (e *Editor) OptimizeImages(images []int, keepTiles bool) error {
	used := make([]*[256]bool, len(e.m.Images)) // nil: whole, or by nothing
	if !keepTiles {
		e.usedTiles(used)
	}
	return e.changePictures(images, "pixels", "pixels that are not seen changed", func(i int, p *image.NRGBA) {
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
			return
		}
		for id := range 256 {
			tile := image.Rect(0, 0, w/16, h/16).Add(image.Pt(id%16*(w/16), id/16*(h/16)))
			Dilate(p.SubImage(tile).(*image.NRGBA))
		}
	})
}

// usedTiles finds out which tiles of each image are drawn; used stays nil for images that
// quads show, or nothing at all, or a layer that cannot be read.
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
			if err != nil { // what it uses is not known
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

// changePictures lets do change copies of pictures, and tells how many pixels it changed.
// External images, and those that cannot be read, stay as they are.
func (e *Editor) changePictures(images []int, unit, what string, do func(i int, p *image.NRGBA)) error {
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
		do(i, p)
		changed := 0
		for at := 0; at < len(p.Pix); at += 4 {
			if !slices.Equal(p.Pix[at:at+4], old.Pix[at:at+4]) {
				changed++
			}
		}
		if changed > 0 {
			im.SetPicture(p)
			e.tell(im, changed, unit, "%s", what)
		}
	}
	return nil
}
