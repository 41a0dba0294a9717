package teeworlds

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"trowel.example/format"

	"trowel.example/teeworlds/twmap"
)

var optionDrop = format.Option{Name: "drop", Bool: true, Help: "leave out what the target cannot hold, instead of refusing"}

var mapConversions = []format.Conversion{
	{
		To: "ddnet", Title: "a clean map in the versions that DDNet writes today", Extension: ".map",
		Options: []format.Option{optionDrop},
		Convert: convertMap((*twmap.Map).Modernize, nil),
	},
	{
		To: "teeworlds-0.7", Title: "a map of Teeworlds 0.7: compressed tiles, no DDNet layers, sounds or settings", Extension: ".map",
		Options: []format.Option{optionDrop},
		Convert: convertMap((*twmap.Map).To07, crash07),
	},
	{To: "datafile-3", Title: "the same map in a datafile of version 3, not compressed", Extension: ".map", Convert: convertContainer(3)},
	{To: "datafile-4", Title: "the same map in a datafile of version 4, compressed", Extension: ".map", Convert: convertContainer(4)},
}

// crash07 returns why Teeworlds 0.7 does not bear a map that it can read, "" if it does.
func crash07(m *twmap.Map) string {
	if many := m.TooManySpawns(); many != "" {
		return "the map has " + many + ": the server of Teeworlds 0.7 crashes on more than 64 of a kind"
	}
	return ""
}

// convertMap converts a map by a function that tells what was lost. What is wrong
// with the result all the same, if that is asked, is a warning.
func convertMap(convert func(*twmap.Map) []string, wrong func(*twmap.Map) string) func(context.Context, *format.Job, *format.Source, format.Output) error {
	return func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
		var mu sync.Mutex
		var missing []string
		m, err := decodeMap(src, func(loss string) {
			mu.Lock()
			defer mu.Unlock()
			missing = append(missing, loss)
		})
		if err != nil {
			return err
		}
		lost := convert(m)
		data, err := m.Encode() // reads all that there is
		if err != nil {
			return err
		}
		switch {
		case job.On(optionDrop.Name):
			for _, loss := range missing {
				job.Miss(src.Path, "%s", loss)
			}
			for _, l := range lost {
				job.Warn(src.Path, "left out: %s", l)
			}
		case len(missing) > 0:
			return fmt.Errorf("%s: %s: --%s converts what is there", src.Path, strings.Join(missing, "; "), optionDrop.Name)
		case len(lost) > 0:
			return fmt.Errorf("%s: would lose %s: --%s does it all the same", src.Path, strings.Join(lost, ", "), optionDrop.Name)
		}
		if wrong != nil {
			if w := wrong(m); w != "" {
				job.Warn(src.Path, "%s", w)
			}
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
		data, err := m.EncodeVersion(version)
		if err != nil {
			return err
		}
		return format.Write(out, data)
	}
}
