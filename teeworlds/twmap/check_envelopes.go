package twmap

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/internal/text/words"
)

func (c *checker) checkEnvelopes(sink check.Sink) {
	c.checkPointRanges(sink)
	// A new map has room for tangents if it needs it.
	tangents := c.m.item == nil || c.m.longPoints() || c.m.bezier.item != nil
	for i, e := range c.m.Envelopes {
		e.check(sink, &Part{Kind: PartEnvelope, Number: i, Name: e.Name}, tangents)
	}
}

// checkPointRanges compares the ranges of points that envelope items state with the size of the points item.
func (c *checker) checkPointRanges(sink check.Sink) {
	size := envPointInts
	if c.m.longPoints() {
		size += envBezierInts
	}
	have := int64(0)
	for _, it := range c.f.All(typeEnvPoints) {
		have = int64(len(it.Data) / size)
		if rest := len(it.Data) % size; rest != 0 {
			sink.Add(foundEnvelopePoints, "envpoints", -1,
				"the points of all envelopes have %d integers, %d more than a multiple of %d", len(it.Data), rest, size)
		}
		break
	}
	i := -1
	for _, it := range c.f.All(typeEnvelope) {
		i++
		if len(it.Data) < 4 {
			continue // reported as too short
		}
		if start, n := int64(it.Data[2]), int64(it.Data[3]); start < 0 || n < 0 || start+n > have {
			part := &Part{Kind: PartEnvelope, Number: i}
			if i < len(c.m.Envelopes) {
				part.Name = c.m.Envelopes[i].Name
			}
			sink.AddAt(foundEnvelopePoints, part.at(), part.Path(), -1,
				"the envelope claims %s from number %d on, the map has %d", words.Count(n, "point"), start, have)
		}
	}
}

func (e *Envelope) check(sink check.Sink, part *Part, tangents bool) {
	path := part.Path()
	badName(sink, part, "envelope", e.Name, &e.origin, 4, 8)
	what := title("envelope", e.Name)
	if !e.Channels.known() {
		sink.AddAt(foundEnvelopeChannels, part.at(), path, -1, "the %s has %s", what, words.Count(e.Channels, "channel"))
	}
	var curves, order, negative, flat spots
	for i := range e.Points {
		p := &e.Points[i]
		if p.Time < 0 {
			negative.add(part.Thing(ThingPoint, i))
		}
		if i > 0 && p.Time < e.Points[i-1].Time {
			order.add(part.Thing(ThingPoint, i))
		}
		if p.Curve < CurveStep || p.Curve > CurveBezier {
			curves.addAs(part.Thing(ThingPoint, i), func() string { return fmt.Sprintf("point %d (%d)", i, p.Curve) })
		}
		if p.Curve == CurveBezier && i+1 < len(e.Points) && !tangents && !p.hasHandles(&e.Points[i+1]) {
			flat.add(part.Thing(ThingPoint, i))
		}
	}
	report := func(kind *check.Kind, s *spots, format string) {
		if s.n > 0 {
			sink.AddAt(kind, s.at(), path+".points", -1, "%s: "+format+": %s", what, s.of("point"), s)
		}
	}
	report(foundNegative, &negative, "%s with a negative time")
	report(foundEnvelopeOrder, &order, "%s earlier than the point before")
	report(foundEnvelopeCurve, &curves, "%s with an unknown curve")
	report(foundEnvelopeBezier, &flat, "%s with a Bezier curve but no tangents")
}

func (c Channels) known() bool {
	return c == ChannelsSound || c == ChannelsPosition || c == ChannelsColor
}

// hasHandles reports whether the curve from p to next has tangents. A map without any may lack the item for them.
func (p *EnvPoint) hasHandles(next *EnvPoint) bool {
	return p.Out != [4]Tangent{} || next.In != [4]Tangent{}
}

// envelopeUse checks the references to envelopes of all things of a layer.
type envelopeUse struct {
	c       *checker
	part    *Part
	want    Channels
	thing   Thing // the kind of thing that refers to it
	missing spots
	odd     spots
	wrong   spots
}

func (c *checker) envelopeUse(part *Part, want Channels, thing Thing) envelopeUse {
	return envelopeUse{c: c, part: part, want: want, thing: thing, missing: c.spots(), odd: c.spots(), wrong: c.spots()}
}

// refer checks the reference of thing number n.
func (u *envelopeUse) refer(n int, env int32) {
	place := u.part.Whole()
	if u.thing != WholePart {
		place = u.part.Thing(u.thing, n)
	}
	name := func() string {
		if u.thing == WholePart {
			return fmt.Sprintf("envelope %d", env)
		}
		return fmt.Sprintf("%v: envelope %d", place, env)
	}
	switch envelopes := u.c.m.Envelopes; {
	case env == -1:
	case env < 0: // the game treats it as none
		u.odd.addAs(place, name)
	case int(env) >= len(envelopes):
		u.missing.addAs(place, name)
	default:
		u.c.use(u.c.envels, int(env))
		if have := envelopes[env].Channels; have != u.want && have.known() {
			u.wrong.addAs(place, name)
		}
	}
}

// report reports the problems found.
func (u *envelopeUse) report(sink check.Sink, what string) {
	path := u.part.Path()
	if u.missing.n > 0 {
		sink.AddAt(foundEnvelopeMissing, u.missing.at(), path, -1, "%s: %s to %v envelopes that do not exist: %s", what,
			u.missing.of("reference"), u.want, &u.missing)
	}
	if u.odd.n > 0 {
		sink.AddAt(foundEnvelopeNone, u.odd.at(), path, -1, "%s: %s to %v envelopes by numbers below -1: %s", what,
			u.odd.of("reference"), u.want, &u.odd)
	}
	if u.wrong.n > 0 {
		sink.AddAt(foundEnvelopeKind, u.wrong.at(), path, -1, "%s: %s to envelopes that are not of kind %v: %s", what,
			u.wrong.of("reference"), u.want, &u.wrong)
	}
}

// use records that a layer refers to index i.
func (c *checker) use(set map[int]bool, i int) {
	c.mu.Lock()
	set[i] = true
	c.mu.Unlock()
}
