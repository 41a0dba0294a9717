package torchlight

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io/fs"
	"path"
	"strings"

	"trowel.example/fault"
	"trowel.example/format"
	"trowel.example/torchlight/imageset"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/mpp"
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
	base, closer, err := openBase(job.Value(optionSceneBase.Name), moddir.Options{})
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
	open := sceneOf(src.Name)
	if layout.Recognize(data) {
		open = layoutScene
	}
	if kind := picture.KindOf(src.Name, data); kind != picture.None {
		open = pictureScene // whatever it is called
	}
	if open == nil {
		return nil, fmt.Errorf("%s: it shows nothing that can be drawn", src.Path)
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
		return nil, fmt.Errorf("%s: it shows nothing that can be drawn", at)
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
	base, closer, err := openBase(a.base, a.options)
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
	scene, err := open(s)
	return scene, fault.InFile(err, at)
}

// still is a scene that does not move, and of which nothing is left to be read.
type still struct {
	views   []stillView
	digest  [32]byte
	missing []format.Missing
}

// stillView is a view with how it is drawn.
type stillView struct {
	format.View
	draw func(dst *image.RGBA, look format.Look)
}

func (s *still) Views() []format.View {
	var views []format.View
	for _, v := range s.views {
		views = append(views, v.View)
	}
	return views
}

func (s *still) Render(_ context.Context, dst *image.RGBA, look format.Look) error {
	for _, v := range s.views {
		if v.Name == look.View || look.View == "" {
			v.draw(dst, look)
			return nil
		}
	}
	return fmt.Errorf("it has no view %q", look.View)
}

func (s *still) Missing() []format.Missing { return s.missing }
func (s *still) Close() error              { return nil }

// Fingerprint is the same for all parts.
func (s *still) Fingerprint(context.Context, format.Look, image.Rectangle) ([32]byte, error) {
	return s.digest, nil
}

// viewOf is a view of a picture whose left top is at x,y.
func viewOf(name, title string, m *image.NRGBA, x, y float64) stillView {
	return stillView{
		format.View{
			Name: name, Title: title, Scale: 1,
			Bounds: format.Rect{Min: [2]float64{x, y}, Max: [2]float64{x + float64(m.Rect.Dx()), y + float64(m.Rect.Dy())}},
		},
		func(dst *image.RGBA, look format.Look) { picture.Draw(dst, m, x, y, look.Origin, look.Scale) },
	}
}

func pictureScene(s *showing) (format.Scene, error) {
	m, err := picture.Decode(s.path, s.data)
	if err != nil {
		return nil, err
	}
	return &still{views: []stillView{viewOf("picture", "the picture", m, 0, 0)}, digest: sha256.Sum256(s.data)}, nil
}

func gridScene(s *showing) (format.Scene, error) {
	f, err := mpp.Decode(s.data)
	if err != nil {
		if f, err = mpp.Parse(s.data); err != nil { // its form for people
			return nil, err
		}
	}
	view := viewOf("grid", "where one can walk: green is ground, brown is walls", f.Image(), 0, -float64(f.Height))
	view.Axes = [2]string{"x", "-z"}
	return &still{views: []stillView{view}, digest: sha256.Sum256(s.data)}, nil
}

// contactBackground is dark, as the game's windows are.
var contactBackground = color.NRGBA{0x28, 0x28, 0x2c, 0xff}

func imageSetScene(s *showing) (format.Scene, error) {
	set, err := imageset.Parse(s.data)
	if set == nil {
		return nil, err
	}
	scene := new(still)
	if err != nil {
		scene.missing = append(scene.missing, format.Missing{Kind: "sprite", Name: s.path, What: err.Error(), Loss: true})
	}
	sheet := new(image.NRGBA)
	data, err := s.find(set.File)
	if err == nil {
		sheet, err = picture.Decode(set.File, data)
	}
	if err != nil {
		return nil, fmt.Errorf("its picture %s: %w", set.File, plainError(err))
	}
	contact := imageset.NewContact(set, sheet)
	size := contact.Size()
	scene.digest = sha256.Sum256(append(data, s.data...))
	scene.views = []stillView{{
		format.View{Name: "contact", Title: "all sprites, each over its name", Scale: 1, Background: contactBackground,
			Bounds: format.Rect{Max: [2]float64{float64(size.X), float64(size.Y)}}},
		func(dst *image.RGBA, look format.Look) { contact.Draw(dst, look.Origin, look.Scale) },
	}, viewOf("sheet", "the picture that the sprites are cut from", sheet, 0, 0)}
	return scene, nil
}

// plainError says that a file is not there as people say it.
func plainError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("is not there: it is looked for in the mod, in --base and beside the file")
	}
	return err
}
