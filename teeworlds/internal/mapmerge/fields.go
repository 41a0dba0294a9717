package mapmerge

import (
	"bytes"
	"fmt"
	"image"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

// took reports a change that was taken from theirs.
func (m *merger) took(part any, what string, args ...any) {
	m.OnTook(check.Change{Path: m.paths[part], What: fmt.Sprintf(what, args...), Count: 1, At: m.place(part)})
}

func (m *merger) place(part any) []check.Place {
	if p := m.parts[part]; p != nil {
		return []check.Place{p.Whole()}
	}
	return nil
}

// conflict reports different changes of both sides, and returns the side that is used.
func (m *merger) conflict(part any, at []check.Place, what string, b, o, t any) string {
	side := "ours"
	if m.Theirs {
		side = "theirs"
	}
	if at == nil {
		at = m.place(part)
	}
	m.OnConflict(check.Conflict{Path: m.paths[part], At: at, What: what, Base: b, Ours: o, Theirs: t, Took: side})
	return side
}

// field merges one value of a part.
func field[T comparable](m *merger, part any, name string, b T, o *T, t T) {
	fieldFunc(m, part, name, b, o, t, func(x, y T) bool { return x == y })
}

func fieldFunc[T any](m *merger, part any, name string, b T, o *T, t T, equal func(x, y T) bool) {
	switch {
	case equal(b, t) || equal(*o, t):
		return
	case equal(b, *o):
		m.took(part, "%s: %s became %s", name, text(b), text(t))
		*o = t
	case m.conflict(part, nil, fmt.Sprintf("%s: %s became %s and %s", name, text(b), text(*o), text(t)), b, *o, t) == "theirs":
		*o = t
	}
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

// same returns a function that reports whether two pointers are both nil, or point to equal values.
func same[T any](equal func(a, b *T) bool) func(a, b *T) bool {
	return func(a, b *T) bool { return a == b || a != nil && b != nil && equal(a, b) }
}

func (m *merger) version() { field(m, nil, "version", m.b.Version, &m.o.Version, m.t.Version) }

func (m *merger) info() {
	if m.b.Info == nil && m.t.Info == nil {
		return
	}
	if m.o.Info == nil && (m.b.Info == nil || m.t.Info == nil || !sameInfo(m.b.Info, m.t.Info)) {
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

func sameInfo(a, b *twmap.Info) bool {
	return a.Author == b.Author && a.MapVersion == b.MapVersion && a.Credits == b.Credits && a.License == b.License && slices.Equal(a.Settings, b.Settings)
}

// settings merges the lines of settings, which are compared as text. If both sides set the same thing to different
// values, one of them is used.
func (m *merger) settings(b, o, t []string) []string {
	if slices.Equal(b, t) {
		return o
	}
	if slices.Equal(b, o) {
		m.took(settingsFile, "settings: %d lines became %d", len(b), len(t))
		return t
	}
	// A line is identified by its text and the number of its previous occurrences.
	number := make(map[string]int)
	var lines []string
	ids := func(list []string) []int {
		seen := make(map[string]int)
		var all []int
		for _, line := range list {
			seen[line]++
			key := fmt.Sprint(seen[line], " ", line)
			if _, known := number[key]; !known {
				number[key] = len(lines)
				lines = append(lines, line)
			}
			all = append(all, number[key])
		}
		return all
	}
	base, ours, theirs := ids(b), ids(o), ids(t)
	stays := make(map[int]bool)
	for i := range lines {
		inB, inO, inT := slices.Contains(base, i), slices.Contains(ours, i), slices.Contains(theirs, i)
		stays[i] = inO && inT || !inB && (inO || inT)
		switch {
		case inB && inO && !inT:
			m.took(settingsFile, "setting %q removed", lines[i])
		case !inB && inT && !inO:
			m.took(settingsFile, "setting %q added", lines[i])
		}
	}
	for _, i := range ours {
		for _, j := range theirs {
			key := settingKey(lines[i])
			if slices.Contains(base, i) || slices.Contains(base, j) || i == j || key == "" || key != settingKey(lines[j]) || !stays[i] || !stays[j] {
				continue
			}
			var was any
			for _, k := range base {
				if settingKey(lines[k]) == key {
					was = lines[k]
				}
			}
			if m.conflict(settingsFile, nil, fmt.Sprintf("setting %q and %q", lines[i], lines[j]), was, lines[i], lines[j]) == "ours" {
				delete(stays, j)
			} else {
				delete(stays, i)
			}
		}
	}
	var merged []string
	for _, i := range m.order("settings", base, ours, theirs, stays) {
		merged = append(merged, lines[i])
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

func samePicture(a, b *twmap.Image) (is bool) {
	if a.External() != b.External() || a.Width() != b.Width() || a.Height() != b.Height() || a.HasPicture() != b.HasPicture() {
		return false
	}
	if a.External() {
		return true
	}
	a.Look(func(p *image.NRGBA, e1 error) {
		b.Look(func(q *image.NRGBA, e2 error) {
			is = (e1 == nil) == (e2 == nil) && (p == q || p != nil && q != nil && bytes.Equal(p.Pix, q.Pix))
		})
	})
	return is
}

func sameImage(a, b *twmap.Image) bool {
	return a.Name == b.Name && a.Variant == b.Variant && a.Version == b.Version && samePicture(a, b)
}

func (m *merger) images() {
	m.o.Images = m.image.merge(m, sameImage, func(b, o, t *twmap.Image) {
		field(m, b, "name", b.Name, &o.Name, t.Name)
		field(m, b, "variant", b.Variant, &o.Variant, t.Variant)
		field(m, b, "version", b.Version, &o.Version, t.Version)
		switch {
		case samePicture(b, t) || samePicture(o, t):
			return
		case samePicture(b, o):
			m.took(b, "the picture")
		case m.conflict(b, nil, "both replaced the picture", nil, nil, nil) == "ours":
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
	equal := func(a, b *twmap.Sound) bool { return a.Name == b.Name && a.Version == b.Version && sameSound(a, b) }
	m.o.Sounds = m.sound.merge(m, equal, func(b, o, t *twmap.Sound) {
		field(m, b, "name", b.Name, &o.Name, t.Name)
		field(m, b, "version", b.Version, &o.Version, t.Version)
		switch {
		case sameSound(b, t) || sameSound(o, t):
			return
		case sameSound(b, o):
			m.took(b, "the sound")
		case m.conflict(b, nil, "both replaced the sound", nil, nil, nil) == "ours":
			return
		}
		name, version := o.Name, o.Version
		*o = *t
		o.Name, o.Version = name, version
	})
}

func sameEnvelope(a, b *twmap.Envelope) bool {
	return a.Name == b.Name && a.Version == b.Version && a.Channels == b.Channels && a.Synchronized == b.Synchronized && slices.Equal(a.Points, b.Points)
}

func (m *merger) envelopes() {
	m.o.Envelopes = m.envelope.merge(m, sameEnvelope, func(b, o, t *twmap.Envelope) {
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
	type key struct{ time, n int32 }
	index := func(list []twmap.EnvPoint) (map[key]twmap.EnvPoint, []key) {
		all, order := make(map[key]twmap.EnvPoint), []key(nil)
		for _, p := range list {
			k := key{time: p.Time}
			for {
				if _, there := all[k]; !there {
					break
				}
				k.n++
			}
			all[k], order = p, append(order, k)
		}
		return all, order
	}
	pb, _ := index(b)
	po, keys := index(o)
	pt, more := index(t)
	for _, k := range more {
		if _, there := po[k]; !there {
			keys = append(keys, k)
		}
	}
	slices.SortStableFunc(keys, func(x, y key) int { return int(int64(x.time) - int64(y.time)) })
	var merged []twmap.EnvPoint
	for _, k := range keys {
		base, inB := pb[k]
		ours, inO := po[k]
		theirs, inT := pt[k]
		takeTheirs := false
		switch {
		case inO == inT && ours == theirs, inB == inT && base == theirs:
		case inB == inO && base == ours:
			takeTheirs = true
			m.took(part, "the point at %d ms", k.time)
		default:
			takeTheirs = m.conflict(part, nil, fmt.Sprintf("both changed the point at %d ms", k.time), nil, nil, nil) == "theirs"
		}
		if takeTheirs && inT {
			merged = append(merged, theirs)
		} else if !takeTheirs && inO {
			merged = append(merged, ours)
		}
	}
	return merged
}

func (m *merger) extras() {
	equal := func(a, b []*twmap.Extra) bool {
		return slices.EqualFunc(a, b, func(x, y *twmap.Extra) bool {
			return x.Type == y.Type && x.ID == y.ID && slices.Equal(x.Data, y.Data) && same(func(a, b *[16]byte) bool { return *a == *b })((*[16]byte)(x.UUID), (*[16]byte)(y.UUID))
		})
	}
	fieldFunc(m, nil, "items that nobody knows", m.b.Extras, &m.o.Extras, m.t.Extras, equal)
}
