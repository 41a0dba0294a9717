package worlddir

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/files/tree"
	"trowel.example/minetest/mapblock"
)

// TestOpenBlock tests that a separate block of any version and compression round-trips, also if it is cut, and that an
// edited text gives a new block.
func TestOpenBlock(t *testing.T) {
	for version := range mapblock.Newest + 1 {
		fresh, err := everything(t, version).EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		blocks := [][]byte{fresh}
		if version >= 22 && version < mapblock.Newest {
			blocks = append(blocks, atLevel(t, version, 1), atLevel(t, version, 0))
		}
		for _, data := range blocks {
			fsys, err := OpenBlock(data, "b.txt")
			if err != nil {
				t.Fatalf("version %d: %v", version, err)
			}
			if !RecognizeBlock(fsys) {
				t.Fatal("not recognised")
			}
			if got, err := BuildBlock(fsys); err != nil || !bytes.Equal(got, data) {
				t.Errorf("version %d: %d bytes of %d, %v", version, len(got), len(data), err)
			}
			for _, cut := range [][]byte{data[:len(data)-1], data[:1], nil} {
				fsys, err := OpenBlock(cut, "b.txt")
				if err != nil {
					t.Fatal(err)
				}
				if got, err := BuildBlock(fsys); err != nil || !bytes.Equal(got, cut) {
					t.Errorf("version %d, cut: %d bytes of %d, %v", version, len(got), len(cut), err)
				}
			}
			text, _ := fs.ReadFile(fsys, "b.txt")
			side, _ := fs.ReadFile(fsys, tree.Sidecar)
			edited := fstest.MapFS{"b.txt": {Data: append(text, "\n# edited\n"...)}, tree.Sidecar: {Data: side}}
			got, err := BuildBlock(edited)
			if err != nil {
				t.Fatalf("version %d: %v", version, err)
			}
			if _, err := mapblock.Decode(got); err != nil {
				t.Errorf("version %d: %v", version, err)
			}
		}
	}
	for want, fsys := range map[string]fstest.MapFS{
		"found 0":    {tree.Sidecar: {Data: []byte(`{"format":"minetest-block"}`)}},
		"found 2":    {"a.txt": {}, "b.txt": {}},
		"a.txt:":     {"a.txt": {Data: []byte("nonsense")}},
		tree.Sidecar: {"a.txt": {}, tree.Sidecar: {Data: []byte("{")}},
	} {
		if _, err := BuildBlock(fsys); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v instead of %s", err, want)
		}
	}
}
