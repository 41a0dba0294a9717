package worlddir

import (
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

func temporary(part world.Part, _ string) string {
	if part == world.MapPart {
		return mapdb.LevelDB
	}
	return world.Files
}
