package mapfile

import (
	"bytes"
	"context"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/mapmerge"
	"trowel.example/teeworlds/twmap"
)

// Merge merges two versions of a map.
func Merge(
	_ context.Context, job *format.Job, base, ours, theirs *format.Source, out format.Output, o merge3.Options,
) ([]check.Conflict, error) {
	sources := []*format.Source{base, ours, theirs}
	var files [3][]byte
	var maps [3]*twmap.Map
	var read [3]*datafile.File
	for i, src := range sources {
		var err error
		if files[i], err = Read(src); err != nil {
			return nil, err
		}
		if maps[i], err = Decode(job, src); err != nil {
			return nil, err
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
		return nil, write(files[1])
	}
	merged, conflicts, err := mapmerge.Merge(maps[0], maps[1], maps[2], o)
	if err != nil {
		return conflicts, err
	}
	data := files[2]
	if !bytes.Equal(files[0], files[1]) { // otherwise everything in theirs was taken
		if err = Mend(job, ours, merged, read[:]...); err == nil {
			data, err = merged.Encode()
		}
		if err != nil {
			return conflicts, err
		}
	}
	return conflicts, write(data)
}
