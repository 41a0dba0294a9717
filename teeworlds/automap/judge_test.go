package automap

import (
	"context"
	"image"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

// TestOtherAutomapper compares the results with the automapper of twmap-tools, an independent program, if it is
// installed: the sections that DDNet ships, each in a layer of the same map.
func TestOtherAutomapper(t *testing.T) {
	tests.Judges(t)
	program, err := exec.LookPath("twmap-automapper")
	if err != nil {
		t.Skip("no twmap-automapper here: cargo install twmap-tools")
	}
	files, dir := shipped(t), t.TempDir()
	m := twmap.New(80, 70)
	var wants []*twmap.TileLayer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var kept []string
		for line := range strings.Lines(string(files[name])) {
			if !strings.HasPrefix(line, "Pos 0 0 233") { // DDNet ignores it, and the other automapper rejects it
				kept = append(kept, line)
			}
		}
		data := []byte(strings.Join(kept, ""))
		judge.Write(t, filepath.Join(dir, name), data)
		m.Images = append(m.Images, twmap.NewImage(strings.TrimSuffix(name, ".rules"), image.NewNRGBA(image.Rect(0, 0, 16, 16))))
		rules := ParseRules(data, nil)
		for i, s := range rules.sections {
			if slices.ContainsFunc(s.runs, func(r *run) bool { return r.noCopy }) {
				continue // the other automapper goes rule by rule, DDNet goes tile by tile
			}
			random := rand.New(rand.NewPCG(uint64(i), 5))
			cells := blob(random, 80, 70, asked(s))
			for i := range cells {
				if cells[i].ID == 0 {
					cells[i].Flags = 0 // the other automapper clears them
				}
			}
			l := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(80, 70, cells))
			l.Image = len(m.Images) - 1
			l.AutoMapper = &twmap.AutoMapper{Config: int32(i), Seed: int32(1 + random.IntN(MaxSeed))}
			for _, run := range s.runs {
				for _, r := range run.rules { // the other automapper drops the decimals, unlike DDNet
					r.probability = float32(math.Floor(65536*float64(r.probability)) / 65536)
				}
			}
			want := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(80, 70, slices.Clone(cells)))
			if _, err := rules.Run(context.Background(), want, Options{Section: i, Seed: l.AutoMapper.Seed}); err != nil {
				t.Fatal(err)
			}
			wants = append(wants, want)
			m.Groups = append(m.Groups, twmap.NewGroup(s.name[:min(len(s.name), 11)], l))
		}
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	before, after := filepath.Join(out, "before.map"), filepath.Join(out, "after.map")
	judge.Write(t, before, data)
	said, err := exec.Command(program, "run", before, after, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if data, err = os.ReadFile(after); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	got, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range wants {
		g := got.Groups[i+1]
		theirs := g.Layers[0].(*twmap.TileLayer)
		if theirs.Image < 0 {
			t.Fatalf("%s: no image", g.Name)
		}
		different := 0
		cells, _ := want.Tiles().Cells()
		for j, c := range cells {
			o := theirs.Tiles().At(j%80, j/80)
			if o.ID != c.ID || c.ID != 0 && o.Flags&turned != c.Flags&turned {
				if different++; different == 1 {
					t.Errorf("%s %s: at %d,%d %v, theirs %v", m.Images[theirs.Image].Name, g.Name, j%80, j/80, c, o)
				}
			}
		}
		if different > 0 {
			t.Errorf("%s %s: %d tiles differ", m.Images[theirs.Image].Name, g.Name, different)
		}
	}
	if len(wants) < 40 {
		t.Errorf("only %d sections", len(wants))
	}
}
