package torchlight

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/pak"
)

// doOperation is [format.Command.Do] of operations.
type doOperation func(e *modedit.Editor, job *format.Job) error

// operation returns an operation whose arguments and options are the fields of T.
func operation[T any](c format.Command, do func(e *modedit.Editor, job *format.Job, o T) error) *format.Command {
	return format.Declare[T](c, doOperation(func(e *modedit.Editor, job *format.Job) error { return do(e, job, format.Values[T](job)) }))
}

// The operations on single files, and all operations on mods, in the order of the help.
var (
	singleCommands = slices.Concat(keyCommands, nodeCommands, exchangeCommands[:1], repairCommands)
	modCommands    = slices.Concat(keyCommands, nodeCommands, fileCommands, cloneCommands, newCommands, applyCommands, exchangeCommands,
		repairCommands)
)

var (
	modEditing = &format.Editing{Commands: modCommands, Edit: editArchive, Tree: editFolder,
		Options: []format.Option{optionEditBase}}
	singleEditing = &format.Editing{Commands: singleCommands, Edit: editSingle}
)

var optionEditBase = format.Option{Name: optionBase.Name, Access: format.Access{Input: true}, Help: optionBase.Help}

// editorOptions returns the options that the user gave. An error from report does not stop the edit: it is stored in
// failed.
func editorOptions(job *format.Job, report func(check.Change) error) (o modedit.Options, closer io.Closer, failed *error, err error) {
	mo, err := modOptions(job)
	if err != nil {
		return o, nil, nil, err
	}
	base, closer, err := modsource.OpenBase(job, optionBase.Value(job), mo)
	if err != nil {
		return o, nil, nil, err
	}
	failed = new(error)
	return modedit.Options{
		Names: cmp.Or(mo.Names, hash.Known()), Base: base,
		Report: func(c check.Change) {
			if *failed == nil {
				*failed = report(c)
			}
		},
		Miss: func(path, message string) { job.Lose(path, "%s", message) },
		Warn: func(path, message string) { job.Warn(path, "%s", message) },
	}, closer, failed, nil
}

// run applies the steps to an editor. If steps is nil, it repairs instead.
func run(ctx context.Context, e *modedit.Editor, steps []format.Step, failed *error) error {
	if steps == nil {
		e.RepairTexts()
		if _, err := e.RepairTags(); err != nil {
			return err
		}
		e.RepairRemoved()
		return cmp.Or(e.UpdateTables(), e.Seal(), *failed)
	}
	var lacks format.Lacks
	for _, step := range steps {
		if err := lacks.Add(step, step.Job.Lack(step.Do.(doOperation)(e, step.Job))); err != nil {
			return err
		}
		if *failed != nil || ctx.Err() != nil {
			return cmp.Or(*failed, ctx.Err())
		}
	}
	if lacks.Err != nil {
		return lacks.Err
	}
	return cmp.Or(e.UpdateTables(), *failed)
}

// opened is a mod or an archive that is open for editing.
type opened struct {
	*modedit.Editor
	from  *pak.Reader
	title string
	write func(ctx context.Context, out format.Output) error
	close func() error
}

func openEditor(job *format.Job, src *format.Source, o modedit.Options) (*opened, error) {
	if modsource.IsMod(src) {
		m, err := modsource.OpenMod(job, src)
		if err != nil {
			return nil, err
		}
		e := &opened{Editor: modedit.OfMod(m, o), from: m.Archive, title: m.Header.Title, close: func() error { return nil }}
		e.write = e.writeMod
		return e, nil
	}
	r, other, err := modsource.OpenPak(job, src)
	if err != nil {
		return nil, err
	}
	e := &opened{Editor: modedit.OfPak(r, o), from: r, close: other.Close}
	e.write = e.writePak
	return e, nil
}

// editArchive edits a mod or an archive.
func editArchive(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, out format.Output,
	report func(check.Change) error) error {
	if err := modsource.CheckPak(src); err != nil {
		return err
	}
	o, closer, failed, err := editorOptions(job, report)
	if err != nil {
		return err
	}
	defer closer.Close()
	o.Histogram = out == nil || job.Temporary
	e, err := openEditor(job, src, o)
	if err != nil {
		return err
	}
	defer e.close()
	if err := run(ctx, e.Editor, steps, failed); err != nil {
		return fault.InFile(err, src.Path)
	}
	if modsource.LoseDamaged(job, src, e.from); out == nil {
		return nil
	}
	return e.write(ctx, out)
}

func (e *opened) writeMod(ctx context.Context, out format.Output) error {
	part, err := out.Create("")
	if err == nil {
		err = e.WriteMod(ctx, part)
	}
	return err
}

func (e *opened) writePak(ctx context.Context, out format.Output) error {
	part, err := out.Create("")
	if err != nil {
		return err
	}
	manifest, err := out.Create(".MAN")
	if err != nil {
		return err
	}
	return e.WritePak(ctx, part, manifest)
}

// editFolder edits the folder of a mod or archive.
func editFolder(ctx context.Context, job *format.Job, fsys fs.FS, steps []format.Step, out format.Output,
	report func(check.Change) error) error {
	o, closer, failed, err := editorOptions(job, report)
	if err != nil {
		return err
	}
	defer closer.Close()
	o.Histogram = out == nil || job.Temporary
	e, err := modedit.OfFolder(fsys, o)
	if err != nil {
		return err
	}
	if err := run(ctx, e, steps, failed); err != nil || out == nil {
		return err
	}
	return writeEdited(job, e, out)
}

// writeEdited writes the folder of an editor.
func writeEdited(job *format.Job, e *modedit.Editor, out format.Output) error {
	dir, err := out.Dir()
	if err != nil {
		return err
	}
	return e.WriteFolder(func(at string, content io.Reader, changed time.Time) error {
		if job.OnlyChanged && !changed.IsZero() {
			return nil
		}
		name := filepath.Join(dir, filepath.FromSlash(at))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		_, err = io.Copy(file, content)
		if err == nil && !changed.IsZero() {
			err = wholefile.SetTime(file, changed)
		}
		return errors.Join(err, file.Close())
	})
}

// editSingle edits a single data file or layout, compiled or as text.
func editSingle(ctx context.Context, job *format.Job, src *format.Source, steps []format.Step, out format.Output,
	report func(check.Change) error) error {
	o, closer, failed, err := editorOptions(job, report)
	if err != nil {
		return err
	}
	defer closer.Close()
	o.Histogram = out == nil || job.Temporary
	data, err := src.ReadUpTo(effort.TextFile)
	if err != nil {
		return err
	}
	e := modedit.OfFile(modsource.GamePath(src), data, o)
	if err := run(ctx, e, steps, failed); err != nil || out == nil {
		return fault.InFile(err, src.Path)
	}
	made, err := e.File()
	if err != nil {
		return err
	}
	return format.Write(out, made)
}

// helpPattern describes a pattern for paths.
const helpPattern = "a `path` in the game, with * and ?, and ** for any number of folders; a path that ends with / " +
	"selects everything below it"

// warnUnchanged warns if a change matched nothing.
func warnUnchanged(n int, err error, step *format.Job) error {
	if err == nil && n == 0 {
		step.Warn("", "nothing to change")
	}
	return err
}
