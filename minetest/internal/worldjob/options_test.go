package worldjob_test

import (
	"strings"
	"testing"

	_ "trowel.example/internal/testing/tests" // an empty machine
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
)

// TestNameOptions tests that the error of a copy to a server that is not known names what the user can do.
func TestNameOptions(t *testing.T) {
	err := worldjob.NameOptions(mapdb.Config{Backend: mapdb.Postgres}.Complete(), "--map")
	if err == nil || !strings.HasSuffix(err.Error(), "(set it with --postgres, or choose another database with --map)") {
		t.Error(err)
	}
}
