package outline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"math"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"trowel.example/internal/limits/effort"
)

func TestGoFonts(t *testing.T) {
	for _, name := range GoFonts() {
		f, err := GoFont(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Height() < 1 || f.Height() > 1.5 || f.Ascent() >= f.Height() {
			t.Errorf("%s: %g high", name, f.Height())
		}
		if lacks := f.Lacks("Aß Жя Ωλ 漢 漢"); lacks != "漢" {
			t.Errorf("%s lacks %q", name, lacks)
		}
	}
	if _, err := GoFont("serif"); err == nil || !strings.Contains(err.Error(), "expected regular, bold") {
		t.Errorf("%v", err)
	}
}

func TestLine(t *testing.T) {
	f, err := GoFont("mono")
	if err != nil {
		t.Fatal(err)
	}
	letters, width, err := f.Line("a bc", 0)
	if err != nil || len(letters) != 3 || letters[0].X != 0 || letters[1].Rune != 'b' || math.Abs(letters[1].X-width/2) > 1e-9 ||
		math.Abs(width-2.4) > 0.01 {
		t.Errorf("%v, %g wide", letters, width)
	}
	if _, wide, _ := f.Line("a bc", 0.5); math.Abs(wide-width-1.5) > 1e-9 {
		t.Errorf("%g wide, without spacing %g", wide, width)
	}
	if letters, width, _ := f.Line("", 1); letters != nil || width != 0 {
		t.Errorf("%v, %g wide", letters, width)
	}
}

// TestOutline tests the size and the direction of a letter.
func TestOutline(t *testing.T) {
	f, err := GoFont("regular")
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Outline('L', 1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	least, most := bounds(p)
	if most.Y != 0 || least.Y < -800 || least.Y > -650 || len(p) != 1 {
		t.Errorf("L is from %v to %v: its foot belongs on the base", least, most)
	}
}

// TestSheet tests where letters are, that they are inside of their tiles, and that their boxes have all of them.
func TestSheet(t *testing.T) {
	for _, name := range GoFonts() {
		f, err := GoFont(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.NewSheet("Жу A")
		if err != nil {
			t.Fatal(err)
		}
		for c, want := range map[rune]uint8{'A': 1, 'Z': 26, '1': 54, '9': 62, '0': 63, ' ': 0, 'ы': 0} {
			if got := s.Tile(c); got != want {
				t.Errorf("%s: %q is tile %d, want %d", name, c, got, want)
			}
		}
		seen := make(map[uint8]bool)
		for _, c := range printable + "Жу" {
			tile := s.Tile(c)
			if tile == 0 || seen[tile] {
				t.Fatalf("%s: %q is tile %d", name, c, tile)
			}
			seen[tile] = true
			of := image.Rect(0, 0, sheetTile, sheetTile).Add(image.Pt(int(tile)%16*sheetTile, int(tile)/16*sheetTile))
			rect, at := s.Box(c)
			if !rect.In(of.Inset(1)) || at[0] >= at[2] || at[1] >= at[3] {
				t.Errorf("%s: %q is in %v, outside of %v: %v", name, c, rect, of, at)
			}
			inside, outside := 0, 0
			for y := of.Min.Y; y < of.Max.Y; y++ {
				for x := of.Min.X; x < of.Max.X; x++ {
					if p := s.Picture.NRGBAAt(x, y); p.R != 255 {
						t.Fatalf("%s: %q has the colour %v", name, c, p)
					} else if image.Pt(x, y).In(rect) {
						inside += int(p.A)
					} else {
						outside += int(p.A)
					}
				}
			}
			if inside < 255*10 || outside > 0 {
				t.Errorf("%s: %q has %d in its box and %d outside", name, c, inside, outside)
			}
		}
	}
	f, _ := GoFont("regular")
	many := ""
	for c := rune(0xa1); c < 0x250; c++ {
		if f.Lacks(string(c)) == "" {
			many += string(c)
		}
	}
	if _, err := f.NewSheet(many); err == nil || !strings.Contains(err.Error(), "more than 161 different characters") {
		t.Errorf("%v", err)
	}
}

// TestEffort tests that letters that are made of others, which are made of others, have a budget, and that real letters
// need little of it.
func TestEffort(t *testing.T) {
	effort.Letters.Nearest()
	f, err := ParseFont(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.NewSheet(""); err != nil {
		t.Fatal(err)
	}
	if near, _ := effort.Letters.Nearest(); near == 0 || near > 0.02 {
		t.Errorf("a sheet takes %.1f %% of the budget", 100*near)
	}
	// Each letter from A to G consists of eight of the next one.
	data := bytes.Clone(goregular.TTF)
	table := func(tag string) int { return int(binary.BigEndian.Uint32(data[bytes.Index(data, []byte(tag))+8:])) }
	for c := 'A'; c < 'H'; c++ {
		g, _ := f.sfnt.GlyphIndex(&f.buffer, c)
		next, _ := f.sfnt.GlyphIndex(&f.buffer, c+1)
		loca := data[table("loca")+2*int(g):]
		from, to := 2*int(binary.BigEndian.Uint16(loca)), 2*int(binary.BigEndian.Uint16(loca[2:]))
		letter := []byte{0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0}
		for i := range 8 {
			more := byte(0x20)
			if i == 7 {
				more = 0
			}
			letter = append(letter, 0, 2|more, byte(next>>8), byte(next), 1, 1)
		}
		if copy(data[table("glyf")+from:][:to-from], letter) < len(letter) {
			t.Fatalf("%q is too small", c)
		}
	}
	if f, err = ParseFont(data); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Outline('F', 1, 0.1); err != nil {
		t.Errorf("a letter of 64 others: %v", err)
	}
	_, err = f.Outline('A', 1, 0.1)
	if !errors.Is(err, effort.ErrMet) || !strings.HasPrefix(err.Error(), "the letter 'A': expected at most 7") {
		t.Errorf("%v", err)
	}
	if _, err := f.NewSheet(""); !errors.Is(err, effort.ErrMet) {
		t.Errorf("%v", err)
	}
	if f, err = ParseFont(goregular.TTF); err != nil {
		t.Fatal(err)
	}
	f.tables = 1 << 22
	if _, _, err := f.Line(strings.Repeat("AV", 100), 0); !errors.Is(err, effort.ErrMet) {
		t.Errorf("%v", err)
	}
}

// FuzzParse tests that damaged fonts give errors, and letters of a bounded size.
func FuzzParse(f *testing.F) {
	f.Add(goregular.TTF)
	f.Fuzz(func(t *testing.T, data []byte) {
		font, err := ParseFont(data)
		if err != nil {
			return
		}
		font.Lacks(printable)
		_, _, _ = font.Line(printable, 0.1)
		for _, c := range printable {
			_, _ = font.Outline(c, 32, 0.1)
		}
		_, _ = font.NewSheet("Ж")
	})
}
