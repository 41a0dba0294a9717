package turn_test

import (
	"fmt"
	"testing"

	"trowel.example/minetest/turn"
)

var kinds = []string{"facedir", "colorfacedir", "4dir", "color4dir", "wallmounted", "colorwallmounted", "degrotate", "colordegrotate",
	"", "none", "flowingliquid", "meshoptions", "leveled", "color", "glasslikeliquidlevel"}

// engine is the result of the engine for facedirs 0 to 23 turned by 90, 180 and 270 degrees.
var engine = [3][24]byte{
	{1, 2, 3, 0, 13, 14, 15, 12, 17, 18, 19, 16, 9, 10, 11, 8, 5, 6, 7, 4, 23, 20, 21, 22},
	{2, 3, 0, 1, 10, 11, 8, 9, 6, 7, 4, 5, 18, 19, 16, 17, 14, 15, 12, 13, 22, 23, 20, 21},
	{3, 0, 1, 2, 19, 16, 17, 18, 15, 12, 13, 14, 7, 4, 5, 6, 11, 8, 9, 10, 21, 22, 23, 20},
}

func TestTurnAboutY(t *testing.T) {
	wall := [3][8]byte{{0, 1, 5, 4, 2, 3, 6, 7}, {0, 1, 3, 2, 5, 4, 6, 7}, {0, 1, 4, 5, 3, 2, 6, 7}}
	for rot := 1; rot <= 3; rot++ {
		m := turn.Turn(turn.Y, rot)
		for p := range 256 {
			p := byte(p)
			for kind, want := range map[string]byte{
				"facedir": p&^31 | engine[rot-1][(p&31)%24], "colorfacedir": p&^31 | engine[rot-1][(p&31)%24],
				"4dir": p&^3 | (p+byte(rot))&3, "color4dir": p&^3 | (p+byte(rot))&3,
				"wallmounted": p&^7 | wall[rot-1][p&7], "colorwallmounted": p&^7 | wall[rot-1][p&7],
				"degrotate": byte((int(p) + 60*rot) % 240), "colordegrotate": p&^31 | byte((int(p&31)+6*rot)%24),
				"": p, "flowingliquid": p, "meshoptions": p, "leveled": p, "color": p, "glasslikeliquidlevel": p,
			} {
				if got, exact := m.Param2(kind, p); got != want || !exact {
					t.Errorf("%s %d turned by %d: %d, %v; want %d", kind, p, 90*rot, got, exact, want)
				}
			}
		}
	}
}

// all returns all 48 motions.
func all() []turn.Motion {
	seen := map[turn.Motion]bool{turn.None: true}
	list := []turn.Motion{turn.None}
	for i := 0; i < len(list); i++ {
		for _, next := range []turn.Motion{turn.Turn(turn.X, 1), turn.Turn(turn.Y, 1), turn.Mirror(turn.Z)} {
			if m := list[i].Then(next); !seen[m] {
				seen[m] = true
				list = append(list, m)
			}
		}
	}
	return list
}

// normal returns a normalized param2: some kinds have several values with the same meaning.
func normal(kind string, p byte) byte {
	switch kind {
	case "facedir", "colorfacedir", "colordegrotate":
		return p&^31 | (p&31)%24
	case "degrotate":
		return p % 240
	}
	return p
}

// TestThen tests that applying two motions in turn equals applying their combination, for each kind that can
// represent them.
func TestThen(t *testing.T) {
	list := all()
	if len(list) != 48 {
		t.Fatalf("%d motions", len(list))
	}
	for _, a := range list {
		for _, b := range list {
			both := a.Then(b)
			if v := [3]int{1, 2, 3}; both.Apply(v) != b.Apply(a.Apply(v)) {
				t.Fatalf("%v then %v", a, b)
			}
			if size, at := [3]int{4, 5, 6}, [3]int{1, 0, 5}; both.In(size, at) != b.In(a.Size(size), a.In(size, at)) {
				t.Fatalf("%v then %v, inside a box", a, b)
			}
			if both.Mirrors() != (a.Mirrors() != b.Mirrors()) {
				t.Fatalf("%v then %v, mirrored", a, b)
			}
			for _, kind := range kinds {
				for p := 0; p < 256; p += 1 + p/32*43 {
					one, exact1 := a.Param2(kind, byte(p))
					two, exact2 := b.Param2(kind, one)
					want, exact := both.Param2(kind, byte(p))
					if exact1 && exact2 && (!exact || normal(kind, two) != normal(kind, want)) && !aside(kind, p) {
						t.Fatalf("%s %d, %v then %v: %d, %v; want %d", kind, p, a, b, two, exact, want)
					}
				}
			}
		}
	}
}

// aside reports whether a node is on the floor or the ceiling, turned about y: on a wall the turn is lost.
func aside(kind string, p int) bool {
	return (kind == "wallmounted" || kind == "colorwallmounted") && p&7 >= 6
}

func TestMirror(t *testing.T) {
	x, y, z := turn.Mirror(turn.X), turn.Mirror(turn.Y), turn.Mirror(turn.Z)
	for _, c := range []struct {
		m           turn.Motion
		kind        string
		param2, out byte
		exact       bool
	}{
		{x, "facedir", 0, 0, true}, {x, "facedir", 1, 3, true}, {z, "facedir", 0, 2, true}, {z, "facedir", 3, 3, true},
		{x, "facedir", 13, 19, true}, // a node leaning to the east leans to the west afterwards
		{y, "facedir", 0, 20, true}, {y, "4dir", 1, 1, false}, {x, "color4dir", 0xf1, 0xf3, true},
		{turn.Turn(turn.X, 1), "4dir", 0, 0, false}, {turn.Turn(turn.X, 1), "degrotate", 7, 7, false},
		{x, "wallmounted", 2, 3, true}, {y, "wallmounted", 0, 1, true}, {y, "wallmounted", 7, 6, true}, {z, "colorwallmounted", 0xfc, 0xfd, true},
		{x, "degrotate", 10, 230, true}, {z, "degrotate", 10, 110, true}, {x, "colordegrotate", 0xe1, 0xe0 | 23, true},
		{turn.Transpose(turn.X, turn.Z), "facedir", 0, 1, true}, {turn.Transpose(turn.X, turn.Y), "wallmounted", 2, 0, true},
		{x, "flowingliquid", 7, 7, true},
	} {
		if got, exact := c.m.Param2(c.kind, c.param2); got != c.out || exact != c.exact {
			t.Errorf("%v %s %d: %d, %v; want %d, %v", c.m, c.kind, c.param2, got, exact, c.out, c.exact)
		}
	}
}

func TestParseAxis(t *testing.T) {
	for _, a := range []turn.Axis{turn.X, turn.Y, turn.Z} {
		if got, err := turn.ParseAxis(a.String()); got != a || err != nil {
			t.Errorf("%v: %v, %v", a, got, err)
		}
	}
	if _, err := turn.ParseAxis("w"); err == nil {
		t.Error("w is an axis")
	}
}

func ExampleMotion_Param2() {
	m := turn.Turn(turn.Y, 1)
	to := m.In([3]int{10, 3, 20}, [3]int{9, 0, 0})
	facedir, exact := m.Param2("facedir", 0)
	fmt.Println(to, facedir, exact)
	// Output: [0 0 0] 1 true
}
