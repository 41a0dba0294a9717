package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/picture/tga"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/mod"
	"trowel.example/trace"

	"os"
	"path"
)

// soft returns a picture with many colors and all values of alpha.
func soft(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, color.NRGBA{uint8(7 * x), uint8(5 * y), uint8(x * y), uint8(3*x + y)})
		}
	}
	return m
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// samples returns the same picture in each lossless format.
func samples(t testing.TB, m *image.NRGBA) map[string][]byte {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"A.DDS": must[[]byte](t)(dds.Encode(m, dds.Plain)),
		"A.TGA": must[[]byte](t)(tga.Encode(m, tga.RunLengths)),
		"A.PNG": b.Bytes(),
	}
}

// TestConvert tests that conversions between all lossless formats preserve the pixels.
func TestConvert(t *testing.T) {
	m := soft(33, 20)
	for name, data := range samples(t, m) {
		for _, to := range []picture.Kind{picture.PNG, picture.DDS, picture.TGA} {
			r := must[picture.Result](t)(picture.Convert(name, data, to, picture.Options{}))
			got := must[*image.NRGBA](t)(picture.Decode("X."+string(to), r.Data))
			if !bytes.Equal(got.Pix, m.Pix) || r.Lossy || r.Left != "" {
				t.Errorf("%s to %s: other pixels, or losses are reported: %v %q", name, to, r.Lossy, r.Left)
			}
		}
		if _, err := picture.Convert(name, data, picture.JPEG, picture.Options{}); !errors.Is(err, fault.ErrVersion) {
			t.Errorf("%s to JPEG: %v", name, err)
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 300, 9)), nil); err != nil {
		t.Fatal(err)
	}
	if m := must[*image.NRGBA](t)(picture.Decode("A.JPG", b.Bytes())); m.Rect.Dx() != 300 {
		t.Errorf("the JPEG is %v", m.Rect)
	}
}

// TestKept tests that a PNG preserves everything in a .DDS besides its pixels, as far as it still applies.
func TestKept(t *testing.T) {
	m := soft(16, 8)
	plain := must[[]byte](t)(dds.Encode(m, dds.Plain))
	copy(plain[32:], "made by hand") // reserved bytes, which no program reads
	plain = append(plain, "and a tail"...)
	made := must[picture.Result](t)(picture.Convert("A.DDS", plain, picture.PNG, picture.Options{}))
	if _, err := png.Decode(bytes.NewReader(made.Data)); err != nil {
		t.Fatal(err)
	}
	back := must[picture.Result](t)(picture.Convert("A.PNG", made.Data, picture.DDS, picture.Options{}))
	if !bytes.Equal(back.Data, plain) || back.Like == nil {
		t.Error("other bytes come back")
	}
	fresh := must[picture.Result](t)(picture.Convert("A.PNG", made.Data, picture.DDS, picture.Options{Fresh: true}))
	if bytes.Contains(fresh.Data, []byte("made by hand")) || fresh.Like != nil {
		t.Error("a fresh header is the old one")
	}
	broken := bytes.Replace(made.Data, []byte("by hand"), []byte("by feet"), 1)
	if _, err := picture.Convert("A.PNG", broken, picture.DDS, picture.Options{}); !errors.Is(err, fault.ErrFormat) {
		t.Errorf("a chunk with a wrong sum: %v", err)
	}

	blocks := must[[]byte](t)(dds.Encode(m, dds.DXT5))
	made = must[picture.Result](t)(picture.Convert("A.DDS", blocks, picture.PNG, picture.Options{}))
	back = must[picture.Result](t)(picture.Convert("A.PNG", made.Data, picture.DDS, picture.Options{}))
	if h := must[*dds.Header](t)(dds.ReadHeader(back.Data)); h.Format != dds.DXT5 {
		t.Errorf("DXT5 is restored as %v", h.Format)
	}
	codec := dds.Plain
	back = must[picture.Result](t)(picture.Convert("A.PNG", made.Data, picture.DDS, picture.Options{Codec: &codec}))
	if h := must[*dds.Header](t)(dds.ReadHeader(back.Data)); h.Format != dds.Plain || back.Lossy {
		t.Errorf("plain is asked for, and %v made, lossy %v", h.Format, back.Lossy)
	}

	binary.LittleEndian.PutUint32(plain[28:], 2)
	made = must[picture.Result](t)(picture.Convert("A.DDS", plain, picture.PNG, picture.Options{}))
	if made.Left == "" {
		t.Error("smaller copies of the picture are lost, and nobody reports it")
	}
}

