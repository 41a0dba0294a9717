// Package mapmatch finds the parts that are the same in two versions of a map: by their names where these are
// conclusive, then by their contents, then by similarity. The position of a part in its list only decides between
// parts that are otherwise equal.
//
// Matched parts keep the name of their file (package mapdir) and are compared with each other (package mapdiff).
package mapmatch

import (
	"cmp"
	"slices"
	"sync"

	"trowel.example/teeworlds/twmap"
)

// Matches maps the parts of a new map to those of an old one.
type Matches struct {
	// The index in the old map of each part of the new map; -1 for new parts.
	Images, Sounds, Envelopes, Groups []int
	// Layers maps new layers to old ones, including those without a group. A layer may have come from another group.
	Layers map[twmap.Layer]twmap.Layer

	// The prints of both maps. Matched parts have the same print as targets of references.
	Old, New *Prints
}

// Match matches the parts of two maps. The result is deterministic. Match reads the contents of the parts that their
// names do not identify.
func Match(old, new *twmap.Map) *Matches {
	m := &Matches{Old: &Prints{}, New: &Prints{}, Layers: make(map[twmap.Layer]twmap.Layer)}
	m.Images = pair(list(old.Images, imagePart), list(new.Images, imagePart), inOrder)
	m.Old.Images, m.New.Images = shared(len(old.Images), m.Images)
	m.Sounds = pair(list(old.Sounds, soundPart), list(new.Sounds, soundPart), inOrder)
	m.Old.Sounds, m.New.Sounds = shared(len(old.Sounds), m.Sounds)
	m.Envelopes = pair(list(old.Envelopes, envelopePart), list(new.Envelopes, envelopePart), inOrder)
	m.Old.Envelopes, m.New.Envelopes = shared(len(old.Envelopes), m.Envelopes)
	m.Groups = pair(m.Old.groups(old), m.New.groups(new), inOrder)

	var restOld, restNew []twmap.Layer
	matched := make(map[int]bool)
	for j, i := range m.Groups {
		if i < 0 {
			restNew = append(restNew, new.Groups[j].Layers...)
			continue
		}
		matched[i] = true
		a, b := m.layers(old.Groups[i].Layers, new.Groups[j].Layers, inOrder)
		restOld, restNew = append(restOld, a...), append(restNew, b...)
	}
	for i, g := range old.Groups {
		if !matched[i] {
			restOld = append(restOld, g.Layers...)
		}
	}
	a, b := m.layers(old.Orphans, new.Orphans, inOrder)
	m.layers(append(restOld, a...), append(restNew, b...), anywhere)
	return m
}

// shared returns prints for the parts of both maps that are equal for matched parts.
func shared(n int, to []int) (old, new []uint64) {
	for i := range n {
		old = append(old, mix32(1, int32(i)))
	}
	for j, i := range to {
		if i >= 0 {
			new = append(new, old[i])
		} else {
			new = append(new, mix32(2, int32(j)))
		}
	}
	return old, new
}

// layers matches the layers of two groups and returns those that are left.
func (m *Matches) layers(old, new []twmap.Layer, how order) (restOld, restNew []twmap.Layer) {
	to := pair(list(old, m.Old.layerPart), list(new, m.New.layerPart), how)
	taken := make([]bool, len(old))
	for j, i := range to {
		if i < 0 {
			restNew = append(restNew, new[j])
			continue
		}
		taken[i] = true
		m.Layers[new[j]] = old[i]
	}
	for i, l := range old {
		if !taken[i] {
			restOld = append(restOld, l)
		}
	}
	return restOld, restNew
}

// part holds the properties of a part that pair compares.
type part struct {
	kind, name string
	attributes []uint64 // properties that seldom change
	content    func() *Content
	inPlace    bool // parts between the same neighbours are the same, whatever their contents are
}

func list[T any](parts []T, of func(T) part) []part {
	all := make([]part, len(parts))
	for i := range parts {
		all[i] = of(parts[i])
	}
	return all
}

func imagePart(im *twmap.Image) part {
	return part{name: im.Name, content: sync.OnceValue(func() *Content {
		if im.External() {
			return &Content{Sum: mix(PrintOf(im.Name), 1)}
		}
		p, _ := im.Picture()
		if p == nil {
			return &Content{Sum: mix(PrintOf(im.Name), 2)}
		}
		return &Content{Sum: mix(bytesPrint(p.Pix), uint64(p.Rect.Dx()))}
	})}
}

