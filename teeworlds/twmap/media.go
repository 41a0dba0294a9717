package twmap

import (
	"fmt"
	"image"
	"slices"

	"trowel.example/fault"
	"trowel.example/teeworlds/datafile"
)

// Image is a picture that layers are drawn with (section "Images"). [NewImage] and [NewExternalImage] make one; the
// zero value is embedded and has no picture.
type Image struct {
	origin
	Version int32 // 1; 2 in maps of Teeworlds 0.7, which adds Variant; 0 is written as 1
	Name    string
	Variant int32 // must be 1 (RGBA); some external images have 0 (RGB) or -1

	external      bool
	width, height int
	name, data    dataRef
	pixels        *image.NRGBA // a picture that was set
	changed       bool         // data is out of date
}

// NewImage returns an embedded image. It keeps the pixels, which must not be changed
// afterwards.
func NewImage(name string, picture *image.NRGBA) *Image {
	im := &Image{Version: 1, Name: name, Variant: 1}
	im.SetPicture(picture)
	return im
}

// NewExternalImage returns a reference to an image that the game has under name; see [ExternalImages].
func NewExternalImage(name string, width, height int) *Image {
	return &Image{Version: 1, Name: name, Variant: 1, external: true, width: width, height: height}
}

// NewMissingImage returns an embedded image without its picture. Some broken maps contain them.
func NewMissingImage(name string, width, height int) *Image {
	return &Image{Version: 1, Name: name, Variant: 1, width: width, height: height}
}

// Width returns the width in pixels: that of the picture, or the one stated by the map.
func (im *Image) Width() int { return im.width }

// Height returns the height in pixels, like Width.
func (im *Image) Height() int { return im.height }

// External reports whether the picture is not in the map, but in the game's data under Name.
func (im *Image) External() bool { return im.external }

// ExternalImages lists the images that every installation of the game has. Only these can be left out of a map. The
// last four were added in Teeworlds 0.7.
var ExternalImages = []string{
	"bg_cloud1", "bg_cloud2", "bg_cloud3", "desert_doodads", "desert_main", "desert_mountains", "desert_mountains2",
	"desert_sun", "generic_deathtiles", "generic_unhookable", "grass_doodads", "grass_main", "jungle_background",
	"jungle_deathtiles", "jungle_doodads", "jungle_main", "jungle_midground", "jungle_unhookables", "moon", "mountains",
	"snow", "stars", "sun", "winter_doodads", "winter_main", "winter_mountains", "winter_mountains2", "winter_mountains3",
	"easter", "generic_lamps", "generic_shadows", "light",
}

// ExternalImages06 lists those of [ExternalImages] that DDNet has, which reads maps of Teeworlds 0.6.
var ExternalImages06 = slices.Concat(ExternalImages[:slices.Index(ExternalImages, "easter")], []string{"generic_lamps", "light"})

// MaxPixels limits the number of pixels of a picture (16384 squared): more than any graphics card accepts.
const MaxPixels = 1 << 28

// HasPicture reports, without inflating anything, whether the map contains pixels: an embedded image whose data has
// the right size, or the right size for pixels of three bytes, which a tool once wrote.
func (im *Image) HasPicture() bool {
	if im.changed {
		return im.pixels != nil
	}
	b := im.data.block
	if im.external || b == nil || im.width <= 0 || im.height <= 0 || im.width > MaxPixels/im.height {
		return false
	}
	n := im.width * im.height
	size := int(b.Size())
	return (size == 4*n || size == 3*n) && b.Plausible()
}

// RGB reports, without inflating anything, whether an embedded image has pixels of three bytes. The games reject
// them.
func (im *Image) RGB() bool {
	return !im.changed && im.HasPicture() && int(im.data.block.Size()) == 3*im.width*im.height
}

// Picture returns the pixels of an embedded image, not alpha-premultiplied; they must not be changed. Pixels of three
// bytes become opaque. On an error it also returns the pixels that could be read, with the rest transparent. It
// returns nil and no error for an external image.
func (im *Image) Picture() (*image.NRGBA, error) {
	if im.pixels != nil {
		return new(*im.pixels), nil
	}
	if im.external {
		return nil, nil
	}
	if !im.HasPicture() {
		size := int32(0)
		if im.data.block != nil {
			size = im.data.block.Size()
		}
		return nil, &fault.Error{Path: "data", Offset: im.data.offset(),
			Want: fmt.Sprintf("4 bytes for each of %d x %d pixels", im.width, im.height), Got: fmt.Sprint(size),
			Err: fault.ErrFormat}
	}
	return im.pictureOf(im.data.block.Bytes())
}

// pictureOf returns the picture in the bytes of a block.
func (im *Image) pictureOf(data []byte, err error) (*image.NRGBA, error) {
	rect := image.Rect(0, 0, im.width, im.height)
	n := im.width * im.height
	if len(data) == 4*n {
		return &image.NRGBA{Pix: data, Stride: 4 * im.width, Rect: rect}, err
	}
	p := image.NewNRGBA(rect)
	if int(im.data.block.Size()) == 4*n {
		copy(p.Pix, data)
		return p, err
	}
	for i := range len(data) / 3 {
		copy(p.Pix[4*i:4*i+3], data[3*i:3*i+3])
		p.Pix[4*i+3] = 255
	}
	return p, err
}

