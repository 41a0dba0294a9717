package torchlight

import (
	"trowel.example/internal/format"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/text"
)

// nameFinder returns a function that returns the known names of a hash, and an escaped name that represents the hash if
// none is known. The file dictionary adds names, one on each line; "" adds none.
func nameFinder(dictionary string) (func(uint32) (known []string, standIn string), error) {
	more, err := modsource.ReadNames(dictionary)
	if err != nil {
		return nil, err
	}
	names := hash.Known().With(more...)
	return func(h uint32) ([]string, string) { return names.All(h), hash.Escape(h) }, nil
}

func floatStyle(job *format.Job) text.FloatStyle {
	if optionGUTS.On(job) {
		return text.GUTS
	}
	if job.Keeping {
		return text.Short
	}
	return text.Exact
}
