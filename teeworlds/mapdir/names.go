package mapdir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"trowel/internal/safename"
	"trowel/teeworlds/twmap"
)

// fileName makes a file name of a name, one that every system takes as it is:
// the true name stands in the JSON, so that it need not come back from here.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || strings.ContainsRune(`/\:*?"<>|`, r) || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, " .")
	if len(name) > 100 {
		name = strings.TrimRight(strings.ToValidUTF8(name[:100], ""), " .")
	}
	if name != "" && safename.Escape(name) != name { // CON, or 50%20
		name = "_" + strings.ReplaceAll(name, "%", "_")
	}
	return name
}

// fileNames makes a different file name for each of several names.
func fileNames(names []string) []string {
	var taken safename.Unique
	files := make([]string, len(names))
	for i, name := range names {
		base := fileName(name)
		if base == "" {
			base = "unnamed"
		}
		files[i] = taken.Name(base, func(mark string) string { return base + mark })
	}
	return files
}

// numbered makes a file name for entry i of n: "07-Name".
func numbered(i, n int, name string) string {
	width := max(2, len(strconv.Itoa(n-1)))
	number := fmt.Sprintf("%0*d", width, i)
	if name = fileName(name); name == "" {
		return number
	}
	return number + "-" + name
}

// sortNumbered puts file names in the order of the numbers that they begin
// with, so that 100 comes behind 99. It fails if one has no number.
func sortNumbered(names []string) error {
	number := func(name string) (int, bool) {
		end := 0
		for end < len(name) && name[end] >= '0' && name[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(name[:end])
		return n, err == nil
	}
	for _, name := range names {
		if _, ok := number(name); !ok {
			return fmt.Errorf("%q does not begin with a number, which tells its place: expected a name like 03-%s", name, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		x, _ := number(a)
		y, _ := number(b)
		if x != y {
			return x - y
		}
		return strings.Compare(a, b)
	})
	return nil
}

// layout tells where in the folder the parts of a map are: the names of their
// files without extensions.
type layout struct {
	images, sounds, envelopes []string // for references: without their folders
	groups                    []string
	layers                    [][]string // by group
	orphans                   []string
}

const (
	dirImages    = "images"
	dirSounds    = "sounds"
	dirEnvelopes = "envelopes"
	dirGroups    = "groups"
	dirOrphans   = "orphans"
)

// layoutOf gives every part of a map its place.
func layoutOf(m *twmap.Map) *layout {
	var l layout
	names := make([]string, len(m.Images))
	for i, im := range m.Images {
		names[i] = im.Name
	}
	l.images = fileNames(names)
	names = make([]string, len(m.Sounds))
	for i, s := range m.Sounds {
		names[i] = s.Name
	}
	l.sounds = fileNames(names)
	for i, e := range m.Envelopes {
		l.envelopes = append(l.envelopes, numbered(i, len(m.Envelopes), e.Name))
	}
	for i, g := range m.Groups {
		dir := dirGroups + "/" + numbered(i, len(m.Groups), g.Name)
		l.groups = append(l.groups, dir)
		var layers []string
		for j, layer := range g.Layers {
			layers = append(layers, dir+"/"+numbered(j, len(g.Layers), layer.Base().Name))
		}
		l.layers = append(l.layers, layers)
	}
	for i, layer := range m.Orphans {
		l.orphans = append(l.orphans, dirOrphans+"/"+numbered(i, len(m.Orphans), layer.Base().Name))
	}
	return &l
}

// entities calls yield with each part of a map that can have a relic, and with
// its key in the sidecar.
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
		yield(l.groups[i], g)
		if g.ParallaxZoom != nil {
			yield(l.groups[i]+"#zoom", g.ParallaxZoom)
		}
		for j := range g.Layers {
			layer(l.layers[i][j], g.Layers[j])
		}
	}
	for i := range m.Orphans {
		layer(l.orphans[i], m.Orphans[i])
	}
	for i, e := range m.Extras {
		yield(fmt.Sprintf("extras/%d", i), e)
	}
}
