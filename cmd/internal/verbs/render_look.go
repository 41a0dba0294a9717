package verbs

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

const (
	usualSide     = 16384   // the longer side of a picture if no size is given
	maxSide       = 1 << 20 // of any picture
	maxPixels     = 1 << 36
	maxCamera     = 1 << 28 // pixels of a view through a camera
	thumbnailSide = 512
)

// askedPicture is the parsed drawing request, before it is applied to a file.
type askedPicture struct {
	*drawing
	width, height int     // 0: not given
	longer        int     // the longer side; 0: not given
	scale         float64 // 0: not given
	corners       []float64
	background    *color.NRGBA // nil: that of the view
	times         []float64    // zero to two times in seconds
}

func (d *drawing) parse() (*askedPicture, error) {
	p := &askedPicture{drawing: d}
	var err error
	if d.Thumbnail {
		p.longer = thumbnailSide
	}
	if w, h, both := strings.Cut(d.Size, "x"); d.Size != "" {
		p.width, err = strconv.Atoi(w)
		if both && err == nil {
			p.height, err = strconv.Atoi(h)
		}
		if err != nil || p.width < 1 || both && p.height < 1 || max(p.width, p.height) > maxSide {
			return nil, fmt.Errorf("--size %q: expected WIDTHxHEIGHT, each from 1 to %d, or one number", d.Size, maxSide)
		}
		if !both {
			p.longer, p.width = p.width, 0
		}
	}
	if d.Scale != "" {
		if p.scale, err = format.ParseNumber(d.Scale); err != nil || p.scale <= 0 {
			return nil, fmt.Errorf("--scale %q: expected a number above 0", d.Scale)
		}
	}
	if d.Area != "" {
		from, to, _ := strings.Cut(d.Area, ":")
		one, err1 := format.ParsePlace(from)
		two, err2 := format.ParsePlace(to)
		if err1 != nil || err2 != nil || len(one) != 2 || len(two) != 2 || one[0] == two[0] || one[1] == two[1] {
			return nil, fmt.Errorf("--area %q: expected two corners such as -10,-10:20,20", d.Area)
		}
		p.corners = append(one, two...)
	}
	switch d.Background {
	case "":
	case "none":
		p.background = new(color.NRGBA)
	default:
		c, err := format.ParseColor(d.Background)
		if err != nil {
			return nil, fmt.Errorf("--background: %w", err)
		}
		p.background = &c
	}
	if d.Time != "" {
		for part := range strings.SplitSeq(d.Time, "..") {
			t, err := format.ParseNumber(part)
			if err != nil || math.Abs(t) > 1e6 {
				return nil, fmt.Errorf("--time %q: expected seconds such as 2.5 or 0..10", d.Time)
			}
			p.times = append(p.times, t)
		}
		if len(p.times) > 2 || len(p.times) == 2 && p.times[0] >= p.times[1] {
			return nil, fmt.Errorf("--time %q: expected a moment and a later one", d.Time)
		}
	}
	if !(d.Rate > 0 && d.Rate <= 1000) {
		return nil, fmt.Errorf("--fps: expected a number above 0 and at most 1000")
	}
	return p, nil
}

// requires returns an error if a scene has a view only with an option.
func requires(view string, options []format.Option) error {
	for _, o := range options {
		if o.View != "" && o.View == view {
			return fmt.Errorf("the view %s requires --%s %s", o.View, o.Name, o.Form())
		}
	}
	return nil
}

