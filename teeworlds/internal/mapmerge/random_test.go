package mapmerge_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapdiff"
	"trowel.example/teeworlds/internal/mapmerge"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// edit is a change of a map that finds its parts by name, so that it can be applied to several versions of the map.
// touches lists what it changes: edits without common entries give the same result in any order.
type edit struct {
	what    string
	touches []string
	do      func(m *twmap.Map)
}

func (e edit) overlaps(other edit) bool {
	for _, a := range e.touches {
		for _, b := range other.touches {
			if a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") {
				return true
			}
		}
	}
	return false
}

// label gives all parts of a map unique names, and all quads unique pivots.
func label(m *twmap.Map) {
	n := 0
	for i, g := range m.Groups {
		g.Name, g.Version = fmt.Sprintf("g%d", i), 3
		for _, l := range g.Layers {
			l.Base().Name = fmt.Sprintf("l%d", n)
			n++
			switch l := l.(type) {
			case *twmap.TileLayer:
				l.Version = max(l.Version, 3)
			case *twmap.QuadLayer:
				l.Version = max(l.Version, 2)
				quads, _ := l.Quads()
				quads = slices.Clone(quads)
				for q := range quads {
					quads[q].Pivot.X += int32(q * 7)
				}
				l.SetQuads(quads)
			}
		}
	}
	for i, im := range m.Images {
		if !im.External() {
			im.Name = fmt.Sprintf("i%d", i)
		}
	}
	for i, e := range m.Envelopes {
		e.Name, e.Version = fmt.Sprintf("e%d", i), max(e.Version, 1)
	}
}

func groupOf(m *twmap.Map, name string) *twmap.Group {
	for _, g := range m.Groups {
		if g.Name == name {
			return g
		}
	}
	return nil
}

func layerOf(m *twmap.Map, name string) twmap.Layer {
	for _, l := range m.Layers() {
		if l.Base().Name == name {
			return l
		}
	}
	return nil
}

// moveBehind moves the element for which is reports true after the one for which behind does.
func moveBehind[T any](list []T, is, behind func(T) bool) []T {
	i := slices.IndexFunc(list, is)
	one := list[i]
	list = slices.Delete(slices.Clone(list), i, i+1)
	return slices.Insert(list, slices.IndexFunc(list, behind)+1, one)
}

