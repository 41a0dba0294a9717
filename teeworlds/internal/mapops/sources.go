package mapops

import (
	"fmt"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// NewSound are the arguments of add-sound.
type NewSound struct {
	NewName
	Opus
}

// Opus is the argument for a sound.
type Opus struct {
	File string `arg:"file,input" help:"a sound, Opus"`
}

// AddSound adds a sound.
func AddSound(e *Editor, o NewSound) error {
	data, err := regular.ReadFile(o.File, effort.SideFile)
	if err != nil {
		return err
	}
	return e.AddSound(o.Name, data)
}

// SoundFile are the arguments of replace-sound.
type SoundFile struct {
	SoundArg
	Opus
}

// ReplaceSounds gives sounds other contents.
func ReplaceSounds(e *Editor, list []int, o SoundFile) error {
	data, err := regular.ReadFile(o.File, effort.SideFile)
	if err != nil {
		return err
	}
	return e.ReplaceSounds(list, data)
}

// SourceFields are the options for the fields of sound sources.
type SourceFields struct {
	At       []float64 `option:"at" help:"its position in pixels; a tile has 32"`
	Radius   *int      `option:"radius" help:"of a circle, in {pixels}"`
	Size     []float64 `option:"size" help:"{width,height} of a rectangle, in pixels"`
	Loop     *string   `option:"loop" choices:"true|false" help:"whether the sound repeats"`
	Pan      *string   `option:"pan" choices:"true|false" help:"whether the sound is louder on the side of its source"`
	Delay    *int      `option:"delay" help:"{seconds} before the sound begins"`
	Falloff  *int      `option:"falloff" help:"0 to 255: how far from the centre the sound has its full volume"`
	PosEnv   *string   `option:"position-envelope" names:"envelope" help:"the {envelope} that moves the source, or none"`
	SoundEnv *string   `option:"sound-envelope" names:"envelope" help:"the {envelope} that changes the volume, or none"`
}

// change returns a function that applies the options to a source.
func (o SourceFields) change(e *Editor) (func(*twmap.SoundSource) error, error) {
	var changes []func(*twmap.SoundSource)
	if o.At != nil {
		p, err := fixed("--at", o.At)
		if err != nil {
			return nil, err
		}
		changes = append(changes, func(s *twmap.SoundSource) { s.Position = p })
	}
	if o.Size != nil {
		p, err := fixed("--size", o.Size)
		if err != nil {
			return nil, err
		}
		changes = append(changes, func(s *twmap.SoundSource) { s.Shape, s.Width, s.Height = twmap.ShapeRectangle, p.X, p.Y })
	}
	if o.Radius != nil {
		changes = append(changes, func(s *twmap.SoundSource) { s.Shape, s.Height = twmap.ShapeCircle, 0 })
	}
	for _, flag := range []struct {
		value *bool
		of    func(*twmap.SoundSource) *bool
	}{
		{isTrue(o.Loop), func(s *twmap.SoundSource) *bool { return &s.Loop }},
		{isTrue(o.Pan), func(s *twmap.SoundSource) *bool { return &s.Pan }},
	} {
		if flag.value != nil {
			changes = append(changes, func(s *twmap.SoundSource) { *flag.of(s) = *flag.value })
		}
	}
	for _, number := range []struct {
		name  string
		value *int
		most  int
		of    func(*twmap.SoundSource) *int32
	}{
		{"radius", o.Radius, 1 << 20, func(s *twmap.SoundSource) *int32 { return &s.Width }},
		{"delay", o.Delay, 1 << 20, func(s *twmap.SoundSource) *int32 { return &s.Delay }},
		{"falloff", o.Falloff, 255, func(s *twmap.SoundSource) *int32 { return &s.Falloff }},
	} {
		if n := number.value; n != nil {
			if *n < 0 || *n > number.most {
				return nil, fmt.Errorf("--%s: %d: expected 0 to %d", number.name, *n, number.most)
			}
			changes = append(changes, func(s *twmap.SoundSource) { *number.of(s) = int32(*n) })
		}
	}
	for _, envelope := range []struct {
		name     string
		word     *string
		channels twmap.Channels
		of       func(*twmap.SoundSource) *int32
	}{
		{"position-envelope", o.PosEnv, twmap.ChannelsPosition, func(s *twmap.SoundSource) *int32 { return &s.PosEnv }},
		{"sound-envelope", o.SoundEnv, twmap.ChannelsSound, func(s *twmap.SoundSource) *int32 { return &s.SoundEnv }},
	} {
		if envelope.word != nil {
			i, err := findEnvelope(e, envelope.name, *envelope.word, envelope.channels)
			if err != nil {
				return nil, err
			}
			changes = append(changes, func(s *twmap.SoundSource) { *envelope.of(s) = i })
		}
	}
	return func(s *twmap.SoundSource) error {
		for _, change := range changes {
			change(s)
		}
		return nil
	}, nil
}

// NewSource are the options of add-source.
type NewSource struct {
	LayerArg
	SourceFields
}

// Describe describes the options.
func (NewSource) Describe(o *format.Option) {
	if o.Name == "at" {
		o.Default = "0,0"
	}
}

// AddSource adds a sound source to layers.
func AddSource(e *Editor, list []mapedit.LayerAt, o NewSource) error {
	change, err := o.change(e)
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

// SourceSetting are the options of set-source.
type SourceSetting struct {
	LayerArg
	Sources []int `option:"source" help:"only the source with this {number}, from 0"`
	SourceFields
}

// SetSources changes sound sources of layers.
func SetSources(e *Editor, list []mapedit.LayerAt, o SourceSetting) error {
	change, err := o.change(e)
	if err != nil {
		return err
	}
	for _, at := range list {
		if err := e.ChangeSources(at, o.Sources, change); err != nil {
			return err
		}
	}
	return nil
}
