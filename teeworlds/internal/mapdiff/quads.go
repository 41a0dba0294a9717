package mapdiff

import (
	"fmt"

	"trowel.example/teeworlds/internal/mapmatch"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// items compares two versions of a list of things inside a part.
func (c *comparison) items(typ string, nOld int, to []int, text func(new bool, i int) any, report func(Change) error,
	both func(part Part, i, j int) error) error {
	return c.pairs(nOld, to,
		func(i, j int) error { return report(Change{Part: partOf(typ, "", i, j), Kind: Moved, Old: i, New: j}) },
		func(j int) error {
			return report(Change{Part: partOf(typ, "", -1, j), Kind: Added, New: text(true, j)})
		},
		func(i int) error {
			return report(Change{Part: partOf(typ, "", i, -1), Kind: Removed, Old: text(false, i)})
		},
		func(i, j int) error { return both(partOf(typ, "", i, j), i, j) })
}

// number is a decimal number, as text and in JSON.
type number string

func (n number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// pixels is a point in pixels.
func pixels(p twmap.Point) []number {
	return []number{number(mapdir.Fixed(p.X)), number(mapdir.Fixed(p.Y))}
}

func color(c twmap.Color) []int32 { return []int32{c.R, c.G, c.B, c.A} }

var corners = [4]string{"top left", "top right", "bottom left", "bottom right"}

func (c *comparison) quads(a, b *twmap.QuadLayer, report func(Change) error) error {
	olds, _ := a.Quads()
	news, _ := b.Quads()
	old, new := c.sides()
	text := func(isNew bool, i int) any {
		q := &olds
		if isNew {
			q = &news
		}
		return pixels((*q)[i].Pivot)
	}
	return c.items("quad", len(olds), c.Quads(olds, news), text, report, func(part Part, i, j int) error {
		p, q := &olds[i], &news[j]
		add := func(change Change) error {
			change.Part = part
			return report(change)
		}
		// If all points moved together, the quad moved; otherwise each point is compared.
		dx, dy := q.Pivot.X-p.Pivot.X, q.Pivot.Y-p.Pivot.Y
		together := dx != 0 || dy != 0
		for k := range p.Points {
			together = together && q.Points[k].X-p.Points[k].X == dx && q.Points[k].Y-p.Points[k].Y == dy
		}
		if together {
			if err := add(Change{Kind: Changed, Field: "place", Old: pixels(p.Pivot), New: pixels(q.Pivot),
				By: pixels(twmap.Point{X: dx, Y: dy})}); err != nil {
				return err
			}
		}
		of := func(q *twmap.Quad, s side) []field {
			var list []field
			if !together {
				list = append(list, field{"pivot", pixels(q.Pivot), nil})
				for k := range q.Points {
					list = append(list, field{corners[k] + " corner", pixels(q.Points[k]), nil})
				}
			}
			for k := range q.Colors {
				list = append(list, field{corners[k] + " color", color(q.Colors[k]), nil}, field{corners[k] + " texture", pixels(q.Texture[k]), nil})
			}
			return append(list, refField("position envelope", s.prints.Envelopes, q.PosEnv, s.envelope),
				field{"position envelope offset", q.PosEnvOffset, nil},
				refField("color envelope", s.prints.Envelopes, q.ColorEnv, s.envelope), field{"color envelope offset", q.ColorEnvOffset, nil})
		}
		before, after := merge(of(p, old), of(q, new))
		return c.some(add, before, after)
	})
}

// merge joins the four colours of a quad to one field if all of them were equal and are equal.
func merge(old, new []field) (_, _ []field) {
	one := func(list []field) bool {
		var first any
		for _, f := range list {
			if v, ok := f.value.([]int32); ok && len(v) == 4 {
				if first == nil {
					first = [4]int32(v)
				} else if first != [4]int32(v) {
					return false
				}
			}
		}
		return true
	}
	if !one(old) || !one(new) {
		return old, new
	}
	keep := func(list []field) []field {
		var kept []field
		seen := false
		for _, f := range list {
			if _, ok := f.value.([]int32); ok {
				if seen {
					continue
				}
				seen = true
				f.name = "color"
			}
			kept = append(kept, f)
		}
		return kept
	}
	return keep(old), keep(new)
}

// some compares fields of a thing inside a part.
func (c *comparison) some(report func(Change) error, old, new []field) error {
	inner := *c
	inner.yield = report
	return inner.fields("", Part{}, old, new)
}

func (c *comparison) sources(a, b *twmap.SoundLayer, report func(Change) error) error {
	olds, _ := a.Sources()
	news, _ := b.Sources()
	old, new := c.sides()
	// Equality must not depend on the positions of envelopes.
	plain := func(sources []twmap.SoundSource, s side) []twmap.SoundSource {
		list := make([]twmap.SoundSource, len(sources))
		for i, source := range sources {
			for _, env := range []*int32{&source.PosEnv, &source.SoundEnv} {
				if *env >= 0 && int(*env) < len(s.prints.Envelopes) {
					*env = int32(s.prints.Envelopes[*env] & 0x7fffffff)
				}
			}
			list[i] = source
		}
		return list
	}
	to := mapmatch.InOrder(plain(olds, old), plain(news, new), func(s twmap.SoundSource) twmap.Point { return s.Position })
	text := func(isNew bool, i int) any {
		if isNew {
			return pixels(news[i].Position)
		}
		return pixels(olds[i].Position)
	}
	return c.items("source", len(olds), to, text, report, func(part Part, i, j int) error {
		of := func(s *twmap.SoundSource, in side) []field {
			width := number(mapdir.Fixed(s.Width))
			if s.Shape == twmap.ShapeCircle {
				width = number(fmt.Sprint(s.Width)) // the radius, in pixels
			}
			return []field{{"loop", s.Loop, nil}, {"pan", s.Pan, nil}, {"delay", s.Delay, nil}, {"falloff", s.Falloff, nil},
				{"shape", s.Shape.String(), nil}, {"width", width, nil}, {"height", number(mapdir.Fixed(s.Height)), nil},
				refField("position envelope", in.prints.Envelopes, s.PosEnv, in.envelope), {"position envelope offset", s.PosEnvOffset, nil},
				refField("sound envelope", in.prints.Envelopes, s.SoundEnv, in.envelope), {"sound envelope offset", s.SoundEnvOffset, nil}}
		}
		return c.some(func(change Change) error {
			change.Part = part
			return report(change)
		}, of(&olds[i], old), of(&news[j], new))
	})
}

// points compares the points of an envelope, which are identified by their time.
func (c *comparison) points(path string, part Part, a, b *twmap.Envelope) error {
	olds, news := a.Meant(), b.Meant()
	to := mapmatch.InOrder(olds, news, func(p twmap.EnvPoint) int32 { return p.Time })
	if unused := unusedField(a, olds, b, news, to); unused.Old != unused.New {
		unused.Path, unused.Part = path, part
		if err := c.yield(unused); err != nil {
			return err
		}
	}
	values := func(e *twmap.Envelope, v [4]int32) []number {
		n := len(v)
		if c := int(e.Channels); c > 0 && c < n {
			n = c
		}
		var list []number
		for _, value := range v[:n] {
			if e.Channels == twmap.ChannelsColor {
				list = append(list, number(mapdir.Shade(value)))
			} else {
				list = append(list, number(mapdir.Fixed(value)))
			}
		}
		return list
	}
	text := func(isNew bool, i int) any {
		e := a
		if isNew {
			e = b
		}
		return values(e, e.Points[i].Values)
	}
	report := func(change Change) error {
		change.Path, change.in = path, &part
		e, at := b, change.Part.Is
		if at == nil {
			e, at = a, change.Part.Was
		}
		change.Part.Name = fmt.Sprintf("%d ms", e.Points[*at].Time)
		return c.yield(change)
	}
	return c.items("point", len(a.Points), to, text, report, func(part Part, i, j int) error {
		of := func(e *twmap.Envelope, p *twmap.EnvPoint) []field {
			return []field{{"curve", p.Curve.String(), nil}, {"values", values(e, p.Values), nil},
				{"in tangents", tangents(p.In), nil}, {"out tangents", tangents(p.Out), nil}}
		}
		return c.some(func(change Change) error {
			change.Part = part
			return report(change)
		}, of(a, &olds[i]), of(b, &news[j]))
	})
}

// unusedField returns the change of values without meaning in the points of an envelope: old programs wrote
// uninitialized memory there.
func unusedField(a *twmap.Envelope, olds []twmap.EnvPoint, b *twmap.Envelope, news []twmap.EnvPoint, to []int) Change {
	rest := func(is, meant twmap.EnvPoint) (p twmap.EnvPoint) {
		for i := range p.Values { // values with a meaning are equal to the original, others are 0
			p.Values[i] = is.Values[i] - meant.Values[i]
			p.In[i] = twmap.Tangent{DX: is.In[i].DX - meant.In[i].DX, DY: is.In[i].DY - meant.In[i].DY}
			p.Out[i] = twmap.Tangent{DX: is.Out[i].DX - meant.Out[i].DX, DY: is.Out[i].DY - meant.Out[i].DY}
		}
		return p
	}
	was, is := "none", "none"
	differ := false
	for j, i := range to {
		if i < 0 {
			continue
		}
		before, after := rest(a.Points[i], olds[i]), rest(b.Points[j], news[j])
		differ = differ || before != after
		if before != (twmap.EnvPoint{}) {
			was = "some"
		}
		if after != (twmap.EnvPoint{}) {
			is = "some"
		}
	}
	if differ && was == is {
		is = "others"
	} else if !differ {
		is = was
	}
	return Change{Kind: Changed, Field: "unused values", Old: was, New: is}
}

func tangents(t [4]twmap.Tangent) []int32 {
	var list []int32
	for _, t := range t {
		list = append(list, t.DX, t.DY)
	}
	return list
}
