package mapops

import (
	"image"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapscene"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// NewImage are the arguments of add-image.
type NewImage struct {
	NewName
	PNG
}

// PNG is the argument for a picture.
type PNG struct {
	File string `arg:"file,input" help:"a picture, PNG"`
}

// AddImage adds an image.
func AddImage(e *Editor, o NewImage) error {
	p, err := mapdraw.ReadPNG(o.File)
	if err != nil {
		return err
	}
	return e.AddImage(o.Name, p)
}

// GameImages are the arguments of add-external-images.
type GameImages struct {
	Names []string `arg:"name,required" help:"an image of the game; easter and generic_shadows are only in Teeworlds 0.7"`
}

// Describe describes the arguments.
func (GameImages) Describe(o *format.Option) { o.Choices = twmap.ExternalImages }

// AddExternalImages adds images of the game.
func AddExternalImages(e *Editor, o GameImages) error {
	for _, name := range o.Names {
		if err := e.AddExternalImage(name, 0, 0); err != nil {
			return err
		}
	}
	return nil
}

// ImageFile are the arguments of replace-image.
type ImageFile struct {
	ImageArg
	PNG
}

// ReplaceImages gives images another picture.
func ReplaceImages(e *Editor, list []int, o ImageFile) error {
	p, err := mapdraw.ReadPNG(o.File)
	if err != nil {
		return err
	}
	return e.ReplaceImages(list, p)
}

// ExternalImages are the options of operations that need the pictures of external images.
type ExternalImages struct {
	ImageArgs
	mapscene.Pictures
}

// external returns a function that returns the pictures of external images.
func external(e *Editor, o mapscene.Pictures) (func(name string) (*image.NRGBA, error), error) {
	draw, err := o.Options(e.Job.Source)
	if err != nil {
		return nil, err
	}
	r, err := mapdraw.New(e.Map(), draw)
	if err != nil {
		return nil, err
	}
	return r.External, nil
}

// EmbedImages embeds external images.
func EmbedImages(e *Editor, list []int, o ExternalImages) error {
	find, err := external(e, o.Pictures)
	if err != nil {
		return err
	}
	return e.EmbedImages(list, find)
}

// Externalizing are the options of externalize-images.
type Externalizing struct {
	SomeImages
	Force bool `option:"force" help:"even if the picture differs from the game's, or if the game's picture is not found"`
	mapscene.Pictures
}

// ExternalizeImages makes embedded images external.
func ExternalizeImages(e *Editor, list []int, o Externalizing) error {
	find, err := external(e, o.Pictures)
	if err != nil {
		return err
	}
	if o.Force {
		find = nil
	}
	return e.MakeImagesExternal(list, find)
}
