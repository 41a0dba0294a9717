package verbs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trowel.example/cmd/internal/viewer"
	"trowel.example/internal/format"
	"trowel.example/internal/picture/pixel"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// served is the page of one file, to test its answers.
type served struct {
	*http.Client
	address string
}

// serveFile serves a file of a format as the verb view does.
func serveFile(t *testing.T, f *format.Format, name string) *served {
	t.Helper()
	s := viewer.New(viewer.One, []viewer.File{{Name: filepath.Base(name), Open: func(ctx context.Context) (*viewer.Opened, error) {
		src, err := format.OpenSource(name)
		if err != nil {
			return nil, err
		}
		job := func() *format.Job {
			job := &format.Job{Values: make(map[string]string)}
			for _, o := range f.Options {
				job.Values[o.Name] = o.Default
			}
			return job
		}
		return &viewer.Opened{Format: f, Source: src, Job: job, Close: src.Close}, nil
	}}})
	l, address, err := s.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	jar, _ := cookiejar.New(nil)
	c := &served{&http.Client{Jar: jar}, address[:strings.LastIndex(address, "/")]}
	resp, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return c
}

// ask requests a path below /f/0/.
func (c *served) ask(t *testing.T, what string) (*http.Response, []byte) {
	t.Helper()
	resp, err := c.Get(c.address + "/f/0/" + what)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, data
}

func (c *served) json(t *testing.T, what string, v any) {
	t.Helper()
	resp, data := c.ask(t, what)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", what, resp.Status, data)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

// packed builds a sample.
func packed(t *testing.T, sample, as string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), as)
	runOK(t, "pack", "-q", filepath.Join("../../../samples", sample), "-o", name)
	return name
}

func runOK(t *testing.T, args ...string) {
	t.Helper()
	var talk bytes.Buffer
	if code := run(games, args, strings.NewReader(""), io.Discard, &talk); code == 2 {
		t.Fatalf("trowel %q: %s", args, talk.String())
	}
}

// TestViewStill tests that a still is identical to the picture of the verb render, with the same rectangle,
// camera, layers, time and options.
func TestViewStill(t *testing.T) {
	tests.NotRaced(t, "asks one page after the other")
	name := packed(t, "burrow", "burrow.map")
	c := serveFile(t, games.Formats().ByName("teeworlds-map"), name)
	var scene struct {
		Views []struct {
			Name   string
			Layers []struct{ Name string }
		}
	}
	c.json(t, "scene", &scene)
	var some []string
	for _, i := range []int{0, 3, 5} {
		some = append(some, scene.Views[0].Layers[i].Name)
	}
	for _, test := range []struct {
		query  string
		render []string
	}{
		{"x=3&y=-2&z=-2&w=300&h=200", []string{"--area", "3,-2:40.5,23", "--scale", "8"}},
		{"x=0.25&y=0&z=-5&w=100&h=60&l=0,3,5", []string{"--area", "0.25,0:100.25,60", "--scale", "1", "--layers", strings.Join(some, ",")}},
		{"x=5&y=5&z=-1&w=200&h=200&time=1500&o.entities=40",
			[]string{"--area", "5,5:17.5,17.5", "--scale", "16", "--time", "1.5", "--entities", "40"}},
		{"view=camera&w=320&h=200&o.at=12.5,7&o.zoom=2", []string{"--view", "camera", "--size", "320x200", "--at", "12.5,7", "--zoom", "2"}},
		{"view=camera&w=320&h=200&o.at=12.5,7&time=700", []string{"--view", "camera", "--size", "320x200", "--at", "12.5,7", "--time", "0.7"}},
	} {
		out := filepath.Join(t.TempDir(), "picture.png")
		runOK(t, append([]string{"render", "-q", name, "-o", out}, test.render...)...)
		want := judge.Read(t, out)
		for _, save := range []string{"", "&save=1"} {
			resp, got := c.ask(t, "still/1?"+test.query+save)
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("%s: %s: %s", test.query, resp.Status, got)
			}
			if (resp.Header.Get("Content-Disposition") != "") != (save != "") {
				t.Errorf("%s%s: %v", test.query, save, resp.Header)
			}
			samePixels(t, test.query+save, got, want)
		}
	}
}

