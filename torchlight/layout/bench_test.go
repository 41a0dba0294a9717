package layout_test

import (
	"fmt"
	"testing"

	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

// large returns a layout of n windows with ten properties each.
func large(b *testing.B, n int) []byte {
	f := &layout.File{Version: layout.Version}
	d := layout.DescriptorNamed("Window")
	for i := range n {
		o := &layout.Object{Descriptor: d.Code, ID: int64(i), Name: fmt.Sprint("Window ", i)}
		for _, name := range []string{"OFFSET X", "OFFSET Y", "WIDTH", "HEIGHT", "SCALE WIDTH"} {
			o.Properties = append(o.Properties, layout.Property{Code: d.Named(name).Code, Data: f32(float32(i) / 3)})
		}
		for _, name := range []string{"VERTICAL", "HORIZONTAL", "TOOL TIP VISUAL"} {
			o.Properties = append(o.Properties, layout.Property{Code: d.Named(name).Code, Data: wide("some text of usual length")})
		}
		for _, name := range []string{"CLIPPED", "VISIBLE"} {
			o.Properties = append(o.Properties, layout.Property{Code: d.Named(name).Code, Data: []byte{1, 0, 0, 0}})
		}
		f.Objects = append(f.Objects, o)
	}
	data, err := f.Encode()
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func BenchmarkDecode(b *testing.B) {
	data := large(b, 200)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := layout.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecompile includes compiling the text again, which finds the residue.
func BenchmarkDecompile(b *testing.B) {
	data := large(b, 200)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := layout.Decompile(data, ui); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	form, residue, err := layout.Decompile(large(b, 200), ui)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(form)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := layout.Compile(form, residue, ui); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompileSmall(b *testing.B) {
	form := text.Format(parse(b, sample))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := layout.Compile(form, nil, ui); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCorpus decompiles all layouts in the mods of the corpus, one after the other.
func BenchmarkCorpus(b *testing.B) {
	list := archived(b)
	size := int64(0)
	for _, p := range list {
		size += int64(len(p.compiled))
	}
	b.SetBytes(size)
	b.ReportMetric(float64(len(list)), "layouts")
	for b.Loop() {
		for _, p := range list {
			if _, _, err := layout.Decompile(p.compiled, layout.Options{Path: p.path}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
