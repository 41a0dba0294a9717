package automap

import "trowel.example/check"

// Catalog lists the kinds of findings that [ParseRules] can report.
var Catalog check.Catalog

var (
	foundNumber = Catalog.Add("tw-rules-number", check.Error,
		"A line lacks a number, and the game takes whatever is in its memory for it.",
		"Write the number; until then the section is not run here.")
	foundLarge = Catalog.Add("tw-rules-large", check.Error,
		"The file is larger than any that is known, and what is behind its first four megabytes is not read here.",
		"Take out what no section needs.")
	foundLine = Catalog.Add("tw-rules-line", check.Warning,
		"A line is no UTF-8 or has a control character, so that the game leaves it out.",
		"Write the line anew, and save the file as UTF-8.")
	foundKeyword = Catalog.Add("tw-rules-keyword", check.Warning,
		"A line begins with no keyword, or with more than one: the game ignores it, or looks at its beginning only.",
		"Correct the keyword, or put # in front of a comment.")
	foundIndented = Catalog.Add("tw-rules-indented", check.Warning,
		"A keyword stands behind a blank, so that the game takes the line for a comment.",
		"Take the blank away, or put # in its place.")
	foundMisplaced = Catalog.Add("tw-rules-misplaced", check.Warning,
		"A line stands before what it belongs to: the game ignores it, or adds it to the rule before.",
		"Move it behind its section or Index.")
	foundName = Catalog.Add("tw-rules-name", check.Warning,
		"The line of a section does not end with ], or its name is too long: the name is another than it looks.",
		"Let the line end with ], without a blank or comment behind it.")
	foundTwice = Catalog.Add("tw-rules-section-twice", check.Warning,
		"Two sections have one name, so that nobody can tell them apart in the editor.",
		"Give one of them another name.")
	foundIndex = Catalog.Add("tw-rules-index", check.Warning,
		"The number of a tile is not between 0 and 255: the game writes another, or finds none.",
		"Correct the number.")
	foundFlag = Catalog.Add("tw-rules-flag", check.Warning,
		"A word where flags stand is none, or stands where the game reads no more: behind NONE, or as the fourth.",
		"Correct or remove it.")
	foundComment = Catalog.Add("tw-rules-comment", check.Warning,
		"A word of a comment at the end of a line counts as a flag, or OR in it goes on with the list.",
		"Move the comment to a line of its own.")
	foundRest = Catalog.Add("tw-rules-rest", check.Info,
		"There is more on a line than the game reads.",
		"Remove it, or put # in front of a comment.")
	foundPos = Catalog.Add("tw-rules-pos", check.Warning,
		"A Pos does not say EMPTY, FULL, INDEX or NOTINDEX, or not where, so that the game ignores the line.",
		"Complete the line, or remove it.")
	foundRandom = Catalog.Add("tw-rules-random", check.Warning,
		"A Random means something else than it looks: always, or one of so many in place of percent.",
		"Write a number of at least 1, or one of up to 100 with % directly behind it.")
	foundModulo = Catalog.Add("tw-rules-modulo", check.Warning,
		"A Modulo is by 0, or lacks its offset, for which the game takes whatever is in its memory.",
		"Write all four numbers.")
	foundNever = Catalog.Add("tw-rules-never", check.Warning,
		"A rule can never hold: its conditions contradict each other, or its probability is 0.",
		"Correct or remove it.")
)
