package mapedit

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/text/glob"
	"trowel.example/teeworlds/twmap"
)

// LayerAt is the position of a layer in the map.
type LayerAt struct{ Group, Layer int }

// LayerWords returns the words that select a layer by type: those of [twmap.ParseKind], and quads, sounds and
// physics.
func LayerWords(l twmap.Layer) []string {
	switch l := l.(type) {
	case *twmap.TileLayer:
		if l.Kind().Physics() {
			return []string{l.Kind().String(), "physics"}
		}
		return []string{l.Kind().String()}
	case *twmap.QuadLayer:
		return []string{"quads"}
	case *twmap.SoundLayer:
		return []string{"sounds"}
	}
	return nil
}

// Layers returns the layers that patterns select, from back to front. A pattern ignores case, and is one of
//
//   - a type of layers: tiles, quads, sounds, game, front, tele, speedup, switch, tune, or physics for the last six,
//   - a path as in the folder of the map, groups/Tree/Leaves, with or without "groups/", or the name of a group or a
//     layer, Leaves, with * and ? as in file names,
//   - two numbers from 0, 3/1,
//   - "" or "*" for all,
//   - several of these, separated by commas. A leading - excludes layers: from all layers if the first pattern has
//     one.
//
// Without patterns it returns all layers. The error names the patterns that select no layer; the list then holds the
// layers of the other patterns.
func (e *Editor) Layers(patterns ...string) (list []LayerAt, err error) {
	chosen := make(map[twmap.Layer]bool)
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	for i, item := range strings.Split(strings.Join(patterns, ","), ",") {
		item, without := strings.CutPrefix(item, "-")
		item, with := strings.CutPrefix(item, "+")
		if i == 0 && (without || with) {
			for _, l := range e.m.Layers() {
				chosen[l] = without
			}
		}
		found := item == "" || item == "*"
		for _, path := range e.lookups() {
			names := e.layersCalled(item, path)
			for g, group := range e.m.Groups {
				for j, l := range group.Layers {
					if names(LayerAt{g, j}, l) {
						chosen[l], found = !without, true
					}
				}
			}
			if found {
				break
			}
		}
		if !found {
			err = errors.Join(err, e.noLayer(item))
		}
	}
	for g, group := range e.m.Groups {
		for j, l := range group.Layers {
			if chosen[l] {
				list = append(list, LayerAt{g, j})
			}
		}
	}
	return list, err
}

// noLayer returns the error for a pattern that selects no layer.
func (e *Editor) noLayer(pattern string) error {
	missing := &fault.NameError{Kind: "layer", Name: pattern,
		Advice: "layers are named by path (Tree/Leaves), by number (3/1), or as tiles, quads, sounds, physics, game and so " +
			"on"}
	for _, l := range e.m.Layers() {
		_, below, _ := strings.Cut(e.Path(l), "/")
		missing.Names = append(missing.Names, below)
		if !strings.Contains(pattern, "/") {
			group, name, _ := strings.Cut(below, "/")
			missing.Names = append(append(missing.Names, group, name), LayerWords(l)...)
		}
	}
	return missing
}

// OtherLayers returns all layers that are not in a list.
func (e *Editor) OtherLayers(list []LayerAt) (others []LayerAt) {
	for g, group := range e.m.Groups {
		for j := range group.Layers {
			if at := (LayerAt{g, j}); !slices.Contains(list, at) {
				others = append(others, at)
			}
		}
	}
	return others
}

// layersCalled returns a function that reports whether a single pattern selects a layer. pathOf returns the path of a part.
func (e *Editor) layersCalled(pattern string, pathOf func(part any) string) func(LayerAt, twmap.Layer) bool {
	g, l, numbers := cutNumbers(pattern)
	match, folder := glob.Path('/', pattern), glob.Path('/', strings.TrimSuffix(pattern, "/")+"/")
	return func(at LayerAt, layer twmap.Layer) bool {
		path := pathOf(layer)
		_, below, _ := strings.Cut(path, "/")
		group, name, _ := strings.Cut(below, "/")
		switch {
		case pattern == "":
			return true
		case numbers:
			return at == LayerAt{g, l}
		case strings.Contains(pattern, "/"):
			return match(path) || match(below) || folder(path) || folder(below)
		case slices.ContainsFunc(LayerWords(layer), func(word string) bool { return strings.EqualFold(word, pattern) }):
			return true
		}
		return !isLayerWord(pattern) && (match(group) || match(name))
	}
}

// isLayerWord reports whether a pattern selects layers by type instead of by name: a layer or group with that name is
// selected by its path.
func isLayerWord(pattern string) bool {
	pattern = strings.ToLower(pattern)
	_, ok := twmap.ParseKind(pattern)
	return ok || pattern == "quads" || pattern == "sounds" || pattern == "physics"
}

func cutNumbers(pattern string) (g, l int, ok bool) {
	before, after, ok := strings.Cut(pattern, "/")
	g, err := strconv.Atoi(before)
	if err != nil || !ok {
		return 0, 0, false
	}
	l, err = strconv.Atoi(after)
	return g, l, err == nil
}
