//go:build !js

package torchlight

import (
	"context"

	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/internal/modsource"
)

type openFunc = func(context.Context, *format.Job, *format.Source) (format.File, error)

// archiveCensus is the census of mods and archives. The .PAK.MAN yields no rows, because a file name pattern usually
// matches both files and would count them twice.
func archiveCensus(open openFunc) *format.Census {
	rows := format.FindingRows(open, archiveRows, modinfo.Findings)
	return &format.Census{Tables: modinfo.ModTables, Views: modinfo.Views, Rows: func(ctx context.Context, job *format.Job,
		src *format.Source, row format.RowFunc) error {
		if modsource.CheckPak(src) == nil {
			return rows(ctx, job, src, row)
		}
		f, err := open(ctx, new(format.Job), src)
		if err != nil {
			return err
		}
		return f.Close()
	}}
}

// singleCensus is the census of single files.
func singleCensus(open openFunc) *format.Census {
	return &format.Census{Tables: modinfo.FileTables, Rows: format.FindingRows(open, singleRows, modinfo.Findings)}
}

func archiveRows(ctx context.Context, job *format.Job, src *format.Source, file format.File, row format.RowFunc) error {
	a := file.(*archive)
	return modinfo.Rows(ctx, job, src, a.reader, a.mod, a.options.Names, row)
}

func singleRows(ctx context.Context, job *format.Job, src *format.Source, _ format.File, row format.RowFunc) error {
	o, err := modOptions(job)
	if err != nil {
		return err
	}
	return modinfo.FileRows(ctx, job, src, o.Names, row)
}
