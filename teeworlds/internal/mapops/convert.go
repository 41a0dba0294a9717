package mapops

import (
	"context"
	"fmt"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
)

// A Converter converts a map to another format, and calls lost for everything that the format has no room for.
type Converter func(e *Editor, o Across, lost func(string)) error

// ToDDNet converts a map to the versions that DDNet writes.
func ToDDNet(e *Editor, o Across, lost func(string)) error {
	if !mapedit.Is07(e.Map()) {
		return modernize(e.Map().Modernize, lost)
	}
	a := o.Of(e.Map(), e.Job.Source, mapdraw.Game07)
	a.Lost = lost
	return e.To06(a)
}

// ToTeeworlds07 converts a map to Teeworlds 0.7.
func ToTeeworlds07(e *Editor, o Across, lost func(string)) error {
	if mapedit.Is07(e.Map()) {
		return modernize(e.Map().To07, lost)
	}
	a := o.Of(e.Map(), e.Job.Source, mapdraw.Game06)
	a.Lost = lost
	return To07(e, a)
}

// modernize brings a map that is already for a game into the format that the game writes.
func modernize(convert func() []string, lost func(string)) error {
	for _, l := range convert() {
		lost(l)
	}
	return nil
}

// Convert returns a [format.Conversion.Convert] function that applies convert to a map and reports the losses.
func Convert(convert Converter) func(context.Context, *format.Job, *format.Source, format.Output) error {
	return func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
		var lost []string
		m, err := mapfile.Decode(job, src)
		if err != nil {
			return err
		}
		if err := mapfile.Mend(job, src, m, m.Source()); err != nil {
			return err
		}
		own := *job
		own.Source = src
		across := format.Values[Across](job)
		if err := convert(&Editor{mapedit.New(m, nil), &own}, across, func(part string) { lost = append(lost, part) }); err != nil {
			return fmt.Errorf("%s: %w", src.Path, Advise(err))
		}
		data, err := m.Encode()
		if err != nil {
			return err
		}
		switch {
		case across.Drop:
			for _, l := range lost {
				job.Warn(src.Path, "left out: %s", l)
			}
		case len(lost) > 0:
			return fmt.Errorf("%s: this would discard %s (allow it with --drop)", src.Path, strings.Join(lost, ", "))
		}
		return format.Write(out, data)
	}
}

// ConvertContainer returns a [format.Conversion.Convert] function that writes a map as a datafile of a version.
func ConvertContainer(version int) func(context.Context, *format.Job, *format.Source, format.Output) error {
	return func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
		m, err := mapfile.Decode(job, src)
		if err != nil {
			return err
		}
		if err := mapfile.Mend(job, src, m, m.Source()); err != nil {
			return err
		}
		data, err := m.EncodeVersion(version)
		if err != nil {
			return err
		}
		return format.Write(out, data)
	}
}
