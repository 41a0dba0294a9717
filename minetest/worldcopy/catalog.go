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
	return []*check.Kind{foundRow, foundPages, foundTwice, foundLost, foundText, foundBroken, foundDiffers, foundOrphans, foundDates, FoundLink, foundName, foundEarlier}
}

// isDamage reports whether a finding is about data that should be in the copy but cannot be read. These are the kinds
// of Losses without data that is never copied or that a server changed during the copy.
func isDamage(f check.Finding) bool {
	kinds := []*check.Kind{foundRow, foundPages, foundTwice, foundLost, foundText, foundBroken}
	return slices.ContainsFunc(kinds, func(k *check.Kind) bool { return k.ID == f.ID })
}

// Unrepaired returns the kinds of [Catalog] that a repair of the copied world does not report.
func Unrepaired() []*check.Kind {
	return []*check.Kind{foundLost, foundDiffers, foundDates, foundInWay, foundOdd, FoundLink, foundName, foundShared}
}

var (
	foundRow = Catalog.Add("mt-copy-row", check.Warning,
		"A row of the database is no block, and is left out.",
		"Nothing: the game makes the block again, if the row was one.")
	foundPages = Catalog.Add("mt-copy-pages", check.Error,
		"Parts of a database are damaged, and what was in them is not in the copy.",
		"Take it from a backup.")
	foundSalvaged = Catalog.Add("mt-copy-salvaged", check.Warning,
		"A block was in data of a LevelDB database with a wrong checksum. The block can be decoded to its last byte, and is in the copy.",
		"Compare the block with a backup.")
	foundTwice = Catalog.Add("mt-copy-twice", check.Warning,
		"Two rows of the database are of the same block, and the second is left out.",
		"Look whether the block is right.")
	foundDamaged = Catalog.Add("mt-copy-damaged", check.Warning,
		"A block cannot be read, so that it stays as it is, or with --drop is left out.",
		"Repair the world first, or take the block from a backup.")
	foundKept = Catalog.Add("mt-copy-kept", check.Warning,
		"A block has something for which the version has no room, and stays as it is.",
		"Choose a later version, or convert with --drop.")
	foundLost = Catalog.Add("mt-copy-lost", check.Error,
		"A player, an account or what a mod keeps cannot be read, or not be written to the other backend, and is not in the copy.",
		"Correct it in the world that was copied, or keep the backend.")
	foundText = Catalog.Add("mt-copy-text", check.Error,
		"In the place of a file that the engine reads as a whole is something else, such as a pipe, or a file larger than any can be: it is left out.",
		"Restore the file from a backup.")
	foundOrphans = Catalog.Add("mt-copy-orphans", check.Warning,
		"Rows that belong to no player or account are not in the copy.",
		"Nothing: no game reads them.")
	foundDates = Catalog.Add("mt-copy-dates", check.Warning,
		"When players were made and last changed is not in the copy: its backend has no room for that.",
		"Keep the backend, if it matters.")
	foundBroken = Catalog.Add("mt-copy-broken", check.Error,
		"Something of a database that was copied as it is cannot be read, in the copy as in the world.",
		"Repair the world.")
	foundDiffers = Catalog.Add("mt-copy-differs", check.Error,
		"A player, an account or what a mod keeps is not the same in the copy as in the world, as when a server wrote meanwhile.",
		"Copy the world again when no server runs.")
	foundInWay = Catalog.Add("mt-copy-in-the-way", check.Warning,
		"A file of a backend that the world does not use stands where the copy has its own, and is left out.",
		"Look whether the file has something that is missing.")
	foundOdd = Catalog.Add("mt-copy-odd-file", check.Warning,
		"Something that is neither a file, a folder nor a link is left out.",
		"Nothing: no game needs it.")
	// FoundLink is the kind of the finding about a symbolic link that is left out.
	FoundLink = Catalog.Add("mt-copy-link", check.Warning,
		"A link that leads out of the world, to nothing or in a circle is left out.",
		"Put what it leads to into the world, or make the link in the copy.")
	foundName = Catalog.Add("mt-copy-name", check.Warning,
		"A file or folder whose name is not UTF-8 is left out.",
		"Give it another name.")
	foundEarlier = Catalog.Add("mt-copy-earlier", check.Error,
		"An earlier run of this copy could not read something, and reported it: it is not in the copy.",
		"Copy the world to another folder to see the list again.")
	foundShared = Catalog.Add("mt-copy-shared", check.Warning,
		"The copy names the same database server as the world, so that both have the same players, accounts or mod storage.",
		"Move them to another backend, or change world.mt of the copy.")
)