// TestReplace tests that replacing a part keeps the bytes of all other blocks.
func TestReplace(t *testing.T) {
	m := soft(18, 18)
	for _, codec := range []dds.Format{dds.Plain, dds.DXT1, dds.DXT5} {
		data := must[[]byte](t)(dds.Encode(m, codec))
		old := must[*image.NRGBA](t)(dds.Decode(data))
		if same := must[[]byte](t)(picture.Replace("A.DDS", data, old)); !bytes.Equal(same, data) {
			t.Errorf("%v: the same picture is other bytes", codec)
		}
		changed := &image.NRGBA{Pix: bytes.Clone(old.Pix), Stride: old.Stride, Rect: old.Rect}
		draw.Draw(changed, image.Rect(5, 5, 7, 7), image.NewUniform(color.NRGBA{255, 0, 0, 255}), image.Point{}, draw.Src)
		got := must[*image.NRGBA](t)(dds.Decode(must[[]byte](t)(picture.Replace("A.DDS", data, changed))))
		for y := range 18 {
			for x := range 18 {
				if !image.Pt(x, y).In(image.Rect(4, 4, 8, 8)) && got.NRGBAAt(x, y) != old.NRGBAAt(x, y) {
					t.Fatalf("%v: the pixel %d,%d is another", codec, x, y)
				}
			}
		}
		if c := got.NRGBAAt(6, 6); c.R < 200 || c.A < 250 {
			t.Errorf("%v: the new pixel is %v", codec, c)
		}
	}
	for name, data := range samples(t, m) {
		other := soft(18, 18)
		other.Set(3, 3, color.NRGBA{1, 2, 3, 4})
		got := must[*image.NRGBA](t)(picture.Decode(name, must[[]byte](t)(picture.Replace(name, data, other))))
		if !bytes.Equal(got.Pix, other.Pix) {
			t.Errorf("%s: other pixels", name)
		}
	}
}

