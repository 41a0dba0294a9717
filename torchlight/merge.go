package torchlight

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/modmerge"
	"trowel.example/torchlight/modedit"
)

var (
	archiveMerging = &format.Merging{Merge: mergeArchives, Many: modPacking, Options: slices.Concat([]format.Option{optionMergeBase}, packOptions)}
	singleMerging  = &format.Merging{Merge: mergeSingles}
)

var optionMergeBase = format.Option{Name: optionBase.Name, Input: true, Help: optionBase.Help}

var modPacking = &format.MergingMany{Flag: "mods", Help: "make one mod of all that are given, in rising priority; --prefer is last (default), first, or the name of a mod", Merge: packMods}

var (
	optionPackTitle    = format.Option{Name: "title", Help: "what the pack is called, with --mods"}
	optionPackID       = format.Option{Name: "id", Help: "the `number` by which the game knows the pack, with --mods; everybody who plays together needs the same (default a new one)"}
	optionPackVersion  = format.Option{Name: "version", Help: "the `version` of the pack, with --mods, from 1 to 65535"}
	optionPackUnion    = format.Option{Name: "union", Bool: true, Help: "with --mods: keep what only one mod has of a file that is not in --base"}
	optionPackNewGUIDs = format.Option{Name: "new-guids", Bool: true, Help: "with --mods: give units, skills and room pieces new numbers where another mod has theirs"}
	optionPackVersions = format.Option{Name: "several-versions", Bool: true, Help: "with --mods: take several versions of one mod"}

	packOptions = []format.Option{optionPackTitle, optionPackID, optionPackVersion, optionPackUnion, optionPackNewGUIDs, optionPackVersions}
)

// packMods merges many mods into one.
func packMods(_ context.Context, job *format.Job, files []*format.Source, out format.Output, told format.MergeReport) error {
	var failed error
	eo, closer, lost, err := editorOptions(job, told.Took)
	if err != nil {
		return err
	}
	defer closer.Close()
	o := modmerge.PackOptions{
		Options: reports(job, told, &failed), Base: eo.Base, Prefer: job.Prefer, Title: optionPackTitle.Value(job),
		Union: optionPackUnion.On(job), NewGUIDs: optionPackNewGUIDs.On(job), Versions: optionPackVersions.On(job),
	}
	o.Names = eo.Names
	if s := optionPackID.Value(job); s != "" {
		if o.ID, err = strconv.ParseInt(s, 10, 64); err != nil {
			return fmt.Errorf("--%s: expected a number, not %q", optionPackID.Name, s)
		}
	}
	if s := optionPackVersion.Value(job); s != "" {
		v, err := strconv.ParseUint(s, 10, 16)
		if err != nil || v == 0 {
			return fmt.Errorf("--%s: expected a version from 1 to 65535, not %q", optionPackVersion.Name, s)
		}
		o.Version = uint16(v)
	}
	var mods []modmerge.Input
	for _, src := range files {
		e, err := openWhole(job, src, eo)
		if err != nil {
			return err
		}
		defer e.close()
		mods = append(mods, modmerge.Input{Name: src.Name, Editor: e.Editor})
	}
	made, err := modmerge.Pack(mods, o)
	if err = cmp.Or(err, failed, *lost); err != nil || out == nil {
		return err
	}
	part, err := out.Create("")
	if err != nil {
		return err
	}
	return made.WriteMod(part)
}

// openWhole opens a mod or an archive; it rejects those that are cut off.
func openWhole(job *format.Job, src *format.Source, o modedit.Options) (*opened, error) {
	if _, isList := format.CutExtension(src.Name, ".MAN"); isList {
		return nil, fmt.Errorf("%s: give the .PAK, not the list of what is in it", src.Path)
	}
	o.Miss = func(path, message string) { job.Lose(src.Path, "%s: %s", path, message) }
	e, err := openEditor(job, src, o)
	if err == nil && e.from.Salvaged() {
		err = errors.Join(cutOff(src), e.close())
	}
	return e, err
}

// reports returns merge options that pass conflicts on. An error from a report does not stop the merge: it is stored in
// failed.
func reports(job *format.Job, told format.MergeReport, failed *error) modmerge.Options {
	keep := func(err error) {
		if *failed == nil {
			*failed = err
		}
	}
	return modmerge.Options{
		Theirs:     job.Prefer == "theirs",
		OnConflict: func(c check.Conflict) { keep(told.Conflict(c)) },
		OnTook:     func(c check.Change) { keep(told.Took(c)) },
		OnWarn:     func(path, message string) { job.Warn(path, "%s", message) },
	}
}

