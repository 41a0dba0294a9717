package teeworlds

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

func byEnvelope(e *mapedit.Editor) func(string) ([]int, error) { return e.Envelopes }

// envelopeOption returns the number of the envelope that an option selects, or -1 for none.
func envelopeOption(e *mapedit.Editor, job *format.Job, name string, channels twmap.Channels) (i int, given bool, err error) {
	word, given := job.Given(name)
	if !given {
		return -1, false, nil
	}
	if word == "none" {
		return -1, true, nil
	}
	i, err = one(word, e.Envelopes)
	if err == nil && e.Map().Envelopes[i].Channels != channels {
		err = fmt.Errorf("%q is an envelope of %s: expected one of %s", word, e.Map().Envelopes[i].Channels, channels)
	}
	if err != nil {
		return -1, false, fmt.Errorf("--%s: %w", name, err)
	}
	return i, true, nil
}

var (
	argEnvelope      = format.Option{Name: "envelope", Names: kindEnvelope, Help: "the name of an envelope, with * and ?, or its number"}
	argEnvelopes     = format.Option{Name: "envelope", Names: kindEnvelope, List: true, Help: argEnvelope.Help + " (default: all)"}
	argSomeEnvelopes = format.Option{Name: "envelope", Names: kindEnvelope, List: true, Some: true, Help: argEnvelope.Help}
	argPoint         = format.Option{Name: "point", Type: format.Integer, Help: "the number of the point, from 0"}
	argPoints        = format.Option{Name: "point", Type: format.Integer, List: true, Some: true, Help: argPoint.Help}

	curves       = []string{"step", "linear", "slow", "fast", "smooth", "bezier"}
	optionValues = format.Option{Name: "values", Help: "`numbers` with commas between: x,y,rotation in pixels and degrees; r,g,b,a or volume, of which 1 is all"}
	optionCurve  = format.Option{Name: "curve", Choices: curves, Help: "the way to the next point"}
)

var envelopeCommands = []mapCommand{
	command("Envelopes", "add-envelope", "Add an envelope, with points if it is to move anything",
		opts{{Name: "kind", Choices: []string{"position", "color", "sound"}, Help: "what it moves"}, argName},
		opts{{Name: "point", List: true, Help: "`milliseconds:values`, in the order of time, such as 1000:0,-32,0"}, {Name: "curve", Choices: curves, Default: "linear", Help: "the way from point to point"}, {Name: "synchronized", Bool: true, Help: "it runs on the clock of the server"}},
		"add-envelope position swing --point 0:0,0,0 --point 2000:64,0,0 --point 4000:0,0,0", addEnvelope),
	command("Envelopes", "remove-envelopes", "Remove envelopes; what they moved stands still then", opts{argSomeEnvelopes}, nil, "remove-envelopes swing",
		ofSeveral("envelope", byEnvelope, func(e *mapedit.Editor, _ *format.Job, list []int) error { return e.RemoveEnvelopes(list) })),
	command("Envelopes", "remove-unused-envelopes", "Remove the envelopes that move nothing", nil, nil, "remove-unused-envelopes", ofMap((*mapedit.Editor).RemoveUnusedEnvelopes)),
	command("Envelopes", "rename-envelope", "Rename an envelope, with up to 31 bytes", opts{argEnvelope, argName}, nil, "rename-envelope 3 swing",
		ofOne("envelope", byEnvelope, func(e *mapedit.Editor, job *format.Job, i int) error { return e.RenameEnvelope(i, job.Value("name")) })),
	command("Envelopes", "move-envelope", "Move an envelope in the list; what it moves it still does", opts{argEnvelope, argTo}, nil, "move-envelope swing 0",
		ofOne("envelope", byEnvelope, func(e *mapedit.Editor, job *format.Job, i int) error { return e.MoveEnvelope(i, job.Integer("to")) })),
	command("Envelopes", "duplicate-envelope", "Add a copy of an envelope at the end", opts{argEnvelope, argName}, nil, "duplicate-envelope swing swing2",
		ofOne("envelope", byEnvelope, func(e *mapedit.Editor, job *format.Job, i int) error {
			return e.DuplicateEnvelope(i, job.Value("name"))
		})),
	command("Envelopes", "synchronize-envelopes", "Let envelopes run on the clock of the server",
		opts{argEnvelopes}, opts{{Name: "off", Bool: true, Help: "on the clock of each player instead"}}, "synchronize-envelopes swing",
		ofSeveral("envelope", byEnvelope, func(e *mapedit.Editor, job *format.Job, list []int) error {
			clock := mapedit.ServerClock
			if job.On("off") {
				clock = mapedit.PlayerClock
			}
			return e.SetEnvelopeClocks(list, clock)
		})),
	command("Envelopes", "add-point", "Add a point to an envelope; without values it lies where the envelope is at that time",
		opts{argEnvelope, {Name: "time", Type: format.Integer, Help: "in milliseconds"}}, opts{optionValues, {Name: "curve", Choices: curves, Default: "linear", Help: optionCurve.Help}},
		"add-point swing 1500 --values 32,0,90",
		ofOne("envelope", byEnvelope, func(e *mapedit.Editor, job *format.Job, i int) error {
			values, err := fixedList(job.Value("values"))
			if err != nil {
				return err
			}
			curve, _ := twmap.ParseCurve(job.Value("curve"))
			return e.AddPoint(i, int32(job.Integer("time")), values, curve)
		})),
	command("Envelopes", "remove-points", "Remove points of an envelope", opts{argEnvelope, argPoints}, nil, "remove-points swing 1 2",
		ofOne("envelope", byEnvelope, func(e *mapedit.Editor, job *format.Job, i int) error {
			var numbers []int
			for _, word := range job.List("point") {
				n, _ := strconv.Atoi(word)
				numbers = append(numbers, n)
			}
			return e.RemovePoints(i, numbers)
		})),
	command("Envelopes", "set-point", "Change a point of an envelope", opts{argEnvelope, argPoint},
		opts{{Name: "time", Type: format.Integer, Help: "in `milliseconds`"}, optionValues, optionCurve,
			{Name: "in", Help: "handles of the curve in front, if it is bezier: `ms,value` for each value, with spaces between"},
			{Name: "out", Help: "handles of the curve behind, if it is bezier: `ms,value` for each value, with spaces between"}},
		"set-point swing 1 --time 1800 --curve smooth",
		ofOne("envelope", byEnvelope, setPoint)),
}

