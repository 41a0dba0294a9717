package worldedit

import "trowel.example/check"

// Catalog contains the kinds of findings for [Options.Sink]: blocks that a step did not change although it should
// have.
var Catalog check.Catalog

var (
	foundDamaged = Catalog.Add("mt-edit-damaged", check.Warning,
		"A block cannot be read, and is unchanged.",
		"Repair the world first.")
	foundKept = Catalog.Add("mt-edit-kept", check.Warning,
		"A block cannot store the result of an edit, and is unchanged.",
		"Convert the world to a later version of blocks first.")
)
