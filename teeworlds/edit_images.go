package teeworlds

import (
	"slices"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/internal/mapscene"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

var (
	argImage      = format.Option{Name: "image", Names: mapquery.KindImage, Help: "the name of an image, with * and ?, or its number"}
	argImages     = format.Option{Name: "image", Names: mapquery.KindImage, List: true, Help: argImage.Help + " (default: all)"}
	argSomeImages = format.Option{Name: "image", Names: mapquery.KindImage, List: true, Some: true, Help: argImage.Help}
	argSound      = format.Option{Name: "sound", Names: mapquery.KindSound, Help: "the name of a sound, with * and ?, or its number"}
	argSounds     = format.Option{Name: "sound", Names: mapquery.KindSound, List: true, Some: true, Help: argSound.Help}
	argOpus       = format.Option{Name: "file", Input: true, Help: "a sound, Opus"}

	// The pictures of the games are found as for drawing the map.
	optionsMapres = opts{optionMapres, ofCommand(mapscene.OptionMapresOf)}
)

var imageOperations = []operation{
	onMap(format.Command{Name: "add-image", Title: "Add a picture to the map", Heading: headingImages,
		Args: opts{argName, argPNG}, Example: "add-image grass_dark grass_dark.png"}, mapops.AddImage),
	onMap(format.Command{Name: "add-external-images", Heading: headingImages,
		Title: "Add images of which every game has the picture; those that the map has are not added again",
		Args: opts{{Name: "name", List: true, Some: true, Choices: twmap.ExternalImages,
			Help: "an image of the game; easter and generic_shadows are only in Teeworlds 0.7"}},
		Example: "add-external-images grass_main sun"}, mapops.AddExternalImages),
	onParts(format.Command{Name: "replace-image", Title: "Replace the picture of images", Heading: headingImages,
		Args: opts{argImage, argPNG}, Example: "replace-image grass_main grass_dark.png"}, mapops.ReplaceImages),
	onPart(format.Command{Name: "rename-image", Title: "Rename an image; layers and quads keep it", Heading: headingImages,
		Args: opts{argImage, argName}, Example: "rename-image grass_main grass_dark"},
		func(e *editor, i int, o mapops.ImageName) error { return e.RenameImage(i, o.Name) }),
	onParts(format.Command{Name: "embed-images", Title: "Embed the pictures of external images in the map", Heading: headingImages,
		Args: opts{argImages}, Options: optionsMapres, Example: "embed-images --mapres ~/ddnet/data/mapres"}, mapops.EmbedImages),
	onParts(format.Command{Name: "externalize-images", Heading: headingImages,
		Title: "Remove pictures that every game has from the map, and make the images external",
		Args:  opts{argSomeImages},
		Options: slices.Concat(opts{{Name: "force", Bool: true,
			Help: "even if the picture differs from the game's, or if the game's picture is not found"}}, optionsMapres),
		Example: "externalize-images grass_main winter_main"}, mapops.ExternalizeImages),
	onParts(format.Command{Name: "remove-images", Heading: headingImages,
		Title: "Remove images; layers and quads that used them have no image then",
		Args:  opts{argSomeImages}, Example: "remove-images 'tmp_*'"},
		func(e *editor, list []int, _ mapops.ImageArgs) error { return e.RemoveImages(list) }),
	plain(format.Command{Name: "remove-unused-images", Title: "Remove the images that nothing uses", Heading: headingImages,
		Example: "remove-unused-images"}, (*mapedit.Editor).RemoveUnusedImages),
	onPart(format.Command{Name: "move-image", Title: "Move an image in the list", Heading: headingImages,
		Args: opts{argImage, argTo}, Example: "move-image sun 0"},
		func(e *editor, i int, o mapops.ImageMove) error { return e.MoveImage(i, o.To) }),
	plain(format.Command{Name: "sort-images", Title: "Sort the images by name, as in the editor", Heading: headingImages,
		Example: "sort-images"}, (*mapedit.Editor).SortImages),
	plain(format.Command{Name: "merge-images", Title: "Merge identical images", Heading: headingImages,
		Example: "merge-images"}, (*mapedit.Editor).MergeImages),
	onParts(format.Command{Name: "dilate-images", Heading: headingImages,
		Title: "Give transparent pixels the colours of their neighbours, to avoid dark seams",
		Args:  opts{argImages}, Example: "dilate-images"},
		func(e *editor, list []int, _ mapops.ImageArgs) error { return e.DilateImages(list) }),
	onParts(format.Command{Name: "optimize-images", Heading: headingImages,
		Title:   "Clear invisible pixels: transparent ones, and tiles that no layer uses",
		Args:    opts{argImages},
		Options: opts{{Name: "keep-tiles", Bool: true, Help: "keep tiles that no layer uses, for later edits"}},
		Example: "optimize-images --keep-tiles"},
		func(e *editor, list []int, o mapops.ImageOptimization) error {
			return e.OptimizeImages(list, mapedit.OptimizeOptions{KeepTiles: o.KeepTiles})
		}),
}

// sourceFields are the fields of a sound source, except its position.
var sourceFields = opts{
	{Name: "radius", Type: format.Integer, Help: "of a circle, in `pixels`"},
	{Name: "size", Type: format.Place, Help: "`width,height` of a rectangle, in pixels"},
	{Name: "loop", Choices: yesNo, Help: "whether the sound repeats"},
	{Name: "pan", Choices: yesNo, Help: "whether the sound is louder on the side of its source"},
	{Name: "delay", Type: format.Integer, Help: "`seconds` before the sound begins"},
	{Name: "falloff", Type: format.Integer, Help: "0 to 255: how far from the centre the sound has its full volume"},
	{Name: "position-envelope", Names: mapquery.KindEnvelope, Help: "the `envelope` that moves the source, or none"},
	{Name: "sound-envelope", Names: mapquery.KindEnvelope, Help: "the `envelope` that changes the volume, or none"},
}

var soundOperations = []operation{
	onMap(format.Command{Name: "add-sound", Title: "Add a sound to the map", Heading: headingSounds,
		Args: opts{argName, argOpus}, Example: "add-sound wind wind.opus"}, mapops.AddSound),
	onParts(format.Command{Name: "replace-sound", Title: "Replace the contents of sounds", Heading: headingSounds,
		Args: opts{argSound, argOpus}, Example: "replace-sound wind storm.opus"}, mapops.ReplaceSounds),
	onPart(format.Command{Name: "rename-sound", Title: "Rename a sound; layers keep it", Heading: headingSounds,
		Args: opts{argSound, argName}, Example: "rename-sound wind storm"},
		func(e *editor, i int, o mapops.SoundName) error { return e.RenameSound(i, o.Name) }),
	onParts(format.Command{Name: "remove-sounds", Title: "Remove sounds; layers that played them are silent then", Heading: headingSounds,
		Args: opts{argSounds}, Example: "remove-sounds wind"},
		func(e *editor, list []int, _ mapops.SoundArgs) error { return e.RemoveSounds(list) }),
	plain(format.Command{Name: "remove-unused-sounds", Title: "Remove the sounds that no layer plays", Heading: headingSounds,
		Example: "remove-unused-sounds"}, (*mapedit.Editor).RemoveUnusedSounds),
	onPart(format.Command{Name: "move-sound", Title: "Move a sound in the list", Heading: headingSounds,
		Args: opts{argSound, argTo}, Example: "move-sound wind 0"},
		func(e *editor, i int, o mapops.SoundMove) error { return e.MoveSound(i, o.To) }),
	onLayers(format.Command{Name: "add-source", Title: "Add a sound source to a sound layer", Heading: headingSounds,
		Args: opts{argLayer},
		Options: slices.Concat(
			opts{{Name: "at", Type: format.Place, Default: "0,0", Help: "its position in pixels; a tile has 32"}}, sourceFields),
		Example: "add-source Ambience/Wind --at 640,320 --radius 500"}, mapops.AddSource),
	onLayers(format.Command{Name: "set-source", Title: "Change sound sources of sound layers", Heading: headingSounds,
		Args: opts{argLayer},
		Options: slices.Concat(opts{
			{Name: "source", Type: format.Integer, List: true, Help: "only the source with this `number`, from 0"},
			{Name: "at", Type: format.Place, Help: "its position in pixels; a tile has 32"},
		}, sourceFields),
		Example: "set-source Ambience/Wind --loop=false --delay 3"}, mapops.SetSources),
}
