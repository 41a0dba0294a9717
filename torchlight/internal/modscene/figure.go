package modscene

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"image"
	"image/color"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/picture/gltf"
	"trowel.example/torchlight/internal/figure"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// figureViews are the views of a model.
var figureViews = []struct {
	name, title string
	camera      figure.Camera
}{{"front", "the model from the front", figure.Front}, {"iso", "the model from the front, the right and above", figure.Iso}}

// figures is a model, at rest or moved by an animation.
type figures struct {
	*figure.Figure
	clip   *figure.Clip // nil: at rest
	origin origin
	anims  []string
	usual  string // of the animations
}

// The names of the options that choose an animation and a mesh.
const (
	AnimOption = "anim"
	MeshOption = "mesh"
)

// noAnim means no animation.
const noAnim = "none"

// modelSide is the usual height of the picture of a model in pixels.
const modelSide = 480

// openFigure puts the model of a mesh or of a unit together. The hash gets everything that it reads.
func (s *subject) openFigure(sum hash.Hash) (*figure.Figure, error) {
	read := func(path string) ([]byte, error) {
		if strings.EqualFold(path, s.path) {
			return s.data, nil
		}
		data, err := s.find(path)
		if errors.Is(err, fs.ErrNotExist) && extensionOf(path) == unitType {
			data, err = s.find(path + moddir.ADM)
		}
		return data, err
	}
	files := figure.Files{List: s.list, Read: func(path string) ([]byte, error) {
		data, err := read(path)
		fmt.Fprintf(sum, "%q %d %v\n", path, len(data), err)
		sum.Write(data)
		return data, err
	}}
	if extensionOf(s.path) == unitType {
		return figure.OpenUnit(files, s.path, s.Mesh)
	}
	return figure.Open(files, s.path)
}

func figureScene(s *subject) (*format.Scene, error) {
	sum := sha256.New()
	f, err := s.openFigure(sum)
	if errors.Is(err, figure.ErrNoMesh) {
		err = fmt.Errorf("%w: %w", format.ErrUnseen, err)
	}
	if err != nil {
		return nil, err
	}
	m := &figures{Figure: f, origin: s.origin(s.path), anims: f.Available(), usual: noAnim}
	usual := f.Usual()
	if usual != nil {
		m.usual = usual.Name
	}
	switch s.Anim {
	case "":
		m.clip = usual
	case noAnim:
	default:
		if m.clip, err = f.Clip(s.Anim); err != nil {
			return nil, err
		}
	}
	var digest [32]byte
	sum.Sum(digest[:0])
	scene := &format.Scene{Missing: m.missing, Choices: m.choices}
	turning := format.Turning{Model: m.model}
	turning.Lamp, turning.Ambient, turning.Direct = figure.Light()
	for _, v := range figureViews {
		turned := turning
		turned.Axes = v.camera.Axes()
		low, high := f.Bounds(v.camera, m.clip)
		size := max(high[0]-low[0], high[1]-low[1], 1e-3)
		margin := size / 40
		view := format.View{Name: v.name, Title: v.title, Scale: modelSide / size,
			Background: color.NRGBA{0x30, 0x34, 0x38, 255}, Paper: true, Turning: &turned,
			Bounds: format.Rect{Min: [2]float64{low[0] - margin, low[1] - margin}, Max: [2]float64{high[0] + margin, high[1] + margin}}}
		turned.Bounds = view.Bounds
		if m.clip != nil {
			view.Moves, view.Loop = true, time.Duration(m.clip.Length*float64(time.Second))
		}
		pose := func(look format.Look) []figure.Matrix { return f.Pose(m.clip, look.Time.Seconds()) }
		view.Render = func(ctx context.Context, dst *image.RGBA, look format.Look) error {
			return f.Draw(ctx, dst, v.camera, pose(look), look.Origin, look.Scale)
		}
		view.Inspect = func(_ context.Context, look format.Look, at [2]float64) ([]format.Thing, error) {
			return m.inspect(f.At(v.camera, pose(look), at)), nil
		}
		view.Where = func(_ context.Context, place check.Place) (format.Rect, bool) {
			return view.Bounds, m.origin.means(text.Whole(place))
		}
		view.Fingerprint = sameFor(digest)
		scene.Views = append(scene.Views, view)
	}
	return scene, nil
}

