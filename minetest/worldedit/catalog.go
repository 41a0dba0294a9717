package worldedit

import "trowel.example/check"

// Catalog lists the kinds of what [Options.Sink] receives: all of it stays as it is although
// a step was about it.
var Catalog check.Catalog

var (
	foundDamaged = Catalog.Add("mt-edit-damaged", check.Warning,
		"A block cannot be read, and stays as it is.",
		"Repair the world first.")
	foundKept = Catalog.Add("mt-edit-kept", check.Warning,
		"A block cannot hold what an edit makes of it, and stays as it is.",
		"Convert the world to a later version of blocks first.")
)