func soundPart(s *twmap.Sound) part {
	return part{name: s.Name, content: sync.OnceValue(func() *Content {
		opus, _ := s.Opus()
		return &Content{Sum: bytesPrint(opus)}
	})}
}

func envelopePart(e *twmap.Envelope) part {
	c := EnvelopeContent(&twmap.Envelope{Points: e.Meant()})
	return part{kind: e.Channels.String(), name: e.Name, content: func() *Content { return &c }, inPlace: true}
}

// physics is the name of parts that are unique: the physics layers, and their group.
const physics = "\x00physics"

func (p *Prints) layerPart(l twmap.Layer) part {
	b := l.Base()
	out := part{kind: KindOf(l), name: b.Name, attributes: []uint64{uint64(b.Flags)}, content: func() *Content { return p.Content(l) }}
	switch l := l.(type) {
	case *twmap.TileLayer:
		if l.Kind().Physics() {
			out.name = physics
		}
		out.attributes = append(out.attributes, mix32(1, int32(l.Width()), int32(l.Height())),
			mix32(1, l.Color.R, l.Color.G, l.Color.B, l.Color.A),
			refPrint(p.Images, int32(l.Image)), refPrint(p.Envelopes, l.ColorEnv))
	case *twmap.QuadLayer:
		out.attributes = append(out.attributes, refPrint(p.Images, int32(l.Image)))
	case *twmap.SoundLayer:
		out.attributes = append(out.attributes, refPrint(p.Sounds, int32(l.Sound)))
	}
	return out
}

// groups returns the groups of a map as parts. Groups are similar if their layers are.
func (p *Prints) groups(m *twmap.Map) []part {
	return list(m.Groups, func(g *twmap.Group) part {
		out := part{name: g.Name, attributes: []uint64{mix32(1, g.ParallaxX, g.ParallaxY), mix32(1, g.OffsetX, g.OffsetY), PrintOf(g.Name)}}
		for _, l := range g.Layers {
			if t, ok := l.(*twmap.TileLayer); ok && t.Kind() == twmap.KindGame {
				out.name = physics
			}
		}
		var content *Content
		out.content = func() *Content {
			if content != nil {
				return content
			}
			p.Load(g.Layers)
			content = &Content{Sum: p.GroupAttributes(g)}
			for _, l := range g.Layers {
				attributes, sum := p.Attributes(l), p.Content(l).Sum
				content.Sum = mix(mix(content.Sum, attributes), sum)
				content.Features = append(content.Features, attributes, mix(sum, 1), mix(sum, 2))
				content.Features = append(content.Features, p.Content(l).Features...) // few of its tiles may have changed
				content.Cells = append(content.Cells, p.Content(l).Cells...)
			}
			content.keep()
			return content
		}
		return out
	})
}

// order specifies the meaning of positions.
type order int

const (
	inOrder  order = iota // both lists are versions of the same list: neighbours and names count
	anywhere              // the remaining parts of many lists
)

// The smallest similarity of matched parts: for parts without names, and for those with different names.
const (
	alikeUnnamed = 0.45
	alikeRenamed = 0.6
)

// Limits of the number of parts that each part is compared with for similarity. In very long lists it is smaller, so that
// about maxPairs are compared.
const (
	maxCandidates = 200
	minCandidates = 16
	maxPairs      = 1 << 20
)

// maxCompared limits how often similar parts of a list are looked for again, in comparisons: a round may join just one
// pair, whose neighbours are then similar.
const maxCompared = 1 << 22

// pair returns the index of the old part for each new part, or -1.
func pair(old, new []part, how order) []int {
	p := &pairing{old: old, new: new, how: how, to: make([]int, len(new)), from: make([]int, len(old))}
	for i := range p.to {
		p.to[i] = -1
	}
	for i := range p.from {
		p.from[i] = -1
	}
	if how == inOrder {
		p.unique()
	}
	p.same(func(a *part) (any, bool) { return [3]any{a.kind, a.name, a.content().Sum}, true })
	p.same(func(a *part) (any, bool) {
		c := a.content()
		return [2]any{a.kind, c.Sum}, a.name != physics && (len(c.Features) > 0 || a.attributes == nil)
	})
	for p.alike() && p.compared < maxCompared {
	}
	return p.to
}

type pairing struct {
	old, new []part
	how      order
	to, from []int
	compared int // pairs of parts whose similarity was computed
}

func (p *pairing) join(i, j int) { p.from[i], p.to[j] = j, i }

