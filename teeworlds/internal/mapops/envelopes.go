package mapops

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// NewEnvelope are the options of add-envelope.
type NewEnvelope struct {
	Kind string `arg:"kind" choices:"position|color|sound" help:"what the envelope changes"`
	NewName
	Points []string `option:"point" help:"{milliseconds:values}, in order of time, such as 1000:0,-32,0"`
	NewCurve
	Synchronized bool `option:"synchronized" help:"use the server's clock"`
}

// NewCurve is the option for the curve of new points.
type NewCurve struct {
	Curve string `option:"curve" choices:"step|linear|slow|fast|smooth|bezier" default:"linear" help:"the curve to the next point"`
}

// PointValues are the values of a point.
type PointValues struct {
	Values string `option:"values"`
}

// Describe describes the option.
func (PointValues) Describe(o *format.Option) {
	o.Explain("values", "`numbers` separated by commas: x,y,rotation in pixels and degrees; r,g,b,a or volume, each from 0 to 1")
}

// AddEnvelope adds an envelope.
func AddEnvelope(e *Editor, o NewEnvelope) error {
	channels := map[string]twmap.Channels{
		"position": twmap.ChannelsPosition, "color": twmap.ChannelsColor, "sound": twmap.ChannelsSound,
	}[o.Kind]
	env := twmap.NewEnvelope(o.Name, channels)
	env.Synchronized = o.Synchronized
	curve, _ := twmap.ParseCurve(o.Curve)
	for _, word := range o.Points {
		ms, rest, _ := strings.Cut(word, ":")
		at, err := strconv.ParseInt(ms, 10, 32)
		values, wrong := parseValues(rest)
		if err != nil || wrong != nil || len(values) != int(channels) {
			return fmt.Errorf("--point: %q: expected a time in milliseconds, a colon, and %s separated by commas", word,
				words.Count(channels, "value"))
		}
		p := twmap.EnvPoint{Time: int32(at), Curve: curve}
		copy(p.Values[:], values)
		env.Points = append(env.Points, p)
	}
	return e.AddEnvelope(env)
}

// NewPoint are the options of add-point.
type NewPoint struct {
	EnvelopeArg
	Time int `arg:"time" help:"in milliseconds"`
	PointValues
	NewCurve
}

// AddPoint adds a point to an envelope.
func AddPoint(e *Editor, envelope int, o NewPoint) error {
	values, err := parseValues(o.Values)
	if err != nil {
		return err
	}
	curve, _ := twmap.ParseCurve(o.Curve)
	return e.AddPoint(envelope, int32(o.Time), values, curve)
}

// PointSetting are the options of set-point.
type PointSetting struct {
	EnvelopeArg
	Point int  `arg:"point" help:"the number of the point, from 0"`
	Time  *int `option:"time" help:"in {milliseconds}"`
	PointValues
	Curve *string `option:"curve" choices:"step|linear|slow|fast|smooth|bezier" help:"the curve to the next point"`
	In    string  `option:"in" help:"handles of a bezier curve before the point: {ms,value} for each value, separated by spaces"`
	Out   string  `option:"out" help:"handles of a bezier curve after the point: {ms,value} for each value, separated by spaces"`
}

// SetPoint changes a point of an envelope.
func SetPoint(e *Editor, envelope int, o PointSetting) (err error) {
	var c mapedit.PointChange
	if o.Time != nil {
		c.Time = new(int32(*o.Time))
	}
	if o.Curve != nil {
		curve, _ := twmap.ParseCurve(*o.Curve)
		c.Curve = &curve
	}
	if c.Values, err = parseValues(o.Values); err != nil {
		return err
	}
	if c.In, err = parseTangents(o.In); err != nil {
		return err
	}
	if c.Out, err = parseTangents(o.Out); err != nil {
		return err
	}
	return e.ChangePoint(envelope, o.Point, c)
}

// parseValues parses comma-separated values of an envelope; nil for none.
func parseValues(text string) ([]int32, error) {
	if text == "" {
		return nil, nil
	}
	var list []int32
	for _, word := range strings.Split(text, ",") {
		v, err := format.ParseNumber(strings.TrimSpace(word))
		if err == nil && math.Abs(v) >= 1<<21 {
			err = fmt.Errorf("expected a number below %d, not %q", 1<<21, word)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, int32(math.Round(v*1024)))
	}
	return list, nil
}

// parseTangents parses the tangents of a point; nil for none.
func parseTangents(text string) ([]twmap.Tangent, error) {
	var list []twmap.Tangent
	for _, word := range strings.Fields(text) {
		ms, value, _ := strings.Cut(word, ",")
		dx, err := strconv.ParseInt(ms, 10, 32)
		dy, wrong := parseValues(value)
		if err != nil || wrong != nil || len(dy) != 1 {
			return nil, fmt.Errorf("%q: expected milliseconds, a comma and a value", word)
		}
		list = append(list, twmap.Tangent{DX: int32(dx), DY: dy[0]})
	}
	return list, nil
}

// findEnvelope returns the number of the envelope that an option names, or -1 for none.
func findEnvelope(e *Editor, name, word string, channels twmap.Channels) (int32, error) {
	if word == "none" {
		return -1, nil
	}
	i, err := one(word, e.Envelopes)
	if err == nil && e.Map().Envelopes[i].Channels != channels {
		err = fmt.Errorf("%q is an envelope of %s: expected one of %s", word, e.Map().Envelopes[i].Channels, channels)
	}
	if err != nil {
		return -1, fmt.Errorf("--%s: %w", name, err)
	}
	return int32(i), nil
}
