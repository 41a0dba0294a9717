package teeworlds

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
)

// editing is the function that performs a command.
type editing = func(ctx context.Context, e *mapedit.Editor, job *format.Job) error

// command declares an edit operation. The example is an example of its use.
func command(heading, name, title string, args, options []format.Option, example string, do editing) mapCommand {
	return mapCommand{format.Command{Name: name, Title: title, Heading: heading, Args: args, Options: options, Example: example}, do}
}

type opts = []format.Option

var (
	argImage      = format.Option{Name: "image", Names: kindImage, Help: "the name of an image, with * and ?, or its number"}
	argImages     = format.Option{Name: "image", Names: kindImage, List: true, Help: argImage.Help + " (default: all)"}
	argSomeImages = format.Option{Name: "image", Names: kindImage, List: true, Some: true, Help: argImage.Help}
	argSound      = format.Option{Name: "sound", Names: kindSound, Help: "the name of a sound, with * and ?, or its number"}
	argSounds     = format.Option{Name: "sound", Names: kindSound, List: true, Some: true, Help: argSound.Help}
	argName       = format.Option{Name: "name", Help: "the new name"}
	argTo         = format.Option{Name: "to", Type: format.Integer, Help: "the number that it gets, from 0"}

	// The pictures of the games are found as for drawing the map.
	optionsMapres = opts{ofCommand(optionMapres), ofCommand(optionMapresOf)}
)

// ofCommand returns an option of a scene as an option of a command.
func ofCommand(o format.Option) format.Option {
	o.For = 0
	return o
}

// several returns the numbers of the parts that the words of an argument select, in the order of the words, or all
// parts without words. Words that select no part are ignored if others do.
func several(job *format.Job, arg string, find func(string) ([]int, error)) ([]int, error) {
	words := job.List(arg)
	if len(words) == 0 {
		return find("")
	}
	var list []int
	var missing error
	for _, word := range words {
		found, err := find(word)
		missing = errors.Join(missing, err)
		for _, i := range found {
			if !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	}
	if list == nil {
		return nil, missing
	}
	return list, job.Lack(missing)
}

// one returns the number of the single part that a word selects.
func one(word string, find func(string) ([]int, error)) (int, error) {
	list, err := find(word)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%q names %d: expected one, by its number if need be", word, len(list))
	}
	if err != nil {
		return 0, err
	}
	return list[0], nil
}

// ofSeveral returns a command function that calls do with the numbers of parts.
func ofSeveral(arg string, find func(*mapedit.Editor) func(string) ([]int, error), do func(e *mapedit.Editor, job *format.Job, list []int) error) editing {
	return func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
		list, err := several(job, arg, find(e))
		if err != nil {
			return err
		}
		return do(e, job, list)
	}
}

// ofOne returns a command function that calls do with the number of a part.
func ofOne(arg string, find func(*mapedit.Editor) func(string) ([]int, error), do func(e *mapedit.Editor, job *format.Job, i int) error) editing {
	return func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
		i, err := one(job.Value(arg), find(e))
		if err != nil {
			return err
		}
		return do(e, job, i)
	}
}

// ofMap returns a command function that calls do without arguments.
func ofMap(do func(*mapedit.Editor) error) editing {
	return func(_ context.Context, e *mapedit.Editor, _ *format.Job) error { return do(e) }
}

func byImage(e *mapedit.Editor) func(string) ([]int, error) { return e.Images }
func bySound(e *mapedit.Editor) func(string) ([]int, error) { return e.Sounds }

// externals returns a function that returns the pictures of external images.
func externals(e *mapedit.Editor, job *format.Job) (func(name string) (*image.NRGBA, error), error) {
	o, err := drawOptions(job, job.Source)
	if err != nil {
		return nil, err
	}
	r, err := mapdraw.New(e.Map(), o)
	if err != nil {
		return nil, err
	}
	return r.External, nil
}

// maxSoundFile is the size of the largest file that is read as a sound, in bytes.
const maxSoundFile = 64 << 20

var argPNG = format.Option{Name: "file", Input: true, Help: "a picture, PNG"}
var argOpus = format.Option{Name: "file", Input: true, Help: "a sound, Opus"}

