package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
)

// mapOperations change the whole map, or copy parts of other maps into it.
var mapOperations = []*format.Command{
	onMap(format.Command{Name: "info", Title: "Set author, version, credits and license of the map", Heading: headingMap,
		Example: "info --author 'Ann and Bob' --license CC0"}, mapops.SetInfo),
	onMap(format.Command{Name: "to-0.7", Heading: headingMap,
		Title:   "Convert to a map of Teeworlds 0.7: its format, and the tiles that look the same with its pictures",
		Example: "to-0.7 --mapres ~/ddnet/data/mapres"}, mapops.ConvertTo07),
	onMap(format.Command{Name: "to-0.6", Heading: headingMap,
		Title:   "Convert a map of Teeworlds 0.7 to one of DDNet and Teeworlds 0.6, with the tiles that look the same",
		Example: "to-0.6"}, mapops.ConvertTo06),
	onMap(format.Command{Name: "mirror", Title: "Mirror the whole map: its look and its physics", Heading: headingMap,
		Long: "All layers of a group are mirrored around the same axis, so smaller layers grow to the size of the largest by " +
			"repeating their edges, as the game does; design layers larger than the game layer get their own groups. Flags of " +
			"physics tiles without a direction become 0. Apart from that, mirroring twice restores the map.",
		Example: "mirror"},
		func(e *editor, o mapops.Way) error { return e.Turn(o.Turn()) }),
	onMap(format.Command{Name: "rotate", Title: "Rotate the whole map clockwise", Heading: headingMap,
		Long: "Layers are handled as by mirror, and rotating by 90 degrees four times restores the map. Crazy shotguns keep " +
			"shooting at the same things, although their picture is rotated the other way.",
		Example: "rotate 90"},
		func(e *editor, o mapops.Angle) error { return e.Turn(o.Turn()) }),
	onMap(format.Command{Name: "scale", Heading: headingMap,
		Title: "Enlarge the whole map: each tile becomes a square of tiles that looks the same",
		Long: "Images of tile layers must be embedded (embed-images). Their tiles are cut into new images with 255 parts each, and " +
			"a layer becomes as many layers as it needs images. Automappers are removed. Each entity and each exit of a teleporter " +
			"stays a single tile; lasers and doors keep their length.",
		Example: "scale 2"}, mapops.Scale),
	onMap(format.Command{Name: "extend", Title: "Enlarge the whole map by copies of its outer tiles", Heading: headingMap,
		Long:    "Entities and exits of teleporters are not copied.",
		Example: "extend --left 50 --down 20"}, mapops.Extend),
	onMap(format.Command{Name: "crop", Title: "Crop the map to an area of its game layer", Heading: headingMap,
		Long: "Layers that move with the game are cropped; from other layers only repeated edges are removed. Quads and sound " +
			"sources are kept, even outside of the area. Cropping reverses extend.",
		Example: "crop 10,10:209,109"}, mapops.Crop),
	onMap(format.Command{Name: "shrink", Heading: headingMap,
		Title:   "Remove edges of design layers that only repeat, because the game repeats them anyway",
		Example: "shrink"}, mapops.Shrink),
	declare(format.Command{Name: "optimize", Title: "Make the file smaller: the map looks and plays the same", Heading: headingMap,
		Long: "Optimize removes unused parts, merges equal images, removes edges of design layers that only repeat, clears colours " +
			"of transparent tiles where an image becomes smaller, and compresses each data block again, if it becomes smaller. It prints how many " +
			"bytes each of these saves, and compares how the map plays, as diff --physics does. The map looks the same, to the pixel. " +
			"--clear-tiles saves most: it also changes pixels that are not seen, which scaling mixes into those beside them.",
		Example: "optimize --level best"}, mapops.Optimize),
	onMap(format.Command{Name: "append", Heading: headingMap,
		Title: "Append all groups of another map, with their images, sounds, envelopes and settings",
		Long: "Images and sounds with the same name and content are shared; those with the same name and other content are " +
			"renamed, such as \"moon (1)\". Physics layers of the other map are left out. If only one of the maps is for " +
			"Teeworlds 0.7, the other map is converted first, as by to-0.6 and to-0.7.",
		Example: "append other.map"}, mapops.Append),
	onMap(format.Command{Name: "paste-group", Heading: headingMap,
		Title:   "Copy groups of another map into the map, with their images, sounds and envelopes",
		Example: "paste-group other.map Trees --at 2"}, mapops.PasteGroups),
	onMap(format.Command{Name: "paste-area", Heading: headingMap,
		Title: "Copy an area of another map into the map",
		Long: "If both maps have the same groups and layers, layers with the same number correspond. Otherwise groups of the same " +
			"name do, and in them layers of the same kind, name and image; missing ones are created. Layers that correspond to " +
			"no layer of the other map are unchanged.",
		Example: "paste-area other.map 10,10:59,39 100,10"}, mapops.PasteArea),
}

var mapConversions = []format.Conversion{
	{To: "ddnet", Title: "a clean map in the current versions of DDNet, with the tiles that look the same", Extension: ".map",
		Options: format.OptionsOf[mapops.Across](), Convert: mapops.Convert(mapops.ToDDNet)},
	{To: "teeworlds-0.7", Extension: ".map",
		Title:   "a map of Teeworlds 0.7: compressed tiles that look the same with its pictures, no DDNet layers, sounds or settings",
		Options: format.OptionsOf[mapops.Across](), Convert: mapops.Convert(mapops.ToTeeworlds07)},
	{To: "datafile-3", Title: "the same map in a datafile of version 3, not compressed", Extension: ".map",
		Convert: mapops.ConvertContainer(3)},
	{To: "datafile-4", Title: "the same map in a datafile of version 4, compressed", Extension: ".map",
		Convert: mapops.ConvertContainer(4)},
}