func addEnvelope(_ context.Context, e *mapedit.Editor, job *format.Job) error {
	channels := map[string]twmap.Channels{"position": twmap.ChannelsPosition, "color": twmap.ChannelsColor, "sound": twmap.ChannelsSound}[job.Value("kind")]
	env := twmap.NewEnvelope(job.Value("name"), channels)
	env.Synchronized = job.On("synchronized")
	curve, _ := twmap.ParseCurve(job.Value("curve"))
	for _, word := range job.List("point") {
		ms, rest, _ := strings.Cut(word, ":")
		at, err := strconv.ParseInt(ms, 10, 32)
		values, wrong := fixedList(rest)
		if err != nil || wrong != nil || len(values) != int(channels) {
			return fmt.Errorf("--point: %q: expected a time in milliseconds, a colon, and %d values with commas between", word, channels)
		}
		p := twmap.EnvPoint{Time: int32(at), Curve: curve}
		copy(p.Values[:], values)
		env.Points = append(env.Points, p)
	}
	return e.AddEnvelope(env)
}

func setPoint(e *mapedit.Editor, job *format.Job, i int) (err error) {
	var c mapedit.PointChange
	if _, given := job.Given("time"); given {
		c.Time = new(int32(job.Integer("time")))
	}
	if word, given := job.Given("curve"); given {
		curve, _ := twmap.ParseCurve(word)
		c.Curve = &curve
	}
	if c.Values, err = fixedList(job.Value("values")); err != nil {
		return err
	}
	if c.In, err = tangents(job.Value("in")); err != nil {
		return err
	}
	if c.Out, err = tangents(job.Value("out")); err != nil {
		return err
	}
	return e.ChangePoint(i, job.Integer("point"), c)
}

// fixedList reads comma-separated values of an envelope; nil for none.
func fixedList(text string) ([]int32, error) {
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

// tangents reads the tangents of a point; nil for none.
func tangents(text string) ([]twmap.Tangent, error) {
	var list []twmap.Tangent
	for _, word := range strings.Fields(text) {
		ms, value, _ := strings.Cut(word, ",")
		dx, err := strconv.ParseInt(ms, 10, 32)
		dy, wrong := fixedList(value)
		if err != nil || wrong != nil || len(dy) != 1 {
			return nil, fmt.Errorf("%q: expected milliseconds, a comma and a value", word)
		}
		list = append(list, twmap.Tangent{DX: int32(dx), DY: dy[0]})
	}
	return list, nil
}
