package worlddraw_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/worlddraw"
)

// colorsPath returns the path of minetestmapper's list of colours.
func colorsPath(t testing.TB) string {
	return filepath.Join(tests.Corpus(t, "minetest"), "colors", "minetestmapper-colors.txt")
}

// copyWorld copies a world whose blocks are in an SQLite file.
func copyWorld(t testing.TB, path string) string {
	dir := t.TempDir()
	for _, name := range []string{"map.sqlite", "world.mt"} {
		data, err := os.ReadFile(filepath.Join(path, name))
		switch {
		case os.IsNotExist(err) && name == "world.mt":
			data = []byte("backend = sqlite3\n")
		case err != nil:
			t.Fatal(err)
		}
		judge.Write(t, filepath.Join(dir, name), data)
	}
	return dir
}

// sqliteWorlds returns the worlds of the corpus that Debian's minetestmapper can open.
func sqliteWorlds(t testing.TB) (dirs []string) {
	for _, path := range tests.CorpusFiles(t, "minetest", "map.sqlite") {
		if strings.Contains(path, "v29-517") { // x, y and z
			continue
		}
		dirs = append(dirs, filepath.Dir(path))
	}
	return dirs
}

func readPNG(t testing.TB, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// differing counts the pixels that differ outside of a mask.
func differing(t testing.TB, got, want image.Image, masked func(x, y int) bool) (n int) {
	t.Helper()
	if got.Bounds().Size() != want.Bounds().Size() {
		t.Errorf("the size is %v, not %v", got.Bounds().Size(), want.Bounds().Size())
		return -1
	}
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			a := color.NRGBAModel.Convert(got.At(x+got.Bounds().Min.X, y+got.Bounds().Min.Y))
			b := color.NRGBAModel.Convert(want.At(x+want.Bounds().Min.X, y+want.Bounds().Min.Y))
			if a != b && (masked == nil || !masked(x, y)) {
				if n == 0 {
					t.Logf("at %d,%d: %v, not %v", x, y, a, b)
				}
				n++
			}
		}
	}
	return n
}

func open(t testing.TB, dir string, o worlddraw.Options) *worlddraw.Map {
	t.Helper()
	db, err := mapdb.Open(context.Background(), dir, mapdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	m, err := worlddraw.New(context.Background(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMinetestmapper tests that the picture from above is identical to that of minetestmapper.
func TestMinetestmapper(t *testing.T) {
	mapper := judge.Find(t, "minetestmapper")
	list, _, err := nodecolor.ReadFile(colorsPath(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range sqliteWorlds(t) {
		for _, alpha := range []bool{false, true} {
			dir := copyWorld(t, path)
			out := filepath.Join(t.TempDir(), "out.png")
			args := []string{"-i", dir, "-o", out, "--colors", colorsPath(t)}
			if alpha {
				args = append(args, "--drawalpha")
			}
			if text, err := exec.Command(mapper, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			m := open(t, dir, worlddraw.Options{View: worlddraw.Top, Colors: list, Box: worlddraw.Everything(), Alpha: alpha,
				Lost: func(err error) { t.Error(err) }})
			s := worlddraw.Sheet{Map: m, Area: m.Bounds(), Zoom: 1, Background: color.NRGBA{255, 255, 255, 255}}
			img := image.NewRGBA(image.Rectangle{Max: s.Size()})
			if err := s.Render(context.Background(), img); err != nil {
				t.Fatal(err)
			}
			if n := differing(t, img, readPNG(t, out), nil); n != 0 {
				t.Errorf("%s, alpha %v: %d pixels differ", path, alpha, n)
			}
		}
	}
}

// posOnly is a Python program that copies the blocks of a world, of any schema, into a world whose table has the
// column pos.
const posOnly = `
import sqlite3, sys
old, new = sqlite3.connect(sys.argv[1]), sqlite3.connect(sys.argv[2])
new.execute("CREATE TABLE blocks (pos INTEGER PRIMARY KEY, data BLOB)")
columns = [row[1] for row in old.execute("PRAGMA table_info(blocks)")]
pos = "z * 16777216 + y * 4096 + x" if "x" in columns else "pos"
new.executemany("INSERT INTO blocks VALUES (?, ?)", old.execute("SELECT " + pos + ", data FROM blocks"))
new.commit()
`

// TestReference tests that an independent program, written only from a description of minetestmapper, draws the same
// picture. It also supports the schema x, y, z, which Debian's minetestmapper cannot open.
func TestReference(t *testing.T) {
	tests.Judges(t)
	root := tests.Corpus(t, "minetest")
	script := filepath.Join(root, "..", "..", "judges", "refmapper.py")
	const python = "/usr/bin/python3" // Debian's Python, which has the libraries
	if _, err := os.Stat(script); err != nil || exec.Command(python, "-c", "import zstandard, numpy, PIL").Run() != nil {
		tests.Missing(t, "judges", "no refmapper.py here, or not what it needs: python3-zstandard, python3-numpy and python3-pil")
	}
	list, _, err := nodecolor.ReadFile(colorsPath(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"generated/v29-517-sqlite", "cornernote-mesecons-circuits"} {
		world, flat := filepath.Join(root, name), t.TempDir()
		if out, err := exec.Command(python, "-c", posOnly, filepath.Join(world, "map.sqlite"),
			filepath.Join(flat, "map.sqlite")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, alpha := range []string{"0", "1"} {
			m := open(t, copyWorld(t, world), worlddraw.Options{View: worlddraw.Top, Colors: list, Box: worlddraw.Everything(),
				Alpha: alpha == "1", Lost: func(err error) { t.Error(err) }})
			s := worlddraw.Sheet{Map: m, Area: m.Bounds(), Zoom: 1, Background: color.NRGBA{255, 255, 255, 255}}
			img := image.NewRGBA(image.Rectangle{Max: s.Size()})
			if err := s.Render(t.Context(), img); err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := png.Encode(&b, img); err != nil {
				t.Fatal(err)
			}
			picture := filepath.Join(flat, "picture.png")
			judge.Write(t, picture, b.Bytes())
			out, err := exec.Command(python, script, flat, colorsPath(t), picture, alpha).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "differ rgb pixels 0 ") {
				t.Errorf("%s, alpha %s: %v\n%s", name, alpha, err, out)
			}
		}
	}
}

// TestOldWorld tests that a world of 2011 gives the same picture before and after a current engine has saved it.
func TestOldWorld(t *testing.T) {
	list, _, err := nodecolor.ReadFile(colorsPath(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(tests.Corpus(t, "minetest"), "generated")
	var pictures [2]*image.RGBA
	for i, c := range []struct {
		path   string
		config mapdb.Config
	}{
		{"v20-sectors2", mapdb.Config{Backend: mapdb.Sectors}}, {"golden-v29-by-5.17/v20", mapdb.Config{}},
	} {
		db, err := mapdb.Open(context.Background(), filepath.Join(dir, c.path), c.config)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		pictures[i] = whole(t, newMap(t, db, worlddraw.Options{View: worlddraw.Top, Colors: list}))
	}
	if n := differing(t, pictures[0], pictures[1], nil); n != 0 {
		t.Errorf("%d pixels differ", n)
	}
}
