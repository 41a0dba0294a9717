package twmap

import (
	"fmt"
	"image"
	"slices"

	"trowel.example/fault"
)

// Image is a picture that layers are drawn with (section "Images").
type Image struct {
	origin
	Version       int32 // 1; 2 in maps of Teeworlds 0.7, which adds Variant
	Name          string
	External      bool  // the picture is not in the map: the game has it, under Name
	Width, Height int   // in pixels
	Variant       int32 // must be 1 (RGBA); 0 (RGB) and -1 were written too, for external images

	name, data dataRef
	pixels     *image.NRGBA // a new picture
}

// NewImage returns an embedded image.
func NewImage(name string, picture *image.NRGBA) *Image {
	im := &Image{Version: 1, Name: name, Variant: 1}
	im.SetPicture(picture)
	return im
}

// NewExternalImage returns an image that the game has under name; see [ExternalImages].
func NewExternalImage(name string, width, height int) *Image {
	return &Image{Version: 1, Name: name, Variant: 1, External: true, Width: width, Height: height}
}

// ExternalImages lists the images that every installation of the game has, the
// only ones that a map can leave out. The last four came with Teeworlds 0.7.
var ExternalImages = []string{
	"bg_cloud1", "bg_cloud2", "bg_cloud3", "desert_doodads", "desert_main", "desert_mountains", "desert_mountains2",
	"desert_sun", "generic_deathtiles", "generic_unhookable", "grass_doodads", "grass_main", "jungle_background",
	"jungle_deathtiles", "jungle_doodads", "jungle_main", "jungle_midground", "jungle_unhookables", "moon", "mountains",
	"snow", "stars", "sun", "winter_doodads", "winter_main", "winter_mountains", "winter_mountains2", "winter_mountains3",
	"easter", "generic_lamps", "generic_shadows", "light",
}

// externalSince07 is where the images of Teeworlds 0.7 begin.
var externalSince07 = slices.Index(ExternalImages, "easter")

// MaxPixels limits the number of pixels of a picture: more than any graphics
// card takes (16384 squared).
const MaxPixels = 1 << 28

// HasPicture tells, without inflating anything, whether there are pixels in the
// map: an embedded image whose data has the right size, or a size that is
// right for pixels of three bytes, as a tool once wrote them.
func (im *Image) HasPicture() bool {
	if im.External || im.pixels != nil {
		return im.pixels != nil
	}
	b := im.data.block
	if b == nil || im.Width <= 0 || im.Height <= 0 || im.Width > MaxPixels/im.Height {
		return false
	}
	n := im.Width * im.Height
	size := int(b.Size())
	return (size == 4*n || size == 3*n) && b.Plausible()
}

// Picture returns the pixels of an embedded image, not alpha-premultiplied; they
// must not be changed. Pixels of three bytes become opaque ones. With an error it
// returns what could be read, the rest transparent. It is nil without an error
// for an external image.
func (im *Image) Picture() (*image.NRGBA, error) {
	if im.External || im.pixels != nil {
		return im.pixels, nil
	}
	if !im.HasPicture() {
		size := int32(0)
		if im.data.block != nil {
			size = im.data.block.Size()
		}
		return nil, &fault.Error{Path: "data", Offset: im.data.offset(), Want: fmt.Sprintf("4 bytes for each of %d x %d pixels", im.Width, im.Height), Got: fmt.Sprint(size), Err: fault.ErrFormat}
	}
	data, err := im.data.block.Bytes()
	rect := image.Rect(0, 0, im.Width, im.Height)
	n := im.Width * im.Height
	if len(data) == 4*n {
		return &image.NRGBA{Pix: data, Stride: 4 * im.Width, Rect: rect}, err
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

// SetPicture embeds a picture.
func (im *Image) SetPicture(p *image.NRGBA) {
	if p.Stride != 4*p.Rect.Dx() || p.Rect.Min != (image.Point{}) {
		packed := image.NewNRGBA(image.Rect(0, 0, p.Rect.Dx(), p.Rect.Dy()))
		for y := range packed.Rect.Dy() {
			copy(packed.Pix[y*packed.Stride:(y+1)*packed.Stride], p.Pix[p.PixOffset(p.Rect.Min.X, p.Rect.Min.Y+y):])
		}
		p = packed
	}
	im.External = false
	im.Width, im.Height = p.Rect.Dx(), p.Rect.Dy()
	im.pixels = p
}

// StoredSize returns the number of bytes that the pixels take in the file.
func (im *Image) StoredSize() int { return im.data.storedSize() }

func (im *Image) fields(c *codec) {
	c.int32("version", &im.Version)
	c.int("width", &im.Width)
	c.int("height", &im.Height)
	c.bool("external", &im.External)
	c.text("name", &im.name, &im.Name)
	c.data("data", &im.data, im.pixels != nil, func() ([]byte, bool) {
		p, _ := im.Picture()
		if p == nil {
			return nil, false
		}
		return p.Pix[:4*im.Width*im.Height], true
	})
	if im.Version >= 2 {
		c.int32("must_be_1", &im.Variant)
	}
}

// Sound is a sound that sound layers play (section "Sounds").
type Sound struct {
	origin
	Version  int32 // 1
	Name     string
	External bool // the game has it; nothing ever made such a map

	name, data dataRef
	opus       []byte // a new sound
}

// NewSound returns a sound from the bytes of an Opus file.
func NewSound(name string, opus []byte) *Sound {
	return &Sound{Version: 1, Name: name, opus: opus}
}

// Opus returns the bytes of the sound, an Opus file. The size of the data block
// counts, not the size that the item states. It is nil without an error for an
// external sound.
func (s *Sound) Opus() ([]byte, error) {
	if s.opus != nil || s.External || s.data.block == nil {
		return s.opus, nil
	}
	return s.data.block.Bytes()
}

// SetOpus replaces the sound.
func (s *Sound) SetOpus(opus []byte) { s.opus, s.External = opus, false }

// HasOpus tells, without inflating anything, whether the sound is in the map.
func (s *Sound) HasOpus() bool {
	return !s.External && (s.opus != nil || s.data.block != nil && s.data.block.Size() > 0)
}

// StoredSize returns the number of bytes that the sound takes in the file.
func (s *Sound) StoredSize() int { return s.data.storedSize() }

func (s *Sound) fields(c *codec) {
	c.int32("version", &s.Version)
	c.bool("external", &s.External)
	c.text("name", &s.name, &s.Name)
	c.data("data", &s.data, s.opus != nil, func() ([]byte, bool) {
		opus, _ := s.Opus()
		return opus, len(opus) > 0
	})
	size := 0 // what it says was wrong often enough that nobody believes it
	if c.writing() && s.data.block != nil && !c.detached && s.opus == nil {
		size = int(s.data.block.Size())
	} else if c.writing() {
		opus, _ := s.Opus()
		size = len(opus)
	}
	c.int("data_size", &size)
}

// offset returns where the block stands in the file, -1 for none.
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
