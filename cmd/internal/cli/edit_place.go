package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/cmd/internal/output"
	"trowel.example/format"
	"trowel.example/internal/wholefile"
)

// changeInPlace changes the file itself, once what was there is in a backup, and returns the
// name of that; "" if nothing has changed.
func (e *editing) changeInPlace(ctx context.Context, g *game, job *format.Job, steps []format.Step, opts output.Options, r *report, change func(check.Change) error) (string, error) {
	switch {
	case g.built != nil:
		return "", hint(errors.New("a folder of an extraction is not changed in place"), "-o NEW makes a changed one beside it")
	case g.src.Name == "-":
		return "", errors.New("standard input cannot be changed in place")
	case g.Editing.InPlace != nil:
		kept, err := g.Editing.InPlace(ctx, job, g.src, steps, e.backup, change)
		if kept == "" || err != nil {
			return kept, err
		}
		info, err := os.Stat(kept)
		if err != nil {
			return kept, err
		}
		return kept, r.add(kept, info.Size())
	}
	changes := 0
	return e.replaceInPlace(ctx, g, e.backup, opts, r, func(out format.Output) (bool, error) {
		err := g.Editing.Edit(ctx, job, g.src, steps, out, func(c check.Change) error {
			changes++
			return change(c)
		})
		return changes > 0, err
	})
}

// replaceInPlace puts what make makes in the place of a file, if make says that this is another
// one, once what was there is in a backup, and returns the name of that; "" if nothing has changed.
func (w *writing) replaceInPlace(ctx context.Context, g *game, backup string, opts output.Options, r *report, make func(out format.Output) (bool, error)) (string, error) {
	before, err := os.Stat(g.name)
	if err != nil {
		return "", err
	}
	opts.Replace = true
	reads := opts.Reads
	own := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && (os.SameFile(info, before) || strings.HasPrefix(path, g.name))
	}
	opts.Reads = func() []string { // all but the file itself
		var others []string
		for _, path := range reads() {
			if !own(path) {
				others = append(others, path)
			}
		}
		return others
	}
	target, err := filepath.EvalSymlinks(g.name) // a link stays one
	if err != nil {
		return "", err
	}
	out, err := output.New(target, opts)
	if err != nil {
		return "", err
	}
	defer out.Discard()
	if changed, err := make(called{out, w.talk, g.name}); err != nil || !changed {
		return "", errors.Join(err, ctx.Err())
	}
	after, err := os.Stat(g.name)
	if err == nil && (after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())) {
		err = errors.New("another program has written the file meanwhile: nothing was changed")
	}
	if err = errors.Join(err, ctx.Err()); err != nil {
		return "", err
	}
	kept, err := keep(g, backup, r)
	if err != nil {
		return "", err
	}
	return kept, out.Commit()
}

// keep copies a file, with the neighbours that belong to it, to a backup.
func keep(g *game, backup string, r *report) (string, error) {
	if backup == "" {
		ext := filepath.Ext(g.name)
		backup = strings.TrimSuffix(g.name, ext) + ".backup-" + time.Now().UTC().Format("20060102-150405.000") + ext
	}
	for _, path := range append(g.src.Reads()[1:], g.name) {
		suffix, belongs := strings.CutPrefix(path, g.name)
		if !belongs {
			continue
		}
		to := backup + suffix
		if _, err := os.Lstat(to); err == nil {
			return "", &output.ExistsError{Path: to}
		}
		size, err := copyFile(to, path)
		if err == nil {
			err = r.add(to, size)
		}
		if err != nil {
			return "", err
		}
	}
	return backup, nil
}

func copyFile(to, path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), wholefile.Write(to, f, info.Mode().Perm())
}

// restoreFile puts a backup that keep made in the place of a file.
func (a *app) restoreFile(g *game, backup string, r *report) error {
	old, err := format.OpenSource(backup)
	if err != nil {
		return notThere(backup, err)
	}
	defer old.Close()
	if f, err := a.formats.Find(old); err != nil || f != g.Format || old.IsDir() {
		return fmt.Errorf("%s: is not the backup of a %s", backup, g.Title)
	}
	target, err := filepath.EvalSymlinks(g.name)
	if err != nil {
		return err
	}
	out, err := output.New(target, output.Options{Replace: true, Reads: func() []string { return []string{backup} }})
	if err != nil {
		return err
	}
	defer out.Discard()
	put := func(suffix string, from io.Reader) error {
		part, err := out.Create(suffix)
		if err == nil {
			_, err = io.Copy(part, from)
		}
		return err
	}
	if err := put("", io.NewSectionReader(old, 0, old.Size)); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(backup))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		suffix, belongs := strings.CutPrefix(entry.Name(), filepath.Base(backup))
		if !belongs || suffix == "" || !entry.Type().IsRegular() {
			continue
		}
		if _, err := os.Stat(g.name + suffix); err != nil {
			continue
		}
		more, err := os.Open(backup + suffix)
		if err != nil {
			return err
		}
		err = put(suffix, more)
		if err = errors.Join(err, more.Close()); err != nil {
			return err
		}
	}
	return errors.Join(out.Commit(), r.addAll(out))
}
