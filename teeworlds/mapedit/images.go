package mapedit

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// MaxImages and MaxSounds are the numbers of images and sounds that the game uses in a map.
const (
	MaxImages = 64
	MaxSounds = 64
)

// checkName returns an error for invalid names of images and sounds.
func checkName(what twmap.PartKind, name string) error {
	if name == "" || strings.ContainsAny(name, "/\\\x00") {
		return fmt.Errorf("%q is not a valid name for the %s: expected a name without / and \\", name, what)
	}
	return nil
}

// AddImage adds a picture at the end of the images. It keeps the pixels.
func (e *Editor) AddImage(name string, picture *image.NRGBA) error {
	if err := checkPicture(picture); err != nil {
		return err
	}
	return e.addImage(name, func() *twmap.Image { return twmap.NewImage(name, picture) })
}

// ShareImage returns the number of an embedded image with a picture, and with a name or this name and a number, such as
// "moon (1)". If the map has none, ShareImage adds it.
func (e *Editor) ShareImage(name string, picture *image.NRGBA) (int, error) {
	if err := checkPicture(picture); err != nil {
		return 0, err
	}
	im := twmap.NewImage(name, picture)
	have := e.m.Images
	at, free := shared(name, len(have), func(i int) string { return have[i].Name }, func(i int) bool { return sameImage(have[i], im) })
	if at >= 0 {
		return at, nil
	}
	im.Name = free
	return len(have), e.addImage(free, func() *twmap.Image { return im })
}

// AddExternalImage adds an image that the game of the map has: one of [twmap.ExternalImages] in a map of Teeworlds 0.7,
// one of [twmap.ExternalImages06] in others. A width and a height of 0 mean those of the game's picture.
// AddExternalImage changes nothing if the map refers to the image already.
func (e *Editor) AddExternalImage(name string, width, height int) error {
	known := twmap.ExternalImages06
	if Is07(e.m) {
		known = twmap.ExternalImages
	}
	if !slices.Contains(known, name) {
		return fmt.Errorf("the game of the map has no image %q", name)
	}
	if slices.ContainsFunc(e.m.Images, func(im *twmap.Image) bool { return im.External() && im.Name == name }) {
		return nil
	}
	if width == 0 && height == 0 {
		width, height = externalSize(name)
	}
	return e.addImage(name, func() *twmap.Image { return twmap.NewExternalImage(name, width, height) })
}

// externalSize returns the size of one of [twmap.ExternalImages], in pixels. Both games have the same sizes.
func externalSize(name string) (width, height int) {
	switch name {
	case "bg_cloud1", "bg_cloud2":
		return 2048, 1024
	case "bg_cloud3", "desert_mountains", "desert_mountains2", "mountains", "winter_mountains", "winter_mountains2", "winter_mountains3":
		return 1024, 512
	case "jungle_background":
		return 809, 1312
	case "light":
		return 256, 256
	case "snow":
		return 64, 64
	case "stars":
		return 265, 128
	case "sun":
		return 512, 512
	}
	return 1024, 1024
}

func (e *Editor) addImage(name string, make func() *twmap.Image) error {
	if err := checkName(twmap.PartImage, name); err != nil {
		return err
	}
	if len(e.m.Images) >= MaxImages {
		return fmt.Errorf("the map has %s, and the game uses no more than %d", words.Count(len(e.m.Images), "image"), MaxImages)
	}
	if err := e.settle(twmap.PartImage); err != nil {
		return err
	}
	im := make()
	im.Version = e.imageVersion()
	e.m.Images = append(e.m.Images, im)
	e.reportChange(im, 1, "", "added with %d x %d pixels", im.Width(), im.Height())
	return nil
}

// imageVersion returns the version of images in the map, for a new image.
func (e *Editor) imageVersion() int32 {
	for _, im := range e.m.Images {
		return im.Version
	}
	return 1
}

func checkPicture(p *image.NRGBA) error {
	if p.Rect.Empty() {
		return errors.New("the picture has 0 x 0 pixels")
	}
	return twmap.CheckSize(p.Rect.Dx(), p.Rect.Dy())
}

