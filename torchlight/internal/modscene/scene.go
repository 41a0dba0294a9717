// Package modscene draws the files of mods and describes what they show: plans of layouts, pathing grids, pictures, and
// the sprites of image sets; and mods as sheets of their icons, items, skills and monsters.
package modscene

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// A subject is a file to draw, with functions that find the files it refers to. Errors of the functions name the file.
type subject struct {
	path string // in the game
	data []byte
	// find returns the content of a file that this one refers to by its path in the game. The error is fs.ErrNotExist
	// if the file is unavailable.
	find func(path string) ([]byte, error)
	// origin returns where a file of the game is in what was opened.
	origin func(path string) origin
	floats text.FloatStyle // the format of numbers
	// list returns the names of the files in the folder of the file.
	list func() []string
	anim string // the name of an animation; "" for the usual one
}

// sets returns the paths of the image sets in the folder of the file.
func (s *subject) sets() (list []string) {
	for _, name := range s.list() {
		if isImageSet(name) {
			list = append(list, path.Join(path.Dir(s.path), name))
		}
	}
	return list
}

// origin is where a file is located.
type origin struct {
	place string // path in the places of findings
	tree  string // path of the editable form in the tree; "" if it is not in the tree
	dump  string // name in the output of Dump, and of the space of its fields
	bytes bool   // Dump reports its fields
}

// scenes are the functions that open scenes, by file extension in the game.
var scenes = map[string]func(*subject) (format.Scene, error){
	".DDS":      pictureScene,
	".TGA":      pictureScene,
	".PNG":      pictureScene,
	".JPG":      pictureScene,
	".MPP":      gridScene,
	".IMAGESET": imageSetScene,
	".LAYOUT":   layoutScene,
	".MESH":     figureScene,
}

// Has reports whether a file of a mod can be drawn, or for "" the mod itself. The path is that in the tree.
func Has(at string) bool { return at == "" || sceneOf(at) != nil }

func sceneOf(at string) func(*subject) (format.Scene, error) {
	return scenes[strings.ToUpper(path.Ext(moddir.GamePath(at)))]
}

// Open opens the scene of a single file. Files that it refers to are searched in the MEDIA folder that contains it, in
// its own folder, and in base, the game's files; nil if they are unavailable.
func Open(src *format.Source, base moddir.Files, o Options) (format.Scene, error) {
	s, open, err := single(src, base, o)
	if err != nil {
		return nil, err
	}
	scene, err := open(s)
	return scene, fault.InFile(err, src.Path)
}

// Options are the options of scenes of single files.
type Options struct {
	Floats text.FloatStyle // the format of numbers
	Anim   string          // the animation of a model; "" for the usual one, "none" for none
}

// single returns a single file with the function that opens its scene.
func single(src *format.Source, base moddir.Files, o Options) (*subject, func(*subject) (format.Scene, error), error) {
	data, err := src.ReadUpTo(modsource.MaxSize)
	if err != nil {
		return nil, nil, err
	}
	name := modsource.GamePath(src)
	s := &subject{path: moddir.GamePath(name), data: data, floats: o.Floats, anim: o.Anim}
	s.find = firstOf(base, modsource.MediaAround(src).Read, func(name string) ([]byte, error) { return modsource.ReadBeside(src, name) })
	s.origin = func(path string) origin {
		if path != s.path {
			return origin{place: path}
		}
		return origin{tree: moddir.SinglePath(name), bytes: true}
	}
	s.list = src.Siblings
	open := sceneOf(src.Name)
	if layout.Recognize(data) {
		open = layoutScene
	}
	if kind := picture.KindOf(src.Name, data); kind != picture.None {
		open = pictureScene // whatever its name is
	}
	if open == nil {
		return nil, nil, fmt.Errorf("%s: %w", src.Path, format.ErrUnseen)
	}
	return s, open, nil
}

// OpenInArchive opens the scene of the file at a path in the tree of a mod, or of the mod itself for "". The tree
// was made with the given options.
func OpenInArchive(r *pak.Reader, tree fs.FS, at string, base moddir.Files, o moddir.Options) (format.Scene, error) {
	open := sceneOf(at)
	if open == nil && at != "" {
		return nil, fmt.Errorf("%s: %w", at, format.ErrUnseen)
	}
	s := &subject{path: moddir.GamePath(at), floats: o.Floats}
	mod := moddir.SourcesOfArchive(r, o)
	var err error
	if at == "" {
		open = func(s *subject) (format.Scene, error) { return modScene(s, mod, base) }
	} else if file := moddir.FileOf(tree, at); file != nil {
		s.path = file.Path
		s.data, err = file.Content()
	} else {
		s.data, err = fs.ReadFile(tree, at)
	}
	if err != nil {
		return nil, err
	}
	s.find = firstOf(base, mod.Content)
	s.origin = func(path string) origin {
		file := r.Find(path)
		if file == nil || file.Removed() {
			return origin{place: path}
		}
		from := origin{place: file.Path, dump: file.Path, bytes: true}
		if !o.Raw {
			from.tree = moddir.PathOf(tree, file)
		}
		return from
	}
	s.list = func() (list []string) {
		for _, f := range r.Files() {
			if !f.Removed() && path.Dir(f.Path) == path.Dir(s.path) {
				list = append(list, path.Base(f.Path))
			}
		}
		return list
	}
	scene, err := open(s)
	return scene, fault.InFile(err, at)
}

// firstOf returns a function that searches for a file in several places, and then in base unless it is nil.
func firstOf(base moddir.Files, places ...func(string) ([]byte, error)) func(string) ([]byte, error) {
	if base != nil {
		places = append(places, base.Content)
	}
	return func(name string) (data []byte, err error) {
		for _, read := range places {
			if data, err = read(name); !errors.Is(err, fs.ErrNotExist) {
				break
			}
		}
		return data, err
	}
}
