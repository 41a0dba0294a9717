package teeworlds

import (
	"bytes"
	"fmt"
	"image"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/censustest"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
	"trowel.example/trace"
)

// TestCorpusMaps tests that every map of the corpus opens, has information, lists its files, and has a field for each
// byte.
func TestCorpusMaps(t *testing.T) {
	formats := make(map[string]int)
	for _, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
		name := filepath.Base(path)
		src, err := format.OpenSource(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := format.Set(game.Formats).Find(src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		formats[f.Name]++
		file, err := f.Open(t.Context(), new(format.Job), src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if info, err := file.Info(t.Context(), new(format.Job)); err != nil || info.Format != f.Name || len(info.Fields) < 6 {
			t.Errorf("%s: info %+v, %v", name, info, err)
		}
		fsys, err := file.Tree(t.Context(), new(format.Job))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		files := 0
		err = fs.WalkDir(fsys, ".", func(string, fs.DirEntry, error) error { files++; return nil })
		if err != nil || files < 3 {
			t.Errorf("%s: %d files, %v", name, files, err)
		}
		covered := int64(0)
		err = f.Dump(t.Context(), new(format.Job), src, "", func(f trace.Field) {
			if f.Space == "" {
				covered += f.Len
			}
		})
		if err != nil || covered != src.Size {
			t.Errorf("%s: the fields have %d of %d bytes, %v", name, covered, src.Size, err)
		}
		if err := file.Check(t.Context(), new(format.Job), func(check.Finding) {}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Log(formats)
}

// TestInfoInflatesNothing tests that info and a listing inflate no layer and no picture, however large they are.
func TestInfoInflatesNothing(t *testing.T) {
	m := twmap.New(2000, 1000)
	game := m.Physics(twmap.KindGame)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		game.Tiles().Set(rng.IntN(2000), rng.IntN(1000), twmap.Tile{ID: 1})
	}
	m.Images = []*twmap.Image{twmap.NewImage("large", image.NewNRGBA(image.Rect(0, 0, 1024, 1024)))}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	file, err := teeworldsMap.Open(t.Context(), new(format.Job), format.NewSource("large.map", data))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Info(t.Context(), new(format.Job)); err != nil {
		t.Fatal(err)
	}
	fsys, err := file.Tree(t.Context(), new(format.Job))
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	err = fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if note := info.Sys().(tree.Meta).Note; note != "" {
			notes = append(notes, note)
		}
		return err
	})
	if err != nil || len(notes) < 3 {
		t.Fatalf("notes = %q, %v", notes, err)
	}
	metrics.Read(sample)
	const limit = 1 << 20 // a tenth of the inflated size
	if got := sample[0].Value.Uint64() - before; got > limit+uint64(len(data)) {
		t.Errorf("allocated %d bytes for a map of %d bytes, which inflates to %d", got, len(data), 2000*1000*4+1024*1024*4)
	}
}

// TestFindMap tests that, of two formats with the extension .map, the contents decide; the name decides only if the
// contents do not.
func TestFindMap(t *testing.T) {
	whole, err := twmap.New(2, 2).Encode()
	if err != nil {
		t.Fatal(err)
	}
	noVersion := bytes.Clone(whole)
	noVersion[36] = 0x77 // the type of the version item in the table
	for _, c := range []struct {
		name string
		data []byte
		want *format.Format
	}{
		{"x.map", whole, teeworldsMap},
		{"x.txt", whole, teeworldsMap},
		{"x.map", noVersion, teeworldsDatafile},
		{"x.MAP", []byte("something else"), teeworldsMap},
		{"x.txt", []byte("something else"), nil},
		{"x.txt", nil, nil},
	} {
		got, err := format.Set(game.Formats).Find(format.NewSource(c.name, c.data))
		if got != c.want || (err == nil) != (got != nil) {
			t.Errorf("%s, %d bytes: %v, %v", c.name, len(c.data), got, err)
		}
	}
}

// TestInfoOfDatafile tests that the information about a datafile that is not a map names what is missing.
func TestInfoOfDatafile(t *testing.T) {
	f := datafile.New()
	for id := range uint16(2) {
		f.AddItem(0x8002, id, 0, 1, 1)
	}
	f.AddItem(2, 0, 1)
	for _, want := range []string{"with 2 tile layers", "is not a map"} {
		data, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		info := censustest.Info(t, teeworldsDatafile, format.NewSource("a.map", data))
		if got := fmt.Sprint(info["missing"]); !strings.Contains(got, want) || !strings.Contains(got, "map version") {
			t.Errorf("missing: %s, expected %q", got, want)
		}
		f.Items = f.Items[:1]
	}
}
