package twmap

import (
	"fmt"
	"math"
	"slices"
)

// Envelope animates a value over time (section "Envelopes"). [NewEnvelope] makes one; the zero value has no channels:
// it animates nothing, and Check reports it.
type Envelope struct {
	origin
	Version      int32  // 1; 2 with Synchronized; 3 makes all points of the map 88 bytes long, with tangents; 0 is written as 2
	Name         string // up to 31 bytes
	Channels     Channels
	Synchronized bool // runs on the server's clock instead of the player's; always in version 1
	Points       []EnvPoint

	start, num int32 // as stated by the item
}

// NewEnvelope returns an envelope as DDNet writes it, which runs on the clock of each player.
func NewEnvelope(name string, channels Channels, points ...EnvPoint) *Envelope {
	return &Envelope{Version: usualEnvelopeVersion, Name: name, Channels: channels, Points: points}
}

// Channels is the number of values that an envelope animates. It determines their meaning.
type Channels int32

// Kinds of envelopes.
const (
	ChannelsSound    Channels = 1 // volume
	ChannelsPosition Channels = 3 // x, y, rotation
	ChannelsColor    Channels = 4 // red, green, blue, alpha
)

func (c Channels) String() string {
	switch c {
	case ChannelsSound:
		return "sound"
	case ChannelsPosition:
		return "position"
	case ChannelsColor:
		return "color"
	}
	return fmt.Sprintf("%d channels", int32(c))
}

// Curve is the interpolation between a point of an envelope and the next.
type Curve int32

// Curves. The game treats any other as CurveLinear.
const (
	CurveStep   Curve = 0 // stays, then jumps
	CurveLinear Curve = 1
	CurveSlow   Curve = 2 // first slow, then fast
	CurveFast   Curve = 3 // first fast, then slow
	CurveSmooth Curve = 4 // slow, fast, slow
	CurveBezier Curve = 5 // determined by the tangents
)

var curveNames = [...]string{"step", "linear", "slow", "fast", "smooth", "bezier"}

func (c Curve) String() string {
	if c >= 0 && int(c) < len(curveNames) {
		return curveNames[c]
	}
	return fmt.Sprintf("curve %d", int32(c))
}

// ParseCurve is the inverse of String.
func ParseCurve(s string) (Curve, bool) {
	for i, name := range curveNames {
		if s == name {
			return Curve(i), true
		}
	}
	var c Curve
	_, err := fmt.Sscanf(s, "curve %d", (*int32)(&c))
	return c, err == nil
}

// EnvPoint is a point of an envelope.
type EnvPoint struct {
	Time   int32    // in milliseconds
	Curve  Curve    // from here to the next point
	Values [4]int32 // 22.10 fixed-point: 1024 = 1 pixel, 1 degree, full colour or volume

	// Tangents of each value, as distances in milliseconds and in units of
	// the value. Out belongs to this point's curve if that is CurveBezier, In
	// to the curve of the point before.
	In, Out [4]Tangent
}

// Tangent is the handle of a Bezier curve, relative to its point.
type Tangent struct{ DX, DY int32 }

// hasTangents reports whether the point needs more than 24 bytes.
func (p *EnvPoint) hasTangents() bool {
	return p.Curve == CurveBezier || p.In != [4]Tangent{} || p.Out != [4]Tangent{}
}

// Meant returns the points without values that have no effect: tangents where no curve is Bezier, and values of
// channels that the envelope does not have.
func (e *Envelope) Meant() []EnvPoint {
	c := Envelope{Points: slices.Clone(e.Points)}
	c.dropTangents()
	if n := int(e.Channels); n > 0 && n < len(EnvPoint{}.Values) {
		for i := range c.Points {
			p := &c.Points[i]
			clear(p.Values[n:])
			clear(p.In[n:])
			clear(p.Out[n:])
		}
	}
	return c.Points
}

const (
	envPointInts  = 6
	envBezierInts = 16
)

func (e *Envelope) fields(c *codec) {
	version := c.version(&e.Version, usualEnvelopeVersion)
	c.int32("channels", (*int32)(&e.Channels))
	if !c.writing() {
		c.r.Means(e.Channels)
	}
	c.number("start_point", &e.start)
	c.number("num_points", &e.num)
	c.name("name", &e.Name, 8)
	if version >= 2 {
		c.bool("synchronized", &e.Synchronized)
	} else if !c.writing() { // several goroutines may write the same envelope
		e.Synchronized = true
	}
}

var envValueNames = [4]string{"value[0]", "value[1]", "value[2]", "value[3]"}

func (p *EnvPoint) fields(c *codec) {
	c.int32("time", &p.Time)
	c.int32("curve_type", (*int32)(&p.Curve))
	if !c.writing() {
		c.r.Means(p.Curve)
	}
	for i := range p.Values {
		c.int32(envValueNames[i], &p.Values[i])
	}
}

func (p *EnvPoint) bezierFields(c *codec) {
	for i := range p.In {
		c.int32("in_tangent_dx", &p.In[i].DX)
	}
	for i := range p.In {
		c.int32("in_tangent_dy", &p.In[i].DY)
	}
	for i := range p.Out {
		c.int32("out_tangent_dx", &p.Out[i].DX)
	}
	for i := range p.Out {
		c.int32("out_tangent_dy", &p.Out[i].DY)
	}
}

