package maprules

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// released are released maps by the start of their SHA-256, with what the rules find in them: the number of spawns and of those on the
// ground, the numbers of teleporters with a single exit, all and the exits on the ground, the same for checkpoints, the free places
// before the start, pairs that print, and the findings of a warning. The figures are those of docs/formats/teeworlds-release.md.
var released = []struct {
	sum, name                  string
	spawns, ground             int
	single, numbers, onGround  int
	single2, numbers2, ground2 int
	places, pairs, signs       int
	warnings                   string
}{
	{"675d0ecce31e", "Kobra", 4, 0, 59, 67, 26, 0, 0, 0, 46, 96, 0, "unmarked 15 of 10,127 hookable tiles"},
	{"fa7be107e956", "Kobra 4", 14, 0, 83, 83, 4, 6, 6, 0, 57, 117, 4, ""},
	{"aeaae86465a5", "Hulk", 1, 1, 0, 0, 0, 0, 0, 0, 28, 0, 0, "the map has 1 spawn"},
	{"b34386c1da5e", "Joyride", 1, 0, 3, 4, 2, 23, 23, 23, 29, 0, 0, "the map has 1 spawn; unmarked 2 of 8,438 teleporter tiles"},
	{"616fa80dd46a", "Goo!", 2, 0, 2, 23, 0, 2, 10, 0, 63, 14, 2,
		"1 place that looks like something else; unmarked 1 of 6,731 unhookable tiles"},
	{"98f7a9f3b3f5", "Gold Mine", 10, 0, 2, 2, 0, 0, 0, 0, 160, 0, 0, ""},
	{"f9141934dfbf", "Sunny Side Up", 3, 0, 0, 0, 0, 0, 0, 0, 103, 0, 0, ""},
	{"c1afe03a9d5d", "Tsunami", 14, 0, 0, 0, 0, 7, 7, 0, 39, 0, 0, ""},
	{"2bc2c1e68b6e", "LearnToPlay", 9, 0, 2, 2, 0, 2, 26, 4, 99, 0, 34, ""},
	{"796a3716fe64", "Tutorial", 1, 1, 0, 0, 0, 30, 30, 28, 19, 0, 2,
		"the map has 1 spawn; unmarked 1 of 4,146 unhookable tiles; unmarked 4 of 1,336 teleporter tiles"},
	// Nine days before DDNet added the missing tile, and an unfinished map.
	{"9e6e7b5205f6", "Kobra 4 of 2015", 14, 0, 83, 83, 4, 6, 6, 0, 57, 117, 4, "1 place that looks like something else"},
	{"b5df41764094", "Tutorial of 2017", 1, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, "the map has 1 spawn; unmarked 104 of 104 unhookable tiles"},
}

// maps returns the released maps that the corpus has, by their names.
func releasedMaps(t testing.TB) map[string]*twmap.Map {
	list := make(map[string]*twmap.Map)
	for _, path := range tests.CorpusFiles(t, filepath.Join("teeworlds", "ddnet_ddnet"), ".map") {
		data := judge.Read(t, path)
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		for _, r := range released {
			if strings.HasPrefix(sum, r.sum) {
				m, err := twmap.Decode(data)
				if err != nil {
					t.Fatal(err)
				}
				list[r.name] = m
			}
		}
	}
	if len(list) < 10 {
		t.Fatalf("only %d of the maps are here", len(list))
	}
	return list
}

// mapresOf returns the folder with the game's images.
func mapresOf(t testing.TB) []string {
	return []string{filepath.Join(tests.Corpus(t, "teeworlds"), "mapres", "ddnet_ddnet", "data", "mapres")}
}

// TestReleased tests the figures of released maps.
func TestReleased(t *testing.T) {
	tests.LongOnly(t, "reads large maps")
	mapres := mapresOf(t)
	maps := releasedMaps(t)
	for _, r := range released {
		m := maps[r.name]
		if m == nil {
			t.Logf("%s is not here", r.name)
			continue
		}
		var warnings []string
		for _, f := range checked(t, m, "ddnet", Options{Name: r.name, Mapres: mapres}) {
			if f.Severity < check.Warning {
				continue
			}
			text, _, _ := strings.Cut(f.Message, ": ")
			warnings = append(warnings, strings.Replace(text, "nothing marks", "unmarked", 1))
		}
		slices.Sort(warnings)
		f, err := newField(m)
		if err != nil {
			t.Fatal(err)
		}
		got := r
		got.warnings = strings.Join(warnings, "; ")
		got.spawns, got.ground = len(f.spawns), grounded(f, f.spawns)
		got.single, got.numbers, got.onGround, got.single2, got.numbers2, got.ground2 = 0, 0, 0, 0, 0, 0
		var used [256]bool
		for i := range f.game {
			if n, ok := f.enters(i); ok {
				used[n] = true
			}
		}
		for n, exits := range f.exits {
			if used[n] && len(exits) > 0 {
				got.numbers, got.onGround = got.numbers+1, got.onGround+grounded(f, exits)
				if len(exits) == 1 {
					got.single++
				}
			}
		}
		for _, exits := range f.comebacks {
			if len(exits) > 0 {
				got.numbers2, got.ground2 = got.numbers2+1, got.ground2+grounded(f, exits)
			}
			if len(exits) == 1 {
				got.single2++
			}
		}
		got.places, got.pairs, got.signs = 0, len(f.printing()), 0
		for i, time := range f.flood(way{}).time {
			if time != 0 && f.grounded(i) {
				got.places++
			}
		}
		for _, id := range f.game {
			if id == twmap.TileEntitiesOff1 || id == twmap.TileEntitiesOff2 {
				got.signs++
			}
		}
		if got != r {
			t.Errorf("%s:\n%+v, want\n%+v", r.name, got, r)
		}
	}
}

