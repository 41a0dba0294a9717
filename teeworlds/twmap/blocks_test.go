package twmap

import (
	"math"
	"testing"
)

// Blocks whose numbers need not be known are those at the end of the file that are
// in the usual order, one for each reference.
func TestUsualFrom(t *testing.T) {
	const none = math.MaxInt32
	for _, c := range []struct {
		numbers, unclaimed []int32
		want               int32
	}{
		{nil, nil, none},
		{[]int32{0, 1, 2, 3}, nil, 0},
		{[]int32{0, 2, 5, 9}, nil, 0},           // others were taken out
		{[]int32{1, 0, 2, 3}, nil, 1},           // the first stands behind the second
		{[]int32{3, 2, 1, 0}, nil, 3},           // all of them do
		{[]int32{1, 2, 3, 0}, nil, 1},           //
		{[]int32{0, 1, 1, 2}, nil, 2},           // two share one
		{[]int32{0, 1, 2, 2}, nil, none},        //
		{[]int32{0, 1, 2, 3}, []int32{1}, 2},    // nobody claims the second
		{[]int32{0, 1, 2, 3}, []int32{4}, none}, // nor the last
	} {
		if got := usualFrom(c.numbers, c.unclaimed); got != c.want {
			t.Errorf("usualFrom(%v, %v) = %d, want %d", c.numbers, c.unclaimed, got, c.want)
		}
	}
}

// A map whose blocks are in an order of their own keeps it when something comes in
// between, and one whose blocks are in the usual order has them in it afterwards.
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
	m = encode(m) // the blocks stay where they are
	if got := names(m); got[0] < got[2] {
		t.Errorf("the blocks have moved: %v", got)
	}
	m.Images = append(m.Images, NewExternalImage("four", 1, 1))
	m = encode(m)
	if got := names(m); got[3] < got[0] || got[0] < got[2] {
		t.Errorf("with a new one the blocks are %v", got)
	}
}