var imageCommands = []mapCommand{
	command("Images", "add-image", "Put a picture into the map", opts{argName, argPNG}, nil, "add-image grass_dark grass_dark.png",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			p, err := mapdraw.ReadPNG(job.Value("file"))
			if err != nil {
				return err
			}
			return e.AddImage(job.Value("name"), p)
		}),
	command("Images", "replace-image", "Give images another picture", opts{argImage, argPNG}, nil, "replace-image grass_main grass_dark.png",
		ofSeveral("image", byImage, func(e *mapedit.Editor, job *format.Job, list []int) error {
			p, err := mapdraw.ReadPNG(job.Value("file"))
			if err != nil {
				return err
			}
			return e.ReplaceImages(list, p)
		})),
	command("Images", "rename-image", "Rename an image; all that is drawn with it still is", opts{argImage, argName}, nil, "rename-image grass_main grass_dark",
		ofOne("image", byImage, func(e *mapedit.Editor, job *format.Job, i int) error { return e.RenameImage(i, job.Value("name")) })),
	command("Images", "embed-images", "Put pictures into the map that it only names", opts{argImages}, optionsMapres,
		"embed-images --mapres ~/ddnet/data/mapres",
		ofSeveral("image", byImage, func(e *mapedit.Editor, job *format.Job, list []int) error {
			find, err := externals(e, job)
			if err != nil {
				return err
			}
			return e.EmbedImages(list, find)
		})),
	command("Images", "externalize-images", "Take pictures out of the map that every game has",
		opts{argSomeImages}, append(opts{{Name: "force", Bool: true, Help: "also those that are not as the game has them, or that are not to be found there"}}, optionsMapres...),
		"externalize-images grass_main winter_main",
		ofSeveral("image", byImage, func(e *mapedit.Editor, job *format.Job, list []int) error {
			find, err := externals(e, job)
			if err != nil {
				return err
			}
			if job.On("force") {
				find = nil
			}
			return e.MakeImagesExternal(list, find)
		})),
	command("Images", "remove-images", "Remove images; what was drawn with them has none then", opts{argSomeImages}, nil, "remove-images 'tmp_*'",
		ofSeveral("image", byImage, func(e *mapedit.Editor, _ *format.Job, list []int) error { return e.RemoveImages(list) })),
	command("Images", "remove-unused-images", "Remove the images that nothing is drawn with", nil, nil, "remove-unused-images", ofMap((*mapedit.Editor).RemoveUnusedImages)),
	command("Images", "move-image", "Move an image in the list", opts{argImage, argTo}, nil, "move-image sun 0",
		ofOne("image", byImage, func(e *mapedit.Editor, job *format.Job, i int) error { return e.MoveImage(i, job.Integer("to")) })),
	command("Images", "sort-images", "Sort the images by name, as the editor does", nil, nil, "sort-images", ofMap((*mapedit.Editor).SortImages)),
	command("Images", "merge-images", "Make one of images that are the same", nil, nil, "merge-images", ofMap((*mapedit.Editor).MergeImages)),
	command("Images", "dilate-images", "Give transparent pixels the colours of those beside them, so that no dark seams are drawn", opts{argImages}, nil, "dilate-images",
		ofSeveral("image", byImage, func(e *mapedit.Editor, _ *format.Job, list []int) error { return e.DilateImages(list) })),
	command("Images", "optimize-images", "Empty pixels that are not seen: transparent ones, and tiles that no layer uses", opts{argImages},
		opts{{Name: "keep-tiles", Bool: true, Help: "leave tiles that no layer uses, for whoever goes on to edit the map"}}, "optimize-images --keep-tiles",
		ofSeveral("image", byImage, func(e *mapedit.Editor, job *format.Job, list []int) error {
			return e.OptimizeImages(list, mapedit.OptimizeOptions{KeepTiles: job.On("keep-tiles")})
		})),
}

var soundCommands = []mapCommand{
	command("Sounds", "add-sound", "Put a sound into the map", opts{argName, argOpus}, nil, "add-sound wind wind.opus",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			data, err := regular.ReadFile(job.Value("file"), maxSoundFile)
			if err != nil {
				return err
			}
			return e.AddSound(job.Value("name"), data)
		}),
	command("Sounds", "replace-sound", "Give sounds the bytes of another file", opts{argSound, argOpus}, nil, "replace-sound wind storm.opus",
		ofSeveral("sound", bySound, func(e *mapedit.Editor, job *format.Job, list []int) error {
			data, err := regular.ReadFile(job.Value("file"), maxSoundFile)
			if err != nil {
				return err
			}
			return e.ReplaceSounds(list, data)
		})),
	command("Sounds", "rename-sound", "Rename a sound; all layers that play it still do", opts{argSound, argName}, nil, "rename-sound wind storm",
		ofOne("sound", bySound, func(e *mapedit.Editor, job *format.Job, i int) error { return e.RenameSound(i, job.Value("name")) })),
	command("Sounds", "remove-sounds", "Remove sounds; layers that played them are silent then", opts{argSounds}, nil, "remove-sounds wind",
		ofSeveral("sound", bySound, func(e *mapedit.Editor, _ *format.Job, list []int) error { return e.RemoveSounds(list) })),
	command("Sounds", "remove-unused-sounds", "Remove the sounds that no layer plays", nil, nil, "remove-unused-sounds", ofMap((*mapedit.Editor).RemoveUnusedSounds)),
	command("Sounds", "move-sound", "Move a sound in the list", opts{argSound, argTo}, nil, "move-sound wind 0",
		ofOne("sound", bySound, func(e *mapedit.Editor, job *format.Job, i int) error { return e.MoveSound(i, job.Integer("to")) })),
	command("Sounds", "add-source", "Put a sound source into a layer of sounds", opts{argLayer}, append(opts{{Name: "at", Type: format.Place, Default: "0,0", Help: "where it is, in pixels: a tile has 32"}}, sourceOptions...),
		"add-source Ambience/Wind --at 640,320 --radius 500", addSource),
	command("Sounds", "set-source", "Change sound sources of layers of sounds", opts{argLayer},
		append(opts{{Name: "source", Type: format.Integer, List: true, Help: "only this one, by its `number` from 0"}, {Name: "at", Type: format.Place, Help: "where it is, in pixels: a tile has 32"}}, sourceOptions...),
		"set-source Ambience/Wind --loop=false --delay 3", setSource),
}