// look returns the requested view of a scene, which was opened with options, and what the picture shows of the view. It
// returns an error if one of the given options does not affect the view.
func (p *askedPicture) look(scene *format.Scene, options []format.Option, given service.Options) (v format.View, look format.Look,
	err error) {
	v, ok := format.ViewOf(scene.Views, p.View.name)
	if !ok {
		if err := requires(p.View.name, options); err != nil {
			return v, look, err
		}
		var names []string
		for _, v := range scene.Views {
			names = append(names, v.Name)
		}
		return v, look, wording.DidYouMean(fmt.Errorf("no view %q", p.View.name), p.View.name, names, "--view can be %s (see --list)",
			strings.Join(names, ", "))
	}
	for _, o := range options {
		if _, ok := given.Value(o.Name); !ok || o.Affects(v.Name) {
			continue
		}
		other := cmp.Or(strings.Join(o.Views, ", "), o.View)
		err := fmt.Errorf("--%s is for the view %s, and this is the view %s", o.Name, other, v.Name)
		if _, ok := format.ViewOf(scene.Views, other); ok {
			return v, look, wording.Hint(err, "--view %s draws that view", other)
		}
		return v, look, wording.Hint(err, "%v", requires(other, options))
	}
	look.View = v.Name
	if look.Layers, err = p.chooseLayers(v); err != nil {
		return v, look, err
	}
	if len(p.times) > 0 && v.Moves { // a static view looks the same at any time
		look.Time = seconds(p.times[0])
	}
	if p.Tiles == "" {
		err = p.frame(v, &look)
	}
	return v, look, err
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

// frame sets the size of the picture and the rectangle that it shows.
func (p *askedPicture) frame(v format.View, look *format.Look) error {
	size := image.Pt(p.width, p.height)
	if v.Frame != nil {
		switch {
		case p.corners != nil:
			return fmt.Errorf("the camera determines the area of view %s: --area is for other views", v.Name)
		case p.scale != 0:
			return fmt.Errorf("the camera determines the scale of view %s: --scale is for other views", v.Name)
		case p.longer != 0:
			k := float64(p.longer) / float64(max(v.Size.X, v.Size.Y))
			size = image.Pt(pixels(float64(v.Size.X)*k), pixels(float64(v.Size.Y)*k))
		case size.X == 0:
			size = v.Size
		}
		if int64(size.X)*int64(size.Y) > maxCamera {
			return fmt.Errorf("view %s: a picture of %d x %d pixels is too large: choose a --size of at most %s pixels in all",
				v.Name, size.X, size.Y, words.Thousands(maxCamera))
		}
		frame := v.Frame(size)
		look.Origin, look.Size, look.Scale = frame.Min, size, float64(size.X)/frame.Dx()
		return nil
	}
	area := v.Bounds
	if p.corners != nil {
		area = axesOf(v).rect(p.corners)
	}
	if area.Empty() {
		return errors.New("the area is empty")
	}
	scale, side := p.scale, max(area.Dx(), area.Dy())
	if math.IsInf(side, 0) {
		return errors.New("the area is infinite")
	}
	if p.Thumbnail {
		small, _ := v.Thumbnail(area, p.longer)
		look.Origin, look.Scale, look.Size = small.Origin, small.Scale, small.Size
		return nil
	}
	switch {
	case scale != 0:
	case p.longer != 0:
		scale = float64(p.longer) / side
	case size.X != 0:
		scale = min(float64(size.X)/area.Dx(), float64(size.Y)/area.Dy())
	default:
		for scale = v.Scale; side*scale > usualSide; scale /= 2 {
		}
	}
	look.Scale, look.Origin = scale, area.Min
	if size.X == 0 {
		if side*scale > maxSide {
			return fmt.Errorf("a picture of %.0f x %.0f pixels is too large: choose a smaller --scale or --size", area.Dx()*scale, area.Dy()*scale)
		}
		size = image.Pt(pixels(area.Dx()*scale), pixels(area.Dy()*scale))
	} else {
		for i, n := range []int{size.X, size.Y} { // centered
			look.Origin[i] = (area.Min[i]+area.Max[i])/2 - float64(n)/2/scale
		}
	}
	if look.Size = size; int64(size.X)*int64(size.Y) > maxPixels {
		return fmt.Errorf("a picture of %d x %d pixels is too large: choose a smaller --scale or --size", size.X, size.Y)
	}
	return nil
}

// pixels rounds a length up to whole pixels, tolerating rounding errors.
func pixels(length float64) int { return max(1, int(math.Ceil(length-1e-6))) }

// chooseLayers returns the names of the layers that --layers selects, or nil if the option is not given.
func (p *askedPicture) chooseLayers(v format.View) ([]string, error) {
	if p.Layers == "" {
		return nil, nil
	}
	chosen := make(map[string]bool)
	var lacks, near []string // patterns without a layer, and similar names
	for i, item := range strings.Split(p.Layers, ",") {
		pattern, minus := strings.CutPrefix(item, "-")
		pattern, plus := strings.CutPrefix(pattern, "+")
		if i == 0 && (minus || plus) {
			for _, l := range v.Layers {
				chosen[l.Name] = l.Shown
			}
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("--layers: pattern %q: %w", pattern, err)
		}
		found := false
		for _, l := range v.Layers {
			if namesLayer(pattern, l) {
				found, chosen[l.Name] = true, !minus
			}
		}
		if !found {
			var names []string
			for _, l := range v.Layers {
				names = append(names, l.Name, path.Base(l.Name))
			}
			lacks = append(lacks, strconv.Quote(pattern))
			if name := wording.NearFolded(pattern, names); name != "" && !slices.Contains(near, name) {
				near = append(near, name)
			}
		}
	}
	if lacks != nil {
		err := fmt.Errorf("the view %s has no layer %s", v.Name, strings.Join(lacks, ", "))
		if near == nil {
			return nil, wording.Hint(err, "--list prints the layers")
		}
		return nil, wording.Hint(err, "did you mean %s?", strings.Join(near, ", "))
	}
	layers := []string{}
	for _, l := range v.Layers {
		if chosen[l.Name] {
			layers = append(layers, l.Name)
		}
	}
	return layers, nil
}

// namesLayer reports whether a pattern matches the name of a layer, ignoring case, or is the word for all
// layers of its kind.
func namesLayer(pattern string, l format.Layer) bool {
	pattern, name := strings.ToLower(pattern), strings.ToLower(l.Name)
	return matchElem(pattern, name) || matches(pattern, name) ||
		slices.ContainsFunc(l.Words, func(word string) bool { return strings.ToLower(word) == pattern })
}

// axes are the names and directions of a view's coordinates for users.
type axes struct {
	names [2]string
	minus [2]bool // the axis points the other way than in the picture
}

func axesOf(v format.View) axes {
	a := axes{names: v.Axes}
	if a.names == [2]string{} {
		a.names = [2]string{"x", "y"}
	}
	for i, name := range a.names {
		a.names[i], a.minus[i] = strings.CutPrefix(name, "-")
	}
	return a
}

// rect returns the rectangle with two given corners.
func (a axes) rect(corners []float64) format.Rect {
	var r format.Rect
	for i := range 2 {
		one, two := corners[i], corners[2+i]
		if a.minus[i] {
			one, two = -one, -two
		}
		r.Min[i], r.Max[i] = min(one, two), max(one, two)
	}
	return r
}

// area returns the lower and the upper corner of a rectangle.
func (a axes) area(r format.Rect) []float64 {
	list := []float64{r.Min[0], r.Min[1], r.Max[0], r.Max[1]}
	for i := range 2 {
		if a.minus[i] {
			list[i], list[2+i] = -list[2+i]+0, -list[i]+0 // adding 0 avoids -0
		}
	}
	return list
}

func (a axes) describe(r format.Rect) string {
	l := a.area(r)
	return fmt.Sprintf("%s,%s from %s,%s to %s,%s", a.names[0], a.names[1], number(l[0]), number(l[1]), number(l[2]), number(l[3]))
}

// number formats a number for users.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// listViews prints the views and layers of a file.
func listViews(a *Tool, r *report, scene *format.Scene) error {
	views := []terminal.Object{}
	for _, v := range scene.Views {
		axes := axesOf(v)
		if r.AsJSON {
			layers := make([]terminal.Object, len(v.Layers))
			for i, l := range v.Layers {
				layers[i] = terminal.Object{{"name", l.Name}, {"title", l.Title}, {"shown", l.Shown}}
			}
			views = append(views, terminal.Object{
				{"name", v.Name}, {"title", v.Title}, {"axes", axes.names}, {"bounds", axes.area(v.Bounds)}, {"scale", v.Scale},
				{"camera", v.Frame != nil}, {"moves", v.Moves}, {"gray16", v.RenderGray16 != nil}, {"layers", layers},
			})
			continue
		}
		fmt.Fprintf(r.out, "%s: %s\n", words.Printable(v.Name), words.Printable(v.Title))
		if v.Frame == nil {
			fmt.Fprintf(r.out, "  %s; in natural size %d x %d, %s pixels a unit\n", axes.describe(v.Bounds),
				pixels(v.Bounds.Dx()*v.Scale), pixels(v.Bounds.Dy()*v.Scale), number(v.Scale))
		} else {
			fmt.Fprintf(r.out, "  the view of a camera, usually %d x %d\n", v.Size.X, v.Size.Y)
		}
		for _, l := range v.Layers {
			mark := "-"
			if l.Shown {
				mark = "+"
			}
			fmt.Fprintf(r.out, "  %s %s\n", mark, strings.TrimSpace(words.Printable(l.Name)+"  "+words.Printable(l.Title)))
		}
	}
	r.extra = terminal.Object{{"views", views}}
	return nil
}

// lookAsJSON returns a description of what a picture shows.
func lookAsJSON(v format.View, look format.Look) terminal.Object {
	layers := slices.Clone(look.Layers)
	if layers == nil {
		layers = []string{}
		for _, l := range v.Layers {
			if l.Shown {
				layers = append(layers, l.Name)
			}
		}
	}
	o := terminal.Object{{"view", v.Name}, {"size", []int{look.Size.X, look.Size.Y}}, {"scale", look.Scale},
		{"area", axesOf(v).area(look.Frame())}, {"layers", layers}}
	if v.Moves {
		o = append(o, terminal.Member{"time", look.Time.Seconds()})
	}
	return o
}