// randomEdit returns a random edit of a map; number makes new names unique.
func randomEdit(m *twmap.Map, r *rand.Rand, number int) edit {
	g := m.Groups[r.IntN(len(m.Groups))]
	layers := m.Layers()
	l := layers[r.IntN(len(layers))]
	group, layer := g.Name, l.Base().Name
	text := fmt.Sprintf("n%d", number)
	tiles := func() *twmap.TileLayer {
		for range 20 {
			if t, ok := layers[r.IntN(len(layers))].(*twmap.TileLayer); ok &&
				(t.Kind() == twmap.KindTiles || t.Kind() == twmap.KindGame || t.Kind() == twmap.KindFront) && t.Load() == nil {
				return t
			}
		}
		return m.Physics(twmap.KindGame)
	}
	quadLayer := func() *twmap.QuadLayer {
		for _, i := range r.Perm(len(layers)) {
			if q, ok := layers[i].(*twmap.QuadLayer); ok && q.NumQuads() > 0 {
				return q
			}
		}
		return nil
	}
	// through applies an edit with an editor, which finds the layer by name.
	through := func(name string, do func(e *mapedit.Editor, at []mapedit.LayerAt) error) func(*twmap.Map) {
		return func(m *twmap.Map) {
			e := mapedit.New(m, nil)
			var at []mapedit.LayerAt
			for i, g := range m.Groups {
				for j, l := range g.Layers {
					if l.Base().Name == name {
						at = append(at, mapedit.LayerAt{Group: i, Layer: j})
					}
				}
			}
			if err := do(e, at); err != nil {
				panic(err)
			}
		}
	}
	switch r.IntN(27) {
	case 20:
		if len(m.Images) == 0 || m.Images[0].External() {
			return edit{"nothing", nil, func(*twmap.Map) {}}
		}
		name := m.Images[0].Name
		return edit{"rename-image " + name, []string{"image/" + name}, through("", func(e *mapedit.Editor, _ []mapedit.LayerAt) error {
			at := slices.IndexFunc(e.Map().Images, func(im *twmap.Image) bool { return im.Name == name })
			return e.RenameImage(at, text)
		})}
	case 21:
		if len(m.Envelopes) == 0 {
			return edit{"nothing", nil, func(*twmap.Map) {}}
		}
		name := m.Envelopes[r.IntN(len(m.Envelopes))].Name
		return edit{"remove-envelope " + name, []string{"envelope/" + name, "layer", "groups/order"},
			through("", func(e *mapedit.Editor, _ []mapedit.LayerAt) error {
				at := slices.IndexFunc(e.Map().Envelopes, func(env *twmap.Envelope) bool { return env.Name == name })
				return e.RemoveEnvelopes([]int{at})
			})}
	case 22:
		t := tiles()
		name := t.Name
		if t.Kind() != twmap.KindTiles {
			return edit{"nothing", nil, func(*twmap.Map) {}}
		}
		return edit{"shift " + name, []string{"layer/" + name}, through(name,
			func(e *mapedit.Editor, at []mapedit.LayerAt) error { return e.Shift(at, 3, -2) })}
	case 23:
		t := tiles()
		name := t.Name
		return edit{"replace in " + name, []string{"layer/" + name}, through(name, func(e *mapedit.Editor, at []mapedit.LayerAt) error {
			one, two := t.Tiles().At(t.Width()/2, t.Height()/2).ID, uint8(1)
			return e.Replace(at, nil, mapedit.Tile{ID: &one}, mapedit.Tile{ID: &two}, mapedit.PaintOptions{Unused: true})
		})}
	case 24:
		return edit{"setting", []string{"setting/" + fmt.Sprint(number%3)}, through("", func(e *mapedit.Editor, _ []mapedit.LayerAt) error {
			return e.SetSetting(fmt.Sprintf("sv_test%d %d", number%3, number))
		})}
	case 25, 26:
		// The whole map grows, and everything in it gets another position.
		return edit{"extend", []string{"groups/order", "group", "layer", "extend"},
			through("", func(e *mapedit.Editor, _ []mapedit.LayerAt) error {
				return e.Extend(mapedit.Sides{Left: 3, Up: 2, Right: 1})
			})}
	case 0, 1, 2, 3:
		t := tiles()
		name := t.Name
		x, y := r.IntN(t.Width()), r.IntN(t.Height())
		e := edit{what: fmt.Sprintf("tile %d,%d of %s", x, y, name), touches: []string{"layer/" + name + "/" + fmt.Sprint(x, ",", y)}}
		is := twmap.Tile{ID: uint8(number%255 + 1)}
		e.do = func(m *twmap.Map) { layerOf(m, name).(*twmap.TileLayer).Tiles().Set(x, y, is) }
		return e
	case 4:
		return edit{"rename " + layer, []string{"layer/" + layer}, func(m *twmap.Map) { layerOf(m, layer).Base().Name = text }}
	case 5:
		return edit{"detail of " + layer, []string{"layer/" + layer + "/flags"},
			func(m *twmap.Map) { layerOf(m, layer).Base().Flags ^= twmap.Detail }}
	case 6:
		return edit{"rename " + group, []string{"group/" + group}, func(m *twmap.Map) { groupOf(m, group).Name = text }}
	case 7:
		return edit{"offset of " + group, []string{"group/" + group}, func(m *twmap.Map) { groupOf(m, group).OffsetX += int32(number + 1) }}
	case 8:
		to := m.Groups[r.IntN(len(m.Groups))].Name
		if to == group || to == m.Groups[len(m.Groups)-1].Name || group == m.Groups[len(m.Groups)-1].Name {
			return edit{"nothing", nil, func(*twmap.Map) {}}
		}
		return edit{"move " + group + " behind " + to, []string{"groups/order", "group/" + group, "group/" + to}, func(m *twmap.Map) {
			m.Groups = moveBehind(m.Groups, func(g *twmap.Group) bool { return g.Name == group }, func(g *twmap.Group) bool { return g.Name == to })
		}}
	case 9:
		return edit{"add group " + text, []string{"extend"}, func(m *twmap.Map) {
			t := twmap.NewTileLayer(twmap.KindTiles, 5, 6)
			t.Name = text
			t.Tiles().Set(1, 2, twmap.Tile{ID: uint8(number)})
			m.Groups = append(m.Groups, twmap.NewGroup(text, t))
		}}
	case 10:
		if t, ok := l.(*twmap.TileLayer); ok && t.Kind() == twmap.KindGame {
			return edit{"nothing", nil, func(*twmap.Map) {}}
		}
		return edit{"remove " + layer, []string{"layer/" + layer, "groups/order"}, func(m *twmap.Map) {
			for _, g := range m.Groups {
				g.Layers = slices.DeleteFunc(slices.Clone(g.Layers), func(l twmap.Layer) bool { return l.Base().Name == layer })
			}
		}}
	case 11:
		return edit{"add image " + text, nil, func(m *twmap.Map) {
			p := image.NewNRGBA(image.Rect(0, 0, 4, 4))
			p.Pix[0] = uint8(number)
			p.Pix[1] = uint8(number >> 8)
			m.Images = append(m.Images, twmap.NewImage(text, p))
		}}
	case 12:
		t := tiles()
		if t.Kind() != twmap.KindTiles {
			return edit{"nothing", nil, func(*twmap.Map) {}}
		}
		name := t.Name
		return edit{"new image for " + name, []string{"layer/" + name + "/image"}, func(m *twmap.Map) {
			p := image.NewNRGBA(image.Rect(0, 0, 4, 4))
			p.Pix[2] = uint8(number)
			p.Pix[3] = uint8(number >> 8)
			m.Images = append(m.Images, twmap.NewImage(text, p))
			layerOf(m, name).(*twmap.TileLayer).Image = len(m.Images) - 1
		}}
	case 13:
		return edit{"setting", nil, func(m *twmap.Map) {
			if m.Info == nil {
				m.Info = new(twmap.Info)
			}
			m.Info.Settings = append(slices.Clone(m.Info.Settings), fmt.Sprintf("add_vote v%d", number))
		}}
	case 14:
		return edit{"author", []string{"author"}, func(m *twmap.Map) {
			if m.Info == nil {
				m.Info = new(twmap.Info)
			}
			m.Info.Author = text
		}}
	case 15:
		return edit{"add envelope", nil, func(m *twmap.Map) {
			m.Envelopes = append(m.Envelopes, twmap.NewEnvelope(text, twmap.ChannelsColor, twmap.EnvPoint{Time: int32(number)}))
		}}
	case 16:
		if len(m.Envelopes) == 0 {
			return edit{"nothing", nil, func(*twmap.Map) {}}
		}
		i := r.IntN(len(m.Envelopes))
		name := m.Envelopes[i].Name
		return edit{"point of " + name, []string{"envelope/" + name}, func(m *twmap.Map) {
			e := m.Envelopes[slices.IndexFunc(m.Envelopes, func(e *twmap.Envelope) bool { return e.Name == name })]
			e.Points = append(slices.Clone(e.Points), twmap.EnvPoint{Time: e.Duration() + int32(number) + 1})
		}}
	case 17, 18:
		q := quadLayer()
		if q == nil {
			return edit{"nothing", nil, func(*twmap.Map) {}}
		}
		name := q.Name
		quads, _ := q.Quads()
		at := quads[r.IntN(len(quads))].Pivot
		what := r.IntN(3)
		return edit{fmt.Sprintf("quad-%d %v of %s", what, at, name),
			[]string{fmt.Sprint("layer/", name, "/quad", at), "groups/order"}, func(m *twmap.Map) {
				l := layerOf(m, name).(*twmap.QuadLayer)
				quads, _ := l.Quads()
				quads = slices.Clone(quads)
				i := slices.IndexFunc(quads, func(q twmap.Quad) bool { return q.Pivot == at })
				switch what {
				case 0:
					quads[i].Colors[2] = twmap.Color{R: 1, G: int32(number)}
				case 1:
					for k := range quads[i].Points {
						quads[i].Points[k].Y += 1 << 14
					}
					quads[i].Pivot.Y += 1 << 14
				case 2:
					quads = slices.Delete(quads, i, i+1)
				}
				l.SetQuads(quads)
			}}
	default:
		t := tiles()
		if t.Kind() != twmap.KindTiles || t.Width()*t.Height() > 1<<18 {
			return edit{"nothing", nil, func(*twmap.Map) {}}
		}
		name := t.Name
		return edit{"resize " + name, []string{"layer/" + name + "/size"}, func(m *twmap.Map) {
			l := layerOf(m, name).(*twmap.TileLayer)
			l.Resize(l.Width()+3, l.Height()+2)
			l.Tiles().Set(l.Width()-1, l.Height()-1, twmap.Tile{ID: 77})
		}}
	}
}

