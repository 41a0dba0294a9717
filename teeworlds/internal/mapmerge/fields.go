package mapmerge

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"image"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/deep"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/twmap"
)

// took reports a change that was taken from theirs.
func (m *merger) took(part any, what string, args ...any) {
	m.log.Took(m.paths[part], m.place(part), what, args...)
}

func (m *merger) place(part any) []check.Place {
	if p := m.parts[part]; p != nil {
		return []check.Place{p.Whole()}
	}
	return nil
}

// conflict reports different changes of both sides to a part, and returns the side that is used.
func (m *merger) conflict(part any, c check.Conflict) merge3.Side {
	if c.Path = m.paths[part]; c.At == nil {
		c.At = m.place(part)
	}
	return m.log.Conflict(c)
}

// field merges one value of a part.
func field[T any](m *merger, part any, name string, b T, o *T, t T) {
	*o = merge3.Of(merge3.Pick(b, *o, t, deep.Equal, func() {
		m.took(part, "%s: %s became %s", name, text(b), text(t))
	}, func() merge3.Side {
		return m.conflict(part, check.Conflict{What: fmt.Sprintf("%s: %s became %s and %s", name, text(b), text(*o),
			text(t)), Base: b, Ours: *o, Theirs: t})
	}), *o, t)
}

// whole merges something that is taken from one side as a whole, and returns that side.
func whole[T any](m *merger, part any, b, o, t T, equal func(x, y T) bool, took, conflict string) merge3.Side {
	return merge3.Pick(b, o, t, equal, func() { m.took(part, "%s", took) }, func() merge3.Side {
		return m.conflict(part, check.Conflict{What: conflict})
	})
}

// text formats a value for people.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case *twmap.Clip:
		if v == nil {
			return "none"
		}
		return fmt.Sprint(*v)
	case *twmap.AutoMapper:
		if v == nil {
			return "none"
		}
		return fmt.Sprintf("configuration %d, seed %d", v.Config, v.Seed)
	case *twmap.ParallaxZoom:
		if v == nil {
			return "none"
		}
		return fmt.Sprint(v.Percent)
	}
	return fmt.Sprint(v)
}

func (m *merger) version() { field(m, nil, "version", m.b.Version, &m.o.Version, m.t.Version) }

func (m *merger) info() {
	if m.b.Info == nil && m.t.Info == nil {
		return
	}
	if m.o.Info == nil && (m.b.Info == nil || m.t.Info == nil || !deep.Equal(m.b.Info, m.t.Info)) {
		m.o.Info = new(twmap.Info)
	}
	if m.o.Info == nil {
		return
	}
	of := func(i *twmap.Info) *twmap.Info {
		if i == nil {
			return new(twmap.Info)
		}
		return i
	}
	b, o, t := of(m.b.Info), m.o.Info, of(m.t.Info)
	field(m, mapFile, "author", b.Author, &o.Author, t.Author)
	field(m, mapFile, "map version", b.MapVersion, &o.MapVersion, t.MapVersion)
	field(m, mapFile, "credits", b.Credits, &o.Credits, t.Credits)
	field(m, mapFile, "license", b.License, &o.License, t.License)
	o.Settings = m.settings(b.Settings, o.Settings, t.Settings)
}

// settings merges the lines of settings, which are compared as text. If both sides set the same thing to different
// values, one of them is used.
func (m *merger) settings(b, o, t []string) []string {
	if slices.Equal(b, t) {
		return o
	}
	if slices.Equal(b, o) {
		m.took(settingsFile, "settings: %s became %d", words.Count(len(b), "line"), len(t))
		return t
	}
	type line = merge3.Nth[string] // a line is identified by its text and the number of its previous occurrences
	text := func(line string) string { return line }
	_, base := merge3.Number(b, text)
	_, ours := merge3.Number(o, text)
	_, theirs := merge3.Number(t, text)
	inBase, inOurs, inTheirs := merge3.Has(base), merge3.Has(ours), merge3.Has(theirs)
	stays := make(map[line]bool)
	for _, l := range merge3.Union(slices.Values(base), slices.Values(ours), slices.Values(theirs)) {
		stays[l] = merge3.Value(inBase(l), inOurs(l), inTheirs(l), func() {
			if inTheirs(l) {
				m.took(settingsFile, "setting %q added", l.Key)
			} else {
				m.took(settingsFile, "setting %q removed", l.Key)
			}
		}, nil)
	}
	for _, i := range ours {
		for _, j := range theirs {
			key := settingKey(i.Key)
			if inBase(i) || inBase(j) || i == j || key == "" || key != settingKey(j.Key) || !stays[i] || !stays[j] {
				continue
			}
			var was any
			for _, k := range base {
				if settingKey(k.Key) == key {
					was = k.Key
				}
			}
			side := m.conflict(settingsFile, check.Conflict{What: fmt.Sprintf("setting %q and %q", i.Key, j.Key), Base: was,
				Ours: i.Key, Theirs: j.Key})
			delete(stays, merge3.Of(side, j, i))
		}
	}
	var merged []string
	for _, l := range order(m, "settings", three[[]line]{base, ours, theirs}, func(l line) bool { return stays[l] }) {
		merged = append(merged, l.Key)
	}
	return merged
}

