package main

import (
	"context"
	"fmt"
	"image"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge/chromium"
)

// turnNow returns the numbers of the model's place in the address.
func turnNow(p *chromium.Page) (turn [5]float64) {
	text := chromium.Eval[string](p, "new URLSearchParams(location.hash.slice(1)).get('turn')")
	if n, err := fmt.Sscanf(text, "%g,%g,%g,%g,%g", &turn[0], &turn[1], &turn[2], &turn[3], &turn[4]); n != 5 {
		turn[0] = math.NaN()
		p.Do(chromedp.ActionFunc(func(context.Context) error { return fmt.Errorf("turn is %q: %w", text, err) }))
	}
	return turn
}

// TestViewTurning turns a model with the pointer, the wheel and the keys, and tests with axe what is shown then.
func TestViewTurning(t *testing.T) {
	v := view(t, pole(t))
	p := v.open(1280, 800)
	settle(p)
	p.Press("o")
	p.Wait("document.querySelector('canvas.still')?.width > 300")
	settle(p)
	p.Accessible("a model")
	p.Dark(true)
	p.Accessible("a model, dark", "color-contrast")
	p.Dark(false)
	if label := chromium.Eval[string](p, "document.querySelector('.map').ariaLabel"); !strings.Contains(label, "Arrow keys turn it") {
		t.Errorf("the model is called %q", label)
	}
	middle := image.Pt(600, 400)
	drag := func(button input.MouseButton, held int64, modifiers input.Modifier, by image.Point) {
		mouse := func(kind input.MouseType, at image.Point, held int64) {
			p.Do(input.DispatchMouseEvent(kind, float64(at.X), float64(at.Y)).WithButton(button).WithButtons(held).WithClickCount(1).
				WithModifiers(modifiers))
		}
		mouse(input.MousePressed, middle, held)
		for i := 1; i <= 4; i++ {
			mouse(input.MouseMoved, middle.Add(by.Mul(i).Div(4)), held)
		}
		mouse(input.MouseReleased, middle.Add(by), 0)
	}
	size := chromium.Eval[[2]float64](p, "[document.querySelector('.map').clientWidth, document.querySelector('.map').clientHeight]")
	press := func(keys ...string) func() {
		return func() {
			p.Do(chromedp.Focus(".map"))
			for _, key := range keys {
				p.Press(key)
			}
		}
	}
	before := p.Picture("before")
	for _, c := range []struct {
		name string
		do   func()
		want [5]float64
	}{
		{"drag", func() { drag(input.Left, 1, 0, image.Pt(80, 40)) }, [5]float64{-40, 20, 1}},
		{"wheel", func() {
			p.Do(input.DispatchMouseEvent(input.MouseWheel, 600, 400).WithDeltaX(0).WithDeltaY(-120))
		}, [5]float64{-40, 20, 1.25}},
		{"second button", func() { drag(input.Right, 2, 0, image.Pt(60, 0)) }, [5]float64{-40, 20, 1.25, 60 / size[0]}},
		{"drag with Shift", func() { drag(input.Left, 1, input.ModifierShift, image.Pt(0, 40)) },
			[5]float64{-40, 20, 1.25, 60 / size[0], -40 / size[1]}},
		{"keys", press(kb.ArrowRight, kb.ArrowDown, kb.ArrowDown, "-"), [5]float64{-55, -10, 1, 60 / size[0], -40 / size[1]}},
		{"far up", press(kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp),
			[5]float64{-55, 90, 1, 60 / size[0], -40 / size[1]}},
		{"button", func() {
			chromium.Eval[bool](p, "document.querySelector('.stand-keys [title=\"Turn left\"]').click(), true")
		}, [5]float64{-40, 90, 1, 60 / size[0], -40 / size[1]}},
	} {
		c.do()
		settle(p)
		got := turnNow(p)
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > .01 {
				t.Errorf("%s: the model is at %v, want %v", c.name, got, c.want)
				break
			}
		}
		after := p.Picture(c.name)
		if mean, _ := difference(after, before); mean == 0 {
			t.Errorf("%s: the picture is unchanged", c.name)
		}
		before = after
	}
	p.Accessible("a turned model")
	v.stop()
}

