package texture_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io/fs"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/texture"
)

// files is a Source of images in memory.
type files map[string]*image.NRGBA

func (f files) Image(_ context.Context, name string) (*image.NRGBA, error) {
	if m, is := f[name]; is {
		return m, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// pixels makes an image from rows divided by /, of pixels in hexadecimal.
func pixels(t testing.TB, text string) *image.NRGBA {
	t.Helper()
	rows := strings.Split(text, "/")
	m := image.NewNRGBA(image.Rect(0, 0, len(strings.Fields(rows[0])), len(rows)))
	for y, row := range rows {
		for x, word := range strings.Fields(row) {
			v, err := hex.DecodeString(word)
			if err != nil || x >= m.Rect.Dx() || len(v) < 3 {
				t.Fatalf("%q: %v", word, err)
			}
			c := color.NRGBA{v[0], v[1], v[2], 255}
			if len(v) == 4 {
				c.A = v[3]
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

// show is the reverse of pixels.
func show(m *image.NRGBA) string {
	if m == nil {
		return "no image"
	}
	var b strings.Builder
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			if x > 0 {
				b.WriteString(" ")
			}
			c := m.NRGBAAt(x, y)
			fmt.Fprintf(&b, "%02x%02x%02x", c.R, c.G, c.B)
			if c.A != 255 {
				fmt.Fprintf(&b, "%02x", c.A)
			}
		}
		if y+1 < m.Rect.Dy() {
			b.WriteString(" / ")
		}
	}
	return b.String()
}

// gradient is the image of 4 x 4 pixels of the examples.
const gradient = "0a1464 461464 821464 be1464 / 0a5064 465064 825064 be5064 / 0a8c64 468c64 828c64 be8c64 / 0ac864 46c864 82c864 bec864"

// samples returns the images of the examples.
func samples(t testing.TB) files {
	return files{
		"t_a.png": pixels(t, "ff0000 00ff00 / 0000ff ffff00"),
		"t_b.png": pixels(t, "00000000 ffffff80 / c86432ff 10203040"),
		"t_g.png": pixels(t, "000000 404040 808080 ffffff"),
		"t_4.png": pixels(t, gradient),
		"t_c.png": pixels(t, "c80000 c80000 / 00c800 00c800 / 0000c8 0000c8 / c8c800 c8c800"),
		"t_m.png": pixels(t, "ff00ffff 0ff0f080 / ffffffff 00000000"),

		texture.Crack: pixels(t, "00000080 00000000 / 00000000 00000080 / 00000080 00000000 / 00000000 00000080"),
	}
}

// examples has texture strings, with A for t_a.png and so on, and their images by the newest rules, and by those of
// 5.6 where they differ.
var examples = []struct{ text, want, old string }{
	{"A^B", "ff0000 80ff80 / c86432 c3c70c", ""},
	{"B^B", "00000000 ffffff9f / c86432ff 1020304c", ""},
	{"F^A", "ff0000 ff0000 00ff00 00ff00 / ff0000 ff0000 00ff00 00ff00 / 0000ff 0000ff ffff00 ffff00 / 0000ff 0000ff ffff00 ffff00", ""},
	{"F^(A)", "ff0000 00ff00 821464 be1464 / 0000ff ffff00 825064 be5064 / 0a8c64 468c64 828c64 be8c64 / 0ac864 46c864 82c864 bec864", ""},
	{"A^(F)", "0a1464 461464 / 0a5064 465064", ""},
	{"F^(B^[multiply:#ff0000)^[transformFX", "be1464 821464 a20931 0a1464 / be5064 825064 383b4a c80000 / " +
		"be8c64 828c64 468c64 0a8c64 / bec864 82c864 46c864 0ac864", "be1464 821464 a30a32 0a1464 / be5064 825064 383c4b c80000 / " +
		"be8c64 828c64 468c64 0a8c64 / bec864 82c864 46c864 0ac864"},
	{"A^[transformR90", "00ff00 ffff00 / ff0000 0000ff", ""},
	{"A^[transformFXR90", "ff0000 0000ff / 00ff00 ffff00", ""},
	{"A^[transformR90FX", "ffff00 00ff00 / 0000ff ff0000", ""},
	{"A^[transform5", "ff0000 0000ff / 00ff00 ffff00", ""},
	{"A^[transformr180", "ffff00 0000ff / 00ff00 ff0000", ""},
	{"G^[transform1", "ffffff / 808080 / 404040 / 000000", ""},
	{"G^[transformR270", "000000 / 404040 / 808080 / ffffff", ""},
	{"C^[transformFY", "c8c800 c8c800 / 0000c8 0000c8 / 00c800 00c800 / c80000 c80000", ""},
	{"G^[brighten", "7f7f7f 9f9f9f bfbfbf ffffff", ""},
	{"G^[brightenX", "7f7f7f 9f9f9f bfbfbf ffffff", ""},
	{"B^[noalpha", "000000 ffffff / c86432 102030", ""},
	{"B^[opacity:127", "00000000 ffffff3f / c864327f 1020301f", ""},
	{"B^[invert:a", "000000ff ffffff7f / c8643200 102030bf", ""},
	{"A^[makealpha:255,0,0", "ff000000 00ff00ff / 0000ffff ffff00ff", ""},
	{"A^[multiply:#ff8040", "ff0000 008000 / 000040 ff8000", ""},
	{"G^[colorize:#000080:64", "000020 303050 606080 bfbfdf", ""},
	{"B^[colorize:#ff000080", "00000000 ff7f7f80 / e43219bf 88101860", ""},
	{"B^[colorize:#ff0000:alpha", "00000000 ff000080 / ff0000ff ff000040", ""},
	{`[combine:4x2:0,0=A\^[transformR90:2,0=B\^[noalpha`, "00ff00 ffff00 000000 ffffff / ff0000 0000ff c86432 102030", ""},
	{"[combine:2x2:-1,0=A", "00ff00ff 00000000 / ffff00ff 00000000", ""},
	{"[combine:2x2:0,0=(A^[transformFX)", "00ff00 ff0000 / ffff00 0000ff", ""},
	{"G^[resize:6x1", "000000 404040 404040 808080 808080 ffffff", ""},
	{"G^[resize:2x1", "000000 ffffff", ""},
	{"G^[resize:1x1", "000000", ""},
	{"C^[verticalframe:2:1", "0000c8 0000c8 / c8c800 c8c800", ""},
	{"M^[verticalframe:2:0", "ff00ff 07787880", ""},
	{"M^[sheet:1x2:0,0", "ff00ff 07787880", ""},
	{"C^[verticalframe:4:9", "c8c800 c8c800", ""},
	{"F^[sheet:2x2:1,0", "821464 be1464 / 825064 be5064", ""},
	{"A^[mask:M", "ff0000ff 00f00080 / 0000ffff 00000000", ""},
	{`A^[mask:(M^[resize\:1x1)`, "ff0000 000000 / 0000ff ff0000", "ff0000 00ff00 / 0000ff ffff00"},
	{`F^[lowpart:25:F\^[invert\:rgb`, "0a1464 461464 821464 be1464 / 0a5064 465064 825064 be5064 / 0a8c64 468c64 828c64 be8c64 / " +
		"f5379b b9379b 7d379b 41379b", ""},
	{"[lowpart:50:A", "00000000 00000000 / 0000ff ffff00", ""},
	{"A^[crack:1:0", "7f0000 00ff00 / 0000ff 7f7f00", ""},
	{"B^[cracko:1:0", "00000000 ffffff80 / c86432 10203040", ""},
	{"C^[crack:2:1", "630000 c80000 / 00c800 006300 / 000063 0000c8 / c8c800 636300",
		"640000 c80000 / 00c800 006400 / 000064 0000c8 / c8c800 646400"},
	{"A^[fill:1x1:1,0:#0000ff80", "ff0000 007f80 / 0000ff ffff00", "ff0000 00ff00 / 0000ff ffff00"},
	{"[fill:2x1:9,9:red", "ff0000 ff0000", "no image"},
	{"[fill:2x1:#0f08", "00ff0088 00ff0088", "no image"},
	{"G^[screen:#804000", "804000 a07040 c0a080 ffffff", "000000 404040 808080 ffffff"},
	{"G^[contrast:0:64", "818181 a0a0a0 c0c0c0 ffffff", "000000 404040 808080 ffffff"},
	{"A^[hsl:120", "00ff00 0000ff / ff0000 00ffff", "ff0000 00ff00 / 0000ff ffff00"},
	{"A^[hsl:0:-100", "808080 808080 / 808080 808080", "ff0000 00ff00 / 0000ff ffff00"},
	{"G^[colorizehsl:120:100", "000000 008000 01ff01 ffffff", "000000 404040 808080 ffffff"},
	{"G^[overlay:G", "000000 202020 808080 ffffff", "000000 404040 808080 ffffff"},
	{"G^[hardlight:A", "ff0000 ff0000 00ff00 00ff00", "000000 404040 808080 ffffff"},
	{"A^[nosuch:1", "ff0000 00ff00 / 0000ff ffff00", ""},
	{"^A", "ff0000 00ff00 / 0000ff ffff00", ""},
	{"A^[multiply:nocolor", "ff0000 00ff00 / 0000ff ffff00", ""},
	{"A^[applyfiltersformesh", "ff0000 00ff00 / 0000ff ffff00", ""},
	{"A^[inventorycube{A{A{A", "ff0000 00ff00 / 0000ff ffff00", ""},
	{"A^", "ff0000 00ff00 / 0000ff ffff00", "ff00ff ff00ff / ff00ff ff00ff"},
	{"[brighten", "no image", ""},
	{"(A", "no image", ""},
	{"A)", "no image", ""},
	{"A)^G", "000000 404040 808080 ffffff", ""},
	{"A^(B))", "no image", ""},
	{"A^(B^(F)", gradient, ""},
	{"A^([brighten)", "no image", ""},
	{"[combine:0x5:0,0=A", "no image", ""},
	{`[combine:2x2:0,0=[combine\:1x1\:-1\,-1=A`, "ffff00ff 00000000 / 00000000 00000000", ""},
	{"nosuch.png", "ff00ff", ""},
	{`B^[combine:2x2:1,0=(A^[makealpha\:0,0,255)^[noalpha`, "000000 ff0000 / c86432 102030", "000000 ff0000 / c86432 102030"},
}

// named replaces the letters of examples by names of files.
func named(text string) string {
	var b strings.Builder
	for i := range len(text) {
		alone := (i == 0 || strings.ContainsRune("^(=:{", rune(text[i-1]))) &&
			(i+1 == len(text) || strings.ContainsRune(`^):\{`, rune(text[i+1])))
		if alone && strings.ContainsRune("ABGFCM", rune(text[i])) {
			letter := strings.ToLower(text[i : i+1])
			if letter == "f" {
				letter = "4"
			}
			b.WriteString("t_" + letter + ".png")
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func TestExamples(t *testing.T) {
	newest, old := texture.NewMaker(samples(t), texture.Newest), texture.NewMaker(samples(t), 6)
	for _, e := range examples {
		if e.old == "" {
			e.old = e.want
		}
		for _, rule := range []struct {
			maker *texture.Maker
			name  string
			want  string
		}{{newest, "newest", e.want}, {old, "5.6", e.old}} {
			want := rule.want
			if want != "no image" {
				want = show(pixels(t, want))
			}
			if m, err := rule.maker.Make(t.Context(), named(e.text)); err != nil || show(m) != want {
				t.Errorf("%s (%s):\n got %s, %v\nwant %s", named(e.text), rule.name, show(m), err, want)
			}
		}
	}
}

// TestLimits tests that strings which would need too much memory or time end with an error soon.
func TestLimits(t *testing.T) {
	tests.NotRaced(t, "it fills large pictures in one goroutine")
	deep := "t_a.png"
	for range 100 {
		deep = "(" + deep + ")"
	}
	for name, text := range map[string]string{
		"size":    "[combine:20000x20000",
		"overall": "t_a.png" + strings.Repeat("^[resize:4096x4096^[resize:1x1", 100),
		"strip":   "t_a.png" + strings.Repeat("^[resize:2147483647x1", 3),
		"laid":    "[combine:4096x4096:0,0=" + strings.Repeat("[fill\\:4096x4096\\:red:0,0=", 100),
		"deep":    deep,
		"long":    strings.Repeat("^", 1<<20+1),
		"crack":   "t_a.png^[resize:4096x4096^[crack:255:2000000000:0" + strings.Repeat("^[crack:255:1:0", 500),
	} {
		if name == "crack" && !tests.Long(t) {
			continue
		}
		m, err := texture.NewMaker(samples(t), texture.Newest).Make(t.Context(), text)
		if !errors.Is(err, fault.ErrLimit) || m != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(fmt.Sprint(err)) > 250 {
			t.Errorf("%s: a long error: %v", name, err)
		}
	}
}

// TestCancel tests that a canceled context ends a string, and that the string is complete afterwards.
func TestCancel(t *testing.T) {
	maker := texture.NewMaker(samples(t), texture.Newest)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := maker.Make(ctx, "t_a.png^t_b.png"); !errors.Is(err, context.Canceled) || m != nil {
		t.Errorf("%v, %v", m, err)
	}
	if m, err := maker.Make(t.Context(), "t_a.png"); err != nil || m == nil {
		t.Errorf("%v, %v", m, err)
	}
	if list := maker.Missing(); len(list) != 0 {
		t.Errorf("missing: %v", list)
	}
}

func TestMissing(t *testing.T) {
	maker := texture.NewMaker(samples(t), texture.Newest)
	for _, text := range []string{"z.png^t_a.png", "b.png", "z.png", "[combine:1x1:0,0=c.png"} {
		if _, err := maker.Make(t.Context(), text); err != nil {
			t.Error(err)
		}
	}
	var names []string
	for _, m := range maker.Missing() {
		if names = append(names, m.Name); !errors.Is(m.Err, fs.ErrNotExist) {
			t.Error(m)
		}
	}
	if fmt.Sprint(names) != "[b.png c.png z.png]" {
		t.Error(names)
	}
	if _, err := maker.Make(t.Context(), "b.png^[noalpha"); err != nil || maker.Missing() != nil {
		t.Errorf("reported twice: %v", err)
	}
	if m, err := maker.Tile(t.Context(), ""); err != nil || len(maker.Missing()) != 1 || m == nil {
		t.Errorf("no_texture.png: %v", err)
	}
}

// TestFilesUnchanged tests that modifiers do not change the images of files.
func TestFilesUnchanged(t *testing.T) {
	source := samples(t)
	maker := texture.NewMaker(source, texture.Newest)
	for _, e := range examples {
		if _, err := maker.Make(t.Context(), named(e.text)); err != nil {
			t.Error(err)
		}
	}
	for name, m := range samples(t) {
		if show(m) != show(source[name]) {
			t.Errorf("%s changed: %s", name, show(source[name]))
		}
	}
}

func TestMean(t *testing.T) {
	if c := texture.Mean(pixels(t, "ff000080 00ff00 / 00000000 00ff00")); c != (color.NRGBA{51, 204, 0, 160}) {
		t.Error(c)
	}
}

func TestColors(t *testing.T) {
	for text, want := range map[string]string{"#f08": "ff0088ff", "#f084": "ff008844", "#102030": "102030ff", "#10203040": "10203040",
		"Red": "ff0000ff", "grey": "808080ff", "rebeccapurple": "663399ff", "lime#7f": "00ff007f", "red#": "ff0000ff",
		"": "", "#": "", "#12": "", "#12345": "", "#gggggg": "", "nocolor": "", "red#1": "", "red#zz": "", "red#123": ""} {
		c, ok := texture.ParseColor(text)
		if got := fmt.Sprintf("%02x%02x%02x%02x", c.R, c.G, c.B, c.A); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s, %v", text, got, ok)
		}
	}
}

func FuzzMake(f *testing.F) {
	for _, e := range examples {
		f.Add(named(e.text))
	}
	for _, text := range common {
		f.Add(text)
	}
	source := samples(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, engine := range []texture.Engine{texture.Newest, 6} {
			m, err := texture.NewMaker(source, engine).Make(t.Context(), text)
			if err != nil && (!errors.Is(err, fault.ErrLimit) || m != nil) {
				t.Errorf("%q: %v", text, err)
			}
			if m != nil && (m.Rect.Empty() || m.Rect.Min != image.Point{} || len(m.Pix) != 4*m.Rect.Dx()*m.Rect.Dy()) {
				t.Errorf("%q: %v", text, m.Rect)
			}
		}
	})
}

// common has strings as mods write them.
var common = []string{
	"t_4.png",
	"t_4.png^t_a.png",
	"t_4.png^[transformFX",
	"t_4.png^[verticalframe:4:0",
	"t_4.png^[colorize:#8c501e:110",
	"t_4.png^(t_a.png^[multiply:#80c0ff)^[opacity:120",
	`[combine:16x16:0,0=t_4.png:8,8=t_a.png\^[resize\:8x8`,
	"[inventorycube{t_4.png{t_4.png&t_a.png{t_4.png",
	"t_4.png^[mask:t_a.png^[makealpha:255,0,0^[invert:rgb",
	"t_4.png^[hsl:30:20:-10^[contrast:20:10",
}

// BenchmarkMake makes strings from images of 16 x 16 pixels without the cache of results.
func BenchmarkMake(b *testing.B) {
	source := files{}
	for name := range samples(b) {
		m := image.NewNRGBA(image.Rect(0, 0, 16, 16))
		for i := range m.Pix {
			m.Pix[i] = uint8(i * 37)
		}
		source[name] = m
	}
	for _, text := range common {
		b.Run(strings.ReplaceAll(text, "/", "_"), func(b *testing.B) {
			maker := texture.NewMaker(source, texture.Newest)
			for n := 0; b.Loop(); n++ {
				if _, err := maker.Make(b.Context(), text+"^[unknown:"+fmt.Sprint(n)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
