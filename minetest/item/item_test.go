package item_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/minetest/item"
)

type fields = []item.MetaField

// stacks are itemstrings, the stacks that the engine reads from them, and in canon the text that the engine would
// write.
var stacks = []struct {
	text, canon string
	want        item.Stack
}{
	{"", "", item.Stack{}},
	{" 2", "", item.Stack{Count: 2}},
	{"default:dirt", "default:dirt", item.Stack{Name: "default:dirt", Count: 1}},
	{"default:dirt 99", "default:dirt 99", item.Stack{Name: "default:dirt", Count: 99}},
	{"default:dirt 1", "default:dirt", item.Stack{Name: "default:dirt", Count: 1}},
	{"default:dirt 0", "", item.Stack{Name: "default:dirt"}},
	{`"default:apple" 2`, "default:apple 2", item.Stack{Name: "default:apple", Count: 2}},
	{"default:pick_wood 21323", "default:pick_wood 21323", item.Stack{Name: "default:pick_wood", Count: 21323}},
	{"default:pick_steel 1 50112", "default:pick_steel 1 50112", item.Stack{Name: "default:pick_steel", Count: 1, Wear: 50112}},
	{"a:b 65536 -1", "", item.Stack{Name: "a:b", Wear: 65535}},
	{"a:b x", "", item.Stack{Name: "a:b"}},
	{"a:b  5", "a:b", item.Stack{Name: "a:b", Count: 1}}, // an empty count
	{"a:b 2  x", "a:b 2", item.Stack{Name: "a:b", Count: 2}},
	{`a:b 1 0 text`, `a:b 1 0 "\u0001\u0002text\u0003"`, item.Stack{Name: "a:b", Count: 1, Meta: fields{{"", "text"}}}},
	{`a:b 1 0 "\u0001k\u0002v w\u0003\u0001\u0002\u0003"`, `a:b 1 0 "\u0001k\u0002v w\u0003\u0001\u0002\u0003"`,
		item.Stack{Name: "a:b", Count: 1, Meta: fields{{"k", "v w"}, {"\x01", ""}}}},
	{"a:b 1 0 \"\x01k\x02v\" tail", `a:b 1 0 "\u0001k\u0002v\u0003"`, item.Stack{Name: "a:b", Count: 1, Meta: fields{{"k", "v"}}}},
	{`"a\"\\\/\b\f\n\r\t\u00C3\uffa9:"`, `"a\"\\/\b\f\n\r\t\u00c3\u00a9:"`, item.Stack{Name: "a\"\\/\b\f\n\r\té:", Count: 1}},
	{`"a\uxx6b:" 2`, `ak: 2`, item.Stack{Name: "ak:", Count: 2}}, // the first two digits are ignored
	{`back\slash`, `back\slash`, item.Stack{Name: `back\slash`, Count: 1}},

	{"MaterialItem 8 12", "MaterialItem 8 12", item.Stack{Legacy: "MaterialItem", ID: 8, Count: 12}},
	{"MaterialItem2 2058", "MaterialItem2 2058 0", item.Stack{Legacy: "MaterialItem2", ID: 2058}},
	{`NodeItem default:dirt 5`, `NodeItem "default:dirt" 5`, item.Stack{Legacy: "NodeItem", Name: "default:dirt", Count: 5}},
	{`node "default:dirt" 5`, `node "default:dirt" 5`, item.Stack{Legacy: "node", Name: "default:dirt", Count: 5}},
	{`CraftItem Stick`, `CraftItem "Stick" 1`, item.Stack{Legacy: "CraftItem", Name: "Stick", Count: 1}},
	{`ToolItem WPick 21323`, `ToolItem "WPick" 21323`, item.Stack{Legacy: "ToolItem", Name: "WPick", Count: 1, Wear: 21323}},
	{`ToolItem "STPick" 7`, `ToolItem "STPick" 7`, item.Stack{Legacy: "ToolItem", Name: "STPick", Count: 1, Wear: 7}},
	{`MBOItem Rat 1 2`, `MBOItem Rat 1 2`, item.Stack{Legacy: "MBOItem", Name: "Rat 1 2", Count: 1}},
}

