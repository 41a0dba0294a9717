package dds_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/mod"
)

// noise returns a picture of soft shapes, noise and alpha, similar to textures.
func noise(seed uint64, w, h int) *image.NRGBA {
	r := rand.New(rand.NewPCG(seed, 1))
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	a, b, c := r.Float64()/9, r.Float64()/9, r.Float64()/9
	for y := range h {
		for x := range w {
			wave := func(f float64) uint8 {
				return uint8(120 + 100*math.Sin(f*float64(x)+c*float64(y)) + 15*r.Float64())
			}
			alpha := uint8(255)
			if (x/8+y/8)%3 == 0 {
				alpha = uint8(x*y) | uint8(r.IntN(2))
			}
			m.SetNRGBA(x, y, color.NRGBA{wave(a), wave(b), wave(c), alpha})
		}
	}
	return m
}

// TestPlain tests that plain files preserve every pixel, and that a preserved header restores every byte.
func TestPlain(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {3, 5}, {64, 64}, {345, 2}} {
		m := noise(1, size[0], size[1])
		data, err := dds.Encode(m, dds.Plain)
		if err != nil {
			t.Fatal(err)
		}
		got, err := dds.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Pix, m.Pix) {
			t.Errorf("%v: other pixels", size)
		}
		for at := 32; at < 76; at += 4 { // no program reads reserved bytes, and they must be preserved
			binary.LittleEndian.PutUint32(data[at:], uint32(at))
		}
		if again, err := dds.EncodeLike(got, data[:dds.HeaderSize]); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%v: other bytes, %v", size, err)
		}
	}
}

