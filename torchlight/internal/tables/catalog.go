package tables

import "trowel.example/check"

// Catalog lists the findings that [Build] can report.
var Catalog check.Catalog

var (
	foundSource = Catalog.Add("tl-table-source", check.Error,
		"A source cannot be read, so that its table has no record of it.",
		"Correct the file.")
	foundBase = Catalog.Add("tl-table-base", check.Warning,
		"Units take values from a file that is neither in the mod nor in the game that was given.",
		"Give the folder or archive of the game, so that the units get these values.")
	foundLoop = Catalog.Add("tl-table-base-loop", check.Error,
		"A unit is based on itself, over one or more files.",
		"Correct BASEFILE.")
	foundNumber = Catalog.Add("tl-table-number", check.Warning,
		"The value of a key should be a number and is not.",
		"Correct the value.")
	foundEnum = Catalog.Add("tl-table-enum", check.Warning,
		"A menu has a TYPE or GAME STATE that the game does not know; its table says none.",
		"Correct the value.")
	foundNoName = Catalog.Add("tl-table-no-name", check.Info,
		"A skill or menu has no name and so is not in its table.",
		"Give it a name, unless it is meant to be left out.")
)
