package schematic_test

import (
	"errors"
	"strings"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/schematic"
)

// TestEffort tests the budgets of nodes of small files, and of the text that they become.
func TestEffort(t *testing.T) {
	for name, data := range map[string]string{
		"mts": "MTSM\x00\x04\x01\x00\x01\x01\x01\x02" + strings.Repeat("\x7f", 0x101) + "\x00\x00",
		"we":  `5:return {{x=0,y=0,z=0,name="a"},{x=300,y=300,z=300,name="a"}}`,
	} {
		_, err := schematic.Decode([]byte(data))
		if !errors.Is(err, effort.ErrMet) || !strings.HasPrefix(err.Error(), "size") || !strings.Contains(err.Error(), "expected at most 16,7") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, form := range []schematic.Form{schematic.WorldEdit, schematic.Lua} {
		s, err := schematic.New(form, [3]int{10, 10, 100})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Prob {
			s.Prob[i] = schematic.Always
		}
		s.Names[0] = strings.Repeat("a", 60000)
		_, err = s.Encode()
		if !errors.Is(err, effort.ErrMet) || !strings.HasPrefix(err.Error(), "nodes: expected at most 536,870,912 bytes") {
			t.Errorf("%s: %v", form, err)
		}
	}
}
