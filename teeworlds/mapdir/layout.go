package mapdir

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"

	"trowel.example/teeworlds/internal/mapmatch"
	"trowel.example/teeworlds/twmap"
)

// layout holds the location of the parts of a map in the folder: the names of their files without extensions, or of
// their folders for groups.
type layout struct {
	images, sounds, envelopes, groups []string
	layers                            [][]string // by group
	orphans                           []string
}

const (
	dirImages    = "images"
	dirSounds    = "sounds"
	dirEnvelopes = "envelopes"
	dirGroups    = "groups"
	dirOrphans   = "orphans"

	fileOrder = "order.txt"
)

// reservedLayers lists names of layers that would conflict with files of another meaning.
var reservedLayers = []string{"order", "group"}

func (l *layout) group(i int) string    { return dirGroups + "/" + l.groups[i] }
func (l *layout) layer(i, j int) string { return l.group(i) + "/" + l.layers[i][j] }
func (l *layout) orphan(i int) string   { return dirOrphans + "/" + l.orphans[i] }

// Names holds the file names of the parts of a map. [NamesOf] makes them; the zero value is not usable.
type Names struct {
	m  *twmap.Map
	at *layout
}

// NamesOf returns names for the parts of a map.
func NamesOf(m *twmap.Map) *Names { return &Names{m, layoutOf(m, nil)} }

// For returns names for the parts of another version of the map: the names in n for the parts that both have, and new
// names for the others. n may be nil.
func (n *Names) For(m *twmap.Map) *Names { return &Names{m, layoutOf(m, n.kept(m))} }

// Map returns the map whose parts have the names.
func (n *Names) Map() *twmap.Map { return n.m }

// Image returns the path of the files of image i in the folder, without their extensions. names.go describes how this
// and the other paths are made; i is an index of the list in the map.
func (n *Names) Image(i int) string { return dirImages + "/" + n.at.images[i] }

// Sound returns the path of the files of sound i, without their extensions.
func (n *Names) Sound(i int) string { return dirSounds + "/" + n.at.sounds[i] }

// Envelope returns the path of the file of envelope i, without its extension.
func (n *Names) Envelope(i int) string { return dirEnvelopes + "/" + n.at.envelopes[i] }

// Group returns the path of the folder of group i.
func (n *Names) Group(i int) string { return n.at.group(i) }

// Layer returns the path of the files of layer j of group i, without their extensions.
func (n *Names) Layer(i, j int) string { return n.at.layer(i, j) }

// Orphan returns the path of the files of orphan i, a layer without a group, without their extensions.
func (n *Names) Orphan(i int) string { return n.at.orphan(i) }

// ReadNames reads the names in the folder of a map. It fails where [Read] does.
func ReadNames(fsys fs.FS) (*Names, error) {
	r, err := read(fsys, nil)
	if err != nil {
		return nil, err
	}
	return &Names{r.m, r.at}, nil
}

