package worldcopy

import (
	"slices"

	"trowel.example/check"
)

// Catalog contains the kinds of findings of a copy. Those of a conversion are in package mapblock.
var Catalog check.Catalog

// Losses returns the kinds of [Catalog] about data that is missing in the copy although the options did not ask to
// leave it out.
func Losses() []*check.Kind {
	return []*check.Kind{foundRow, foundPages, foundTwice, foundLost, foundText, foundBroken, foundDiffers, foundOrphans,
		foundDates, FoundLink, foundName, foundEarlier}
}

// isDamage reports whether a finding is about data that should be in the copy but cannot be read. These are the kinds
// of Losses without data that is never copied or that a server changed during the copy.
func isDamage(f check.Finding) bool {
	kinds := []*check.Kind{foundRow, foundPages, foundTwice, foundLost, foundText, foundBroken, check.Limit}
	return slices.ContainsFunc(kinds, func(k *check.Kind) bool { return k.ID == f.ID })
}

// Unrepaired returns the kinds of [Catalog] that a repair of the copied world does not report.
func Unrepaired() []*check.Kind {
	return []*check.Kind{foundLost, foundDiffers, foundNamed, foundDates, foundInWay, foundOdd, FoundLink, foundName, foundShared}
}

var (
	foundRow = Catalog.Add("mt-copy-row", check.Warning,
		"A row of the database is not a block, and is left out.",
		"Nothing to do: if the row was a block, the game regenerates it.")
	foundPages = Catalog.Add("mt-copy-pages", check.Error,
		"Parts of a database are damaged, and their content is not in the copy.",
		"Restore it from a backup.")
	foundSalvaged = Catalog.Add("mt-copy-salvaged", check.Warning,
		"A block was in data of a LevelDB database with a wrong checksum. The block can be decoded completely, and is in the copy.",
		"Compare the block with a backup.")
	foundTwice = Catalog.Add("mt-copy-twice", check.Warning,
		"Two rows of the database contain the same block, and the second is left out.",
		"Check that the block is right.")
	foundDamaged = Catalog.Add("mt-copy-damaged", check.Warning,
		"A block cannot be read, and is unchanged, or left out with --drop.",
		"Repair the world first, or restore the block from a backup.")
	foundKept = Catalog.Add("mt-copy-kept", check.Warning,
		"A block has data that the version cannot store, and is unchanged.",
		"Choose a later version, or convert with --drop.")
	foundLost = Catalog.Add("mt-copy-lost", check.Error,
		"A player, an account or the storage of a mod cannot be read, or the other backend cannot store it: it is not in the copy.",
		"Correct it in the original world, or keep the backend.")
	foundText = Catalog.Add("mt-copy-text", check.Error,
		"A file that the engine reads completely is too large or not a regular file, such as a pipe: it is left out.",
		"Restore the file from a backup.")
	foundOrphans = Catalog.Add("mt-copy-orphans", check.Warning,
		"Rows that belong to no player or account are not in the copy.",
		"Nothing to do: no game reads them.")
	foundNamed = Catalog.Add("mt-copy-player-file", check.Warning,
		"The engine does not find a file of a player, because it has another name. In the copy, the player has its own name.",
		"Check that the player should be in the world.")
	foundDates = Catalog.Add("mt-copy-dates", check.Warning,
		"The times when players were created and last saved are not in the copy: its backend cannot store them.",
		"Keep the backend if the times matter.")
	foundBroken = Catalog.Add("mt-copy-broken", check.Error,
		"Data of a database that was copied unchanged cannot be read, in the copy as in the world.",
		"Repair the world.")
	foundDiffers = Catalog.Add("mt-copy-differs", check.Error,
		"A player, an account or the storage of a mod differs between the copy and the world: a server may have written during the copy.",
		"Copy the world again when no server runs.")
	foundInWay = Catalog.Add("mt-copy-in-the-way", check.Warning,
		"A file of an unused backend has the name of a file of the copy, and is left out.",
		"Check whether the file contains missing data.")
	foundOdd = Catalog.Add("mt-copy-odd-file", check.Warning,
		"An entry that is neither a file, a folder nor a link is left out.",
		"Nothing to do: no game needs it.")
	// FoundLink is the kind of the finding about a symbolic link that is left out.
	FoundLink = Catalog.Add("mt-copy-link", check.Warning,
		"A link that points out of the world, has no target or points to itself is left out.",
		"Move its target into the world, or create the link in the copy.")
	foundName = Catalog.Add("mt-copy-name", check.Warning,
		"A file or folder whose name is not UTF-8 is left out.",
		"Rename it.")
	foundEarlier = Catalog.Add("mt-copy-earlier", check.Error,
		"An earlier run of this copy could not read some data, and reported it: the data is not in the copy.",
		"Copy the world to another folder to see the list again.")
	foundShared = Catalog.Add("mt-copy-shared", check.Warning,
		"The copy names the same database server as the world, so that both have the same players, accounts or mod storage.",
		"Move them to another backend, or change world.mt of the copy.")
)
