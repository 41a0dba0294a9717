package sheet

import (
	"image"
	"image/color"
	"math"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Larger letters are scaled up from this size, and smaller ones are unreadable.
const (
	maxSize = 200.0
	minSize = 3.0
)

var regular = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the font is embedded in the program
	}
	return f
})

// newFace returns the font in a size. Goroutines must not share it.
func newFace(size float64) font.Face {
	face, err := opentype.NewFace(regular(), &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err)
	}
	return face
}

const measured = 64 // size of the font for measurements

var measures = sync.Pool{New: func() any { return newFace(measured) }}

// TextWidth returns the width of a text in a font of size 1.
func TextWidth(text string) float64 {
	face := measures.Get().(font.Face)
	defer measures.Put(face)
	return float64(font.MeasureString(face, text)) / 64 / measured
}

// Line is a line of text in a picture.
type Line struct {
	Text  string
	At    [2]float64 // left end of the baseline, in units
	Size  float64    // of the font, in units
	Color color.NRGBA
}

// Draw writes a line over the pixels of dst.Rect, a part of a picture whose top left corner is at origin and whose
// pixels are 1/scale units wide. A pixel does not depend on the part.
func (l Line) Draw(dst *image.RGBA, origin [2]float64, scale float64) {
	size := l.Size * scale
	if !(size >= minSize) {
		return
	}
	left, base := (l.At[0]-origin[0])*scale, (l.At[1]-origin[1])*scale
	within := func(v float64, low, high int) int { return int(min(max(v, float64(low)), float64(high))) } // avoids an overflow
	r := dst.Rect
	r.Min.Y = within(math.Floor(base-1.2*size-1), dst.Rect.Min.Y, dst.Rect.Max.Y)
	r.Max.Y = within(math.Ceil(base+size/2+1), dst.Rect.Min.Y, dst.Rect.Max.Y)
	r.Min.X = within(math.Floor(left-2), dst.Rect.Min.X, dst.Rect.Max.X)
	if r.Empty() {
		return
	}
	coarse := max(1, size/maxSize)
	width := TextWidth(l.Text) * size
	r.Max.X = within(math.Ceil(left+width+4), dst.Rect.Min.X, dst.Rect.Max.X)
	if r.Empty() {
		return
	}
	x0, y0 := math.Floor(left), math.Floor(base)
	// The mask contains the whole text, whatever part is drawn.
	mask := image.NewAlpha(image.Rect(-2, int(-1.2*size/coarse)-2, int(width/coarse)+4, int(size/coarse/2)+2))
	d := font.Drawer{Dst: mask, Src: image.Opaque, Face: newFace(size / coarse),
		Dot: fixed.Point26_6{X: fixed.Int26_6((left - x0) / coarse * 64), Y: fixed.Int26_6((base - y0) / coarse * 64)}}
	d.DrawString(l.Text)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			mx, my := math.Floor((float64(x)-x0)/coarse), math.Floor((float64(y)-y0)/coarse)
			Blend(dst.Pix[dst.PixOffset(x, y):], l.Color, float64(mask.AlphaAt(int(mx), int(my)).A)/255)
		}
	}
}

// Blend draws a color over the first pixel, weighted by its coverage.
func Blend(pix []byte, c color.NRGBA, covered float64) {
	if covered <= 0 {
		return
	}
	a := min(covered, 1) * float64(c.A) / 255
	for i, v := range [4]uint8{c.R, c.G, c.B, 255} {
		pix[i] = uint8(float64(v)*a + float64(pix[i])*(1-a) + 0.5)
	}
}

// maxRunes is the greatest number of letters of a text that Wrap reads.
const maxRunes = 2000

// Wrap breaks a text into at most most lines that are no wider than width in a font of size 1: after spaces,
// underscores and slashes, or else between any letters. A text that does not fit ends with an ellipsis.
func Wrap(text string, width float64, most int) []string {
	text = text[:min(len(text), 4*maxRunes)]
	rest := []rune(strings.Map(printable, strings.ToValidUTF8(text, "\uFFFD")))
	cut := len(rest) > maxRunes
	rest = rest[:min(len(rest), maxRunes)]
	var lines []string
	for len(rest) > 0 && len(lines) < most {
		n := fitting(rest, width)
		if n == len(rest) && !cut {
			return append(lines, string(rest))
		}
		if len(lines) == most-1 {
			n = fitting(rest, width-TextWidth("…"))
			return append(lines, strings.TrimRight(string(rest[:n]), " ")+"…")
		}
		for i := n; i > 0 && n < len(rest); i-- {
			if strings.ContainsRune(" _/", rest[i-1]) || rest[i] == ' ' {
				n = i
				break
			}
		}
		lines = append(lines, strings.TrimRight(string(rest[:n]), " "))
		for rest = rest[n:]; len(rest) > 0 && rest[0] == ' '; rest = rest[1:] {
		}
	}
	return lines
}

func printable(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// fitting returns the number of letters at the beginning of a text that fit into a width; at least 1.
func fitting(text []rune, width float64) int {
	low, high := 1, len(text)
	if TextWidth(string(text)) <= width {
		return high
	}
	for low < high {
		middle := (low + high + 1) / 2
		if TextWidth(string(text[:middle])) <= width {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return min(low, len(text))
}
