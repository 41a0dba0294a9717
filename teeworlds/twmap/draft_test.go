package twmap_test

import (
	"bytes"
	"testing"

	"trowel.example/teeworlds/twmap"
)

// TestEncodeDraft tests that a draft has the contents of the map, and that a map that was not changed keeps its bytes.
func TestEncodeDraft(t *testing.T) {
	m := twmap.New(300, 200)
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if m, err = twmap.Decode(data); err != nil {
		t.Fatal(err)
	}
	if draft, err := m.EncodeDraft(); err != nil || !bytes.Equal(draft, data) {
		t.Errorf("an unchanged map has other bytes: %v", err)
	}
	for i := range 300 * 200 {
		m.Physics(twmap.KindGame).Tiles().Set(i%300, i/300, twmap.Tile{ID: uint8(i * i >> 7)})
	}
	want, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	draft, err := m.EncodeDraft()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(draft, want) {
		t.Error("the draft has the usual compression")
	}
	again, err := twmap.Decode(draft)
	if err != nil {
		t.Fatal(err)
	}
	cells := again.Physics(twmap.KindGame).Tiles()
	for i := range 300 * 200 {
		if got := cells.At(i%300, i/300).ID; got != uint8(i*i>>7) {
			t.Fatalf("tile %d: %d", i, got)
		}
	}
}
