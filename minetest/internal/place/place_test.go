package place

import (
	"encoding/json"
	"testing"

	"trowel.example/check"
)

func TestPlaces(t *testing.T) {
	n := InBlock(3+16*2+256*15).In(-1, 0, 2)
	for _, c := range []struct {
		place      check.Place
		json, text string
	}{
		{n, `{"block":[-1,0,2],"node":[-13,2,47]}`, "-13,2,47"},
		{Block(12, 0, -3), `{"block":[12,0,-3]}`, "block 12,0,-3"},
		{InBlock(4096).In(1, 2, 3), `{"block":[1,2,3]}`, "block 1,2,3"},
		{InBlock(17), `{"node":[1,1,0]}`, "1,1,0"},
		{Block(-2048, 2047, -2048), `{"block":[-2048,2047,-2048]}`, "block -2048,2047,-2048"},
		{InBlock(4095).In(2047, 2047, 2047), `{"block":[2047,2047,2047],"node":[32767,32767,32767]}`, "32767,32767,32767"},
		{Player("ann"), `{"player":"ann"}`, "ann"},
		{Slot{Player: "ann", List: "main", Slot: 0}, `{"player":"ann","list":"main","slot":0}`, "ann main 0"},
		{Slot{Node: &n, List: "main", Slot: -1}, `{"block":[-1,0,2],"node":[-13,2,47],"list":"main"}`, "-13,2,47 main"},
		{Account("bob"), `{"account":"bob"}`, "bob"},
		{Entry{Mod: "pig", Key: "count"}, `{"mod":"pig","key":"count"}`, "pig count"},
		{Entry{Mod: "pig"}, `{"mod":"pig"}`, "pig"},
	} {
		if data, err := json.Marshal(c.place); string(data) != c.json || err != nil || c.place.String() != c.text {
			t.Errorf("%s, %q, %v, want %s, %q", data, c.place, err, c.json, c.text)
		}
	}
}

func TestOfBlock(t *testing.T) {
	lone := InBlock(1)
	var f check.Finding
	ofBlock := func(of check.Finding, x, y, z int16) check.Finding {
		OfBlock(func(got check.Finding) { f = got }, x, y, z).Report(of)
		return f
	}
	f = ofBlock(check.Finding{At: []check.Place{InBlock(0), Slot{Node: &lone, List: "main", Slot: 2}, check.File("a")}}, 1, 0, 0)
	if data, _ := json.Marshal(f.At); string(
		data) != `[{"block":[1,0,0],"node":[16,0,0]},{"block":[1,0,0],"node":[17,0,0],"list":"main","slot":2},{"path":"a"}]` {
		t.Errorf("%s", data)
	}
	if f = ofBlock(check.Finding{}, 1, 0, 0); f.Path != "block 1,0,0" || len(f.At) != 1 || f.At[0] != check.Place(Block(1, 0, 0)) {
		t.Errorf("%v", f)
	}
	if f = ofBlock(check.Finding{Path: "timers"}, 12, 0, -3); f.Path != "block 12,0,-3: timers" {
		t.Error(f.Path)
	}
	Inside(func(got check.Finding) { f = got }, Player("ann"))(check.Finding{At: []check.Place{Slot{List: "main", Slot: 1}}})
	if f.At[0].String() != "ann main 1" {
		t.Errorf("%v", f.At)
	}
	Inside(func(got check.Finding) { f = got }, Player("ann"))(check.Finding{})
	if len(f.At) != 1 || f.At[0].String() != "ann" {
		t.Errorf("%v", f.At)
	}
}
