package service

import (
	"reflect"
	"strings"
	"testing"
)

func TestSpans(t *testing.T) {
	var s FieldSpans
	for _, f := range [][2]int64{{10, 5}, {0, 2}, {15, 5}, {40, 2}, {30, 2}, {50, 0}, {60, 10}, {29, 12}, {1, 3}, {5, 1}} {
		s.Add(f[0], f[1])
	}
	want := FieldSpans{{0, 4}, {5, 6}, {10, 20}, {29, 42}, {60, 70}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("spans %v, want %v", s, want)
	}
	if gaps, want := s.Gaps(80), []FieldSpan{{4, 5}, {6, 10}, {20, 29}, {42, 60}, {70, 80}}; !reflect.DeepEqual(gaps, want) {
		t.Errorf("gaps %v, want %v", gaps, want)
	}
	// The expected result, from a plain array of bytes and random ranges.
	var covered [200]bool
	s = nil
	for i := range 500 {
		at, n := int64(i*7919%190), int64(i%3+1)
		if i%11 != 0 {
			continue
		}
		s.Add(at, n)
		for j := range n {
			covered[at+j] = true
		}
		for _, one := range s {
			for j := one.Start; j < one.End; j++ {
				if !covered[j] {
					t.Fatalf("%v covers %d", s, j)
				}
			}
		}
		missing := 0
		for _, c := range covered {
			if !c {
				missing++
			}
		}
		for _, g := range s.Gaps(200) {
			missing -= int(g.End - g.Start)
		}
		if missing != 0 {
			t.Fatalf("gaps of %v are %d bytes off", s, missing)
		}
	}
}

func TestTextValue(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, ""},
		{int32(-7), "-7"},
		{"a\n\x1b", `"a\n\x1b"`},
		{strings.Repeat("x", 101), `"` + strings.Repeat("x", 100) + `"… (101 bytes)`},
		{[]byte{1, 0xff}, "01 ff"},
		{make([]byte, 17), strings.Repeat("00 ", 15) + "00 … (17 bytes)"},
		{[]int32{1, -2}, "[1 -2]"},
		{make([]int32, 1000), "[" + strings.Repeat("0 ", 15) + "0 …] (1,000 numbers)"},
	} {
		if got := FieldText(c.value); got != c.want {
			t.Errorf("%v: %s, want %s", c.value, got, c.want)
		}
	}
}
