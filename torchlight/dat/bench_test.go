package dat_test

import (
	"fmt"
	"testing"

	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/text"
)

// small returns a thousand different texts of about 25 lines, the size of most files in mods.
func small() [][]byte {
	var all [][]byte
	for i := range 1000 {
		root := &text.Node{Name: "UNIT"}
		root.Add(text.String, "NAME", fmt.Sprintf("Unit %d", i))
		root.Add(text.String, "BASEFILE", "media/units/items/base.dat")
		root.Add(text.Integer64, "UNIT_GUID", fmt.Sprint(i*1000003))
		for level := range 3 {
			n := root.AddNode("LEVEL" + fmt.Sprint(level+1))
			n.Add(text.Float, "DURATION", fmt.Sprint(float32(i)/8))
			n.Add(text.Bool, "HIDDEN", "1")
			n.Add(text.String, "TARGET", "SELF")
			n.Add(text.Translate, "DISPLAYNAME", fmt.Sprint("Level ", level))
			n.Add(text.Integer, "VALUE", "12")
		}
		all = append(all, text.Format(root))
	}
	return all
}

// BenchmarkCompile compiles a thousand small files.
func BenchmarkCompile(b *testing.B) {
	forms := small()
	b.ReportAllocs()
	for b.Loop() {
		for _, form := range forms {
			if _, err := dat.Compile(form, nil, dat.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(forms)), "us/file")
}

// BenchmarkDecompile decompiles a thousand small files.
func BenchmarkDecompile(b *testing.B) {
	var files [][]byte
	for _, form := range small() {
		data, err := dat.Compile(form, nil, dat.Options{})
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, data)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, data := range files {
			if _, _, err := dat.Decompile(data, dat.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(files)), "us/file")
}

// BenchmarkCorpus decompiles every file of the corpus.
func BenchmarkCorpus(b *testing.B) {
	files := corpusFiles(b)
	for b.Loop() {
		for _, c := range files {
			if _, _, err := dat.Decompile(c.data, dat.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(files)), "us/file")
}
