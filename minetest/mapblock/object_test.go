package mapblock

import (
	"strings"
	"testing"
)

// TestDropped tests that the itemstring of a dropped item is read and replaced in all forms of its object.
func TestDropped(t *testing.T) {
	entity := func(name, data string) Object {
		data2, err := LuaEntity{Version: 1, Name: name, StaticData: data, HP: 1}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return Object{Type: ObjectLuaEntity, Data: data2}
	}
	old, err := Item{Stack: "default:dirt 5"}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	const table = `return {["age"] = 3, ["itemstring"] = "a:b 1 0 \"\\\\1x\\` + "\n" + `y\\116\"", ["x"] = "itemstring"}`
	for name, c := range map[string]struct {
		object Object
		want   string
	}{
		"2011":   {Object{Type: ObjectItem, Data: old}, "default:dirt 5"},
		"text":   {entity(DroppedItem, "default:dirt 5"), "default:dirt 5"},
		"table":  {entity(DroppedItem, strings.ReplaceAll(table, `\\`, `\`)), "a:b 1 0 \"\\1x\nyt\""},
		"other":  {entity("mobs:cow", `return {["itemstring"] = "a:b"}`), ""},
		"broken": {Object{Type: ObjectLuaEntity, Data: []byte{1}}, ""},
	} {
		stack, ok := c.object.Dropped()
		if stack != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v", name, stack, ok)
		}
		const next = "x:y 2 0 \"a\\\"\n\r\x00\""
		if err := c.object.SetDropped(next); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		} else if stack, _ := c.object.Dropped(); ok && stack != next {
			t.Errorf("%s: %q after the change", name, stack)
		}
	}
}
