package teeworlds

import (
	"context"
	"fmt"
	"strconv"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

var yesNo = []string{"true", "false"}

// sourceOptions are the fields of a sound source, except its position.
var sourceOptions = opts{
	{Name: "radius", Type: format.Integer, Help: "of a circle, in `pixels`"},
	{Name: "size", Type: format.Place, Help: "`width,height` of a rectangle, in pixels"},
	{Name: "loop", Choices: yesNo, Help: "whether it plays over and over"},
	{Name: "pan", Choices: yesNo, Help: "whether it is louder on the side that it is on"},
	{Name: "delay", Type: format.Integer, Help: "`seconds` before it plays"},
	{Name: "falloff", Type: format.Integer, Help: "0 to 255: how far from the middle it has its full volume"},
	{Name: "position-envelope", Names: kindEnvelope, Help: "the `envelope` that moves it, or none"},
	{Name: "sound-envelope", Names: kindEnvelope, Help: "the `envelope` that makes it louder and softer, or none"},
}

// changeSource returns a function that applies the options of a job to a source.
func changeSource(e *mapedit.Editor, job *format.Job) (func(*twmap.SoundSource) error, error) {
	var do []func(*twmap.SoundSource)
	number := func(name string, least, most int, to func(*twmap.SoundSource) *int32) error {
		if _, given := job.Given(name); !given {
			return nil
		}
		n := job.Integer(name)
		if n < least || n > most {
			return fmt.Errorf("--%s: %d: expected %d to %d", name, n, least, most)
		}
		do = append(do, func(s *twmap.SoundSource) { *to(s) = int32(n) })
		return nil
	}
	yes := func(name string, to func(*twmap.SoundSource) *bool) {
		if value, given := job.Given(name); given {
			do = append(do, func(s *twmap.SoundSource) { *to(s) = value == "true" })
		}
	}
	envelope := func(name string, channels twmap.Channels, to func(*twmap.SoundSource) *int32) error {
		i, given, err := envelopeOption(e, job, name, channels)
		if given {
			do = append(do, func(s *twmap.SoundSource) { *to(s) = int32(i) })
		}
		return err
	}
	if _, given := job.Given("at"); given {
		p, err := fixed(job, "at")
		if err != nil {
			return nil, err
		}
		do = append(do, func(s *twmap.SoundSource) { s.Position = p })
	}
	if _, given := job.Given("size"); given {
		p, err := fixed(job, "size")
		if err != nil {
			return nil, err
		}
		do = append(do, func(s *twmap.SoundSource) { s.Shape, s.Width, s.Height = twmap.ShapeRectangle, p.X, p.Y })
	}
	if _, given := job.Given("radius"); given {
		do = append(do, func(s *twmap.SoundSource) { s.Shape, s.Height = twmap.ShapeCircle, 0 })
	}
	yes("loop", func(s *twmap.SoundSource) *bool { return &s.Loop })
	yes("pan", func(s *twmap.SoundSource) *bool { return &s.Pan })
	for _, err := range []error{
		number("radius", 0, 1<<20, func(s *twmap.SoundSource) *int32 { return &s.Width }),
		number("delay", 0, 1<<20, func(s *twmap.SoundSource) *int32 { return &s.Delay }),
		number("falloff", 0, 255, func(s *twmap.SoundSource) *int32 { return &s.Falloff }),
		envelope("position-envelope", twmap.ChannelsPosition, func(s *twmap.SoundSource) *int32 { return &s.PosEnv }),
		envelope("sound-envelope", twmap.ChannelsSound, func(s *twmap.SoundSource) *int32 { return &s.SoundEnv }),
	} {
		if err != nil {
			return nil, err
		}
	}
	return func(s *twmap.SoundSource) error {
		for _, f := range do {
			f(s)
		}
		return nil
	}, nil
}

// fixed returns the value of an option, in pixels, as a point of the map.
func fixed(job *format.Job, name string) (twmap.Point, error) {
	at := job.Place(name)
	if len(at) != 2 || max(at[0], at[1]) >= 1<<21 || min(at[0], at[1]) <= -1<<21 {
		return twmap.Point{}, fmt.Errorf("--%s: %s: expected two numbers of pixels, less than %d", name, job.Value(name), 1<<21)
	}
	return twmap.Point{X: int32(at[0] * 1024), Y: int32(at[1] * 1024)}, nil
}

func addSource(_ context.Context, e *mapedit.Editor, job *format.Job) error {
	list, err := layersOf(e, job)
	if err != nil {
		return err
	}
	change, err := changeSource(e, job)
	if err != nil {
		return err
	}
	source := twmap.NewSoundSource(0, 0, 1500) // the size of new sources in the editor
	if err := change(&source); err != nil {
		return err
	}
	for _, at := range list {
		if err := e.AddSource(at, source); err != nil {
			return err
		}
	}
	return nil
}

func setSource(_ context.Context, e *mapedit.Editor, job *format.Job) error {
	list, err := layersOf(e, job)
	if err != nil {
		return err
	}
	change, err := changeSource(e, job)
	if err != nil {
		return err
	}
	var numbers []int
	for _, word := range job.List("source") {
		n, _ := strconv.Atoi(word)
		numbers = append(numbers, n)
	}
	for _, at := range list {
		if err := e.ChangeSources(at, numbers, change); err != nil {
			return err
		}
	}
	return nil
}