// layoutOf returns the location of every part of a map, with the names that are kept.
func layoutOf(m *twmap.Map, kept *layout) *layout {
	var l layout
	if kept == nil {
		kept = noNames(m)
	}
	prints := &mapmatch.Prints{} // prints with the names of references, instead of their files
	images := make([]named, len(m.Images))
	for i, im := range m.Images {
		images[i] = named{kept.images[i], cmp.Or(fileName(im.Name), "unnamed"), imagePrints(im)}
		prints.Images = append(prints.Images, mapmatch.PrintOf(im.Name))
	}
	l.images = giveNames(images)
	sounds := make([]named, len(m.Sounds))
	for i, s := range m.Sounds {
		sounds[i] = named{kept.sounds[i], cmp.Or(fileName(s.Name), "unnamed"), soundPrints(s)}
		prints.Sounds = append(prints.Sounds, mapmatch.PrintOf(s.Name))
	}
	l.sounds = giveNames(sounds)
	envelopes := make([]named, len(m.Envelopes))
	for i, e := range m.Envelopes {
		envelopes[i] = named{kept.envelopes[i], cmp.Or(fileName(e.Name), e.Channels.String()), envelopePrints(e)}
		prints.Envelopes = append(prints.Envelopes, mapmatch.PrintOf(e.Name+e.Channels.String()))
	}
	l.envelopes = giveNames(envelopes)

	groups := make([]named, len(m.Groups))
	for i, g := range m.Groups {
		base := cmp.Or(fileName(g.Name), fmt.Sprintf("group %dx%d", g.ParallaxX, g.ParallaxY))
		groups[i] = named{kept.groups[i], base, groupPrints(prints, g)}
	}
	l.groups = giveNames(groups)
	layers := func(layers []twmap.Layer, kept []string) []string {
		parts := make([]named, len(layers))
		for i, layer := range layers {
			parts[i] = named{kept[i], layerBase(m, layer), layerPrints(prints, layer)}
		}
		return giveNames(parts, reservedLayers...)
	}
	for i, g := range m.Groups {
		l.layers = append(l.layers, layers(g.Layers, kept.layers[i]))
	}
	l.orphans = layers(m.Orphans, kept.orphans)
	return &l
}

// layerBase returns the base name of a layer: its name, or otherwise its type and what it shows.
func layerBase(m *twmap.Map, layer twmap.Layer) string {
	if name := fileName(layer.Base().Name); name != "" {
		return name
	}
	of := ""
	image := func(i int) {
		if i >= 0 && i < len(m.Images) {
			of = m.Images[i].Name
		}
	}
	switch layer := layer.(type) {
	case *twmap.TileLayer:
		image(layer.Image)
	case *twmap.QuadLayer:
		image(layer.Image)
	case *twmap.SoundLayer:
		if i := layer.Sound; i >= 0 && i < len(m.Sounds) {
			of = m.Sounds[i].Name
		}
	case *twmap.UnknownLayer:
		of = fmt.Sprint(layer.Type)
	}
	return fileName(mapmatch.KindOf(layer) + " " + of)
}

func imagePrints(im *twmap.Image) []func() uint64 {
	return []func() uint64{
		func() uint64 {
			return mapmatch.PrintOf(fmt.Sprint(im.Name, im.External(), im.Width(), im.Height(), im.Version, im.Variant))
		},
		func() uint64 {
			if p, _ := im.Picture(); p != nil {
				return mapmatch.PrintOf(string(p.Pix))
			}
			return 0
		},
	}
}

func soundPrints(s *twmap.Sound) []func() uint64 {
	return []func() uint64{
		func() uint64 { return mapmatch.PrintOf(fmt.Sprint(s.Name, s.External(), s.Version)) },
		func() uint64 {
			opus, _ := s.Opus()
			return mapmatch.PrintOf(string(opus))
		},
	}
}

func envelopePrints(e *twmap.Envelope) []func() uint64 {
	return []func() uint64{
		func() uint64 { return mapmatch.PrintOf(fmt.Sprint(e.Name, e.Channels, e.Synchronized, e.Duration())) },
		func() uint64 { return least(mapmatch.EnvelopeContent(e).Features) },
		func() uint64 { return mapmatch.EnvelopeContent(e).Sum },
	}
}

// least returns the smallest of some prints: adding or changing one of many prints seldom changes it.
func least(prints []uint64) uint64 {
	all := ^uint64(0)
	for _, p := range prints {
		all = min(all, p*0x9e3779b97f4a7c15)
	}
	return all * 0x9e3779b97f4a7c15
}

func layerPrints(p *mapmatch.Prints, l twmap.Layer) []func() uint64 {
	return []func() uint64{
		func() uint64 { return p.Attributes(l) },
		func() uint64 { return mapmatch.PrintOf(fmt.Sprint(p.Attributes(l), p.Count(l))) },
		func() uint64 { return least(p.Content(l).Features) },
		func() uint64 { return mapmatch.PrintOf(fmt.Sprint(p.Content(l).Sum)) },
	}
}

