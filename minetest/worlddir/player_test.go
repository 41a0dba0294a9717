package worlddir

import (
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/internal/text/strictjson"
	"trowel.example/minetest/item"
	"trowel.example/minetest/world"
)

// TestInventoryForm tests that an inventory is written as lists if these have the same meaning, and is restored in
// the form that the engine writes.
func TestInventoryForm(t *testing.T) {
	for text, lists := range map[string]bool{
		"EndInventory\n": true,
		"List main 3\nWidth 0\nItem default:dirt 5\nEmpty\nEmpty\nEndInventoryList\nEndInventory\n": true,
		"List main 2\nWidth 8\nEmpty\nEmpty\nEndInventoryList\nEndInventory\n":                      true,
		"List main 2\nEmpty\nItem a:b 1\nEndInventoryList\nEndInventory\n":                          true,
		"List main 2\nWidth 0\nEndInventoryList\nEndInventory\n":                                    true, // short
		"List main 2\nWidth 0\nItem a:b 0\nItem \nEndInventoryList\nEndInventory\n":                 true,
		"List main 1\nWidth 0\nKeep\nEndInventoryList\nEndInventory\n":                              false,
		"List main 4000000000\nWidth 0\nEndInventoryList\nEndInventory\n":                           false,
	} {
		inv, _, err := item.ParseInventory([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p := &world.Player{Name: "a", Inventory: inv}
		form := playerFormOf(p)
		if lists != (form.Inventory.text == nil) {
			t.Errorf("%q: shown as %+v", text, form.Inventory)
		}
		data, err := strictjson.Marshal(form, "  ")
		if err != nil {
			t.Fatal(err)
		}
		var again playerForm
		if err := decodeJSON("a", data, &again); err != nil {
			t.Errorf("%q: %v\n%s", text, err, data)
			continue
		}
		got := string(again.player("a").Inventory.Append(nil))
		if n := strings.Count(text, "\n"); n > 4 && !strings.Contains(text, "Item a:b 0") && got != text {
			t.Errorf("%q came back as %q", text, got)
		}
	}
}

// TestNodes tests that positions are written in nodes and round-trip exactly.
func TestNodes(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "-0", 10: "1", 1: "0.1", -5: "-0.5", 205: "20.5", -5231.97: "-523.197",
		123456.5: "12345.65", 0.001: "0.0001", 327680: "32768",
		1e300: "1e299", 1e-300: "1e-301", float64(float32(80.1)): "8.00999984741211", math.Inf(-1): `"-Inf"`, 100: "10", 1e15: "100000000000000",
	} {
		data, err := strictjson.Marshal(&playerForm{Position: [3]nodes{nodes(v)}}, "  ")
		if err != nil {
			t.Fatal(err)
		}
		var again playerForm
		if err := decodeJSON("a", data, &again); err != nil || math.Float64bits(float64(again.Position[0])) != math.Float64bits(v) {
			t.Errorf("%v came back as %v, %v", v, again.Position[0], err)
		}
		if got, err := nodes(v).MarshalJSON(); string(got) != want || err != nil {
			t.Errorf("%v is shown as %s, %v, want %s", v, got, err, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		v := math.Float64frombits(r.Uint64())
		if math.IsNaN(v) || math.Abs(v) > 1e300 {
			continue
		}
		data, _ := strictjson.Marshal(&playerForm{Position: [3]nodes{nodes(v)}}, "  ")
		var again playerForm
		if err := decodeJSON("a", data, &again); err != nil || float64(again.Position[0]) != v {
			t.Fatalf("%v came back as %v, %v", v, again.Position[0], err)
		}
	}
}

// TestRealPlayers tests that real players are written in the documented form and round-trip without a sidecar.
func TestRealPlayers(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(filepath.Join(tests.Corpus(t, "minetest"), "players-real", "players.sqlite"))
	if err != nil {
		t.Skip(err)
	}
	judge.Write(t, filepath.Join(dir, "players.sqlite"), data)
	judge.Write(t, filepath.Join(dir, "world.mt"), []byte("gameid = a\nplayer_backend = sqlite3\n"))
	w, err := OpenWorld(t.Context(), dir, Opening{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	n := 0
	for name, err := range w.Players.Names(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		p, err := w.Players.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		form := playerFormOf(p)
		if form.Inventory == nil || form.Inventory.text != nil {
			t.Errorf("%s: the inventory is shown as text", name)
		}
		residue, err := playerResidue(p, form, world.Files)
		if err != nil || residue != nil {
			t.Errorf("%s: something is kept beside the file: %v", name, err)
		}
		n++
	}
	t.Logf("%d players", n)
}

// TestSameBytes tests that the same folder gives byte-identical worlds on any day: a player without a date does not
// get the current time.
func TestSameBytes(t *testing.T) {
	for name, settings := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{
				"world.mt":               {Data: []byte(settings)},
				"blocks/z0/y0/1,0,0.txt": {Data: []byte(air)}, "blocks/z-1/y0/1,0,-1.txt": {Data: []byte(air)},
				"players/me.json": {Data: []byte(
					`{"attributes": {"b": "1", "a": "2"}, "inventory": [{"name": "main", "size": 3, "items": ["a:b"]}]}`)},
				"players/you.json": {Data: []byte("{}")}, "auth/me.json": {Data: []byte(`{"password": "none", "privileges": ["shout", "interact"]}`)},
				"storage/pig.json": {Data: []byte(`{"b": "1", "a": "2"}`)},
			}
			var first map[string]string
			for range 2 {
				dst := t.TempDir()
				if _, err := Build(t.Context(), dst, fsys, BuildOptions{}); err != nil {
					t.Fatal(err)
				}
				made := make(map[string]string)
				err := filepath.WalkDir(dst, func(path string, e fs.DirEntry, err error) error {
					if err != nil || e.IsDir() {
						return err
					}
					rel, _ := filepath.Rel(dst, path)
					data, err := os.ReadFile(path)
					made[rel] = string(data)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				for name, data := range first {
					if made[name] != data {
						t.Errorf("%s has other bytes", name)
					}
				}
				if first == nil {
					time.Sleep(1100 * time.Millisecond) // a second later
				} else if len(made) != len(first) {
					t.Errorf("%d files, %d", len(made), len(first))
				}
				first = made
			}
		})
	}
}
