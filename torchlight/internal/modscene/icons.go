package modscene

import (
	"fmt"
	"image"
	"maps"
	"path"
	"slices"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/moddir"
)

// limits are the limits of the sheets of a mod.
var limits = struct {
	sprites int // names
	pixels  int // of all icons
	cells   int // of a sheet
}{1 << 16, 1 << 26, 1 << 14}

// icons are the sprites of a mod, and those of the game that the mod uses, by their names.
type icons struct {
	media     []moddir.Files // the mod, then the game
	imageSets []spriteSet
	where     map[string]spriteRef // by lower-case name
	pixels    int
	images    map[string]*image.NRGBA // by lower-case name
	lacks     map[string]*format.Missing
}

// spriteRef is a sprite of a set.
type spriteRef struct{ set, sprite int }

// newIcons reads the image sets of a mod, and then those of the game.
func newIcons(s *subject, media ...moddir.Files) *icons {
	c := &icons{media: media, where: make(map[string]spriteRef), images: make(map[string]*image.NRGBA),
		lacks: make(map[string]*format.Missing)}
	for _, files := range media {
		for _, name := range slices.Sorted(files.Files()) {
			if !isImageSet(name) {
				continue
			}
			data, err := files.Content(name)
			var set *imageset.Set
			if err == nil {
				set, err = imageset.Parse(data)
			}
			if err != nil {
				c.lack(format.Missing{Kind: "sprite", Name: name, What: err.Error(), Loss: true})
			}
			if set == nil {
				continue
			}
			for i, sprite := range set.Sprites {
				key := strings.ToLower(sprite.Name)
				if _, has := c.where[key]; has {
					continue
				}
				if len(c.where) >= limits.sprites {
					c.lack(format.Missing{Kind: "sprites", Count: 1, Unit: "sprites", What: c.onlyFirst()})
					continue
				}
				c.where[key] = spriteRef{len(c.imageSets), i}
			}
			c.imageSets = append(c.imageSets, spriteSet{set, s.origin(name)})
		}
	}
	return c
}

func (c *icons) onlyFirst() string {
	return fmt.Sprintf("only the first %d sprites are read", limits.sprites)
}

// lack notes that something is missing, once, and counts its uses.
func (c *icons) lack(m format.Missing) {
	key := m.Kind + "\x00" + strings.ToLower(m.Name)
	if c.lacks[key] == nil {
		c.lacks[key] = &m
		return
	}
	c.lacks[key].Count += m.Count
}

func (c *icons) missing() []format.Missing {
	var list []format.Missing
	for _, key := range slices.Sorted(maps.Keys(c.lacks)) {
		list = append(list, *c.lacks[key])
	}
	return list
}

// load decodes the pictures of sprites, each picture once. A name can also be the path of a picture.
func (c *icons) load(names map[string]bool) {
	sprites := make(map[string][]string) // names by the path of the picture
	for name := range names {
		if c.images[name] != nil {
			continue
		}
		if ref, ok := c.where[name]; ok {
			file := gamePath(c.imageSets[ref.set].File)
			sprites[file] = append(sprites[file], name)
		} else if strings.ContainsAny(name, `/\`) {
			sprites[gamePath(name)] = append(sprites[gamePath(name)], name)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(sprites)) {
		m, err := c.decode(file)
		if err != nil {
			c.lack(format.Missing{Kind: "image", Name: file, Count: int64(len(sprites[file])), Unit: "icons", What: plainError(err).Error()})
			continue
		}
		slices.Sort(sprites[file])
		for _, name := range sprites[file] {
			cut := m
			if ref, ok := c.where[name]; ok {
				cut = c.imageSets[ref.set].Sprites[ref.sprite].Cut(m)
			}
			size := cut.Rect.Size()
			if c.pixels += size.X * size.Y; c.pixels > limits.pixels {
				c.lack(format.Missing{Kind: "icon", Name: name, Count: 1, Unit: "uses", What: "the icons have too many pixels"})
				continue
			}
			own := image.NewNRGBA(image.Rectangle{Max: size}) // does not keep the whole picture in memory
			for y := range size.Y {
				copy(own.Pix[y*own.Stride:][:4*size.X], cut.Pix[cut.PixOffset(cut.Rect.Min.X, cut.Rect.Min.Y+y):])
			}
			c.images[name] = own
		}
	}
}

func (c *icons) decode(file string) (*image.NRGBA, error) {
	var places []func(string) ([]byte, error)
	for _, files := range c.media {
		places = append(places, files.Content)
	}
	data, err := firstOf(nil, places...)(file)
	if err != nil {
		return nil, err
	}
	return picture.Decode(path.Base(file), data)
}

// get returns a loaded sprite, or nil. It notes names that no image set has.
func (c *icons) get(name string) *image.NRGBA {
	key := strings.ToLower(name)
	if m := c.images[key]; m != nil {
		return m
	}
	if _, known := c.where[key]; !known && key != "" && !strings.ContainsAny(key, `/\`) {
		what := "no image set of the mod or of --base has it"
		if len(c.media) == 1 {
			what = "no image set of the mod has it (give the game's files with --base)"
		}
		if len(c.where) >= limits.sprites {
			what = c.onlyFirst()
		}
		c.lack(format.Missing{Kind: "icon", Name: name, Count: 1, Unit: "uses", What: what})
	}
	return nil
}

// reduced returns a picture with sides of at most most pixels.
func reduced(m *image.NRGBA, most int) *image.NRGBA {
	side := max(m.Rect.Dx(), m.Rect.Dy())
	if side <= most {
		return m
	}
	scale := float64(most) / float64(side)
	to := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(m.Rect.Dx())*scale)), max(1, int(float64(m.Rect.Dy())*scale))))
	picture.Draw(to, m, 0, 0, [2]float64{}, scale)
	out := image.NewNRGBA(to.Rect)
	for y := range to.Rect.Dy() {
		for x := range to.Rect.Dx() {
			out.Set(x, y, to.RGBAAt(x, y))
		}
	}
	return out
}
