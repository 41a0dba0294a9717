package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/mapedit"
)

var imageOperations = []*format.Command{
	onMap(format.Command{Name: "add-image", Title: "Add a picture to the map", Heading: headingImages,
		Example: "add-image grass_dark grass_dark.png"}, mapops.AddImage),
	onMap(format.Command{Name: "add-external-images", Heading: headingImages,
		Title:   "Add images of which every game has the picture; those that the map has are not added again",
		Example: "add-external-images grass_main sun"}, mapops.AddExternalImages),
	onParts(format.Command{Name: "replace-image", Title: "Replace the picture of images", Heading: headingImages,
		Example: "replace-image grass_main grass_dark.png"}, mapops.ReplaceImages),
	onPart(format.Command{Name: "rename-image", Title: "Rename an image; layers and quads keep it", Heading: headingImages,
		Example: "rename-image grass_main grass_dark"},
		func(e *editor, i int, o mapops.ImageName) error { return e.RenameImage(i, o.Name) }),
	onParts(format.Command{Name: "embed-images", Title: "Embed the pictures of external images in the map", Heading: headingImages,
		Example: "embed-images --mapres ~/ddnet/data/mapres"}, mapops.EmbedImages),
	onParts(format.Command{Name: "externalize-images", Heading: headingImages,
		Title:   "Remove pictures that every game has from the map, and make the images external",
		Example: "externalize-images grass_main winter_main"}, mapops.ExternalizeImages),
	onParts(format.Command{Name: "remove-images", Heading: headingImages,
		Title:   "Remove images; layers and quads that used them have no image then",
		Example: "remove-images 'tmp_*'"},
		func(e *editor, list []int, _ mapops.SomeImages) error { return e.RemoveImages(list) }),
	onPart(format.Command{Name: "move-image", Title: "Move an image in the list", Heading: headingImages,
		Example: "move-image sun 0"},
		func(e *editor, i int, o mapops.ImageMove) error { return e.MoveImage(i, o.To) }),
	plain(format.Command{Name: "sort-images", Title: "Sort the images by name, as in the editor", Heading: headingImages,
		Example: "sort-images"}, (*mapedit.Editor).SortImages),
	plain(format.Command{Name: "merge-images", Title: "Merge identical images", Heading: headingImages,
		Example: "merge-images"}, (*mapedit.Editor).MergeImages),
	onParts(format.Command{Name: "dilate-images", Heading: headingImages,
		Title:   "Give transparent pixels the colours of their neighbours, to avoid dark seams",
		Example: "dilate-images"},
		func(e *editor, list []int, _ mapops.ImageArgs) error { return e.DilateImages(list) }),
	onParts(format.Command{Name: "optimize-images", Heading: headingImages,
		Title:   "Clear invisible pixels: transparent ones, and tiles that no layer uses",
		Example: "optimize-images --keep-tiles"},
		func(e *editor, list []int, o mapops.ImageOptimization) error {
			return e.OptimizeImages(list, mapedit.OptimizeOptions{KeepTiles: o.KeepTiles})
		}),
}

var soundOperations = []*format.Command{
	onMap(format.Command{Name: "add-sound", Title: "Add a sound to the map", Heading: headingSounds,
		Example: "add-sound wind wind.opus"}, mapops.AddSound),
	onParts(format.Command{Name: "replace-sound", Title: "Replace the contents of sounds", Heading: headingSounds,
		Example: "replace-sound wind storm.opus"}, mapops.ReplaceSounds),
	onPart(format.Command{Name: "rename-sound", Title: "Rename a sound; layers keep it", Heading: headingSounds,
		Example: "rename-sound wind storm"},
		func(e *editor, i int, o mapops.SoundName) error { return e.RenameSound(i, o.Name) }),
	onParts(format.Command{Name: "remove-sounds", Title: "Remove sounds; layers that played them are silent then", Heading: headingSounds,
		Example: "remove-sounds wind"},
		func(e *editor, list []int, _ mapops.SoundArgs) error { return e.RemoveSounds(list) }),
	onPart(format.Command{Name: "move-sound", Title: "Move a sound in the list", Heading: headingSounds,
		Example: "move-sound wind 0"},
		func(e *editor, i int, o mapops.SoundMove) error { return e.MoveSound(i, o.To) }),
	onLayers(format.Command{Name: "add-source", Title: "Add a sound source to a sound layer", Heading: headingSounds,
		Example: "add-source Ambience/Wind --at 640,320 --radius 500"}, mapops.AddSource),
	onLayers(format.Command{Name: "set-source", Title: "Change sound sources of sound layers", Heading: headingSounds,
		Example: "set-source Ambience/Wind --loop=false --delay 3"}, mapops.SetSources),
}
