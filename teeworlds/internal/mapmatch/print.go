package mapmatch

import (
	"encoding/binary"
	"slices"

	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/twmap"
)

// Prints computes the prints of the parts of a map: numbers that are equal for parts with equal contents, on every
// machine and in every version. It caches the prints, and must be used by only one goroutine.
type Prints struct {
	// The prints of the targets of references, so that a print does not depend on the position of a target. An index
	// without a target is used as its own print.
	Images, Sounds, Envelopes []uint64

	contents map[twmap.Layer]*Content
}

// Content holds the prints of the contents of a layer.
type Content struct {
	Sum uint64 // of everything
	// Features are prints of its parts, sorted: of rows and columns, or of the properties of quads. A small change
	// changes few of them. They do not depend on references, nor on the position of a part in the layer. Of very many
	// features only the smallest are kept, which are a fair sample.
	Features []uint64
	// Cells are prints of the cells of tile layers that are not air, at their positions, sampled like Features: scattered changes
	// of cells change most rows and columns, but few cells.
	Cells []uint64
}

// maxFeatures is the number of features that are kept.
const maxFeatures = 256

// Like returns the similarity of two contents, 0 to 1.
func (c *Content) Like(o *Content) float64 {
	if len(c.Cells) == 0 || len(o.Cells) == 0 {
		return Alike(c.Features, o.Features)
	}
	return max(Alike(c.Features, o.Features), Alike(c.Cells, o.Cells))
}

// keep sorts the features and limits their number.
func (c *Content) keep() {
	c.Features, c.Cells = smallest(c.Features), smallest(c.Cells)
}

// smallest returns the smallest features, sorted.
func smallest(list []uint64) []uint64 {
	if slices.Sort(list); len(list) > maxFeatures {
		list = slices.Clone(list[:maxFeatures])
	}
	return list
}

// mix adds a number to a print.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// mix32 adds numbers to a print.
func mix32(h uint64, v ...int32) uint64 {
	for _, n := range v {
		h = mix(h, uint64(uint32(n)))
	}
	return h
}

// PrintOf returns the print of a text.
func PrintOf(s string) uint64 {
	h := uint64(len(s))
	for i := range len(s) {
		h = mix(h, uint64(s[i]))
	}
	return h
}

func refPrint(refs []uint64, index int32) uint64 {
	if index >= 0 && int(index) < len(refs) {
		return refs[index]
	}
	return uint64(uint32(index))
}

// KindOf returns the properties that cannot change without making a different layer.
func KindOf(l twmap.Layer) string {
	switch l := l.(type) {
	case *twmap.TileLayer:
		return l.Kind().String()
	case *twmap.QuadLayer:
		return "quads"
	case *twmap.SoundLayer:
		return "sounds"
	}
	return "unknown"
}

// Attributes returns the print of the properties of a layer that seldom change. It reads no contents.
func (p *Prints) Attributes(l twmap.Layer) uint64 {
	b := l.Base()
	h := mix(PrintOf(KindOf(l)), PrintOf(b.Name))
	h = mix32(h, int32(b.Flags))
	switch l := l.(type) {
	case *twmap.TileLayer:
		h = mix32(h, int32(l.Width()), int32(l.Height()), l.Color.R, l.Color.G, l.Color.B, l.Color.A, l.ColorEnvOffset)
		h = mix(mix(h, refPrint(p.Images, int32(l.Image))), refPrint(p.Envelopes, l.ColorEnv))
		if a := l.AutoMapper; a != nil {
			h = mix32(h, a.Config, a.Seed)
		}
	case *twmap.QuadLayer:
		h = mix(h, refPrint(p.Images, int32(l.Image)))
	case *twmap.SoundLayer:
		h = mix(h, refPrint(p.Sounds, int32(l.Sound)))
	case *twmap.UnknownLayer:
		h = mix32(h, l.Type)
	}
	return h
}

// Count returns the number of things in a layer of quads or sounds, without
// reading them.
func (p *Prints) Count(l twmap.Layer) uint64 {
	switch l := l.(type) {
	case *twmap.QuadLayer:
		return uint64(l.NumQuads())
	case *twmap.SoundLayer:
		return uint64(l.NumSources())
	}
	return 0
}

// Load computes the prints of the contents of many layers, on all cores.
func (p *Prints) Load(layers []twmap.Layer) {
	if p.contents == nil {
		p.contents = make(map[twmap.Layer]*Content)
	}
	var todo []twmap.Layer
	for _, l := range layers {
		if p.contents[l] == nil {
			p.contents[l] = &Content{}
			todo = append(todo, l)
		}
	}
	parallel.Each(len(todo), func(i int) { *p.contents[todo[i]] = p.content(todo[i]) })
}

