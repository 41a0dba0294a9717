package world

import "slices"

// SQLiteTables returns the statements that make the tables of the files of SQLite in
// which a world keeps something else than blocks, by the names of the files.
func SQLiteTables() map[string][]string {
	return map[string][]string{
		"players.sqlite":     slices.Clone(playerTables.sqlite),
		"auth.sqlite":        slices.Clone(authTables.sqlite),
		"mod_storage.sqlite": slices.Clone(storageTables.sqlite),
	}
}