// TestViewTurnWorld turns a small world and a schematic in the page. What the page draws first are the server's pictures, of
// which the page keeps one if it cannot turn the model.
func TestViewTurnWorld(t *testing.T) {
	world := sample(t, "glade", "glade")
	dir := filepath.Dir(world)
	part, bare := filepath.Join(dir, "hut.mts"), filepath.Join(t.TempDir(), "bare.mts")
	run(t, "convert", "-q", world, "--to", "mts", "--box", "0,0,0:20,14,20", "-o", part)
	for from, to := range map[string]string{part: bare, filepath.Join(world, "trowel_nodes.json"): filepath.Join(dir, "trowel_nodes.json")} {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		file  string
		views map[string]float64 // the largest mean difference from the server's picture, which shows plants from above otherwise
	}{
		{world, map[string]float64{"top": 8, "south": 4, "night": 2}},
		{part, map[string]float64{"top": 1, "east": 0.5}},
	} {
		name := filepath.Base(c.file)
		v := view(t, c.file, "--textures", filepath.Join(world, "game"))
		var doc struct{ Generation int }
		v.read("/f/0/open", &doc)
		var scene struct {
			Views []struct {
				Name    string
				Bounds  [4]float64
				Scale   float64
				Turning *struct{ Bounds [4]float64 }
			}
		}
		v.read("/f/0/scene", &scene)
		p := v.open(1280, 800)
		settle(p)
		if c.file == world && !slices.ContainsFunc(p.Requests(), regexp.MustCompile(`/tile/\d+/4/`).MatchString) {
			t.Errorf("%s: the page requests no tile at 16 pixels a node, which shows textures", name)
		}
		p.Press("o")
		p.Wait("document.querySelector('canvas.still')?.width > 300")
		settle(p)
		p.Picture(name)
		stage := chromium.Eval[[4]int](p, `(() => {
			const r = document.querySelector("canvas.still").getBoundingClientRect();
			return [r.left, r.top, r.width, r.height];
		})()`)
		for _, view := range scene.Views {
			if (view.Turning != nil) != (view.Name != "height" && view.Name != "relief" && view.Name != "camera" && view.Name != "slice") {
				t.Errorf("%s: view %s turns: %v", name, view.Name, view.Turning != nil)
			}
			most, is := c.views[view.Name]
			if !is {
				continue
			}
			const side = 16 // pixels of a node
			b := view.Turning.Bounds
			fit := min(float64(stage[2])/(b[2]-b[0]), float64(stage[3])/(b[3]-b[1]))
			b = view.Bounds
			q := url.Values{"view": {view.Name}, "w": {fmt.Sprint(stage[2])}, "h": {fmt.Sprint(stage[3])},
				"z": {fmt.Sprint(math.Log2(side / view.Scale))},
				"x": {fmt.Sprint((b[0]+b[2])/2 - float64(stage[2])/2/side)},
				"y": {fmt.Sprint((b[1]+b[3])/2 - float64(stage[3])/2/side)}}
			more := url.Values{"turn": {fmt.Sprintf("0,0,%.9g,0,0", side/fit)}, "view": {view.Name}}
			p.Do(chromedp.Evaluate(fmt.Sprintf("location.hash = %q", more.Encode()), nil))
			p.Wait("document.querySelector('canvas.still')?.width > 300")
			settle(p)
			unfocused(p)
			whole := p.Picture(name + "-" + view.Name)
			page := whole.(interface {
				SubImage(image.Rectangle) image.Image
			}).SubImage(image.Rect(stage[0], stage[1], stage[0]+stage[2], stage[1]+stage[3]-70))
			status, data := v.get(fmt.Sprintf("/f/0/still/%d?%s", doc.Generation, q.Encode()))
			if status != 200 {
				t.Fatalf("%s: %s", view.Name, data)
			}
			if dir := os.Getenv("TROWEL_SCREENSHOTS"); dir != "" {
				_ = os.WriteFile(filepath.Join(dir, "still-"+name+"-"+view.Name+".png"), data, 0o666)
			}
			mean, far := difference(page, decode(t, data))
			t.Logf("%s, %s: mean difference %.2f, %.1f %% of the pixels differ by more than 10", name, view.Name, mean, 100*far)
			if mean > most {
				t.Errorf("%s, %s: mean difference %.2f", name, view.Name, mean)
			}
		}
		for _, m := range p.Messages() {
			if !strings.Contains(m, "GPU stall") {
				t.Errorf("%s: on the console: %s", name, m)
			}
		}
		v.stop()
	}

	v := view(t, bare)
	p := v.open(1280, 800)
	settle(p)
	p.Press("o")
	p.Wait("document.querySelector('.note')?.textContent.startsWith('The model cannot be turned: ')")
	p.Wait("document.querySelector('.leaflet-tile-loaded') && !document.querySelector('canvas.still')")
	settle(p)
	t.Log(chromium.Eval[string](p, "document.querySelector('.note').textContent"))
	p.Accessible("a model that cannot be turned")
	p.Picture("bare")
	p.Press("o")
	p.Wait("document.querySelector('.note').hidden && document.querySelector('.leaflet-tile-loaded')")
	v.stop()
}
