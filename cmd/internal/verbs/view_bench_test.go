package verbs

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trowel.example/internal/testing/seedworld"
	"trowel.example/internal/testing/tests"
)

// shown is a view of a scene in a window of 1280 x 800 pixels.
type shown struct {
	Bounds [4]float64
	Scale  float64
}

func (p *page) shown(b *testing.B) shown {
	b.Helper()
	var scene struct{ Views []shown }
	w := p.get("/f/0/scene")
	if err := json.Unmarshal(w.Body.Bytes(), &scene); err != nil || w.Code != http.StatusOK {
		b.Fatalf("%d %s", w.Code, w.Body)
	}
	return scene.Views[0]
}

// whole returns the zoom in which the whole scene fits into the window.
func (v shown) whole() int {
	wide, high := (v.Bounds[2]-v.Bounds[0])*v.Scale, (v.Bounds[3]-v.Bounds[1])*v.Scale
	return int(math.Floor(min(math.Log2(1280/wide), math.Log2(800/high), 0)))
}

// tiles returns the requests for the tiles in the window in a zoom, centered on the view.
func (v shown) tiles(z int) (targets []string) {
	scale := v.Scale * math.Exp2(float64(z))
	span := func(i int, side float64) (from, to int) {
		least, most := v.Bounds[i]*scale, v.Bounds[i+2]*scale
		middle := (least + most) / 2
		return int(math.Floor(max(least, middle-side/2) / 256)), int(math.Ceil(min(most, middle+side/2) / 256))
	}
	left, right := span(0, 1280)
	top, bottom := span(1, 800)
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			targets = append(targets, fmt.Sprintf("/f/0/%%s/1/%d/%d/%d", z, x, y))
		}
	}
	return targets
}

// fetchAll requests tiles six at a time, as a browser does, and returns the duration of each request.
func (p *page) fetchAll(b *testing.B, kind string, targets []string) (took []time.Duration) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	next := make(chan string)
	for range 6 {
		wait.Go(func() {
			for target := range next {
				start := time.Now()
				w := p.get(fmt.Sprintf(target, kind))
				for w.Code == http.StatusAccepted {
					w = p.get(fmt.Sprintf(target, kind))
				}
				mu.Lock()
				if took = append(took, time.Since(start)); w.Code >= 300 {
					b.Errorf("%s: %d %s", target, w.Code, w.Body)
				}
				mu.Unlock()
			}
		})
	}
	for _, target := range targets {
		next <- target
	}
	close(next)
	wait.Wait()
	return took
}

// BenchmarkView measures the first picture of the largest map of the corpus in the viewer, from opening the
// file to the last tile of a window of 1280 x 800, and the same picture made by render. It reports the time
// within which 95 % of the tiles arrive when a user zooms in step by step.
func BenchmarkView(b *testing.B) {
	name := filepath.Join(tests.Corpus(b, "teeworlds"), "ddnet_ddnet/data/maps/Kobra@2014-03-29-21367b.map")
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			p := openPage(b, name)
			v := p.shown(b)
			p.fetchAll(b, "tile", v.tiles(v.whole()))
			p.Close()
		}
	})
	b.Run("render", func(b *testing.B) {
		for b.Loop() {
			if code := run(games, []string{"render", "-q", "-f", name, "--scale", "0.5", "-o",
				filepath.Join(b.TempDir(), "x.png")}, strings.NewReader(""), io.Discard, io.Discard); code > exitFound {
				b.Fatal(code)
			}
		}
	})
	b.Run("next", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			p := openPage(b, name)
			v := p.shown(b)
			p.fetchAll(b, "tile", v.tiles(v.whole()))
			for z := v.whole() + 1; z <= 0; z++ {
				took = append(took, p.fetchAll(b, "tile", v.tiles(z))...)
			}
			p.Close()
		}
		reportTimes(b, took)
	})
}

// largeWorld makes a world of a million blocks, 5,664 by 5,664 nodes, or opens the one that TROWEL_WORLD names.
func largeWorld(b *testing.B) string {
	if dir := os.Getenv("TROWEL_WORLD"); dir != "" {
		return dir
	}
	dir := b.TempDir()
	if _, err := seedworld.Make(b.Context(), dir, seedworld.Options{Blocks: 1_000_000, Seed: 1, Versions: []int{29, 28}}); err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkViewWorld measures how the viewer shows a world of a million blocks, from its opening: the positions of all
// blocks in the window, the first part of the picture of the whole world, all of it, and tiles with a pixel for each
// node and nearer, in windows at several places. With textures, it needs minetest_game, as Debian installs it.
func BenchmarkViewWorld(b *testing.B) {
	dir := largeWorld(b)
	b.Run("flat", func(b *testing.B) { benchmarkWorld(b, dir) })
	b.Run("textured", func(b *testing.B) {
		const share = "/usr/share/games/minetest"
		if _, err := os.Stat(share + "/games/minetest_game"); err != nil {
			tests.Missing(b, "judges", "no minetest_game here: on Debian, it is in the package minetest-data")
		}
		tests.OnHost(b, map[string]string{"folder " + share: share})
		benchmarkWorld(b, dir)
	})
}

func benchmarkWorld(b *testing.B, dir string) {
	b.Run("cover", func(b *testing.B) {
		for b.Loop() {
			p := openPage(b, dir)
			v := p.shown(b)
			p.fetchAll(b, "cover", v.tiles(v.whole()))
			p.Close()
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			p := openPage(b, dir)
			v := p.shown(b)
			targets := v.tiles(v.whole())
			p.fetchAll(b, "cover", targets)
			middle := targets[len(targets)/2]
			for w := p.get(fmt.Sprintf(middle, "tile")); w.Body.Len() == 0; w = p.get(fmt.Sprintf(middle, "tile")) {
				if w.Code != http.StatusAccepted {
					b.Fatalf("%s: %d, and no picture", middle, w.Code)
				}
			}
			p.Close()
		}
	})
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			p := openPage(b, dir)
			v := p.shown(b)
			p.fetchAll(b, "tile", v.tiles(v.whole()))
			p.Close()
		}
	})
	b.Run("near", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			p := openPage(b, dir)
			v := p.shown(b)
			for _, part := range []float64{0.2, 0.35, 0.5, 0.65, 0.8} {
				there := v
				for i := range 2 { // a view with this place in its middle
					at := v.Bounds[i] + part*(v.Bounds[i+2]-v.Bounds[i])
					far := min(at-v.Bounds[i], v.Bounds[i+2]-at)
					there.Bounds[i], there.Bounds[i+2] = at-far, at+far
				}
				for z := range 5 {
					took = append(took, p.fetchAll(b, "tile", there.tiles(z))...)
				}
			}
			p.Close()
		}
		reportTimes(b, took)
	})
}

// reportTimes reports the times within which one half of all tiles and 95 % of them arrived.
func reportTimes(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100])/1e6, "ms/95%")
	b.ReportMetric(float64(took[len(took)/2])/1e6, "ms/50%")
	b.ReportMetric(0, "ns/op")
}