func TestParseStack(t *testing.T) {
	for _, c := range stacks {
		s, err := item.ParseStack(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, s); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
		if s.String() != c.text {
			t.Errorf("%q became %q", c.text, s)
		}
		if got := c.want.String(); got != c.canon {
			t.Errorf("%q is written again as %q, want %q", c.text, got, c.canon)
		}
		// A change invalidates the text; undoing the change makes the text valid again.
		was := s
		s.Name, s.Count, s.ID = "new:"+s.Name, s.Count+3, s.ID+1
		if s.String() == c.text {
			t.Errorf("%q stays when the stack changes", c.text)
		}
		if s.Name, s.Count, s.ID = was.Name, was.Count, was.ID; s.String() != c.text {
			t.Errorf("%q does not come back", c.text)
		}
	}
}

var refused = map[string]string{
	`"a:b"2`:         `name at offset 5: expected a space or the end, found "2"`,
	`"a:b`:           `name at offset 0: expected a string in quotes, found no closing quote`,
	`"a:b\"`:         `name at offset 0: expected a string in quotes, found no closing quote`,
	`a:b 1 0 "\u01"`: `metadata at offset 8: expected a string in quotes, found an escape beyond its end`,
	`"\uffa\\"`:      `name at offset 0: expected a string in quotes, found an escape beyond its end`,
}

