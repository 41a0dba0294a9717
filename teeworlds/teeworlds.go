// Package teeworlds is the entry point for Teeworlds and DDNet: it declares the formats of their files. The packages
// below it implement them.
package teeworlds

import (
	_ "embed" // of the examples of findings
	"slices"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/internal/maprules"
	"trowel.example/teeworlds/internal/mapscene"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// game is Teeworlds, including DDNet and all other games that share its maps.
var game = &format.Game{
	Title:    "Teeworlds/DDNet",
	Findings: findings,
	Formats:  []*format.Format{teeworldsMap, teeworldsDatafile, teeworldsRules},
	Around:   mapscene.Around,
}

//go:embed findings.txt
var findings string

func init() { format.Register(game) }

var teeworldsMap = &format.Format{
	Name:  mapfile.MapName,
	Title: "Teeworlds/DDNet map",
	Doc:   "docs/formats/teeworlds-map.md",
	Recognition: format.Recognition{
		Extensions: []string{".map"},
		Recognize: func(src *format.Source) bool {
			return twmap.Recognize(src.Head(maxTablesHead))
		},
	},
	Building:    format.Building{RecognizeTree: mapdir.Recognize, Build: mapfile.Build},
	Open:        mapfile.Open,
	Comparison:  format.Comparison{Compare: mapfile.Compare, Decides: mapfile.Decides},
	Editing:     mapEditing,
	Merging:     mapMerging,
	Authoring:   mapAuthoring,
	Finder:      mapFinder,
	Names:       mapquery.Names,
	Census:      mapCensus,
	Dump:        mapfile.Dump,
	Repair:      mapfile.Repair,
	Conversions: mapConversions,
	Kinds:       slices.Concat(datafile.Catalog.Kinds(), twmap.Catalog.Kinds(), maprules.Catalog.Kinds()),
	Scene:       mapscene.Open,
	Options: append([]format.Option{format.OptionClean, format.OptionPositions, mapfile.OptionLike,
		mapfile.OptionProfile, mapfile.OptionRules, mapfile.OptionType, mapfile.OptionReleased}, mapscene.Options...),
}

var teeworldsDatafile = &format.Format{
	Name:  mapfile.DatafileName,
	Title: "Teeworlds datafile without a map version (maps of 2007)",
	Doc:   "docs/formats/teeworlds-datafile.md",
	Recognition: format.Recognition{
		Extensions: []string{".map"},
		Recognize: func(src *format.Source) bool {
			return datafile.Recognize(src.Head(8))
		},
	},
	Building: format.Building{
		RecognizeTree: mapfile.RecognizeData,
		Build:         mapfile.BuildDatafile,
	},
	Open:    mapfile.OpenDatafile,
	Scene:   mapscene.Open2007,
	Dump:    mapfile.Dump,
	Census:  datafileCensus,
	Kinds:   append(datafile.Catalog.Kinds(), twmap.Catalog.Kinds()...),
	Options: append([]format.Option{format.OptionClean}, mapscene.Options...),
}

// maxTablesHead is the number of bytes of a datafile that contain its table of item types.
const maxTablesHead = 4096

// teeworldsRules is the format of rules for the automappers of DDNet and of Teeworlds 0.7. Its tree cannot be built: the
// file is already text.
var teeworldsRules = &format.Format{
	Name:   mapfile.RulesName,
	Title:  "DDNet or Teeworlds 0.7 automapper rules",
	Common: true,
	Doc:    "docs/formats/teeworlds-automap.md",
	Recognition: format.Recognition{
		Extensions: []string{automap.Extension},
		// Rules of DDNet have no signature, and files of other games look similar: the name decides.
		Recognize: func(src *format.Source) bool {
			return !src.IsDir() && (src.HasExtension(automap.Extension) ||
				src.HasExtension(automap.ExtensionJSON) && automap.RecognizeJSON(src.Head(256)))
		},
	},
	Open:      mapfile.OpenRules,
	Kinds:     automap.Catalog.Kinds(),
	Authoring: mapAuthoring,
}
