package teeworlds

import (
	"context"
	"fmt"
	"strings"
	"trowel.example/internal/format"

	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
)

var optionDrop = format.Option{Name: "drop", Bool: true, Help: "leave out what the target cannot hold, instead of refusing"}

var mapConversions = []format.Conversion{
	{
		To: "ddnet", Title: "a clean map in the versions that DDNet writes today, with the tiles that look the same", Extension: ".map",
		Options: pasteOptions,
		Convert: convertMap(func(e *mapedit.Editor, job *format.Job, lost func(string)) error {
			if !mapedit.Is07(e.Map()) {
				return form(e.Map().Modernize, lost)
			}
			a := acrossOf(e.Map(), job, job.Source, mapdraw.Game07)
			a.Lost = lost
			return e.To06(a)
		}),
	},
	{
		To: "teeworlds-0.7", Title: "a map of Teeworlds 0.7: compressed tiles that look the same with its pictures, no DDNet layers, sounds or settings", Extension: ".map",
		Options: pasteOptions,
		Convert: convertMap(func(e *mapedit.Editor, job *format.Job, lost func(string)) error {
			if mapedit.Is07(e.Map()) {
				return form(e.Map().To07, lost)
			}
			a := acrossOf(e.Map(), job, job.Source, mapdraw.Game06)
			a.Lost = lost
			return to07(e, job, a)
		}),
	},
	{To: "datafile-3", Title: "the same map in a datafile of version 3, not compressed", Extension: ".map", Convert: convertContainer(3)},
	{To: "datafile-4", Title: "the same map in a datafile of version 4, compressed", Extension: ".map", Convert: convertContainer(4)},
}

// form brings a map that is already for a game into the format that the game writes.
func form(convert func() []string, lost func(string)) error {
	for _, l := range convert() {
		lost(l)
	}
	return nil
}

// convertMap returns a converter that applies convert to a map and reports what was lost.
func convertMap(convert func(e *mapedit.Editor, job *format.Job, lost func(string)) error) func(context.Context, *format.Job, *format.Source, format.Output) error {
	return func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
		var lost []string
		m, err := decodeMap(src, missOf(job, src))
		if err != nil {
			return err
		}
		read := m.Source()
		its := *job
		its.Source = src
		if err := convert(mapedit.New(m, nil), &its, func(what string) { lost = append(lost, what) }); err != nil {
			return fmt.Errorf("%s: %w", src.Path, advised(err))
		}
		_ = read.Verify()
		data, err := m.Encode()
		if err != nil {
			return err
		}
		switch {
		case job.On(optionDrop.Name):
			for _, l := range lost {
				job.Warn(src.Path, "left out: %s", l)
			}
		case len(lost) > 0:
			return fmt.Errorf("%s: would lose %s: --%s does it all the same", src.Path, strings.Join(lost, ", "), optionDrop.Name)
		}
		return format.Write(out, data)
	}
}

func convertContainer(version int) func(context.Context, *format.Job, *format.Source, format.Output) error {
	return func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
		m, err := decodeMap(src, missOf(job, src))
		if err != nil {
			return err
		}
		_ = m.Source().Verify() // otherwise unchanged blocks are not read
		data, err := m.EncodeVersion(version)
		if err != nil {
			return err
		}
		return format.Write(out, data)
	}
}
