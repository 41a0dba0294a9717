package worldrepair

import "trowel.example/check"

// Catalog contains the kinds of findings of a repair: what is or would be done, and what is lost. Findings about
// damage in a block are those of package mapblock.
var Catalog check.Catalog

var (
	foundSalvaged = Catalog.Add("mt-repair-salvaged", check.Warning,
		"A damaged block is replaced by its readable parts, or a complete block is taken from data with a wrong checksum.",
		"Check the place in the game, or restore the block from a backup.")
	foundDropped = Catalog.Add("mt-repair-dropped", check.Warning,
		"A block without any readable part is deleted, and the game regenerates it. Its bytes are kept: in the backup of "+
			"a repair in place, or in the folder lost-blocks of a repaired copy.",
		"Restore the block from a backup if there is one.")
	foundNamed = Catalog.Add("mt-repair-named", check.Warning,
		"Ids without a name get a name, so that games since 5.15 load the block.",
		"Replace the unknown nodes in the game.")
	foundLeft = Catalog.Add("mt-repair-left", check.Warning,
		"The version of a block is newer than this program supports, and the block is unchanged.",
		"Repair with --drop-unknown if no later game has opened the world.")
	foundRow = Catalog.Add("mt-repair-row", check.Warning,
		"A row of the map is not a block, or is a duplicate: a repair in place keeps it, unless the table "+
			"gets a key; a repaired copy leaves it out.",
		"Nothing to do: no game reads it.")
	foundPages = Catalog.Add("mt-repair-pages", check.Warning,
		"A damaged database is replaced by a database of its readable parts.",
		"Restore the lost data from a backup.")
	foundSchema = Catalog.Add("mt-repair-schema", check.Warning,
		"A table of a database gets the form that the engine needs: without triggers that fail, without columns that the engine does not "+
			"fill, with the key. Of rows with the same key the first stays.",
		"Compare it with the backup if another program uses the trigger or the column.")
	foundFile = Catalog.Add("mt-repair-file", check.Warning,
		"A damaged file is replaced by its readable parts.",
		"Compare it with a backup.")
	foundPlayer = Catalog.Add("mt-repair-player", check.Warning,
		"The inventory of a player is replaced by its readable parts.",
		"Give the missing items back to the player.")
	foundOrphans = Catalog.Add("mt-repair-orphans", check.Info,
		"Rows that belong to no player or account are deleted.",
		"Nothing.")
	foundKept = Catalog.Add("mt-repair-kept", check.Warning,
		"Data of a player, an account or a mod that no game reads are unchanged: a duplicate key, or an invalid date.",
		"Nothing to do, unless the unread data matter.")
	foundHopeless = Catalog.Add("mt-repair-hopeless", check.Error,
		"Data is damaged and cannot be repaired.",
		"Restore it from a backup.")
)
