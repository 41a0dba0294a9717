package mapscene

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Actions returns what can be done with groups and layers.
func (s *scene) Actions() []format.Action {
	list := []format.Action{{Title: "Add a group", Words: []string{"add-group"}, Asks: true}}
	e := mapedit.New(s.m, nil)
	for g, group := range s.m.Groups {
		list = append(list, s.groupActions(e, g)...)
		for _, l := range s.layers {
			if l.group == g {
				list = append(list, s.layerActions(e, l, groupWord(e, s, g), len(group.Layers))...)
			}
		}
	}
	return list
}

func (s *scene) groupName(g int) string { return strings.TrimPrefix(s.names.Group(g), "groups/") }

// groupWord returns the word that selects one group only.
func groupWord(e *mapedit.Editor, s *scene, g int) string {
	if list, err := e.Groups(s.groupName(g)); err == nil && slices.Equal(list, []int{g}) {
		return s.groupName(g)
	}
	return strconv.Itoa(g)
}

// actions collects the actions for a part.
type actions struct {
	part string
	list []format.Action
}

func (a *actions) add(title string, asks bool, words ...string) {
	a.list = append(a.list, format.Action{Part: a.part, Title: title, Words: words, Asks: asks})
}

func (s *scene) groupActions(e *mapedit.Editor, g int) []format.Action {
	a, word := actions{part: s.groupName(g)}, groupWord(e, s, g)
	a.add("Add a layer", true, "add-layer", "--group="+word)
	a.add("Rename", true, "set-group", word, "--name="+s.m.Groups[g].Name)
	a.add("Change", true, "set-group", word)
	if g+1 < len(s.m.Groups) {
		a.add("Forward", false, "move-group", word, strconv.Itoa(g+1))
	}
	if g > 0 {
		a.add("Backward", false, "move-group", word, strconv.Itoa(g-1))
	}
	a.add("Duplicate", false, "duplicate-group", word)
	a.add("Remove", false, "remove-groups", word)
	return a.list
}

func (s *scene) layerActions(e *mapedit.Editor, l sceneLayer, group string, n int) []format.Action {
	a, word := actions{part: l.Name}, layerWord(e, l)
	layer := s.m.Groups[l.group].Layers[l.number]
	t, isTiles := layer.(*twmap.TileLayer)
	physics := isTiles && t.Kind().Physics()
	if !physics {
		a.add("Rename", true, "set-layer", word, "--name="+layer.Base().Name)
	}
	a.add("Change", true, "set-layer", word)
	if l.number+1 < n {
		a.add("Forward", false, "move-layer", word, group, fmt.Sprintf("--at=%d", l.number+1))
	}
	if l.number > 0 {
		a.add("Backward", false, "move-layer", word, group, fmt.Sprintf("--at=%d", l.number-1))
	}
	if !physics {
		a.add("To another group", true, "move-layer", word)
		if layer.Base().Flags&twmap.Detail != 0 {
			a.add("Show with low detail", false, "set-layer", word, "--detail=false")
		} else {
			a.add("Hide with low detail", false, "set-layer", word, "--detail=true")
		}
		a.add("Duplicate", false, "duplicate-layers", word)
	}
	if isTiles && !physics && t.Image >= 0 {
		a.add("Automap", true, "automap", "--layer="+word)
	}
	a.add("Remove", false, "remove-layers", word)
	return a.list
}

// Outlines returns the layers of quads.
func (s *scene) Outlines() (list []format.Outline) {
	e := mapedit.New(s.m, nil)
	for _, l := range s.layers {
		if q, ok := s.m.Groups[l.group].Layers[l.number].(*twmap.QuadLayer); ok {
			p := s.Placing(s.whole, l.group)
			from, to := tilesOf(p, 0, 0), tilesOf(p, 1, 0)
			list = append(list, format.Outline{Layer: l.Name, Word: layerWord(e, l), Unit: 1 / (to[0] - from[0]), Shapes: q.NumQuads()})
		}
	}
	return list
}

// maxShapes is the number of quads that are returned of a layer.
const maxShapes = 20_000

// Shapes returns the quads of a layer.
func (s *scene) Shapes(layer string) (list []format.Shape, err error) {
	for _, l := range s.layers {
		q, ok := s.m.Groups[l.group].Layers[l.number].(*twmap.QuadLayer)
		if !ok || l.Name != layer {
			continue
		}
		p := s.Placing(s.whole, l.group)
		q.Look(func(quads []twmap.Quad, e error) {
			err = e
			for i := range quads[:min(len(quads), maxShapes)] {
				var one format.Shape
				shape, c := s.Quad(&quads[i], 0), quads[i].Colors[0]
				for _, corner := range []int{0, 1, 3, 2} {
					one.Corners = append(one.Corners, tilesOf(p, shape.Corners[corner][0], shape.Corners[corner][1]))
				}
				one.Color = color.NRGBA{uint8(octet(c.R)), uint8(octet(c.G)), uint8(octet(c.B)), uint8(octet(c.A))}
				list = append(list, one)
			}
		})
		return list, err
	}
	return nil, errNoLayer(layer, "quads")
}