// settingKey returns what a setting sets, or "" for a setting that may occur several times.
func settingKey(line string) string {
	words := strings.Fields(strings.ToLower(line))
	n := 1
	switch {
	case len(words) == 0 || strings.HasPrefix(words[0], "add_") || strings.HasPrefix(words[0], "#"):
		return ""
	case words[0] == "tune" || words[0] == "tune_zone_enter" || words[0] == "tune_zone_leave" || words[0] == "switch_open":
		n = 2
	case words[0] == "tune_zone":
		n = 3
	}
	return strings.Join(words[:min(n, len(words))], " ")
}

func samePicture(a, b *twmap.Image) bool {
	if a.External() != b.External() || a.Width() != b.Width() || a.Height() != b.Height() || a.HasPicture() != b.HasPicture() {
		return false
	}
	if a.External() {
		return true
	}
	return pixelsOf(a) == pixelsOf(b)
}

// pixelsOf returns a hash of the pixels of an image, or the zero value if they cannot be read. Two large pictures at a time could
// wait for each other's memory.
func pixelsOf(im *twmap.Image) (sum [sha256.Size]byte) {
	im.Look(func(p *image.NRGBA, err error) {
		if err == nil && p != nil {
			sum = sha256.Sum256(p.Pix)
		}
	})
	return sum
}

func sameImage(a, b *twmap.Image) bool {
	return deep.Equal(a, b) && samePicture(a, b)
}

func (m *merger) images() {
	m.o.Images = m.image.merge(m, sameImage, func(b, o, t *twmap.Image) {
		field(m, b, "name", b.Name, &o.Name, t.Name)
		field(m, b, "variant", b.Variant, &o.Variant, t.Variant)
		field(m, b, "version", b.Version, &o.Version, t.Version)
		if whole(m, b, b, o, t, samePicture, "the picture", "both replaced the picture") == merge3.Ours {
			return
		}
		name, variant, version := o.Name, o.Variant, o.Version
		path, part := m.paths[o], m.parts[o]
		*o = *t
		o.Name, o.Variant, o.Version = name, variant, version
		m.paths[o], m.parts[o] = path, part
	})
}

func sameSound(a, b *twmap.Sound) bool {
	if a.External() != b.External() || a.StoredSize() == 0 != (b.StoredSize() == 0) {
		return false
	}
	p, e1 := a.Opus()
	q, e2 := b.Opus()
	return (e1 == nil) == (e2 == nil) && bytes.Equal(p, q)
}

func (m *merger) sounds() {
	equal := func(a, b *twmap.Sound) bool { return deep.Equal(a, b) && sameSound(a, b) }
	m.o.Sounds = m.sound.merge(m, equal, func(b, o, t *twmap.Sound) {
		field(m, b, "name", b.Name, &o.Name, t.Name)
		field(m, b, "version", b.Version, &o.Version, t.Version)
		if whole(m, b, b, o, t, sameSound, "the sound", "both replaced the sound") == merge3.Ours {
			return
		}
		name, version := o.Name, o.Version
		*o = *t
		o.Name, o.Version = name, version
	})
}

func (m *merger) envelopes() {
	m.o.Envelopes = m.envelope.merge(m, deep.Equal, func(b, o, t *twmap.Envelope) {
		field(m, b, "name", b.Name, &o.Name, t.Name)
		field(m, b, "version", b.Version, &o.Version, t.Version)
		field(m, b, "channels", b.Channels, &o.Channels, t.Channels)
		field(m, b, "synchronized", b.Synchronized, &o.Synchronized, t.Synchronized)
		o.Points = m.points(b, b.Points, o.Points, t.Points)
	})
}

// points merges the points of an envelope, which are identified by their time.
func (m *merger) points(part any, b, o, t []twmap.EnvPoint) []twmap.EnvPoint {
	if slices.Equal(b, t) || slices.Equal(o, t) {
		return o
	}
	if slices.Equal(b, o) {
		m.took(part, "the points")
		return t
	}
	return merge3.Store[int32, twmap.EnvPoint]{
		Key:     func(p twmap.EnvPoint) int32 { return p.Time },
		Compare: cmp.Compare[int32],
		Took:    func(time int32) { m.took(part, "the point at %d ms", time) },
		Conflict: func(time int32, _, _, _ merge3.Maybe[twmap.EnvPoint]) merge3.Side {
			return m.conflict(part, check.Conflict{What: fmt.Sprintf("both changed the point at %d ms", time)})
		},
	}.Merge(b, o, t)
}

func (m *merger) extras() { field(m, nil, "unknown items", m.b.Extras, &m.o.Extras, m.t.Extras) }
