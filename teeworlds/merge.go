package teeworlds

import (
	"bytes"
	"context"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/mapmerge"
	"trowel.example/teeworlds/twmap"
)

var mapMerging = &format.Merging{Merge: mergeMaps}

// mergeMaps merges two versions of a map.
func mergeMaps(_ context.Context, job *format.Job, base, ours, theirs *format.Source, out format.Output, told format.MergeReport) error {
	sources := []*format.Source{base, ours, theirs}
	var files [3][]byte
	var maps [3]*twmap.Map
	var read [3]*datafile.File
	for i, src := range sources {
		var err error
		if files[i], err = readDatafile(src); err != nil {
			return err
		}
		if maps[i], err = decodeMap(src, missOf(job, src)); err != nil {
			return err
		}
		read[i] = maps[i].Source()
	}
	write := func(data []byte) error {
		for _, f := range read {
			_ = f.Verify() // blocks that the merge has not read may also be damaged
		}
		if out == nil {
			return nil
		}
		return format.Write(out, data)
	}
	if bytes.Equal(files[0], files[2]) || bytes.Equal(files[1], files[2]) {
		return write(files[1])
	}
	var failed error
	keep := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	merged, err := mapmerge.Merge(maps[0], maps[1], maps[2], mapmerge.Options{
		Theirs:     job.Prefer == "theirs",
		OnConflict: func(c check.Conflict) { keep(told.Conflict(c)) },
		OnTook:     func(c check.Change) { keep(told.Took(c)) },
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if bytes.Equal(files[0], files[1]) { // everything in theirs was taken
		return write(files[2])
	}
	data, err := merged.Encode()
	if err != nil {
		return err
	}
	return write(data)
}
