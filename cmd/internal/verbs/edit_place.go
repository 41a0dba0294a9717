package verbs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
)

// changeInPlace changes the file in place after a backup and returns the name of the backup, or "" if nothing
// has changed.
func (f *fileEdit) changeInPlace(ctx context.Context) (string, error) {
	g := f.game
	switch {
	case g.Built != nil:
		return "", wording.Hint(errors.New("an extracted folder cannot be changed in place"), "-o NEW writes a changed one")
	case g.Source.Name == "-":
		return "", errors.New("standard input cannot be changed in place")
	case g.Editing.InPlace != nil:
		kept, err := g.Editing.InPlace(ctx, f.job, g.Source, f.steps, f.Backup, f.change)
		if kept == "" || err != nil {
			return kept, err
		}
		info, err := os.Stat(kept)
		if err != nil {
			return kept, err
		}
		return kept, f.report.add(kept, info.Size())
	}
	return f.report.replaceInPlace(ctx, g, f.Backup, f.options, func(out format.Output) (bool, error) {
		err := f.apply(ctx, out)
		return f.changes > 0, err
	})
}

// asExpected returns an error unless the file has the SHA-256 of --expect.
func (e *editing) asExpected(g *service.File) error {
	if e.Expect == "" {
		return nil
	}
	if g.Source.IsDir() {
		return fmt.Errorf("%s: --expect is for files, not for folders", g.Called)
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(g.Source, 0, g.Source.Size)); err != nil {
		return wording.Named(err, g.Called)
	}
	if !strings.EqualFold(hex.EncodeToString(h.Sum(nil)), e.Expect) {
		return fmt.Errorf("%s: the file has changed: its SHA-256 is not the one of --expect", g.Called)
	}
	return nil
}

// replaceInPlace replaces a file that the report holds by the output of make, if make reports a change. The
// previous content becomes a backup. replaceInPlace returns the name of the backup, or "" if nothing has
// changed.
func (r *report) replaceInPlace(ctx context.Context, g *service.File, backup string, opts output.Options,
	make func(out format.Output) (bool, error)) (string, error) {
	before, err := os.Stat(g.Called)
	if err == nil && r.held == nil {
		err = output.ErrMeanwhile // the file did not exist when it was to be held
	}
	if err != nil {
		return "", err
	}
	reads := opts.Reads
	own := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && (os.SameFile(info, before) || strings.HasPrefix(path, g.Called))
	}
	opts.Reads = func() []string { // all except the file itself
		var others []string
		for _, path := range reads() {
			if !own(path) {
				others = append(others, path)
			}
		}
		return others
	}
	opts.Replace, opts.Held, opts.Backup = true, r.held, output.BackupName(r.held.Path)
	near := backup != "" && sameFolder(backup, r.held.Path)
	if near {
		opts.Backup = filepath.Join(filepath.Dir(r.held.Path), filepath.Base(backup))
	}
	out, err := output.New(r.held.Path, opts)
	if err != nil {
		return "", err
	}
	defer out.Discard()
	if changed, err := make(r.Named(out, g.Called)); err != nil || !changed {
		return "", errors.Join(err, ctx.Err())
	}
	if err := r.whole(); err != nil {
		return "", err
	}
	if _, err := os.Lstat(backup); backup != "" && err == nil {
		return "", wording.Hint(&output.ExistsError{Path: backup}, "--backup with another name keeps it")
	}
	if err := errors.Join(ctx.Err(), g.Source.Close()); err != nil { // Windows cannot replace an open file
		return "", err
	}
	if err := out.Commit(); err != nil {
		return "", err
	}
	kept := ""
	list, changed := out.Kept()
	for _, path := range list { // the file itself is last
		if suffix, ok := strings.CutPrefix(path, opts.Backup); ok && backup != "" && !near {
			if err := moveAway(path, backup+suffix); err != nil {
				return path, err
			}
			path = backup + suffix
		} else {
			path = nextTo(g.Called, path)
		}
		info, err := os.Stat(path)
		if err == nil {
			err = r.add(path, info.Size())
		}
		if kept = path; err != nil {
			return kept, err
		}
	}
	if changed {
		r.foreign(g.Called, kept)
	}
	return kept, nil
}

// foreign reports that another program has written to the replaced file.
func (r *report) foreign(name, kept string) {
	text := "another program wrote the file during this run: its version is in " + kept
	r.lose(name, text)
	r.talk.Miss(name, text)
}

// sameFolder reports whether two paths are in the same folder.
func sameFolder(a, b string) bool {
	return service.SameFile(filepath.Dir(filepath.Clean(a)), filepath.Dir(filepath.Clean(b)))
}

// moveAway moves a file to another folder, which may be on another disk.
func moveAway(path, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return &output.ExistsError{Path: to}
	}
	if err := os.Rename(path, to); err == nil {
		return nil
	}
	if _, err := copyFile(to, path); err != nil {
		return err
	}
	return os.Remove(path)
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