// TestMasks tests that channels may have any position and width in a pixel.
func TestMasks(t *testing.T) {
	const rgb, alpha, gray, onlyAlpha = 0x40, 0x1, 0x20000, 0x2
	for _, c := range []struct {
		name  string
		flags uint32
		bits  uint32
		masks [4]uint32
		pixel []byte
		want  color.NRGBA
	}{
		{"R5G6B5", rgb, 16, [4]uint32{0xf800, 0x7e0, 0x1f, 0}, []byte{0x1f, 0x84}, color.NRGBA{132, 130, 255, 255}},
		{"A1R5G5B5", rgb | alpha, 16, [4]uint32{0x7c00, 0x3e0, 0x1f, 0x8000}, []byte{0x1f, 0x80}, color.NRGBA{0, 0, 255, 255}},
		{"A4R4G4B4", rgb | alpha, 16, [4]uint32{0xf00, 0xf0, 0xf, 0xf000}, []byte{0x12, 0x34}, color.NRGBA{68, 17, 34, 51}},
		{"R8G8B8", rgb, 24, [4]uint32{0xff0000, 0xff00, 0xff, 0}, []byte{1, 2, 3}, color.NRGBA{3, 2, 1, 255}},
		{"X8B8G8R8", rgb, 32, [4]uint32{0xff, 0xff00, 0xff0000, 0xff000000}, []byte{1, 2, 3, 4}, color.NRGBA{1, 2, 3, 255}},
		{"L8", gray, 8, [4]uint32{0xff}, []byte{7}, color.NRGBA{7, 7, 7, 255}},
		{"A8L8", gray | alpha, 16, [4]uint32{0xff, 0, 0, 0xff00}, []byte{7, 9}, color.NRGBA{7, 7, 7, 9}},
		{"A8", onlyAlpha, 8, [4]uint32{0, 0, 0, 0xff}, []byte{9}, color.NRGBA{0, 0, 0, 9}},
	} {
		data, err := dds.Encode(image.NewNRGBA(image.Rect(0, 0, 1, 1)), dds.Plain)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range []uint32{c.flags, 0, c.bits, c.masks[0], c.masks[1], c.masks[2], c.masks[3]} {
			binary.LittleEndian.PutUint32(data[80+4*i:], v)
		}
		data = append(data[:dds.HeaderSize], c.pixel...)
		m, err := dds.Decode(data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := m.NRGBAAt(0, 0); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if again, err := dds.EncodeLike(m, data[:dds.HeaderSize]); err != nil || (c.name != "X8B8G8R8") != bytes.Equal(again, data) {
			t.Errorf("%s: % x is restored as % x, %v", c.name, c.pixel, again[dds.HeaderSize:], err)
		}
	}
}

// TestRefused tests that files with impossible values in their headers are rejected.
func TestRefused(t *testing.T) {
	good, err := dds.Encode(noise(1, 8, 8), dds.DXT5)
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, v uint32) []byte {
		data := bytes.Clone(good)
		binary.LittleEndian.PutUint32(data[at:], v)
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"cut off":           {good[:len(good)-1], fault.ErrShort},
		"cut off in header": {good[:100], fault.ErrShort},
		"nothing":           {nil, fault.ErrShort},
		"no DDS":            {change(0, 0), fault.ErrFormat},
		"no height":         {change(12, 0), fault.ErrFormat},
		"too wide":          {change(16, 1<<31), fault.ErrFormat},
		"larger than it is": {change(16, 65536), fault.ErrShort},
		"another codec":     {change(84, 0x31495441), fault.ErrVersion},
		"DX10, no header":   {change(84, 0x30315844)[:dds.HeaderSize], fault.ErrShort},
	} {
		if _, err := dds.Decode(c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := dds.Encode(image.NewNRGBA(image.Rectangle{}), dds.Plain); err == nil {
		t.Error("a picture without pixels is written")
	}
	if _, err := dds.EncodeLike(noise(1, 4, 8), good[:dds.HeaderSize]); !errors.Is(err, fault.ErrFormat) {
		t.Errorf("a header of another size: %v", err)
	}
}

// TestOneColour tests that blocks of one color lose only what their bits cannot represent.
func TestOneColour(t *testing.T) {
	for _, f := range []dds.Format{dds.DXT1, dds.DXT3, dds.DXT5} {
		for _, alpha := range []uint8{255, 0} {
			m := image.NewNRGBA(image.Rect(0, 0, 5, 5))
			for i := range m.Pix {
				m.Pix[i] = []uint8{255, 0, 132, alpha}[i%4]
			}
			data, err := dds.Encode(m, f)
			if err != nil {
				t.Fatal(err)
			}
			got, err := dds.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			want := color.NRGBA{255, 0, 132, alpha}
			if alpha == 0 {
				want = color.NRGBA{} // invisible
			}
			if c := got.NRGBAAt(4, 4); c != want {
				t.Errorf("%v: %v, want %v", f, c, want)
			}
		}
	}
}

// psnr returns the similarity of two pictures, drawn over black, in decibels.
func psnr(a, b *image.NRGBA) float64 {
	var sum float64
	for i := 0; i < len(a.Pix); i += 4 {
		for c := range 3 {
			d := float64(a.Pix[i+c])*float64(a.Pix[i+3])/255 - float64(b.Pix[i+c])*float64(b.Pix[i+3])/255
			sum += d * d
		}
	}
	return 10 * math.Log10(255*255/(sum/float64(len(a.Pix)/4*3)+1e-9))
}

// TestJudgeImageMagick tests that ImageMagick decodes our files to the pixels that we decode, that we decode its files
// to its pixels, and that our blocks are no worse.
func TestJudgeImageMagick(t *testing.T) {
	magick := judge.ImageMagick(t)
	dir := t.TempDir()
	for i, size := range [][2]int{{64, 64}, {345, 33}, {2, 2}} {
		m := noise(uint64(i), size[0], size[1])
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		in := filepath.Join(dir, "in.png")
		judge.Write(t, in, b.Bytes())
		for name, f := range map[string]dds.Format{"none": dds.Plain, "dxt1": dds.DXT1, "dxt5": dds.DXT5} {
			theirs := filepath.Join(dir, "theirs.dds")
			if out, err := exec.Command(magick, in, "-define", "dds:compression="+name, "-define", "dds:mipmaps=0",
				theirs).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := judgeDecode(t, magick, judge.Read(t, theirs))
			got, err := dds.Decode(judge.Read(t, theirs))
			if err != nil {
				t.Fatal(err)
			}
			same(t, name+" of ImageMagick", got, want)
			data, err := dds.Encode(m, f)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := dds.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			same(t, name+" of ours", ours, judgeDecode(t, magick, data))
			t.Logf("%v %s: ours %.2f dB, ImageMagick's %.2f dB", size, name, psnr(m, ours), psnr(m, got))
			if f != dds.DXT1 && psnr(m, ours) < psnr(m, got)-0.3 { // the DXT1 of ImageMagick has no alpha
				t.Errorf("%v %s: ours is %.2f dB, ImageMagick's %.2f dB", size, name, psnr(m, ours), psnr(m, got))
			}
		}
	}
}

// TestJudgeCorpus tests that every picture of the real mods is decoded as in ImageMagick.
func TestJudgeCorpus(t *testing.T) {
	names := append(tests.CorpusFiles(t, "torchlight", ".MOD"), tests.CorpusFiles(t, "torchlight", ".mod")...)
	magick := judge.ImageMagick(t)
	seen := map[string]bool{}
	for _, name := range names {
		file := judge.Read(t, name)
		m, err := mod.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Archive.Files() {
			if path.Ext(f.Path) != ".DDS" || f.Removed() {
				continue
			}
			data, err := f.Content()
			if err != nil {
				t.Fatal(err)
			}
			if seen[string(data)] {
				continue
			}
			seen[string(data)] = true
			got, err := dds.Decode(data)
			if err != nil {
				t.Errorf("%s: %s: %v", name, f.Path, err)
				continue
			}
			same(t, f.Path, got, judgeDecode(t, magick, data))
			if h, err := dds.ReadHeader(data); err == nil && h.Format == dds.Plain {
				if again, err := dds.EncodeLike(got, data[:dds.HeaderSize]); err != nil || !bytes.Equal(again, data) {
					t.Errorf("%s: other bytes come back, %v", f.Path, err)
				}
			}
		}
	}
	t.Logf("%d pictures", len(seen))
}

func judgeDecode(t *testing.T, magick string, data []byte) *image.NRGBA {
	t.Helper()
	cmd := exec.Command(magick, "dds:-[0]", "-depth", "8", "rgba:-")
	cmd.Stdin = bytes.NewReader(data)
	pix, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	h, err := dds.ReadHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	return &image.NRGBA{Pix: pix, Stride: 4 * h.Width, Rect: image.Rect(0, 0, h.Width, h.Height)}
}

func same(t *testing.T, name string, got, want *image.NRGBA) {
	t.Helper()
	if len(got.Pix) != len(want.Pix) {
		t.Errorf("%s: %d bytes of pixels, want %d", name, len(got.Pix), len(want.Pix))
		return
	}
	for i := range got.Pix {
		if got.Pix[i] != want.Pix[i] {
			p := i / 4
			t.Errorf("%s: at %d,%d is %v, want %v", name, p%got.Rect.Dx(), p/got.Rect.Dx(), got.Pix[p*4:p*4+4], want.Pix[p*4:p*4+4])
			return
		}
	}
}

// FuzzDecode tests that decoding does not allocate memory beyond the data, and that decoded pictures can be encoded.
func FuzzDecode(f *testing.F) {
	for _, format := range []dds.Format{dds.Plain, dds.DXT1, dds.DXT3, dds.DXT5} {
		data, err := dds.Encode(noise(1, 5, 6), format)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := dds.Decode(data)
		if err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		if len(m.Pix) > 32*len(data)+1024 {
			t.Fatalf("%d bytes of pixels from %d", len(m.Pix), len(data))
		}
		h, err := dds.ReadHeader(data)
		if err != nil || m.Rect.Size() != image.Pt(h.Width, h.Height) {
			t.Fatalf("the header says %v, the picture %v, %v", h, m.Rect, err)
		}
		again, err := dds.Encode(m, dds.Plain)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := dds.Decode(again); err != nil || !bytes.Equal(back.Pix, m.Pix) {
			t.Fatalf("plain, other pixels come back: %v", err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, f := range []dds.Format{dds.Plain, dds.DXT1, dds.DXT5} {
		data, err := dds.Encode(noise(1, 512, 512), f)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(f.String(), func(b *testing.B) {
			b.SetBytes(4 * 512 * 512)
			for b.Loop() {
				if _, err := dds.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	m := noise(1, 512, 512)
	for _, f := range []dds.Format{dds.Plain, dds.DXT1, dds.DXT5} {
		b.Run(f.String(), func(b *testing.B) {
			b.SetBytes(4 * 512 * 512)
			for b.Loop() {
				if _, err := dds.Encode(m, f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestImage tests that package image decodes the pictures of all formats, and reads no more than the largest picture.
func TestImage(t *testing.T) {
	m := noise(1, 13, 9)
	for _, f := range []dds.Format{dds.Plain, dds.DXT1, dds.DXT3, dds.DXT5} {
		data, err := dds.Encode(m, f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := dds.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		config, name, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil || name != "dds" || config.Width != 13 || config.Height != 9 || config.ColorModel != color.NRGBAModel {
			t.Errorf("%v: %v, %q, %v", f, config, name, err)
		}
		rest := strings.NewReader("a mipmap")
		got, name, err := image.Decode(io.MultiReader(bytes.NewReader(data), rest))
		if err != nil || name != "dds" || !bytes.Equal(got.(*image.NRGBA).Pix, want.Pix) {
			t.Errorf("%v: %q, %v", f, name, err)
		}
		for n := range len(data) {
			if _, err := dds.DecodeConfig(bytes.NewReader(data[:n])); (err == nil) != (n >= dds.HeaderSize) {
				t.Fatalf("%v: the header of %d bytes: %v", f, n, err)
			}
			if _, _, err := image.Decode(bytes.NewReader(data[:n])); err == nil {
				t.Fatalf("%v: %d of %d bytes are decoded", f, n, len(data))
			}
		}
	}
	if _, err := dds.DecodeConfig(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// TestPixels tests that a header with more pixels than fit into memory is rejected, also where an int has 32 bits.
func TestPixels(t *testing.T) {
	data, err := dds.Encode(image.NewNRGBA(image.Rect(0, 0, 1, 1)), dds.Plain)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(data[12:], 1<<16)
	binary.LittleEndian.PutUint32(data[16:], 1<<16)
	if _, err := dds.Decode(data); !errors.Is(err, fault.ErrLimit) {
		t.Error(err)
	}
}
