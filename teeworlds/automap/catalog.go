package automap

import "trowel.example/check"

// Catalog lists the kinds of findings that [ParseRules] and [ParseJSON] can report.
var Catalog check.Catalog

var (
	foundNumber = Catalog.Add("tw-rules-number", check.Error,
		"A line lacks a number, and the game uses undefined memory instead.",
		"Add the number; without it Trowel does not run the section.")
	foundLarge = Catalog.Add("tw-rules-large", check.Error,
		"The file is larger than all known ones, and Trowel reads only its first four megabytes.",
		"Remove lines that no section needs.")
	foundLine = Catalog.Add("tw-rules-line", check.Warning,
		"A line is not valid UTF-8 or has a control character, and the game skips it.",
		"Correct the line, and save the file as UTF-8.")
	foundKeyword = Catalog.Add("tw-rules-keyword", check.Warning,
		"A line begins with no keyword, or with several: the game ignores it, or reads only its beginning.",
		"Correct the keyword, or begin a comment with #.")
	foundIndented = Catalog.Add("tw-rules-indented", check.Warning,
		"A keyword follows a blank, so the game treats the line as a comment.",
		"Remove the blank, or replace it by #.")
	foundMisplaced = Catalog.Add("tw-rules-misplaced", check.Warning,
		"A line precedes the part that it belongs to: the game ignores it, or adds it to the previous rule.",
		"Move it after its section or Index.")
	foundName = Catalog.Add("tw-rules-name", check.Warning,
		"The line of a section does not end with ], or the name is too long: the game reads a different name.",
		"End the line with ], without a blank or comment after it.")
	foundTwice = Catalog.Add("tw-rules-section-twice", check.Warning,
		"Two sections have the same name, so users cannot distinguish them in the editor.",
		"Give one of them another name.")
	foundIndex = Catalog.Add("tw-rules-index", check.Warning,
		"The number of a tile is not between 0 and 255: the game writes another tile, or finds none.",
		"Correct the number.")
	foundFlag = Catalog.Add("tw-rules-flag", check.Warning,
		"A word in the position of a flag is not a flag, or the game does not read it, because it follows NONE or is the fourth word.",
		"Correct or remove it.")
	foundComment = Catalog.Add("tw-rules-comment", check.Warning,
		"A word of a comment at the end of a line counts as a flag, or OR in it continues the list.",
		"Move the comment to a separate line.")
	foundRest = Catalog.Add("tw-rules-rest", check.Info,
		"A line contains more than the game reads.",
		"Remove the rest, or begin a comment with #.")
	foundPos = Catalog.Add("tw-rules-pos", check.Warning,
		"A Pos lacks EMPTY, FULL, INDEX or NOTINDEX, or its position, and the game ignores the line.",
		"Complete the line, or remove it.")
	foundRandom = Catalog.Add("tw-rules-random", check.Warning,
		"A Random does not mean what it suggests: it always applies, or means one in N instead of percent.",
		"Use a number of at least 1, or a number of up to 100 with % directly after it.")
	foundModulo = Catalog.Add("tw-rules-modulo", check.Warning,
		"A Modulo divides by 0, or lacks its offset, and the game uses undefined memory instead.",
		"Write all four numbers.")
	foundNever = Catalog.Add("tw-rules-never", check.Warning,
		"A rule can never apply: its conditions contradict each other, or its probability is 0.",
		"Correct or remove it.")
	foundJSON = Catalog.Add("tw-rules-json", check.Error,
		"A file of rules for Teeworlds 0.7 is not JSON, or has neither a tileset nor doodads: the game has no rules.",
		"Correct the line.")
	foundJSONValue = Catalog.Add("tw-rules-json-value", check.Warning,
		"A value in rules for Teeworlds 0.7 has a wrong type or range, or a name that the game does not read: it reads another value.",
		"Correct the line.")
)
