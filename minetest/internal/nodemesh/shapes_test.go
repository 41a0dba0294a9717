package nodemesh

import (
	"fmt"
	"image"
	"math"
	"strings"
	"testing"

	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/nodedef"
)

// assets has an opaque orange image for each texture, and one model: a triangle.
type assets struct{}

func (assets) Image(string) *image.NRGBA {
	return &image.NRGBA{Pix: []byte{255, 128, 0, 255}, Stride: 4, Rect: image.Rect(0, 0, 1, 1)}
}

func (assets) Model(string) *Model {
	corners := []ModelVertex{{}, {Pos: [3]float32{0, 1, 0}}, {Pos: [3]float32{1, 0, 0}}}
	return &Model{Parts: []Part{{Vertices: corners, Indices: []uint32{0, 1, 2}}}}
}

// around makes a volume of air in daylight with the node a at 0,0,0, and other nodes around it: x,y,z=NAME:PARAM2.
func around(t *testing.T, a nodedef.Node, param2 uint8, beside string) (*Looks, *Volume) {
	a.Name, a.VisualScale = "a", 1
	rails := map[string]int{"connect_to_raillike": 1}
	tile := []nodedef.Tile{{Name: "a.png", BackfaceCulling: true}, {Name: "a.png", BackfaceCulling: true}}
	a.Tiles, a.Specials = tile[:1], tile
	list := nodedef.List{"a": &a}
	for name, draw := range map[string]string{"stone": "normal", "glass": "glasslike", "rail": "raillike", "source": "liquid"} {
		list[name] = &nodedef.Node{Name: name, DrawType: draw, Tiles: tile[:1], VisualScale: 1, Groups: rails}
	}
	looks := NewLooks(list, assets{}, texture.Newest)
	v := looks.NewVolume([3]int{-2, -2, -2}, [3]int{5, 5, 5})
	v.Origin = [3]int{}
	for i := range 125 {
		v.Set([3]int{i%5 - 2, i/5%5 - 2, i/25 - 2}, "air", 15, 0)
	}
	v.Set([3]int{}, "a", 15, param2)
	for _, one := range strings.Fields(beside) {
		var p [3]int
		var param2 uint8
		var name string
		one = strings.NewReplacer("=", " ", ":", " ").Replace(one)
		if _, err := fmt.Sscanf(one, "%d,%d,%d %s %d", &p[0], &p[1], &p[2], &name, &param2); err != nil {
			t.Fatal(err)
		}
		v.Set(p, name, 0, param2)
	}
	return looks, v
}

