package minetestmapper_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	_ "image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/minetestmapper"
	"trowel.example/minetest/world"
)

func colorsPath(t testing.TB) string {
	return filepath.Join(tests.Corpus(t, "minetest"), "colors", "minetestmapper-colors.txt")
}

// worldCopy copies a world of the corpus.
func worldCopy(t testing.TB, name string) string {
	dir := t.TempDir()
	path := filepath.Join(tests.Corpus(t, "minetest"), name)
	if err := os.CopyFS(dir, os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	mt := filepath.Join(dir, "world.mt")
	if _, err := os.Stat(mt); err != nil {
		judge.Write(t, mt, []byte("backend = sqlite3\n"))
	}
	return dir
}

// ours runs this package and returns its exit code and output.
func ours(args ...string) (code int, stdout, stderr string) {
	var out, talk bytes.Buffer
	code = minetestmapper.Run(context.Background(), args, minetestmapper.IO{Out: &out, Talk: &talk,
		Write: func(path, _ string, write func(io.Writer) error) error {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				return err
			}
			return os.WriteFile(path, b.Bytes(), 0o644)
		}})
	return code, out.String(), talk.String()
}

func picture(t testing.TB, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// compare fails the test if pixels outside of a mask differ, or all pixels are one colour.
func compare(t testing.TB, got, want image.Image, masked func(x, y int) bool) {
	t.Helper()
	if got.Bounds() != want.Bounds() {
		t.Errorf("the picture is %v, not %v", got.Bounds(), want.Bounds())
		return
	}
	n := 0
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			a, b := color.NRGBAModel.Convert(got.At(x, y)), color.NRGBAModel.Convert(want.At(x, y))
			if a != b && !masked(x, y) {
				if n++; n <= 3 {
					t.Errorf("at %d,%d: %v, not %v", x, y, a, b)
				}
			}
		}
	}
	if n > 0 {
		t.Errorf("%d pixels differ", n)
	}
}

// A mask is a set of rectangles with text, except for the lines in them.
type mask struct {
	texts, lines []image.Rectangle
}

func (m mask) at(x, y int) bool {
	in := func(list []image.Rectangle) bool {
		for _, r := range list {
			if (image.Point{X: x, Y: y}).In(r) {
				return true
			}
		}
		return false
	}
	return in(m.texts) && !in(m.lines)
}

// TestOptions tests that all options give the same pictures as minetestmapper.
func TestOptions(t *testing.T) {
	mapper := judge.Find(t, "minetestmapper")
	big := image.Rect(0, 0, 1<<20, 1<<20)
	top := image.Rect(0, 0, 1<<20, 13)
	left := image.Rect(2, 0, 40, 1<<20)
	tests := []struct {
		args string
		mask mask
	}{
		{args: ""},
		{args: "--drawalpha"},
		{args: "--noshading"},
		{args: "--noshading --drawalpha --bgcolor #123456"},
		{args: "--bgcolor #0080ff"},
		{args: "--zoom 3"},
		{args: "--zoom 2 --drawalpha"},
		{args: "--min-y 5"},
		{args: "--max-y 3"},
		{args: "--min-y -20 --max-y 2 --drawalpha"},
		{args: "--max-y -30 --min-y 2"},
		{args: "--min-y 2000 --max-y 2100"},
		{args: "--geometry 0:0+100+100"},
		{args: "--geometry -1:-1+34+34"},
		{args: "--geometry -500:-500+600+300"},
		{args: "--geometry=1000:1000+20+20"},
		{args: "--geo -32768:-64+40000+128"},
		{args: "--geometry 3:-40+30+130 --min-y -10 --max-y 30"},
		{args: "--geometry 3:-40+30+130 --min-y -10 --max-y 30 --exhaustive never"},
		{args: "--geometry 3:-40+30+130 --exhaustive y --min-y -64 --max-y 100"},
		{args: "--geometry -300:-300+600+600 --exhaustive full --min-y -16 --max-y 40"},
		{args: "--draworigin"},
		{args: "--draworigin --zoom 4 --origincolor #00ff00"},
		{args: "--drawscale", mask: mask{texts: []image.Rectangle{top, left}}},
		{args: "--drawscale --scalecolor #ff8000 --scales tl --zoom 2", mask: mask{texts: []image.Rectangle{top, left}}},
		{args: "--drawscale --scales br --draworigin", mask: mask{texts: []image.Rectangle{big}}},
		{args: "--drawscale --scales tblr --geometry 3:-40+300+130", mask: mask{texts: []image.Rectangle{top, left}}},
		{args: "--exhaustive nonsense -v"},
	}
	for _, name := range []string{"cornernote-mesecons-circuits", "generated/v24-sqlite", "generated/v29-sqlite", "large-metadata"} {
		dir := worldCopy(t, name)
		for _, test := range tests {
			if strings.Contains(test.args, "tblr") && name != "generated/v24-sqlite" {
				continue
			}
			t.Run(name+" "+test.args, func(t *testing.T) {
				out := t.TempDir()
				a, b := filepath.Join(out, "a.png"), filepath.Join(out, "b.png")
				args := append([]string{"-i", dir, "--colors", colorsPath(t)}, strings.Fields(test.args)...)
				if text, err := exec.Command(mapper, append(args, "-o", b)...).CombinedOutput(); err != nil {
					t.Skipf("minetestmapper fails itself: %v: %s", err, text)
				}
				if code, _, text := ours(append(args, "-o"+a)...); code != 0 {
					t.Fatalf("exit code %d: %s", code, text)
				}
				got, want := picture(t, a), picture(t, b)
				m := test.mask
				if m.texts != nil && m.texts[0] == big { // the strips at the right and at the bottom
					size := want.Bounds().Max
					m.texts = []image.Rectangle{image.Rect(size.X-40, 0, size.X, size.Y), image.Rect(0, size.Y-40, size.X, size.Y)}
				}
				if strings.Contains(test.args, "tblr") {
					size := want.Bounds().Max
					m.texts = append(m.texts, image.Rect(size.X-38, 0, size.X, size.Y), image.Rect(0, size.Y-40, size.X, size.Y-27),
						image.Rect(0, size.Y-12, size.X, size.Y))
				}
				compare(t, got, want, m.at)
			})
		}
	}
}

