package main

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

func TestFamilies(t *testing.T) {
	names := map[string]bool{}
	for _, name := range []string{"LEVEL1", "level16", "IMAGE0", "IMAGE290", "ONE1", "PAD01", "PAD02", "X1B", "X10B",
		"1", "2", "12345A", "12346A", "A:1", "/A"} {
		add(names, name)
	}
	want := []family{{"IMAGE", "", 0, 1000}, {"LEVEL", "", 1, 100}, {"X", "B", 1, 100}}
	if got := families(names); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if names["A:1"] || names["/A"] {
		t.Error("a name that no text can have")
	}
}

func TestJSON(t *testing.T) {
	var value any
	if err := json.Unmarshal([]byte(`{"1": {"name": "Light>FX", "props": `+
		`{"2": {"name": "At", "type": "VECTOR3"}, "3": {"name": "Far", "type": "FLOAT"}}}, "A-TAG": 7}`), &value); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	addJSON(names, value)
	got := slices.SortedFunc(maps.Keys(names), better)
	if want := []string{"ATX", "ATY", "ATZ", "FAR", "LIGHT", "A-TAG"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
