package verbs

import (
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/format"
)

// The scene of a toy box shows its toys in a row, each as a cell two rows high, in the color that its data
// gives as #rrggbb. A toy without a color is gray and reported; a toy with the data "broken" is a loss.

func init() {
	toyBox.Scene = openToys
	toyBox.HasScene = func(path string) bool { return path == "" || strings.HasSuffix(path, ".paint") }
	toyBox.Options = append(toyBox.Options,
		format.Option{Name: "at", For: format.ForScene, Type: format.Place, Help: "where the camera stands"},
		format.Option{Name: "gray", For: format.ForScene, Choices: []string{"dark", "light"}, Default: "dark",
			Help: "what a toy without a colour is"})
}

type toyScene struct {
	toys []toy
	at   []float64
	gray uint8

	mu      sync.Mutex
	missing map[string]format.Missing
}

func openToys(_ context.Context, job *format.Job, src *format.Source, path string) (*format.Scene, error) {
	b, err := readBox(src, nil)
	if err != nil {
		return nil, err
	}
	s := &toyScene{toys: b.toys, at: (&format.Option{Name: "at"}).Place(job), gray: 0x40, missing: make(map[string]format.Missing)}
	if job.Value("gray") == "light" {
		s.gray = 0xc0
	}
	if path != "" {
		s.toys = slices.DeleteFunc(s.toys, func(t toy) bool { return "toys/"+safename.TreePath(t.name) != path })
	}
	return &format.Scene{Views: s.views(), Missing: s.Missing}, nil
}

func (s *toyScene) views() []format.View {
	all := format.Rect{Max: [2]float64{float64(len(s.toys)), 2}}
	front := format.View{
		Name: "front", Title: "From the front", Bounds: all, Scale: 10, Background: color.NRGBA{1, 2, 3, 255},
		Layers: []format.Layer{{Name: "paint", Title: "The colours", Shown: true}, {Name: "edges", Words: []string{"lines"}}}, Moves: true,
		SVG: s.SVG, Fingerprint: s.Fingerprint,
	}
	top := front
	top.Name, top.Title, top.Axes, top.Background, top.Moves, top.Grain = "top", "From above", [2]string{"x", "-z"}, color.NRGBA{}, false, 2
	depth := format.View{Name: "depth", Title: "How much is in it", Bounds: all, Scale: 1}
	camera := front
	camera.Name, camera.Title, camera.Size = "camera", "Through a camera", image.Pt(40, 20)
	camera.Frame = func(size image.Point) format.Rect {
		w, h := float64(size.X)/10, float64(size.Y)/10
		x, y := 0.0, 0.0
		if s.at != nil {
			x, y = s.at[0], s.at[1]
		}
		return format.Rect{Min: [2]float64{x - w/2, y - h/2}, Max: [2]float64{x + w/2, y + h/2}}
	}
	depth.SVG, depth.Fingerprint, depth.RenderGray16 = s.SVG, s.Fingerprint, s.RenderGray16
	views := []format.View{front, top, depth, camera}
	for i, v := range views {
		views[i].Render = func(ctx context.Context, dst *image.RGBA, look format.Look) error { return s.render(ctx, dst, v, look) }
	}
	return views
}

// cell returns the toy at a pixel, or nil.
func (s *toyScene) cell(look format.Look, x, y int) *toy {
	i, j := math.Floor(look.Origin[0]+(float64(x)+0.5)/look.Scale), math.Floor(look.Origin[1]+(float64(y)+0.5)/look.Scale)
	if i < 0 || j < 0 || j >= 2 || int(i) >= len(s.toys) {
		return nil
	}
	return &s.toys[int(i)]
}

func (s *toyScene) render(ctx context.Context, dst *image.RGBA, view format.View, look format.Look) error {
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x++ {
			t := s.cell(look, x, y)
			if t == nil {
				continue
			}
			c, err := format.ParseColor(string(t.data))
			if err != nil {
				c = color.NRGBA{s.gray, s.gray, s.gray, 255}
				s.miss(t)
			}
			c.B += uint8(look.Time.Seconds() * 10)
			if view.Name == "depth" || view.Draws(look, "paint") {
				draw.Draw(dst, image.Rect(x, y, x+1, y+1), image.NewUniform(c), image.Point{}, draw.Over)
			}
			if view.Draws(look, "edges") && s.cell(look, x-1, y) != t {
				dst.Set(x, y, color.White)
			}
		}
	}
	return ctx.Err()
}

func (s *toyScene) miss(t *toy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := format.Missing{Kind: "color", Name: t.name, Count: s.missing[t.name].Count + 1, Unit: "pixels", What: "drawn gray"}
	if string(t.data) == "broken" {
		m.Kind, m.What, m.Loss = "toy", "it is broken", true
	}
	s.missing[t.name] = m
}

func (s *toyScene) Missing() []format.Missing {
	var list []format.Missing
	for _, m := range s.missing {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b format.Missing) int { return strings.Compare(a.Kind+a.Name, b.Kind+b.Name) })
	return list
}

func (s *toyScene) RenderGray16(_ context.Context, dst *image.Gray16, look format.Look) error {
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x++ {
			if t := s.cell(look, x, y); t != nil {
				dst.SetGray16(x, y, color.Gray16{uint16(1000 * len(t.data))})
			}
		}
	}
	return nil
}

func (s *toyScene) SVG(_ context.Context, w io.Writer, look format.Look, background color.NRGBA) error {
	_, err := fmt.Fprintf(w, "<svg xmlns=%q width=%q height=%q><!-- %d toys on %v --></svg>\n",
		"http://www.w3.org/2000/svg", fmt.Sprint(look.Size.X), fmt.Sprint(look.Size.Y), len(s.toys), background)
	return err
}

func (s *toyScene) Fingerprint(_ context.Context, look format.Look, pixels image.Rectangle) (sum [32]byte, err error) {
	h := sha256.New()
	found := false
	for x := pixels.Min.X; x < pixels.Max.X; x++ {
		for _, y := range []int{pixels.Min.Y, pixels.Max.Y - 1} {
			if t := s.cell(look, x, y); t != nil {
				found = true
				fmt.Fprintf(h, "%s=%s %d\n", t.name, t.data, s.gray)
			}
		}
	}
	if found {
		h.Sum(sum[:0])
	}
	return sum, nil
}

// imageInfo is a command for scripts: it prints the size and kind of a PNG, and the pixels at some positions.
func imageInfo(args []string, w io.Writer) int {
	f, err := os.Open(args[0])
	if err == nil {
		defer f.Close()
		var m image.Image
		if m, err = png.Decode(f); err == nil {
			size := m.Bounds().Size()
			kind := map[string]string{"*image.Paletted": "palette", "*image.Gray16": "gray16", "*image.RGBA": "rgb",
				"*image.NRGBA": "rgba"}[fmt.Sprintf("%T", m)]
			fmt.Fprintf(w, "%dx%d %s", size.X, size.Y, kind)
			for _, at := range args[1:] {
				var x, y int
				fmt.Sscanf(at, "%d,%d", &x, &y)
				if g, ok := m.At(x, y).(color.Gray16); ok {
					fmt.Fprintf(w, " %s=%04x", at, g.Y)
					continue
				}
				c := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
				fmt.Fprintf(w, " %s=%02x%02x%02x%02x", at, c.R, c.G, c.B, c.A)
			}
			fmt.Fprintln(w)
			return 0
		}
	}
	fmt.Fprintln(w, err)
	return 1
}
