package moddir

import "trowel.example/check"

// Catalog lists the findings that Check and CheckFolder can report.
var Catalog check.Catalog

var (
	foundSource = Catalog.Add("tl-mod-source", check.Warning,
		"A file is a text, but the game reads only its compiled form.",
		"Pack the mod again: this compiles the text.")
	foundGUID = Catalog.Add("tl-mod-duplicate-guid", check.Error,
		"Two units of the mod, or of the mod and the game, have the same UNIT_GUID, so the game confuses them.",
		"Give one of them a new GUID: `trowel edit MOD -- new-guids PATH`.")
	foundSkillGUID = Catalog.Add("tl-mod-duplicate-unique-guid", check.Error,
		"Two skills of the mod, or of the mod and the game, have the same UNIQUE_GUID, so saved games confuse them.",
		"Give one of them a new GUID: `trowel edit MOD -- new-guids PATH`.")
	foundRecipeGUID = Catalog.Add("tl-mod-duplicate-recipe-guid", check.Error,
		"Two recipes of the mod, or of the mod and the game, have the same GUID, so the game confuses them.",
		"Give one of them a new GUID: `trowel edit MOD -- set PATH GUID NUMBER`.")
	foundSameName = Catalog.Add("tl-mod-duplicate-name", check.Warning,
		"Two files define things of one kind with the same NAME, so it is open which of them the game means by the name.",
		"Rename one of them, or delete a leftover file.")
	foundNoGUID = Catalog.Add("tl-mod-no-guid", check.Warning,
		"A unit or skill has no GUID, and neither has its base file.",
		"Add a unique UNIT_GUID or UNIQUE_GUID.")
	foundGUIDInherited = Catalog.Add("tl-mod-inherited-guid", check.Warning,
		"A unit or skill has no GUID of its own, so it has the GUID of its base file, and the game confuses the two.",
		"Add a unique UNIT_GUID or UNIQUE_GUID: `trowel edit MOD -- add-key PATH STRING UNIT_GUID NUMBER`.")
	foundGUIDOther = Catalog.Add("tl-mod-guid-of-other", check.Error,
		"A mod that the game loads later (--with) has a unit, skill or recipe with the same GUID in another file, so the game confuses them.",
		"Give one of them a new GUID: `trowel edit MOD -- new-guids PATH`.")
	foundOutsideMedia = Catalog.Add("tl-mod-outside-media", check.Error,
		"A reference to a file outside of MEDIA, the folder of all files of the game.",
		"Correct the path: it must begin with MEDIA/.")
	foundNoID = Catalog.Add("tl-mod-no-id", check.Warning,
		"MOD.DAT has no MOD_ID, so the game confuses the mod with others without one.",
		"Pack it with --new-id, or add a MOD_ID to MOD.DAT: `trowel edit MOD -- info --id new` gives one to a mod.")
	foundBaseMissing = Catalog.Add("tl-mod-missing-basefile", check.Error,
		"A unit is based on a file that is neither in the mod nor in the game.",
		"Correct the BASEFILE, or add the file.")
	foundBaseOutside = Catalog.Add("tl-mod-outside-basefile", check.Info,
		"Units are based on a file that is not in the mod; the files of the game were not checked.",
		"Nothing to do; to check the files of the game, too, give them with --base.")
	foundFileMissing = Catalog.Add("tl-mod-missing-file", check.Error,
		"A reference to a file that is neither in the mod nor in the game.",
		"Correct the path, or add the file.")
	foundFileLikely = Catalog.Add("tl-mod-likely-missing-file", check.Warning,
		"A reference to a file that is probably missing from the mod: the mod has a file with a similar name, or all "+
			"other files that are referenced in the same folder. The files of the game were not checked.",
		"Correct the path or add the file, or give the game's files with --base.")
	foundFileOutside = Catalog.Add("tl-mod-outside-file", check.Info,
		"A reference to a layout that is not in the mod; the files of the game were not checked.",
		"Nothing to do; to check the files of the game, too, give them with --base.")
	foundIconMissing = Catalog.Add("tl-mod-missing-icon", check.Warning,
		"A data file names an icon that is in no image set of the mod or of the game, so the game shows no icon.",
		"Correct the name, or add the sprite to an image set.")
	foundIconLikely = Catalog.Add("tl-mod-likely-missing-icon", check.Warning,
		"A data file names an icon that is probably missing from the mod: its image sets have the same name with other "+
			"numbers. The files of the game were not checked.",
		"Correct the name or add the sprite, or give the game's files with --base.")
	foundIconOutside = Catalog.Add("tl-mod-outside-icon", check.Info,
		"Data files name icons that are in no image set of the mod; the files of the game were not checked.",
		"Nothing to do; to check the files of the game, too, give them with --base.")
	foundMeshMissing = Catalog.Add("tl-mod-missing-mesh", check.Warning,
		"A unit or an object of a layout names a mesh that is neither in the mod nor in the game, so nothing is drawn for it.",
		"Correct MESHFILE, RESOURCEDIRECTORY or the path, or add the mesh.")
	foundTextureMissing = Catalog.Add("tl-mod-missing-texture", check.Warning,
		"A material, or TEXTURE_OVERRIDE of a unit, names a texture that neither the mod nor the game has in any folder.",
		"Correct the name, or add the picture.")
	foundEffectType = Catalog.Add("tl-mod-unknown-effect-type", check.Warning,
		"An effect has a type that MEDIA/EFFECTSLIST.DAT of the mod, or else of the game, does not list.",
		"Correct TYPE.")
	foundUnitType = Catalog.Add("tl-mod-unknown-unit-type", check.Warning,
		"A file names a unit type that neither the mod nor the game has.",
		"Correct the name, or add the type to MEDIA/UNITTYPES.")
	foundSkill = Catalog.Add("tl-mod-unknown-skill", check.Warning,
		"A file names a skill that neither the mod nor the game has, so nothing happens.",
		"Correct the name: it must be the NAME of the skill, not its DISPLAYNAME or its file.")
	foundAffix = Catalog.Add("tl-mod-unknown-affix", check.Warning,
		"A file names an affix that neither the mod nor the game has, so nothing happens.",
		"Correct the name: it must be the NAME of the affix.")
	foundSpawnClass = Catalog.Add("tl-mod-unknown-spawn-class", check.Warning,
		"A file names a spawn class that neither the mod nor the game has, so nothing appears.",
		"Correct the name, or add the class to MEDIA/SPAWNCLASSES.")
	foundUnit = Catalog.Add("tl-mod-unknown-unit", check.Warning,
		"A spawn class or a recipe names a unit that neither the mod nor the game has, so nothing appears.",
		"Correct the name: it must be the NAME of the unit.")
	foundSet = Catalog.Add("tl-mod-unknown-set", check.Warning,
		"An item names a set that neither the mod nor the game has, so the item belongs to no set.",
		"Correct SET, or add the set to MEDIA/SETS.")
	foundEmptySet = Catalog.Add("tl-mod-empty-set", check.Info,
		"No item of the mod or of the game belongs to a set.",
		"Name the set in SET of its items, or delete the set.")
	foundLoop = Catalog.Add("tl-mod-class-loop", check.Warning,
		"A spawn class contains itself, directly or through other classes, or is nested too deeply.",
		"Remove the entry.")
	foundGraph = Catalog.Add("tl-mod-unknown-graph", check.Warning,
		"A unit names a graph that neither the mod nor the game has, or health, damage, armor or experience depend on a graph of this kind.",
		"Correct the name, or add the graph to MEDIA/GRAPHS.")
	foundMinAboveMax = Catalog.Add("tl-mod-min-above-max", check.Warning,
		"A lowest value is above the highest value of the same node.",
		"Correct one of the two.")
	foundLevel = Catalog.Add("tl-mod-level", check.Warning,
		"A level is outside of its range: below 0, required of characters but above their highest level, 100, or outside of "+
			"MINLEVEL to MAXLEVEL of the same unit.",
		"Correct the level, or the range.")
	foundOverridden = Catalog.Add("tl-mod-overridden", check.Info,
		"A mod that the game loads later (--with) replaces files of this mod, so their content has no effect.",
		"If both are needed, merge the mods: `trowel merge`.")
	foundRemovedByOther = Catalog.Add("tl-mod-removed-by-other", check.Info,
		"A mod that the game loads later (--with) removes files of this mod from the game.",
		"Merge the mods, or load them in another order.")
	foundNotInTable = Catalog.Add("tl-mod-not-in-table", check.Warning,
		"A file has no record in the .RAW table of its type, so the game ignores it. GUTS makes such mods from a "+
			"leftover compiled file whose source was deleted.",
		"Delete a leftover file; otherwise make its source with `trowel extract`, and pack with --tables.")
	foundTableMissing = Catalog.Add("tl-mod-no-table", check.Warning,
		"The mod has files that belong into a .RAW table, but not that table.",
		"Pack the mod with --tables.")
	foundRemoved = Catalog.Add("tl-mod-removed-and-there", check.Warning,
		"A file is in the mod, and the mod also removes it.",
		"Delete one of the two.")

	foundText = Catalog.Add("tl-source-unreadable", check.Error,
		"A source cannot be read, so the mod cannot be built.",
		"Correct the line of the finding.")
	foundClash = Catalog.Add("tl-source-clash", check.Error,
		"Two files have names that differ only in case, and different contents: the game uses only one of them.",
		"Delete or rename one of them.")
	foundTorchlight1 = Catalog.Add("tl-source-torchlight1", check.Error,
		"A folder for a mod of Torchlight II contains a file of Torchlight I: a file that only that game has, or one "+
			"with its type BOOLEAN.",
		"`trowel convert FOLDER --to torchlight-2` ports a mod of Torchlight I; in a mod of Torchlight II, delete the file or replace "+
			"BOOLEAN by BOOL.")
	foundTwinDiffers = Catalog.Add("tl-source-differs", check.Warning,
		"A source differs from the compiled file next to it.",
		"Compile the source again: `trowel pack` uses the source, but the game reads the compiled file of a loose folder.")
	foundTwinOlder = Catalog.Add("tl-source-newer", check.Info,
		"A source was changed after the file next to it was compiled, but both have the same content.",
		"Nothing.")
	foundTwinBroken = Catalog.Add("tl-source-twin-unreadable", check.Warning,
		"A compiled file next to its source cannot be read.",
		"Delete the compiled file and compile the source again.")
	foundNoSource = Catalog.Add("tl-source-missing", check.Info,
		"A compiled file has no source next to it. It is packed unchanged.",
		"Nothing to do; to get a source, use `trowel convert`.")
)