// mergeSingles merges three versions of a single file of a mod.
func mergeSingles(_ context.Context, job *format.Job, base, ours, theirs *format.Source, out format.Output, told format.MergeReport) error {
	var files [3][]byte
	for i, src := range []*format.Source{base, ours, theirs} {
		var err error
		if files[i], err = src.ReadUpTo(maxCompiled); err != nil {
			return err
		}
		if _, err := modedit.TreeOf(gamePath(src), files[i], modedit.Options{}); err != nil {
			return fault.InFile(err, src.Path)
		}
	}
	mo, err := modOptions(job)
	if err != nil {
		return err
	}
	var failed error
	o := reports(job, told, &failed)
	o.Names = mo.Names
	data, _, err := modmerge.File(gamePath(ours), files[0], files[1], files[2], o)
	if err = errors.Join(err, failed); err != nil || out == nil {
		return err
	}
	return format.Write(out, data)
}

// mergeArchives merges three versions of a mod or of an archive.
func mergeArchives(_ context.Context, job *format.Job, base, ours, theirs *format.Source, out format.Output, told format.MergeReport) error {
	for _, option := range packOptions {
		if v := option.Value(job); v != "" && v != "false" {
			return fmt.Errorf("--%s goes with --%s", option.Name, modPacking.Flag)
		}
	}
	var failed error
	o := reports(job, told, &failed)
	eo, closer, _, err := editorOptions(job, func(check.Change) error { return nil })
	if err != nil {
		return err
	}
	defer closer.Close()
	o.Names = eo.Names
	var open []*opened
	for _, src := range []*format.Source{base, ours, theirs} {
		e, err := openWhole(job, src, eo)
		if err != nil {
			return err
		}
		defer e.close()
		open = append(open, e)
	}
	err = modmerge.Merge(open[0].Editor, open[1].Editor, open[2].Editor, o)
	if err = errors.Join(err, failed); err != nil || out == nil {
		return fault.InFile(err, ours.Path)
	}
	// If one side changed nothing, the result is byte-identical to the other, with all its invisible details.
	switch same, err := sameArchive(base, ours, theirs); {
	case err != nil:
		return err
	case same != nil:
		return copyArchive(same, out)
	}
	return open[1].write(out)
}

// sameArchive returns the source that is already the merged result, because two versions are identical. It returns nil
// if all versions differ.
func sameArchive(base, ours, theirs *format.Source) (*format.Source, error) {
	for _, pair := range [][3]*format.Source{{base, theirs, ours}, {ours, theirs, ours}, {base, ours, theirs}} {
		if same, err := sameSources(pair[0], pair[1]); err != nil || same {
			return pair[2], err
		}
	}
	return nil, nil
}

// sameSources reports whether two archives and their manifests are identical.
func sameSources(a, b *format.Source) (bool, error) {
	if isMod(a) != isMod(b) {
		return false, nil
	}
	same, err := sameBytes(a, b)
	if err != nil || !same || isMod(a) {
		return same, err
	}
	x, err := a.Neighbor(".MAN")
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := b.Neighbor(".MAN")
	if err != nil {
		return false, err
	}
	defer y.Close()
	return sameBytes(x, y)
}

func sameBytes(a, b *format.Source) (bool, error) {
	if a.Size != b.Size {
		return false, nil
	}
	x, y := make([]byte, 1<<18), make([]byte, 1<<18)
	for at := int64(0); at < a.Size; {
		n := int(min(int64(len(x)), a.Size-at))
		if _, err := a.ReadAt(x[:n], at); err != nil && err != io.EOF {
			return false, err
		}
		if _, err := b.ReadAt(y[:n], at); err != nil && err != io.EOF {
			return false, err
		}
		if !bytes.Equal(x[:n], y[:n]) {
			return false, nil
		}
		at += int64(n)
	}
	return true, nil
}

// copyArchive copies a mod, or an archive with its manifest, unchanged.
func copyArchive(src *format.Source, out format.Output) error {
	part, err := out.Create("")
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, io.NewSectionReader(src, 0, src.Size)); err != nil || isMod(src) {
		return err
	}
	list, err := src.Neighbor(".MAN")
	if err != nil {
		return err
	}
	defer list.Close()
	if part, err = out.Create(".MAN"); err == nil {
		_, err = io.Copy(part, io.NewSectionReader(list, 0, list.Size))
	}
	return err
}
