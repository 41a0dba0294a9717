//go:build !js

package worlddir

import (
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// temporary returns the backend of a part of a temporary world.
func temporary(part world.Part, backend string) string {
	if part.Remote(backend) {
		return mapdb.SQLite
	}
	return backend
}