func groupPrints(p *mapmatch.Prints, g *twmap.Group) []func() uint64 {
	attributes := func() []uint64 {
		var all []uint64
		for _, l := range g.Layers {
			all = append(all, p.Attributes(l))
		}
		return all
	}
	return []func() uint64{
		func() uint64 { return p.GroupAttributes(g) },
		func() uint64 { return least(attributes()) },
		func() uint64 { return mapmatch.PrintOf(fmt.Sprint(attributes())) },
		func() uint64 {
			p.Load(g.Layers)
			h := uint64(0)
			for _, l := range g.Layers {
				h = mapmatch.PrintOf(fmt.Sprint(h, p.Content(l).Sum))
			}
			return h
		},
	}
}

// noNames returns a layout with an empty name for each part of a map.
func noNames(m *twmap.Map) *layout {
	l := &layout{images: make([]string, len(m.Images)), sounds: make([]string, len(m.Sounds)),
		envelopes: make([]string, len(m.Envelopes)), groups: make([]string, len(m.Groups)), orphans: make([]string, len(m.Orphans))}
	for _, g := range m.Groups {
		l.layers = append(l.layers, make([]string, len(g.Layers)))
	}
	return l
}

// kept returns the names that parts of another map have in n, and "" for parts that n lacks.
func (n *Names) kept(m *twmap.Map) *layout {
	kept := noNames(m)
	if n == nil {
		return kept
	}
	matches := mapmatch.Match(n.m, m)
	keep := func(names, old []string, to []int) {
		for i, from := range to {
			if from >= 0 {
				names[i] = old[from]
			}
		}
	}
	keep(kept.images, n.at.images, matches.Images)
	keep(kept.sounds, n.at.sounds, matches.Sounds)
	keep(kept.envelopes, n.at.envelopes, matches.Envelopes)
	keep(kept.groups, n.at.groups, matches.Groups)
	old := make(map[twmap.Layer]string)
	for i, g := range n.m.Groups {
		for j, l := range g.Layers {
			old[l] = n.at.layers[i][j]
		}
	}
	for i, l := range n.m.Orphans {
		old[l] = n.at.orphans[i]
	}
	for i, g := range m.Groups {
		for j, l := range g.Layers {
			kept.layers[i][j] = old[matches.Layers[l]]
		}
	}
	for i, l := range m.Orphans {
		kept.orphans[i] = old[matches.Layers[l]]
	}
	return kept
}

// orderFile returns the file with a list of names.
func orderFile(names []string) []byte { return []byte(strings.Join(names, "\n") + "\n") }

// entities calls yield for each part of a map that can have a residue, with the part's key in the sidecar.
func (l *layout) entities(m *twmap.Map, yield func(key string, e twmap.Entity)) {
	yield("version", m)
	if m.Info != nil {
		yield("info", m.Info)
	}
	for i, im := range m.Images {
		yield(dirImages+"/"+l.images[i], im)
	}
	for i, s := range m.Sounds {
		yield(dirSounds+"/"+l.sounds[i], s)
	}
	for i, e := range m.Envelopes {
		yield(dirEnvelopes+"/"+l.envelopes[i], e)
	}
	yield("points", m.PointsItem())
	yield("bezier", m.BezierItem())
	layer := func(key string, layer twmap.Layer) {
		yield(key, layer)
		if t, ok := layer.(*twmap.TileLayer); ok && t.AutoMapper != nil {
			yield(key+"#automapper", t.AutoMapper)
		}
	}
	for i, g := range m.Groups {
		yield(l.group(i), g)
		if g.ParallaxZoom != nil {
			yield(l.group(i)+"#zoom", g.ParallaxZoom)
		}
		for j := range g.Layers {
			layer(l.layer(i, j), g.Layers[j])
		}
	}
	for i := range m.Orphans {
		layer(l.orphan(i), m.Orphans[i])
	}
	for i, e := range m.Extras {
		yield(fmt.Sprintf("extras/%d", i), e)
	}
}
