package tga_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/picture/tga"
	"trowel.example/internal/testing/judge"
	"trowel.example/trace"
)

// plaid returns a picture with and without runs, of few or many colors.
func plaid(w, h, colors int, alpha bool) *image.NRGBA {
	r := rand.New(rand.NewPCG(1, uint64(colors)))
	var list []color.NRGBA
	for range colors {
		c := color.NRGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), 255}
		if alpha {
			c.A = uint8(r.Uint32())
		}
		list = append(list, c)
	}
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := 0; x < w; {
			c := list[r.IntN(colors)]
			for range 1 + r.IntN(3)*r.IntN(100)*(y%3) {
				m.SetNRGBA(x, y, c)
				x++
			}
		}
	}
	return m
}

func TestRoundTrip(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {7, 3}, {300, 40}, {129, 5}} {
		for _, alpha := range []bool{false, true} {
			for _, rle := range []tga.Format{tga.Plain, tga.RunLengths} {
				m := plaid(size[0], size[1], 50, alpha)
				data, err := tga.Encode(m, rle)
				if err != nil {
					t.Fatal(err)
				}
				got, err := tga.Decode(data)
				if err != nil || !bytes.Equal(got.Pix, m.Pix) {
					t.Errorf("%v, alpha %v, run lengths %v: other pixels, %v", size, alpha, rle, err)
				}
				h, err := tga.ReadHeader(data)
				if err != nil || h.Format != rle || h.Width != size[0] || h.Height != size[1] || (h.Bits == 32) != alpha {
					t.Errorf("%v: %+v, %v", size, h, err)
				}
			}
		}
	}
	if _, err := tga.Encode(image.NewNRGBA(image.Rect(0, 0, 65536, 1)), tga.Plain); !errors.Is(err, fault.ErrFormat) {
		t.Errorf("a picture that is too wide: %v", err)
	}
}

// file returns a file with a header of 18 bytes and the given pixels.
func file(kind, bits, descriptor byte, w, h byte, pixels ...byte) []byte {
	return append([]byte{0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, w, 0, h, 0, bits, descriptor}, pixels...)
}

var (
	red  = [4]byte{255, 0, 0, 255}
	blue = [4]byte{0, 0, 255, 255}
)

// variants are files of two pixels, red and blue, from left to right or from top to bottom.
var variants = map[string][]byte{
	"top, 24":        file(2, 24, 32, 1, 2, 0, 0, 255, 255, 0, 0),
	"bottom, 24":     file(2, 24, 0, 1, 2, 255, 0, 0, 0, 0, 255),
	"right, 24":      file(2, 24, 16, 2, 1, 255, 0, 0, 0, 0, 255),
	"15":             file(2, 15, 0, 2, 1, 0, 0x7c, 0x1f, 0),
	"16":             file(2, 16, 0, 2, 1, 0, 0x7c, 0x1f, 0),
	"16, alpha":      file(2, 16, 1, 2, 1, 0, 0xfc, 0x1f, 0x80),
	"32":             file(2, 32, 8, 2, 1, 0, 0, 255, 255, 255, 0, 0, 255),
	"runs":           file(10, 24, 0, 2, 1, 0x80, 0, 0, 255, 0, 255, 0, 0),
	"runs, too long": file(10, 24, 0, 2, 1, 0, 0, 0, 255, 0xff, 255, 0, 0),
	"palette": {0, 1, 1, 5, 0, 2, 0, 24, 0, 0, 0, 0, 2, 0, 1, 0, 8, 0,
		255, 0, 0, 0, 0, 255, 6, 5},
	"palette, 16": {3, 1, 9, 0, 0, 2, 0, 16, 0, 0, 0, 0, 2, 0, 1, 0, 16, 0, 'n', 'o', 't',
		0x1f, 0, 0, 0x7c, 1, 1, 0, 0, 0},
	"a palette that nobody needs": {0, 1, 2, 0, 0, 1, 0, 24, 0, 0, 0, 0, 2, 0, 1, 0, 24, 0,
		9, 9, 9, 0, 0, 255, 255, 0, 0},
}

