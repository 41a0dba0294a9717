package mapedit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

const (
	maxEnvelopeName = 31 // bytes
	maxPartName     = 11 // of groups and layers
)

func checkLength(what, text string, most int) error {
	if size := len(text); size > most {
		if len(text) > 2*most {
			text = text[:most] + "..." // the text may be a megabyte
		}
		return fmt.Errorf("the %s %q has %s: expected at most %d", what, text, words.Count(size, "byte"), most)
	}
	return nil
}

// AddEnvelope adds an envelope at the end. It fails if the name has more than 31 bytes, or if the points are not
// ordered by time.
func (e *Editor) AddEnvelope(env *twmap.Envelope) error {
	if err := checkLength("name", env.Name, maxEnvelopeName); err != nil {
		return err
	}
	switch env.Channels {
	case twmap.ChannelsColor, twmap.ChannelsPosition, twmap.ChannelsSound:
	default:
		return fmt.Errorf("no kind of envelope has %s", words.Count(env.Channels, "channel"))
	}
	if !slices.IsSortedFunc(env.Points, byTime) {
		return errors.New("the points of an envelope must be sorted by time")
	}
	if err := e.settle(twmap.PartEnvelope); err != nil {
		return err
	}
	e.m.Envelopes = append(e.m.Envelopes, env)
	e.reportChange(env, 1, "", "added: %s, %s", env.Channels, words.Count(len(env.Points), "point"))
	return nil
}

func byTime(a, b twmap.EnvPoint) int { return cmp.Compare(a.Time, b.Time) }

// RemoveEnvelopes removes envelopes. Everything that they animated then stays still.
func (e *Editor) RemoveEnvelopes(envelopes []int) error {
	return e.remove(twmap.PartEnvelope, envelopes, func(i int) any { return e.m.Envelopes[i] })
}

// RemoveUnusedEnvelopes removes the envelopes without references.
func (e *Editor) RemoveUnusedEnvelopes() error {
	return e.RemoveEnvelopes(e.unused(twmap.PartEnvelope))
}

// MoveEnvelope moves an envelope to another position in the list; to is counted without the envelope.
func (e *Editor) MoveEnvelope(from, to int) error {
	if err := inRange(twmap.PartEnvelope, from, len(e.m.Envelopes)); err != nil {
		return err
	}
	return e.move(twmap.PartEnvelope, from, to, e.m.Envelopes[from])
}

// DuplicateEnvelope adds a copy of an envelope at the end. Nothing refers to the copy yet.
func (e *Editor) DuplicateEnvelope(i int, name string) error {
	if err := inRange(twmap.PartEnvelope, i, len(e.m.Envelopes)); err != nil {
		return err
	}
	copied := e.m.Envelopes[i].Clone()
	own := *twmap.NewEnvelope(name, copied.Channels, copied.Points...)
	own.Version, own.Synchronized = copied.Version, copied.Synchronized
	return e.AddEnvelope(&own)
}

// RenameEnvelope changes the name of an envelope, which can have up to 31 bytes.
func (e *Editor) RenameEnvelope(i int, name string) error {
	env, err := e.envelope(i)
	if err == nil {
		err = checkLength("name", name, maxEnvelopeName)
	}
	if err != nil || env.Name == name {
		return err
	}
	e.reportChange(env, 1, "", "renamed to %q", name)
	env.Name = name
	return nil
}

// A Clock is the clock on which an envelope runs.
type Clock int

// The clocks of envelopes.
const (
	ServerClock Clock = iota // all players see the same
	PlayerClock              // the clock of each player
)

// SetEnvelopeClocks sets the clock of envelopes.
func (e *Editor) SetEnvelopeClocks(envelopes []int, c Clock) error {
	if err := allInRange(twmap.PartEnvelope, envelopes, len(e.m.Envelopes)); err != nil {
		return err
	}
	on := c == ServerClock
	for _, i := range envelopes {
		env := e.m.Envelopes[i]
		if env.Synchronized == on {
			continue
		}
		env.Synchronized = on
		env.Version = max(env.Version, 2)
		if on {
			e.reportChange(env, 1, "", "runs on the clock of the server")
		} else {
			e.reportChange(env, 1, "", "runs on the clock of each player")
		}
	}
	return nil
}

func (e *Editor) envelope(i int) (*twmap.Envelope, error) {
	if err := inRange(twmap.PartEnvelope, i, len(e.m.Envelopes)); err != nil {
		return nil, err
	}
	return e.m.Envelopes[i], nil
}

