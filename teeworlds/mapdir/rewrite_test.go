package mapdir_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/teeworlds/twmap"
)

// rewriteEnv makes the test binary change a setting of the map in the file that the variable names, for
// BenchmarkRewrite.
const rewriteEnv = "TROWEL_REWRITE"

func TestMain(m *testing.M) {
	if name := os.Getenv(rewriteEnv); name != "" {
		if err := rewrite(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func rewrite(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	m, err := twmap.Decode(data)
	if err != nil {
		return err
	}
	m.Info.Settings[0] = "sv_hit 1"
	if data, err = m.Encode(); err != nil {
		return err
	}
	return os.WriteFile(name+".new", data, 0o666)
}

// largeMap returns a map of a little over 2 MB: layers of 800 x 400 tiles and
// pictures that do not compress well.
func largeMap(t testing.TB) []byte {
	m := twmap.New(800, 400)
	m.Info.Settings = []string{"sv_hit 0"}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 8 {
		l := twmap.NewTileLayer(twmap.KindTiles, 800, 400)
		for range 40000 {
			l.Tiles().Set(rng.IntN(800), rng.IntN(400), twmap.Tile{ID: uint8(rng.IntN(40)), Flags: twmap.TileFlags(rng.IntN(4))})
		}
		m.Groups = append(m.Groups, &twmap.Group{Version: 3, ParallaxX: 100, ParallaxY: 100, Layers: []twmap.Layer{l}})
		p := image.NewNRGBA(image.Rect(0, 0, 512, 512))
		for y := range 512 {
			for x := range 512 {
				at := p.PixOffset(x, y)
				p.Pix[at], p.Pix[at+1], p.Pix[at+2], p.Pix[at+3] = uint8(x/2), uint8(y/2), uint8(x^y)&^7, 255
				if rng.IntN(16) == 0 {
					p.Pix[at] = uint8(rng.Uint32())
				}
			}
		}
		m.Images = append(m.Images, twmap.NewImage(fmt.Sprintf("picture %d", i), p))
		l.Image = i
	}
	data := encode(t, m)
	if len(data) < 2_000_000 || len(data) > 3_000_000 {
		t.Fatalf("the large map has %d bytes", len(data))
	}
	return data
}

// BenchmarkRewrite measures changing one setting of a map of 2 MB: inside a program, as a whole process, and with
// map_resave, which changes nothing.
func BenchmarkRewrite(b *testing.B) {
	dir := judge.Dir(b)
	name := filepath.Join(dir, "large.map")
	judge.Write(b, name, largeMap(b))
	run := func(b *testing.B, cmd func() *exec.Cmd) {
		for b.Loop() {
			if out, err := cmd().CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	}
	b.Run("inside", func(b *testing.B) {
		for b.Loop() {
			if err := rewrite(name); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("process", func(b *testing.B) {
		run(b, func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), rewriteEnv+"="+name)
			return cmd
		})
	})
	b.Run("map_resave", func(b *testing.B) {
		resave := judge.Find(b, "map_resave")
		run(b, func() *exec.Cmd {
			cmd := exec.Command(resave, "large.map", "resaved.map")
			cmd.Dir = dir
			return cmd
		})
	})
}
