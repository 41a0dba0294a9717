package tables

import "trowel.example/check"

// Catalog lists the findings that [Build] can report.
var Catalog check.Catalog

var (
	foundSource = Catalog.Add("tl-table-source", check.Error,
		"A source cannot be read, so its table has no record for it.",
		"Correct the file.")
	foundBase = Catalog.Add("tl-table-base", check.Warning,
		"Units take values, such as their unit type and levels, from a file that is neither in the mod nor in the given files of the game, "+
			"so their records in UNITDATA.RAW may differ from those that the game needs.",
		"Give the folder or archive of the game with --base, so that the units get these values.")
	foundLoop = Catalog.Add("tl-table-base-loop", check.Error,
		"A unit is based on itself, directly or through other files.",
		"Correct BASEFILE.")
	foundNumber = Catalog.Add("tl-table-number", check.Warning,
		"The value of a key must be a number but is not.",
		"Correct the value.")
	foundEnum = Catalog.Add("tl-table-enum", check.Warning,
		"A menu has an unknown TYPE or GAME STATE; its table contains none.",
		"Correct the value.")
	foundNoName = Catalog.Add("tl-table-no-name", check.Info,
		"A skill or menu has no name and so is not in its table.",
		"Add a name, unless the omission is intended.")
)