// madeMap returns a random map.
func madeMap(r *rand.Rand) *twmap.Map {
	m := twmap.New(40+r.IntN(20), 30+r.IntN(20))
	fill := func(l *twmap.TileLayer, n int) {
		for range n {
			l.Tiles().Set(r.IntN(l.Width()), r.IntN(l.Height()), twmap.Tile{ID: uint8(1 + r.IntN(200))})
		}
	}
	fill(m.Physics(twmap.KindGame), 300)
	p := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	p.Pix[5] = 9
	m.Images = append(m.Images, twmap.NewImage("a", p))
	m.Envelopes = append(m.Envelopes, twmap.NewEnvelope("x", twmap.ChannelsPosition, twmap.EnvPoint{}, twmap.EnvPoint{Time: 500}))
	for range 3 {
		d := twmap.NewTileLayer(twmap.KindTiles, 20+r.IntN(30), 20+r.IntN(30))
		fill(d, 150)
		d.Image = 0
		q := make([]twmap.Quad, 5)
		for i := range q {
			q[i] = twmap.NewQuad(int32(r.IntN(1<<20)), int32(r.IntN(1<<20)), 1<<15, 1<<15)
			q[i].PosEnv = int32(r.IntN(2)) - 1
		}
		m.Groups = append(m.Groups, twmap.NewGroup("g", d, twmap.NewQuadLayer(q...)))
	}
	return m
}

