package nbt_test

import (
	"errors"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/nbt"
)

// TestEffort tests that the tags of a small file have a budget.
func TestEffort(t *testing.T) {
	n := int(effort.MinecraftTags.Least) + 5000
	data := tag(nbt.Compound, "Schematic", tag(nbt.List, "things", byte(nbt.Compound), int32(n), make([]byte, n)), byte(0))
	if _, err := nbt.Parse(data, 100); !errors.Is(err, effort.ErrMet) {
		t.Error(err)
	}
}
