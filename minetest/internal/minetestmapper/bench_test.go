package minetestmapper_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapdb"
)

// sideBySide creates a world of about n blocks from copies of worlds of the corpus.
func sideBySide(b *testing.B, n int) string {
	ctx := context.Background()
	var worlds [][]mapdb.Block
	for _, name := range []string{"cornernote-mesecons-circuits", "generated/v24-sqlite", "generated/v29-sqlite"} {
		db, err := mapdb.Open(ctx, filepath.Join(tests.Corpus(b, "minetest"), name), mapdb.Config{})
		if err != nil {
			b.Fatal(err)
		}
		var blocks []mapdb.Block
		for block, err := range db.Blocks(ctx, mapdb.All()) {
			if err != nil {
				b.Fatal(err)
			}
			blocks = append(blocks, block)
		}
		db.Close()
		worlds = append(worlds, blocks)
	}
	dir := b.TempDir()
	judge.Write(b, filepath.Join(dir, "world.mt"), []byte("backend = sqlite3\n"))
	w, err := mapdb.Create(ctx, dir, mapdb.Config{Unseen: true})
	if err != nil {
		b.Fatal(err)
	}
	const apart, across = 34, 6 // blocks; worlds per row
	for i, done := 0, 0; done < n; i++ {
		blocks := slices.Clone(worlds[i%len(worlds)])
		for j := range blocks {
			blocks[j].Pos.X += int16(i%across*apart - 100)
			blocks[j].Pos.Z += int16(i/across*apart - 100)
		}
		if err := w.Store(ctx, blocks); err != nil {
			b.Fatal(err)
		}
		done += len(blocks)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkMinetestmapper draws a world of 200,000 blocks alternately with minetestmapper and this package, and
// reports the median ratio of the times. Only the time of minetestmapper includes starting a process.
func BenchmarkMinetestmapper(b *testing.B) {
	mapper := judge.Find(b, "minetestmapper")
	dir := sideBySide(b, 200_000)
	args := []string{"-i", dir, "--colors", colorsPath(b), "-o"}
	var ratios []float64
	for b.Loop() {
		start := time.Now()
		if code, _, text := ours(append(args, filepath.Join(b.TempDir(), "a.png"))...); code != 0 {
			b.Fatal(text)
		}
		own := time.Since(start)
		start = time.Now()
		if text, err := exec.Command(mapper, append(args, filepath.Join(b.TempDir(), "b.png"))...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, text)
		}
		ratios = append(ratios, float64(own)/float64(time.Since(start)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "of-its-time")
}
