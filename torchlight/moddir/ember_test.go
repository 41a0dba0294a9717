package moddir_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"image"
	"math"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
)

var update = flag.Bool("update", false, "write the icons and the model of the sample mod again")

const (
	emberPath     = "../../samples/ember"
	emberIcons    = "MEDIA/UI/EMBER_ICONS"
	emberRing     = "MEDIA/MODELS/RINGS/EMBER/EMBER_RING"
	emberImageSet = `<?xml version="1.0" encoding="UTF-8"?>
<Imageset Name="ember_icons" Imagefile="media/ui/ember_icons.dds" NativeHorzRes="1024" NativeVertRes="768" AutoScaled="true">
	<Image Name="icon_ring_ember" XPos="0" YPos="0" Width="64" Height="64"/>
	<Image Name="skillicon_emberleap" XPos="64" YPos="0" Width="64" Height="64"/>
	<Image Name="skillicon_emberleap_gray" XPos="128" YPos="0" Width="64" Height="64"/>
	<Image Name="ember_panel" XPos="192" YPos="0" Width="64" Height="64"/>
</Imageset>
`
	emberMaterial = `material ember_ring
{
	technique
	{
		pass
		{
			ambient 1 1 1
			diffuse 1 1 1
			texture_unit
			{
				texture ember_ring.dds
			}
		}
	}
}
`
)

// emberFiles returns the files of the sample mod that are made here.
func emberFiles(t *testing.T) map[string][]byte {
	t.Helper()
	icons := image.NewNRGBA(image.Rect(0, 0, 256, 64))
	paint(icons, image.Rect(0, 0, 64, 64), ringIcon)
	paint(icons, image.Rect(64, 0, 128, 64), leapIcon)
	paint(icons, image.Rect(128, 0, 192, 64), func(x, y float64) ink { return leapIcon(x, y).gray() })
	paint(icons, image.Rect(192, 0, 256, 64), panel)
	metal := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	paint(metal, metal.Rect, ringTexture)
	files := map[string][]byte{emberIcons + ".IMAGESET": []byte(emberImageSet), emberRing + ".MATERIAL": []byte(emberMaterial),
		emberRing + ".MESH.txt": ogre.Format(ringMesh())}
	for name, picture := range map[string]image.Image{emberIcons + ".DDS": icons, emberRing + ".DDS": metal} {
		data, err := dds.Encode(picture, map[bool]dds.Format{true: dds.DXT5, false: dds.DXT1}[picture == icons])
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files
}

// ringMesh returns a ring that stands upright, and a gem on its top. The upper quarter of the texture is the gem's.
func ringMesh() *ogre.Mesh {
	const around, across, facets = 20, 8, 6
	var vertices []byte
	var indices []uint32
	bounds := &ogre.Bounds{Min: [3]float32{9, 9, 9}, Max: [3]float32{-9, -9, -9}}
	count := uint32(0)
	vertex := func(p, n [3]float64, u, v float64) {
		for _, f := range []float64{p[0], p[1], p[2], n[0], n[1], n[2], u, v} {
			vertices = binary.LittleEndian.AppendUint32(vertices, math.Float32bits(rounded(f)))
		}
		for i, f := range p {
			bounds.Min[i], bounds.Max[i] = min(bounds.Min[i], rounded(f)), max(bounds.Max[i], rounded(f))
		}
		bounds.Radius = max(bounds.Radius, rounded(math.Sqrt(p[0]*p[0]+p[1]*p[1]+p[2]*p[2])))
		count++
	}
	for i := range around + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / around)
		for j := range across + 1 {
			s, c := math.Sincos(2 * math.Pi * float64(j) / across)
			r := .4 + .08*c
			vertex([3]float64{r * cos, .48 + r*sin, .11 * s}, [3]float64{c * cos, c * sin, s},
				4*float64(i)/around, .3+.65*float64(j)/across)
			if i < around && j < across {
				a, b := count-1, count+across
				indices = append(indices, a, b, b+1, a, b+1, a+1)
			}
		}
	}
	for i := range facets { // each with a corner of the girdle, the next one, and the top or the bottom of the gem
		var girdle [2][3]float64
		for k := range girdle {
			s, c := math.Sincos(2 * math.Pi * float64(i+k) / facets)
			girdle[k] = [3]float64{.19 * c, 1.06, .19 * s}
		}
		for _, tip := range [][3]float64{{0, 1.3, 0}, {0, .86, 0}} {
			a, b := girdle[1], girdle[0]
			if tip[1] < 1 {
				a, b = b, a
			}
			n := normal(a, b, tip)
			indices = append(indices, count, count+1, count+2)
			vertex(a, n, .05, .22)
			vertex(b, n, .95, .22)
			vertex(tip, n, .5, .02)
		}
	}
	return &ogre.Mesh{Version: "1.40", Bounds: bounds, Names: &ogre.Names{}, SubMeshes: []ogre.SubMesh{{
		Material: "ember_ring", Indices: indices, Operation: &ogre.Operation{Kind: ogre.Triangles},
		Geometry: &ogre.Geometry{Count: count,
			Declaration: &ogre.Declaration{Elements: []ogre.Element{{Type: 2, Semantic: ogre.Position},
				{Type: 2, Semantic: ogre.Normal, Offset: 12}, {Type: 1, Semantic: ogre.TexCoord, Offset: 24}}},
			Buffers: []ogre.Buffer{{Stride: 32, Data: vertices}}}}}}
}

// rounded returns a number with four decimals, which is short as text.
func rounded(f float64) float32 { return float32(math.Round(f*1e4)/1e4) + 0 }

// normal returns the direction that a counter-clockwise triangle faces.
func normal(a, b, c [3]float64) [3]float64 {
	var u, v, n [3]float64
	for i := range u {
		u[i], v[i] = b[i]-a[i], c[i]-a[i]
	}
	length := 0.
	for i := range n {
		j, k := (i+1)%3, (i+2)%3
		n[i] = u[j]*v[k] - u[k]*v[j]
		length += n[i] * n[i]
	}
	for i := range n {
		n[i] /= math.Sqrt(length)
	}
	return n
}

// TestEmber tests that the icons and the model of the sample are what is made here, and that its mod has no findings.
func TestEmber(t *testing.T) {
	for name, want := range emberFiles(t) {
		path := filepath.Join(emberPath, name)
		if *update {
			judge.Write(t, path, want)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another file (%v); go test -run Ember -update writes it", name, err)
		}
	}
	var out tests.Memory
	if _, _, err := moddir.Build(context.Background(), &out, os.DirFS(emberPath), moddir.BuildOptions{Tables: true}); err != nil {
		t.Fatal(err)
	}
	m, err := mod.Open(bytes.NewReader(out.Data), int64(len(out.Data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range check.Collect(func(s check.Sink) { moddir.Check(m.Archive, moddir.CheckOptions{}, s) }) {
		t.Errorf("%+v", f)
	}
}
