//go:build !js

package main

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/corpus"
	"trowel.example/internal/testing/judge/chromium"
)

// BenchmarkFirstTile measures the time from the choice of a file to the first tile of its picture, with the program loaded. It reports
// the memory of the program, and the longest time for which the page did not answer.
func BenchmarkFirstTile(b *testing.B) {
	sample := filepath.Join(b.TempDir(), "burrow.map")
	packed(b, "../../samples/burrow", sample)
	files := []string{sample}
	maps := corpus.Dir(b, "teeworlds")
	for _, name := range []string{"ddnet_ddnet/data/maps7/Sunny Side Up.map", "jxsl13_twmap/testdata/Castle_Echos.map"} {
		files = append(files, filepath.Join(maps, filepath.FromSlash(name)))
	}
	p := servedPage(b, made(b))
	for _, name := range files {
		b.Run(filepath.Base(name), func(b *testing.B) {
			chromium.Eval[any](p, `(window.longest = 0, new PerformanceObserver((all) => {
				for (const one of all.getEntries()) window.longest = Math.max(window.longest, one.duration);
			}).observe({ type: "longtask" }), null)`)
			for b.Loop() {
				b.StopTimer()
				chromium.Eval[any](p, "(document.getElementById('view').removeAttribute('src'), null)")
				p.Wait("!frames[0].document.querySelector('img.leaflet-tile')")
				b.StartTimer()
				p.Do(chromedp.SetUploadFiles("#files", []string{name}, chromedp.ByQuery))
				p.Wait("frames[0]?.document.querySelector('img.leaflet-tile')?.naturalWidth")
			}
			b.ReportMetric(chromium.Eval[float64](p, "trowel.memory()")/1e6, "MB")
			b.ReportMetric(chromium.Eval[float64](p, "window.longest"), "ms-blocked")
		})
	}
}