// TestNoEmptyImage tests that, as with minetestmapper, --noemptyimage writes no picture for an area without blocks,
// but writes one for blocks without a colour.
func TestNoEmptyImage(t *testing.T) {
	mapper := judge.Find(t, "minetestmapper")
	dir := worldCopy(t, "generated/v24-sqlite")
	colors := filepath.Join(t.TempDir(), "colors.txt")
	judge.Write(t, colors, []byte("no:node 1 2 3\n"))
	for _, limit := range []string{"--min-y=-2000", "--min-y=20000"} {
		out := t.TempDir()
		a, b := filepath.Join(out, "a.png"), filepath.Join(out, "b.png")
		args := []string{"-i", dir, "--colors", colors, "--noemptyimage", limit, "-o"}
		if text, err := exec.Command(mapper, append(args, b)...).CombinedOutput(); err != nil {
			t.Fatalf("minetestmapper: %v: %s", err, text)
		}
		if code, _, text := ours(append(args, a)...); code != 0 {
			t.Fatalf("exit code %d: %s", code, text)
		}
		_, got := os.Stat(a)
		_, want := os.Stat(b)
		if (got == nil) != (want == nil) {
			t.Errorf("%s: our picture: %v, that of minetestmapper: %v", limit, got, want)
		}
	}
}

// TestPlayers tests that players are drawn where minetestmapper draws them.
func TestPlayers(t *testing.T) {
	mapper := judge.Find(t, "minetestmapper")
	dir := worldCopy(t, "generated/v24-sqlite")
	ctx := context.Background()
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	players, err := world.OpenPlayers(ctx, dir, s, world.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	var m mask
	for i, at := range [][3]float64{{105, 20, 305}, {-555.5, 20, -400}, {-4, 100, 4}, {0, 5000, 0}, {9000, 0, 0}} {
		p := &world.Player{Name: fmt.Sprintf("player%d", i), Pos: at, HP: 20, Breath: 10}
		if err := players.Put(ctx, p); err != nil {
			t.Fatal(err)
		}
		x, z := int(at[0]/10), int(at[2]/10)
		px := image.Pt(x+128, 144-z) // the extent is -128:-128+272+272
		m.texts = append(m.texts, image.Rect(px.X+2, px.Y, px.X+2+7*7, px.Y+13))
	}
	if err := players.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := players.Close(); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	a, b := filepath.Join(out, "a.png"), filepath.Join(out, "b.png")
	args := []string{"-i", dir, "--colors", colorsPath(t), "--drawplayers", "--playercolor", "#ff00ff", "--max-y", "400"}
	if text, err := exec.Command(mapper, append(args, "-o", b)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if code, _, text := ours(append(args, "-o", a)...); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	compare(t, picture(t, a), picture(t, b), m.at)
}
