package teeworlds

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/mapedit"
)

// mapCommand is an edit operation for maps, with the function that performs it.
type mapCommand struct {
	format.Command
	do func(ctx context.Context, e *mapedit.Editor, job *format.Job) error
}

// mapCommands holds all edit operations for maps, in the order of the help.
var mapCommands = slices.Concat(
	infoCommands,
	versionCommands,
	areaCommands,
	tileCommands,
	layerCommands,
	imageCommands,
	soundCommands,
	envelopeCommands,
	automapCommands,
	artCommands,
	quadCommands,
	settingCommands,
	applyCommands,
)

var mapEditing = &format.Editing{
	Commands: format.Declared(mapCommands, func(c *mapCommand) *format.Command { return &c.Command }),
	Edit:     editMap,
}

// editMap applies the steps to a map and writes it.
func editMap(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, out format.Output, report func(check.Change) error) error {
	m, err := decodeMap(src, missOf(job, src))
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
		i := slices.IndexFunc(mapCommands, func(c mapCommand) bool { return c.Name == step.Name })
		its := *step.Job
		its.Source = src
		if err := lacks.Add(step, its.Lack(mapCommands[i].do(ctx, e, &its))); err != nil {
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
	_ = read.Verify()       // blocks that no step has read may also be damaged
	data, err := m.Encode() // also reports what the file format has no room for
	if err != nil || out == nil {
		return err
	}
	return format.Write(out, data)
}

const layerHelp = "a path such as Tree/Leaves, with * and ?; a kind: tiles, quads, sounds, physics, game, front and so on; numbers such as 3/1; several with commas, and - before those to leave out"

// optionLayers selects layers, and optionNot all other layers; all commands with --layer have both.
var (
	optionLayers = format.Option{Name: "layer", Names: kindLayer, List: true, Help: "only in this `layer`: " + layerHelp}
	optionNot    = format.Option{Name: "not", Bool: true, Help: "in all layers but those that --layer names"}
)

// layersOf returns the layers that the option selects, or all if it is not given.
func layersOf(e *mapedit.Editor, job *format.Job) ([]mapedit.LayerAt, error) {
	list, err := e.Layers(job.List(optionLayers.Name)...)
	if err == nil && job.On(optionNot.Name) {
		if len(job.List(optionLayers.Name)) == 0 {
			return nil, errNot
		}
		list = e.OtherLayers(list)
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

var errNot = fmt.Errorf("--%s: expected --%s, too: it names the layers that are left out", optionNot.Name, optionLayers.Name)

// layerOf returns the single layer that the option selects.
func layerOf(e *mapedit.Editor, job *format.Job) (at mapedit.LayerAt, err error) {
	list, err := layersOf(e, job)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%q names %s: expected one", job.Value(optionLayers.Name), words.Count(len(list), "layer"))
	}
	if err != nil {
		return at, err
	}
	return list[0], nil
}

var infoCommands = []mapCommand{{
	Command: format.Command{Name: "info", Title: "Set what the map says about itself", Heading: "Map",
		Options: []format.Option{
			{Name: "author", Help: "up to 31 `bytes`; an empty one takes it away"},
			{Name: "version", Help: "of the map, up to 15 `bytes`"},
			{Name: "credits", Help: "up to 127 `bytes`"},
			{Name: "license", Help: "up to 31 `bytes`"},
		},
		Example: "info --author 'Ann and Bob' --license CC0"},
	do: func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
		for _, field := range []mapedit.InfoField{mapedit.Author, mapedit.Version, mapedit.Credits, mapedit.License} {
			if text, given := job.Given(string(field)); given {
				if err := e.SetInfo(field, text); err != nil {
					return err
				}
			}
		}
		return nil
	},
}}
