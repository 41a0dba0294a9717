package protect_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// forms has the same areas in each format that the mod has written. Area 2 is deleted; area 3 has the same name as
// its owner and swapped corners.
var forms = map[string]string{
	"json": `[{"name":"Home","open":false,"owner":"ann","pos1":{"x":-10,"y":0.0,"z":5},"pos2":{"x":10,"y":20,"z":9}},null,` +
		`{"name":"ann","owner":"ann","parent":1.0,"open":true,"pos1":{"x":3,"y":4,"z":7},"pos2":{"x":1,"y":2,"z":6}},` +
		`{"faction_open":["red","blue"],"name":"Caf\u00e9","owner":"b\"ob","pos1":{"x":0,"y":0,"z":0},"pos2":{"x":0,"y":0,"z":0}}]` + "\n",
	"members": `{"1":{"name":"Home","open":false,"owner":"ann","pos1":{"x":-10,"y":0,"z":5},"pos2":{"x":10,"y":20,"z":9}},` +
		`"4":{"faction_open":["red","blue"],"name":"Café","owner":"b\"ob","pos1":{"x":0,"y":0,"z":0},"pos2":{"x":0,"y":0,"z":0}},` +
		`"3":{"name":"ann","owner":"ann","parent":1,"open":true,"pos1":{"x":3,"y":4,"z":7},"pos2":{"x":1,"y":2,"z":6}}}`,
	"lua": `return {{["name"] = "Home", ["open"] = false, ["owner"] = "ann", ["pos1"] = {["x"] = -10, ["y"] = 0, ["z"] ` +
		`= 5}, ["pos2"] = {["y"] = 20, ["x"] = 10, ["z"] = 9}}, ` +
		`[3] = {["name"] = "ann", ["owner"] = "ann", parent = 1, open = true, ["pos1"] = {["x"] = 3, ["y"] = 4, ["z"] = ` +
		`7}, ["pos2"] = {["y"] = 2, ["x"] = 1, ["z"] = 6}}, ` +
		`[4] = {["faction_open"] = {"red", "blue"}, ["name"] = "Caf\195\169", ["owner"] = "b\"ob", ["pos1"] = {["x"] = 0, ` +
		`["y"] = 0, ["z"] = 0}, ["pos2"] = {["y"] = 0, ["x"] = 0, ["z"] = 0}}}`,
	"shared": `local _={};_[1]="ann";_[2]={y=0,x=0,z=0};return {{owner=_[1],name="Home",open=false,pos1={x=-10,y=0,` +
		`z=5},pos2={x=10,y=20,z=9}},nil,` +
		`{owner=_[1],name=_[1],parent=1,open=true,pos1={x=3,y=4,z=7},pos2={x=1,y=2,z=6}},{owner="b\"ob",` +
		`name="Caf\195\169",faction_open={"red","blue"},pos1=_[2],pos2=_[2]}}`,
}

