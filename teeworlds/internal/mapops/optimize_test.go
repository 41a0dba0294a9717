package mapops_test

import (
	"bytes"
	"image"
	"image/draw"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/internal/maprules"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// optimized returns the optimized map, its bytes and the reports.
func optimized(t *testing.T, data []byte, o mapops.Optimization) (m *twmap.Map, made []byte, said string) {
	t.Helper()
	m, err := twmap.Decode(bytes.Clone(data))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	e := &mapops.Editor{Editor: mapedit.New(m, func(c check.Change) { lines = append(lines, c.String()) }), Job: new(format.Job)}
	if err := mapops.Optimize(t.Context(), e, o); err != nil {
		t.Fatal(err)
	}
	if made, err = m.Encode(); err != nil {
		t.Fatal(err)
	}
	return m, made, strings.Join(lines, "\n")
}

// drawn returns pictures of a map: of the whole, and of 19 places at other scales.
func drawn(t *testing.T, m *twmap.Map) []byte {
	t.Helper()
	r, err := mapdraw.New(m, mapdraw.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	camera := mapdraw.Whole(m)
	for i := range 20 {
		p := camera.At(480)
		if i > 0 {
			p = camera.Part(camera.X+camera.Width*(float64(i%5)/5-0.5), camera.Y+camera.Height*(float64(i/5)/4-0.5), p.Scale*float64(1+i))
		}
		dst := image.NewRGBA(image.Rect(0, 0, 480, 300))
		draw.Draw(dst, dst.Rect, image.NewUniform(mapdraw.Background), image.Point{}, draw.Src)
		if err := r.Render(t.Context(), dst, p); err != nil {
			t.Fatal(err)
		}
		all = append(all, dst.Pix...)
	}
	return all
}

// difference returns the mean difference of the channels of two pictures, of 255. With ClearTiles it is not 0: where a picture is drawn
// smaller, colours that are not seen are mixed into those beside them.
func difference(a, b []byte) float64 {
	sum := 0
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return float64(sum) / float64(len(a))
}

// TestOptimize tests that a map with all that can be saved becomes smaller, once, and that a map without stays.
func TestOptimize(t *testing.T) {
	m := twmap.New(60, 40)
	r := rand.New(rand.NewPCG(1, 2))
	sheet := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range sheet.Pix {
		sheet.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			sheet.Pix[i] = byte(255 * (i / 4 % 2)) // colours nobody sees
		}
		if i/4/64 >= 48 && i%4 == 3 { // nor those of the last tiles
			sheet.Pix[i] = 0
		}
	}
	for _, name := range []string{"grass", "grass again", "unused"} {
		im := twmap.NewImage(name, sheet)
		m.Images = append(m.Images, im)
	}
	for i := range 2 {
		l := twmap.NewTileLayer(twmap.KindTiles, 60, 40)
		l.Image = i
		for x := range 20 {
			l.Tiles().Set(20+x, 20, twmap.Tile{ID: uint8(1 + x%3)})
		}
		m.Groups[0].Layers = append(m.Groups[0].Layers, l)
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	sizes := []int{len(data)}
	for _, o := range []mapops.Optimization{{Level: "9"}, {Level: "best"}, {Level: "best", ClearTiles: true}} {
		small, made, said := optimized(t, data, o)
		if len(made) >= sizes[len(sizes)-1] {
			t.Errorf("%+v: %d bytes, before %d", o, len(made), sizes[len(sizes)-1])
		}
		sizes = append(sizes, len(made))
		for _, line := range []string{"unused images, sounds", "equal images merged", "pixels that are not seen", "bytes became "} {
			if !strings.Contains(said, line) {
				t.Errorf("%+v: %q is missing in\n%s", o, line, said)
			}
		}
		if d := difference(drawn(t, small), drawn(t, m)); d > 0.5 || d > 0 && !o.ClearTiles {
			t.Errorf("%+v: the picture differs by %.3f", o, d)
		}
		if _, again, said := optimized(t, made, o); !bytes.Equal(again, made) || said != "" {
			t.Errorf("%+v: the second time changed the map: %s", o, said)
		}
	}
}

// TestOptimizeCorpus tests with real maps that they become smaller, play the same and look the same.
func TestOptimizeCorpus(t *testing.T) {
	tests.LongOnly(t, "draws real maps")
	dir := tests.Corpus(t, "teeworlds")
	all := []string{"ddnet_ddnet/data/maps7/Gold Mine.map", "ddnet_ddnet/data/maps7/Sunny Side Up.map", "teeworlds_teeworlds-maps/ctf5.map"}
	for _, name := range all {
		data := judge.Read(t, filepath.Join(dir, filepath.FromSlash(name)))
		old, err := twmap.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []mapops.Optimization{{Level: "9"}, {Level: "9", ClearTiles: true}} {
			m, made, _ := optimized(t, data, o)
			err := maprules.ComparePhysics(t.Context(), mapdir.NamesOf(old), mapdir.NamesOf(m), func(c check.Change) error {
				t.Errorf("%s: %s", name, c.String())
				return nil
			})
			if err != nil || len(made) >= len(data) {
				t.Errorf("%s: %d bytes became %d: %v", name, len(data), len(made), err)
			}
			if d := difference(drawn(t, m), drawn(t, old)); d > 0.1 || d > 0 && !o.ClearTiles {
				t.Errorf("%s: %+v: the picture differs by %.3f", name, o, d)
			}
		}
	}
}

// TestJudgeOptimizeMaps compares optimize with map_optimize for ten released maps. The server loads the results, and map_resave reads
// them.
func TestJudgeOptimizeMaps(t *testing.T) {
	dir := filepath.Join(tests.Corpus(t, "teeworlds"), "ddnet_ddnet", "data", "maps")
	for _, name := range []string{"Kobra@2014-03-29-21367b", "Kobra 4@2017-07-19-f6e862", "Hulk@2014-01-16-c88e11",
		"Joyride@2014-01-16-342343", "Goo!@2017-07-19-c21b9a", "Gold Mine", "Sunny Side Up", "Tsunami", "LearnToPlay", "Tutorial"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := judge.Read(t, filepath.Join(dir, name+".map"))
			at := judge.Dir(t)
			judge.Write(t, filepath.Join(at, "given.map"), data)
			if err := os.Mkdir(filepath.Join(at, "out"), 0o755); err != nil {
				t.Fatal(err)
			}
			if said, err := judge.Run(t, at, "map_optimize", "given.map", "theirs.map"); err != nil {
				t.Fatal(err, said)
			}
			theirs := len(judge.Read(t, filepath.Join(at, "out", "theirs.map")))
			_, made, _ := optimized(t, data, mapops.Optimization{Level: "9", ClearTiles: true})
			t.Logf("%d bytes; map_optimize: %d; optimize: %d", len(data), theirs, len(made))
			if len(made) >= theirs {
				t.Errorf("%d bytes, map_optimize makes %d", len(made), theirs)
			}
			if log, err := judge.Load(t, judge.DDNetServer, made); err != nil {
				t.Errorf("%v\n%s", err, log)
			}
			judge.Write(t, filepath.Join(at, "made.map"), made)
			if said, err := judge.Run(t, at, "map_resave", "made.map", "again.map"); err != nil {
				t.Error(err, said)
			}
		})
	}
}