// ReplaceImages replaces the pictures of images, and embeds them. It fails if tiles use one of the images and the
// picture cannot be divided into 16 x 16 tiles, because the game would not draw them.
func (e *Editor) ReplaceImages(images []int, picture *image.NRGBA) error {
	if err := allInRange(twmap.PartImage, images, len(e.m.Images)); err != nil {
		return err
	}
	if err := checkPicture(picture); err != nil {
		return err
	}
	for _, i := range images {
		if err := e.fitsTiles(i, picture.Rect); err != nil {
			return err
		}
	}
	for _, i := range images {
		im := e.m.Images[i]
		w, h := im.Width(), im.Height()
		if old, err := im.Picture(); err == nil && old != nil && samePicture(old, picture) {
			continue
		}
		im.SetPicture(picture)
		im.Variant = 1
		e.reportChange(im, 1, "", "replaced: %d x %d pixels became %d x %d", w, h, im.Width(), im.Height())
	}
	return nil
}

func (e *Editor) fitsTiles(i int, rect image.Rectangle) error {
	if rect.Dx()%16 == 0 && rect.Dy()%16 == 0 {
		return nil
	}
	for l, part := range layers(e.m) {
		if t, ok := l.(*twmap.TileLayer); ok && t.Image == i && !t.Kind().Physics() {
			return fmt.Errorf("%s: %d x %d pixels cannot be cut into 16 x 16 tiles, and the tiles of %s are drawn with it",
				e.Path(e.m.Images[i]), rect.Dx(), rect.Dy(), part.Path())
		}
	}
	return nil
}

func samePicture(a, b *image.NRGBA) bool {
	if a.Rect.Size() != b.Rect.Size() {
		return false
	}
	for y := range a.Rect.Dy() {
		if !bytes.Equal(row(a, y), row(b, y)) {
			return false
		}
	}
	return true
}

// row returns the bytes of a row of pixels.
func row(p *image.NRGBA, y int) []byte {
	at := p.PixOffset(p.Rect.Min.X, p.Rect.Min.Y+y)
	return p.Pix[at : at+4*p.Rect.Dx()]
}

// RenameImage changes the name of an image. An external image then refers to another image of the game.
func (e *Editor) RenameImage(i int, name string) error {
	if err := inRange(twmap.PartImage, i, len(e.m.Images)); err != nil {
		return err
	}
	im := e.m.Images[i]
	if im.External() && !slices.Contains(twmap.ExternalImages, name) {
		return fmt.Errorf("%s is external, and the game has no image %q", e.Path(im), name)
	}
	if err := checkName(twmap.PartImage, name); err != nil || im.Name == name {
		return err
	}
	e.reportChange(im, 1, "", "renamed to %q", name)
	im.Name = name
	return nil
}

// EmbedImages embeds the pictures of external images. find returns the game's picture for a name.
func (e *Editor) EmbedImages(images []int, find func(name string) (*image.NRGBA, error)) error {
	if err := allInRange(twmap.PartImage, images, len(e.m.Images)); err != nil {
		return err
	}
	found := make(map[*twmap.Image]*image.NRGBA)
	for _, i := range images {
		im := e.m.Images[i]
		if !im.External() {
			continue
		}
		p, err := find(im.Name)
		if err == nil {
			err = checkPicture(p)
		}
		if err == nil {
			err = e.fitsTiles(i, p.Rect)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Path(im), err)
		}
		found[im] = p
	}
	for _, i := range images {
		im := e.m.Images[i]
		if p := found[im]; p != nil && im.External() {
			im.SetPicture(p)
			im.Variant = 1
			e.reportChange(im, 1, "", "embedded with %d x %d pixels", im.Width(), im.Height())
		}
	}
	return nil
}

