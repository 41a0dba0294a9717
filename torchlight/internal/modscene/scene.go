// Package modscene draws the files of mods and describes what they show: plans of layouts, pathing grids, pictures, and
// the sprites of image sets, menus; and mods as sheets of their icons, items, skills and monsters.
package modscene

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
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
	// list returns the names of the files in a folder of the game.
	list func(folder string) []string
	// below returns the paths of the files in a folder of the game and in the folders inside it, those of the mod first.
	below func(folder string) []string
	Options
}

// sets returns the paths of the image sets in the folder of the file.
func (s *subject) sets() (list []string) {
	dir := path.Dir(s.path)
	for _, name := range s.list(dir) {
		if isImageSet(name) {
			list = append(list, path.Join(dir, name))
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
var scenes = map[string]func(*subject) (*format.Scene, error){
	".DDS":      pictureScene,
	".TGA":      pictureScene,
	".PNG":      pictureScene,
	".JPG":      pictureScene,
	".MPP":      gridScene,
	".IMAGESET": imageSetScene,
	".LAYOUT":   layoutScene,
	".MESH":     figureScene,
	unitType:    figureScene,
}

// unitType is the extension of data files. Those of units have a model.
const unitType = ".DAT"

// Has reports whether a file of a mod can be drawn, or for "" the mod itself. The path is that in the tree. Units whose
// mesh is unavailable cannot, which shows when they are opened.
func Has(at string) bool {
	name := moddir.GamePath(at)
	return at == "" || sceneOf(at) != nil && (extensionOf(name) != unitType || strings.HasPrefix(name, "MEDIA/UNITS/"))
}

func sceneOf(at string) func(*subject) (*format.Scene, error) {
	return scenes[extensionOf(moddir.GamePath(at))]
}

// extensionOf returns the extension of a file of the game in upper case. That of compiled files of the first game is the
// one before .ADM.
func extensionOf(name string) string {
	name = strings.ToUpper(name)
	if short := strings.TrimSuffix(name, moddir.ADM); path.Ext(short) == unitType {
		name = short
	}
	return path.Ext(name)
}

// Open opens the scene of a single file. Files that it refers to are searched in the MEDIA folder that contains it, in
// its own folder, and in base, the game's files; nil if they are unavailable.
func Open(src *format.Source, base moddir.Files, o Options) (*format.Scene, error) {
	s, open, err := single(src, base, o)
	if err != nil {
		return nil, err
	}
	scene, err := open(s)
	return scene, fault.InFile(err, src.Path)
}

// Options are the options of scenes and models.
type Options struct {
	Floats text.FloatStyle // the format of numbers
	Anim   string          // the animation of a model; "" for the usual one, "none" for none
	Mesh   string          // another mesh of a unit; "" for the usual one
	Level  Level           // of the values of items and monsters; its graphs are read when they are needed
}

// single returns a single file with the function that opens its scene.
func single(src *format.Source, base moddir.Files, o Options) (*subject, func(*subject) (*format.Scene, error), error) {
	data, err := src.ReadUpTo(effort.TextFile)
	if err != nil {
		return nil, nil, err
	}
	name := modsource.GamePath(src)
	media := modsource.MediaAround(src)
	s := &subject{path: moddir.GamePath(name), data: data, Options: o}
	beside := func(name string) ([]byte, error) {
		if path.Base(gamePath(name)) == path.Base(s.path) { // a file of another folder
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return modsource.ReadBeside(src, name)
	}
	// A file with the same name in this folder is only a guess, but without MEDIA a better one than the game's file.
	s.find = firstOf(base, media.Read, beside)
	if media.Known() {
		s.find = firstOf(nil, firstOf(base, media.Read), beside)
	}
	s.origin = func(path string) origin {
		if path != s.path {
			return origin{place: path}
		}
		return origin{tree: moddir.SinglePath(name), bytes: true}
	}
	s.list = func(folder string) []string { return names(folder, base, src.Siblings(), media.Names(folder)) }
	s.below = func(folder string) []string { return below(folder, base, media.Below(folder)) }
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

// names returns the names in some lists, and those of files of the base in a folder, each once.
func names(folder string, base moddir.Files, lists ...[]string) (all []string) {
	seen := make(map[string]bool)
	add := func(name string) {
		if key := strings.ToUpper(name); !seen[key] {
			seen[key] = true
			all = append(all, name)
		}
	}
	for _, list := range lists {
		for _, name := range list {
			add(name)
		}
	}
	if base != nil {
		for name := range base.Files() {
			if strings.EqualFold(path.Dir(name), folder) {
				add(path.Base(name))
			}
		}
	}
	return all
}

// Archive is an open mod or archive.
type Archive struct {
	*pak.Reader
	Tree    fs.FS
	Base    moddir.Files // the game's files; nil if they are unavailable
	Options moddir.Options
}

// Open opens the scene of the file at a path in the tree of an archive, or of the mod itself for "".
func (a *Archive) Open(at string, o Options) (*format.Scene, error) {
	if at == "" {
		s := a.subject(o)
		return modScene(s, moddir.SourcesOfArchive(a.Reader, a.Options), a.Base)
	}
	s, open, err := a.file(at, o)
	if err != nil {
		return nil, fault.InFile(err, at)
	}
	scene, err := open(s)
	return scene, fault.InFile(err, at)
}

// file returns a file of the archive with the function that opens its scene.
func (a *Archive) file(at string, o Options) (*subject, func(*subject) (*format.Scene, error), error) {
	open := sceneOf(at)
	if open == nil {
		return nil, nil, format.ErrUnseen
	}
	s := a.subject(o)
	s.path = moddir.GamePath(at)
	file := moddir.FileOf(a.Tree, at)
	if file == nil {
		file = a.Find(s.path)
	}
	var err error
	if file != nil && !file.Removed() {
		s.path = file.Path
		s.data, err = file.Content()
	} else if s.data, err = s.find(s.path); errors.Is(err, fs.ErrNotExist) { // an icon of the game's files, say
		s.data, err = fs.ReadFile(a.Tree, at)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
			err = &fault.NameError{Kind: "file", Name: at, Names: s.below("MEDIA"), Where: "in the mod", Advice: "`trowel ls` lists the files"}
		}
	}
	return s, open, err
}

// subject returns a subject without a file.
func (a *Archive) subject(o Options) *subject {
	s := &subject{Options: o}
	s.Floats = a.Options.Floats
	mod := moddir.SourcesOfArchive(a.Reader, a.Options)
	s.find = firstOf(a.Base, mod.Content)
	s.origin = func(path string) origin {
		file := a.Find(path)
		if file == nil || file.Removed() {
			return origin{place: path}
		}
		from := origin{place: file.Path, dump: file.Path, bytes: true}
		if !a.Options.Raw {
			from.tree = moddir.PathOf(a.Tree, file)
		}
		return from
	}
	s.list = func(folder string) []string {
		var own []string
		for _, f := range a.Files() {
			if !f.Removed() && strings.EqualFold(path.Dir(f.Path), folder) {
				own = append(own, path.Base(f.Path))
			}
		}
		return names(folder, a.Base, own)
	}
	s.below = func(folder string) []string { return below(folder, a.Base, slices.Collect(mod.Files())) }
	return s
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
