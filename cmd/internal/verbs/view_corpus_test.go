package verbs

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/cmd/internal/viewer"
	"trowel.example/internal/testing/tests"
)

// farthest returns the zoom in which the whole view is about one tile.
func farthest(bounds [4]float64, scale float64) int {
	side := max(bounds[2]-bounds[0], bounds[3]-bounds[1]) * scale
	return int(math.Floor(-math.Log2(max(side, 1) / 256)))
}

// eachTile requests all tiles of some zooms, from the farthest on, of the first view of a file.
func (p *page) eachTile(t testing.TB, zooms int, see func(target string, code int)) {
	t.Helper()
	var scene struct {
		Views []struct {
			Bounds [4]float64
			Scale  float64
			Camera bool
		}
	}
	w := p.get("/f/0/scene")
	if err := json.Unmarshal(w.Body.Bytes(), &scene); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	v := scene.Views[0]
	if v.Camera || v.Bounds[2] <= v.Bounds[0] {
		return
	}
	first := farthest(v.Bounds, v.Scale)
	for z := first; z < first+zooms; z++ {
		side := 256 / (v.Scale * math.Exp2(float64(z)))
		at := func(i int) int { return int(math.Floor(v.Bounds[i] / side)) }
		for y := at(1); y <= at(3); y++ {
			for x := at(0); x <= at(2); x++ {
				target := fmt.Sprintf("/f/0/tile/1/%d/%d/%d", z, x, y)
				w := p.get(target)
				for w.Code == http.StatusAccepted { // not complete yet
					w = p.get(target)
				}
				see(target, w.Code)
			}
		}
	}
}

// TestViewCorpus draws the far tiles of maps of the corpus: of some maps or, if TROWEL_TILES is set, of all. It
// logs the duration and the memory use.
func TestViewCorpus(t *testing.T) {
	dir := tests.Corpus(t, "teeworlds")
	var maps []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".map") && !e.IsDir() {
			maps = append(maps, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("TROWEL_TILES") == "" {
		some := maps[:0]
		for i := 0; i < len(maps); i += 1 + len(maps)/8 {
			some = append(some, maps[i])
		}
		maps = some
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(enoughMemory)) // as in view
	var times []time.Duration
	var most uint64
	where := ""
	for _, name := range maps {
		a := newTool(games, strings.NewReader(""), nil, t.Output())
		s, err := viewer.Open(t.Context(), a.Service, []string{name})
		if err != nil {
			t.Logf("%s is refused: %v", filepath.Base(name), err)
			continue
		}
		s.Close()
		runtime.GC() // ignore earlier garbage
		runtime.GC() // and objects in pools
		var before, m runtime.MemStats
		runtime.ReadMemStats(&before)
		p := openPage(t, name)
		last := time.Now()
		p.eachTile(t, 4, func(target string, code int) {
			took := time.Since(last)
			if code != http.StatusOK && code != http.StatusNoContent {
				t.Errorf("%s: %s: %d", name, target, code)
			}
			if len(times) == 0 || took > slices.Max(times) {
				where = filepath.Base(name) + " " + target
			}
			times = append(times, took)
			last = time.Now()
		})
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse-min(m.HeapInuse, before.HeapInuse))
		p.Close()
	}
	if len(times) == 0 {
		t.Fatal("there was nothing to draw")
	}
	slices.Sort(times)
	t.Logf("%d maps, %d tiles: half of them within %v, 95 %% within %v, the slowest (%s) %v; up to %d MB of heap", len(maps), len(times),
		times[len(times)/2], times[len(times)*95/100], where, times[len(times)-1], most>>20)
	if most > 512<<20 {
		t.Errorf("%d MB are in use", most>>20)
	}
}
