package worldsteps

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/schematic"
)

// run performs steps, which are the words of a user, on a file.
func run(t *testing.T, data []byte, words string) (made []byte, said []string, err error) {
	t.Helper()
	commands := slices.Concat(SchematicProbabilities, SchematicAliases)
	job := &format.Job{Reports: format.Reports{OnWarn: func(_, message string) { said = append(said, message) }}}
	steps, err := format.ParseSteps(job, SchematicEditing(commands).Commands, strings.Fields(words))
	if err != nil {
		t.Fatal(err)
	}
	made, err = edited(job, &format.Source{Path: "a.mts"}, data, steps, func(c check.Change) error {
		said = append(said, fmt.Sprintf("%s: %d %s", c.What, c.Count, c.Unit))
		return nil
	})
	return made, said, err
}

const tree = `schematic mts 4
size 3,3,1
nodes
  z 0
    y 0 air@0 default:tree air@0
    y 1 default:leaves default:tree default:leaves@64
    y 2 default:leaves*3
`

func encoded(t *testing.T, text string) []byte {
	t.Helper()
	s, err := schematic.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEdit(t *testing.T) {
	for _, c := range []struct {
		words, said string
		lines       []string // of the text afterwards
	}{
		{"set-probability default:leaves 75%", "set-probability default:leaves 75%: 5 nodes",
			[]string{"y 1 default:leaves@96 default:tree default:leaves@96", "y 2 default:leaves@96*3"}},
		{"set-probability default:l* 64 --box 0,1,0:2,1,0", "set-probability default:l* 64: 1 nodes",
			[]string{"y 1 default:leaves@64 default:tree default:leaves@64", "y 2 default:leaves*3"}},
		{"set-slice-probability 1:2 50%", "set-slice-probability 1:2 50%: 2 slices", []string{"slices 127 65*2"}},
		{"set-slice-probability 0 0", "set-slice-probability 0 0: 1 slices", []string{"slices 0 127*2"}},
		{"set-force default:tree", "set-force default:tree: 2 nodes", []string{"y 0 air@0 default:tree! air@0"}},
		{"set-force default:tree then set-force default:tree --off --box 1,0,0:1,0,0",
			"set-force default:tree: 2 nodes, set-force default:tree: 1 nodes",
			[]string{"y 0 air@0 default:tree air@0", "y 1 default:leaves default:tree! default:leaves@64"}},
		{"set-probability default:tree 100% then set-slice-probability 0 127", "", []string{"y 0 air@0 default:tree air@0"}},
	} {
		data := encoded(t, tree)
		made, said, err := run(t, data, c.words)
		if err != nil || strings.Join(said, ", ") != c.said {
			t.Errorf("%s: %q, %v", c.words, said, err)
			continue
		}
		s, err := schematic.Decode(made)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range c.lines {
			if text := string(s.Text()); !strings.Contains(text, line+"\n") {
				t.Errorf("%s: no %q in\n%s", c.words, line, text)
			}
		}
		if c.said == "" && !bytes.Equal(made, data) {
			t.Errorf("%s: without a change the file differs", c.words)
		}
	}
	for words, want := range map[string]string{
		"set-probability default:leaves 128":           "128",
		"set-probability default:leaves -1":            "-1",
		"set-probability default:leaves 101%":          "101%",
		"set-probability default:leaves NaN%":          "NaN%",
		"set-probability default:leaves x":             `"x"`,
		"set-probability default:leaves 5 --box 0,0,0": "--box",
		"set-slice-probability 3 5":                    "from 0 to 2",
		"set-slice-probability 2:1 5":                  "from 0 to 2",
		"set-slice-probability : 5":                    "from 0 to 2",
		"set-force default:stone":                      "default:stone",
	} {
		if _, _, err := run(t, encoded(t, tree), words); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", words, err)
		}
	}
	if _, _, err := run(t, encoded(t, tree), "set-force default:leafs"); len(fault.NameErrors(err)) != 1 {
		t.Errorf("a name that does not exist: %v", err)
	}
	var bad *fault.Error
	if _, _, err := run(t, []byte("MTSM\x00\x04"), "set-force x"); !errors.As(err, &bad) {
		t.Errorf("a file that ends early: %v", err)
	}
}

