package mapscene

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

// sceneMap returns a map of 10 x 5 tiles with a red tile in a group with a parallax of 0, a tile of a missing
// picture, and a wall.
func sceneMap(t *testing.T) []byte {
	t.Helper()
	m := twmap.New(10, 5)
	m.Physics(twmap.KindGame).Tiles().Set(0, 0, twmap.Tile{ID: 1})
	still := twmap.NewTileLayer(twmap.KindTiles, 3, 1)
	still.Name, still.Color = "Still", twmap.Color{R: 255, A: 255}
	still.Tiles().Set(1, 0, twmap.Tile{ID: 1})
	outside := twmap.NewTileLayer(twmap.KindTiles, 10, 5)
	outside.Name, outside.Image = "Outside", 0
	outside.Tiles().Set(9, 4, twmap.Tile{ID: 1})
	m.Images = []*twmap.Image{twmap.NewExternalImage("nobody has this", 64, 64)}
	group := twmap.NewGroup("Far", still)
	group.ParallaxX, group.ParallaxY = 0, 0
	m.Groups = append([]*twmap.Group{group}, m.Groups...)
	m.Groups[1].Layers = append(m.Groups[1].Layers, outside, twmap.NewSoundLayer(twmap.NewSoundSource(160, 80, 30)))
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func openTestScene(t *testing.T, values map[string]string) (*format.Scene, error) {
	t.Helper()
	for _, o := range Options {
		if _, ok := values[o.Name]; !ok && values != nil {
			values[o.Name] = o.Default
		} else if ok {
			if err := o.Check(values[o.Name]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return Open(context.Background(), &format.Job{Values: values}, format.NewSource("my.map", sceneMap(t)), "")
}

// TestSceneSurvey tests that a survey finds the same missing parts as drawing, without drawing a picture.
func TestSceneSurvey(t *testing.T) {
	s, err := openTestScene(t, map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	view := s.Views[0]
	if err := s.Survey(t.Context(), format.Look{View: view.Name, Scale: 1}); err != nil {
		t.Fatal(err)
	}
	met := s.Missing()
	dst := image.NewRGBA(image.Rect(0, 0, 10, 5))
	if err := viewOf(s, view.Name).Render(t.Context(), dst, format.Look{View: view.Name, Scale: 1, Size: dst.Rect.Size()}); err != nil {
		t.Fatal(err)
	}
	if drawn := s.Missing(); len(met) != 1 || !slices.Equal(met, drawn) {
		t.Errorf("met %+v, drawn %+v", met, drawn)
	}
}

func TestScene(t *testing.T) {
	s, err := openTestScene(t, map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	views := s.Views
	if len(views) != 2 || views[0].Name != "map" || views[1].Name != "camera" ||
		views[0].Bounds.Max != [2]float64{10, 5} || views[0].Frame != nil {
		t.Fatalf("views %+v", views)
	}
	var layers []string
	for _, l := range views[0].Layers {
		shown := "-"
		if l.Shown {
			shown = "+"
		}
		layers = append(layers, shown+l.Name+" "+l.Title)
	}
	if want := []string{"+Far/Still tiles", "-Game/Game game", "+Game/Outside tiles", "-Game/sounds sounds"}; !slices.Equal(layers, want) {
		t.Errorf("layers %q", layers)
	}
	draw := func(look format.Look, x, y float64) color.RGBA {
		t.Helper()
		p := image.Pt(int((x-look.Origin[0])*look.Scale), int((y-look.Origin[1])*look.Scale))
		dst := image.NewRGBA(image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))})
		if err := viewOf(s, look.View).Render(t.Context(), dst, look); err != nil {
			t.Fatal(err)
		}
		return dst.RGBAAt(p.X, p.Y)
	}
	red, nothing := color.RGBA{255, 0, 0, 255}, color.RGBA{}
	whole := format.Look{View: "map", Scale: 8}
	// The group with a parallax of 0 shows the same as in the game: a rectangle around 0,0 with the size of the
	// camera's view at zoom 1, 1457 units wide for a picture of twice its height. The tile from 32 to 64 is 5 tiles
	// and 1/1457*320*32 units to the right.
	if got := draw(whole, 5.3, 2.55); got != red {
		t.Errorf("the tile that stands still: %v", got)
	}
	if got := draw(whole, 9.5, 4.5); got.R < 0x8e || got.R > 0xa4 || got.B != got.R+6 { // from the hatch
		t.Errorf("the tile of no image: %v", got)
	}
	if got := draw(whole, 0.5, 0.5); got != nothing {
		t.Errorf("the wall: %v", got)
	}
	whole.Layers = []string{"Game/Game"}
	if got := draw(whole, 0.5, 0.5); got.A != 255 {
		t.Errorf("the wall, asked for: %v", got)
	}
	if got := draw(whole, 9.5, 4.5); got != nothing {
		t.Errorf("the tile of no image, left out: %v", got)
	}
	if missing := s.Missing(); len(missing) != 1 || missing[0].Kind != "image" || missing[0].Count != 1 ||
		missing[0].Unit != "layers" || missing[0].Loss {
		t.Errorf("missing %+v", missing)
	}
}

func TestSceneOptions(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 32, 32))); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "fng.png")
	judge.Write(t, empty, b.Bytes())
	s, err := openTestScene(t, map[string]string{"at": "3, 4", "zoom": "2", "entities": "100", "entities-image": empty,
		"mapres": dir, "missing": "checker"})
	if err != nil {
		t.Fatal(err)
	}
	v := s.Views[0]
	f := v.Frame(image.Pt(300, 100))
	if v.Name != "camera" || f.Dx() != 3000.0/32 || f.Dy() != 1000.0/32 || f.Min[0]+f.Dx()/2 != 3 || f.Min[1]+f.Dy()/2 != 4 {
		t.Errorf("%s of %v", v.Name, f)
	}
	if i := slices.IndexFunc(v.Layers, func(l format.Layer) bool { return l.Shown }); v.Layers[i].Name != "Game/Game" {
		t.Errorf("%s is shown first", v.Layers[i].Name)
	}
	for option, value := range map[string]string{
		"entities": "101", "entities-image": filepath.Join(dir, "none.png"), "mapres": filepath.Join(dir, "none"), "zoom": "0", "at": "1,2,3",
	} {
		if _, err := openTestScene(t, map[string]string{option: value}); err == nil ||
			!strings.Contains(err.Error(), strings.TrimSuffix(option, "-image")) {
			t.Errorf("--%s %s: %v", option, value, err)
		}
	}
}

