// Package imageset reads the .IMAGESET files of Torchlight II: XML files of CEGUI that give names to parts of a
// picture, its sprites.
package imageset

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
)

// Set is the content of a file.
type Set struct {
	Name    string
	File    string // path of the picture in the game, for example media/ui/icons.dds
	Sprites []Sprite

	NativeWidth, NativeHeight string // size of the screen that the set was drawn for, in pixels, unparsed; "" if absent
}

// Sprite is a part of the picture. It may extend beyond it.
type Sprite struct {
	Name string
	Rect image.Rectangle // in pixels of the picture, from its top left corner; well-formed
	Line int             // line of the file, from 1, where the sprite begins; 0 for a sprite that was not parsed
}

// maxSide limits coordinates of sprites, so that sums cannot overflow.
const maxSide = 1 << 20

// Parse reads a file: UTF-8 or UTF-16 with a byte order mark. It ignores the encoding that the first line states. It
// accepts slightly malformed XML, as CEGUI does. In case of an error, which is a [*fault.Error], it also returns the
// part that was read.
func Parse(data []byte) (*Set, error) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) {
		data = []byte(bin.DecodeUTF16(data[2:]))
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = false
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // names are ASCII
	var set *Set
	var first error // the first invalid sprite; the others are read
	line, counted := 1, 0
	ended := false
	for {
		at := dec.InputOffset()
		token, err := dec.RawToken()
		switch {
		case errors.Is(err, io.EOF) && set != nil && !ended && first == nil:
			return set, &fault.Error{Path: "xml", Offset: at, Want: "the end of the element Imageset",
				Got: "the end of the file", Err: fault.ErrShort}
		case errors.Is(err, io.EOF) && set != nil:
			return set, first
		case err != nil:
			return set, &fault.Error{Path: "xml", Offset: at, Want: "XML with an element Imageset", Got: err.Error(), Err: fault.ErrFormat}
		}
		if end, ok := token.(xml.EndElement); ok && strings.EqualFold(end.Name.Local, "Imageset") {
			ended = true
		}
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case set == nil && !strings.EqualFold(start.Name.Local, "Imageset"):
			return nil, &fault.Error{Path: "xml", Offset: at, Want: "an element Imageset", Got: start.Name.Local, Err: fault.ErrFormat}
		case set == nil:
			set = &Set{
				Name: attribute(start, "Name"), File: attribute(start, "Imagefile"),
				NativeWidth: attribute(start, "NativeHorzRes"), NativeHeight: attribute(start, "NativeVertRes"),
			}
		case strings.EqualFold(start.Name.Local, "Image"):
			line += bytes.Count(data[counted:at], []byte("\n"))
			counted = int(at)
			s, err := sprite(start)
			s.Line = line
			if err != nil && first == nil {
				first = &fault.Error{Path: fmt.Sprintf("images[%d]", len(set.Sprites)), Offset: at,
					Want: "whole numbers XPos, YPos, Width and Height", Got: err.Error(), Err: fault.ErrFormat}
			}
			set.Sprites = append(set.Sprites, s)
		}
	}
}

// attribute returns an attribute of an element, or "" if it has no attribute of that name.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return strings.ToValidUTF8(a.Value, "\uFFFD")
		}
	}
	return ""
}

func sprite(e xml.StartElement) (s Sprite, err error) {
	var v [4]int
	for i, name := range []string{"XPos", "YPos", "Width", "Height"} {
		text := attribute(e, name)
		if text == "" {
			continue
		}
		f, failed := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if failed != nil || !(f >= -maxSide && f <= maxSide) {
			err = fmt.Errorf("%s %q", name, text)
			continue
		}
		v[i] = int(f)
	}
	s.Name = attribute(e, "Name")
	s.Rect = image.Rect(v[0], v[1], v[0]+max(0, v[2]), v[1]+max(0, v[3]))
	return s, err
}

// Spend counts the pixels of all sprites in a picture. The error is that of [effort.Meter.Spend].
func (s *Set) Spend(work effort.Meter, m *image.NRGBA) error {
	for _, sprite := range s.Sprites {
		size := sprite.Cut(m).Rect.Size()
		if err := work.Spend(int64(size.X) * int64(size.Y)); err != nil {
			return err
		}
	}
	return nil
}

// Cut returns the part of a picture that a sprite shows. It shares the pixels of the picture, and is empty if the
// sprite is outside of the picture.
func (s Sprite) Cut(sheet *image.NRGBA) *image.NRGBA {
	return sheet.SubImage(s.Rect.Add(sheet.Rect.Min)).(*image.NRGBA)
}
