//go:build !js

package mapops

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/outline"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

const maxText = 10_000 // characters

// Text are the options of operations that write text.
type Text struct {
	Lines []string `arg:"line,required" help:"the text of a line"`
	Font  string   `option:"font,input" help:"a {file} with a font: TrueType or OpenType (default: a font of Go)"`
	Face  string   `option:"face" help:"the font of Go, which has Latin, Greek and Cyrillic letters"`
	Align string   `option:"align" choices:"left|center|right" default:"left" help:"what is at --x of each line"`
}

// describe describes the options. The usual font is one of Go.
func (Text) describe(o *format.Option, usual string) {
	if o.Name == "face" {
		o.Choices, o.Default = outline.GoFonts(), usual
	}
}

// TextName is the option for the group of a text.
type TextName struct {
	Name string `option:"name" help:"the {name} of the group (default: the text)"`
}

// open returns the font and the name of its image.
func (o Text) open() (f *outline.Font, name string, err error) {
	text, of := strings.Join(o.Lines, ""), "the font"
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || utf8.RuneCountInString(text) > maxText {
		return nil, "", fmt.Errorf("expected at most %s, without control characters", words.Count(maxText, "character"))
	}
	if strings.Trim(text, " ") == "" {
		return nil, "", errors.New("the text is empty")
	}
	if o.Font == "" {
		f, err = outline.GoFont(o.Face)
		name = "font_go_" + strings.ReplaceAll(o.Face, "-", "_")
	} else {
		var data []byte
		if data, err = regular.ReadFile(o.Font, effort.SideFile); err == nil {
			if f, err = outline.ParseFont(data); err != nil {
				err = fmt.Errorf("%s: %w", o.Font, err)
			}
		}
		of = o.Font
		name = "font_" + strings.TrimSuffix(filepath.Base(o.Font), filepath.Ext(o.Font))
	}
	if err != nil {
		return nil, "", err
	}
	if lacks := f.Lacks(text); lacks != "" {
		return nil, "", fmt.Errorf("%s has no letters for %q: --font names another font", of, lacks)
	}
	return f, name, nil
}

// name returns the name of the group for the text.
func (o TextName) of(lines []string) string { return cmp.Or(o.Name, strings.Join(lines, " ")) }

// aligned returns the share of the width of a line by which it begins to the left of its place.
func (o Text) aligned() float64 {
	return map[string]float64{"center": 0.5, "right": 1}[o.Align]
}

// TextQuads are the options of text-quads.
type TextQuads struct {
	Size  float64     `option:"size" default:"32" help:"the size of the font, in {pixels} of the map; a tile has 32"`
	Color color.NRGBA `option:"color" default:"#ffffff" help:"the colour of the text, such as #ff8000"`
	Text
	LetterSpacing float64 `option:"letter-spacing" default:"0" help:"{pixels} that are added between letters"`
	LineSpacing   float64 `option:"line-spacing" default:"0" help:"{pixels} that are added between lines"`
	Outlines      bool    `option:"outlines" help:"fill the outlines of the letters with quads instead"`
	Division
	TextName
	Placing
}

// Describe describes the options.
func (q TextQuads) Describe(o *format.Option) { q.describe(o, "regular") }

// AddTextQuads writes text in quads: one for each letter, which shows a part of an image, or several without an image.
func AddTextQuads(e *Editor, o TextQuads) error {
	if err := o.check(o.Placing); err != nil {
		return err
	}
	if !(o.Size >= 1 && o.Size <= 10_000) {
		return fmt.Errorf("--size: %g: expected 1 to 10000 pixels", o.Size)
	}
	if most := 10 * o.Size; max(o.LetterSpacing, -o.LetterSpacing, o.LineSpacing, -o.LineSpacing) > most {
		return fmt.Errorf("expected spacings of at most %g pixels", most)
	}
	f, name, err := o.open()
	if err != nil {
		return err
	}
	var written []writtenLetter
	for i, line := range o.Lines {
		letters, width, err := f.Line(line, o.LetterSpacing/o.Size)
		if err != nil {
			return err
		}
		top := float64(i) * (f.Height()*o.Size + o.LineSpacing)
		for _, l := range letters {
			written = append(written, writtenLetter{l.Rune, (l.X - width*o.aligned()) * o.Size, top + f.Ascent()*o.Size})
		}
	}
	for _, l := range written {
		if max(l.x, -l.x, l.y, -l.y) > maxPlace/2 {
			return errors.New("the text would exceed the coordinates of a map")
		}
	}
	if o.Outlines {
		return o.outlines(e, f, written)
	}
	return o.textured(e, f, name, written)
}

// writtenLetter is a letter with its origin, in pixels.
type writtenLetter struct {
	char rune
	x, y float64
}

// outlines adds quads that fill the outlines of letters.
func (o TextQuads) outlines(e *Editor, f *outline.Font, written []writtenLetter) error {
	var all []outline.Quad
	limits := o.limits()
	paths := make(map[rune]outline.Path)
	for _, l := range written {
		p, known := paths[l.char]
		if !known {
			var err error
			if p, err = f.Outline(l.char, o.Size*perPixel, o.Tolerance*perPixel); err != nil {
				return err
			}
			paths[l.char] = p
		}
		p = p.Mapped(outline.Matrix{1, 0, 0, 1, l.x * perPixel, l.y * perPixel})
		quads, err := outline.Divide([]outline.Area{{Path: p}}, func(in []bool) color.NRGBA {
			if in[0] {
				return o.Color
			}
			return color.NRGBA{}
		}, &limits)
		if err != nil {
			return o.explain(err)
		}
		all = append(all, quads...)
	}
	return o.add(e, o.of(o.Lines), all, outline.Point{})
}

