package twmap

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/text/words"
)

// maxMedia is the number of images, and of sounds, that the client loads at most.
const maxMedia = 64

// maxItems is the number of items of a type that a datafile can number.
const maxItems = math.MaxUint16

func (c *checker) checkMedia() {
	c.add(c.checkAmounts)
	for i, im := range c.m.Images {
		c.add(func(sink check.Sink) { c.checkImageItem(sink, &Part{Kind: PartImage, Number: i, Name: im.Name}, im) })
	}
	for i, s := range c.m.Sounds {
		c.add(func(sink check.Sink) { c.checkSound(sink, &Part{Kind: PartSound, Number: i, Name: s.Name}, s) })
	}
}

func (c *checker) checkAmounts(sink check.Sink) {
	m := c.m
	for _, a := range []struct {
		what  string
		n, up int
	}{
		{"images", len(m.Images), maxMedia},
		{"sounds", len(m.Sounds), maxMedia},
		{"envelopes", len(m.Envelopes), maxItems},
		{"groups", len(m.Groups), maxItems},
		{"layers", len(m.Layers()), maxItems},
	} {
		if a.n > a.up {
			sink.Add(foundAmount, a.what, -1, "the map has %d %s, the game accepts %d", a.n, a.what, a.up)
		}
	}
}

func (c *checker) checkImageItem(sink check.Sink, part *Part, im *Image) {
	path, at := part.Path(), part.at()
	c.checkMediaName(sink, part, &im.name, im.Name, ".png")
	if im.Version >= 2 && im.Variant != 1 {
		sink.AddAt(foundImageVariant, at, path, -1, "the image %q has variant %d, should be 1 for RGBA", im.Name, im.Variant)
	}
	if im.external {
		known := ExternalImages
		if im.Version < 2 {
			known = ExternalImages06
		}
		if !slices.Contains(known, im.Name) {
			sink.AddAt(foundImageExternal, at, path, -1, "the image %q is external, but not every installation has it%s",
				im.Name, words.DidYouMean(im.Name, known, max(len(im.Name)/3, 1)))
		}
		if b := im.data.block; b != nil && !im.changed {
			sink.AddAt(foundImageExternalData, at, path, im.data.offset(), "the image %q is external, but data block %d has pixels of it",
				im.Name, im.data.index)
		}
		return
	}
	if !im.changed && !checkRef(sink, at, path, "picture", &im.data) {
		return
	}
	if im.width <= 0 || im.height <= 0 {
		sink.AddAt(foundImageSize, at, path, -1, "the image %q is %d x %d pixels large", im.Name, im.width, im.height)
		return
	}
	offset := im.data.offset()
	if im.RGB() {
		sink.AddAt(foundImageRGB, at, path, offset, "the image %q has three bytes for each of its %d x %d pixels", im.Name, im.width, im.height)
	} else if err := im.verify(); err != nil {
		sink.AddAt(foundImageData, at, path, offset, "the image %q: %s", im.Name, reason(err))
	}
}

// verify returns the error of reading the pixels of an embedded image. It does not keep the pixels.
func (im *Image) verify() error {
	if !im.changed && im.HasPicture() {
		return im.data.block.Verify()
	}
	_, err := im.Picture()
	return err
}

func (c *checker) checkSound(sink check.Sink, part *Part, s *Sound) {
	path, at := part.Path(), part.at()
	c.checkMediaName(sink, part, &s.name, s.Name, ".opus")
	if s.external {
		sink.AddAt(foundSoundExternal, at, path, -1, "the sound %q is external", s.Name)
		return
	}
	if !s.changed && !checkRef(sink, at, path, "sound", &s.data) {
		return
	}
	offset := s.data.offset()
	if s.changed {
		offset = -1
	}
	look := func(opus []byte, err error) {
		if err == nil {
			err = CheckOpus(opus)
		}
		if err != nil {
			sink.AddAt(foundSoundData, at, path, offset, "the sound %q: %s", s.Name, reason(err))
		}
	}
	if !s.changed && s.data.block != nil {
		s.data.block.Look(look)
	} else {
		look(s.opus, nil)
	}
}

// CheckOpus checks the header of an Opus file and returns an error for anything else. The header is the first page of
// an Ogg stream, which holds only an identification header (RFC 7845).
func CheckOpus(data []byte) error {
	const pageHeader = 27
	switch {
	case len(data) == 0:
		return errors.New("the area is empty")
	case !bytes.HasPrefix(data, []byte("OggS")):
		return errors.New("not an Ogg file")
	case len(data) < pageHeader:
		return errors.New("the file ends in the header of its first page")
	}
	head := data[min(pageHeader+int(data[pageHeader-1]), len(data)):] // after the segment table
	switch {
	case !bytes.HasPrefix(head, []byte("OpusHead")) || len(head) < 19:
		return errors.New("an Ogg file, but its codec is not Opus")
	case head[8]>>4 != 0: // only the upper four bits break compatibility
		return fmt.Errorf("its version %d of Opus is unknown", head[8])
	case head[9] != 1 && head[9] != 2:
		return fmt.Errorf("the sound has %s, the game plays 1 or 2", words.Count(head[9], "channel"))
	}
	return nil
}

// checkUse reports the images, sounds and envelopes that no layer refers to.
func (c *checker) checkUse(sink check.Sink) {
	var images, sounds, envelopes spots
	for i, im := range c.m.Images {
		if !c.images[i] {
			part := &Part{Kind: PartImage, Number: i, Name: im.Name}
			images.addAs(part.Whole(), func() string { return fmt.Sprintf("%d %q", i, im.Name) })
		}
	}
	for i, s := range c.m.Sounds {
		if !c.sounds[i] {
			part := &Part{Kind: PartSound, Number: i, Name: s.Name}
			sounds.addAs(part.Whole(), func() string { return fmt.Sprintf("%d %q", i, s.Name) })
		}
	}
	for i, e := range c.m.Envelopes {
		if !c.envels[i] {
			part := &Part{Kind: PartEnvelope, Number: i, Name: e.Name}
			envelopes.addAs(part.Whole(), func() string { return title(fmt.Sprint(i), e.Name) })
		}
	}
	for _, unused := range []struct {
		kind  *check.Kind
		what  string
		spots spots
	}{{foundImageUnused, "image", images}, {foundSoundUnused, "sound", sounds}, {foundEnvelopeUnused, "envelope", envelopes}} {
		if s := unused.spots; s.n > 0 {
			sink.AddAt(unused.kind, s.at(), unused.what+"s", -1, "nothing uses %s: %s", s.of(unused.what), &s)
		}
	}
}
