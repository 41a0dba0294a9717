package twmap

import (
	"fmt"
	"slices"
)

// Clean removes everything that the map's types do not express: Encode then writes the file that a new map with the
// same contents would give.
func (m *Map) Clean() {
	for _, p := range m.place(false) {
		*p.from.at() = origin{}
		for _, r := range p.refs {
			r.ref.read, r.ref.index, r.ref.residue = false, -1, nil
		}
	}
	m.points, m.bezier, m.file = origin{}, origin{}, fileOrigin{}
	m.Extras = slices.DeleteFunc(m.Extras, func(e *Extra) bool { return e.is(&uuidAutoMapper) }) // no editor writes them
	for _, l := range m.Layers() {
		if t, ok := l.(*TileLayer); ok {
			t.flags = 0
			if t.AutoMapper != nil {
				t.AutoMapper.flags = 0
			}
		}
	}
}

// Modernize converts all parts to the versions that DDNet currently writes. It returns what it could not convert or
// had to leave out. The map is clean afterwards.
func (m *Map) Modernize() (lost []string) {
	if m.Info == nil {
		m.Info = &Info{}
	}
	for _, im := range m.Images {
		im.Version, im.Variant = 1, 1
	}
	for _, e := range m.Envelopes {
		e.Version = 2
		e.dropTangents()
	}
	for i, g := range m.Groups {
		g.Version = 3
		var kept []Layer
		for j, l := range g.Layers {
			switch l := l.(type) {
			case *TileLayer:
				l.Version = 3
				if kind := l.Kind(); kind.infclass() { // refused by DDNet
					l.SetKind(KindTiles)
					lost = append(lost, fmt.Sprintf("groups[%d].layers[%d]: the function of the tiles of the %v layer", i, j, kind))
				}
			case *QuadLayer:
				l.Version = 2
			case *SoundLayer:
				l.Version = 2
				if err := l.Modernize(); err != nil {
					lost = append(lost, fmt.Sprintf("groups[%d].layers[%d]: sound sources: %v", i, j, err))
				}
			case *UnknownLayer:
				lost = append(lost, fmt.Sprintf("groups[%d].layers[%d]: %s", i, j, l.unread()))
				continue
			}
			kept = append(kept, l)
		}
		g.Layers = kept
	}
	m.Clean()
	return lost
}

// dropTangents clears tangents without meaning, as DDNet writes them: Out matters on a point whose curve is Bezier,
// In on the following point. Development versions of Teeworlds 0.7 left arbitrary memory contents there.
func (e *Envelope) dropTangents() {
	curve := CurveLinear
	for i := range e.Points {
		p := &e.Points[i]
		if curve != CurveBezier {
			p.In = [4]Tangent{}
		}
		if curve = p.Curve; curve != CurveBezier {
			p.Out = [4]Tangent{}
		}
	}
}

// To07 converts the map to the format of Teeworlds 0.7 and returns what was lost: that game has no physics layer but
// game, no sounds, no settings and no automappers. To07 does not change pictures and tiles, although some pictures of
// 0.7 have other tiles under the same name: package mapedit converts those. The map is clean afterwards.
func (m *Map) To07() (lost []string) {
	lose := func(format string, args ...any) { lost = append(lost, fmt.Sprintf(format, args...)) }
	m.Modernize() // what it loses is not in the result anyway
	if n := len(m.Info.Settings); n > 0 {
		lose("%s", several(n, "server setting"))
		m.Info.Settings = nil
	}
	for _, im := range m.Images {
		im.Version = 2
		if im.external && !slices.Contains(ExternalImages, im.Name) {
			lose("image %q: it is not in the map, and Teeworlds 0.7 does not have it", im.Name)
		}
	}
	if n := len(m.Sounds); n > 0 {
		lose("%s", several(n, "sound"))
		m.Sounds = nil
	}
	if n := len(m.Extras); n > 0 {
		lose("%s", several(n, "unknown item"))
		m.Extras = nil
	}
	m.Envelopes = slices.Clone(m.Envelopes)
	for _, e := range m.Envelopes {
		if slices.ContainsFunc(e.Points, func(p EnvPoint) bool { return p.hasTangents() }) {
			for _, e := range m.Envelopes {
				e.Version = 3
			}
			break
		}
	}
	for i, g := range m.Groups {
		if g.ParallaxZoom != nil {
			lose("groups[%d]: parallax zoom", i)
			g.ParallaxZoom = nil
		}
		var kept []Layer
		for j, l := range g.Layers {
			switch l := l.(type) {
			case *TileLayer:
				if l.Kind().Physics() && l.Kind() != KindGame {
					lose("groups[%d].layers[%d]: %s layer", i, j, l.Kind())
					continue
				}
				if l.AutoMapper != nil && l.AutoMapper.Config >= 0 {
					lose("groups[%d].layers[%d]: automapper", i, j)
				}
				l.AutoMapper = nil
				l.Version = 4
			case *QuadLayer:
			case *UnknownLayer:
				lose("groups[%d].layers[%d]: %s", i, j, l.unread())
				continue
			default:
				lose("groups[%d].layers[%d]: layer of a type that Teeworlds does not have", i, j)
				continue
			}
			kept = append(kept, l)
		}
		g.Layers = kept
	}
	m.Orphans = nil
	return lost
}

func several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// EncodeVersion is Encode with a datafile of version 3 or 4. Version 3 is not compressed.
func (m *Map) EncodeVersion(version int) ([]byte, error) {
	f, err := m.Datafile()
	if err != nil {
		return nil, err
	}
	if f.Version != version {
		f.Version, f.SizeError, f.SwaplenError = version, 0, 0
	}
	return f.Encode()
}