// textured adds a quad for each letter.
func (o TextQuads) textured(e *Editor, f *outline.Font, name string, written []writtenLetter) error {
	if len(written) > o.Most {
		return o.explain(outline.ErrQuads)
	}
	sheet, err := f.NewSheet(strings.Join(o.Lines, ""))
	if err != nil {
		return err
	}
	image, err := e.ShareImage(name, sheet.Picture)
	if err != nil {
		return err
	}
	var quads []twmap.Quad
	for _, l := range written {
		rect, at := sheet.Box(l.char)
		if rect.Empty() {
			continue
		}
		q := twmap.NewQuad(0, 0, 0, 0)
		for i := range q.Points {
			x, u, y, v := at[0], rect.Min.X, at[1], rect.Min.Y
			if i%2 == 1 {
				x, u = at[2], rect.Max.X
			}
			if i/2 == 1 {
				y, v = at[3], rect.Max.Y
			}
			q.Points[i] = o.at((l.x+x*o.Size)*perPixel, (l.y+y*o.Size)*perPixel)
			q.Texture[i] = twmap.Point{X: int32(u * 1024 / sheet.Picture.Rect.Dx()), Y: int32(v * 1024 / sheet.Picture.Rect.Dy())}
			q.Colors[i] = mapColor(o.Color)
		}
		q.Pivot = o.at((l.x+(at[0]+at[2])/2*o.Size)*perPixel, (l.y+(at[1]+at[3])/2*o.Size)*perPixel)
		quads = append(quads, q)
	}
	return o.addQuads(e, o.of(o.Lines), quads, image)
}

// TextTiles are the options of text-tiles.
type TextTiles struct {
	Color *color.NRGBA `option:"color" help:"the colour of a new layer, such as #ff8000 (default: white)"`
	Text
	LineSpacing int `option:"line-spacing" default:"0" help:"empty rows between lines"`
	TextName
	Pattern string `option:"layer" names:"layer"`
	X       int    `option:"x" default:"1" help:"the column of the text, from 0; the first column of a layer repeats to the left"`
	Y       int    `option:"y" default:"1" help:"the row of the first line, from 0; the first row repeats to the top"`
}

// Describe describes the options.
func (t TextTiles) Describe(o *format.Option) {
	t.describe(o, "mono-bold")
	o.Explain("layer", "write into this `layer`, which shows the image: a path such as Signs/Text, or numbers such as 3/1 "+
		"(default: a new group)")
}

// AddTextTiles writes text in tiles, one for each letter.
func AddTextTiles(e *Editor, o TextTiles) error {
	if max(o.X, -o.X, o.Y, -o.Y) > maxPlace || o.LineSpacing < 0 || o.LineSpacing > 1000 {
		return fmt.Errorf("expected a place from %d to %d, and a spacing of 0 to 1000 tiles", -maxPlace, maxPlace)
	}
	f, name, err := o.open()
	if err != nil {
		return err
	}
	sheet, err := f.NewSheet(strings.Join(o.Lines, ""))
	if err != nil {
		return err
	}
	var runs []mapedit.Run
	var right, bottom int
	for i, line := range o.Lines {
		n := utf8.RuneCountInString(line)
		x, y := o.X-int(float64(n)*o.aligned()), o.Y+i*(1+o.LineSpacing)
		for j, c := range []rune(line) {
			if c == ' ' {
				continue
			}
			if x+j < 0 || y < 0 {
				return fmt.Errorf("%q would be at %d,%d, outside of the layer", c, x+j, y)
			}
			runs = append(runs, mapedit.Run{X: x + j, Y: y, Length: 1, Cell: mapedit.Cell{ID: sheet.Tile(c)}})
			right, bottom = max(right, x+j), max(bottom, y)
		}
	}
	image, err := e.ShareImage(name, sheet.Picture)
	if err != nil {
		return err
	}
	at, err := o.layerFor(e, image, right+2, bottom+2)
	if err != nil {
		return err
	}
	_, err = e.Draw(at, runs, mapedit.PaintOptions{})
	return err
}

// layerFor returns the layer that --layer names, or a new one. It must show the image, and have room for the text; the edge of a
// new one stays empty, because it repeats.
func (o TextTiles) layerFor(e *Editor, image, w, h int) (at mapedit.LayerAt, err error) {
	if o.Pattern != "" {
		if o.Color != nil {
			return at, errors.New("--color is for a new layer: set-layer changes the colour of others")
		}
		if at, err = (LayerArg{o.Pattern}).selectOne(e); err != nil {
			return at, err
		}
		l, ok := e.Map().Groups[at.Group].Layers[at.Layer].(*twmap.TileLayer)
		switch {
		case !ok || l.Kind() != twmap.KindTiles || l.Image != image:
			return at, fmt.Errorf("%q does not show the image %q: expected a layer that does", o.Pattern, e.Map().Images[image].Name)
		case w-1 > l.Width() || h-1 > l.Height():
			return at, fmt.Errorf("the text takes %d x %d tiles: the layer has %d x %d", w-1, h-1, l.Width(), l.Height())
		}
		return at, nil
	}
	if game := e.Map().Physics(twmap.KindGame); game != nil {
		w, h = max(w, game.Width()), max(h, game.Height())
	}
	if err := mapedit.CheckSize(w, h); err != nil {
		return at, err
	}
	l := twmap.NewTileLayer(twmap.KindTiles, w, h)
	l.Image = image
	if o.Color != nil {
		l.Color = mapColor(*o.Color)
	}
	return addFront(e, o.of(o.Lines), l)
}
