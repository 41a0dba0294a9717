package modscene

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strings"
	"time"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/picture/gltf"
	"trowel.example/torchlight/internal/figure"
	"trowel.example/torchlight/moddir"
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
	views  []format.View
	digest [32]byte
}

// noAnim means no animation.
const noAnim = "none"

// modelSide is the usual height of the picture of a model in pixels.
const modelSide = 480

// openFigure puts the model of a mesh together.
func (s *subject) openFigure() (*figure.Figure, error) {
	return figure.Open(figure.Files{
		Read: func(path string) ([]byte, error) {
			if strings.EqualFold(path, s.path) {
				return s.data, nil
			}
			return s.find(path)
		},
		List: func(string) []string { return s.list() }, // all files of a model are in its folder
	}, s.path)
}

func figureScene(s *subject) (format.Scene, error) {
	f, err := s.openFigure()
	if err != nil {
		return nil, err
	}
	scene := &figures{Figure: f, digest: sha256.Sum256(s.data)}
	switch s.anim {
	case "":
		scene.clip = f.Usual()
	case noAnim:
	default:
		if scene.clip, err = f.Clip(s.anim); err != nil {
			return nil, err
		}
	}
	for _, v := range figureViews {
		low, high := f.Bounds(v.camera, scene.clip)
		size := max(high[0]-low[0], high[1]-low[1], 1e-3)
		margin := size / 40
		view := format.View{Name: v.name, Title: v.title, Scale: modelSide / size, Background: color.NRGBA{0x30, 0x34, 0x38, 255}, Paper: true,
			Bounds: format.Rect{Min: [2]float64{low[0] - margin, low[1] - margin}, Max: [2]float64{high[0] + margin, high[1] + margin}}}
		if scene.clip != nil {
			view.Moves, view.Loop = true, time.Duration(scene.clip.Length*float64(time.Second))
		}
		scene.views = append(scene.views, view)
	}
	return scene, nil
}

func (s *figures) Views() []format.View { return s.views }

// look returns the camera and the pose of a picture.
func (s *figures) look(look format.Look) (c figure.Camera, pose []figure.Matrix, err error) {
	for _, v := range figureViews {
		if look.View == v.name || look.View == "" {
			return v.camera, s.Pose(s.clip, look.Time.Seconds()), nil
		}
	}
	return c, nil, fmt.Errorf("no view %q (see --list)", look.View)
}

func (s *figures) Render(ctx context.Context, dst *image.RGBA, look format.Look) error {
	c, pose, err := s.look(look)
	if err != nil {
		return err
	}
	return s.Draw(ctx, dst, c, pose, look.Origin, look.Scale)
}

func (s *figures) Missing() (list []format.Missing) {
	for _, l := range s.Lacks {
		list = append(list, format.Missing{Kind: l.Kind, Name: l.Name, What: l.Why})
	}
	return list
}

func (s *figures) Close() error { return nil }

// Fingerprint returns the same value for all parts.
func (s *figures) Fingerprint(context.Context, format.Look, image.Rectangle) ([32]byte, error) {
	return s.digest, nil
}

// Model returns the model of a single mesh, with animations by their names: all if there are none. Lacks are what the
// model lacks.
func Model(src *format.Source, base moddir.Files, anims []string) (m *gltf.Model, lacks []format.Missing, err error) {
	s, _, err := single(src, base, Options{})
	if errors.Is(err, format.ErrUnseen) {
		err = fmt.Errorf("%s: expected a mesh: other files of a model have no shape", src.Path)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := s.openFigure()
	if err != nil {
		return nil, nil, fault.InFile(err, src.Path)
	}
	var clips []*figure.Clip
	if len(anims) != 1 || anims[0] != noAnim {
		if clips, err = f.ClipsOf(anims); err != nil {
			return nil, nil, fault.InFile(err, src.Path)
		}
	}
	m, err = f.Model(clips)
	return m, (&figures{Figure: f}).Missing(), err
}