// Eval returns the values of the envelope at a time in milliseconds, as DDNet computes them: 1.0 is a pixel, a
// degree, full colour or volume. The envelope restarts after its last point. At a time that is not between two
// points, such as before the first, the last point applies; the last of several points at the same time applies as
// well.
func (e *Envelope) Eval(ms float64) [4]float64 {
	n := len(e.Points)
	if n == 0 {
		return [4]float64{}
	}
	ms = repeat(ms, float64(e.Duration()))
	// Unordered points are found or missed exactly as by the game's own binary search.
	whole := int64(ms)
	for low, high := 0, n-2; low <= high; {
		i := low + (high-low)/2
		switch {
		case whole < int64(e.Points[i].Time):
			high = i - 1
		case whole >= int64(e.Points[i+1].Time):
			low = i + 1
		default:
			return between(&e.Points[i], &e.Points[i+1], ms)
		}
	}
	return e.Points[n-1].values()
}

// Sample holds the values of an envelope at a time.
type Sample struct {
	Time   float64 // in milliseconds
	Values [4]float64
}

// maxSamples is the approximate maximum number of samples of an envelope.
const maxSamples = 4096

// Samples returns the values of the envelope from its first point to its last, as often as plotting requires, at
// increasing times. There is a sample right before each jump.
func (e *Envelope) Samples() (all []Sample) {
	const before = 1e-3
	n := len(e.Points)
	if n > maxSamples {
		from, length := float64(e.Points[0].Time), float64(e.Duration())-float64(e.Points[0].Time)
		for i := 0; i < maxSamples && length > 0; i++ {
			at := from + length*float64(i)/maxSamples
			all = append(all, Sample{at, e.Eval(at)})
		}
		return all
	}
	add := func(at float64, values [4]float64) {
		if len(all) == 0 || at > all[len(all)-1].Time {
			all = append(all, Sample{at, values})
		}
	}
	for i := range n - 1 {
		p, next := &e.Points[i], &e.Points[i+1]
		from, length := float64(p.Time), float64(next.Time)-float64(p.Time)
		if length <= 0 {
			continue
		}
		steps := 1
		if p.Curve >= CurveSlow && p.Curve <= CurveBezier {
			steps = max(2, min(24, maxSamples/n))
		}
		for k := range steps {
			at := from + length*float64(k)/float64(steps)
			add(at, between(p, next, at))
		}
		if end := between(p, next, float64(next.Time)); i+2 == n || end != next.values() || e.Points[i+2].Time <= next.Time {
			add(float64(next.Time)-before, end)
		}
	}
	if n > 0 {
		add(float64(e.Duration()), e.Points[n-1].values())
	}
	return all
}

// repeat returns the time since the last start of the envelope, in milliseconds.
func repeat(ms, duration float64) float64 {
	if duration <= 0 {
		return 0
	}
	return math.Mod(ms, duration)
}

// Duration returns the time of the last point in milliseconds.
func (e *Envelope) Duration() int32 {
	if len(e.Points) == 0 {
		return 0
	}
	return e.Points[len(e.Points)-1].Time
}

func (p *EnvPoint) values() (v [4]float64) {
	for i, n := range p.Values {
		v[i] = float64(n) / 1024
	}
	return v
}

func between(p, next *EnvPoint, ms float64) [4]float64 {
	length := float64(next.Time) - float64(p.Time) // more than 0
	a := (ms - float64(p.Time)) / length
	switch p.Curve {
	case CurveStep:
		a = 0
	case CurveSlow:
		a = a * a * a
	case CurveFast:
		a = 1 - a
		a = 1 - a*a*a
	case CurveSmooth:
		a = (3 - 2*a) * a * a
	}
	from, to := p.values(), next.values()
	var v [4]float64
	for i := range v {
		if p.Curve == CurveBezier {
			v[i] = bezier(p, next, i, ms)
		} else {
			v[i] = from[i] + (to[i]-from[i])*a
		}
	}
	return v
}

// bezier returns value i of a Bezier curve at a time. The times of the control points are clamped to those of the end
// points, so that the curve has one value at each time.
func bezier(p, next *EnvPoint, i int, ms float64) float64 {
	t0, t3 := float64(p.Time), float64(next.Time)
	t1 := min(max(t0+float64(p.Out[i].DX), t0), t3)
	t2 := min(max(t3+float64(next.In[i].DX), t0), t3)
	v0, v3 := float64(p.Values[i]), float64(next.Values[i])
	v1 := v0 + float64(p.Out[i].DY)
	v2 := v3 + float64(next.In[i].DY)

	// The time increases with the parameter of the curve, so bisection finds the parameter.
	lo, hi := 0.0, 1.0
	for range 60 {
		mid := (lo + hi) / 2
		if cubic(t0, t1, t2, t3, mid) < ms {
			lo = mid
		} else {
			hi = mid
		}
	}
	return cubic(v0, v1, v2, v3, (lo+hi)/2) / 1024
}

func cubic(p0, p1, p2, p3, a float64) float64 {
	b := 1 - a
	return b*b*b*p0 + 3*b*b*a*p1 + 3*b*a*a*p2 + a*a*a*p3
}
