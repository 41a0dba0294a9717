package mapblock

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/testing/tests"
)

var writable = []int{17, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29}

func TestWritable(t *testing.T) {
	for version := -1; version <= 31; version++ {
		_, _, err := sample(29).Convert(version, ConvertOptions{Drop: true})
		if want := slices.Contains(writable, version); Writable(version) != want || (err == nil) != want {
			t.Errorf("version %d: %v, %v", version, Writable(version), err)
		}
	}
}

// convert converts a block, then encodes and decodes the result.
func convert(t *testing.T, b *Block, version int, drop bool) *Block {
	t.Helper()
	to, losses, err := b.Convert(version, ConvertOptions{Drop: drop})
	if err != nil {
		t.Fatalf("%d to %d: %v %v", b.Version, version, err, losses)
	}
	data, err := to.Encode()
	if err != nil {
		t.Fatalf("%d to %d: %v", b.Version, version, err)
	}
	again, err := Decode(data)
	if err != nil {
		t.Fatalf("%d to %d: %v", b.Version, version, err)
	}
	if !bytes.Equal(content(to), content(again)) {
		t.Fatalf("%d to %d: written is another block", b.Version, version)
	}
	return again
}

// story describes the content of a block independently of its version.
func story(b *Block) string {
	var s strings.Builder
	n := b.Nodes()
	for i := range NodeCount {
		fmt.Fprintln(&s, n.At(i), n.Param1[i], n.Param2[i])
	}
	for _, e := range b.Metadata.List {
		if e.Legacy != nil {
			vars, inventory, err := e.Legacy.modern(newForms)
			if err != nil {
				panic(err)
			}
			e = NodeMeta{Pos: e.Pos, Vars: vars, Inventory: inventory}
		}
		vars := make(map[string]string)
		for _, v := range e.Vars {
			vars[v.Key] = strings.ReplaceAll(v.Value, "invsize[8,9;]", "size[8,9]")
			if v.Value == oldForms.sign {
				vars[v.Key] = newForms.sign
			}
		}
		fmt.Fprintf(&s, "%d %q %q\n", e.Pos, vars, strings.ReplaceAll(string(e.Inventory), "Width 0\n", ""))
	}
	fmt.Fprintln(&s, b.Timestamp, b.IsGenerated(), b.IsUnderground())
	return s.String()
}

// TestConvertUpAndBack tests that converting to a newer version loses nothing, and that converting back loses
// nothing.
func TestConvertUpAndBack(t *testing.T) {
	for version := range Newest + 1 {
		for _, to := range writable {
			if to <= version {
				continue
			}
			b := sample(version)
			up := convert(t, b, to, false)
			if story(up) != story(b) {
				t.Errorf("%d to %d: another block", version, to)
			}
			findings := check.Collect(up.Check)
			for _, f := range findings {
				if f.ID != "mt-block-object-type" && f.ID != "mt-block-misread" {
					t.Errorf("%d to %d: %v", version, to, f)
				}
			}
			if !Writable(version) {
				continue
			}
			down := convert(t, up, version, false)
			if story(down) != story(b) {
				t.Errorf("%d to %d and back: another block", version, to)
			}
			if version >= 24 && !bytes.Equal(content(down), content(b)) {
				t.Errorf("%d to %d and back: other bytes", version, to)
			}
		}
	}
}

func TestConvertLegacyMetadata(t *testing.T) {
	b := sample(20)
	up := convert(t, b, 29, false)
	type meta struct {
		vars map[string]string
		inv  string
	}
	chest := "List %s 2\nWidth 0\nItem default:dirt 5\nEmpty\nEndInventoryList\nEndInventory\n"
	for i, want := range []meta{
		{map[string]string{"text": "hello", "infotext": `"hello"`, "formspec": newForms.sign}, "EndInventory\n"},
		{map[string]string{"formspec": newForms.chest}, fmt.Sprintf(chest, "main")},
		{map[string]string{"fuel_totaltime": "40", "fuel_time": "1.5", "src_time": "0.3", "formspec": newForms.furnace},
			fmt.Sprintf(chest, "fuel")},
		{map[string]string{"owner": "celeron55", "formspec": newForms.chest}, fmt.Sprintf(chest, "main")},
	} {
		e := up.Metadata.List[i]
		got := make(map[string]string)
		for _, v := range e.Vars {
			got[v.Key] = v.Value
		}
		if !maps.Equal(got, want.vars) || string(e.Inventory) != want.inv {
			t.Errorf("%d: %q %q, want %q", i, got, e.Inventory, want)
		}
	}
	if want := []Timer{{Pos: b.Metadata.List[2].Pos, Timeout: 1000}}; !slices.Equal(up.Timers.List, want) {
		t.Errorf("timers %v, want %v", up.Timers.List, want)
	}
	if old := convert(t, sample(21), 23, false); old.Metadata.List[0].Var("formspec") != oldForms.sign ||
		old.Metadata.List[4].Var("owner") != "o" {
		t.Errorf("%+v", old.Metadata.List)
	}
}

