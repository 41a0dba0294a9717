//go:build !js

package torchlight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/internal/modmerge"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/modedit"
)

var (
	archiveMerging = &format.Merging{Merge: mergeArchives, Many: modPacking,
		Options: slices.Concat([]format.Option{optionMergeBase}, packOptions)}
	singleMerging = &format.Merging{Merge: mergeSingles}
)

var optionMergeBase = format.Option{Name: optionBase.Name, Access: format.Access{Input: true}, Help: optionBase.Help}

var modPacking = &format.MergingMany{Flag: "mods",
	Help: "merge all given mods into one, in order of increasing priority; --prefer is last (default), first, or the " +
		"name of a mod", Merge: packMods}

var (
	optionPackTitle = format.Option{Name: "title", Help: "the name of the pack, with --mods"}
	optionPackID    = format.Option{Name: "id",
		Help: "the `number` that identifies the pack in the game, with --mods; all players of a group need the same " +
			"number (default: a new number)"}
	optionPackVersion = format.Option{Name: "version", Help: "the `version` of the pack, with --mods, from 1 to 65535"}
	optionPackUnion   = format.Option{Name: "union", Type: format.Bool,
		Help: "with --mods: keep the parts that only one mod has of a file that is not in --base"}
	optionPackNewGUIDs = format.Option{Name: "new-guids", Type: format.Bool,
		Help: "with --mods: give units, skills and room pieces new GUIDs where another mod has the same GUID"}
	optionPackVersions = format.Option{Name: "several-versions", Type: format.Bool, Help: "with --mods: accept several versions of one mod"}

	packOptions = []format.Option{optionPackTitle, optionPackID, optionPackVersion, optionPackUnion, optionPackNewGUIDs, optionPackVersions}
)

// packMods merges many mods into one.
func packMods(ctx context.Context, job *format.Job, files []*format.Source, out format.Output, winner string,
	report format.MergeReport) ([]check.Conflict, error) {
	eo, closer, lost, err := editorOptions(job, report.Took)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	o := modmerge.PackOptions{
		Options: mergeOptions(job, merge3.Options{OnTook: report.Took}), Base: eo.Base, Winner: winner, Title: optionPackTitle.Value(job),
		Union: optionPackUnion.On(job), NewGUIDs: optionPackNewGUIDs.On(job), Versions: optionPackVersions.On(job),
	}
	o.OnFile = func(path string, uses []modmerge.Use) {
		f := format.MergedFile{Path: path}
		for _, u := range uses {
			f.Uses = append(f.Uses, format.MergedUse{File: u.Mod, Use: u.Use})
		}
		report.File(f)
	}
	o.Names = eo.Names
	if s := optionPackID.Value(job); s != "" {
		if o.ID, err = strconv.ParseInt(s, 10, 64); err != nil {
			return nil, fmt.Errorf("--%s: expected a number, not %q", optionPackID.Name, s)
		}
	}
	if s := optionPackVersion.Value(job); s != "" {
		v, err := strconv.ParseUint(s, 10, 16)
		if err != nil || v == 0 {
			return nil, fmt.Errorf("--%s: expected a version from 1 to 65535, not %q", optionPackVersion.Name, s)
		}
		o.Version = uint16(v)
	}
	var mods []modmerge.Input
	for _, src := range files {
		e, err := openWhole(job, src, eo)
		if err != nil {
			return nil, err
		}
		defer e.close()
		mods = append(mods, modmerge.Input{Name: src.Name, Editor: e.Editor})
	}
	made, conflicts, err := modmerge.Pack(mods, o)
	if err = cmp.Or(err, *lost); err != nil || out == nil {
		return conflicts, err
	}
	part, err := out.Create("")
	if err != nil {
		return conflicts, err
	}
	return conflicts, made.WriteMod(ctx, part)
}

// openWhole opens a mod or an archive; it rejects those that are cut off.
func openWhole(job *format.Job, src *format.Source, o modedit.Options) (*opened, error) {
	if err := modsource.CheckPak(src); err != nil {
		return nil, err
	}
	o.Miss = func(path, message string) { job.Lose(src.Path, "%s: %s", path, message) }
	e, err := openEditor(job, src, o)
	if err == nil && e.from.Salvaged() {
		err = errors.Join(modsource.CutOff(src), e.close())
	}
	return e, err
}

func mergeOptions(job *format.Job, o merge3.Options) modmerge.Options {
	return modmerge.Options{Options: o, OnWarn: func(path, message string) { job.Warn(path, "%s", message) }}
}

// mergeSingles merges three versions of a single file of a mod.
func mergeSingles(_ context.Context, job *format.Job, base, ours, theirs *format.Source, out format.Output,
	options merge3.Options) ([]check.Conflict, error) {
	var files [3][]byte
	for i, src := range []*format.Source{base, ours, theirs} {
		var err error
		if files[i], err = src.ReadUpTo(effort.TextFile); err != nil {
			return nil, err
		}
		if _, err := modedit.TreeOf(modsource.GamePath(src), files[i], modedit.Options{}); err != nil {
			return nil, fault.InFile(err, src.Path)
		}
	}
	mo, err := modOptions(job)
	if err != nil {
		return nil, err
	}
	o := mergeOptions(job, options)
	o.Names = mo.Names
	data, conflicts, err := modmerge.File(modsource.GamePath(ours), files[0], files[1], files[2], o)
	if err != nil || out == nil {
		return conflicts, err
	}
	return conflicts, format.Write(out, data)
}

// mergeArchives merges three versions of a mod or of an archive.
func mergeArchives(ctx context.Context, job *format.Job, base, ours, theirs *format.Source, out format.Output,
	options merge3.Options) ([]check.Conflict, error) {
	for _, option := range packOptions {
		if v := option.Value(job); v != "" && v != "false" {
			return nil, fmt.Errorf("--%s needs --%s", option.Name, modPacking.Flag)
		}
	}
	o := mergeOptions(job, options)
	eo, closer, _, err := editorOptions(job, func(check.Change) error { return nil })
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	o.Names = eo.Names
	var open []*opened
	for _, src := range []*format.Source{base, ours, theirs} {
		e, err := openWhole(job, src, eo)
		if err != nil {
			return nil, err
		}
		defer e.close()
		open = append(open, e)
	}
	_, conflicts, err := modmerge.Merge(open[0].Editor, open[1].Editor, open[2].Editor, o)
	if err != nil || out == nil {
		return conflicts, fault.InFile(err, ours.Path)
	}
	// If one side changed nothing, the result is byte-identical to the other, with all its invisible details.
	switch same, err := modsource.SameArchive(base, ours, theirs); {
	case err != nil:
		return conflicts, err
	case same != nil:
		return conflicts, modsource.CopyArchive(same, out)
	}
	return conflicts, open[1].write(ctx, out)
}
