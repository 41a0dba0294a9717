package mapops

import (
	"fmt"

	"trowel.example/internal/files/regular"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// maxSoundFile is the size of the largest file that is read as a sound, in bytes.
const maxSoundFile = 64 << 20

// NewSound are the arguments of add-sound.
type NewSound struct {
	Name string `option:"name"`
	File string `option:"file"`
}

// AddSound adds a sound.
func AddSound(e *Editor, o NewSound) error {
	data, err := regular.ReadFile(o.File, maxSoundFile)
	if err != nil {
		return err
	}
	return e.AddSound(o.Name, data)
}

// SoundFile are the arguments of replace-sound.
type SoundFile struct {
	SoundArg
	File string `option:"file"`
}

// ReplaceSounds gives sounds other contents.
func ReplaceSounds(e *Editor, list []int, o SoundFile) error {
	data, err := regular.ReadFile(o.File, maxSoundFile)
	if err != nil {
		return err
	}
	return e.ReplaceSounds(list, data)
}

// SourceFields are the options for the fields of sound sources.
type SourceFields struct {
	At       []float64 `option:"at"`
	Radius   *int      `option:"radius"`
	Size     []float64 `option:"size"`
	Loop     *string   `option:"loop"`
	Pan      *string   `option:"pan"`
	Delay    *int      `option:"delay"`
	Falloff  *int      `option:"falloff"`
	PosEnv   *string   `option:"position-envelope"`
	SoundEnv *string   `option:"sound-envelope"`
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
	Sources []int `option:"source"`
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
