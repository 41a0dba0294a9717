package mapdiff_test

import (
	"slices"
	"strings"
	"testing"

	"trowel.example/teeworlds/twmap"
)

// TestUnusedTangents tests that envelopes whose only changes are the version and values without meaning are matched,
// and that the quads that refer to them are equal.
func TestUnusedTangents(t *testing.T) {
	old := twmap.New(10, 10)
	for i := range int32(7) {
		e := twmap.NewEnvelope("", twmap.ChannelsPosition, twmap.EnvPoint{Curve: 1},
			twmap.EnvPoint{Time: 1000 + i, Curve: 1, Values: [4]int32{i << 10, 0, 90 << 10}})
		e.Version = 3
		for k := range e.Points {
			e.Points[k].In[2] = twmap.Tangent{DX: -842150451, DY: int32(i)}
			e.Points[k].Out[0] = twmap.Tangent{DX: -842150451, DY: int32(k)}
			e.Points[k].Values[3] = -842150451
		}
		old.Envelopes = append(old.Envelopes, e)
	}
	var quads []twmap.Quad
	for i := range int32(205) {
		q := quad(i*20, i*i)
		q.PosEnv = i % 7
		quads = append(quads, q)
	}
	old.Groups = append(old.Groups, twmap.NewGroup("Sky", twmap.NewQuadLayer(quads...)))
	new := old.Clone()
	for _, e := range new.Envelopes {
		e.Version, e.Points = 2, e.Meant()
	}
	quads = slices.Clone(quads)
	quads[9].Colors[0].A = 7
	layer[*twmap.QuadLayer](new, 1, 0).SetQuads(quads)
	lines, _ := compare(t, old, new)
	want := []string{"7 parts: version 3 -> 2 (", "7 parts: unused values some -> none (",
		"groups/Sky/quads: quad 9: top left color 255, 255, 255, 255 -> 255, 255, 255, 7"}
	if len(lines) != len(want) {
		t.Fatalf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("%s, want %s", line, want[i])
		}
	}
	junk := old.Clone()
	junk.Envelopes[0].Points[0].Values[3] = 1
	if lines, _ := compare(t, old, junk); len(lines) != 1 || !strings.HasSuffix(lines[0], "unused values some -> others") {
		t.Errorf("%q", lines)
	}
	if lines, _ := compare(t, old, old.Clone()); len(lines) > 0 {
		t.Errorf("%q", lines)
	}
}

// TestGroupGetsName tests that a group that gets a name is matched, and so are its layers, whose tiles have changed.
func TestGroupGetsName(t *testing.T) {
	old := twmap.New(10, 10)
	group := func(layers ...twmap.Layer) *twmap.Group {
		return &twmap.Group{Version: 3, ParallaxX: 50, ParallaxY: 50, Layers: layers}
	}
	old.Groups = append(old.Groups, group(tiles("", 50, 50, 3)), group(tiles("", 50, 50, 5)), group(tiles("", 50, 50, 6)),
		group(tiles("", 50, 50, 7)))
	new := old.Clone()
	for i, name := range []string{"Sky", "Far", "", "Near"} {
		if i == 2 {
			continue // another one is between them
		}
		new.Groups[i+1].Name = name
		layer[*twmap.TileLayer](new, i+1, 0).Tiles().Set(7, 7, twmap.Tile{ID: 250})
	}
	new.Groups[2].OffsetX = 64
	lines, _ := compare(t, old, new)
	for _, want := range []string{`renamed "" -> "Sky"`, `renamed "" -> "Far"`, `renamed "" -> "Near"`, "offset 0, 0 -> 64, 0"} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, want) }) {
			t.Errorf("no %q in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	tiles := 0
	for _, line := range lines {
		if strings.Contains(line, "/tiles: tiles 7,7: ") {
			tiles++
		}
	}
	if tiles != 3 || len(lines) != 7 {
		t.Errorf("%d changes of tiles in %d lines:\n%s", tiles, len(lines), strings.Join(lines, "\n"))
	}
}
