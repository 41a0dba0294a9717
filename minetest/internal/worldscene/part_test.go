package worldscene_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldscene"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// scattered returns blocks of random heights, some of them with a sign, with gaps between them.
func scattered(t testing.TB, r *rand.Rand, n int) map[mapdb.Pos][]byte {
	all := make(map[mapdb.Pos][]byte)
	for range n {
		all[mapdb.Pos{X: int16(r.IntN(24) - 12), Y: int16(r.IntN(3) - 1), Z: int16(2*r.IntN(14) - 14)}] = hill(t, r)
	}
	return all
}

// hill returns a block with a floor at a random height.
func hill(t testing.TB, r *rand.Rand) []byte { return floor(t, r, r.IntN(18)) }

func floor(t testing.TB, r *rand.Rand, height int) []byte {
	b := mapblock.New(29)
	b.Names = []mapblock.NameID{{ID: 0, Name: "air"}, {ID: 1, Name: "a:stone"}, {ID: 2, Name: "a:grass"}, {ID: 3, Name: "default:sign_wall"}}
	kind := uint16(1 + r.IntN(2))
	for i := range b.Param0 {
		if _, y, _ := mapblock.Coordinates(i); y < height {
			b.Param0[i] = kind
		}
		b.Param1[i] = 0x3f
	}
	if r.IntN(4) == 0 {
		at := mapblock.Index(r.IntN(16), 3, r.IntN(16))
		b.Param0[at] = 3
		text := fmt.Sprintf("a sign that says %d", r.IntN(100))
		b.Metadata = mapblock.Metadata{Version: 2,
			List: []mapblock.NodeMeta{{Pos: uint16(at), Vars: []mapblock.Var{{Key: "text", Value: text}}, Inventory: []byte("EndInventory\n")}}}
	}
	data, err := b.EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// worldOf creates a world with the given blocks.
func worldOf(t testing.TB, dir string, config mapdb.Config, blocks map[mapdb.Pos][]byte) {
	t.Helper()
	for name, text := range map[string]string{"world.mt": "gameid = test\nbackend = sqlite3\n",
		"colors.txt": "a:stone 90 90 90\na:grass 60 120 50\n"} {
		judge.Write(t, filepath.Join(dir, name), []byte(text))
	}
	w, err := mapdb.Create(context.Background(), dir, config)
	if err != nil {
		t.Fatal(err)
	}
	var list []mapdb.Block
	for p, data := range blocks {
		list = append(list, mapdb.Block{Pos: p, Data: data})
	}
	if err := w.Store(context.Background(), list); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// openScene opens a world with the options of a job.
func openScene(t testing.TB, dir string, job *format.Job) *format.Scene {
	t.Helper()
	src, err := format.OpenSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := worldscene.Open(context.Background(), job, src, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestScenePart tests that a scene that was opened for a part of a picture draws it like a complete scene, with the
// same bounds and fingerprints.
func TestScenePart(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 3))
		dir := t.TempDir()
		worldOf(t, dir, mapdb.Config{Schema: mapdb.Schema(seed % 2)}, scattered(t, r, 40))
		for _, values := range []map[string]string{{}, {"slice": "3", "max-y": "9"},
			{"markers": "usual", "noshading": "true"}, {"markers": "usual"}} {
			s := openScene(t, dir, &format.Job{Values: values})
			for _, v := range s.Views {
				l := look(v, []float64{1, 0.7, 3}[r.IntN(3)])
				x, y := r.IntN(l.Size.X), r.IntN(l.Size.Y)
				pixels := image.Rect(x, y, x+1+r.IntN(70), y+1+r.IntN(70))
				part, err := viewOf(s, l.View).Part(l, pixels)
				if err != nil {
					t.Fatal(err)
				}
				of := openScene(t, dir, &format.Job{Values: values, Part: part})
				if got, _ := format.ViewOf(of.Views, v.Name); got.Bounds != v.Bounds {
					t.Errorf("%s: %v, want %v", v.Name, got.Bounds, v.Bounds)
				}
				if want, got := drawPart(t, s, l, pixels), drawPart(t, of, l, pixels); !bytes.Equal(want.Pix, got.Pix) {
					t.Errorf("seed %d, %v, %s at %v: the part looks otherwise", seed, values, v.Name, pixels)
				}
				want, err := viewOf(s, l.View).Fingerprint(ctx, l, pixels)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := viewOf(of, l.View).Fingerprint(ctx, l, pixels); got != want || err != nil {
					t.Errorf("seed %d, %v, %s at %v: another fingerprint (%v)", seed, values, v.Name, pixels, err)
				}
			}
		}
	}
	src, err := format.OpenSource(terrain(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := worldscene.Open(ctx, &format.Job{Part: []byte("?")}, src, ""); err == nil {
		t.Error("what is no part is taken for one")
	}
}
