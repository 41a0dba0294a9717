package world

import (
	"slices"

	"trowel.example/minetest/mapdb"
)

// SQLiteTables returns the statements that make the tables of a part in SQLite, in each of
// the shapes that they can have.
func (p Part) SQLiteTables() []string {
	if p == MapPart {
		return mapdb.SQLiteTables()
	}
	return slices.Clone([]tables{PlayersPart: playerTables, AuthPart: authTables, StoragePart: storageTables}[p].sqlite)
}