// TestConvertLosses tests that converting to an older version fails and names the data that does not fit, and that
// drop removes only that data.
func TestConvertLosses(t *testing.T) {
	add := func(version int, change func(b *Block)) *Block {
		b := New(version)
		change(b)
		return b
	}
	named := func(b *Block, i int, name string, p1, p2 uint8) {
		b.Param0[i], b.Param1[i], b.Param2[i] = b.idFor(name), p1, p2
	}
	meta := func(vars ...Var) Metadata {
		return Metadata{Version: 2, List: []NodeMeta{{Pos: 5, Vars: vars, Inventory: emptyInventory}}}
	}
	entity := func(version2 uint8) Objects {
		data, err := LuaEntity{Version: 1, Name: "a", Version2: version2}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return Objects{List: []Object{{Type: ObjectLuaEntity, Data: data}}}
	}
	for _, c := range []struct {
		name string
		b    *Block
		to   int
		ids  []string
	}{
		{"air", New(29), 17, nil},
		{"name without an id", add(29, func(b *Block) { named(b, 0, "mod:x", 0, 0) }), 20, []string{"mt-convert-name"}},
		{"name", add(29, func(b *Block) { named(b, 0, "mod:x", 0, 0xff) }), 21, nil},
		{"name that 19 lacks", add(29, func(b *Block) { named(b, 0, "default:apple", 0, 0) }), 17, []string{"mt-convert-name"}},
		{"name that 20 has", add(29, func(b *Block) { named(b, 0, "default:apple", 0, 0xf) }), 20, nil},
		{"param2 too large", add(29, func(b *Block) { named(b, 0, "default:dirt", 0, 0x10) }), 20, []string{"mt-convert-param"}},
		{"param2 not too large", add(29, func(b *Block) { named(b, 0, "default:dirt", 0, 0x10) }), 17, nil},
		{"coal", add(29, func(b *Block) { named(b, 0, nameCoal, 0, 0) }), 17, nil},
		{"stone with light", add(29, func(b *Block) { named(b, 0, nameStone, 1, 0) }), 21, []string{"mt-convert-param"}},
		{"stone with light in 22", add(29, func(b *Block) { named(b, 0, nameStone, 1, 0) }), 22, nil},
		{"coloured torch", add(29, func(b *Block) { named(b, 0, "default:torch", 0, 9) }), 21, []string{"mt-convert-param"}},
		{"lit chest", add(29, func(b *Block) { named(b, 0, "default:chest", 15, 2) }), 21, []string{"mt-convert-param"}},
		{"private", add(29, func(b *Block) { b.Metadata = meta(Var{"k", "v", 1}) }), 27, []string{"mt-convert-private"}},
		{"private in 28", add(29, func(b *Block) { b.Metadata = meta(Var{"k", "v", 1}) }), 28, nil},
		{"variables in 22", add(29, func(b *Block) { b.Metadata = meta(Var{"k", "v", 0}) }), 22, nil},
		{"variables in 20", add(29, func(b *Block) { b.Metadata = meta(Var{"k", "v", 0}) }), 20, []string{"mt-convert-meta"}},
		{"chest with more", add(29, func(b *Block) {
			named(b, 5, "default:chest", 0, 0)
			b.Metadata = meta(Var{"k", "v", 0})
		}), 20, []string{"mt-convert-meta"}},
		{"long variable", add(29, func(b *Block) { b.Metadata = meta(Var{"k", strings.Repeat("v", 70000), 0}) }), 22,
			[]string{"mt-convert-meta"}},
		{"timer", add(29, func(b *Block) { b.Timers.List = []Timer{{Pos: 1, Timeout: 5}} }), 23, []string{"mt-convert-timer"}},
		{"timer in 24", add(29, func(b *Block) { b.Timers.List = []Timer{{Pos: 1, Timeout: 5}} }), 24, nil},
		{"lighting", add(29, func(b *Block) { b.LightingComplete = 0xf000 }), 26, []string{"mt-convert-lighting"}},
		{"lighting in 27", add(29, func(b *Block) { b.LightingComplete = 0xf000 }), 27, nil},
		{"not generated", add(29, func(b *Block) { b.Flags = NotGenerated }), 17, []string{"mt-convert-flag"}},
		{"not generated in 20", add(29, func(b *Block) { b.Flags = NotGenerated }), 20, nil},
		{"entity with guid", add(29, func(b *Block) { b.Objects = entity(2) }), 28, []string{"mt-convert-object"}},
		{"entity with pitch", add(29, func(b *Block) { b.Objects = entity(1) }), 28, nil},
		{"entity with pitch in 27", add(29, func(b *Block) { b.Objects = entity(1) }), 27, []string{"mt-convert-object"}},
		{"entity", add(29, func(b *Block) { b.Objects = entity(0) }), 21, nil},
		{"entity in 20", add(29, func(b *Block) { b.Objects = entity(0) }), 20, []string{"mt-convert-object"}},
		{"inner bytes", add(29, func(b *Block) { b.Inner = []byte("x") }), 28, []string{"mt-convert-rest"}},
		{"old objects", add(20, func(b *Block) { b.MapBlockObjects, b.Trailing = 1, []byte("x") }), 29, []string{"mt-convert-rest"}},
		{"unread metadata", add(25, func(b *Block) { b.Metadata = Metadata{Version: 1, Missing: 1, Rest: []byte("x")} }), 29,
			[]string{"mt-convert-meta"}},
		{"unread metadata in 24", add(25, func(b *Block) { b.Metadata = Metadata{Version: 1, Missing: 1, Rest: []byte("x")} }), 24, nil},
		{"unknown metadata", add(20, func(b *Block) {
			b.Metadata = Metadata{Version: 1, List: []NodeMeta{{Pos: 5, Legacy: &LegacyMeta{ID: 99}}}}
		}), 29, []string{"mt-convert-meta"}},
	} {
		b, losses, err := c.b.Convert(c.to, ConvertOptions{})
		var ids []string
		for _, f := range losses {
			ids = append(ids, f.ID)
		}
		var e *fault.Error
		if lost := c.ids != nil; !slices.Equal(ids, c.ids) || errors.Is(err, ErrLoss) != lost || errors.As(err, &e) != lost ||
			(b == nil) != lost {
			t.Errorf("%s: %v, %v, want %v", c.name, losses, err, c.ids)
			continue
		}
		dropped := convert(t, c.b, c.to, true)
		if _, losses, err := dropped.Convert(29, ConvertOptions{Drop: true}); err != nil {
			t.Errorf("%s: what is left does not convert up: %v %v", c.name, err, losses)
		}
	}
}

