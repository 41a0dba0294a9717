package twmap_test

import (
	"testing"

	"trowel.example/check"
	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/twmap"
)

// TestEffort tests that a map is decoded once, and that its items are walked once for reading and once for each
// operation.
func TestEffort(t *testing.T) {
	data, err := playable().Encode()
	if err != nil {
		t.Fatal(err)
	}
	decode := func() *twmap.Map {
		m, err := twmap.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	blocks := int64(len(decode().Source().Data))
	for _, test := range []struct {
		name                      string
		do                        func()
		decoded, placed, inflated int64
	}{
		{"open", func() { decode() }, 1, 1, -1},
		{"check", func() { decode().CheckFile(func(check.Finding) {}) }, 1, 2, blocks},
		{"encode", func() { _, _ = decode().Encode() }, 1, 2, -1},
		{"change a setting", func() {
			m := decode()
			if m.Info == nil {
				m.Info = new(twmap.Info)
			}
			m.Info.Settings = append(m.Info.Settings, "sv_deepfly 1")
			if out, err := m.Encode(); err != nil || len(out) == len(data) {
				t.Errorf("%d bytes, %v", len(out), err)
			}
		}, 1, 2, -1},
	} {
		var decoded, placed int64
		inflated := effort.Of(&effort.Inflated, func() {
			placed = effort.Of(&effort.Placed, func() { decoded = effort.Of(&effort.Decoded, test.do) })
		})
		if decoded != test.decoded || placed != test.placed || test.inflated >= 0 && inflated != test.inflated {
			t.Errorf("%s: decoded %d times, walked %d times, %d of %d blocks inflated", test.name, decoded, placed, inflated, blocks)
		}
	}
}
