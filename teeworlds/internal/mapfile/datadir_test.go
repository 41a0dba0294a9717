package mapfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/mapfile"
)

func load(t testing.TB, fsys fs.FS) fstest.MapFS {
	t.Helper()
	files := make(fstest.MapFS)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestFolder(t *testing.T) {
	f := datafile.New()
	f.AddItem(0x8001, 4, 1, -2, 3)
	f.AddItem(2, 0)
	f.AddData([]byte("block"))
	f.Data = append(f.Data, datafile.NewBlockLevel([]byte("another"), 9), datafile.NewBlock(nil))
	f.SizeError, f.SwaplenError = -12, -12
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	d, err := datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	files := load(t, mapfile.OpenData(d))
	if err := fstest.TestFS(mapfile.OpenData(d), "datafile.json", "data/00.bin", "data/01.bin", tree.Sidecar); err != nil {
		t.Error(err)
	}
	if back, err := mapfile.ReadData(files); err != nil || !bytes.Equal(back, data) {
		t.Errorf("packs to other bytes, %v", err)
	}
	items := files["datafile.json"]
	items.Data = bytes.Replace(items.Data, []byte("[1,-2,3]"), []byte("[1,-2]"), 1)
	files["data/00.bin"].Data = []byte("changed")
	back, err := mapfile.ReadData(files)
	if err != nil {
		t.Fatal(err)
	}
	d, err = datafile.Decode(back)
	if err != nil {
		t.Fatal(err)
	}
	content, err := d.Data[0].Bytes()
	if err != nil || string(content) != "changed" || len(d.Items[1].Data) != 2 || d.SizeError != -12 {
		t.Errorf("after edits: %q, %v, %v, %d", content, err, d.Items, d.SizeError)
	}
	files["data/00.bin"].Data = nil
	if _, err := mapfile.ReadData(files); err == nil || !strings.Contains(err.Error(), "data/00.bin: block 0 is empty") {
		t.Errorf("an empty block: %v", err)
	}
}

// TestOrder tests that blocks are ordered by the numbers at the start of their file names.
func TestOrder(t *testing.T) {
	folder := func(names ...string) fstest.MapFS {
		files := fstest.MapFS{"datafile.json": {Data: []byte(`{"format":"teeworlds-datafile"}`)}}
		for _, name := range names {
			files["data/"+name+".bin"] = &fstest.MapFile{Data: []byte(name)}
		}
		return files
	}
	data, err := mapfile.ReadData(folder("100-a", "99-b", "0-c", "00-a", "7"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, b := range f.Blocks() {
		content, _ := b.Bytes()
		order = append(order, string(content))
	}
	if got := strings.Join(order, " "); got != "0-c 00-a 7 99-b 100-a" {
		t.Errorf("the blocks are %s", got)
	}
	for _, bad := range []string{"x", "-1", "99999999999999999999-a"} {
		if _, err := mapfile.ReadData(folder(bad)); err == nil || !strings.Contains(err.Error(), "does not begin with a number") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestCorpus tests that every datafile of the corpus that is not a current map, and a few maps, give identical bytes
// when they are extracted and rebuilt.
func TestCorpus(t *testing.T) {
	for i, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data := judge.Read(t, path)
			if datafile.HasType(data, 0) && i%16 > 0 {
				t.Skip("a current map, which package mapdir tests")
			}
			check(t, data)
		})
	}
}

func check(t *testing.T, data []byte) {
	f, err := datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	files := load(t, mapfile.OpenData(f))
	if back, err := mapfile.ReadData(files); err != nil || !bytes.Equal(back, data) {
		t.Errorf("packs to other bytes, %v", err)
	}
	delete(files, tree.Sidecar)
	clean, err := mapfile.ReadData(files)
	if err != nil && strings.Contains(err.Error(), "cannot hold an empty block") {
		return // according to the sidecar
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := datafile.Decode(clean)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range again.Blocks() {
		want, _ := f.Data[i].Bytes()
		if got, err := b.Bytes(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("without sidecar: data[%d] differs, %v", i, err)
		}
	}
	if diff := cmp.Diff(f.Items, again.Items); diff != "" {
		t.Errorf("without sidecar: %s", diff)
	}
}

// FuzzRead tests that reading any folder neither panics nor hangs.
func FuzzRead(f *testing.F) {
	d := datafile.New()
	d.AddItem(2, 0, d.AddData([]byte("block")))
	files := load(f, mapfile.OpenData(d))
	f.Add(files["datafile.json"].Data, files[tree.Sidecar].Data, []byte("block"), "00")
	f.Add([]byte(`{"format":"teeworlds-datafile","items":[{"type":1,"id":2,"data":[-1]}]}`),
		[]byte(`{"data":{"00":{"stream":"AAAA","was":"none"}}}`), []byte(nil), "1x")
	f.Fuzz(func(t *testing.T, items, sidecar, block []byte, name string) {
		if name == "" || strings.Contains(name, "/") {
			return
		}
		files := fstest.MapFS{"datafile.json": {Data: items}, tree.Sidecar: {Data: sidecar}, "data/" + name + ".bin": {Data: block}}
		data, err := mapfile.ReadData(files)
		if err != nil {
			return
		}
		if _, err := datafile.Decode(data); err != nil && !errors.Is(err, fault.ErrVersion) {
			t.Errorf("what it became cannot be read: %v", err)
		}
	})
}

func Example() {
	d := datafile.New()
	d.AddItem(1, 0, 7)
	text, err := fs.ReadFile(mapfile.OpenData(d), "datafile.json")
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// {
	//   "format": "teeworlds-datafile",
	//   "items": [
	//     {"type":1,"id":0,"data":[7]}
	//   ]
	// }
	// <nil>
}