// choices returns the animations and the meshes that can be chosen.
func (s *figures) choices(option string) (values []string, usual string) {
	switch {
	case option == AnimOption && s.anims != nil:
		return append(slices.Clone(s.anims), noAnim), s.usual
	case option == MeshOption && len(s.Meshes) > 1:
		return s.Meshes, s.Meshes[0]
	}
	return nil, ""
}

// model returns the model with its animation, if it moves.
func (s *figures) model(context.Context, format.Look) ([]byte, error) {
	var clips []*figure.Clip
	if s.clip != nil {
		clips = append(clips, s.clip)
	}
	m, err := s.Figure.Model(clips)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = gltf.Write(&out, m)
	return out.Bytes(), err
}

// inspect describes a triangle of a part of the model; p is nil if there is none.
func (s *figures) inspect(p *figure.Part, triangle int) []format.Thing {
	if p == nil {
		return nil
	}
	t := format.Thing{Title: fmt.Sprintf("submesh %d", p.Index), Facts: []format.InfoField{format.Fact("mesh", "mesh", s.Path)}}
	if p.Name != "" {
		t.Title += " " + strconv.Quote(p.Name)
	}
	t.Facts = append(t.Facts, format.Fact("material", "material", p.Material.Name))
	if p.Material.Texture != nil {
		t.Facts = append(t.Facts, format.Fact("texture", "texture", p.Material.Texture.Path))
	}
	t.Facts = append(t.Facts, format.Fact("triangle", "triangle", triangle))
	if s.clip != nil {
		t.Facts = append(t.Facts, format.Fact("animation", "animation", s.clip.Name))
	}
	return []format.Thing{t}
}

func (s *figures) missing() (list []format.Missing) {
	for _, l := range s.Lacks {
		list = append(list, format.Missing{Kind: l.Kind, Name: l.Name, What: l.Why, Loss: l.Loss})
	}
	return list
}

// Model returns the model of a single mesh or unit, with animations by their names: all if there are none. Lacks are what
// the model lacks.
func Model(src *format.Source, base moddir.Files, anims []string, o Options) (m *gltf.Model, lacks []format.Missing, err error) {
	s, _, err := single(src, base, o)
	if errors.Is(err, format.ErrUnseen) {
		err = fmt.Errorf("%s: %w", src.Path, errNoModel)
	}
	if err == nil {
		m, lacks, err = s.model(anims)
	}
	return m, lacks, fault.InFile(err, src.Path)
}

// ModelOf returns the model of the unit or mesh at a path of the game without its animations, from files of the game.
func ModelOf(files figure.Files, at string) (*gltf.Model, error) {
	data, err := files.Read(at)
	if err != nil {
		return nil, err
	}
	s := &subject{path: at, data: data, find: files.Read, list: files.List}
	m, _, err := s.model([]string{noAnim})
	return m, err
}

// Model returns the model of a mesh or unit of an archive, like the function [Model].
func (a *Archive) Model(at string, anims []string, o Options) (m *gltf.Model, lacks []format.Missing, err error) {
	s, _, err := a.file(at, o)
	if errors.Is(err, format.ErrUnseen) {
		err = errNoModel
	}
	if err == nil {
		m, lacks, err = s.model(anims)
	}
	if err != nil && !errors.As(err, new(*fault.NameError)) {
		err = fmt.Errorf("%s: %w", at, err)
	}
	return m, lacks, err
}

var errNoModel = errors.New("expected a mesh or a unit (other files have no model)")

func (s *subject) model(anims []string) (m *gltf.Model, lacks []format.Missing, err error) {
	if extension := extensionOf(s.path); extension != unitType && extension != ".MESH" {
		return nil, nil, errNoModel
	}
	f, err := s.openFigure(sha256.New())
	if err != nil {
		return nil, nil, err
	}
	var clips []*figure.Clip
	if len(anims) != 1 || anims[0] != noAnim {
		if clips, err = f.ClipsOf(anims); err != nil {
			return nil, nil, err
		}
	}
	m, err = f.Model(clips)
	return m, (&figures{Figure: f}).missing(), err
}