// TestShapes compares the number of faces of a node, the box around them and the corners of the last one.
func TestShapes(t *testing.T) {
	rail := nodedef.Node{DrawType: "raillike", Groups: map[string]int{"connect_to_raillike": 1}}
	torch := nodedef.Node{DrawType: "torchlike", ParamType2: "wallmounted"}
	plant := nodedef.Node{DrawType: "plantlike", ParamType2: "wallmounted"}
	moved := nodedef.Node{DrawType: "plantlike", ParamType2: "meshoptions"}
	fire := nodedef.Node{DrawType: "firelike"}
	flowing := nodedef.Node{DrawType: "flowingliquid", ParamType: "light", LiquidSource: "source", LiquidFlowing: "a", LiquidRange: 8}
	post := nodedef.Node{DrawType: "nodebox", ConnectsTo: []string{"stone"}, Box: nodedef.NodeBox{Type: "connected",
		Fixed:   []nodedef.Box{{-.1, -.5, -.1, .1, .5, .1}},
		Connect: [6][]nodedef.Box{5: {{.1, 0, -.1, .5, .2, .1}}}, DisconnectedAll: []nodedef.Box{{-.2, .5, -.2, .2, .6, .2}},
		Disconnected: [6][]nodedef.Box{3: {{-.3, 0, 0, -.1, .1, .1}}}, DisconnectedXZ: []nodedef.Box{{-.4, -.5, 0, .4, -.4, .1}}}}
	for _, c := range []struct {
		node   nodedef.Node
		param2 uint8
		beside string
		want   string
	}{
		{post, 0, "", "24 -0.4,-0.5,-0.2:0.4,0.6,0.2 -0.4,-0.4,0 0.4,-0.4,0 0.4,-0.5,0 -0.4,-0.5,0"},
		{post, 0, "1,0,0=stone:0", "17 -0.3,-0.5,-0.1:0.5,0.5,0.1 0.1,0.2,-0.1 0.5,0.2,-0.1 0.5,0,-0.1 0.1,0,-0.1"},
		{post, 0, "1,0,0=stone:0 -1,0,0=stone:0", "11 -0.1,-0.5,-0.1:0.5,0.5,0.1 0.1,0.2,-0.1 0.5,0.2,-0.1 0.5,0,-0.1 0.1,0,-0.1"},
		{post, 0, "0,1,0=stone:0", "17 -0.4,-0.5,-0.1:0.4,0.5,0.1 -0.4,-0.4,0 0.4,-0.4,0 0.4,-0.5,0 -0.4,-0.5,0"},
		{nodedef.Node{DrawType: "mesh"}, 0, "", "1 0,0,0:1,1,0 0,0,0 0,1,0 1,0,0"},
		{rail, 0, "", "1 -0.5,-0.48,-0.5:0.5,-0.48,0.5 -0.5,-0.48,0.5 0.5,-0.48,0.5 0.5,-0.48,-0.5 -0.5,-0.48,-0.5"},
		{rail, 0, "1,0,0=rail:0 0,0,1=rail:0", "1 -0.5,-0.48,-0.5:0.5,-0.48,0.5 -0.5,-0.48,-0.5 -0.5,-0.48,0.5 0.5,-0.48,0.5 0.5,-0.48,-0.5"},
		{rail, 0, "1,1,0=rail:0", "1 -0.5,-0.48,-0.5:0.5,0.52,0.5 0.5,0.52,0.5 0.5,0.52,-0.5 -0.5,-0.48,-0.5 -0.5,-0.48,0.5"},
		{rail, 0, "0,1,-1=rail:0", "1 -0.5,-0.48,-0.5:0.5,0.52,0.5 0.5,0.52,-0.5 -0.5,0.52,-0.5 -0.5,-0.48,0.5 0.5,-0.48,0.5"},
		{torch, 0, "", "1 -0.35,-0.5,-0.35:0.35,0.5,0.35 -0.35,0.5,0.35 0.35,0.5,-0.35 0.35,-0.5,-0.35 -0.35,-0.5,0.35"},
		{torch, 1, "", "1 -0.35,-0.5,-0.35:0.35,0.5,0.35 -0.35,0.5,-0.35 0.35,0.5,0.35 0.35,-0.5,0.35 -0.35,-0.5,-0.35"},
		{torch, 2, "", "1 -0.5,-0.5,0:0.5,0.5,0 -0.5,0.5,0 0.5,0.5,0 0.5,-0.5,0 -0.5,-0.5,0"},
		{torch, 3, "", "1 -0.5,-0.5,0:0.5,0.5,0 0.5,0.5,0 -0.5,0.5,0 -0.5,-0.5,0 0.5,-0.5,0"},
		{torch, 4, "", "1 0,-0.5,-0.5:0,0.5,0.5 0,0.5,-0.5 0,0.5,0.5 0,-0.5,0.5 0,-0.5,-0.5"},
		{torch, 5, "", "1 0,-0.5,-0.5:0,0.5,0.5 0,0.5,0.5 0,0.5,-0.5 0,-0.5,-0.5 0,-0.5,0.5"},
		{plant, 0, "", "2 -0.36,-0.5,-0.36:0.36,0.5,0.36 0.36,-0.5,0.35 -0.36,-0.5,-0.35 -0.36,0.5,-0.35 0.36,0.5,0.35"},
		{plant, 2, "", "2 -0.5,-0.36,-0.36:0.5,0.36,0.36 -0.5,-0.36,0.35 -0.5,0.36,-0.35 0.5,0.36,-0.35 0.5,-0.36,0.35"},
		{plant, 3, "", "2 -0.5,-0.36,-0.36:0.5,0.36,0.36 0.5,-0.36,-0.35 0.5,0.36,0.35 -0.5,0.36,0.35 -0.5,-0.36,-0.35"},
		{plant, 4, "", "2 -0.36,-0.36,-0.5:0.36,0.36,0.5 -0.35,-0.36,-0.5 0.35,0.36,-0.5 0.35,0.36,0.5 -0.35,-0.36,0.5"},
		{plant, 5, "", "2 -0.36,-0.36,-0.5:0.36,0.36,0.5 0.35,-0.36,0.5 -0.35,0.36,0.5 -0.35,0.36,-0.5 0.35,-0.36,-0.5"},
		{moved, 8, "", "2 -0.5,-0.5,-0.27:0.21,0.5,0.45 -0.5,0.5,0.44 0.21,0.5,-0.26 0.21,-0.5,-0.26 -0.5,-0.5,0.44"},
		{fire, 0, "0,-1,0=stone:0", "6 -0.5,-0.5,-0.5:0.5,0.5,0.5 -0.35,0.5,0.35 0.35,0.5,-0.35 0.35,-0.5,-0.35 -0.35,-0.5,0.35"},
		{fire, 0, "0,1,0=stone:0", "4 -0.94,0.31,-0.94:0.94,0.66,0.94 0.94,0.66,0.5 0.94,0.66,-0.5 0,0.31,-0.5 0,0.31,0.5"},
		{fire, 0, "1,0,0=stone:0", "1 0.31,-0.49,-0.5:0.49,0.49,0.5 0.31,0.49,0.5 0.31,0.49,-0.5 0.49,-0.49,-0.5 0.49,-0.49,0.5"},
		{flowing, 7, "0,0,-1=source:0 0,-1,0=stone:0 1,0,0=glass:0 -1,0,0=glass:0",
			"4 -0.5,-0.5,-0.5:0.5,0.5,0.5 -0.5,-0.48,0.5 0.5,-0.48,0.5 0.5,0.5,-0.5 -0.5,0.5,-0.5"},
		{flowing, 7, "1,0,0=a:2 0,0,1=a:4 1,0,1=a:6 -1,0,0=stone:0 -1,0,1=a:1 0,-1,0=stone:0",
			"2 -0.5,-0.5,-0.5:0.5,0.16,0.5 -0.5,0.06,0.5 0.5,0.16,0.5 0.5,-0.48,-0.5 -0.5,-0.48,-0.5"},
	} {
		_, v := around(t, c.node, c.param2, c.beside)
		n, low, high, last := 0, Vec{9, 9, 9}, Vec{-9, -9, -9}, ""
		v.Faces([3]int{}, [3]int{}, func(f *Face) bool {
			n, last = n+1, ""
			for _, at := range f.V[:f.N] {
				for a, x := range at.Pos {
					low[a], high[a] = min(low[a], x), max(high[a], x)
				}
				last += " " + short(at.Pos)
			}
			return true
		})
		if got := fmt.Sprintf("%d %s:%s%s", n, short(low), short(high), last); got != c.want {
			t.Errorf("%s %d %s:\n got %s\nwant %s", c.node.DrawType, c.param2, c.beside, got, c.want)
		}
	}
}

