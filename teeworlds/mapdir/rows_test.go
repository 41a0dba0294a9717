package mapdir_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trowel.example/internal/testing/tests"
	"trowel.example/internal/text/forms"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// textsOf returns the paths of the texts of all tile layers of a folder.
func textsOf(t *testing.T, folder fs.FS) (names []string) {
	t.Helper()
	err := fs.WalkDir(folder, ".", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasPrefix(name, "groups/") && strings.HasSuffix(name, ".txt") && !strings.HasSuffix(name, "order.txt") {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("%d texts, %v", len(names), err)
	}
	return names
}

// TestRows tests that the texts of large layers of each kind, which are written and read row by row, are those that are made as a
// whole, and that the map comes back.
func TestRows(t *testing.T) {
	const width, height = 1100, 1000
	m := twmap.New(width, height)
	m.Physics(twmap.KindGame).Tiles().Set(7, 999, twmap.Tile{ID: 12, Flags: twmap.FlipX, Skip: 3})
	tele, speedup := twmap.NewTileLayer(twmap.KindTele, width, height), twmap.NewTileLayer(twmap.KindSpeedup, width, height)
	switches, tune := twmap.NewTileLayer(twmap.KindSwitch, width, height), twmap.NewTileLayer(twmap.KindTune, width, height)
	tele.Teles().Set(0, 1, twmap.TeleTile{ID: 26, Number: 9})
	speedup.Speedups().Set(1099, 2, twmap.SpeedupTile{ID: 28, Force: 255, MaxSpeed: 9, Angle: -300})
	switches.Switches().Set(1, 3, twmap.SwitchTile{ID: 24, Number: 1, Delay: 200, Flags: twmap.Rotate})
	tune.Tunes().Set(2, 4, twmap.TuneTile{ID: 68, Number: 2})
	packed := twmap.NewTileLayer(twmap.KindTiles, width, height)
	packed.Tiles().Set(3, 5, twmap.Tile{ID: 9})
	packed.Version = 4
	m.Groups[0].Layers = append(m.Groups[0].Layers, tele, speedup, switches, tune, packed)
	data := encode(t, m)
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	folder, dir := mapdir.Open(m), t.TempDir()
	texts := textsOf(t, folder)
	for _, name := range texts {
		whole, err := fs.ReadFile(folder, name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := folder.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := io.ReadAll(f)
		if err != nil || !bytes.Equal(rows, whole) || info.Size() != int64(len(whole)) {
			t.Errorf("%s: %d bytes, stated as %d, of %d, %v", name, len(rows), info.Size(), len(whole), err)
		}
	}
	if err := os.CopyFS(dir, folder); err != nil {
		t.Fatal(err)
	}
	edit := func(name string, change func(string) string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(change(string(text))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	edit(texts[0], func(text string) string { return forms.ByteOrderMark + strings.ReplaceAll(text, "\n", "\r\n") + "\r\n" })
	again, err := mapdir.Read(os.DirFS(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	if back := encode(t, again); !bytes.Equal(back, data) {
		t.Errorf("the packed file differs: %d bytes, not %d", len(back), len(data))
	}
	wrong := []struct{ old, now, want string }{
		{"\n", " . \n", ":1: a row of 1,101 tiles: expected 1,100"},
		{".", strings.Repeat(" ", 80_000), ":1: a row of more than 70,464 bytes: expected 1,100 tiles"},
		{".", "x", ":1:1: x: the number is missing"},
		{"\n", strings.Repeat(" ", 4), ":1: a row of 2,200 tiles: expected 1,100"},
		{" .\n", " .\n\n", ":2: a row of 0 tiles: expected 1,100"},
	}
	for i, c := range wrong {
		edit(texts[1+i], func(text string) string { return strings.Replace(text, c.old, c.now, 1) })
	}
	edit(texts[0], func(text string) string { return text[:len(text)-2*len(strings.Repeat(".   ", width))] })
	_, err = mapdir.Read(os.DirFS(dir), nil)
	if err == nil {
		t.Fatal("no error")
	}
	for i, c := range wrong {
		if !strings.Contains(err.Error(), texts[1+i]+c.want) {
			t.Errorf("%v: expected %s%s", err, texts[1+i], c.want)
		}
	}
	if !strings.Contains(err.Error(), texts[0]+":999: a row of") {
		t.Errorf("%v: expected an error of row 999", err)
	}
}

// TestRowsMemory tests that writing the text of a large layer takes no memory for the layer, and that building the map takes memory
// for the contents once.
func TestRowsMemory(t *testing.T) {
	tests.NotRaced(t, "measures memory")
	const width, height, size = 4000, 1500, 4 * 4000 * 1500
	m := twmap.New(width, height)
	m.Physics(twmap.KindGame).Tiles().Set(7, 999, twmap.Tile{ID: 12})
	data := encode(t, m)
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	allocated := func(do func() error) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := do(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	dir := t.TempDir()
	took := allocated(func() error { return os.CopyFS(dir, mapdir.Open(m)) })
	if took > size+8<<20 { // the contents are needed for the sidecar
		t.Errorf("the folder took %d bytes for a layer of %d", took, size)
	}
	took = allocated(func() error {
		m, err := mapdir.Read(os.DirFS(dir), nil)
		if err == nil {
			_, err = m.Encode()
		}
		return err
	})
	if took > size*5/4+8<<20 {
		t.Errorf("the map took %d bytes for a layer of %d", took, size)
	}
}