// AddPoint adds a point to an envelope, at a time in milliseconds that has no point yet. Without values it gets those
// of the envelope at that time, so that the animation stays the same, apart from a curve that is divided.
func (e *Editor) AddPoint(i int, ms int32, values []int32, curve twmap.Curve) error {
	env, err := e.envelope(i)
	if err != nil {
		return err
	}
	if ms < 0 {
		return fmt.Errorf("%d: expected a time of 0 milliseconds or more", ms)
	}
	p := twmap.EnvPoint{Time: ms, Curve: curve}
	at, there := slices.BinarySearchFunc(env.Points, p, byTime)
	if there {
		return fmt.Errorf("%s has a point at %d ms already", e.Path(env), ms)
	}
	if at == 0 && ms != 0 {
		return fmt.Errorf("%s: the first point of an envelope must be at 0 ms", e.Path(env))
	}
	if values == nil {
		p.Values = valuesAt(env, ms)
	} else if err := setValues(env, &p, values); err != nil {
		return fmt.Errorf("%s: %w", e.Path(env), err)
	}
	env.Points = slices.Insert(slices.Clip(env.Points), at, p)
	e.reportChange(env, 1, "", "point %d added at %d ms", at, ms)
	return nil
}

// valuesAt returns the values at a time, which may be after the last point.
func valuesAt(env *twmap.Envelope, ms int32) (values [4]int32) {
	if n := len(env.Points); n > 0 && ms >= env.Points[n-1].Time {
		return env.Points[n-1].Values
	}
	for i, v := range env.Eval(float64(ms)) {
		values[i] = int32(v*1024 + 0.5)
		if v < 0 {
			values[i] = int32(v*1024 - 0.5)
		}
	}
	return values
}

func setValues(env *twmap.Envelope, p *twmap.EnvPoint, values []int32) error {
	if len(values) != int(env.Channels) {
		return fmt.Errorf("%s: an envelope of %s has %d", words.Count(len(values), "value"), env.Channels, env.Channels)
	}
	copy(p.Values[:], values)
	return nil
}

// RemovePoints removes points of an envelope by their numbers. The time of the first remaining point becomes 0.
func (e *Editor) RemovePoints(i int, points []int) error {
	env, err := e.envelope(i)
	if err == nil {
		err = allInRange("point", points, len(env.Points))
	}
	if err != nil {
		return err
	}
	kept := pick(env.Points, without(len(env.Points), points))
	n := len(env.Points) - len(kept)
	env.Points = kept
	e.reportChange(env, n, "points", "points removed")
	if len(kept) > 0 && kept[0].Time != 0 {
		kept[0].Time = 0
		e.reportChange(env, 1, "", "the new first point was moved to 0 ms")
	}
	return nil
}

// PointChange specifies the changes of a point; nil fields keep their value.
type PointChange struct {
	Time    *int32 // in milliseconds; not before the previous point or after the next
	Values  []int32
	Curve   *twmap.Curve
	In, Out []twmap.Tangent // one for each value; used by Bezier curves
}

// ChangePoint changes a point of an envelope.
func (e *Editor) ChangePoint(i, point int, c PointChange) error {
	env, err := e.envelope(i)
	if err == nil {
		err = inRange("point", point, len(env.Points))
	}
	if err != nil {
		return err
	}
	p := env.Points[point]
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s: point %d: %w", e.Path(env), point, fmt.Errorf(format, args...))
	}
	if c.Time != nil {
		p.Time = *c.Time
		if point == 0 && p.Time != 0 {
			return fail("the first point of an envelope must be at 0 ms")
		}
		if p.Time < 0 || point > 0 && p.Time < env.Points[point-1].Time || point+1 < len(env.Points) && p.Time > env.Points[point+1].Time {
			return fail("%d ms is not between the times of the neighbouring points", p.Time)
		}
	}
	if c.Values != nil {
		if err := setValues(env, &p, c.Values); err != nil {
			return fail("%w", err)
		}
	}
	if c.Curve != nil {
		p.Curve = *c.Curve
	}
	for _, t := range []struct {
		from []twmap.Tangent
		to   *[4]twmap.Tangent
	}{{c.In, &p.In}, {c.Out, &p.Out}} {
		if t.from != nil && len(t.from) != int(env.Channels) {
			return fail("%s: an envelope of %s has %d", words.Count(len(t.from), "tangent"), env.Channels, env.Channels)
		}
		copy(t.to[:], t.from)
	}
	if p == env.Points[point] {
		return nil
	}
	env.Points[point] = p
	e.reportChange(env, 1, "", "point %d changed", point)
	return nil
}
