package plan_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/torchlight/internal/plan"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/text"
)

var update = flag.Bool("update", false, "write the expected plan anew")

// sample returns the plan of the level in the sample mod.
func sample(t testing.TB) *plan.Plan {
	const path = "MEDIA/LAYOUTS/EMBER/FORGE.LAYOUT"
	mod := os.DirFS("../../../samples/ember")
	read := func(path string) (*layout.File, error) {
		data, err := fs.ReadFile(mod, path)
		if err != nil {
			return nil, err
		}
		file, err := text.Parse(data)
		if err != nil {
			return nil, err
		}
		return layout.FromText(file.Root, func(text.Item, *text.Error) {})
	}
	f, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	return plan.New(f, plan.Options{Path: path, Layout: read, Grid: func(path string) (*mpp.File, error) {
		data, err := fs.ReadFile(mod, strings.TrimSuffix(path, ".LAYOUT")+".MPP.pgm")
		if err != nil {
			return nil, err
		}
		return mpp.Parse(data)
	}})
}

// TestGolden tests that the plan of the sample equals the stored one, which was checked by eye. The grid is left out,
// because different versions of Go may compress it differently.
func TestGolden(t *testing.T) {
	const golden = "testdata/forge.svg"
	p := sample(t)
	if len(p.Left) > 0 {
		t.Errorf("left: %v", p.Left)
	}
	got := []byte(svgOf(t, p, func(layer string) bool { return layer != plan.GridLayer }))
	if *update {
		judge.Write(t, golden, got)
	}
	want := judge.Read(t, golden)
	if !bytes.Equal(got, want) {
		t.Errorf("the plan of the sample differs: go test -run Golden -update, look at %s, and commit it", golden)
	}
}

// TestPixelsOfSample tests that the SVG and the pixels have the same colors in the same places.
func TestPixelsOfSample(t *testing.T) {
	p := sample(t)
	const scale = 16
	m := render(t, p, scale)
	at := func(x, z float64) [3]uint8 {
		c := m.RGBAAt(int((x-p.Min[0])*scale), int((-z-p.Min[1])*scale))
		return [3]uint8{c.R, c.G, c.B}
	}
	if c := at(13-0.1, 24); !(c[0] > 180 && c[1] < 90 && c[2] < 90) {
		t.Errorf("where a monster stands is %v", c)
	}
	if c := at(20, 22); c != [3]uint8{255, 255, 255} {
		t.Errorf("the floor is %v", c)
	}
	if c := at(38, 5); c != [3]uint8{plan.Background.R, plan.Background.G, plan.Background.B} {
		t.Errorf("where nothing is is %v", c)
	}
}

// benchmarked returns a plan of 20,000 objects.
func benchmarked(b *testing.B) *plan.Plan {
	d := layout.DescriptorNamed("Room Piece")
	vector := func(name string, x, z float32) layout.Property {
		data := binary.LittleEndian.AppendUint32(nil, math.Float32bits(x))
		data = binary.LittleEndian.AppendUint32(data, 0)
		return layout.Property{Code: d.Named(name).Code, Data: binary.LittleEndian.AppendUint32(data, math.Float32bits(z))}
	}
	f := new(layout.File)
	for i := range 20000 {
		f.Objects = append(f.Objects, &layout.Object{Descriptor: d.Code, ID: int64(i), Properties: []layout.Property{
			vector("POSITION", float32(i%141), float32(i/141)), vector("FORWARD", 0.6, 0.8), vector("RIGHT", 0.8, -0.6),
		}})
	}
	return plan.New(f, plan.Options{})
}

func BenchmarkRender(b *testing.B) {
	p := benchmarked(b)
	for b.Loop() {
		render(b, p, 10)
	}
}

func BenchmarkSVG(b *testing.B) {
	p := benchmarked(b)
	for b.Loop() {
		b.SetBytes(int64(len(svgOf(b, p, nil))))
	}
}