func samePixels(t *testing.T, what string, got, want []byte) {
	t.Helper()
	var both [2]*image.NRGBA
	for i, data := range [][]byte{got, want} {
		m, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		both[i] = pixel.NRGBA(m)
	}
	if both[0].Rect != both[1].Rect || !bytes.Equal(both[0].Pix, both[1].Pix) {
		t.Errorf("%s: another picture than that of render: %v, %v", what, both[0].Rect, both[1].Rect)
	}
}

// TestViewStillRefused tests that stills that are too large or invalid are refused, and that the name of a
// saved file describes its content.
func TestViewStillRefused(t *testing.T) {
	name, saved := `ru"n; ö`, "ru%22n; ö"
	if runtime.GOOS == "windows" { // names have no quotes there
		name, saved = "run; ö", "run; ö"
	}
	c := serveFile(t, games.Formats().ByName("teeworlds-map"), packed(t, "burrow", name+".map"))
	for query, status := range map[string]int{
		"w=4097&h=1&x=0&y=0": 400, "w=4097&h=1&x=0&y=0&save=1": 200, "w=8193&h=1&x=0&y=0&save=1": 400, "w=0&h=1&x=0&y=0": 400,
		"w=5&x=0&y=0": 400, "w=5&h=5": 400, "w=5&h=5&x=NaN&y=0": 400, "w=5&h=5&x=1e300&y=0": 400, "w=5&h=5&x=0&y=0&z=99": 400,
		"w=5&h=5&view=none": 404, "w=5&h=5&view=camera": 200, "w=5&h=5&view=camera&o.at=1": 400, "w=5&h=5&view=camera&o.at=1,x": 400,
		"w=5&h=5&view=camera&o.zoom=-1": 422, "w=5&h=5&x=0&y=0&o.mapres=/": 400,
	} {
		resp, data := c.ask(t, "still/1?"+query)
		if resp.StatusCode != status {
			t.Errorf("%s: %s, want %d: %.100s", query, resp.Status, status, data)
		}
		if status != 200 && resp.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: an error to be kept as a file", query)
		}
	}
	if resp, _ := c.ask(t, "still/2?w=5&h=5&x=0&y=0"); resp.StatusCode != http.StatusGone {
		t.Errorf("a still of another edition: %s", resp.Status)
	}
	resp, _ := c.ask(t, "still/1?save=1&w=64&h=64&z=-3&x=10&y=20")
	if got, want := resp.Header.Get("Content-Disposition"), "attachment; filename*=utf-8''"+
		strings.ReplaceAll(url.QueryEscape(saved+" 18,28.png"), "+", "%20"); !strings.EqualFold(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestViewScene tests that the page receives the ranges of its options, the duration of animations, and the
// missing data of the pictures drawn so far.
func TestViewScene(t *testing.T) {
	c := serveFile(t, games.Formats().ByName("teeworlds-map"), packed(t, "burrow", "burrow.map"))
	var scene struct {
		Views []struct {
			Name          string
			Moves, Camera bool
			Loop          float64
		}
		Options []struct {
			Name, Kind string
			Range      []int
		}
	}
	c.json(t, "scene?o.entities=50", &scene)
	if v := scene.Views[0]; !v.Moves || v.Loop < 1000 || v.Camera || !scene.Views[1].Camera {
		t.Errorf("views %+v", scene.Views)
	}
	kinds := make(map[string]string)
	for _, o := range scene.Options {
		kinds[o.Name] = fmt.Sprint(o.Kind, o.Range)
	}
	if kinds["entities"] != "integer[0 100]" || kinds["at"] != "place[]" || kinds["mapres"] != "" {
		t.Errorf("options %v", kinds)
	}
	var missing struct {
		Missing []struct{ Kind, Name string }
		Total   int
	}
	c.json(t, "missing", &missing)
	if missing.Missing == nil || missing.Total != len(missing.Missing) {
		t.Errorf("missing %+v", missing)
	}
}
