package minetest

import (
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/internal/worldfile"
	"trowel.example/minetest/internal/worldjob"
)

// minetestManifest is a manifest: the state of the blocks of a world at a time.
var minetestManifest = &format.Format{
	Name:  worldfile.ManifestName,
	Title: "manifest of a Minetest/Luanti world",
	Doc:   "docs/formats/minetest-manifest.md",
	Recognition: format.Recognition{
		Extensions: []string{".manifest"},
		Recognize:  func(src *format.Source) bool { return manifest.Recognize(src.Head(manifest.HeadSize)) },
	},
	Open: worldfile.OpenManifest,
	Dump: worldfile.DumpManifest,
	Comparison: format.Comparison{
		Compare:   worldfile.CompareManifests,
		CompareTo: worldfile.WorldName,
	},
	Options: []format.Option{worldjob.OptionRemote},
	Kinds:   manifest.Catalog.Kinds(),
}

// manifestConversion writes the manifest of a world.
var manifestConversion = format.Conversion{
	To: worldfile.ManifestName, Title: "a manifest: the hash of every block", Extension: ".manifest",
	Rename: func(name string) string { return name + ".manifest" },
	Verb:   "manifest",
	Did:    "wrote the manifest of",
	Long: "A manifest needs about ten bytes per block, and shows later which blocks have changed:\n\"trowel diff\" " +
		"accepts it instead of the old world, and so does --since of\n\"trowel render --tiles\". It is made as fast as " +
		"the world can be read, also while a server runs.",
	Example: "  trowel manifest world -o monday.manifest\n  trowel diff monday.manifest world",
	Convert: worldfile.MakeManifest, Pieces: worldfile.ManifestPieces, Join: worldfile.JoinManifest,
}