// MakeImagesExternal removes pictures from the map that the game has under the same name; find returns the game's
// picture. It fails for an image that the game does not have, and for an image whose picture differs from the game's.
// If find is nil, pictures are not compared.
func (e *Editor) MakeImagesExternal(images []int, find func(name string) (*image.NRGBA, error)) error {
	if err := allInRange(twmap.PartImage, images, len(e.m.Images)); err != nil {
		return err
	}
	for _, i := range images {
		im := e.m.Images[i]
		if im.External() {
			continue
		}
		if !slices.Contains(twmap.ExternalImages, im.Name) {
			return fmt.Errorf("%s: the game has no image %q", e.Path(im), im.Name)
		}
		if find == nil {
			continue
		}
		original, err := find(im.Name)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Path(im), err)
		}
		if own, err := im.Picture(); err != nil || own == nil || !looksSame(own, original) {
			return fmt.Errorf("%s: its picture is not the one that the game has", e.Path(im))
		}
	}
	for _, i := range images {
		if im := e.m.Images[i]; !im.External() {
			im.SetExternal(im.Width(), im.Height())
			e.reportChange(im, 1, "", "made external")
		}
	}
	return nil
}

// looksSame is samePicture without the colours of invisible pixels, which editors change.
func looksSame(a, b *image.NRGBA) bool {
	if a.Rect.Size() != b.Rect.Size() {
		return false
	}
	for y := range a.Rect.Dy() {
		p, q := row(a, y), row(b, y)
		for i := 0; i < len(p); i += 4 {
			if (p[i+3] != 0 || q[i+3] != 0) && !bytes.Equal(p[i:i+4], q[i:i+4]) {
				return false
			}
		}
	}
	return true
}

// RemoveImages removes images. Layers that use one of them then have none.
func (e *Editor) RemoveImages(images []int) error {
	return e.remove(twmap.PartImage, images, func(i int) any { return e.m.Images[i] })
}

// RemoveUnusedImages removes the images that no layer uses.
func (e *Editor) RemoveUnusedImages() error { return e.RemoveImages(e.unused(twmap.PartImage)) }

// MoveImage moves an image to another position in the list; to is counted without the image.
func (e *Editor) MoveImage(from, to int) error {
	if err := inRange(twmap.PartImage, from, len(e.m.Images)); err != nil {
		return err
	}
	return e.move(twmap.PartImage, from, to, e.m.Images[from])
}

// SortImages sorts the images by name, like the editor.
func (e *Editor) SortImages() error {
	order := without(len(e.m.Images), nil)
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(e.m.Images[a].Name, e.m.Images[b].Name) })
	moved := 0
	for is, was := range order {
		if is != was {
			moved++
		}
	}
	if err := e.reorder(twmap.PartImage, order); err != nil {
		return err
	}
	e.reportChange(nil, moved, "images", "images sorted by name")
	return nil
}

// MergeImages merges images with the same picture and updates the references. Images that layers with an automapper
// use are merged only with images of the same name, because the name selects the rules.
func (e *Editor) MergeImages() error {
	ruled := make(map[int]bool)
	for _, l := range e.m.Layers() {
		if t, ok := l.(*twmap.TileLayer); ok && t.AutoMapper != nil && t.AutoMapper.Config >= 0 {
			ruled[t.Image] = true
		}
	}
	into := make(map[int]int)
	pictures := make([]*image.NRGBA, len(e.m.Images))
	for i, im := range e.m.Images {
		if !im.External() {
			pictures[i], _ = im.Picture()
		}
		for j, other := range e.m.Images[:i] {
			if _, merged := into[j]; merged || im.Name != other.Name && ruled[i] || im.External() != other.External() {
				continue
			}
			same := im.External() && im.Name == other.Name
			if pictures[i] != nil && pictures[j] != nil {
				same = samePicture(pictures[i], pictures[j])
			}
			if same {
				into[i] = j
				break
			}
		}
	}
	if len(into) == 0 {
		return nil
	}
	if _, err := Renumber(e.m, twmap.PartImage, func(i int) int {
		if j, merged := into[i]; merged {
			return j
		}
		return i
	}); err != nil {
		return err
	}
	var gone []int
	for i, im := range e.m.Images {
		if j, merged := into[i]; merged {
			gone = append(gone, i)
			e.reportChange(im, 1, "", "became one with %s, which is the same", e.Path(e.m.Images[j]))
		}
	}
	return e.reorder(twmap.PartImage, without(len(e.m.Images), gone))
}