func TestVariants(t *testing.T) {
	for name, data := range variants {
		m, err := tga.Decode(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(m.Pix, append(red[:], blue[:]...)) {
			t.Errorf("%s: % x", name, m.Pix)
		}
		var last trace.Field
		if err := tga.Dump(data, func(f trace.Field) { last = f }); err != nil || last.Path != "pixels" {
			t.Errorf("%s: dump ends at %s, %v", name, last.Path, err)
		}
	}
	m, err := tga.Decode(file(3, 16, 8, 1, 1, 7, 9))
	if err != nil || m.NRGBAAt(0, 0) != (color.NRGBA{7, 7, 7, 9}) {
		t.Errorf("gray with alpha: %v, %v", m, err)
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":        {nil, fault.ErrShort},
		"header only":    {file(2, 24, 0, 2, 2), fault.ErrShort},
		"no width":       {file(2, 24, 0, 0, 2), fault.ErrFormat},
		"unknown kind":   {file(4, 24, 0, 2, 2), fault.ErrFormat},
		"odd bits":       {file(2, 12, 0, 2, 2), fault.ErrFormat},
		"no palette":     {file(1, 8, 0, 1, 1, 0), fault.ErrFormat},
		"interleaved":    {file(2, 24, 64, 1, 1, 0, 0, 0), fault.ErrVersion},
		"beyond palette": {[]byte{0, 1, 1, 0, 0, 1, 0, 24, 0, 0, 0, 0, 1, 0, 1, 0, 8, 0, 1, 2, 3, 1}, fault.ErrFormat},
		"a lying size": {append(append(file(10, 24, 0, 0, 0)[:12], 0xff, 0x3f, 0xff, 0x3f, 24, 0),
			make([]byte, 1000)...), fault.ErrShort},
		"too large": {append(append(file(10, 24, 0, 0, 0)[:12], 0xff, 0xff, 0xff, 0xff, 24, 0),
			make([]byte, 1000)...), fault.ErrLimit},
		"runs end": {file(10, 24, 0, 200, 1, 0xff, 1, 2, 3, 0x05, 1, 2), fault.ErrShort},
	} {
		if _, err := tga.Decode(c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// magick decodes a picture with ImageMagick, which applies the orientation only on request.
func magick(t *testing.T, program string, data []byte) []byte {
	t.Helper()
	cmd := exec.Command(program, "tga:-", "-auto-orient", "-depth", "8", "rgba:-")
	cmd.Stdin = bytes.NewReader(data)
	pix, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return pix
}

// TestJudgeImageMagick tests that files of ImageMagick are decoded to its pixels, and that it decodes our files to our
// pixels.
func TestJudgeImageMagick(t *testing.T) {
	program := judge.ImageMagick(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.png"), filepath.Join(dir, "out.tga")
	kinds := map[string]bool{}
	for _, colors := range []int{2, 200, 3000} {
		for _, alpha := range []bool{false, true} {
			m := plaid(301, 47, colors, alpha)
			var b bytes.Buffer
			if err := png.Encode(&b, m); err != nil {
				t.Fatal(err)
			}
			judge.Write(t, in, b.Bytes())
			for _, rle := range []string{"None", "RLE"} {
				for _, how := range [][]string{nil, {"-colorspace", "Gray"}, {"-type", "Palette"}, {"-orient", "BottomLeft"}} {
					args := append(append([]string{in}, how...), "-compress", rle, out)
					if said, err := exec.Command(program, args...).CombinedOutput(); err != nil {
						t.Fatalf("%v: %v\n%s", how, err, said)
					}
					data := judge.Read(t, out)
					h, err := tga.ReadHeader(data)
					if err != nil {
						t.Fatal(err)
					}
					kinds[fmt.Sprint(h.Kind, h.Bits, h.Format)] = true
					got, err := tga.Decode(data)
					if err != nil {
						t.Fatalf("%d colours, alpha %v, %v: %v", colors, alpha, args, err)
					}
					if !bytes.Equal(got.Pix, magick(t, program, data)) {
						t.Errorf("%d colours, alpha %v, %v: other pixels", colors, alpha, args)
					}
				}
				ours, err := tga.Encode(m, map[string]tga.Format{"RLE": tga.RunLengths}[rle])
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(m.Pix, magick(t, program, ours)) {
					t.Errorf("%d colours, alpha %v, %s: ImageMagick sees other pixels in ours", colors, alpha, rle)
				}
			}
		}
	}
	t.Log(kinds)
	for _, name := range []string{"bottom, 24", "top, 24", "16", "32", "runs"} {
		if !bytes.Equal(magick(t, program, variants[name]), append(red[:], blue[:]...)) {
			t.Errorf("ImageMagick decodes %q to something else", name)
		}
	}
}

// FuzzDecode tests that decoding does not allocate memory beyond the data, and that decoded pictures can be encoded.
func FuzzDecode(f *testing.F) {
	for _, data := range variants {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := tga.Decode(data)
		if err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		if len(m.Pix) > 256*len(data)+1024 {
			t.Fatalf("%d bytes of pixels from %d", len(m.Pix), len(data))
		}
		for _, rle := range []tga.Format{tga.Plain, tga.RunLengths} {
			again, err := tga.Encode(m, rle)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := tga.Decode(again); err != nil || !bytes.Equal(back.Pix, m.Pix) {
				t.Fatalf("other pixels come back: %v", err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	m := plaid(512, 512, 50, true)
	for _, rle := range []tga.Format{tga.Plain, tga.RunLengths} {
		data, err := tga.Encode(m, rle)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("rle=%v", rle), func(b *testing.B) {
			b.SetBytes(4 * 512 * 512)
			for b.Loop() {
				if _, err := tga.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestDecodeConfig tests that the header of a file is enough, and that package image does not know the format.
func TestDecodeConfig(t *testing.T) {
	data, err := tga.Encode(plaid(7, 3, 50, true), tga.RunLengths)
	if err != nil {
		t.Fatal(err)
	}
	c, err := tga.DecodeConfig(bytes.NewReader(data[:18]))
	if err != nil || c.Width != 7 || c.Height != 3 || c.ColorModel != color.NRGBAModel {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := tga.DecodeConfig(bytes.NewReader(data[:17])); !errors.Is(err, fault.ErrShort) {
		t.Error(err)
	}
	if _, _, err := image.DecodeConfig(bytes.NewReader(data)); !errors.Is(err, image.ErrFormat) {
		t.Error(err)
	}
}
