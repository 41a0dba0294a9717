package torchlight_test

import (
	"crypto/sha256"
	"image"
	"io/fs"
	"testing"
	"time"

	"trowel.example/internal/format"
)

// TestScenesCorpus tests that everything in real mods that claims to have a scene can be drawn: each view as a whole,
// and the inspection of its center.
func TestScenesCorpus(t *testing.T) {
	seen := make(map[[32]byte]bool)
	var slowest time.Duration
	var which string
	for _, name := range realMods(t) {
		mod := open(t, name)
		err := fs.WalkDir(mod.tree, ".", func(at string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !mod.Shows(at) {
				return err
			}
			data, err := fs.ReadFile(mod.tree, at)
			if sum := sha256.Sum256(data); err != nil || seen[sum] {
				return err
			} else {
				seen[sum] = true
			}
			begin := time.Now()
			scene, err := mod.Scene(t.Context(), new(format.Job), mod.Source, at)
			if err != nil {
				t.Logf("%s: %s: %v", name, at, err) // image sets may use pictures that only the game has
				return nil
			}
			defer scene.Close()
			for _, v := range scene.Views {
				const side = 256
				scale := side / max(v.Bounds.Dx(), v.Bounds.Dy(), 1)
				look := format.Look{View: v.Name, Origin: v.Bounds.Min, Scale: scale, Size: image.Pt(side, side)}
				if err := viewOf(scene, look.View).Render(t.Context(), image.NewRGBA(image.Rect(0, 0, side, side)), look); err != nil {
					t.Errorf("%s: %s: %v", name, at, err)
				}
				middle := [2]float64{(v.Bounds.Min[0] + v.Bounds.Max[0]) / 2, (v.Bounds.Min[1] + v.Bounds.Max[1]) / 2}
				if _, err := viewOf(scene, look.View).Inspect(t.Context(), look, middle); err != nil {
					t.Errorf("%s: %s: %v", name, at, err)
				}
			}
			if took := time.Since(begin); took > slowest {
				slowest, which = took, at
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d scenes; the slowest took %v: %s", len(seen), slowest, which)
}

// viewOf returns a view by its name, or the first one.
func viewOf(s *format.Scene, name string) format.View {
	v, _ := format.ViewOf(s.Views, name)
	return v
}
