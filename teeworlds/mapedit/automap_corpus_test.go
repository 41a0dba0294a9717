package mapedit

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/twmap"
)

// TestAutomapCorpus draws all layers of real maps for whose image the games have rules, and tests that the map
// round-trips, that drawing is deterministic, and that no other layer changes.
func TestAutomapCorpus(t *testing.T) {
	rules := make(map[string]*automap.Rules)
	for _, path := range tests.CorpusFiles(t, "teeworlds/mapres", ".rules") {
		data := judge.Read(t, path)
		rules[strings.TrimSuffix(filepath.Base(path), ".rules")] = automap.ParseRules(data, nil)
	}
	drawn, maps := 0, 0
	for _, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
		data := judge.Read(t, path)
		m, err := twmap.Decode(data)
		if err != nil {
			continue
		}
		again := m.Clone()
		e, e2 := New(m, nil), New(again, nil)
		n := 0
		changed := make(map[twmap.Layer]bool)
		for i, g := range m.Groups {
			for j := range g.Layers {
				at := LayerAt{i, j}
				l, im, err := e.Automapped(at)
				if err != nil || rules[im.Name] == nil || l.Load() != nil || l.Width()*l.Height() > 1<<16 {
					continue
				}
				o := Automapping{
					Rules:   func(image string) (*automap.Rules, error) { return rules[image], nil },
					Section: "0", Seed: int32(n + 1), Reference: automap.Reference(n % 4), Store: true,
				}
				for _, e := range []*Editor{e, e2} {
					if err := e.Automap(context.Background(), at, o); err != nil {
						t.Errorf("%s: %v", path, err)
					}
				}
				changed[l] = true
				n++
			}
		}
		if n == 0 {
			continue
		}
		drawn, maps = drawn+n, maps+1
		if !m.Equal(again) {
			t.Errorf("%s: drawn twice, and other tiles", path)
		}
		encoded, err := m.Encode()
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		back, err := twmap.Decode(encoded)
		if err != nil || !back.Equal(m) {
			t.Errorf("%s: the map does not round-trip: %v", path, err)
			continue
		}
		was, _ := twmap.Decode(data)
		for i, g := range m.Groups {
			for j, l := range g.Layers {
				if changed[l] { // restore the layer: then the maps are equal
					back.Groups[i].Layers[j] = was.Groups[i].Layers[j]
				}
			}
		}
		if !back.Equal(was) {
			t.Errorf("%s: more than the drawn layers is changed", path)
		}
	}
	if maps < 20 {
		t.Errorf("only %d maps", maps)
	}
	t.Logf("%d layers of %d maps", drawn, maps)
}
