package twmap

import (
	"math"
	"testing"
)

// TestUsualFrom tests that only blocks at the end of the file that are in the usual order, one for each reference,
// need no stored numbers.
func TestUsualFrom(t *testing.T) {
	const none = math.MaxInt32
	for _, c := range []struct {
		numbers, unclaimed []int32
		want               int32
	}{
		{nil, nil, none},
		{[]int32{0, 1, 2, 3}, nil, 0},
		{[]int32{0, 2, 5, 9}, nil, 0}, // blocks were removed in between
		{[]int32{1, 0, 2, 3}, nil, 1}, // the first two are swapped
		{[]int32{3, 2, 1, 0}, nil, 3}, // the reverse order
		{[]int32{1, 2, 3, 0}, nil, 1},
		{[]int32{0, 1, 1, 2}, nil, 2}, // two references share a block
		{[]int32{0, 1, 2, 2}, nil, none},
		{[]int32{0, 1, 2, 3}, []int32{1}, 2},    // the second has no reference
		{[]int32{0, 1, 2, 3}, []int32{4}, none}, // the last has no reference
	} {
		if got := usualFrom(c.numbers, c.unclaimed); got != c.want {
			t.Errorf("usualFrom(%v, %v) = %d, want %d", c.numbers, c.unclaimed, got, c.want)
		}
	}
}

// TestNewBlocks tests that an unusual order of blocks is kept when a block is inserted, and that a usual order stays
// usual.
func TestNewBlocks(t *testing.T) {
	m := New(4, 4)
	m.Images = []*Image{NewExternalImage("one", 1, 1), NewExternalImage("three", 1, 1)}
	encode := func(m *Map) *Map {
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if m, err = Decode(data); err != nil {
			t.Fatal(err)
		}
		return m
	}
	names := func(m *Map) (list []int32) {
		for _, im := range m.Images {
			list = append(list, im.name.index)
		}
		return list
	}
	m = encode(m)
	before := names(m)
	m.Images = []*Image{m.Images[0], NewExternalImage("two", 1, 1), m.Images[1]}
	m = encode(m)
	if got := names(m); got[0] != before[0] || got[1] != before[0]+1 || got[2] != before[0]+2 {
		t.Errorf("the names of the images are in blocks %v", got)
	}
	m.Images[0], m.Images[2] = m.Images[2], m.Images[0]
	m = encode(m) // the blocks keep their order
	if got := names(m); got[0] < got[2] {
		t.Errorf("the blocks have moved: %v", got)
	}
	m.Images = append(m.Images, NewExternalImage("four", 1, 1))
	m = encode(m)
	if got := names(m); got[3] < got[0] || got[0] < got[2] {
		t.Errorf("with a new one the blocks are %v", got)
	}
}
