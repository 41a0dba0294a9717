package viewer

import (
	"cmp"
	"context"
	"image"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

type layer struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Shown bool   `json:"shown"`

	Labels bool `json:"labels"` // the page draws the labels: see listLabels
}

type view struct {
	Name       string     `json:"name"`
	Title      string     `json:"title"`
	Bounds     [4]float64 `json:"bounds"` // left, top, right, bottom, in units
	Scale      float64    `json:"scale"`  // pixels per unit in zoom 0
	Detail     float64    `json:"detail"` // pixels per unit up to which pictures show more; 0: unknown
	Axes       [2]string  `json:"axes"`
	Unit       string     `json:"unit"`       // in the plural; "": no scale bar
	North      [2]float64 `json:"north"`      // a direction; 0,0: none
	Begin      [2]float64 `json:"begin"`      // a place; 0,0: none
	Background string     `json:"background"` // "" is transparent
	Paper      bool       `json:"paper"`      // the page may choose the background
	Layers     []layer    `json:"layers"`
	Moves      bool       `json:"moves"`
	Loop       float64    `json:"loop"`   // milliseconds; 0: unknown
	Film       bool       `json:"film"`   // the page can draw it at all times: see motion
	Camera     bool       `json:"camera"` // the view has only a still, no tiles
	Size       [2]int     `json:"size"`   // of the still, in pixels

	Frames [][2]float64 `json:"frames,omitempty"` // width and height that the camera shows on narrow to wide screens, in units

	Turning *turning `json:"turning,omitempty"` // the page can turn the model: see model
}

// turning is a [format.Turning] for the page.
type turning struct {
	Axes    [3][3]float64 `json:"axes"`
	Bounds  [4]float64    `json:"bounds"`
	Lamp    [3]float64    `json:"lamp"`
	Ambient float64       `json:"ambient"`
	Direct  float64       `json:"direct"`
}

// sides returns the left, top, right and bottom of a rectangle.
func sides(r format.Rect) [4]float64 { return [4]float64{r.Min[0], r.Min[1], r.Max[0], r.Max[1]} }

// describeScene returns the views of a scene and its options.
func describeScene(ctx context.Context, e *edition, r *http.Request) (any, error) {
	a, err := e.parseRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	defer a.release()
	views := []view{}
	for _, v := range a.Views {
		one := view{Name: v.Name, Title: v.Title, Scale: v.Scale, Detail: v.Detail, Axes: v.Axes, Unit: v.Unit, North: v.North,
			Layers: []layer{}, Paper: v.Paper, Moves: v.Moves, Loop: float64(v.Loop.Milliseconds()), Film: v.Motion != nil,
			Camera: v.Frame != nil, Size: [2]int{v.Size.X, v.Size.Y}}
		if v.Begin != nil {
			one.Begin = v.Begin()
		}
		if one.Bounds = sides(v.Bounds); v.Bounds.Empty() {
			one.Bounds = [4]float64{}
		}
		if v.Background.A != 0 {
			one.Background = css(v.Background)
		}
		if v.Axes[0] == "" {
			one.Axes = [2]string{"x", "y"}
		}
		if t := v.Turning; t != nil {
			one.Turning = &turning{t.Axes, sides(t.Bounds), t.Lamp, t.Ambient, t.Direct}
		}
		if v.Frame != nil {
			for _, screen := range []image.Point{{1280, 1024}, {1280, 960}, {1280, 800}, {1280, 720}} {
				f := v.Frame(screen)
				one.Frames = append(one.Frames, [2]float64{f.Dx(), f.Dy()})
			}
		}
		for _, l := range v.Layers {
			one.Layers = append(one.Layers, layer{l.Name, l.Title, l.Shown, l.Labels})
		}
		views = append(views, one)
	}
	type option struct {
		Name    string   `json:"name"`
		Title   string   `json:"title"`
		Help    string   `json:"help"`
		Kind    string   `json:"kind"` // bool, integer, number, choice, place, text
		Choices []string `json:"choices,omitempty"`
		Views   []string `json:"views,omitempty"` // the views that it affects; none: all
		Default string   `json:"default"`         // the user's value or the default
		Range   *[2]int  `json:"range,omitempty"`
	}
	options := []option{}
	job := e.job(nil)
	for _, o := range switches(e.Format) {
		affects := func(v format.View) bool { return slices.Contains(o.Views, v.Name) }
		if o.Views != nil && o.View == "" && !slices.ContainsFunc(a.Views, affects) {
			continue
		}
		one := option{Name: o.Name, Title: cmp.Or(o.Title,
			strings.ReplaceAll(strings.ToUpper(o.Name[:1])+o.Name[1:], "-", " ")), Help: wording.InPage(strings.ReplaceAll(o.Help, "`", "")),
			Kind: "text", Choices: o.Choices, Views: o.Views, Default: job.Value(o.Name)}
		if o.Chosen {
			usual := ""
			if a.Choices != nil {
				one.Choices, usual = a.Choices(o.Name)
			}
			if len(one.Choices) == 0 {
				continue
			}
			one.Default = cmp.Or(one.Default, usual)
		}
		switch {
		case o.Type == format.Bool:
			one.Kind = "bool"
		case one.Choices != nil:
			one.Kind = "choice"
		case o.Type == format.Integer:
			one.Kind = "integer"
		case o.Type == format.Number:
			one.Kind = "number"
		case o.Type == format.Place:
			one.Kind = "place"
		}
		if a.Range != nil {
			if least, most, ok := a.Range(o.Name); ok {
				one.Range = &[2]int{least, most}
			}
		}
		options = append(options, one)
	}
	type walking struct {
		Side int    `json:"side"`
		Low  [3]int `json:"low"`
		High [3]int `json:"high"`
	}
	answer := map[string]any{"views": views, "options": options, "inspects": a.Inspect != nil, "covers": a.Cover != nil,
		"sights": a.Sight != nil}
	if w := a.Walking; w != nil {
		answer["walking"] = walking{w.Side, w.Low, w.High}
	}
	return answer, nil
}

