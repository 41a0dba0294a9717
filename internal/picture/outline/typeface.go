package outline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"trowel.example/internal/limits/effort"
)

// goFonts are the fonts of the Go project, by name.
var goFonts = map[string][]byte{
	"regular": goregular.TTF, "bold": gobold.TTF, "italic": goitalic.TTF, "bold-italic": gobolditalic.TTF,
	"mono": gomono.TTF, "mono-bold": gomonobold.TTF,
}

// GoFonts returns the names of the fonts of the Go project.
func GoFonts() []string {
	return []string{"regular", "bold", "italic", "bold-italic", "mono", "mono-bold"}
}

// GoFont returns a font of the Go project, which has Latin, Greek and Cyrillic letters.
func GoFont(name string) (*Font, error) {
	data, ok := goFonts[name]
	if !ok {
		return nil, fmt.Errorf("no font %q: expected %s", name, strings.Join(GoFonts(), ", "))
	}
	return ParseFont(data)
}

// Font is a font. Only one goroutine may use it.
type Font struct {
	sfnt   *sfnt.Font
	buffer sfnt.Buffer
	drawn  *sfnt.Font // the same font, read from source
	source *source
	tables int64 // reads that its tables took

	ascent, descent float64 // of a line, in sizes of the font
}

// em is the size in which a font is measured: a number of 26.6 fixed-point.
const em = 1024

// ParseFont reads a TrueType or OpenType font, or the first one of a collection.
func ParseFont(data []byte) (*Font, error) {
	f := &Font{source: newSource(data)}
	c, err := sfnt.ParseCollectionReaderAt(f.source)
	if err == nil {
		f.drawn, err = c.Font(0)
	}
	if err = cmp.Or(f.source.err, err); err != nil {
		return nil, err
	}
	f.tables = f.source.reads
	if c, err = sfnt.ParseCollection(data); err != nil {
		return nil, err
	}
	if f.sfnt, err = c.Font(0); err != nil {
		return nil, err
	}
	m, err := f.sfnt.Metrics(&f.buffer, fixed.I(em), font.HintingNone)
	if err != nil {
		return nil, err
	}
	f.ascent, f.descent = length(m.Ascent), length(m.Descent)
	if f.ascent <= 0 || f.descent < 0 || f.ascent+f.descent > 10 {
		return nil, fmt.Errorf("the letters of the font extend from %g to %g, which is too far", -f.descent, f.ascent)
	}
	return f, nil
}

// length returns a measure in sizes of the font.
func length(v fixed.Int26_6) float64 { return float64(v) / 64 / em }

// Height returns the height of a line, in sizes of the font.
func (f *Font) Height() float64 { return f.ascent + f.descent }

// Ascent returns the distance from the top of a line to its base, in sizes of the font.
func (f *Font) Ascent() float64 { return f.ascent }

// Lacks returns the characters of a text that the font lacks, each once. Spaces need no letter.
func (f *Font) Lacks(text string) string {
	lacks := ""
	for _, c := range text {
		if i, err := f.sfnt.GlyphIndex(&f.buffer, c); (err != nil || i == 0) && c != ' ' && !strings.ContainsRune(lacks, c) {
			lacks += string(c)
		}
	}
	return lacks
}

// Letter is a letter of a line, with the place of its origin on the base of the line, in sizes of the font.
type Letter struct {
	Rune rune
	X    float64
}

// Line lays out a line from left to right: with kerning, and with a distance that is added after each letter. Spaces are
// left out. It returns the width of the line.
func (f *Font) Line(text string, spacing float64) (letters []Letter, width float64, err error) {
	var before sfnt.GlyphIndex
	for i, c := range []rune(text) {
		if err := f.source.spend(f.tables); err != nil { // each of them may be searched for the kerning
			return nil, 0, err
		}
		g, err := f.sfnt.GlyphIndex(&f.buffer, c)
		if err != nil {
			continue
		}
		if i > 0 {
			width += spacing
			if kern, err := f.sfnt.Kern(&f.buffer, before, g, fixed.I(em), font.HintingNone); err == nil {
				width += length(kern)
			}
		}
		if c != ' ' {
			letters = append(letters, Letter{c, width})
		}
		if advance, err := f.sfnt.GlyphAdvance(&f.buffer, g, fixed.I(em), font.HintingNone); err == nil {
			width += length(advance)
		}
		before = g
	}
	return letters, width, nil
}

// Outline returns the outline of a letter with its origin at 0,0, in units of which the font has a size. It encloses the letter
// by the rule NonZero. It fails with [fault.ErrLimit] if the letters of the font are too much work.
func (f *Font) Outline(c rune, size, tolerance float64) (Path, error) {
	g, err := f.sfnt.GlyphIndex(&f.buffer, c)
	if err != nil {
		return nil, err
	}
	most := int(effort.OutlinePoints.Limit(0))
	left := most
	p := Pen{Tolerance: tolerance, Left: &left}
	f.source.letter = true
	segments, err := f.drawn.LoadGlyph(&f.buffer, g, fixed.I(em), nil)
	f.source.letter = false
	if err = cmp.Or(f.source.err, err); err != nil {
		return nil, fmt.Errorf("the letter %q: %w", c, err)
	}
	at := func(q fixed.Point26_6) Point {
		return Point{X: length(q.X) * size, Y: length(q.Y) * size}
	}
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			p.Move(at(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			p.Line(at(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			p.Quad(at(s.Args[0]), at(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			p.Cube(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
		}
	}
	if left < 0 {
		return nil, fmt.Errorf("the outline of the letter %q: %w", c, effort.OutlinePoints.More())
	}
	if err := f.source.spend(perPoint * int64(most-left)); err != nil {
		return nil, fmt.Errorf("the letter %q: %w", c, err)
	}
	return p.Path(), nil
}

// lettersIn returns the characters of texts, each once, without spaces, in ascending order.
func lettersIn(texts ...string) []rune {
	list := []rune(strings.ReplaceAll(strings.Join(texts, ""), " ", ""))
	slices.Sort(list)
	return slices.Compact(list)
}