func grounded(f *field, cells []int) (n int) {
	for _, i := range cells {
		if f.grounded(i) {
			n++
		}
	}
	return n
}

// TestPlanted plants faults in released maps, and tests how many are found.
func TestPlanted(t *testing.T) {
	tests.LongOnly(t, "checks large maps many times")
	rng := rand.New(rand.NewPCG(1, 2))
	var starts, found, holes, holesFound int
	var solids, solidsFound, fakes, fakesFound, open, openFound int
	mapres := mapresOf(t)
	maps := releasedMaps(t)
	for _, r := range released[:10] {
		m := maps[r.name]
		if m == nil {
			continue
		}
		f, err := newField(m)
		if err != nil {
			t.Fatal(err)
		}
		skipped := func(cells ...int) bool {
			old := make([]twmap.GameTile, len(cells))
			for k, i := range cells {
				if old[k] = f.game[i]; old[k] == twmap.TileStart {
					f.game[i] = twmap.TileAir
				}
			}
			r := f.flood(way{freeze: true, tele: true})
			for k, i := range cells {
				f.game[i] = old[k]
			}
			return slices.ContainsFunc(slices.Concat(f.finishes, f.checkpoint), func(i int) bool { return r.time[i] != 0 })
		}
		// Tiles of the line that a player can touch.
		before := f.flood(way{freeze: true, tele: true})
		var line []int
		for _, i := range f.starts {
			touched := false
			f.near(i, func(j int) { touched = touched || before.time[j] != 0 })
			if touched && f.game[i] == twmap.TileStart {
				line = append(line, i)
			}
		}
		for k := range min(8, len(line)) {
			i := line[k*len(line)/min(8, len(line))]
			starts++
			if skipped(i) {
				found++
			}
			if k%4 == 0 && i > f.w && i+f.w+1 < len(f.game) {
				holes++
				if skipped(i-f.w-1, i-f.w, i-f.w+1, i-1, i, i+1, i+f.w-1, i+f.w, i+f.w+1) {
					holesFound++
				}
			}
		}
		renderer, err := mapdraw.New(m, mapdraw.Options{Mapres: mapres})
		if err != nil {
			t.Fatal(err)
		}
		s := newSight(m, renderer)
		st, err := newStage(f, f.flood(everywhere), s)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			i := int(st.air[rng.IntN(len(st.air))])
			solids++
			if !st.drawn[i] { // a solid tile here is reported
				solidsFound++
			}
		}
		// Draw tiles of walls over air.
		if walls, id := st.walling(); walls != nil {
			l := walls.(*twmap.TileLayer)
			old := l.Clone()
			var planted []int
			for range 5 {
				i := int(st.air[rng.IntN(len(st.air))])
				planted = append(planted, i)
				dx, dy, _ := s.aligned(m.Groups[m.PartOf(l).Group.Number])
				if x, y := i%f.w+dx, i/f.w+dy; x >= 0 && y >= 0 && x < l.Width() && y < l.Height() {
					l.Tiles().Set(x, y, twmap.Tile{ID: id})
				}
			}
			again, err := newStage(f, f.flood(everywhere), s)
			if err != nil {
				t.Fatal(err)
			}
			suspects, err := again.misleading()
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range planted {
				fakes++
				if slices.Contains(suspects, i) {
					fakesFound++
				}
			}
			l.SetCells(twmap.KindTiles, old.Tiles())
		}
		// Remove the background.
		for range 5 {
			list, err := s.screens()
			if err != nil {
				t.Fatal(err)
			}
			for k := range list {
				clipped := *list[k].Group
				clipped.Clip = &twmap.Clip{X: int32(rng.IntN(f.w)) * 32, Y: int32(rng.IntN(f.h)) * 32, Width: 64, Height: 64}
				list[k].Group = &clipped
			}
			open++
			i := int(st.air[rng.IntN(len(st.air))])
			if !covered(list, (float64(i%f.w)+0.5)*32, (float64(i/f.w)+0.5)*32) {
				openFound++
			}
		}
	}
	t.Logf("%d of %d single start tiles, %d of %d holes of 3 x 3, %d of %d invisible solids, %d of %d fake tiles, %d of %d backgrounds",
		found, starts, holesFound, holes, solidsFound, solids, fakesFound, fakes, openFound, open)
	if 100*found < 50*starts || holesFound != holes || 100*solidsFound < 75*solids || 100*fakesFound < 80*fakes || openFound != open {
		t.Error("too few of the planted faults were found")
	}
}

// walling returns the layer and the tile that shows most hookable tiles.
func (s *stage) walling() (best twmap.Layer, id uint8) {
	most := 0
	for l, list := range s.meanings {
		look := s.sight.image(l.(*twmap.TileLayer).Image)
		for k := range list {
			if m := &list[k]; m.ok && m.kind == belowSolid && m.all > most && look.tiles[k].dense {
				best, id, most = l, uint8(k), m.all
			}
		}
	}
	return best, id
}
