package pixel_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"trowel.example/internal/picture/pixel"
	"trowel.example/internal/testing/tests"
)

// picture returns pixels with the given number of colours, some of them transparent unless opaque is set.
func picture(seed uint64, w, h, colors int, opaque bool) *image.RGBA {
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]color.RGBA, colors)
	for i := range list {
		a := uint8(255)
		if !opaque && i%3 > 0 {
			a = uint8(r.Uint32())
		}
		list[i] = color.RGBAModel.Convert(color.NRGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(i), a}).(color.RGBA)
	}
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetRGBA(x, y, list[(x/3+y/2*7+int(r.Uint32()%3))%colors])
		}
	}
	return m
}

// write writes a picture in bands of the given number of rows.
func write(t testing.TB, m *image.RGBA, kind pixel.Kind, rows int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pixel.NewPNG(&b, m.Rect.Size(), kind)
	if err != nil {
		t.Fatal(err)
	}
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y += rows {
		part := image.Rect(m.Rect.Min.X, y, m.Rect.Max.X, min(y+rows, m.Rect.Max.Y))
		if err := w.Add(m.SubImage(part).(*image.RGBA)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// same compares the result of image/png with the written picture.
func same(t testing.TB, data []byte, m *image.RGBA, kind pixel.Kind) image.Image {
	t.Helper()
	got, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got.Bounds().Size() != m.Rect.Size() {
		t.Fatalf("%v came back as %v", m.Rect, got.Bounds())
	}
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			want := color.NRGBAModel.Convert(m.RGBAAt(m.Rect.Min.X+x, m.Rect.Min.Y+y)).(color.NRGBA)
			if kind == pixel.RGB {
				p := m.RGBAAt(m.Rect.Min.X+x, m.Rect.Min.Y+y)
				want = color.NRGBA{p.R, p.G, p.B, 255}
			}
			if c := color.NRGBAModel.Convert(got.At(x, y)).(color.NRGBA); c != want {
				t.Fatalf("%d,%d: %v came back as %v", x, y, want, c)
			}
		}
	}
	return got
}

func TestPNG(t *testing.T) {
	for _, test := range []struct {
		w, h, colors, rows int
		opaque             bool
		kind               pixel.Kind
		palette            bool
	}{
		{1, 1, 1, 1, true, pixel.RGB, true},
		{1, 1, 1, 1, false, pixel.RGBA, true},
		{300, 200, 256, 7, true, pixel.RGB, true},
		{300, 200, 257, 7, true, pixel.RGB, false},
		{300, 200, 256, 200, false, pixel.RGBA, true},
		{300, 200, 1000, 33, false, pixel.RGBA, false},
		{300, 200, 5000, 1, false, pixel.RGBA, false},
		{7, 2000, 300, 64, true, pixel.RGB, false},
		{700, 600, 3000, 550, true, pixel.RGB, false}, // several segments in a band
		{700, 600, 200, 350, false, pixel.RGBA, true},
	} {
		m := picture(uint64(test.colors), test.w, test.h, test.colors, test.opaque)
		got := same(t, write(t, m, test.kind, test.rows), m, test.kind)
		if _, ok := got.(*image.Paletted); ok != test.palette {
			t.Errorf("%+v: is a %T", test, got)
		}
	}
}

// TestPNGLateColors tests that a palette is abandoned if the last rows have too many colours.
func TestPNGLateColors(t *testing.T) {
	m := picture(1, 400, 300, 250, false)
	for x := range 20 {
		m.SetRGBA(x, 299, color.RGBA{uint8(x), 255, uint8(x), 255})
	}
	for _, rows := range []int{1, 100, 299, 300} {
		if _, ok := same(t, write(t, m, pixel.RGBA, rows), m, pixel.RGBA).(*image.Paletted); ok {
			t.Error("270 colours in a palette")
		}
	}
}

func TestPNGGray16(t *testing.T) {
	m := image.NewGray16(image.Rect(-3, -4, 500, 700))
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			m.SetGray16(x, y, color.Gray16{uint16(x*y + y>>3)})
		}
	}
	var b bytes.Buffer
	w, err := pixel.NewPNG(&b, m.Rect.Size(), pixel.Gray16)
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y && err == nil; y += 64 {
		err = w.AddGray16(m.SubImage(image.Rect(m.Rect.Min.X, y, m.Rect.Max.X, y+64)).(*image.Gray16))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			if got.(*image.Gray16).Gray16At(x, y) != m.Gray16At(m.Rect.Min.X+x, m.Rect.Min.Y+y) {
				t.Fatal(x, y)
			}
		}
	}
}

