package worldcheck

import "trowel.example/check"

// Catalog lists the kinds of findings about the database of the blocks. Check
// reports those of packages world, item and mapblock as well.
var Catalog check.Catalog

var (
	foundMap = Catalog.Add("mt-map-unreadable", check.Error,
		"The database of the blocks cannot be read, or not to the end.",
		"Restore it from a backup, or copy the world, which takes along what can be read.")
	foundRemote = Catalog.Add("mt-map-remote", check.Info,
		"The blocks are on a database server on another machine, which was not asked.",
		"Look at them, too, with --remote, if you trust whoever made the world.")
	foundUnfinished = Catalog.Add("mt-world-unfinished", check.Error,
		"The folder is a copy of a world that was ended before all was done.",
		"Give the same command once more: it goes on where it was ended.")
	foundNone = Catalog.Add("mt-map-none", check.Warning,
		"There is no database of blocks: the game makes new land, as in a world that nobody has entered yet.",
		"Nothing if nobody has; else restore the database from a backup.")
	foundRow = Catalog.Add("mt-map-row", check.Error,
		"A row of the database is no block: its key is no position, or its data are no bytes.",
		"Copy the world, which leaves such rows out.")
	foundPages = Catalog.Add("mt-map-pages", check.Error,
		"Pages of the database of the blocks are damaged, and the blocks that were in them are lost.",
		"Restore it from a backup, or repair the world, which saves the blocks in the other pages.")
	foundTwice = Catalog.Add("mt-map-block-twice", check.Error,
		"Two rows of the database are of the same block, and the game uses one of them.",
		"Copy the world, which keeps the first.")
	foundEmpty = Catalog.Add("mt-map-block-empty", check.Warning,
		"A block has no bytes at all: the game makes it anew.",
		"Nothing, or repair the world, which deletes the row.")
	foundMetaInventory = Catalog.Add("mt-map-meta-inventory", check.Error,
		"The inventory of a node cannot be read: the game loses it.",
		"Correct it, or take the block from a backup.")
)
