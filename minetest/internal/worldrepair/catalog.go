package worldrepair

import "trowel.example/check"

// Catalog contains the kinds of findings of a repair: what is or would be done, and what is lost. Findings about
// damage in a block are those of package mapblock.
var Catalog check.Catalog

var (
	foundSalvaged = Catalog.Add("mt-repair-salvaged", check.Warning,
		"A damaged block is replaced by what can be read of it, or a complete block is taken from data with a wrong checksum.",
		"Look at the place in the game, or take the block from a backup.")
	foundDropped = Catalog.Add("mt-repair-dropped", check.Warning,
		"A block of which nothing can be read is deleted, and the game makes it again. Its bytes are kept: in the backup of a world that is repaired in place, in the folder lost-blocks of a repaired copy.",
		"Take the block from a backup if there is one.")
	foundNamed = Catalog.Add("mt-repair-named", check.Warning,
		"Ids without a name get one in a block, so that games since 5.15 load it.",
		"Replace the unknown nodes in the game.")
	foundLeft = Catalog.Add("mt-repair-left", check.Warning,
		"A block has a version that does not exist yet, and stays as it is.",
		"Repair with --drop-unknown if no later game has been here.")
	foundRow = Catalog.Add("mt-repair-row", check.Warning,
		"A row of the map is no block, or is of one that there is already: it stays if the world is repaired in place, and is not in a repaired copy.",
		"Nothing: no game reads it.")
	foundPages = Catalog.Add("mt-repair-pages", check.Warning,
		"A damaged database is replaced by one with what can be read of it.",
		"Take what is lost from a backup.")
	foundFile = Catalog.Add("mt-repair-file", check.Warning,
		"A damaged file is replaced by what can be read of it.",
		"Compare it with a backup.")
	foundPlayer = Catalog.Add("mt-repair-player", check.Warning,
		"The inventory of a player is replaced by what can be read of it.",
		"Give back to the player what is missing.")
	foundOrphans = Catalog.Add("mt-repair-orphans", check.Info,
		"Rows that belong to no player or account are deleted.",
		"Nothing.")
	foundKept = Catalog.Add("mt-repair-kept", check.Warning,
		"Something of a player, an account or a mod stays as it is although no game reads it so: a key that is there twice, or a date that is none.",
		"Nothing, unless what is not read matters.")
	foundHopeless = Catalog.Add("mt-repair-hopeless", check.Error,
		"Something is damaged, and cannot be repaired.",
		"Restore it from a backup.")
)