// TestPNGSameBytes tests that the output does not depend on the number of cores and the size of the bands.
func TestPNGSameBytes(t *testing.T) {
	m := picture(5, 700, 600, 4000, true)
	want := write(t, m, pixel.RGB, 590)
	for _, n := range []int{1, 3} {
		before := runtime.GOMAXPROCS(n)
		got := write(t, m, pixel.RGB, 590)
		runtime.GOMAXPROCS(before)
		if !bytes.Equal(got, want) {
			t.Errorf("other bytes with %d cores", n)
		}
		if !bytes.Equal(write(t, m, pixel.RGB, 100*n+7), want) {
			t.Error("other bytes in other bands")
		}
	}
}

func TestPNGWrongUse(t *testing.T) {
	if _, err := pixel.NewPNG(new(bytes.Buffer), image.Pt(0, 5), pixel.RGB); err == nil {
		t.Error("a picture without a width")
	}
	open := func(kind pixel.Kind) *pixel.PNG {
		w, err := pixel.NewPNG(new(bytes.Buffer), image.Pt(10, 10), kind)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	if open(pixel.RGB).Close() == nil {
		t.Error("rows are missing")
	}
	for _, size := range []image.Point{{9, 1}, {11, 1}, {10, 11}, {10, 0}} {
		if open(pixel.RGB).Add(image.NewRGBA(image.Rectangle{Max: size})) == nil {
			t.Errorf("a band of %v", size)
		}
	}
	if open(pixel.Gray16).Add(image.NewRGBA(image.Rect(0, 0, 10, 1))) == nil ||
		open(pixel.RGB).AddGray16(image.NewGray16(image.Rect(0, 0, 10, 1))) == nil {
		t.Error("a band of another kind")
	}
	w, err := pixel.NewPNG(failing{}, image.Pt(10, 10), pixel.Gray16)
	if err == nil {
		err = w.AddGray16(image.NewGray16(image.Rect(0, 0, 10, 10)))
	}
	if err == nil || !strings.Contains(err.Error(), "full") {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

var errFull = errorString("the disk is full")

type errorString string

func (e errorString) Error() string { return string(e) }

// TestPNGMemory tests that writing a picture needs the memory of a few segments, whatever its size.
func TestPNGMemory(t *testing.T) {
	tests.NotRaced(t, "measures memory")
	const w, h, rows = 8000, 4000, 50 // 96 MB
	p, err := pixel.NewPNG(io.Discard, image.Pt(w, h), pixel.RGB)
	if err != nil {
		t.Fatal(err)
	}
	band := image.NewRGBA(image.Rect(0, 0, w, rows))
	for x := range 1000 { // too many for a palette
		band.SetRGBA(x, 0, color.RGBA{uint8(x), uint8(x >> 8), 0, 255})
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	runtime.GC()
	start, most := heap(), int64(0)
	for y := 0; y < h; y += rows {
		if err := p.Add(band); err != nil {
			t.Fatal(err)
		}
		most = max(most, heap()-start)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if limit := int64(16+8*runtime.GOMAXPROCS(0)) << 20; most > limit {
		t.Errorf("%d MB more while writing", most>>20)
	}
}

func FuzzPNG(f *testing.F) {
	f.Add([]byte("some pixels that a picture may have"), uint8(3), uint8(2), uint8(1))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 255}, 300), uint8(60), uint8(7), uint8(0))
	f.Fuzz(func(t *testing.T, pix []byte, width, rows, kind uint8) {
		w := max(int(width), 1)
		h := len(pix) / 4 / w
		if h < 1 {
			return
		}
		m := &image.RGBA{Pix: bytes.Clone(pix), Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
		for i := 0; i+4 <= len(m.Pix); i += 4 { // simulate premultiplied alpha
			for j := range 3 {
				m.Pix[i+j] = min(m.Pix[i+j], m.Pix[i+3])
			}
		}
		k := []pixel.Kind{pixel.RGB, pixel.RGBA}[kind%2]
		same(t, write(t, m, k, max(int(rows), 1)), m, k)
	})
}

// TestStraight tests that a picture in NRGBA keeps all its bytes, those of transparent pixels included, with a palette and without.
func TestStraight(t *testing.T) {
	for _, colors := range []uint32{200, 1 << 24} {
		m := image.NewNRGBA(image.Rect(0, 0, 640, 500))
		r := rand.New(rand.NewPCG(1, uint64(colors)))
		for i := 0; i < len(m.Pix); i += 4 {
			binary.LittleEndian.PutUint32(m.Pix[i:], r.Uint32N(colors)*255)
		}
		var b bytes.Buffer
		p, err := pixel.NewFastPNG(&b, m.Rect.Size(), pixel.StraightRGBA)
		if err == nil {
			err = p.Add((*image.RGBA)(m))
		}
		if err == nil {
			err = p.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(m.Pix); i += 4 {
			x, y := i/4%640, i/4/640
			if c := got.At(x, y); c != m.NRGBAAt(x, y) {
				t.Fatalf("%d colours: the pixel %d, %d is %v, expected %v", colors, x, y, c, m.NRGBAAt(x, y))
			}
		}
	}
}
