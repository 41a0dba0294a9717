package torchlight

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"trowel.example/fault"
	"trowel.example/format"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/picture"
	"trowel.example/torchlight/text"
)

// What of a mod is to be seen.

// A showing is a file that is to be drawn, with what it may name. Its errors name it.
type showing struct {
	path string // in the game
	data []byte
	// find returns a file that this one names by its path in the game, fs.ErrNotExist
	// if it is not to be had.
	find func(path string) ([]byte, error)
	// origin says where a file of the game stands in what was opened.
	origin func(path string) origin
	floats text.FloatStyle // how numbers are written
	// sets returns the paths of the image sets in the folder of the file.
	sets func() []string
}

// origin is where a file stands.
type origin struct {
	place string // its path in places of findings
	tree  string // in the tree, in its form for people; "" if it is not there
	dump  string // what Dump calls it, and the space of its fields
	bytes bool   // Dump tells of it
}

// scenes are what files show, by the ends of their names in the game.
var scenes = map[string]func(*showing) (format.Scene, error){
	".DDS":      pictureScene,
	".TGA":      pictureScene,
	".PNG":      pictureScene,
	".JPG":      pictureScene,
	".MPP":      gridScene,
	".IMAGESET": imageSetScene,
	".LAYOUT":   layoutScene,
}

// hasScene reports whether a file of a mod can be drawn, by its path in the tree.
func hasScene(at string) bool { return at != "" && sceneOf(at) != nil }

func sceneOf(at string) func(*showing) (format.Scene, error) {
	return scenes[strings.ToUpper(path.Ext(moddir.GamePath(at)))]
}

// openScene opens what a file that stands alone shows. What it names is looked for in the
// folder MEDIA that it is in, beside it, and in the game's own files.
func openScene(_ context.Context, job *format.Job, src *format.Source, _ string) (format.Scene, error) {
	data, err := src.ReadUpTo(maxCompiled)
	if err != nil {
		return nil, err
	}
	base, closer, err := openBase(job, job.Value(optionSceneBase.Name), moddir.Options{})
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
		open = pictureScene // whatever it is called
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

// firstOf looks for a file in several places.
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

// openArchiveScene opens what a file of a mod shows.
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
