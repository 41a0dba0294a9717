package cli

import (
	"bytes"
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
	unchanged := func() error {
		after, err := os.Stat(g.name)
		if err == nil && (after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())) {
			err = errors.New("another program has written the file meanwhile: nothing was changed")
		}
		return errors.Join(err, ctx.Err())
	}
	if err := unchanged(); err != nil {
		return "", err
	}
	kept, err := keep(g, backup, r)
	if err == nil {
		err = unchanged()
	}
	if err != nil {
		return "", err
	}
	return kept, out.Commit()
}

// What the name of a backup has between that of its file and its extension.
const (
	backupMark = ".backup-"
	backupTime = "20060102-150405.000"
)

// keep copies a file, with the neighbours that belong to it, to a backup. One that a run made
// that was killed before it changed anything is that backup already.
func keep(g *game, backup string, r *report) (string, error) {
	if backup == "" {
		ext := filepath.Ext(g.name)
		backup = strings.TrimSuffix(g.name, ext) + backupMark + time.Now().UTC().Format(backupTime) + ext
	}
	for _, path := range append(g.src.Reads()[1:], g.name) {
		suffix, belongs := strings.CutPrefix(path, g.name)
		if !belongs {
			continue
		}
		to := backup + suffix
		if there, err := os.Lstat(to); err == nil {
			own, err := os.Stat(path)
			same := err == nil && there.Mode().IsRegular() && !os.SameFile(there, own)
			if same {
				same, err = sameBytes(path, to)
			}
			if err != nil || !same {
				return "", errors.Join(err, &output.ExistsError{Path: to})
			}
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

// restoreFile puts a backup that keep made in the place of a file, once what was there is in
// another backup, of which it returns the name; "" if the file is as its backup already.
func (w *writing) restoreFile(ctx context.Context, g *game, backup string, r *report) (string, error) {
	old, err := format.OpenSource(backup)
	if err != nil {
		return "", notThere(backup, err)
	}
	defer old.Close()
	if f, err := w.formats.Find(old); err != nil || f != g.Format || old.IsDir() {
		return "", fmt.Errorf("%s: is not the backup of a %s", backup, g.Title)
	}
	if of := backupOf(backup); of != "" && of != filepath.Base(g.name) {
		w.talk.warn(g.name, "what is put back is by its name a backup of "+of)
	}
	r.output = g.name
	opts := output.Options{Reads: func() []string { return []string{backup} }}
	return w.replaceInPlace(ctx, g, "", opts, r, func(out format.Output) (changed bool, err error) {
		entries, err := os.ReadDir(filepath.Dir(backup))
		if err != nil {
			return false, err
		}
		for _, entry := range entries {
			suffix, belongs := strings.CutPrefix(entry.Name(), filepath.Base(backup))
			if _, err := os.Stat(g.name + suffix); err != nil || !belongs || suffix != "" && !entry.Type().IsRegular() {
				continue
			}
			from, err := os.Open(backup + suffix)
			if err != nil {
				return false, err
			}
			part, err := out.Create(suffix)
			if err == nil {
				_, err = io.Copy(part, from)
			}
			if err = errors.Join(err, from.Close()); err != nil {
				return false, err
			}
			same, err := sameBytes(g.name+suffix, backup+suffix)
			if err != nil {
				return false, err
			}
			changed = changed || !same
		}
		return changed, nil
	})
}

// backupOf returns the name of the file that a backup is of, if the name of the backup is one
// that keep gave it, and "" otherwise.
func backupOf(backup string) string {
	ext := filepath.Ext(backup)
	stem, when, is := strings.Cut(strings.TrimSuffix(filepath.Base(backup), ext), backupMark)
	if _, err := time.Parse(backupTime, when); !is || err != nil {
		return ""
	}
	return stem + ext
}

// undoing says how what was done to a file in place is undone.
func undoing(name, kept string) string {
	return fmt.Sprintf("`trowel repair %s --restore %s` undoes it", quoted(name), quoted(kept))
}

// sameBytes reports whether two files have the same content.
func sameBytes(a, b string) (bool, error) {
	var files [2]*os.File
	var infos [2]os.FileInfo
	for i, name := range []string{a, b} {
		f, err := os.Open(name)
		if err != nil {
			return false, err
		}
		defer f.Close()
		if infos[i], err = f.Stat(); err != nil {
			return false, err
		}
		files[i] = f
	}
	if infos[0].Size() != infos[1].Size() {
		return false, nil
	}
	var parts [2][1 << 15]byte
	for {
		n, err := io.ReadFull(files[0], parts[0][:])
		if _, err := io.ReadFull(files[1], parts[1][:n]); err != nil || !bytes.Equal(parts[0][:n], parts[1][:n]) {
			return false, err
		}
		switch {
		case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
			return true, nil
		case err != nil:
			return false, err
		}
	}
}