// Content returns the prints of the contents of a layer. Contents that cannot be read count as empty.
func (p *Prints) Content(l twmap.Layer) *Content {
	p.Load([]twmap.Layer{l})
	return p.contents[l]
}

func (p *Prints) content(l twmap.Layer) Content {
	switch l := l.(type) {
	case *twmap.TileLayer:
		var c Content
		readable := false
		l.Look(func(l *twmap.TileLayer) {
			if readable = l.Load() == nil; readable {
				c = tileContent(l)
			}
		})
		if !readable {
			c = tileContent(l.Clone()) // its cells, of which some can be read, are released with it
		}
		return c
	case *twmap.QuadLayer:
		var c Content
		l.Look(func(quads []twmap.Quad, _ error) { c = p.quadContent(quads) })
		return c
	case *twmap.SoundLayer:
		var c Content
		l.Look(func(sources []twmap.SoundSource, _ error) { c = p.soundContent(sources) })
		return c
	case *twmap.UnknownLayer:
		return Content{Sum: mix32(1, l.Data...)}
	}
	return Content{}
}

func tileContent(l *twmap.TileLayer) Content {
	switch l.Kind() {
	case twmap.KindTele:
		return gridContent(l.Teles(), func(c twmap.TeleTile) uint64 { return uint64(c.Number) | uint64(c.ID)<<8 })
	case twmap.KindSpeedup:
		return gridContent(l.Speedups(), func(c twmap.SpeedupTile) uint64 {
			return uint64(c.Force) | uint64(c.MaxSpeed)<<8 | uint64(c.ID)<<16 | uint64(c.Padding)<<24 | uint64(uint16(c.Angle))<<32
		})
	case twmap.KindSwitch:
		return gridContent(l.Switches(), func(c twmap.SwitchTile) uint64 {
			return uint64(c.Number) | uint64(c.ID)<<8 | uint64(c.Flags)<<16 | uint64(c.Delay)<<24
		})
	case twmap.KindTune:
		return gridContent(l.Tunes(), func(c twmap.TuneTile) uint64 { return uint64(c.Number) | uint64(c.ID)<<8 })
	}
	return gridContent(l.Tiles(), func(c twmap.Tile) uint64 {
		return uint64(c.ID) | uint64(c.Flags)<<8 | uint64(c.Skip)<<16 | uint64(c.Reserved)<<24
	})
}

// gridContent computes a feature of each row and column that is not all air, from its first to its last cell that is
// not air, so the feature stays the same when a layer is shifted or widened.
func gridContent[T twmap.Cell](g *twmap.Grid[T], number func(T) uint64) Content {
	c := Content{Sum: mix32(1, int32(g.Width()), int32(g.Height()))}
	cells, _ := g.Cells()
	columns := make([]run, min(g.Width(), len(cells))) // a broken layer may state any width
	var air T
	limit := ^uint64(0) // of prints of cells: larger ones are not among the smallest
	for y, row := range g.Rows() {
		var across run
		line := mix32(3, int32(y))
		for x, at := range row {
			if at != air {
				v := number(at)
				place := line ^ uint64(x)<<32
				id, all := mix(place, v&0xff), mix(place, v) // the flags of a tile may have changed
				if id <= limit {
					c.Cells = append(c.Cells, id)
				}
				if all <= limit {
					c.Cells = append(c.Cells, all)
				}
				if len(c.Cells) >= 4*maxFeatures {
					c.Cells = smallest(c.Cells)
					limit = c.Cells[maxFeatures-1]
				}
				across.add(x, v)
				columns[x].add(y, v)
			}
		}
		if across.solid {
			c.Sum = mix(mix32(c.Sum, int32(y), int32(across.before)), across.all)
			c.Features = append(c.Features, across.all)
		}
	}
	for _, column := range columns {
		if column.solid {
			c.Features = append(c.Features, ^column.all)
		}
	}
	c.keep()
	return c
}

// run is the print of the cells from the first to the last that is not air.
type run struct {
	all    uint64
	before int // number of air cells before it
	next   int // number of cells up to its end
	solid  bool
}

// add adds cell i, which is not air.
func (r *run) add(i int, v uint64) {
	if !r.solid {
		r.before, r.next, r.solid = i, i, true
	}
	r.all = mix(r.all, v|uint64(i-r.next)<<48)
	r.next = i + 1
}