// TestNarrowIDs tests converting 200 names to versions whose ids from 128 on leave only half of param2: nodes that
// need all of param2 get lower ids.
func TestNarrowIDs(t *testing.T) {
	b := New(29)
	for i := range 200 {
		b.Param0[i] = b.idFor(fmt.Sprintf("mod:n%d", i))
		b.Param2[i] = uint8(i % 16)
		if i >= 150 {
			b.Param2[i] = 0xff
		}
	}
	for _, version := range []int{21, 22, 23} {
		if down := convert(t, b, version, false); story(down) != story(b) {
			t.Errorf("version %d: another block", version)
		}
	}
	for i := range 200 {
		b.Param2[i] = 0xf0
	}
	// The surrounding air needs no param2, so all 128 low ids go to these nodes.
	if _, losses, err := b.Convert(23, ConvertOptions{}); len(losses) != 200-0x80 || err == nil {
		t.Errorf("%d losses, %v", len(losses), err)
	}
}

// TestOldestWorld tests that the oldest real world, whose air current engines cannot read, contains a landscape after
// conversion.
func TestOldestWorld(t *testing.T) {
	w := sectorsWorld(t, tests.Corpus(t, "minetest"), "generated/v17-sectors2/sectors2")
	for _, to := range []int{25, 29} {
		counts := make(map[string]int)
		for _, p := range w.sorted() {
			b, err := Decode(w.blocks[p])
			if err != nil {
				t.Fatal(err)
			}
			n := convert(t, b, to, false).Nodes()
			for i, count := range n.Counts() {
				counts[n.Names[i]] += count
			}
		}
		t.Logf("version %d: %v", to, counts)
		total := len(w.blocks) * NodeCount
		for name, least := range map[string]int{"air": total / 20, "default:stone": total / 20,
			"default:water_source": total / 1000, "default:dirt": total / 1000} {
			if counts[name] < least {
				t.Errorf("version %d: %d of %d nodes are %s", to, counts[name], total, name)
			}
		}
		for name := range counts {
			if strings.HasPrefix(name, "unknown") {
				t.Errorf("version %d: %d nodes are %s", to, counts[name], name)
			}
		}
	}
}

// TestInventoryWithoutLineFeed tests that the last line of an inventory, which has no line feed at the end of a stream, gets one
// before other data.
func TestInventoryWithoutLineFeed(t *testing.T) {
	b := new(Block)
	b.Version, b.ContentWidth, b.ParamsWidth, b.Names = 26, 2, 2, []NameID{{0, "air"}}
	b.Metadata.List = []NodeMeta{{Pos: 7, Inventory: []byte("EndInventory")}}
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if b, err = Decode(data); err != nil || string(b.Metadata.List[0].Inventory) != "EndInventory" {
		t.Fatal(b, err)
	}
	to, _, err := b.Convert(29, ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.Metadata.List = append(b.Metadata.List, NodeMeta{Pos: 9, Inventory: emptyInventory})
	for _, b := range []*Block{to, b} {
		data, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(data)
		if err != nil || len(again.Metadata.List) != len(b.Metadata.List) || string(again.Metadata.List[0].Inventory) != "EndInventory\n" {
			t.Errorf("version %d: %v, %v", b.Version, again, err)
		}
	}
}
