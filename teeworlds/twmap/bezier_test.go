package twmap_test

import (
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

var uuidBezier = datafile.NameUUID("mapitemtype-envpoints-bezier@ddnet.tw")

// bezierOf returns the integers of the item with the tangents, or nil without the item.
func bezierOf(t *testing.T, m *twmap.Map) []int32 {
	t.Helper()
	f, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	typ, ok := f.TypeOf(uuidBezier)
	if !ok {
		return nil
	}
	list := items(f, typ)
	if len(list) != 1 || list[0].ID != 0 {
		t.Fatalf("%d items with tangents, the first of id %d", len(list), list[0].ID)
	}
	return list[0].Data
}

// TestModernizeTangents tests that conversion writes tangents as DDNet does: only for the curves that use them, and
// without the item if there is no such curve.
func TestModernizeTangents(t *testing.T) {
	garbage := [4]twmap.Tangent{3: {DX: -842150451, DY: -842150451}}
	handle := [4]twmap.Tangent{{DX: 1, DY: 2}, {DX: 3, DY: 4}, {DX: 5, DY: 6}, {DX: 7, DY: 8}}
	m := playable()
	e := withEnvelope(m,
		twmap.EnvPoint{Curve: twmap.CurveLinear, In: garbage, Out: garbage},
		twmap.EnvPoint{Curve: twmap.CurveLinear, Time: 10, In: garbage, Out: garbage})
	e.Version = 3
	m = decode(t, encode(t, m))
	m.Modernize()
	if got := bezierOf(t, m); got != nil {
		t.Errorf("tangents without a Bezier curve: %v", got)
	}
	e = withEnvelope(m,
		twmap.EnvPoint{Curve: twmap.CurveBezier, In: garbage, Out: handle},
		twmap.EnvPoint{Curve: twmap.CurveLinear, Time: 10, In: handle, Out: garbage},
		twmap.EnvPoint{Curve: twmap.CurveLinear, Time: 20, In: garbage, Out: garbage})
	m.Modernize()
	none, set := make([]int32, 8), []int32{1, 3, 5, 7, 2, 4, 6, 8}
	want := slices.Concat(none, none, none, none, none, set, set, none, none, none)
	if got := bezierOf(t, m); !slices.Equal(got, want) {
		t.Errorf("tangents are\n%v, expected\n%v", got, want)
	}
	// Teeworlds 0.7 stores tangents in the points.
	m.To07()
	if m.Envelopes[1].Version != 3 || bezierOf(t, m) != nil || m.Envelopes[1].Points[0].Out != handle {
		t.Errorf("converted for Teeworlds 0.7: %+v", e)
	}
}

// TestCorpusTangents tests that the tangents item rebuilt from the curves is equal to the one in a map of DDNet.
func TestCorpusTangents(t *testing.T) {
	for _, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
		if !strings.HasSuffix(path, "Castle_Echos.map") {
			continue
		}
		m := decode(t, judge.Read(t, path))
		was := slices.Clone(bezierOf(t, m))
		if m.Modernize(); was == nil || !slices.Equal(bezierOf(t, m), was) {
			t.Errorf("%s: other tangents than DDNet wrote", path)
		}
	}
}
