package verbs

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/seedmap"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// largeMap makes a small map file whose data blocks inflate to side x side tiles or pixels, or to quads of
// similar size, n of each kind.
func largeMap(t *testing.T, n, side int, kinds string) []byte {
	t.Helper()
	m := twmap.New(50, 50)
	picture := image.NewNRGBA(image.Rect(0, 0, side, side))
	quads := make([]twmap.Quad, side*side*4/160)
	for i := range n {
		g := twmap.NewGroup(fmt.Sprint("group ", i))
		if strings.Contains(kinds, "images") {
			m.Images = append(m.Images, twmap.NewImage(fmt.Sprint("image ", i), picture))
			l := twmap.NewTileLayer(twmap.KindTiles, 20, 20)
			l.Image = i
			l.Tiles().Set(1, 1, twmap.Tile{ID: 1})
			g.Layers = append(g.Layers, l)
		}
		if strings.Contains(kinds, "tiles") {
			l := twmap.NewTileLayer(twmap.KindTiles, side, side)
			l.Image = -1
			l.Tiles().Set(i, 1, twmap.Tile{ID: 1})
			l.Store()
			g.Layers = append(g.Layers, l)
		}
		if strings.Contains(kinds, "quads") {
			g.Layers = append(g.Layers, twmap.NewQuadLayer(quads...))
		}
		m.Groups = append(m.Groups, g)
	}
	f, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	f.Data = append(f.Data, datafile.NewBlock(picture.Pix)) // not referred to by any item
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// liveHeap returns the largest sampled heap in bytes while do runs.
func liveHeap(do func()) uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	live := func() uint64 { // after the last garbage collection
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before, most := live(), uint64(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for {
		most = max(most, live())
		select {
		case <-done:
			return most - min(before, most)
		case <-time.After(time.Millisecond):
		}
	}
}

// TestMapMemory tests that a small map whose data blocks inflate to a thousand times its size needs little
// memory in each verb: at most 512 MB with data blocks of maximum size. TROWEL_LARGE=1 tests all verbs with
// such blocks, which takes long; otherwise the blocks are small.
func TestMapMemory(t *testing.T) {
	tests.NotRaced(t, "measures memory")
	type form struct {
		kinds   string
		n, side int
		bound   uint64 // in MB
		verbs   []string
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // memory of concurrent work counts, too
	// Each command may use the output of earlier ones.
	all := []string{"convert MAP --to teeworlds-0.7 -o OUT.map", "check MAP", "extract MAP -o OUT",
		"render MAP --size 64 -o OUT.png", "dump MAP",
		"edit MAP -o TURNED.map -- mirror left-right", "edit MAP -o EDITED.map -- add-setting sv_team", "search hello MAP", "find MAP -- tile 7",
		"diff MAP TURNED.map", "merge MAP EDITED.map TURNED.map -o OUT3.map", "extract EDITED.map settings.cfg -o PIECE",
		"apply PIECE EDITED.map -o OUT4.map",
		"git textconv MAP", "git diff large.map MAP 0 100644 EDITED.map 0 100644", "git merge MAP EDITED.map TURNED.map large.map"}
	forms := []form{{"images", 16, tests.Of(t, 1024, 1448), tests.Of[uint64](t, 56, 110), all[:1]}, {"images, tiles, quads", 2, 64, 64, all}}
	if os.Getenv("TROWEL_LARGE") != "" { // an edit accepts at most the tiles of 15 such layers
		forms = []form{{"images", 20, 4096, 512, all}, {"tiles", 15, 4096, 512, all}, {"quads", 15, 4096, 512, all},
			{"small tiles", 60, 2000, 512, all}}
	}
	for _, f := range forms {
		t.Run(f.kinds, func(t *testing.T) {
			dir := filepath.ToSlash(t.TempDir())
			data := largeMap(t, f.n, f.side, f.kinds)
			if len(data) >= 16<<20 {
				t.Fatalf("%d bytes", len(data))
			}
			judge.Write(t, dir+"/large.map", data)
			for _, verb := range f.verbs {
				args := strings.Fields(strings.NewReplacer("MAP", dir+"/large.map", "OUT", dir+"/out", "EDITED", dir+"/edited",
					"TURNED", dir+"/turned", "PIECE", dir+"/piece").Replace(verb))
				var errs bytes.Buffer
				code, live, start := 0, uint64(0), time.Now()
				for range 3 { // on a busy machine, the heap is sometimes sampled with what was just freed
					live = liveHeap(func() { code = Main(games, args, strings.NewReader(""), io.Discard, &errs) })
					if live <= f.bound<<20 {
						break
					}
					if out := slices.Index(args, "-o"); out > 0 {
						os.RemoveAll(args[out+1])
					}
				}
				t.Logf("%d x %s of %d, %s: %d MB, %v", f.n, f.kinds, f.side, verb, live>>20, time.Since(start).Round(time.Millisecond))
				if code > 1 {
					t.Errorf("%s: %s", verb, errs.String())
				}
				if live > f.bound<<20 {
					t.Errorf("%d x %s of %d, %s: %d MB of memory in use, more than %d", f.n, f.kinds, f.side, verb, live>>20, f.bound)
				}
			}
		})
	}
}

// TestMapSizes tests that layers of the size of those of DDNet++'s main map, and of smaller ones of earlier versions, pass every
// verb, and that the file comes back. It runs with TROWEL_LARGE=1: each layer inflates to 87 to 128 MB.
func TestMapSizes(t *testing.T) {
	if os.Getenv("TROWEL_LARGE") == "" {
		t.Skip("inflates 2 GB: runs with TROWEL_LARGE=1, see .ci/nightly")
	}
	for _, height := range []int{2263, 2400, 2540, 2680, 3318} {
		dir := filepath.ToSlash(t.TempDir())
		data, err := seedmap.Large(3, 9611, height)
		if err != nil {
			t.Fatal(err)
		}
		judge.Write(t, dir+"/large.map", data)
		for _, verb := range []string{"info large.map", "check large.map", "extract large.map -o out", "pack out -o again.map",
			"edit large.map -o edited.map -- add-setting sv_team", "edit large.map -o turned.map -- mirror left-right",
			"diff large.map large.map", "render large.map --size 64 -o out.png"} {
			args := strings.Fields(verb)
			for i, arg := range args {
				if i > 0 && (strings.Contains(arg, ".") || arg == "out") {
					args[i] = dir + "/" + arg
				}
			}
			var errs bytes.Buffer
			if code := Main(games, args, strings.NewReader(""), io.Discard, &errs); code != exitFine {
				t.Errorf("9611 x %d: %s: %d, %s", height, verb, code, &errs)
			}
		}
		if again, err := os.ReadFile(dir + "/again.map"); err != nil || !bytes.Equal(again, data) {
			t.Errorf("9611 x %d: the packed file differs, %v", height, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}
