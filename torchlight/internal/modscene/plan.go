package modscene

import (
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/figure"
	"trowel.example/torchlight/internal/plan"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/text"
)

// planScene is a layout seen from above.
type planScene struct {
	*plan.Plan
	floats text.FloatStyle
	file   *planFile
	linked map[string]*planFile // by path in upper case
	others []*planFile          // the same files, in the order of their paths
}

// layoutScene draws a menu, or the plan of a layout and of everything that it links to.
func layoutScene(s *subject) (*format.Scene, error) {
	f, root, err := readLayout(s.data)
	if err == nil && root == "" {
		root = f.Text(layout.Options{Path: s.path}).Name
	}
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(root, "UI") {
		return menuScene(s, f)
	}
	scene, digest := newPlanScene(s, f)
	view := format.View{
		Name: "plan", Title: "the layout from above, in units of the world",
		Bounds: format.Rect{Min: scene.Min, Max: scene.Max}, Axes: [2]string{"x", "-z"}, Unit: "units", Background: plan.Background,
		Render: scene.draw, SVG: scene.svg, Fingerprint: sameFor(digest), Inspect: scene.inspect, Where: scene.where,
	}
	// The larger side of the picture has 1448 to 2896 pixels.
	view.Scale = math.Exp2(math.Round(math.Log2(2048 / max(view.Bounds.Dx(), view.Bounds.Dy()))))
	for _, l := range scene.Layers {
		view.Layers = append(view.Layers, format.Layer{Name: l.Name, Title: l.Title, Shown: true})
	}
	return &format.Scene{Views: []format.View{view}, Missing: scene.missing}, nil
}

// newPlanScene returns the plan of a layout and of everything that it links to, and a hash of what it read.
func newPlanScene(s *subject, f *layout.File) (scene *planScene, digest [32]byte) {
	sum := sha256.New()
	sum.Write(s.data)
	find := func(path string) ([]byte, error) {
		data, err := s.find(path)
		fmt.Fprintf(sum, "%q %d %v\n", path, len(data), err)
		sum.Write(data)
		return data, err
	}
	scene = &planScene{floats: s.Floats, file: newPlanFile(f, s.data, s.origin(s.path)), linked: make(map[string]*planFile)}
	sets := newPieces(s, find)
	scene.Plan = plan.New(f, plan.Options{
		Path:  s.path,
		Piece: sets.meshes,
		Bounds: func(path string) (low, high [3]float64, err error) {
			data, err := find(path)
			if err != nil {
				return low, high, err
			}
			return figure.Bounds(data)
		},
		Layout: func(path string) (*layout.File, error) {
			data, err := find(path)
			if err != nil {
				return nil, err
			}
			f, _, err := readLayout(data)
			if err == nil {
				scene.linked[path] = newPlanFile(f, data, s.origin(path))
			}
			return f, err
		},
		Grid: func(path string) (*mpp.File, error) {
			data, err := find(strings.TrimSuffix(path, ".LAYOUT") + ".MPP")
			if err != nil {
				return nil, err
			}
			return readGrid(data)
		},
	})
	for _, path := range slices.Sorted(maps.Keys(scene.linked)) {
		scene.others = append(scene.others, scene.linked[path])
	}
	sum.Sum(digest[:0])
	return scene, digest
}

// readLayout reads a layout, compiled or as text, and returns the name of its root, which compiled ones do not contain.
func readLayout(data []byte) (f *layout.File, root string, err error) {
	if !text.Recognize(data) {
		f, err = layout.Decode(data)
		return f, "", err
	}
	file, err := text.Parse(data)
	if err != nil {
		return nil, "", err
	}
	f, err = layout.FromText(file.Root, func(text.Item, *text.Error) {})
	return f, file.Root.Name, err
}

// readGrid reads a grid, or its editable form.
func readGrid(data []byte) (*mpp.File, error) {
	f, err := mpp.Decode(data)
	if err != nil {
		f, err = mpp.Parse(data)
	}
	return f, err
}

func (s *planScene) picture(look format.Look) plan.Picture {
	shown := make(map[string]bool)
	for _, l := range s.Layers {
		shown[l.Name] = look.Layers == nil
	}
	for _, name := range look.Layers {
		shown[name] = true
	}
	return plan.Picture{Origin: look.Origin, Scale: look.Scale, Shown: func(layer string) bool { return shown[layer] }}
}

func (s *planScene) draw(ctx context.Context, dst *image.RGBA, look format.Look) error {
	return s.Plan.Render(ctx, dst, s.picture(look))
}

func (s *planScene) svg(ctx context.Context, w io.Writer, look format.Look, background color.NRGBA) error {
	return s.Plan.SVG(ctx, w, s.picture(look), look.Size, background)
}

func (s *planScene) missing() []format.Missing {
	var list []format.Missing
	for _, l := range s.Left {
		list = append(list, format.Missing{Kind: l.Kind, Name: l.Name, Count: int64(l.Count), Unit: "places", What: l.Why, Loss: l.Loss})
	}
	return list
}