// TestMergeRandomEdits tests that merging two edits of different things gives the same result as applying both in
// turn, and that edits of the same thing are a conflict unless they are equal.
func TestMergeRandomEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	mergeRandom(t, r, []*twmap.Map{madeMap(r), madeMap(r), madeMap(r)}, 1000)
}

// TestCorpusRandomEdits tests the same with real maps.
func TestCorpusRandomEdits(t *testing.T) {
	mergeRandom(t, rand.New(rand.NewPCG(27, 18)), corpusMaps(t), 1000)
}

// corpusMaps returns real maps.
func corpusMaps(t *testing.T) []*twmap.Map {
	var list []*twmap.Map
	for _, name := range tests.CorpusFiles(t, "teeworlds", ".map") {
		data := judge.Read(t, name)
		m, err := twmap.Decode(data)
		if err == nil && len(m.Groups) > 1 && m.Physics(twmap.KindGame) != nil && m.Load() == nil && len(data) < 1<<18 {
			list = append(list, m)
		}
	}
	return list
}

// TestMergeExtend tests merging tile edits of one side with an extended map of the other.
func TestMergeExtend(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 18))
	mergeExtended(t, r, []*twmap.Map{madeMap(r), madeMap(r), madeMap(r)})
}

func TestCorpusExtend(t *testing.T) { mergeExtended(t, rand.New(rand.NewPCG(2, 2)), corpusMaps(t)) }

