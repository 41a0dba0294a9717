// Package mapedit changes maps as a person does with an editor, but many layers at a time: tiles and areas, layers,
// groups, images, envelopes, quads, settings.
//
// An Editor changes a map with its methods, and reports each change to a function. A method that fails has changed
// nothing, unless its documentation states otherwise.
package mapedit

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync/atomic"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/glob"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// Editor changes a map. It must be used by only one goroutine. [New] makes an Editor; the zero value has no map.
type Editor struct {
	m      *twmap.Map
	paths  map[any]string            // the first paths of images, sounds, envelopes, groups and layers
	broken map[*twmap.TileLayer]bool // layers already reported as unreadable
	report func(check.Change)
	spent  atomic.Int64 // on rules
}

// New returns an editor of a map, which it changes. It calls report for each change; report may be nil.
func New(m *twmap.Map, report func(check.Change)) *Editor {
	if report == nil {
		report = func(check.Change) {}
	}
	e := &Editor{m: m, paths: make(map[any]string), broken: make(map[*twmap.TileLayer]bool), report: report}
	e.name()
	return e
}

// Map returns the map.
func (e *Editor) Map() *twmap.Map { return e.m }

// Path returns the path of a part: that of its file in the folder of the map, without extension. A part is an
// *twmap.Image, *twmap.Sound, *twmap.Envelope, *twmap.Group or a twmap.Layer. The path never changes, so all reports
// of an edit name a part consistently.
func (e *Editor) Path(part any) string {
	if _, known := e.paths[part]; !known {
		e.name()
	}
	return e.paths[part]
}

// name assigns paths to the parts that have none yet.
func (e *Editor) name() {
	for part, path := range pathsOf(e.m) {
		if _, known := e.paths[part]; !known {
			e.paths[part] = path
		}
	}
}

// pathsOf returns the paths that the parts of a map have now.
func pathsOf(m *twmap.Map) map[any]string {
	names, paths := mapdir.NamesOf(m), make(map[any]string)
	for i, im := range m.Images {
		paths[im] = names.Image(i)
	}
	for i, s := range m.Sounds {
		paths[s] = names.Sound(i)
	}
	for i, env := range m.Envelopes {
		paths[env] = names.Envelope(i)
	}
	for i, g := range m.Groups {
		paths[g] = names.Group(i)
		for j, l := range g.Layers {
			paths[l] = names.Layer(i, j)
		}
	}
	for i, l := range m.Orphans {
		paths[l] = names.Orphan(i)
	}
	return paths
}

// lookups returns functions for the paths by which a user may select parts, in the order in which they are tried: the current
// paths, and the first ones, which reports name.
func (e *Editor) lookups() []func(part any) string {
	now := pathsOf(e.m)
	return []func(any) string{func(part any) string { return now[part] }, e.Path}
}

// reportChange reports a change of a part, or of the map itself if part is nil. It reports nothing if count is 0.
func (e *Editor) reportChange(part any, count int, unit, what string, args ...any) {
	e.reportChangeAt(nil, part, count, unit, what, args...)
}

func (e *Editor) reportChangeAt(at []check.Place, part any, count int, unit, what string, args ...any) {
	if count == 0 {
		return
	}
	c := check.Change{What: fmt.Sprintf(what, args...), Count: int64(count), Unit: unit, At: at}
	if part != nil {
		c.Path = e.Path(part)
	}
	e.report(c)
}

// Groups returns the groups that a pattern selects, as in [Editor.Layers]: by a path, a number, or game for the group
// with the game layer.
func (e *Editor) Groups(pattern string) ([]int, error) {
	var list []int
	number, err := strconv.Atoi(pattern)
	matches := matcher(pattern)
	for _, path := range e.lookups() {
		for i, group := range e.m.Groups {
			isGame := strings.EqualFold(pattern, "game") && i == e.gameGroup()
			if pattern == "" || pattern == "*" || isGame || err == nil && number == i || matches(path(group)) {
				list = append(list, i)
			}
		}
		if list != nil {
			return list, nil
		}
	}
	if len(list) == 0 && pattern != "" && pattern != "*" {
		missing := &fault.NameError{Kind: "group", Name: pattern, Names: []string{"game"}}
		for _, g := range e.m.Groups {
			missing.Names = append(missing.Names, path.Base(e.Path(g)))
		}
		return nil, missing
	}
	return list, nil
}

// gameGroup returns the number of the group with the game layer, or -1 without one.
func (e *Editor) gameGroup() int {
	game := e.m.Physics(twmap.KindGame)
	for i, g := range e.m.Groups {
		for _, l := range g.Layers {
			if t, ok := l.(*twmap.TileLayer); ok && t == game {
				return i
			}
		}
	}
	return -1
}

// Images returns the numbers of the images that a pattern selects: a name with * and ?, ignoring case, the path of a
// file, or a number.
func (e *Editor) Images(pattern string) ([]int, error) {
	return named(e, e.m.Images, func(im *twmap.Image) string { return im.Name }, "image", pattern)
}

// Sounds is Images for sounds.
func (e *Editor) Sounds(pattern string) ([]int, error) {
	return named(e, e.m.Sounds, func(s *twmap.Sound) string { return s.Name }, "sound", pattern)
}

// Envelopes is Images for envelopes.
func (e *Editor) Envelopes(pattern string) ([]int, error) {
	return named(e, e.m.Envelopes, func(env *twmap.Envelope) string { return env.Name }, "envelope", pattern)
}

func named[T any](e *Editor, parts []*T, name func(*T) string, what, pattern string) ([]int, error) {
	var list []int
	matches := matcher(pattern)
	for _, path := range e.lookups() {
		for i, p := range parts {
			if pattern == "" || matches(name(p)) || matches(path(p)) {
				list = append(list, i)
			}
		}
		if list != nil {
			break
		}
	}
	if i, err := strconv.Atoi(pattern); err == nil && len(list) == 0 && 0 <= i && i < len(parts) {
		list = append(list, i)
	}
	if len(list) == 0 && pattern != "" {
		missing := &fault.NameError{Kind: what, Name: pattern}
		for _, p := range parts {
			missing.Names = append(missing.Names, name(p))
		}
		return nil, missing
	}
	return list, nil
}

// matcher returns a function that reports whether a pattern matches a path, with or without the folder that all parts
// of the kind are in.
func matcher(pattern string) func(at string) bool {
	match := glob.Path('/', pattern)
	return func(at string) bool {
		_, below, _ := strings.Cut(at, "/")
		return strings.EqualFold(pattern, at) || match(at) || strings.EqualFold(pattern, below) || match(below)
	}
}