func TestParseStackRefuses(t *testing.T) {
	for text, want := range refused {
		s, err := item.ParseStack(text)
		var e *fault.Error
		if !errors.As(err, &e) || err.Error() != want || !s.Equal(item.Stack{}) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestMigrateLegacy(t *testing.T) {
	names := func(id uint16) (string, bool) {
		name, ok := map[uint16]string{0: "default:stone", 0x80a: "default:cobble", 0x805: "default:dirt", 0x814: "bookshelf"}[id]
		return name, ok
	}
	for text, want := range map[string]string{
		"MaterialItem 8 12":    "default:dirt 12",
		"MaterialItem 29 1":    "default:bookshelf",
		"MaterialItem2 8 12":   "unknown_block 12",
		"MaterialItem2 2058 2": "default:cobble 2",
		"MaterialItem 0 0":     "",
		"CraftItem Stick 3":    "default:stick 3",
		`ToolItem "STPick" 7`:  "default:pick_stone 1 7",
		"tool SteelSword":      "default:sword_steel",
		`node "default:dirt"`:  "default:dirt",
		"WShovel 1 9":          "default:shovel_wood 1 9",
		"default:dirt  odd":    "default:dirt  odd", // nothing to do
	} {
		s, err := item.ParseStack(text)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = s.MigrateLegacy(names); err != nil || s.String() != want {
			t.Errorf("%q became %q, %v, want %q", text, s, err, want)
		}
	}
	for _, text := range []string{"MBOItem Rat", "MaterialItem2 4096 1"} {
		s, _ := item.ParseStack(text)
		if got, err := s.MigrateLegacy(names); err == nil || got.String() != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}

const player = "List main 4\nWidth 0\nItem default:dirt 99\nEmpty\nItem default:pick_steel 1 50112\nEmpty\nEndInventoryList\n" +
	"List craft 2\nWidth 3\nEmpty\nEndInventoryList\nEndInventory\n"

func TestParseInventory(t *testing.T) {
	inv, n, err := item.ParseInventory([]byte(player + "tail"))
	if err != nil || n != len(player) {
		t.Fatal(n, err)
	}
	want := &item.Inventory{Lists: []item.List{
		{Name: "main", Size: 4, Items: []item.Slot{
			{Stack: item.Stack{Name: "default:dirt", Count: 99}}, {},
			{Stack: item.Stack{Name: "default:pick_steel", Count: 1, Wear: 50112}}, {},
		}},
		{Name: "craft", Size: 2, Width: 3, Items: []item.Slot{{}}},
	}}
	if diff := cmp.Diff(want, inv); diff != "" {
		t.Error(diff)
	}
	if got := string(want.Append(nil)); got != player {
		t.Errorf("written again:\n%s", got)
	}
	if inv.List("craft") != &inv.Lists[1] || inv.List("none") != nil {
		t.Error("List finds the wrong list")
	}
}

// TestInventoryKeepsText tests that texts that current programs do not write round-trip unchanged until they are
// edited.
func TestInventoryKeepsText(t *testing.T) {
	for _, text := range []string{
		"EndInventory\n",
		"EndInventory",
		"EndInventory x\n",
		"end\n",
		"List 0 32\nItem MaterialItem2 2058 10\nItem CraftItem Stick 3\nEmpty\nend\nend\n", // a chest of 2011
		"KeepList main\nList a 2\nKeep\nEmpty\nEndInventoryList\nEndInventory\n",
		"List main 2\nComment\n\nItem \nItem a:b 1 0\nWidth 7\nEndInventoryList x\nEndInventory\n",
		"List  07\nWidth 03\nEndInventoryList\nEndInventory\n",
	} {
		inv, n, err := item.ParseInventory([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if n != len(text) || string(inv.Append(nil)) != text {
			t.Errorf("%q became %q (%d)", text, inv.Append(nil), n)
		}
		inv.Lists = append(inv.Lists, item.List{Name: "new", NoWidth: true})
		if got := string(inv.Append(nil)); !strings.HasSuffix(got, "List new 0\nEndInventoryList\nEndInventory\n") {
			t.Errorf("%q with a list more is %q", text, got)
		}
	}
}

func TestParseInventoryRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":              `inventory at offset 0: expected a line "EndInventory", found the end of the text`,
		"List main 2\n": `lists[0] at offset 12: expected a line "EndInventoryList", found the end of the text`,
		"List main x\n": `lists[0].size at offset 10: expected a number of at most 32 bits, found "x"`,
		"List main\n":   `lists[0].size at offset 9: expected a number of at most 32 bits, found ""`,
		"List m 4294967296\nEndInventoryList\nEndInventory\n": `lists[0].size at offset 7: expected a number of at most ` +
			`32 bits, found "4294967296"`,
		"Lisp\n":                            `lists[0] at offset 0: expected a list or the end of the inventory, found "Lisp"`,
		"List m 1\nEmpty\nKeep\n":           `lists[0].items[1] at offset 15: expected the end of the list, found more items than its size`,
		"List m 1\nWidth -1\n":              `lists[0].width at offset 15: expected a number of at most 32 bits, found "-1"`,
		"List m 1\nItem \"a\n":              `lists[0].items[0].name at offset 14: expected a string in quotes, found no closing quote`,
		"List m 1\nItem a 1 0 \"b\nEmpty\n": `lists[0].items[0].metadata at offset 20: expected a string in quotes, found no closing quote`,
	} {
		inv, n, err := item.ParseInventory([]byte(text))
		if err == nil || err.Error() != want || inv != nil || n != 0 {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestSalvageInventory(t *testing.T) {
	const text = "junk\nList main 3\nWidth x\nItem \"a\nItem a:b 2\nEmpty\nItem c:d\nEndInventoryList\nList cut 2\nItem e:f\n"
	inv, err := item.SalvageInventory([]byte(text))
	want := &item.Inventory{Lists: []item.List{
		{Name: "main", Size: 3, Items: []item.Slot{{}, {Stack: item.Stack{Name: "a:b", Count: 2}}, {}}},
		{Name: "cut", Size: 2, NoWidth: true, Items: []item.Slot{{Stack: item.Stack{Name: "e:f", Count: 1}}}},
	}}
	if diff := cmp.Diff(want, inv); diff != "" || err == nil || !strings.HasPrefix(err.Error(), "lists[0] at offset 0: ") {
		t.Error(diff, err)
	}
	if inv, err := item.SalvageInventory([]byte(player)); err != nil || string(inv.Append(nil)) != player {
		t.Errorf("what is not damaged became %q, %v", inv.Append(nil), err)
	}
}

// TestInventorySize tests that a large size does not allocate memory.
func TestInventorySize(t *testing.T) {
	text := []byte("List m 4294967295\nEndInventoryList\nEndInventory\n")
	if n := testing.AllocsPerRun(10, func() {
		if _, _, err := item.ParseInventory(text); err != nil {
			t.Fatal(err)
		}
	}); n > 20 {
		t.Errorf("%v allocations", n)
	}
}

func TestCheck(t *testing.T) {
	text := "List main 12\n" + strings.Join([]string{
		"Empty", "Item default:dirt 5", "Item Stick", "Item air",
		"Item ToolItem WPick 3", "Item MBOItem Rat", "Item a:b 70000", "Item a:b 1 x", "Item a:b:c",
		`Item a:b 1 0 "\u0001k\u0002v\u0003k\u0002w\u0003"`, "Item a:b 1 0 old",
	}, "\n") + "\nEndInventoryList\nList main 0\nEndInventoryList\n" +
		"List huge 4000000000\nEndInventoryList\nEndInventory\n"
	inv, _, err := item.ParseInventory([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range check.Collect(func(sink check.Sink) { inv.Check(sink.In("node")) }) {
		got = append(got, f.Path+" "+f.ID)
	}
	want := []string{
		"node.lists[0] mt-item-list-short",
		"node.lists[0].items[4] mt-item-legacy",
		"node.lists[0].items[5] mt-item-dead",
		"node.lists[0].items[6] mt-item-number",
		"node.lists[0].items[7] mt-item-number",
		"node.lists[0].items[8] mt-item-name",
		"node.lists[0].items[9] mt-item-metadata",
		"node.lists[0].items[10] mt-item-form",
		"node.lists[1] mt-item-list-twice",
		"node.lists[2] mt-item-list-huge",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseStack(f *testing.F) {
	for _, c := range stacks {
		f.Add(c.text)
	}
	f.Add(`"\uffa\\"`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := item.ParseStack(text)
		if err != nil {
			return
		}
		if s.String() != text {
			t.Fatalf("%q became %q", text, s)
		}
		// The encoded stack has the same content, unless it is an empty slot.
		fresh := item.Stack{Name: s.Name, Count: s.Count, Wear: s.Wear, Meta: s.Meta, Legacy: s.Legacy, ID: s.ID}
		again, err := item.ParseStack(fresh.String())
		if err != nil {
			t.Fatalf("%q written again as %q: %v", text, fresh, err)
		}
		if s.Empty() != again.Empty() && fresh.String() != "" {
			t.Fatalf("%q written again as %q is no longer empty, or no longer full", text, fresh)
		}
		if !s.Empty() && s.Legacy == "" && separable(s.Meta) && !again.Equal(s) {
			t.Fatalf("%q written again as %q: %s", text, fresh, cmp.Diff(s, again))
		}
		s.Check(func(check.Finding) {})
		s.MigrateLegacy(func(uint16) (string, bool) { return "a:b", true })
	})
}

// separable reports whether no key or value contains separators.
func separable(meta []item.MetaField) bool {
	for _, f := range meta {
		if strings.ContainsAny(f.Key, "\x02") || strings.ContainsAny(f.Value, "\x03") {
			return false
		}
	}
	return true
}

func FuzzParseInventory(f *testing.F) {
	f.Add([]byte(player))
	f.Add([]byte("List 0 32\nItem MaterialItem2 2058 10\nKeep\nend\nKeepList x\nend\ntail"))
	f.Fuzz(func(t *testing.T, text []byte) {
		inv, n, err := item.ParseInventory(text)
		saved, damage := item.SalvageInventory(text)
		if (err == nil) != (damage == nil) || err == nil && !saved.Equal(inv) {
			t.Fatalf("%q: read with %v, saved with %v", text, err, damage)
		}
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(text)) {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		if n > len(text) || string(inv.Append(nil)) != string(text[:n]) {
			t.Fatalf("%q became %q", text[:n], inv.Append(nil))
		}
		again, m, err := item.ParseInventory((&item.Inventory{Lists: inv.Lists}).Append(nil))
		if err != nil || m == 0 || len(again.Lists) != len(inv.Lists) {
			t.Fatalf("%q written again: %v", text[:n], err)
		}
		inv.Check(func(check.Finding) {})
	})
}

func BenchmarkParseInventory(b *testing.B) {
	b.SetBytes(int64(len(player)))
	b.ReportAllocs()
	text := []byte(player)
	for b.Loop() {
		if _, _, err := item.ParseInventory(text); err != nil {
			b.Fatal(err)
		}
	}
}
