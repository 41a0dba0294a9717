package worlddraw_test

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

func TestMarkerRules(t *testing.T) {
	rules, err := worlddraw.ParseMarkerRules(strings.NewReader("# rules\n\na:* thing #ff8000 it is {owner}'s  own\nb:c other #000000\n"))
	if err != nil || len(rules) != 2 || rules[0].Label != "it is {owner}'s own" || rules[1].Label != "" || rules[0].Color.G != 128 {
		t.Errorf("%+v, %v", rules, err)
	}
	for _, text := range []string{"a b", "a b red", "a b #12345g", "[ b #123456"} {
		if _, err := worlddraw.ParseMarkerRules(strings.NewReader("x y #000000\n" + text)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Markers tell what metadata say, of blocks of all times.
func TestMarkers(t *testing.T) {
	ctx := context.Background()
	db := mapdb.NewMemory()
	for i, version := range []int{29, 25} {
		b := mapblock.New(version)
		b.Names = []mapblock.NameID{{ID: 0, Name: "default:chest_locked"}, {ID: 1, Name: "default:sign_wall"}, {ID: 2, Name: "a:other"}}
		meta := func(index int, id uint16, vars ...mapblock.Var) {
			b.Param0[index] = id
			b.Metadata.Version = 1
			b.Metadata.List = append(b.Metadata.List, mapblock.NodeMeta{Pos: uint16(index), Vars: vars, Inventory: []byte("EndInventory\n")})
		}
		meta(0, 0, mapblock.Var{Key: "owner", Value: "ann"})
		meta(1, 1, mapblock.Var{Key: "text", Value: strings.Repeat("long\x1b ", 20)})
		meta(2, 0)
		meta(3, 2, mapblock.Var{Key: "owner", Value: "bob"})
		data, err := b.EncodeFresh()
		if err == nil {
			err = db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: int16(-i)}, Data: data}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{Y: 1}, Data: []byte{29, 1, 2}}}); err != nil {
		t.Fatal(err)
	}
	lost := 0
	places, err := worlddraw.ReadPlaces(ctx, db, worlddraw.Everything(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := places.Markers(worlddraw.UsualMarkers()).Near(ctx, worlddraw.Top, image.Rect(-99, -99, 99, 99), worlddraw.Scaled{Scale: 1}, func(error) { lost++ })
	if err != nil || lost != 1 {
		t.Errorf("%v, %d lost", err, lost)
	}
	var text []string
	for _, m := range got {
		text = append(text, fmt.Sprint(m.Pos, " ", m.Kind, " ", m.Label))
	}
	want := "[-16 0 0] chest ann,[-15 0 0] sign long long long long long long long long~,[0 0 0] chest ann,[1 0 0] sign long long long long long long long long~"
	if strings.Join(text, ",") != want {
		t.Errorf("%q", text)
	}
}

func FuzzParseMarkerRules(f *testing.F) {
	f.Add("default:sign_* sign #ffffff {text}\n# x\n")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := worlddraw.ParseMarkerRules(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range rules {
			if r.Pattern == "" || r.Kind == "" || r.Color.A != 255 {
				t.Errorf("%+v", r)
			}
		}
	})
}
