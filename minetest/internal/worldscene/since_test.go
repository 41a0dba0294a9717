package worldscene_test

import (
	"bytes"
	"context"
	"image"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/internal/worldscene"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

// manifestOf makes the manifest of a world.
func manifestOf(t testing.TB, dir string) string {
	t.Helper()
	db, err := mapdb.Open(context.Background(), dir, mapdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var b bytes.Buffer
	if _, err := manifest.Make(context.Background(), db, &b, manifest.Options{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "old.manifest")
	judge.Write(t, path, b.Bytes())
	return path
}

// aged returns blocks of which some were changed, removed or added, and the positions of these.
func aged(t testing.TB, r *rand.Rand, blocks map[mapdb.Pos][]byte, fixed int16) (map[mapdb.Pos][]byte, []mapdb.Pos) {
	now := make(map[mapdb.Pos][]byte)
	var other []mapdb.Pos
	for p, data := range blocks {
		switch n := r.IntN(24); {
		case p.X == fixed || n > 1:
			now[p] = data
		case n == 0:
			other = append(other, p)
		default:
			now[p] = hill(t, r)
			other = append(other, p)
		}
	}
	for range 2 {
		p := mapdb.Pos{X: int16(r.IntN(25) - 11), Y: int16(r.IntN(3) - 1), Z: int16(r.IntN(28) - 14)}
		if _, ok := now[p]; !ok {
			now[p] = hill(t, r)
			other = append(other, p)
		}
	}
	return now, other
}

// TestSceneSince tests that a part of a picture that differs from its state in a manifest is reported as changed and
// has another fingerprint, also if only the relief next to a gap differs, and that a part without added, removed or
// changed blocks is not.
func TestSceneSince(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	ctx := context.Background()
	differ, same := 0, 0
	for seed := range tests.Of(t, uint64(2), 6) {
		r := rand.New(rand.NewPCG(seed, 5))
		then, dense := scattered(t, r, 40), seed%2 == 0
		if dense { // no row is without blocks at any time
			for z := int16(-14); z < 14; z++ {
				then[mapdb.Pos{X: -12, Y: z%3 - z/14, Z: z}] = hill(t, r)
			}
			for y := int16(-1); y < 2; y++ {
				then[mapdb.Pos{X: -12, Y: y}] = hill(t, r)
			}
		}
		old, dir := t.TempDir(), t.TempDir()
		worldOf(t, old, mapdb.Config{}, then)
		now, other := aged(t, r, then, -12)
		worldOf(t, dir, mapdb.Config{}, now)
		values := map[string]string{"since": manifestOf(t, old)}
		if seed%3 == 1 {
			values["markers"] = "usual"
		}
		before, after := openScene(t, old, &format.Job{Values: map[string]string{"markers": values["markers"]}}),
			openScene(t, dir, &format.Job{Values: values})
		for _, v := range after.Views {
			was, _ := format.ViewOf(before.Views, v.Name)
			l := format.Look{View: v.Name, Scale: 1}
			if b, err := after.Since.Bounds(l); b != was.Bounds || err != nil {
				t.Errorf("%s: %v then (%v), want %v", v.Name, b, err, was.Bounds)
			}
			for range 12 {
				x, y := int(v.Bounds.Min[0])+r.IntN(int(v.Bounds.Dx())), int(v.Bounds.Min[1])+r.IntN(int(v.Bounds.Dy()))
				pixels := image.Rect(x&^15, y&^15, x&^15+16+16*r.IntN(3), y&^15+16+16*r.IntN(2))
				changed, err := after.Since.Changed(ctx, l, pixels)
				if err != nil {
					t.Fatal(err)
				}
				part, err := viewOf(after, l.View).Part(l, pixels)
				if err != nil {
					t.Fatal(err)
				}
				of := openScene(t, dir, &format.Job{Values: values, Part: part})
				if got, err := of.Since.Changed(ctx, l, pixels); got != changed || err != nil {
					t.Errorf("seed %d, %s at %v: changed: %v in a part, else %v (%v)", seed, v.Name, pixels, got, changed, err)
				}
				of.Close()
				if bytes.Equal(drawPart(t, before, l, pixels).Pix, drawPart(t, after, l, pixels).Pix) {
					same++
				} else if differ++; !changed {
					t.Errorf("seed %d, %s at %v looks otherwise, and is said not to have changed", seed, v.Name, pixels)
				} else if a, b := print(t, before, l, pixels), print(t, after, l, pixels); a == b {
					t.Errorf("seed %d, %s at %v looks otherwise, with the same fingerprint", seed, v.Name, pixels)
				}
				if view := worlddraw.View(v.Name); changed && dense && values["markers"] == "" && len(other) > 0 &&
					strings.Contains("top south north west east day night iso", v.Name) {
					if v.Name == "day" || v.Name == "night" {
						view = worlddraw.Top
					}
					near := false
					for _, p := range other {
						low := [3]int{int(p.X) * 16, int(p.Y) * 16, int(p.Z) * 16}
						from, to := view.Where(worlddraw.Box{Min: low, Max: [3]int{low[0] + 15, low[1] + 15, low[2] + 15}})
						near = near || int(from[0]) <= pixels.Max.X && int(to[0]) >= pixels.Min.X && int(from[1]) <= pixels.Max.Y &&
							int(to[1]) >= pixels.Min.Y
					}
					if !near {
						t.Errorf("seed %d, %s at %v shows no block that has changed", seed, v.Name, pixels)
					}
				}
			}
		}
	}
	if least := tests.Of(t, 10, 20); differ < least || same < least {
		t.Errorf("%d parts look otherwise, %d as before: nothing is tried", differ, same)
	}
}

// TestSceneSinceGap tests that a row of blocks that is added or removed anywhere determines whether the rows on both
// sides are neighbours in the relief.
func TestSceneSinceGap(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 1))
	apart := map[mapdb.Pos][]byte{{Z: 2}: floor(t, r, 9), {}: floor(t, r, 3)}
	filled := map[mapdb.Pos][]byte{{Z: 2}: apart[mapdb.Pos{Z: 2}], {}: apart[mapdb.Pos{}], {X: 9, Z: 1}: floor(t, r, 5)}
	dirs := [2]string{t.TempDir(), t.TempDir()}
	worldOf(t, dirs[0], mapdb.Config{}, apart)
	worldOf(t, dirs[1], mapdb.Config{}, filled)
	l, pixels := format.Look{View: "top", Scale: 1}, image.Rect(0, -16, 16, 0)
	for i := range dirs {
		was, now := openScene(t, dirs[1-i], &format.Job{}),
			openScene(t, dirs[i], &format.Job{Values: map[string]string{"since": manifestOf(t, dirs[1-i])}})
		if bytes.Equal(drawPart(t, was, l, pixels).Pix, drawPart(t, now, l, pixels).Pix) {
			t.Fatal("the gap is not seen")
		}
		if changed, err := now.Since.Changed(ctx, l, pixels); !changed || err != nil {
			t.Errorf("%d: it is said not to have changed (%v)", i, err)
		}
		if print(t, was, l, pixels) == print(t, now, l, pixels) {
			t.Errorf("%d: it has the same fingerprint", i)
		}
		if flat := image.Rect(32, -16, 48, 0); i == 0 {
			if changed, err := now.Since.Changed(ctx, l, flat); changed || err != nil {
				t.Errorf("where nothing is something has changed (%v)", err)
			}
		}
	}
}

func print(t *testing.T, s *format.Scene, l format.Look, pixels image.Rectangle) [32]byte {
	t.Helper()
	sum, err := viewOf(s, l.View).Fingerprint(context.Background(), l, pixels)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestSceneSinceWrong tests that a file that is not a manifest of the world gives a clear error.
func TestSceneSinceWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	dir, another := t.TempDir(), t.TempDir()
	blocks := scattered(t, r, 20)
	worldOf(t, dir, mapdb.Config{}, blocks)
	for p, data := range blocks {
		blocks[p] = append(data, 0)
	}
	worldOf(t, another, mapdb.Config{}, blocks)
	good := manifestOf(t, dir)
	data := judge.Read(t, good)
	in := func(name string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		judge.Write(t, path, data)
		return path
	}
	src, err := format.OpenSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		good:                                   "",
		in("none.manifest", nil):               "found the end of the file",
		in("cut.manifest", data[:len(data)-9]): "at the end",
		in("bad.manifest", append(bytes.Clone(data[:20]), append([]byte{data[20] ^ 1}, data[21:]...)...)): "the file is damaged",
		filepath.Join(dir, "world.mt"): "expected a manifest",
		dir:                            "expected a manifest, which is a file",
		filepath.Join(dir, "nothing"):  "nothing",
		manifestOf(t, another):         "the manifest of another world",
	} {
		s, err := worldscene.Open(context.Background(), &format.Job{Values: map[string]string{"since": path}}, src, "")
		if want == "" && err == nil {
			if _, err := s.Since.Bounds(format.Look{Layers: []string{"players"}}); err == nil {
				t.Error("a manifest knows where players were")
			}
			s.Close()
		} else if err == nil || want == "" || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
}