// SetPicture embeds a picture. It keeps the pixels, which must not be changed afterwards.
func (im *Image) SetPicture(p *image.NRGBA) {
	packed := new(*p)
	if p.Stride != 4*p.Rect.Dx() || p.Rect.Min != (image.Point{}) {
		packed = image.NewNRGBA(image.Rect(0, 0, p.Rect.Dx(), p.Rect.Dy()))
		for y := range packed.Rect.Dy() {
			copy(packed.Pix[y*packed.Stride:(y+1)*packed.Stride], p.Pix[p.PixOffset(p.Rect.Min.X, p.Rect.Min.Y+y):])
		}
	}
	im.external, im.width, im.height = false, packed.Rect.Dx(), packed.Rect.Dy()
	im.pixels, im.changed = packed, true
}

// SetExternal removes the picture from the map: the game has one of that size, in pixels, under Name.
func (im *Image) SetExternal(width, height int) {
	im.external, im.width, im.height = true, width, height
	im.pixels, im.changed = nil, true
}

// StoredSize returns the number of bytes that the pixels take in the file: 0 for a picture that was set since.
func (im *Image) StoredSize() int {
	if im.changed {
		return 0
	}
	return im.data.storedSize()
}

// replacesRGB reports whether a new picture replaces one with pixels of three bytes.
func (im *Image) replacesRGB() bool {
	if !im.changed || im.pixels == nil {
		return false
	}
	if b := im.data.block; b != nil {
		return int(b.Size()) == 3*im.width*im.height
	}
	k := im.data.residue
	return k != nil && k.Size != nil && int(*k.Size) == 3*im.width*im.height &&
		k.Was != datafile.Mark(im.pixels.Pix[:4*im.width*im.height])
}

func (im *Image) fields(c *codec) {
	version := c.version(&im.Version, 1)
	c.int("width", &im.width)
	c.int("height", &im.height)
	c.bool("external", &im.external)
	c.text("name", &im.name, &im.Name)
	c.data("data", &im.data, im.changed, func() ([]byte, bool) {
		p, _ := im.Picture()
		if p == nil {
			return nil, false
		}
		return p.Pix[:4*im.width*im.height], true
	})
	if !im.changed && im.HasPicture() {
		c.isWhole(4 * im.width * im.height)
		if !c.writing() {
			c.state(&im.data, im.width, im.height, int(im.data.block.Size())/(im.width*im.height), false)
		}
	}
	if version >= 2 {
		variant := im.Variant
		if c.writing() && variant == 0 && im.replacesRGB() {
			variant = 1
		}
		if c.int32("must_be_1", &variant); !c.writing() {
			im.Variant = variant
		}
	}
}

// Sound is a sound that sound layers play (section "Sounds").
type Sound struct {
	origin
	Version int32 // 1; 0 is written as 1
	Name    string

	external   bool
	name, data dataRef
	opus       []byte // a sound that was set
	changed    bool   // data is out of date
}

// NewSound returns a sound from the bytes of an Opus file, which it keeps. Without bytes the sound is missing from
// the map.
func NewSound(name string, opus []byte) *Sound {
	return &Sound{Version: 1, Name: name, opus: opus, changed: true}
}

// External reports whether the sound is not in the map, but in the game's data. No known program writes maps with
// external sounds.
func (s *Sound) External() bool { return s.external }

// Opus returns the bytes of the sound, an Opus file, which must not be changed. Their number is the size of the data
// block, not the size that the item states. Opus returns nil and no error for an external sound.
func (s *Sound) Opus() ([]byte, error) {
	if s.changed || s.external || s.data.block == nil {
		return s.opus, nil
	}
	return s.data.block.Bytes()
}

// SetOpus replaces the sound. It keeps the bytes.
func (s *Sound) SetOpus(opus []byte) { s.opus, s.external, s.changed = opus, false, true }

// SetExternal removes the sound from the map.
func (s *Sound) SetExternal() { s.opus, s.external, s.changed = nil, true, true }

// HasOpus reports whether the sound is in the map, without inflating anything.
func (s *Sound) HasOpus() bool {
	if s.changed {
		return len(s.opus) > 0
	}
	return !s.external && s.data.block != nil && s.data.block.Size() > 0
}

// StoredSize returns the number of bytes that the sound takes in the file.
func (s *Sound) StoredSize() int { return s.data.storedSize() }

func (s *Sound) fields(c *codec) {
	c.version(&s.Version, 1)
	c.bool("external", &s.external)
	c.text("name", &s.name, &s.Name)
	c.data("data", &s.data, s.changed, func() ([]byte, bool) {
		opus, _ := s.Opus()
		return opus, len(opus) > 0
	})
	size := 0 // ignored, because many files state a wrong size
	if c.writing() && s.data.block != nil && !c.detached && !s.changed {
		size = int(s.data.block.Size())
	} else if c.writing() {
		opus, _ := s.Opus()
		size = len(opus)
	}
	c.int("data_size", &size)
}

// offset returns the offset of the block in the file, or -1 without a block.
func (d *dataRef) offset() int64 {
	if d.block == nil {
		return -1
	}
	return d.block.Offset()
}

func (d *dataRef) storedSize() int {
	if d.block == nil {
		return 0
	}
	return d.block.StoredSize()
}