// TestOldVersion tests that a file of an old version becomes one that can store the change.
func TestOldVersion(t *testing.T) {
	text := strings.Replace(tree, "mts 4", "mts 2", 1)
	made, said, err := run(t, encoded(t, text), "set-slice-probability 1 64")
	if err != nil || !slices.Contains(said, "version 2 becomes version 4") {
		t.Fatal(said, err)
	}
	s, err := schematic.Decode(made)
	if err != nil || s.Version != 4 || s.Slices[1] != 64 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAliases(t *testing.T) {
	made, said, err := run(t, encoded(t, strings.ReplaceAll(tree, "default:tree", "default:pinetree")), "resolve-aliases")
	if err != nil || !slices.Equal(said, []string{"resolve-aliases: 2 nodes and items"}) {
		t.Fatal(said, err)
	}
	s, err := schematic.Decode(made)
	if err != nil || !slices.Contains(s.Names, "default:pine_tree") || slices.Contains(s.Names, "default:pinetree") {
		t.Errorf("%v, %v", s.Names, err)
	}
	const chest = `return {{x=0,y=0,z=0,name="default:chest",param1=0,param2=0,meta={fields={},inventory={main={"default:pinewood 3",""}}}}}`
	made, said, err = run(t, []byte("5:"+chest), "resolve-aliases")
	if err != nil || len(said) != 1 || !strings.Contains(string(made), "default:pine_wood 3") {
		t.Errorf("%q, %q, %v", said, made, err)
	}
	if n := len(namesIn(t, made)); n != 1 {
		t.Errorf("%d names", n)
	}
}

// namesIn returns the names for completion.
func namesIn(t *testing.T, data []byte) (list []string) {
	t.Helper()
	each := func(name string) { list = append(list, name) }
	if err := SchematicNames(t.Context(), nil, format.NewSource("a.we", data), "node", each); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestProbabilitiesEngine tests that a schematic gets the same bytes as when the engine makes it with the same probabilities, and that
// the engine places nodes as often as percentages state.
func TestProbabilitiesEngine(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	dir := t.TempDir()
	const setup = `
local world = minetest.get_worldpath() .. "/"
local function fill()
	for x = 0, 2 do for y = 0, 3 do for z = 0, 1 do
		minetest.set_node({x = x, y = y, z = z}, {name = x == 1 and "default:tree" or "default:leaves"})
	end end end
end
local function finish()
	io.open(world .. "done", "w"):close()
	minetest.request_shutdown()
end
`
	worldtest.Script(t, dir, setup+`
minetest.after(0, function()
	minetest.emerge_area({x = 0, y = 0, z = 0}, {x = 15, y = 15, z = 15}, function(_, _, left)
		if left > 0 then return end
		fill()
		local chances = {}
		for y = 0, 3 do for z = 0, 1 do
			for _, x in ipairs({0, 2}) do chances[#chances + 1] = {pos = {x = x, y = y, z = z}, prob = 40} end
		end end
		local low, high = {x = 0, y = 0, z = 0}, {x = 2, y = 3, z = 1}
		minetest.create_schematic(low, high, nil, world .. "plain.mts")
		minetest.create_schematic(low, high, chances, world .. "chance.mts", {{ypos = 2, prob = 100}})
		finish()
	end)
end)
`)
	plain, chance := judge.Read(t, filepath.Join(dir, "plain.mts")), judge.Read(t, filepath.Join(dir, "chance.mts"))
	made, _, err := run(t, plain, "set-probability default:leaves 40 then set-slice-probability 2 100")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, chance) {
		a, _ := schematic.Decode(made)
		b, _ := schematic.Decode(chance)
		t.Errorf("we make\n%s\nthe engine\n%s", a.Text(), b.Text())
	}
	for _, percent := range []int{0, 2, 30, 98, 100} {
		made, _, err := run(t, plain, fmt.Sprintf("set-probability default:leaves %d%%", percent))
		if err != nil {
			t.Fatal(err)
		}
		judge.Write(t, filepath.Join(dir, fmt.Sprintf("p%d.mts", percent)), made)
	}
	if err := os.Remove(filepath.Join(dir, "done")); err != nil {
		t.Fatal(err)
	}
	worldtest.Script(t, dir, setup+`
minetest.after(0, function()
	local out = io.open(world .. "counts.txt", "w")
	for _, p in ipairs({0, 2, 30, 98, 100}) do
		local n = 0
		for _ = 1, 500 do
			local vm = minetest.get_voxel_manip({x = 0, y = 0, z = 0}, {x = 15, y = 15, z = 15})
			local data = vm:get_data()
			for i in ipairs(data) do data[i] = minetest.CONTENT_AIR end
			vm:set_data(data)
			minetest.place_schematic_on_vmanip(vm, {x = 0, y = 0, z = 0}, world .. "p" .. p .. ".mts", "0", nil, true)
			local leaves = minetest.get_content_id("default:leaves")
			for _, id in ipairs(vm:get_data()) do if id == leaves then n = n + 1 end end
		end
		out:write(n .. "\n")
	end
	out:close()
	finish()
end)
`)
	var got [5]int
	if _, err := fmt.Sscan(string(judge.Read(t, filepath.Join(dir, "counts.txt"))), &got[0], &got[1], &got[2], &got[3], &got[4]); err != nil {
		t.Fatal(err)
	}
	for i, percent := range []int{0, 2, 30, 98, 100} {
		const all = 500 * 16
		want := all * percent / 100
		far := 200 // five times the standard deviation of 30%, plus the difference of a 127th
		if percent == 0 || percent == 100 {
			far = 0
		}
		if got[i] < want-far || got[i] > want+far {
			t.Errorf("%d%%: the engine placed %d of %d leaves", percent, got[i], all)
		}
	}
}
