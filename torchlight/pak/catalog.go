package pak

import "trowel.example/check"

// Catalog lists the findings that Check can report for an archive and its manifest.
var Catalog check.Catalog

var (
	foundCut = Catalog.Add("tl-pak-cut-off", check.Error,
		"The list of the archive's files is cut off or damaged.",
		"Download the archive again; `trowel extract -k` saves the existing files.")
	foundHash = Catalog.Add("tl-pak-hash", check.Error,
		"The hash of the archive is wrong: the game silently ignores the archive, or does not start.",
		"Correct the value with `trowel repair`.")
	foundMax = Catalog.Add("tl-pak-max", check.Error,
		"The largest compressed size in the header is not the size of the largest block; the game allocates a buffer of that size.",
		"Correct the value with `trowel repair`.")
	foundManifestHash = Catalog.Add("tl-pak-manifest-hash", check.Warning,
		"The hash of the manifest is wrong.",
		"Correct the value with `trowel repair`.")
	foundHint = Catalog.Add("tl-pak-hint", check.Info,
		"The manifest's hint for the number of entries differs from what the editor writes, as in archives of other programs.",
		"Nothing to do: the game only reserves memory by the hint.")
	foundRest = Catalog.Add("tl-pak-rest", check.Warning,
		"Bytes follow the last section of the manifest.",
		"Extract, delete .trowel.json, pack: this removes the bytes.")
	foundOutside = Catalog.Add("tl-pak-outside", check.Error,
		"A file is outside the archive and cannot be read.",
		"The archive is cut off or damaged: download it again.")
	foundOverlap = Catalog.Add("tl-pak-overlap", check.Error,
		"Blocks of two files overlap.",
		"Extract, delete .trowel.json, pack: each file gets its own block.")
	foundBomb = Catalog.Add("tl-pak-bomb", check.Error,
		"The sizes of files exceed what their bytes can hold; the files were not inflated.",
		"Do not use the archive: it is damaged or malicious.")
	foundGap = Catalog.Add("tl-pak-gap", check.Info,
		"Bytes of the archive belong to no file.",
		"Nothing to do: the game ignores the bytes. Packing without the sidecar removes them.")
	foundSize = Catalog.Add("tl-pak-size", check.Error,
		"The size in a block differs from the size in the manifest.",
		"Download the archive again; if it is your own, pack it again.")
	foundCorrupt = Catalog.Add("tl-pak-corrupt", check.Error,
		"A file does not inflate to its stated size.",
		"Download the archive again; if it is your own, pack it again.")
	foundCRC = Catalog.Add("tl-pak-crc", check.Error,
		"The CRC-32 of a file's content differs from the manifest.",
		"Download the archive again; if it is your own, pack it again.")
	foundSurplus = Catalog.Add("tl-pak-surplus", check.Info,
		"Bytes follow the end of a file's compressed stream.",
		"Nothing to do: the game ignores the bytes. Packing without the sidecar removes them.")
	foundLower = Catalog.Add("tl-pak-lower-case", check.Error,
		"A name has lower-case letters: the game finds only upper-case names.",
		"Rename the file to upper case.")
	foundSame = Catalog.Add("tl-pak-same-name", check.Warning,
		"Two records have the same path, or paths that differ only in case.",
		"Delete or rename one of them.")
	foundUnsafe = Catalog.Add("tl-pak-unsafe-name", check.Error,
		"A path is absolute, contains .., or has parts that no path of the game has.",
		"Do not extract it with tools that trust names.")
	foundASCII = Catalog.Add("tl-pak-not-ascii", check.Warning,
		"A name has non-ASCII characters; the game does not find such files.",
		"Rename it.")
	foundType = Catalog.Add("tl-pak-type", check.Warning,
		"The type of a record does not match its extension: the game may load the file as another type.",
		"Extract, delete .trowel.json, pack: this derives types from extensions.")
	foundRemoved = Catalog.Add("tl-pak-removed", check.Info,
		"The archive removes files from the archives below it.",
		"Nothing to do if this is intended.")
	foundNameless = Catalog.Add("tl-pak-nameless", check.Info,
		"A record of a file has no name, or the name or type of a directory.",
		"Nothing to do: the game ignores the record. Packing without the sidecar removes it.")
	foundRoot = Catalog.Add("tl-pak-root", check.Warning,
		"The manifest's root is not MEDIA/, the folder of all paths of the game.",
		"Pack the files in a folder MEDIA.")
	foundCompressedJPG = Catalog.Add("tl-pak-compressed-jpg", check.Info,
		"A .JPG is compressed; the editor stores these files uncompressed.",
		"Nothing to do; to store the file as the editor does: extract, delete .trowel.json, pack.")
	foundFields = Catalog.Add("tl-pak-fields", check.Info,
		"Records of directories or removed files have a checksum, offset, size or time; the editor writes 0.",
		"Nothing to do. Packing without the sidecar sets them to 0.")
	foundDirectory = Catalog.Add("tl-pak-no-directory", check.Warning,
		"A directory has files, but no record in the directory above it.",
		"Extract, delete .trowel.json, pack: this rebuilds the records of directories.")
)
