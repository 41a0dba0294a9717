package worldscene

import (
	"context"
	"image"
	"image/color"
	"math"
	"slices"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/worlddraw"
)

// outline is the border of a protected box of nodes in a picture.
type outline struct {
	corners [][2]float64 // in units
	label   string
	color   color.NRGBA
}

// Colours of outlines.
var (
	areaColor      = color.NRGBA{R: 255, G: 200, B: 40, A: 255}
	protectorColor = color.NRGBA{R: 90, G: 200, B: 255, A: 255}
)

// protectorRules selects protectors with an owner.
var protectorRules = []worlddraw.MarkerRule{
	{Pattern: "protector:protect*", Kind: "protector", Color: protectorColor, Label: "{owner}"},
	{Pattern: "xp_redo:protector", Kind: "protector", Color: protectorColor, Label: "{owner}"},
	{Pattern: "priv_protector:protector", Kind: "protector", Color: protectorColor, Label: "{owner}"},
}

// outlines returns the outlines of areas and of the reach of protectors that are visible in a part of a picture.
func (s *worldScene) outlines(ctx context.Context, name string, part image.Rectangle, at worlddraw.Scaled,
	lose func(error)) ([]outline, error) {
	view, ok := s.viewOf(name)
	if !ok {
		return nil, nil
	}
	part = part.Inset(-2) // lines may touch pixels outside of their boxes
	low := [2]float64{at.Origin[0] + float64(part.Min.X)/at.Scale, at.Origin[1] + float64(part.Min.Y)/at.Scale}
	high := [2]float64{at.Origin[0] + float64(part.Max.X)/at.Scale, at.Origin[1] + float64(part.Max.Y)/at.Scale}
	var list []outline
	add := func(b worlddraw.Box, label string, c color.NRGBA) {
		from, to := view.Where(b)
		if from[0] < high[0] && to[0] > low[0] && from[1] < high[1] && to[1] > low[1] {
			list = append(list, outline{view.Outline(b), label, c})
		}
	}
	areas, err := s.world.areas()
	if err != nil {
		lose(err)
	}
	if areas != nil {
		for _, a := range areas.List {
			add(worlddraw.Box{Min: a.Min, Max: a.Max}, a.Name+" ("+a.Owner+")", areaColor)
		}
	}
	const r = protect.DefaultRadius
	protectors, err := s.world.markers(protectorRules).Near(ctx, view, reachOfProtectors(part, at), at, lose)
	for _, m := range protectors {
		var b worlddraw.Box
		for i, v := range m.Pos {
			b.Min[i], b.Max[i] = int(v)-r, int(v)+r
		}
		add(b, m.Label, m.Color)
	}
	return list, err
}

// reachOfProtectors returns the pixels whose protectors protect nodes in a part of a picture.
func reachOfProtectors(part image.Rectangle, at worlddraw.Scaled) image.Rectangle {
	return part.Inset(-int(math.Ceil((2*protect.DefaultRadius + 2) * at.Scale)))
}

// drawOutlines draws outlines as lines with a width of two pixels.
func drawOutlines(dst *image.RGBA, all []outline, at worlddraw.Scaled) {
	for _, o := range all {
		last := o.corners[len(o.corners)-1]
		for _, c := range o.corners {
			drawLine(dst, at, last, c, o.color)
			last = c
		}
	}
}

// drawLine draws the part of a line that is in dst.
func drawLine(dst *image.RGBA, at worlddraw.Scaled, a, b [2]float64, c color.NRGBA) {
	pixel := func(p [2]float64) (float64, float64) {
		return (p[0] - at.Origin[0]) * at.Scale, (p[1] - at.Origin[1]) * at.Scale
	}
	x0, y0 := pixel(a)
	x1, y1 := pixel(b)
	least, most, flat := dst.Rect.Min.X, dst.Rect.Max.X, math.Abs(x1-x0) >= math.Abs(y1-y0)
	if !flat {
		least, most = dst.Rect.Min.Y, dst.Rect.Max.Y
		x0, y0, x1, y1 = y0, x0, y1, x1
	}
	if x0 > x1 {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	for x := max(least, int(math.Floor(x0))); x < min(most, int(math.Ceil(x1))+1); x++ {
		y := int(math.Floor(y0 + (y1-y0)*min(max((float64(x)-x0)/max(x1-x0, 1), 0), 1)))
		for k := range 2 {
			p := image.Pt(x, y-k)
			if !flat {
				p = image.Pt(y-k, x)
			}
			if p.In(dst.Rect) {
				dst.Set(p.X, p.Y, c)
			}
		}
	}
}

// outlineLabels returns outlines as labels.
func outlineLabels(all []outline) (list []format.Label) {
	for _, o := range all {
		at := slices.MinFunc(o.corners, func(a, b [2]float64) int { return int(math.Copysign(1, a[0]+a[1]-b[0]-b[1])) })
		list = append(list, format.Label{Layer: layerAreas, At: at, Text: o.label, Color: o.color, Outline: o.corners})
	}
	return list
}