func TestRefused(t *testing.T) {
	good := samples(t, soft(3, 3))["A.PNG"]
	lying := bytes.Clone(good)
	binary.BigEndian.PutUint32(lying[16:], 40000)
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":   {nil, fault.ErrFormat},
		"cut off":   {good[:len(good)-20], fault.ErrFormat},
		"a new sum": {lying, fault.ErrFormat},
	} {
		if _, err := picture.Decode(name, c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	blocks := must[[]byte](t)(dds.Encode(soft(6, 8), dds.DXT1))
	dx10 := slices.Concat(must[[]byte](t)(dds.Encode(soft(8, 8), dds.DXT5))[:dds.HeaderSize],
		[]byte{77, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 256))
	copy(dx10[84:], "DX10")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"A.DDS":   {samples(t, soft(6, 6))["A.DDS"], ""},
		"B.DDS":   {blocks, "tl-picture-blocks"},
		"CUT.DDS": {blocks[:140], "tl-picture-unreadable"},
		"X.DDS":   {dx10, "tl-picture-dx10"},
		"W.DDS":   {must[[]byte](t)(dds.Encode(soft(8196, 4), dds.DXT1)), "tl-picture-large"},
	} {
		got := ""
		for _, f := range check.Collect(func(sink check.Sink) { picture.Check(name, c.data, sink) }) {
			got += f.ID
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestDump(t *testing.T) {
	for name, data := range samples(t, soft(3, 3)) {
		n := 0
		if err := picture.Dump(name, data, func(f trace.Field) { n++ }); err != nil || n < 5 {
			t.Errorf("%s: %d fields, %v", name, n, err)
		}
	}
}

// TestDraw tests that parts of a picture meet without a seam, and that pixels equal those of the picture.
func TestDraw(t *testing.T) {
	m := soft(50, 40)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	for _, scale := range []float64{1, 3, 0.4, 0.25, 1.7} {
		size := image.Rect(-2, -2, int(50*scale)+2, int(40*scale)+2)
		whole := image.NewRGBA(size)
		picture.Draw(whole, m, 0, 0, [2]float64{}, scale)
		parts := image.NewRGBA(size)
		for y := size.Min.Y; y < size.Max.Y; y += 7 {
			for x := size.Min.X; x < size.Max.X; x += 5 {
				picture.Draw(parts.SubImage(image.Rect(x, y, x+5, y+7)).(*image.RGBA), m, 0, 0, [2]float64{}, scale)
			}
		}
		if !bytes.Equal(whole.Pix, parts.Pix) {
			t.Errorf("scale %v: parts are other pixels than the whole", scale)
		}
		if c := whole.RGBAAt(-1, 5); c != (color.RGBA{}) {
			t.Errorf("scale %v: beside the picture is %v", scale, c)
		}
		if scale == 1 || scale == 3 {
			for _, p := range []image.Point{{0, 0}, {17, 31}, {49, 39}} {
				if got, want := whole.RGBAAt(p.X*int(scale), p.Y*int(scale)), color.RGBAModel.Convert(m.At(p.X, p.Y)); got != want {
					t.Errorf("scale %v, %v: %v, want %v", scale, p, got, want)
				}
			}
		}
	}
	flat := image.NewNRGBA(image.Rect(0, 0, 30, 30))
	draw.Draw(flat, flat.Rect, image.NewUniform(color.NRGBA{200, 100, 50, 128}), image.Point{}, draw.Src)
	dst := image.NewRGBA(image.Rect(0, 0, 3, 3))
	picture.Draw(dst, flat, 0, 0, [2]float64{}, 0.1)
	if c := dst.RGBAAt(1, 1); c != (color.RGBA{100, 50, 25, 128}) {
		t.Errorf("the mean of one colour is %v", c)
	}
}

// TestCorpus tests that every plain .DDS of real mods round-trips byte for byte through a PNG, and that every other one
// keeps its pixels if it is converted to plain.
func TestCorpus(t *testing.T) {
	n := 0
	plain := dds.Plain
	for _, name := range append(tests.CorpusFiles(t, "torchlight", ".MOD"), tests.CorpusFiles(t, "torchlight", ".mod")...) {
		file := must[[]byte](t)(os.ReadFile(name))
		m := must[*mod.Mod](t)(mod.Open(bytes.NewReader(file), int64(len(file))))
		for _, f := range m.Archive.Files() {
			if path.Ext(f.Path) != ".DDS" || f.Removed() {
				continue
			}
			data := must[[]byte](t)(f.Content())
			made := must[picture.Result](t)(picture.Convert(f.Path, data, picture.PNG, picture.Options{}))
			back := must[picture.Result](t)(picture.Convert("A.PNG", made.Data, picture.DDS, picture.Options{}))
			if h := must[*dds.Header](t)(dds.ReadHeader(data)); h.Format == dds.Plain && !bytes.Equal(back.Data, data) {
				t.Errorf("%s: %s: other bytes come back", name, f.Path)
			}
			back = must[picture.Result](t)(picture.Convert("A.PNG", made.Data, picture.DDS, picture.Options{Codec: &plain}))
			if back.Lossy {
				t.Errorf("%s: %s: loses pixels", name, f.Path)
			}
			n++
		}
	}
	t.Logf("%d pictures", n)
}

// FuzzConvert tests that errors have a place, and that decoded pictures round-trip through a PNG.
func FuzzConvert(f *testing.F) {
	for name, data := range samples(f, soft(5, 6)) {
		f.Add(name, data)
		r := must[picture.Result](f)(picture.Convert(name, data, picture.PNG, picture.Options{}))
		f.Add("A.PNG", r.Data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		_ = picture.Dump(name, data, func(trace.Field) {})
		m, err := picture.Decode(name, data)
		if err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		if m.Rect.Dx()*m.Rect.Dy() > 1<<20 {
			return
		}
		r := must[picture.Result](t)(picture.Convert(name, data, picture.PNG, picture.Options{}))
		if back := must[*image.NRGBA](t)(picture.Decode("", r.Data)); !bytes.Equal(back.Pix, m.Pix) {
			t.Fatal("other pixels come back")
		}
		must[picture.Result](t)(picture.Convert("", r.Data, picture.DDS, picture.Options{}))
	})
}

// BenchmarkDraw draws a picture of 1024 x 1024 pixels at half, full and double size, and with a simple draw.Draw for
// comparison.
func BenchmarkDraw(b *testing.B) {
	m := soft(1024, 1024)
	for _, scale := range []float64{0.5, 1, 2} {
		dst := image.NewRGBA(image.Rect(0, 0, int(1024*scale), int(1024*scale)))
		b.Run(fmt.Sprint(scale), func(b *testing.B) {
			b.SetBytes(int64(len(dst.Pix)))
			for b.Loop() {
				picture.Draw(dst, m, 0, 0, [2]float64{}, scale)
			}
		})
	}
	dst := image.NewRGBA(m.Rect)
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(int64(len(dst.Pix)))
		for b.Loop() {
			draw.Draw(dst, m.Rect, m, image.Point{}, draw.Over)
		}
	})
}
