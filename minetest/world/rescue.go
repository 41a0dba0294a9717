package world

import (
	"slices"

	"trowel.example/minetest/mapdb"
)

// SQLiteTables returns the statements that create the tables of a part in SQLite, in all known variants.
func (p Part) SQLiteTables() []string {
	if p == MapPart {
		return mapdb.SQLiteTables()
	}
	return slices.Clone([]tables{PlayersPart: playerTables, AuthPart: authTables, StoragePart: storageTables}[p].sqlite)
}

// CompleteRecord returns a function that reports whether a record of a part in LevelDB is complete.
func (p Part) CompleteRecord() func(key, value []byte) bool {
	switch p {
	case MapPart:
		return mapdb.CompleteRecord
	case PlayersPart:
		return playerRecords.complete
	case AuthPart:
		return accountRecords.complete
	}
	return nil
}
