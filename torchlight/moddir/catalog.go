package moddir

import "trowel.example/check"

// Catalog lists the findings that Check and CheckFolder can report.
var Catalog check.Catalog

var (
	kindSource = Catalog.Add("tl-mod-source", check.Warning,
		"A file is there as text, where the game wants it compiled.",
		"Pack the mod again: that compiles it.")
	kindGUID = Catalog.Add("tl-mod-duplicate-guid", check.Error,
		"Two units have the same UNIT_GUID, so that the game takes one for the other.",
		"Give one of them a new number: `trowel edit MOD -- new-guids PATH`.")
	kindSkillGUID = Catalog.Add("tl-mod-duplicate-unique-guid", check.Error,
		"Two skills have the same UNIQUE_GUID, so that saved games take one for the other.",
		"Give one of them a new number: `trowel edit MOD -- new-guids PATH`.")
	kindNoGUID = Catalog.Add("tl-mod-no-guid", check.Warning,
		"A unit or skill has no number of its own, and the file that it is based on lends it none.",
		"Give it a UNIT_GUID or UNIQUE_GUID that no other has.")
	kindBaseMissing = Catalog.Add("tl-mod-missing-basefile", check.Error,
		"A unit is based on a file that is neither in the mod nor in the game.",
		"Mend the BASEFILE, or add the file.")
	kindBaseOutside = Catalog.Add("tl-mod-outside-basefile", check.Info,
		"Units are based on a file that is not in the mod; whether the game has it was not looked up.",
		"Nothing, or give the game's files with --base.")
	kindFileMissing = Catalog.Add("tl-mod-missing-file", check.Error,
		"A file is referred to that is neither in the mod nor in the game.",
		"Mend the path, or add the file.")
	kindFileLikely = Catalog.Add("tl-mod-likely-missing-file", check.Warning,
		"A file is referred to that is not in the mod, and probably should be: the mod has nearly its name, or all else that is referred to in its folder. Whether the game has it was not looked up.",
		"Mend the path or add the file; or give the game's files with --base.")
	kindFileOutside = Catalog.Add("tl-mod-outside-file", check.Info,
		"A layout is referred to that is not in the mod; whether the game has it was not looked up.",
		"Nothing, or give the game's files with --base.")
	kindIconMissing = Catalog.Add("tl-mod-missing-icon", check.Warning,
		"A data file names an icon that no image set of the mod or of the game has, so that the game shows none.",
		"Mend the name, or add the sprite to an image set.")
	kindIconLikely = Catalog.Add("tl-mod-likely-missing-icon", check.Warning,
		"A data file names an icon that no image set of the mod has, and probably one should: sets of the mod have the same name with other numbers. Whether the game has it was not looked up.",
		"Mend the name or add the sprite; or give the game's files with --base.")
	kindIconOutside = Catalog.Add("tl-mod-outside-icon", check.Info,
		"Icons are named that no image set of the mod has; whether the game has them was not looked up.",
		"Nothing, or give the game's files with --base.")
	kindNotInTable = Catalog.Add("tl-mod-not-in-table", check.Warning,
		"A file has no record in the .RAW table of its kind, so that the game does not know of it. GUTS makes such mods where a compiled file was left behind whose source was deleted.",
		"Delete the file if it was left behind; else make its source with `trowel extract`, and pack with --tables.")
	kindTableMissing = Catalog.Add("tl-mod-no-table", check.Warning,
		"The mod has files that belong into a .RAW table, and no such table.",
		"Pack the mod with --tables.")
	kindRemoved = Catalog.Add("tl-mod-removed-and-there", check.Warning,
		"A file is in the mod and also among those that the mod removes.",
		"Decide for one of the two.")

	kindText = Catalog.Add("tl-source-unreadable", check.Error,
		"A source cannot be read, so that the mod cannot be built.",
		"Mend the line that the finding names.")
	kindClash = Catalog.Add("tl-source-clash", check.Error,
		"Two files have names that differ in case only, and different contents: the game finds one of them.",
		"Delete one of them, or give it another name.")
	kindTorchlight1 = Catalog.Add("tl-source-torchlight1", check.Error,
		"A folder that is to become a mod of Torchlight II has a file of Torchlight I: one that only that game has, or with its type BOOLEAN.",
		"Do not pack a mod of Torchlight I; in one of Torchlight II delete the file, or write BOOL.")
	kindTwinDiffers = Catalog.Add("tl-source-differs", check.Warning,
		"A source says something else than the compiled file beside it.",
		"Compile it again: `trowel pack` uses the source, the game's own loose files are the compiled ones.")
	kindTwinOlder = Catalog.Add("tl-source-newer", check.Info,
		"A source was changed after the file beside it was compiled, and both say the same.",
		"Nothing.")
	kindTwinBroken = Catalog.Add("tl-source-twin-unreadable", check.Warning,
		"A compiled file beside its source cannot be read.",
		"Delete it; it can be compiled again.")
	kindNoSource = Catalog.Add("tl-source-missing", check.Info,
		"A compiled file has no source beside it. It goes into the mod as it is.",
		"Nothing, or make the source of it with `trowel convert`.")
)