// TestMapresBeside tests that the pictures for a map in a folder of the game are found there.
func TestMapresBeside(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"maps", "mapres"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(root, "maps", "my.map")
	judge.Write(t, file, sceneMap(t))
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 32, 32))); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(root, "mapres", "nobody has this.png"), b.Bytes())
	src, err := format.OpenSource(file)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	s, err := Open(t.Context(), new(format.Job), src, "")
	if err != nil {
		t.Fatal(err)
	}
	draw := func(s *format.Scene) []format.Missing {
		t.Helper()
		if err := viewOf(s, "").Render(t.Context(), image.NewRGBA(image.Rect(0, 0, 10, 5)), format.Look{Scale: 1}); err != nil {
			t.Error(err)
		}
		return s.Missing()
	}
	if missing := draw(s); len(missing) > 0 {
		t.Errorf("missing %v", missing)
	}
	src.May = func(string) error { return errors.New("not for you") }
	if s, err = Open(t.Context(), new(format.Job), src, ""); err != nil {
		t.Fatal(err)
	}
	if missing := draw(s); len(missing) == 0 {
		t.Error("a picture is drawn that may not be read")
	}
}

// TestSharedEffort tests that all parts of a picture share one limit of effort, so that the result does not depend on
// the number of cores.
func TestSharedEffort(t *testing.T) {
	tests.NotRaced(t, "draws 100 million pixels")
	veil := twmap.NewQuad(-1000, 0, 4000, 40) // over the upper parts only
	for i := range veil.Colors {
		veil.Colors[i] = twmap.Color{R: 255, A: 1}
	}
	refused := 0
	for _, n := range []int{3000, 5000} {
		m := twmap.New(20, 4)
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewQuadLayer(slices.Repeat([]twmap.Quad{veil}, n)...))
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), &format.Job{Values: map[string]string{}}, format.NewSource("my.map", data), "")
		if err != nil {
			t.Fatal(err)
		}
		view := s.Views[0]
		look := format.Look{Origin: view.Bounds.Min, Scale: 512 / view.Bounds.Dx(),
			Size: image.Pt(512, int(512*view.Bounds.Dy()/view.Bounds.Dx()))}
		var first string
		for i, cores := range []int{1, 2, 16} {
			before := runtime.GOMAXPROCS(cores)
			err := format.Draw(t.Context(), view, look, color.NRGBA{}, func(*image.RGBA) error { return nil })
			runtime.GOMAXPROCS(before)
			if got := fmt.Sprint(err); i == 0 {
				first = got
			} else if got != first {
				t.Errorf("%d quads: %s with 1 core, %s with %d", n, first, got, cores)
			}
			if errors.Is(err, fault.ErrLimit) {
				refused++
			}
		}
	}
	if refused != 3 {
		t.Errorf("%d of 6 pictures refused", refused)
	}
}

// viewOf returns a view by its name, or the first one.
func viewOf(s *format.Scene, name string) format.View {
	v, _ := format.ViewOf(s.Views, name)
	return v
}
