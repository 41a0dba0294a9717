package mapdir

import (
	"trowel.example/internal/text/forms"
	"trowel.example/internal/text/strictjson"
	"trowel.example/teeworlds/twmap"
)

func (r *reader) envelopes() {
	f := r.folder(dirEnvelopes, "envelope")
	for _, p := range f.parts {
		file := dirEnvelopes + "/" + p.name + ".json"
		e := &twmap.Envelope{}
		if f.has(p.name + ".json") {
			e = r.envelopeFile(file)
		} else {
			f.missing(p, file)
		}
		r.m.Envelopes = append(r.m.Envelopes, e)
		r.at.envelopes = append(r.at.envelopes, p.name)
	}
	f.leftovers(withExtension(".json"))
}

// envelopeFile reads an envelope, whose type determines the unit of its values.
func (r *reader) envelopeFile(file string) *twmap.Envelope {
	data, err := forms.ReadText(r.fs, file)
	if err != nil {
		r.errs = append(r.errs, err)
		return &twmap.Envelope{}
	}
	switch strictjson.Type(data, "type") {
	case twmap.ChannelsColor.String():
		return envelopeOf(r, file, data, func(n shade) int32 { return int32(n) })
	case twmap.ChannelsPosition.String(), twmap.ChannelsSound.String():
		return envelopeOf(r, file, data, func(n fixed) int32 { return int32(n) })
	}
	return envelopeOf(r, file, data, func(n raw) int32 { return int32(n) })
}

func envelopeOf[T any](r *reader, file string, data []byte, unit func(T) int32) *twmap.Envelope {
	e := &twmap.Envelope{}
	var form envelopeForm[T]
	if errs := forms.DecodeJSON(file, data, &form); len(errs) > 0 {
		r.errs = append(r.errs, errs...)
		return e
	}
	e.Name, e.Version, e.Synchronized = string(form.Name), or(form.Version, usualEnvelopeVersion), form.Synchronized
	e.Channels = twmap.Channels(form.Type.number)
	for _, c := range []twmap.Channels{twmap.ChannelsSound, twmap.ChannelsPosition, twmap.ChannelsColor} {
		if form.Type.name == c.String() {
			e.Channels = c
		}
	}
	if form.Type.name != "" && e.Channels == 0 {
		r.fail(file, "type is %q: expected \"position\", \"color\" or \"sound\"", form.Type.name)
	}
	// The type determines the number of values; additional values are stored where the map has room. Unknown types
	// have all four.
	least := len(twmap.EnvPoint{}.Values)
	if form.Type.name != "" {
		least = int(e.Channels)
	}
	for i, f := range form.Points {
		p := twmap.EnvPoint{Time: f.Time, Curve: twmap.Curve(f.Curve.number)}
		if f.Curve.name != "" {
			curve, ok := twmap.ParseCurve(f.Curve.name)
			if !ok {
				r.failAt(file, i, "points[%d].curve", "%q: expected step, linear, slow, fast, smooth or bezier", f.Curve.name)
			}
			p.Curve = curve
		}
		if n := len(f.Values); n != least && n != len(p.Values) {
			r.failAt(file, i, "points[%d].values", "a list of %d values: expected %d", n, least)
			continue
		}
		for j, v := range f.Values {
			p.Values[j] = unit(v)
		}
		for _, side := range []struct {
			name string
			from []tangent[T]
			to   *[4]twmap.Tangent
		}{{"in", f.In, &p.In}, {"out", f.Out, &p.Out}} {
			if n := len(side.from); n != 0 && n != least && n != len(side.to) {
				r.failAt(file, i, "points[%d]."+side.name, "a list of %d tangents: expected %d", n, least)
				continue
			}
			for j, t := range side.from {
				side.to[j] = twmap.Tangent{DX: t.dx, DY: unit(t.dy)}
			}
		}
		e.Points = append(e.Points, p)
	}
	return e
}
