package worldcopy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/minetest/world"
)

// copyFiles copies the files that do not change. Files that an earlier run copied are recognized by size and time.
func copyFiles(ctx context.Context, c *copier) error {
	out := c.leftOut()
	c.log.Report.Files = 0
	root, err := os.OpenRoot(c.src)
	if err != nil {
		return err
	}
	defer root.Close()
	var lost error
	folders := []string{c.dst}
	has := make(map[string]bool)
	folder := regular.NewFS(root, func(rel string, err error) {
		if _, ok := out[rel]; ok || !c.wants(rel, false) {
			return
		}
		if isStore(rel) {
			lost = &fs.PathError{Op: "copy", Path: filepath.Join(c.src, rel), Err: err}
		}
		kind := FoundLink
		if errors.Is(err, regular.ErrName) {
			kind = foundName
		}
		c.report(kind, rel, "%v", err)
	})
	err = fs.WalkDir(folder, ".", func(rel string, e fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err(), lost); err != nil || rel == "." {
			return err
		}
		rel = filepath.FromSlash(rel)
		path := filepath.Join(c.src, rel)
		if used, ok := out[rel]; ok {
			if !used {
				c.report(foundInWay, rel, "left out")
			}
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !c.wants(rel, e.IsDir()) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a temporary file that is gone
		}
		if err != nil {
			return err
		}
		if err := world.CheckText(rel, info); err != nil {
			c.report(foundText, rel, "%v", err)
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		target := filepath.Join(c.dst, rel)
		switch {
		case e.IsDir():
			if err := os.Mkdir(target, folderMode(path)); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			folders = append(folders, target)
			return removeParts(target)
		case e.Type().IsRegular() && sqlitefile.IsBeside(path) && sqlitefile.IsDatabase(path[:strings.LastIndex(path, "-")]):
			return nil // its contents are in the copy of the database
		case e.Type().IsRegular():
			has[rel] = true
			err = c.copyOne(ctx, path, target)
		default:
			c.report(foundOdd, rel, "the entry is a %v", e.Type())
			return nil
		}
		c.log.Report.Files++
		c.progress("files", c.log.Report.Files, 0)
		return err
	})
	if err = errors.Join(err, lost); err != nil {
		return err
	}
	if c.log.Passes > 0 {
		if err := c.removeFiles(out, has); err != nil {
			return err
		}
	}
	for _, dir := range folders {
		if err := wholefile.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// removeFiles removes the files that an earlier pass left and that the world does not have any more.
func (c *copier) removeFiles(out map[string]bool, has map[string]bool) error {
	return filepath.WalkDir(c.dst, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == c.dst {
			return err
		}
		rel, err := filepath.Rel(c.dst, path)
		_, apart := out[rel]
		_, ours := c.log.Left[filepath.ToSlash(rel)]
		switch {
		case err != nil:
			return err
		case apart && e.IsDir():
			return fs.SkipDir
		case apart || !ours || has[rel] || sqlitefile.IsBeside(path):
			return nil
		}
		return os.Remove(path)
	})
}

// wants reports whether the options copy the file or folder at a path of the world.
func (c *copier) wants(rel string, folder bool) bool {
	return c.opts.Only == nil || c.opts.Only(filepath.ToSlash(rel), folder)
}

// settled is the minimum age of the last change of a database by whose time an update recognizes it: a later change could have the
// same time.
const settled = 3 * time.Second

// copyOne copies a file. It may be a database that a program writes to.
func (c *copier) copyOne(ctx context.Context, from, to string) error {
	if !sqlitefile.IsDatabase(from) {
		err := copyFile(ctx, from, to)
		if _, gone := os.Lstat(from); errors.Is(err, fs.ErrNotExist) && errors.Is(gone, fs.ErrNotExist) {
			err = nil // a temporary file that is gone
		}
		return err
	}
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	if there, err := os.Stat(to); c.log.Passes > 0 && err == nil && same(there, st) {
		if _, err := os.Lstat(from + "-wal"); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	part := wholefile.Part(to)
	for _, name := range []string{part, part + "-journal", part + "-wal", to} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, st.Mode().Perm()|0o200); err != nil {
		return err
	} else if err := f.Close(); err != nil {
		return err
	}
	err = sqlitefile.Backup(ctx, from, part)
	if errors.Is(err, sqlitefile.ErrFull) {
		return errors.Join(fmt.Errorf("%s: %w", to, sqlitefile.ErrFull), os.Remove(part))
	}
	if sqlitefile.IsDamage(err) {
		// The file is copied unchanged, with its logs.
		for _, suffix := range []string{"-wal", "-journal"} {
			if err := copyFile(ctx, from+suffix, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return copyFile(ctx, from, to)
	}
	if err == nil {
		err = wholefile.Sync(part)
	}
	if err == nil && (!c.opts.Log || time.Since(st.ModTime()) > settled) {
		err = wholefile.SetTimeOf(part, st.ModTime())
	}
	if err == nil {
		err = os.Rename(part, to)
	}
	return err
}

// folderMode returns the permissions of the copy of a folder.
func folderMode(path string) fs.FileMode {
	if st, err := os.Stat(path); err == nil && st.Mode().Perm()&0o077 == 0 {
		return 0o700
	}
	return 0o755
}

// tries is the maximum number of attempts to copy a file that keeps changing.
const tries = 5

// copyFile copies a file with its time, unless the copy already exists.
func copyFile(ctx context.Context, from, to string) error {
	for range tries {
		before, err := os.Stat(from)
		if err != nil {
			return err
		}
		if there, err := os.Stat(to); err == nil && same(there, before) {
			return nil
		}
		if err := copyBytes(ctx, from, to, before); err != nil {
			return err
		}
		if after, err := os.Stat(from); err != nil || same(before, after) {
			return err
		}
	}
	return fmt.Errorf("%s: %w", from, ErrChanged)
}

func same(a, b fs.FileInfo) bool { return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) }

func copyBytes(ctx context.Context, from, to string, info fs.FileInfo) error {
	in, _, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	part := wholefile.Part(to)
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	// The mode must not depend on the umask.
	err = errors.Join(f.Chmod(info.Mode().Perm()|0o200), regular.Copy(ctx, f, in), wholefile.SetTime(f, info.ModTime()),
		wholefile.Flush(f), f.Close())
	if err == nil {
		return os.Rename(part, to)
	}
	return errors.Join(err, os.Remove(part)) // which may have filled the disk
}

// forget removes the connection settings that the copy does not use, so that the copy contains no passwords of the
// old world.
func (c *copier) forget() {
	for _, part := range world.Parts() {
		used := c.have.Of(part)
		if c.target(part) != "" {
			used = "" // the settings of the new backend are set again
		}
		for _, backend := range part.Backends() {
			for _, name := range part.Connection(backend) {
				if backend != used {
					c.settings.Remove(name)
				}
			}
		}
	}
}

// writeSettings writes world.mt. It keeps all lines except those that name databases.
func writeSettings(ctx context.Context, c *copier) error {
	c.forget()
	set := func(err error, name, value string) error {
		if err != nil {
			return err
		}
		return c.settings.Set(name, value)
	}
	var err error
	if c.newMap {
		c.settings.Remove(world.SettingReadonly)
		for name, value := range c.to.Settings() {
			err = set(err, name, value)
		}
	}
	for _, part := range world.Parts()[world.PlayersPart:] {
		to, have := c.target(part), c.have.Of(part)
		switch {
		case to != "":
			err = set(err, part.Setting(), to)
			for _, name := range part.Connection(to) {
				err = set(err, name, c.opts.Postgres)
			}
		case part.Remote(have):
			c.report(foundShared, "world.mt:"+part.Setting(), "the backend is %s", have)
		case c.newMap && have != world.Files:
			err = set(err, part.Setting(), have) // without a world.mt, the settings do not name the backend
		}
	}
	if err == nil && c.opts.Finish != nil {
		err = c.opts.Finish(ctx, c.dst, c.settings)
	}
	if err != nil {
		return err
	}
	text := c.settings.Append(nil)
	if len(text) == 0 && !c.newMap {
		return nil // a world of 2011 does not have this file
	}
	mode := fs.FileMode(0o644)
	if world.OwnerOnly(c.src, "world.mt") {
		mode = 0o600
	}
	return wholefile.Write(filepath.Join(c.dst, "world.mt"), bytes.NewReader(text), mode)
}