func (p *Prints) quadContent(quads []twmap.Quad) Content {
	c := Content{Sum: uint64(len(quads))}
	for i := range quads {
		q := &quads[i]
		place, form, look := quadPlace(q), quadForm(q), quadLook(q)
		env := mix32(mix(refPrint(p.Envelopes, q.PosEnv), refPrint(p.Envelopes, q.ColorEnv)), q.PosEnvOffset, q.ColorEnvOffset)
		c.Sum = mix(mix(mix(mix(c.Sum, place), form), look), env)
		c.Features = append(c.Features, mix(place, 1), mix(mix(form, look), 2))
	}
	c.keep()
	return c
}

// quadPlace, quadForm and quadLook are the prints of the position of a quad, of its points relative to that position,
// and of its texture and colours.
func quadPlace(q *twmap.Quad) uint64 { return mix32(1, q.Pivot.X, q.Pivot.Y) }

func quadForm(q *twmap.Quad) uint64 {
	h := uint64(1)
	for _, p := range q.Points {
		h = mix32(h, p.X-q.Pivot.X, p.Y-q.Pivot.Y)
	}
	return h
}

func quadLook(q *twmap.Quad) uint64 {
	h := uint64(1)
	for i := range q.Colors {
		h = mix32(h, q.Colors[i].R, q.Colors[i].G, q.Colors[i].B, q.Colors[i].A, q.Texture[i].X, q.Texture[i].Y)
	}
	return h
}

func (p *Prints) soundContent(sources []twmap.SoundSource) Content {
	c := Content{Sum: uint64(len(sources))}
	for _, s := range sources {
		place := mix32(1, s.Position.X, s.Position.Y)
		rest := mix32(1, s.Delay, s.Falloff, int32(s.Shape), s.Width, s.Height)
		if s.Loop {
			rest = mix(rest, 1)
		}
		if s.Pan {
			rest = mix(rest, 2)
		}
		env := mix32(mix(refPrint(p.Envelopes, s.PosEnv), refPrint(p.Envelopes, s.SoundEnv)), s.PosEnvOffset, s.SoundEnvOffset)
		c.Sum = mix(mix(mix(c.Sum, place), rest), env)
		c.Features = append(c.Features, mix(place, 4), mix(mix(place, rest), 5))
	}
	c.keep()
	return c
}

// GroupAttributes returns the print of a group without its layers.
func (p *Prints) GroupAttributes(g *twmap.Group) uint64 {
	h := mix32(PrintOf(g.Name), g.OffsetX, g.OffsetY, g.ParallaxX, g.ParallaxY)
	if c := g.Clip; c != nil {
		h = mix32(h, c.X, c.Y, c.Width, c.Height)
	}
	if z := g.ParallaxZoom; z != nil {
		h = mix32(h, z.Percent)
	}
	return h
}

// EnvelopeContent returns the print of the points of an envelope.
func EnvelopeContent(e *twmap.Envelope) Content {
	c := Content{Sum: uint64(len(e.Points))}
	for i := range e.Points {
		pt := &e.Points[i]
		h := mix32(1, pt.Time, int32(pt.Curve), pt.Values[0], pt.Values[1], pt.Values[2], pt.Values[3])
		for j := range 4 {
			h = mix32(h, pt.In[j].DX, pt.In[j].DY, pt.Out[j].DX, pt.Out[j].DY)
		}
		c.Sum = mix(c.Sum, h)
		c.Features = append(c.Features, h)
	}
	c.keep()
	return c
}

// bytesPrint returns the print of bytes.
func bytesPrint(data []byte) uint64 {
	h := uint64(len(data))
	for ; len(data) >= 8; data = data[8:] {
		h = mix(h, binary.LittleEndian.Uint64(data))
	}
	for _, b := range data {
		h = mix(h, uint64(b))
	}
	return h
}

// Alike returns the share of features that two contents have in common, 0 to 1. It returns 0.5 for two contents
// without features, because nothing indicates either result.
func Alike(a, b []uint64) float64 {
	if len(a)+len(b) == 0 {
		return 0.5
	}
	// If one list is a sample, it is unknown whether it contains features above its largest.
	limit := ^uint64(0)
	for _, list := range [][]uint64{a, b} {
		if len(list) >= maxFeatures {
			limit = min(limit, list[len(list)-1])
		}
	}
	same, all := 0, 0
	for i, j := 0, 0; i < len(a) || j < len(b); all++ {
		switch {
		case j >= len(b) || i < len(a) && a[i] < b[j]:
			if a[i] > limit {
				return float64(same) / float64(all)
			}
			i++
		case i >= len(a) || a[i] > b[j]:
			if b[j] > limit {
				return float64(same) / float64(all)
			}
			j++
		default:
			same++
			i++
			j++
		}
	}
	return float64(same) / float64(all)
}