func short(p Vec) string {
	for a := range p {
		p[a] = float32(math.Round(float64(p[a])*100)/100) + 0
	}
	return fmt.Sprintf("%v,%v,%v", p[0], p[1], p[2])
}

// engineLight are the brightnesses of the levels of light, as the engine has them.
var engineLight = [16]float32{0, 6, 15, 30, 50, 73, 98, 120, 139, 155, 168, 181, 196, 213, 234, 255}

// TestCorner tests the light at a corner, in all directions. The nodes around it are those beside the open node along x, y and z,
// along x and y, x and z, y and z, and along all; # takes light away.
func TestCorner(t *testing.T) {
	for around8, want := range map[string]float32{
		".......": 120, "#......": 120, "##.....": 120, "###....": 56, "###...#": 56, "##.####": 82, "##.#...": 120, "#..###.": 102,
		"...###.": 120, "...####": 120, "#..####": 102, "#.#.#..": 120, ".##..##": 120, "######.": 56,
	} {
		for i := range 8 {
			signs := signsOf(i)
			_, v := around(t, nodedef.Node{DrawType: "airlike", ParamType: "light"}, 0, "")
			for x := range 125 {
				v.cells[x].param1 = 7 | 3<<4
			}
			for n, d := range [7][3]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}} {
				if around8[n] == '#' {
					v.Set([3]int{d[0] * signs[0], d[1] * signs[1], d[2] * signs[2]}, "stone", 0, 0)
				}
			}
			if got := v.corner([3]int{}, signs); got.day != want {
				t.Errorf("%s in the direction %v: %v, want %v", around8, signs, got, want)
			}
		}
	}
}

// TestLight tests the levels of light, the shadows on a cube, the shades of surfaces and the blue of dark colours.
func TestLight(t *testing.T) {
	looks, v := around(t, nodedef.Node{DrawType: "normal"}, 0, "1,1,0=stone:0 1,1,1=stone:0 0,1,1=stone:0")
	var top string
	v.Faces([3]int{}, [3]int{}, func(f *Face) bool {
		if top == "" { // the first face is the upper one
			for _, corner := range f.V {
				top += fmt.Sprint(" ", short(corner.Pos), " ", corner.Color[0])
			}
		}
		return true
	})
	if want := " -0.5,0.5,0.5 127 0.5,0.5,0.5 59 0.5,0.5,-0.5 127 -0.5,0.5,-0.5 127"; top != want {
		t.Errorf("the top is%s, want%s", top, want)
	}
	for level, want := range engineLight {
		for i := range v.cells {
			v.cells[i] = cell{v.kind("air"), uint8(level), 0}
		}
		if got := v.corner([3]int{}, [3]int{1, 1, 1}); got != (pair{want, 0}) {
			t.Errorf("level %d: %v", level, got)
		}
	}
	for n, want := range map[Vec]float32{{0, 1, 0}: 1, {0, .5, 0}: 1, {0, .5, -1e-4}: .25, {0, .5, 1e-4}: .25, {1e-4, .5, 0}: .25,
		{-1e-4, .5, 0}: .25, {0, -1, 0}: .447213, {-1, 0, 0}: .67082, {0, 0, 1}: .83666} {
		if got := shade(n); math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("shade of %v: %v", n, got)
		}
	}
	night := newDaylight(0)
	for i, want := range [13]uint8{1, 4, 6, 6, 6, 5, 4, 3, 2, 1} {
		level := uint8(i*4 + 2) // twice as bright on the screen
		if got := night.Color([4]uint8{level, level, level, 0}); got[2]-got[0] != want {
			t.Errorf("brightness %d: %v", i, got)
		}
	}
	if mean, from, ok := looks.Mean("a", 0); !ok || from != "a.png" || mean.G != 128 {
		t.Errorf("mean colour: %v of %q", mean, from)
	}
}
