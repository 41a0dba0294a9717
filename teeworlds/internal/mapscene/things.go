package mapscene

import (
	"fmt"
	"image/color"
	"slices"
	"time"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// here is a place in a layer at which things are searched.
type here struct {
	*scene
	sceneLayer
	part    *twmap.Part
	placing mapdraw.Placing
	time    time.Duration
	x, y    float64 // in units of the group
	clipped bool
}

// thing returns the general description of a thing in the layer, without specific facts.
func (h *here) thing(what string, place twmap.Place, at twmap.Stored, err error) format.Thing {
	t := format.Thing{Title: h.title(what), Layer: h.Name, Place: place}
	if h.current {
		t.Line, _ = h.names.Line(place)
		if at.Len > 0 {
			t.Bytes = format.Bytes{Space: at.Space(), Offset: at.Offset, Len: at.Len}
		}
	}
	if err != nil {
		t.Facts = append(t.Facts, format.Fact("error", "", err.Error()))
	}
	if h.clipped {
		t.Facts = append(t.Facts, format.Fact("clipped", "not drawn here", "the clip of the group excludes this place"))
	}
	return t
}

// list returns those of n things of a layer for which contains reports true, topmost first.
func (h *here) list(
	n int, err error, contains func(i int) bool, describe func(i int) format.Thing,
) (things []format.Thing) {
	more := 0
	for i := range n {
		if i = n - 1 - i; !contains(i) {
			continue
		}
		if len(things) == maxThings {
			more++
			continue
		}
		t := describe(i)
		t.Facts = append(t.Facts, h.groupFacts())
		things = append(things, t)
	}
	if more > 0 {
		things = append(things, h.thing(fmt.Sprintf("%d more behind", more), h.part.Whole(), twmap.Stored{}, nil))
	}
	if err != nil && len(things) == 0 {
		things = append(things, h.thing(h.sceneLayer.Title, h.part.Whole(), twmap.Stored{}, err))
	}
	return things
}

// quads returns the quads at the place.
func (h *here) quads(l *twmap.QuadLayer) (things []format.Thing) {
	l.Look(func(quads []twmap.Quad, err error) {
		things = h.list(len(quads), err, func(i int) bool {
			shape := h.Quad(&quads[i], h.time)
			return shape.Contains(h.x, h.y)
		}, func(i int) format.Thing {
			q := &quads[i]
			t := h.thing(fmt.Sprintf("quad %d", i), h.part.Thing(twmap.ThingQuad, i), l.Stored(i), err)
			var corners, colors, texture []format.InfoField
			for j, corner := range [4]struct{ key, label string }{{"topLeft", "top left"}, {"topRight", "top right"},
				{"bottomLeft", "bottom left"}, {"bottomRight", "bottom right"}} {
				at := func(text any) format.InfoField { return format.Fact(corner.key, corner.label, text) }
				corners = append(corners, at(pointText(units(q.Points[j].X), units(q.Points[j].Y))))
				colors = append(colors, at(colorOf(q.Colors[j])))
				texture = append(texture, at(mapdir.Fixed(q.Texture[j].X)+", "+mapdir.Fixed(q.Texture[j].Y)))
			}
			t.Facts = append(t.Facts, format.Fact("corners", "corners in tiles", corners),
				format.Fact("pivot", "centre in tiles", pointText(units(q.Pivot.X), units(q.Pivot.Y))),
				format.Fact("colors", "colours", colors), format.Fact("texture", "of the image, from 0 to 1", texture))
			t.Facts = append(t.Facts, h.image(l.Image)...)
			t.Facts = append(t.Facts, h.envelope("positionEnvelope", "position envelope", q.PosEnv, q.PosEnvOffset)...)
			t.Facts = append(t.Facts, h.envelope("colorEnvelope", "colour envelope", q.ColorEnv, q.ColorEnvOffset)...)
			return t
		})
	})
	return things
}

// sources returns the sound sources that are heard at the place, or whose sign is there.
func (h *here) sources(l *twmap.SoundLayer) (things []format.Thing) {
	l.Look(func(sources []twmap.SoundSource, err error) {
		things = h.list(len(sources), err, func(i int) bool {
			sign, heard := h.Source(&sources[i], h.time)
			return sign.Contains(h.x, h.y) || heard.Contains(h.x, h.y)
		}, func(i int) format.Thing {
			s := &sources[i]
			t := h.thing(fmt.Sprintf("source %d", i), h.part.Thing(twmap.ThingSource, i), l.Stored(i), err)
			if l.Sound >= 0 && l.Sound < len(h.m.Sounds) {
				t.Facts = append(t.Facts, format.Fact("sound", "", h.m.Sounds[l.Sound].Name))
			}
			t.Facts = append(t.Facts, format.Fact("position", "position in tiles",
				pointText(units(s.Position.X), units(s.Position.Y))), format.Fact("shape", "", s.Shape.String()))
			switch s.Shape {
			case twmap.ShapeCircle:
				t.Facts = append(t.Facts, format.Fact("radius", "radius in tiles", float64(s.Width)/mapdraw.TileSize))
			case twmap.ShapeRectangle:
				t.Facts = append(t.Facts, format.Fact("size", "size in tiles", pointText(units(s.Width), units(s.Height))))
			}
			t.Facts = append(t.Facts, format.Fact("falloff", "full volume up to", fmt.Sprintf("%d of 255 of the way", s.Falloff)),
				format.Fact("loop", "repeats", s.Loop), format.Fact("pan", "louder on its side", s.Pan),
				format.Fact("delay", "delay", words.Count(int(s.Delay), "second")))
			t.Facts = append(t.Facts, h.envelope("positionEnvelope", "position envelope", s.PosEnv, s.PosEnvOffset)...)
			t.Facts = append(t.Facts, h.envelope("soundEnvelope", "sound envelope", s.SoundEnv, s.SoundEnvOffset)...)
			return t
		})
	})
	return things
}

// units returns a number with ten binary places in the units of the map.
func units(v int32) float64 { return float64(v) / 1024 }

// colorOf returns a colour as the game stores it: with a byte for each component.
func colorOf(c twmap.Color) color.NRGBA {
	return color.NRGBA{uint8(c.R), uint8(c.G), uint8(c.B), uint8(c.A)}
}

// groupFacts returns a description of the group of the layer.
func (h *here) groupFacts() format.InfoField {
	g := h.m.Groups[h.group]
	facts := []format.InfoField{format.Fact("name", "", g.Name),
		format.Fact("parallax", "parallax in percent", fmt.Sprintf("%d, %d", g.ParallaxX, g.ParallaxY)),
		format.Fact("offset", "offset in tiles", pointText(float64(g.OffsetX), float64(g.OffsetY)))}
	if c := g.Clip; c != nil {
		facts = append(facts, format.Fact("clip", "clip in tiles", fmt.Sprintf("%s, size %s",
			pointText(float64(c.X), float64(c.Y)), pointText(float64(c.Width), float64(c.Height)))))
	}
	return format.Fact("group", "", facts)
}

// image returns a description of an image by its number.
func (h *here) image(i int) []format.InfoField {
	if i < 0 || i >= len(h.m.Images) {
		return nil
	}
	im := h.m.Images[i]
	where := "embedded"
	if im.External() {
		where = "external"
	}
	return []format.InfoField{format.Fact("image", "", []format.InfoField{format.Fact("name", "", im.Name),
		format.Fact("width", "", im.Width()), format.Fact("height", "", im.Height()), format.Fact("where", "", where)})}
}

// envelope returns a description of an envelope by its number.
func (h *here) envelope(key, label string, i, offset int32) []format.InfoField {
	if i < 0 || int(i) >= len(h.m.Envelopes) {
		return nil
	}
	e := h.m.Envelopes[i]
	facts := []format.InfoField{format.Fact("name", "", e.Name), format.Fact("envelope", "number", int(i)),
		format.Fact("offset", "offset in ms", int(offset))}
	return []format.InfoField{format.Fact(key, label, append(facts, curvesOf(e)...))}
}

// curvesOf returns the values of an envelope over time.
func curvesOf(e *twmap.Envelope) []format.InfoField {
	samples := e.Samples()
	if len(samples) == 0 {
		return nil
	}
	times := make([]time.Duration, len(samples))
	for i, s := range samples {
		times[i] = time.Duration(s.Time * float64(time.Millisecond))
	}
	var points []time.Duration
	for _, p := range e.Points[:min(len(e.Points), len(samples))] {
		points = append(points, time.Duration(p.Time)*time.Millisecond)
	}
	curve := func(key, unit string, from int, scale float64, names ...string) format.InfoField {
		c := format.Curve{Unit: unit, Points: points}
		for i, name := range names {
			line := format.CurveLine{Name: name, Times: times}
			for _, s := range samples {
				line.Values = append(line.Values, s.Values[from+i]*scale)
			}
			c.Lines = append(c.Lines, line)
		}
		return format.Fact(key, "", c)
	}
	switch {
	case e.Channels == twmap.ChannelsSound:
		return []format.InfoField{curve("volume", "of 1", 0, 1, "volume")}
	case e.Channels == twmap.ChannelsPosition:
		return []format.InfoField{curve("move", "pixels", 0, 1, "x", "y"), curve("turn", "degrees", 2, 1, "rotation")}
	case e.Channels == twmap.ChannelsColor:
		return []format.InfoField{curve("color", "of 255", 0, 255, "red", "green", "blue", "alpha")}
	}
	names := []string{"1", "2", "3", "4"}
	return []format.InfoField{curve("values", "", 0, 1, slices.Clip(names[:min(max(e.Channels, 0), 4)])...)}
}