// varies reports whether the cells of a layer vary enough to find their position.
func varies(l *twmap.TileLayer) bool {
	across, down := 0, 0
	for y := 1; y < l.Height(); y++ {
		for x := 1; x < l.Width(); x++ {
			if l.Tiles().At(x, y).ID != l.Tiles().At(x-1, y).ID {
				across++
			}
			if l.Tiles().At(x, y).ID != l.Tiles().At(x, y-1).ID {
				down++
			}
		}
	}
	return across > 20 && down > 20
}

func mergeExtended(t *testing.T, r *rand.Rand, bases []*twmap.Map) {
	merged := 0
	for i, base := range bases {
		if !varies(base.Physics(twmap.KindGame)) {
			continue // rows that were added to air cannot be located
		}
		label(base)
		paint := func(m *twmap.Map) {
			r := rand.New(rand.NewPCG(uint64(i), 9))
			for _, l := range m.Layers() {
				if t, ok := l.(*twmap.TileLayer); ok && t.Kind() <= twmap.KindFront && t.Width() > 4 && t.Height() > 4 &&
					t.Width()*t.Height() < 1<<17 && varies(t) {
					for range 5 {
						t.Tiles().Set(2+r.IntN(t.Width()-4), 2+r.IntN(t.Height()-4), twmap.Tile{ID: uint8(1 + r.IntN(200))})
					}
				}
			}
		}
		by := mapedit.Sides{Left: r.IntN(4), Up: r.IntN(4), Right: r.IntN(3), Down: 1 + r.IntN(2)}
		ours, theirs, both := base.Clone(), base.Clone(), base.Clone()
		paint(ours)
		paint(both)
		if err := mapedit.New(theirs, nil).Extend(by); err != nil {
			continue // already too large
		}
		if err := mapedit.New(both, nil).Extend(by); err != nil {
			t.Fatal(err)
		}
		got, list, err := mapmerge.Merge(base, ours, theirs, merge3.Options{})
		if err != nil {
			t.Fatal(err)
		}
		conflicts := len(list)
		if merged++; conflicts > 0 || !got.Equal(both) {
			var lines mapdiff.Lines
			_ = mapdiff.Compare(mapdir.NamesOf(both), mapdir.NamesOf(got), func(c mapdiff.Change) error { lines.Add(c); return nil })
			all := lines.All()
			t.Errorf("map %d, %v: %d conflicts, and not what both do one after the other: %s", i, by, conflicts, all[:min(3, len(all))])
		}
	}
	t.Logf("%d maps", merged)
}

func mergeRandom(t *testing.T, r *rand.Rand, bases []*twmap.Map, runs int) {
	for _, m := range bases {
		label(m)
	}
	merged, conflicting := 0, 0
	if !tests.Long(t) {
		runs /= 10
	}
	for i := range runs {
		base := bases[i%len(bases)]
		a, b := randomEdit(base, r, 2*i), randomEdit(base, r, 2*i+1)
		ours, theirs, both := base.Clone(), base.Clone(), base.Clone()
		a.do(ours)
		b.do(theirs)
		got, list, err := mapmerge.Merge(base, ours, theirs, merge3.Options{})
		if err != nil {
			t.Fatalf("%s and %s: %v", a.what, b.what, err)
		}
		conflicts := len(list)
		if a.overlaps(b) {
			kind, _, _ := strings.Cut(a.what, " ")
			other, _, _ := strings.Cut(b.what, " ")
			if a.touches[0] == b.touches[0] && kind == other && !slices.Contains([]string{"move", "point", "detail", "add"},
				kind) && !ours.Equal(theirs) {
				conflicting++
				if conflicts == 0 {
					t.Errorf("%s and %s: no conflict", a.what, b.what)
				}
			}
			continue
		}
		merged++
		a.do(both)
		b.do(both)
		if conflicts > 0 || !got.Equal(both) {
			t.Errorf("map %d: %s and %s: %d conflicts, and not what both do one after the other", i%len(bases), a.what, b.what, conflicts)
		}
	}
	t.Logf("%d pairs merged, %d conflicts", merged, conflicting)
}