const maxLabels = 5000

// listLabels returns the labels in a rectangle, given as for a still.
func listLabels(ctx context.Context, e *edition, r *http.Request) (any, error) {
	a, err := e.parseRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	defer a.release()
	type label struct {
		At    [2]float64 `json:"at"`
		Text  string     `json:"text"`
		Color string     `json:"color"`
		Count int        `json:"count"` // of labels in a cluster; 1: a single label

		Outline [][2]float64 `json:"outline,omitempty"`
	}
	list, more := []label{}, false
	look, err := a.stillLook(r, stillSide)
	if a.Labels != nil && err == nil {
		var all []format.Label
		err = e.of.server.withSlot(ctx, func() (err error) {
			all, err = a.Labels(ctx, look, image.Rectangle{Max: look.Size})
			return err
		})
		found := clusters(all, look.Scale)
		more = len(found) > maxLabels
		for _, one := range found[:min(len(found), maxLabels)] {
			list = append(list, label{one.At, one.Text, css(one.Color), one.count, one.Outline})
		}
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"labels": list, "more": more}, nil
}

// A cluster is the labels of a layer that are close to each other, at their mean, or a single label.
type cluster struct {
	format.Label
	count int
}

// Labels in a square of clusterSide pixels are clusters if there are more than fewLabels.
const (
	clusterSide = 48
	fewLabels   = 3
)

// clusters combines labels of points that are close to each other in a picture with this scale.
func clusters(all []format.Label, scale float64) (list []cluster) {
	type cell struct {
		layer string
		x, y  float64
	}
	groups := make(map[cell][]format.Label)
	var order []cell
	for _, l := range all {
		if l.Outline != nil {
			list = append(list, cluster{l, 1})
			continue
		}
		at := cell{l.Layer, math.Floor(l.At[0] * scale / clusterSide), math.Floor(l.At[1] * scale / clusterSide)}
		if groups[at] == nil {
			order = append(order, at)
		}
		groups[at] = append(groups[at], l)
	}
	for _, at := range order {
		group := groups[at]
		if n := len(group); n > fewLabels {
			one := cluster{format.Label{Layer: at.layer, Text: strconv.Itoa(n), Color: group[0].Color}, n}
			for _, l := range group {
				one.At[0] += l.At[0]
				one.At[1] += l.At[1]
			}
			one.At[0] /= float64(n)
			one.At[1] /= float64(n)
			list = append(list, one)
			continue
		}
		for _, l := range group {
			list = append(list, cluster{l, 1})
		}
	}
	return list
}

// missingItem is a [format.Missing] for the page.
type missingItem struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Count int64  `json:"count"`
	Unit  string `json:"unit"`
	What  string `json:"what"`
	Loss  bool   `json:"loss"`
}

const maxMissing = 5000

// listMissing returns the missing data of the pictures drawn so far.
func listMissing(ctx context.Context, e *edition, r *http.Request) (any, error) {
	a, err := e.parseRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	defer a.release()
	list := []missingItem{}
	var missed format.Missed
	for _, m := range append(a.Missing(), e.of.server.panels.lacks(a.key)...) {
		m.Adds = false
		missed.Add(m)
	}
	e.of.server.tiles.missing(a.picture, a.generation, &missed)
	all := missed.All()
	for _, m := range all[:min(len(all), maxMissing)] {
		list = append(list, missingItem{m.Kind, e.of.plain(m.Name), m.Count, m.Unit, e.of.plain(m.What), m.Loss})
	}
	return map[string]any{"missing": list, "total": len(all)}, nil
}