func areas(t testing.TB, text string) *protect.Areas {
	t.Helper()
	a, err := protect.ParseAreas([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

func TestAreas(t *testing.T) {
	for form, text := range forms {
		a := areas(t, text)
		var said []string
		for _, area := range a.List {
			said = append(said, fmt.Sprint(area.ID, " ", area.Name, " ", area.Owner, " ", area.Min, area.Max, " ", area.Parent,
				" ", area.Open, " ", area.Factions))
		}
		want := []string{
			"1 Home ann [-10 0 5] [10 20 9] 0 false []", "3 ann ann [1 2 6] [3 4 7] 1 true []", `4 Café b"ob [0 0 0] [0 0 0] 0 false [red blue]`,
		}
		if !slices.Equal(said, want) {
			t.Errorf("%s:\n%q, want\n%q", form, said, want)
		}
		if got := string(a.Append(nil)); got != text {
			t.Errorf("%s: unchanged, it became %s", form, got)
		}
		if n := a.Rename("ann", "zoë"); n != 2 {
			t.Errorf("%s: %d areas were renamed", form, n)
		}
		again := areas(t, string(a.Append(nil)))
		if len(again.Of("zoë")) != 2 || len(again.Of("ann")) != 0 || again.List[1].Name != "ann" {
			t.Errorf("%s: renamed, it is %s", form, a.Append(nil))
		}
		if again.Rename("zoë", "ann"); form != "shared" && string(again.Append(nil)) != text {
			t.Errorf("%s: there and back it is %s", form, again.Append(nil))
		}
		if at := a.At([3]int{2, 3, 6}); len(at) != 2 || len(a.At([3]int{2, 3, 60})) != 0 {
			t.Errorf("%s: %v", form, at)
		}
	}
	for _, text := range []string{"", " \n", "\x00\x00", `[{"owner":"a`} {
		if _, err := protect.ParseAreas([]byte(text)); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
	for _, text := range []string{"[]", "null", "return {}"} {
		if a := areas(t, text); len(a.List) > 0 || string(a.Append(nil)) != text {
			t.Errorf("%q has %v", text, a.List)
		}
	}
}

func TestAreasWrong(t *testing.T) {
	for text, part := range map[string]string{
		`[1]`:             "areas[1].",
		`[{"owner":"a"}]`: "areas[1].pos1",
		`[{"owner":1}]`:   "areas[1].owner",
		`true`:            "a list of areas",
		`[{"owner":"a","pos1":{"x":1,"y":2},"pos2":{"x":0,"y":0,"z":0}}]`: "areas[1].pos1",
		`[{]`:               "json",
		`return os.exit()`:  "lua",
		`return {x={}}`:     "the number of an area",
		`return {{pos1={}}`: "lua",
		`return {{pos1={x=0,y=0,z=0},pos2={x=0,y=0,z=0}}}`: "areas[1].owner",
	} {
		_, err := protect.ParseAreas([]byte(text))
		var e *fault.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), part) || !strings.HasPrefix(err.Error(), protect.AreasFile) {
			t.Errorf("%s: %v, want something about %s", text, err, part)
		}
	}
}

// guarded returns a block with a protector of ann and bob, a chest of ann, and a protector for everybody with a
// privilege.
func guarded(t testing.TB, version int) *mapblock.Block {
	t.Helper()
	b := mapblock.New(29)
	for i, m := range []struct {
		name string
		vars []mapblock.Var
	}{
		{"protector:protect2", []mapblock.Var{{Key: "owner", Value: "ann"}, {Key: "members", Value: "bob  carl"}}},
		{"default:chest_locked", []mapblock.Var{{Key: "owner", Value: "ann"}}},
		{"priv_protector:protector", []mapblock.Var{{Key: "owner", Value: "dora"}, {Key: "privs", Value: "home"}}},
		{"protector:protect", []mapblock.Var{{Key: "infotext", Value: "nobody's"}}},
	} {
		if err := b.SetNode(i, m.name, 0, 0); err != nil {
			t.Fatal(err)
		}
		b.Metadata.List = append(b.Metadata.List, mapblock.NodeMeta{Pos: uint16(i), Vars: m.vars, Inventory: []byte("EndInventory\n")})
	}
	b.Metadata.Version = 2
	if version != 29 {
		var err error
		if b, _, err = b.Convert(version, mapblock.ConvertOptions{Drop: true}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestProtectors(t *testing.T) {
	for _, version := range []int{24, 28, 29} {
		list := protect.Protectors(mapdb.Pos{X: -1, Y: 2, Z: 0}, guarded(t, version))
		want := []protect.Protector{
			{Pos: [3]int{-16, 32, 0}, Node: "protector:protect2", Owner: "ann", Members: []string{"bob", "carl"}},
			{Pos: [3]int{-14, 32, 0}, Node: "priv_protector:protector", Owner: "dora", Members: []string{}, Needs: "privilege home"},
		}
		if !reflect.DeepEqual(list, want) {
			t.Errorf("version %d: %+v, want %+v", version, list, want)
		}
		if !list[0].Reaches([3]int{-21, 37, 5}, 5) || list[0].Reaches([3]int{-22, 37, 5}, 5) {
			t.Error("it protects other nodes than it should")
		}
	}
	if near := protect.Near([3]int{3, 16, -1}, 5); near != (mapdb.Area{Min: mapdb.Pos{X: -1, Y: 0, Z: -1}, Max: mapdb.Pos{X: 0, Y: 1, Z: 0}}) {
		t.Error(near)
	}
}

func TestMayBuild(t *testing.T) {
	area := func(owner string, open bool, factions ...string) *protect.Area {
		return &protect.Area{Owner: owner, Open: open, Factions: factions}
	}
	of := func(owner, needs string, members ...string) protect.Protector {
		return protect.Protector{Owner: owner, Members: members, Needs: needs}
	}
	for i, c := range []struct {
		areas      []*protect.Area
		protectors []protect.Protector
		want       protect.Right
	}{
		{nil, nil, protect.Right{Everybody: true}},
		{[]*protect.Area{area("ann", false, "red"), area("bob", false)}, nil, protect.Right{Names: []string{"ann", "bob"},
			Factions: []string{"red"}}},
		{[]*protect.Area{area("ann", false), area("bob", true)}, nil, protect.Right{Everybody: true}},
		{nil, []protect.Protector{of("ann", "", "bob", "carl"), of("bob", "")}, protect.Right{Names: []string{"bob"}}},
		{nil, []protect.Protector{of("ann", ""), of("bob", "")}, protect.Right{}},
		{nil, []protect.Protector{of("ann", "xp 10"), of("ann", "privilege home")}, protect.Right{Names: []string{"ann"},
			Needs: []string{"xp 10", "privilege home"}}},
		{nil, []protect.Protector{of("ann", "xp 10"), of("ann", "")}, protect.Right{Names: []string{"ann"}}},
		{[]*protect.Area{area("bob", false, "red")}, []protect.Protector{of("ann", "", "bob")}, protect.Right{Names: []string{"bob"}}},
		{[]*protect.Area{area("bob", true)}, []protect.Protector{of("ann", "")}, protect.Right{Names: []string{"ann"}}},
	} {
		got := protect.MayBuild(c.areas, c.protectors)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%d: %+v, want %+v", i, got, c.want)
		}
	}
}

func FuzzAreas(f *testing.F) {
	for _, text := range forms {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := protect.ParseAreas(text)
		if err != nil {
			return
		}
		if got := string(a.Append(nil)); got != string(text) {
			t.Fatalf("%q became %q", text, got)
		}
		if len(a.List) == 0 {
			return
		}
		n := a.Rename(a.List[0].Owner, "renamed")
		again, err := protect.ParseAreas(a.Append(nil))
		if err != nil || len(again.List) != len(a.List) || len(again.Of("renamed")) < n {
			t.Fatalf("%q: renamed it became %q, %v", text, a.Append(nil), err)
		}
	})
}

func Example() {
	areas, err := protect.ParseAreas([]byte(`[{"name":"Home","owner":"ann","pos1":{"x":0,"y":0,"z":0},"pos2":{"x":9,"y":9,"z":9}}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, place := range [][3]int{{5, 5, 5}, {50, 5, 5}} {
		right := protect.MayBuild(areas.At(place), nil)
		fmt.Println(right.Everybody, right.Names)
	}
	// Output:
	// false [ann]
	// true []
}
