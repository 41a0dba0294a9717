package worldjob

import (
	"strings"

	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// OnServer reports whether world.mt in a folder names a database server for any part of the world.
func OnServer(dir string) bool {
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		return false
	}
	for name, value := range s.All() {
		if strings.HasSuffix(name, "backend") && (value == mapdb.Postgres || value == mapdb.RedisDB) {
			return true
		}
	}
	return false
}
