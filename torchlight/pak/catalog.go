package pak

import "trowel.example/check"

// Catalog lists the findings that Check can report for an archive and its manifest.
var Catalog check.Catalog

var (
	foundCut = Catalog.Add("tl-pak-cut-off", check.Error,
		"The list of the archive's files is cut off or damaged.",
		"Fetch it again; `trowel extract -k` saves the files that are there.")
	foundHash = Catalog.Add("tl-pak-hash", check.Error,
		"The hash of the archive is wrong: the game ignores the archive without a word, or does not start.",
		"`trowel repair` states it as it is.")
	foundMax = Catalog.Add("tl-pak-max", check.Error,
		"The header's largest compressed size is not that of the largest block; the game makes its buffer that large.",
		"`trowel repair` states it as it is.")
	foundManifestHash = Catalog.Add("tl-pak-manifest-hash", check.Warning,
		"The hash of the manifest is wrong.",
		"`trowel repair` states it as it is.")
	foundHint = Catalog.Add("tl-pak-hint", check.Info,
		"The manifest's hint at the number of entries is not what the editor writes, as in archives of other packers.",
		"Nothing: the game only makes room by it.")
	foundRest = Catalog.Add("tl-pak-rest", check.Warning,
		"Bytes follow the last section of the manifest.",
		"Extract, delete .trowel.json, pack: they are dropped.")
	foundOutside = Catalog.Add("tl-pak-outside", check.Error,
		"A file lies outside of the archive and cannot be read.",
		"The archive was cut or damaged: fetch it again.")
	foundOverlap = Catalog.Add("tl-pak-overlap", check.Error,
		"Blocks of two files lie over each other.",
		"Extract, delete .trowel.json, pack: each file gets a block of its own.")
	foundBomb = Catalog.Add("tl-pak-bomb", check.Error,
		"Files state more content than their bytes can hold; they were not inflated.",
		"Do not use the archive: it is damaged, or made to harm.")
	foundGap = Catalog.Add("tl-pak-gap", check.Info,
		"Bytes of the archive belong to no file.",
		"Nothing: the game does not look at them. Packing without the sidecar drops them.")
	foundSize = Catalog.Add("tl-pak-size", check.Error,
		"A block states another size than the manifest.",
		"Fetch the archive again; if it is your own, pack it again.")
	foundCorrupt = Catalog.Add("tl-pak-corrupt", check.Error,
		"A file does not inflate to the size stated for it.",
		"Fetch the archive again; if it is your own, pack it again.")
	foundCRC = Catalog.Add("tl-pak-crc", check.Error,
		"A file's content has another CRC-32 than the manifest says.",
		"Fetch the archive again; if it is your own, pack it again.")
	foundSurplus = Catalog.Add("tl-pak-surplus", check.Info,
		"Bytes follow the end of a file's compressed stream.",
		"Nothing: they are not looked at. Packing without the sidecar drops them.")
	foundLower = Catalog.Add("tl-pak-lower-case", check.Error,
		"A name has lower-case letters: the game looks for upper-case names only and never finds it.",
		"Rename it to upper case.")
	foundSame = Catalog.Add("tl-pak-same-name", check.Warning,
		"Two records have the same path, or paths that differ only in case.",
		"Delete or rename one of them.")
	foundUnsafe = Catalog.Add("tl-pak-unsafe-name", check.Error,
		"A path is absolute, leads upwards, or has parts that no path of the game has.",
		"Do not extract it with tools that trust names.")
	foundASCII = Catalog.Add("tl-pak-not-ascii", check.Warning,
		"A name has characters other than ASCII, which the game does not find.",
		"Rename it.")
	foundType = Catalog.Add("tl-pak-type", check.Warning,
		"A record's type is not that of its extension: the game may load it as something else.",
		"Extract, delete .trowel.json, pack: types then go by extensions.")
	foundRemoved = Catalog.Add("tl-pak-removed", check.Info,
		"The archive takes files away from the archives below it.",
		"Nothing, if that is meant.")
	foundNameless = Catalog.Add("tl-pak-nameless", check.Info,
		"A record of a file has no name, or that of a directory.",
		"Nothing: the game passes over it. Packing without the sidecar drops it.")
	foundDirectory = Catalog.Add("tl-pak-no-directory", check.Warning,
		"A directory has files, but no record of its own in the directory above it.",
		"Extract, delete .trowel.json, pack: records of directories are made again.")
)
