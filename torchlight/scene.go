package torchlight

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// The scenes of mods.

// A showing is a file to draw, with functions that find the files it refers to. Errors of the functions name the file.
type showing struct {
	path string // in the game
	data []byte
	// find returns the content of a file that this one refers to by its path in the game. The error is fs.ErrNotExist
	// if the file is unavailable.
	find func(path string) ([]byte, error)
	// origin returns where a file of the game is in what was opened.
	origin func(path string) origin
	floats text.FloatStyle // the format of numbers
	// sets returns the paths of the image sets in the folder of the file.
	sets func() []string
}

// origin is where a file is located.
type origin struct {
	place string // path in the places of findings
	tree  string // path of the editable form in the tree; "" if it is not in the tree
	dump  string // name in the output of Dump, and of the space of its fields
	bytes bool   // Dump reports its fields
}

// scenes are the functions that open scenes, by file extension in the game.
var scenes = map[string]func(*showing) (format.Scene, error){
	".DDS":      pictureScene,
	".TGA":      pictureScene,
	".PNG":      pictureScene,
	".JPG":      pictureScene,
	".MPP":      gridScene,
	".IMAGESET": imageSetScene,
	".LAYOUT":   layoutScene,
}

// hasScene reports whether a file of a mod can be drawn. The path is that in the tree.
func hasScene(at string) bool { return at != "" && sceneOf(at) != nil }

func sceneOf(at string) func(*showing) (format.Scene, error) {
	return scenes[strings.ToUpper(path.Ext(moddir.GamePath(at)))]
}

// openScene opens the scene of a single file. Files that it refers to are searched in the MEDIA folder that contains
// it, in its own folder, and in the game's files.
func openScene(_ context.Context, job *format.Job, src *format.Source, _ string) (format.Scene, error) {
	data, err := src.ReadUpTo(maxCompiled)
	if err != nil {
		return nil, err
	}
	base, closer, err := openBase(job, optionSceneBase.Value(job), moddir.Options{})
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	find := []func(string) ([]byte, error){mediaAround(src).read, func(name string) ([]byte, error) { return readBeside(src, name) }}
	if base != nil {
		find = append(find, base.Content)
	}
	s := &showing{path: moddir.GamePath(gamePath(src)), data: data, find: firstOf(find...), floats: floatStyle(job)}
	s.origin = func(path string) origin {
		if path != s.path {
			return origin{place: path}
		}
		return origin{tree: moddir.SinglePath(gamePath(src)), bytes: true}
	}
	s.sets = func() (list []string) {
		for _, name := range src.Siblings() {
			if isImageSet(name) {
				list = append(list, path.Join(path.Dir(s.path), name))
			}
		}
		return list
	}
	open := sceneOf(src.Name)
	if layout.Recognize(data) {
		open = layoutScene
	}
	if kind := picture.KindOf(src.Name, data); kind != picture.None {
		open = pictureScene // whatever its name is
	}
	if open == nil {
		return nil, fmt.Errorf("%s: %w", src.Path, format.ErrUnseen)
	}
	scene, err := open(s)
	return scene, fault.InFile(err, src.Path)
}

func readBeside(src *format.Source, name string) ([]byte, error) {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	beside, err := src.Beside(name)
	if err != nil {
		return nil, err
	}
	defer beside.Close()
	return beside.ReadUpTo(maxCompiled)
}

// firstOf returns a function that searches for a file in several places.
func firstOf(places ...func(string) ([]byte, error)) func(string) ([]byte, error) {
	return func(name string) (data []byte, err error) {
		for _, read := range places {
			if data, err = read(name); !errors.Is(err, fs.ErrNotExist) {
				break
			}
		}
		return data, err
	}
}

// openArchiveScene opens the scene of a file of a mod.
func openArchiveScene(ctx context.Context, job *format.Job, src *format.Source, at string) (format.Scene, error) {
	open := sceneOf(at)
	if open == nil {
		return nil, fmt.Errorf("%s: %w", at, format.ErrUnseen)
	}
	openFile := openPakFile
	if isMod(src) {
		openFile = openModFile
	}
	f, err := openFile(ctx, job, src)
	if err != nil {
		return nil, err
	}
	a := f.(*archive)
	defer a.Close()
	tree, err := a.Tree(ctx, job)
	if err != nil {
		return nil, err
	}
	s := &showing{path: moddir.GamePath(at), floats: a.options.Floats}
	if file := moddir.FileOf(tree, at); file != nil {
		s.path = file.Path
		s.data, err = file.Content()
	} else {
		s.data, err = fs.ReadFile(tree, at)
	}
	if err != nil {
		return nil, err
	}
	base, closer, err := openBase(job, a.base, a.options)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	find := []func(string) ([]byte, error){moddir.SourcesOfArchive(a.reader, a.options).Content}
	if base != nil {
		find = append(find, base.Content)
	}
	s.find = firstOf(find...)
	s.origin = func(path string) origin {
		file := a.reader.Find(path)
		if file == nil || file.Removed() {
			return origin{place: path}
		}
		o := origin{place: file.Path, dump: file.Path, bytes: true}
		if !a.options.Raw {
			o.tree = moddir.PathOf(tree, file)
		}
		return o
	}
	s.sets = func() (list []string) {
		for _, f := range a.reader.Files() {
			if isImageSet(f.Path) && !f.Removed() && path.Dir(f.Path) == path.Dir(s.path) {
				list = append(list, f.Path)
			}
		}
		return list
	}
	scene, err := open(s)
	return scene, fault.InFile(err, at)
}
