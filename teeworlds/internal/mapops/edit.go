package mapops

import (
	"cmp"
	"context"
	"fmt"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/mapedit"
)

// Do is [format.Command.Do] of operations.
type Do func(ctx context.Context, e *Editor) error

// Names of operations that the declaration refers to.
const (
	DrawName     = "draw-tiles"
	MoveName     = "move-quads"
	ColorName    = "color-quads"
	SettingsName = "replace-settings"
)

// Editing returns the declaration of operations.
func Editing(operations []*format.Command) *format.Editing {
	return &format.Editing{
		Draw: DrawName, Ready: "optimize",
		Move: MoveName,
		Tint: ColorName,
		Texts: []format.EditableText{
			{Path: "settings.cfg", Title: "Settings", Command: SettingsName, Options: []string{"--new-name"}},
		},
		Commands: operations,
		Edit:     edit,
	}
}

// edit applies the steps to a map and writes it.
func edit(
	ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, out format.Output,
	report func(check.Change) error,
) error {
	m, err := mapfile.Decode(job, src)
	if err != nil {
		return err
	}
	read := m.Source()
	var failed error
	var lacks format.Lacks
	fit := len(m.Misfits()) == 0
	e := mapedit.New(m, func(c check.Change) {
		if failed == nil && lacks.Err == nil {
			failed = report(c)
		}
	})
	for _, step := range steps {
		own := *step.Job
		own.Source = src
		if err := lacks.Add(step, own.Lack(step.Do.(Do)(ctx, &Editor{e, &own}))); err != nil {
			return fmt.Errorf("%s: %w", src.Path, err)
		}
		if failed != nil || ctx.Err() != nil {
			return cmp.Or(failed, ctx.Err())
		}
	}
	if lacks.Err != nil {
		return fmt.Errorf("%s: %w", src.Path, lacks.Err)
	}
	if fit {
		e.Fit()
	}
	if err := mapfile.Mend(job, src, m, read); err != nil {
		return err
	}
	encode := m.Encode
	if job.Temporary {
		encode = m.EncodeDraft
	}
	data, err := encode() // also reports what the file format has no room for
	if err != nil || out == nil {
		return err
	}
	return format.Write(out, data)
}
