package twmap

import (
	"fmt"

	"trowel/check"
)

func (c *checker) checkEnvelopes(sink check.Sink) {
	c.checkPointRanges(sink)
	// A new map has a place for tangents if it needs one.
	tangents := c.m.item == nil || c.m.longPoints() || c.m.bezier.item != nil
	for i, e := range c.m.Envelopes {
		e.check(sink, fmt.Sprintf("envelopes[%d]", i), tangents)
	}
}

// checkPointRanges holds what the items of envelopes claim against the item of points.
func (c *checker) checkPointRanges(sink check.Sink) {
	if c.fault != nil {
		return
	}
	size := envPointInts
	if c.m.longPoints() {
		size += envBezierInts
	}
	have := int64(0)
	for _, it := range c.f.All(typeEnvPoints) {
		have = int64(len(it.Data) / size)
		if rest := len(it.Data) % size; rest != 0 {
			sink.Add(foundEnvelopePoints, "envpoints", -1, "the points of all envelopes have %d integers, %d more than a multiple of %d", len(it.Data), rest, size)
		}
		break
	}
	i := -1
	for _, it := range c.f.All(typeEnvelope) {
		i++
		if len(it.Data) < 4 {
			continue // told as short
		}
		if start, n := int64(it.Data[2]), int64(it.Data[3]); start < 0 || n < 0 || start+n > have {
			sink.Add(foundEnvelopePoints, fmt.Sprintf("envelopes[%d]", i), -1, "the envelope claims %d points from number %d on, the map has %d", n, start, have)
		}
	}
}

func (e *Envelope) check(sink check.Sink, path string, tangents bool) {
	badName(sink, path, "envelope", e.Name, &e.origin, 4, 8)
	what := title("envelope", e.Name)
	if !e.Channels.known() {
		sink.Add(foundEnvelopeChannels, path, -1, "the %s has %d channels", what, e.Channels)
	}
	var curves, order, negative, flat spots
	for i := range e.Points {
		p := &e.Points[i]
		if p.Time < 0 {
			negative.number(i)
		}
		if i > 0 && p.Time < e.Points[i-1].Time {
			order.number(i)
		}
		if p.Curve < CurveStep || p.Curve > CurveBezier {
			curves.add(func() string { return fmt.Sprintf("%d (%d)", i, p.Curve) })
		}
		if p.Curve == CurveBezier && i+1 < len(e.Points) && !tangents && !p.hasHandles(&e.Points[i+1]) {
			flat.number(i)
		}
	}
	report := func(kind *check.Kind, s *spots, format string) {
		if s.n > 0 {
			sink.Add(kind, path+".points", -1, "%s: "+format+": %s", what, s.of("point"), s)
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

// hasHandles tells whether there are tangents for the curve from p to next.
// Without any, the file may have no place for them.
func (p *EnvPoint) hasHandles(next *EnvPoint) bool {
	return p.Out != [4]Tangent{} || next.In != [4]Tangent{}
}

// envelopeUse checks a reference to an envelope for all things of a layer.
type envelopeUse struct {
	c       *checker
	want    Channels
	thing   string // what refers to it
	missing spots
	odd     spots
	wrong   spots
}

// refer checks the reference of thing number n.
func (u *envelopeUse) refer(n int, env int32) {
	name := func() string {
		if u.thing == "" {
			return fmt.Sprintf("envelope %d", env)
		}
		return fmt.Sprintf("%s %d: envelope %d", u.thing, n, env)
	}
	switch envelopes := u.c.m.Envelopes; {
	case env == -1:
	case env < 0: // the game takes it for none
		u.odd.add(name)
	case int(env) >= len(envelopes):
		u.missing.add(name)
	default:
		u.c.use(u.c.envels, int(env))
		if have := envelopes[env].Channels; have != u.want && have.known() {
			u.wrong.add(name)
		}
	}
}

// report tells what was found.
func (u *envelopeUse) report(sink check.Sink, path, what string) {
	if u.missing.n > 0 {
		sink.Add(foundEnvelopeMissing, path, -1, "%s: %s to %v envelopes that do not exist: %s", what, u.missing.of("reference"), u.want, &u.missing)
	}
	if u.odd.n > 0 {
		sink.Add(foundEnvelopeNone, path, -1, "%s: %s to no %v envelope by another number than -1: %s", what, u.odd.of("reference"), u.want, &u.odd)
	}
	if u.wrong.n > 0 {
		sink.Add(foundEnvelopeKind, path, -1, "%s: %s to envelopes that are not of kind %v: %s", what, u.wrong.of("reference"), u.want, &u.wrong)
	}
}

// use remembers that something is referred to.
func (c *checker) use(set map[int]bool, i int) {
	c.mu.Lock()
	set[i] = true
	c.mu.Unlock()
}