// unique joins parts whose names are unique within their kind on both sides.
func (p *pairing) unique() {
	type name struct{ kind, name string }
	olds, news := make(map[name][]int), make(map[name][]int)
	for i, a := range p.old {
		olds[name{a.kind, a.name}] = append(olds[name{a.kind, a.name}], i)
	}
	for j, b := range p.new {
		news[name{b.kind, b.name}] = append(news[name{b.kind, b.name}], j)
	}
	for n, js := range news {
		if is := olds[n]; n.name != "" && len(is) == 1 && len(js) == 1 {
			p.join(is[0], js[0])
		}
	}
}

// left returns a function that reports whether parts of a kind are left on both sides; otherwise their contents need
// not be read.
func (p *pairing) left() func(kind string) bool {
	olds, news := make(map[string]bool), make(map[string]bool)
	for i := range p.old {
		if p.from[i] < 0 {
			olds[p.old[i].kind] = true
		}
	}
	for j := range p.new {
		if p.to[j] < 0 {
			news[p.new[j].kind] = true
		}
	}
	return func(kind string) bool { return olds[kind] && news[kind] }
}

// same joins parts with the same key.
func (p *pairing) same(key func(*part) (any, bool)) {
	left := p.left()
	keys := func(parts []part, joined []int) []any {
		all := make([]any, len(parts))
		for i := range parts {
			if joined[i] < 0 && left(parts[i].kind) {
				if k, ok := key(&parts[i]); ok {
					all[i] = k
				}
			}
		}
		return all
	}
	joinEqual(keys(p.old, p.from), keys(p.new, p.to), p.to, p.from)
}

// candidate is a pair of parts that may be the same.
type candidate struct {
	i, j  int
	score float64
}

// alike joins the most similar parts first. It reports whether there were any: their neighbours may then be more
// similar than before.
func (p *pairing) alike() bool {
	left := p.left()
	var olds []int
	for i := range p.old {
		if p.from[i] < 0 && left(p.old[i].kind) {
			olds = append(olds, i)
		}
	}
	var all []candidate
	most := min(maxCandidates, max(minCandidates, maxPairs/max(1, len(p.new))))
	for j := range p.new {
		if p.to[j] >= 0 || !left(p.new[j].kind) {
			continue
		}
		// If there are very many, compare only those at about the same position.
		near, _ := slices.BinarySearch(olds, j)
		first := max(0, min(near-most/2, len(olds)-most))
		for _, i := range olds[first:min(first+most, len(olds))] {
			p.compared++
			if score := p.score(i, j); score > 0 {
				all = append(all, candidate{i, j, score})
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(abs(a.i-a.j), abs(b.i-b.j)), cmp.Compare(a.j, b.j), cmp.Compare(a.i, b.i))
	})
	joined := false
	for _, c := range all {
		if p.from[c.i] < 0 && p.to[c.j] < 0 {
			p.join(c.i, c.j)
			joined = true
		}
	}
	return joined
}

// score returns the similarity of two parts, or 0 if they are not the same.
func (p *pairing) score(i, j int) float64 {
	a, b := &p.old[i], &p.new[j]
	if a.kind != b.kind {
		return 0
	}
	named := a.name != "" && a.name == b.name
	if a.attributes == nil && !named && len(a.content().Features) == 0 {
		return 0 // pictures are never merely similar
	}
	score := 0.6 * a.content().Like(b.content())
	same := 0
	for k := range a.attributes {
		if a.attributes[k] == b.attributes[k] {
			same++
		}
	}
	if n := len(a.attributes); n > 0 {
		score += 0.25 * float64(same) / float64(n)
	}
	if p.how == inOrder {
		beside := p.neighbour(i-1, j-1) + p.neighbour(i+1, j+1)
		score += 0.075 * beside
		if beside == 2 && a.inPlace && a.name == b.name {
			score += alikeUnnamed
		}
	}
	switch {
	case named && p.how == inOrder:
		return 1 + score
	case named:
		score += 0.2
	case a.name != "" && b.name != "" && score < alikeRenamed:
		return 0
	}
	if score < alikeUnnamed || p.how == anywhere && score < alikeRenamed {
		return 0
	}
	return score
}

// neighbour returns 1 if two neighbours are joined, or if both are beyond the end of the list.
func (p *pairing) neighbour(i, j int) float64 {
	inside := i >= 0 && i < len(p.old)
	if inside != (j >= 0 && j < len(p.new)) || inside && p.to[j] != i {
		return 0
	}
	return 1
}

func abs(n int) int { return max(n, -n) }
