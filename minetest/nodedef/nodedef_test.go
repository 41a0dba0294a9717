package nodedef_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/minetest/nodedef"
)

const sample = `{"format": "trowel-nodes", "version": 1, "nodes": [
	{"name": "default:stone", "tiles": ["default_stone.png"], "drawtype": "normal", "walkable": true},
	{"name": "wool:any", "tiles": ["wool_white.png^[noalpha"], "palette": "p.png", "paramtype2": "color", "light_source": 3, "extra": 1}]}`

func TestParse(t *testing.T) {
	list, err := nodedef.Parse(strings.NewReader(sample))
	if err != nil || len(list) != 2 || list["wool:any"].Palette != "p.png" || list["wool:any"].LightSource != 3 ||
		!list["default:stone"].Walkable {
		t.Errorf("%v, %v", list, err)
	}
	for _, text := range []string{
		"", "[]", "null", "{}", sample[:len(sample)-5], `{"format": "trowel-nodes", "version": 2}`,
		`{"format": "trowel-nodes", "version": 1, "nodes": [{"name": 5}]}`,
	} {
		var f *fault.Error
		if _, err := nodedef.Parse(strings.NewReader(text)); !errors.As(err, &f) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, text string) {
		if list, err := nodedef.Parse(strings.NewReader(text)); (list == nil) != (err != nil) {
			t.Errorf("%v, %v", list, err)
		}
	})
}

func ExampleParse() {
	list, err := nodedef.Parse(strings.NewReader(`{"format": "trowel-nodes", "version": 1, "nodes": [
		{"name": "default:lamp", "tiles": ["default_lamp.png"], "light_source": 14}]}`))
	fmt.Println(list["default:lamp"].LightSource, err)
	// Output: 14 <nil>
}

func ExampleMinetestGame() {
	n := nodedef.MinetestGame()["default:torch_wall"]
	fmt.Println(n.ParamType2, n.LightSource)
	// Output: wallmounted 12
}

// TestParseOfAnotherType tests that errors name JSON types, not Go types.
func TestParseOfAnotherType(t *testing.T) {
	for text, want := range map[string]string{`[]`: "expected an object", `{"nodes": {}}`: "expected an array",
		`{"nodes": [1]}`: "expected an object"} {
		if _, err := nodedef.Parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "struct") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
