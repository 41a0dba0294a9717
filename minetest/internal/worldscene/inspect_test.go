package worldscene_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	_ "trowel.example/minetest"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/trace"
)

const secret = "#1#c2VjcmV0#dmVyaWZpZXI"

// museum creates a world with a row of blocks of all versions: stone below water, a chest with metadata and a timer,
// and an object. A player stands on it.
func museum(t testing.TB) string {
	ctx := context.Background()
	dir := t.TempDir()
	write := func(name, text string) {
		judge.Write(t, filepath.Join(dir, name), []byte(text))
	}
	write("world.mt", "gameid = test\nbackend = sqlite3\nplayer_backend = sqlite3\nauth_backend = sqlite3\n")
	write("colors.txt", "default:stone 90 90 90\ndefault:chest 160 110 50\ndefault:water_source 30 60 120 128 200\n")
	write("areas.dat", `[null,null,{"name":"the museum","owner":"singleplayer","pos1":{"x":0,"y":-5,"z":0},"pos2":{"x":100,"y":50,"z":9}}]`)
	w, err := mapdb.Create(ctx, dir, mapdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for version := range mapblock.Newest + 1 {
		b := mapblock.New(29)
		b.Names = []mapblock.NameID{{ID: 0, Name: "air"}, {ID: 1, Name: "default:stone"},
			{ID: 2, Name: "default:water_source"}, {ID: 3, Name: "default:chest"}}
		for i := range b.Param0 {
			switch _, y, _ := mapblock.Coordinates(i); {
			case y < 8:
				b.Param0[i] = 1
			case y < 11:
				b.Param0[i] = 2
			}
		}
		at := mapblock.Index(5, 8, 6) // below the water
		b.Param0[at], b.Param2[at], b.Param1[at] = 3, 1, 0x2c
		for y := 9; y < 11; y++ {
			b.Param0[mapblock.Index(5, y, 6)] = 0
		}
		if version >= 23 {
			b.Metadata = mapblock.Metadata{Version: 2,
				List: []mapblock.NodeMeta{{Pos: uint16(at), Vars: []mapblock.Var{{Key: "infotext", Value: "Chest"},
					{Key: "code", Value: "7", Private: 1}}, Inventory: []byte("List main 32\nWidth 0\nItem default:dirt " +
					"5\nEmpty\nItem default:stick\nEndInventoryList\nEndInventory\n")}}}
			b.Timers.List = []mapblock.Timer{{Pos: uint16(at), Timeout: 1500, Elapsed: 500}}
			e := mapblock.LuaEntity{Version: 1, Name: "mobs:rat", StaticData: "return {}", HP: 3}
			data, err := e.Encode()
			if err != nil {
				t.Fatal(err)
			}
			b.Objects.List = []mapblock.Object{{Type: mapblock.ObjectLuaEntity, Pos: [3]int32{int32(version*16+5) * 10000, 85000,
				60000}, Data: data}}
		}
		if version < 20 { // blocks cannot be converted to it
			old := mapblock.New(version)
			for i, id := range b.Param0 {
				old.Param0[i] = [4]uint16{254, 0, 9, 15}[id]
			}
			b = old
		} else if b, _, err = b.Convert(version, mapblock.ConvertOptions{Drop: true}); err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		data, err := b.EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: int16(version)}, Data: data}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	players, err := world.OpenPlayers(ctx, dir, settings, world.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	inv, _, err := item.ParseInventory([]byte("List main 2\nWidth 0\nItem default:torch 9\nEmpty\nEndInventoryList\nEndInventory\n"))
	if err != nil {
		t.Fatal(err)
	}
	err = players.Put(ctx, &world.Player{Name: "ann", Pos: [3]float64{20, 115, 40}, HP: 20, Breath: 10, Inventory: inv})
	if err = errors.Join(err, players.Commit(ctx), players.Close()); err != nil {
		t.Fatal(err)
	}
	auth, err := world.OpenAuth(ctx, dir, settings, world.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	err = auth.Put(ctx, &world.Account{Name: "ann", Password: secret, Privileges: []string{"interact"}})
	if err = errors.Join(err, auth.Commit(ctx), auth.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func inspect(t testing.TB, s *format.Scene, l format.Look, at [2]float64) []format.Thing {
	t.Helper()
	things, err := viewOf(s, l.View).Inspect(context.Background(), l, at)
	if err != nil {
		t.Fatal(err)
	}
	return things
}

// value returns a fact as text.
func value(thing format.Thing, key string) string {
	for _, f := range thing.Facts {
		if f.Key == key {
			return fmt.Sprint(f.Value)
		}
	}
	return ""
}

// TestInspectVersions tests, for all versions and views, that the reported nodes match the bytes and the text of
// their blocks, and that their places match the selected point.
func TestInspectVersions(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	ctx := context.Background()
	dir := museum(t)
	src, err := format.OpenSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := format.Registered().Formats()[0]
	file, err := f.Open(ctx, new(format.Job), src)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tree, err := file.Tree(ctx, new(format.Job))
	if err != nil {
		t.Fatal(err)
	}
	s := scene(t, dir, map[string]string{"slice": "9"})
	for version := range mapblock.Newest + 1 {
		for _, c := range []struct {
			view string
			at   [2]float64
			name string
			node [3]int
		}{
			{"top", [2]float64{5.5, -6.5}, "default:chest", [3]int{5, 8, 6}},
			{"top", [2]float64{2.5, -6.5}, "default:water_source", [3]int{2, 10, 6}},
			{"height", [2]float64{5.5, -6.5}, "default:chest", [3]int{5, 8, 6}}, {"night", [2]float64{5.2, -6.2}, "default:chest", [3]int{5, 8, 6}},
			{"slice", [2]float64{0.5, -0.5}, "default:water_source", [3]int{0, 9, 0}},
			{"south", [2]float64{3.5, -2.5}, "default:stone", [3]int{3, 2, 0}},
			{"north", [2]float64{-3.5, -2.5}, "default:stone", [3]int{3, 2, 15}},
		} {
			x := float64(version * 16)
			if c.view == "north" {
				x = -x
			}
			v, _ := format.ViewOf(s.Views, c.view)
			at := [2]float64{c.at[0] + x, c.at[1]}
			things := inspect(t, s, look(v, 1), at)
			if len(things) < 2 {
				t.Fatalf("version %d, %s: %d things", version, c.view, len(things))
			}
			seen := things[0]
			node := c.node
			node[0] += version * 16
			want := fmt.Sprintf("%s at %d,%d,%d", c.name, node[0], node[1], node[2])
			if !strings.HasPrefix(seen.Title, want) || value(seen, "drawn") != "seen" {
				t.Fatalf("version %d, %s: %q (%s), not %q", version, c.view, seen.Title, value(seen, "drawn"), want)
			}
			r, ok := viewOf(s, c.view).Where(t.Context(), seen.Place)
			if !ok || at[0] < r.Min[0] || at[0] >= r.Max[0] || at[1] < r.Min[1] || at[1] >= r.Max[1] || r.Dx() != 1 || r.Dy() != 1 {
				t.Errorf("version %d, %s: %v is at %v, %v, not %v", version, c.view, seen.Place, r, ok, at)
			}
			for _, thing := range things {
				if thing.Line.Path == "" {
					continue
				}
				text, err := fs.ReadFile(tree, thing.Line.Path)
				if err != nil {
					t.Fatal(err)
				}
				lines := strings.Split(string(text), "\n")
				if n, ok := thing.Place.(place.Node); ok && value(thing, "node") != "" {
					line := lines[thing.Line.Line-1]
					p, _ := n.Pos()
					if value(thing, "metadata") != "" || value(thing, "list.main") != "" {
						if want := fmt.Sprintf("  %d,%d,%d", p[0]&15, p[1]&15, p[2]&15); !strings.HasPrefix(line, want) {
							t.Errorf("version %d: %s is not on %v: %q", version, thing.Title, thing.Line, line)
						}
					} else if !strings.Contains(line, value(thing, "node")) || !strings.HasPrefix(line, "    y ") {
						t.Errorf("version %d: %s is not on %v: %q", version, thing.Title, thing.Line, line)
					}
					where, ok := viewOf(s, c.view).Where(t.Context(), thing.Line)
					if r, _ := viewOf(s, c.view).Where(t.Context(), thing.Place); !ok || r.Min[0] < where.Min[0] ||
						r.Max[0] > where.Max[0] || r.Min[1] < where.Min[1] || r.Max[1] > where.Max[1] || where.Dx() > 16 || where.Dy() > 16 {
						t.Errorf("version %d: %v is at %v, its line %v at %v", version, thing.Place, r, thing.Line, where)
					}
				}
				if thing.Bytes.Len == 0 {
					continue
				}
				space := make([]byte, 0, 1<<14)
				if err := f.Dump(ctx, new(format.Job), src, thing.Bytes.Path, func(field trace.Field) {
					if field.Space == thing.Bytes.Space && field.Offset == int64(len(space)) {
						space = append(space, field.Bytes...)
					}
				}); err != nil {
					t.Fatal(err)
				}
				if int64(len(space)) < thing.Bytes.Offset+thing.Bytes.Len {
					t.Fatalf("version %d: %+v is beyond %d bytes", version, thing.Bytes, len(space))
				}
				if id := value(thing, "id"); id != "" {
					got := 0
					for _, c := range space[thing.Bytes.Offset:][:thing.Bytes.Len] {
						got = got<<8 | int(c)
					}
					wide := int64(1)
					if version >= 24 {
						wide = 2
					}
					if thing.Bytes.Len != wide || fmt.Sprint(got) != id && (version > 19 || got != 254 || id != "126") {
						t.Errorf("version %d: %s has the id %s, and %d is at %+v", version, thing.Title, id, got, thing.Bytes)
					}
				}
			}
		}
	}
}

// TestInspectAll tests that everything at a node is reported, with the objects on it and its owners, but never a
// password.
func TestInspectAll(t *testing.T) {
	s := scene(t, museum(t), map[string]string{"markers": "usual"})
	v, _ := format.ViewOf(s.Views, "top")
	l := look(v, 1)
	things := inspect(t, s, l, [2]float64{25*16 + 5.5, -6.5})
	var titles []string
	for _, thing := range things {
		titles = append(titles, thing.Title)
	}
	if got, want := strings.Join(titles, "; "), "default:chest at 405,8,6; default:stone at 405,7,6 and 7 more up to "+
		"405,0,6; mobs:rat at 405.00,8.50,6.00; block 25,0,0"; got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	chest := things[0]
	for key, want := range map[string]string{
		"param2Means": "front to -x", "light": "12 by day, 2 by night, of 15", "timer": "0.5 of 1.5 seconds have passed",
		"color": fmt.Sprint(color.NRGBA{160, 110, 50, 255}), "metadata": "[{infotext infotext Chest} {code code 7}]",
	} {
		if got := value(chest, key); got != want {
			t.Errorf("%s is %q, not %q", key, got, want)
		}
	}
	for _, fact := range chest.Facts {
		if slots, ok := fact.Value.(format.Slots); ok && (slots.Width != 8 || len(slots.Items) != 32 ||
			slots.Items[0] != "default:dirt 5" || slots.Items[1] != "" || slots.Items[2] != "default:stick") {
			t.Errorf("%s: %+v", fact.Label, slots)
		}
	}
	if value(chest, "list.main") == "" {
		t.Error("there is no inventory")
	}
	if block := things[len(things)-1]; value(block, "version") != "25" || value(block, "objects") != "1" ||
		value(block, "generated") != "true" {
		t.Errorf("%+v", block)
	}

	// In the area, at the position of the player.
	things = inspect(t, s, l, [2]float64{2.5, -4.5})
	if things[0].Title != "player ann at 2,12,4" || value(things[0], "hp") != "20" ||
		!strings.Contains(value(things[0], "list.main"), "default:torch 9") {
		t.Errorf("%+v", things[0])
	}
	area := false
	for _, thing := range things {
		if area = area || thing.Title == "area 3 of singleplayer"; thing.Title == "area 3 of singleplayer" && len(thing.Links) != 2 {
			t.Errorf("%+v", thing)
		}
	}
	if !area {
		t.Error("the area is not told")
	}
	// At a small scale, the mark of the player is large, if it is drawn.
	l.Scale = 0.1
	if things = inspect(t, s, l, [2]float64{30, -4.5}); strings.HasPrefix(things[0].Title, "player") {
		t.Error("a player who is not drawn is reported")
	}
	l.Layers = []string{"nodes", "players"}
	if things = inspect(t, s, l, [2]float64{30, -4.5}); things[0].Layer != "players" {
		t.Errorf("%+v", things[0])
	}
	if r, ok := viewOf(s, "top").Where(t.Context(), place.Player("ann")); !ok || r.Min != [2]float64{2, -5} {
		t.Errorf("the player is at %v", r)
	}
	for _, at := range []check.Place{place.Account("ann"), check.File("players/ann.json"), check.Line{Path: "auth/ann.json", Line: 3}} {
		if r, ok := viewOf(s, "top").Where(t.Context(), at); !ok || r.Min != [2]float64{2, -5} {
			t.Errorf("%v is at %v", at, r)
		}
	}
	for _, at := range []check.Place{place.Account("bob"), place.Entry{Mod: "a"}, check.File("world.mt"), place.InBlock(5),
		check.Line{Line: 4}} {
		if r, ok := viewOf(s, "top").Where(t.Context(), at); ok {
			t.Errorf("%v is at %v", at, r)
		}
	}
	if r, ok := viewOf(s, "south").Where(t.Context(), place.Block(1, 50, 0)); !ok || r.Min != [2]float64{16, -816} || r.Dx() != 16 {
		t.Errorf("a block is at %v, %v", r, ok) // although there is none
	}

	// No thing contains the verifier.
	for _, view := range s.Views {
		l := look(view, 1)
		for y := view.Bounds.Min[1] + 2.5; y < view.Bounds.Max[1]; y += 7 {
			for x := view.Bounds.Min[0] + 2.5; x < view.Bounds.Max[0]; x += 31 {
				text, err := json.Marshal(inspect(t, s, l, [2]float64{x, y}))
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(text), secret[4:]) {
					t.Fatalf("%s at %v,%v tells a verifier", view.Name, x, y)
				}
			}
		}
	}
}

// TestInspectSees tests that the reported node is the one whose colour is visible, also in isometric views.
func TestInspectSees(t *testing.T) {
	for _, values := range []map[string]string{nil, {"drawalpha": "true"}} {
		s := scene(t, museum(t), values)
		for _, v := range s.Views {
			if v.Name != "top" && v.Name != "iso" && v.Name != "west" {
				continue
			}
			l := look(v, v.Scale)
			l.Layers = []string{"nodes"}
			for y := v.Bounds.Min[1] + 0.41; y < v.Bounds.Max[1]; y += 6.5 {
				for x := v.Bounds.Min[0] + 0.37; x < min(v.Bounds.Max[0], v.Bounds.Min[0]+100); x += 3 {
					things := inspect(t, s, l, [2]float64{x, y})
					at := image.Pt(int((x-v.Bounds.Min[0])*v.Scale), int((y-v.Bounds.Min[1])*v.Scale))
					seen := drawPart(t, s, l, image.Rectangle{at, at.Add(image.Pt(1, 1))}).RGBAAt(at.X, at.Y).A > 0
					told := len(things) > 0 && strings.HasPrefix(value(things[0], "drawn"), "seen")
					if seen != told {
						t.Fatalf("%s at %v,%v: a node is seen: %v, told: %v (%d things)", v.Name, x, y, seen, told, len(things))
					}
				}
			}
		}
	}
}

// TestScenePlayersOnce tests that players are read once, for all views, scales and options.
func TestScenePlayersOnce(t *testing.T) {
	dir := museum(t)
	s := scene(t, dir, nil)
	count := func(s *format.Scene, view string, scale float64) (n int) {
		v, _ := format.ViewOf(s.Views, view)
		l := look(v, scale)
		l.Layers = []string{"players"}
		img := drawPart(t, s, l, image.Rectangle{Max: l.Size})
		for i := 0; i < len(img.Pix); i += 4 {
			if img.Pix[i] == 255 && img.Pix[i+1] == 80 {
				n++
			}
		}
		return n
	}
	if count(s, "top", 1) == 0 {
		t.Error("there is no player")
	}
	if err := os.Remove(filepath.Join(dir, "players.sqlite")); err != nil {
		t.Fatal(err)
	}
	with, err := s.With(context.Background(), &format.Job{Values: map[string]string{"max-y": "12"}})
	if err != nil {
		t.Fatal(err)
	}
	defer with.Close()
	if count(s, "top", 0.5) == 0 || count(with, "top", 2) == 0 || count(with, "iso", 1) == 0 || count(s, "south", 1) == 0 {
		t.Error("players are read again")
	}
	low, err := s.With(context.Background(), &format.Job{Values: map[string]string{"max-y": "9"}})
	if err != nil {
		t.Fatal(err)
	}
	defer low.Close()
	if count(low, "top", 1) != 0 {
		t.Error("a player above what is drawn is drawn")
	}
}
