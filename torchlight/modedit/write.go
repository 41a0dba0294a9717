package modedit

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
)

// WriteMod writes the editor's mod to target, starting at its first byte.
func (e *Editor) WriteMod(ctx context.Context, target pak.Target) error {
	if e.isNew {
		var files []pak.NewFile
		newest := e.newest()
		for _, name := range e.Paths() {
			files = append(files, e.find(name).written(newest))
		}
		_, err := mod.Write(ctx, target, e.header, files, nil)
		return err
	}
	edit := mod.NewEdit(e.mod)
	if err := e.into(edit.Edit); err != nil {
		return err
	}
	edit.Header = *e.header.Clone()
	_, err := edit.Write(ctx, target)
	return err
}

// WritePak writes the editor's archive and its manifest.
func (e *Editor) WritePak(ctx context.Context, archive pak.Target, manifest io.Writer) error {
	edit := pak.NewEdit(e.archive)
	if err := e.into(edit); err != nil {
		return err
	}
	man, _, err := edit.Write(ctx, archive)
	if err != nil {
		return err
	}
	data, err := man.Encode()
	if err == nil {
		_, err = manifest.Write(data)
	}
	return err
}

// into applies the changes to the edit of an archive.
func (e *Editor) into(edit *pak.Edit) error {
	if e.sealed {
		if _, err := edit.Seal(); err != nil {
			return err
		}
	}
	stays := make(map[string]bool)
	for _, f := range e.files {
		stays[f.from] = true
	}
	for _, f := range e.before {
		if !stays[f.path] {
			if err := edit.Delete(f.path); err != nil {
				return err
			}
		}
	}
	// Swapped names require temporary names.
	var renamed []*file
	for _, name := range e.Paths() {
		if f := e.find(name); f.from != "" && f.from != f.path {
			renamed = append(renamed, f)
		}
	}
	for i, f := range renamed {
		if err := edit.Rename(f.from, fmt.Sprintf("MEDIA/TROWEL~%d%s", i, path.Ext(f.from))); err != nil {
			return err
		}
	}
	for i, f := range renamed {
		if err := edit.Rename(fmt.Sprintf("MEDIA/TROWEL~%d%s", i, path.Ext(f.from)), f.path); err != nil {
			return err
		}
	}
	newest := e.newest()
	for _, name := range e.Paths() {
		if f := e.find(name); f.new {
			edit.Put(f.written(newest))
		}
	}
	return nil
}

// written returns a file in the form for an archive.
func (f *file) written(changed pak.Filetime) pak.NewFile {
	if f.source != nil {
		return pak.NewFile{Path: f.path, Source: f.source}
	}
	return pak.NewFile{Path: f.path, Time: changed, Content: f.read}
}

// newest returns the time of the latest change of a file. New files get this time, so that the same edit always gives
// an identical archive.
func (e *Editor) newest() pak.Filetime {
	var t pak.Filetime
	if e.archive != nil {
		for _, f := range e.archive.Files() {
			t = max(t, f.Record.Time)
		}
	}
	for _, owner := range e.owners {
		t = max(t, owner.newest())
	}
	return t
}

// File returns the editor's single file.
func (e *Editor) File() ([]byte, error) {
	for _, f := range e.files {
		return f.read()
	}
	return nil, fs.ErrNotExist
}

// WriteFolder calls write for each file of the editor's folder, after all changes, with the time of its last change;
// the zero time means now.
func (e *Editor) WriteFolder(write func(at string, content io.Reader, changed time.Time) error) error {
	gone, done := make(map[string]bool), make(map[string]bool)
	put := func(at string, data []byte) error {
		done[at] = true
		return write(at, bytes.NewReader(data), time.Time{})
	}
	stays := make(map[string]bool)
	for _, f := range e.files {
		stays[f.at.At] = true
	}
	first := make(map[string]moddir.FolderFile) // original locations of files
	for _, f := range e.before {
		first[f.path] = f.at
		if !stays[f.at.At] {
			gone[f.at.At], gone[f.at.Twin] = true, true
			for _, same := range f.at.Same {
				gone[same] = true
			}
		}
	}
	if e.named {
		name := cmp.Or(modDatOf(e.folder), "MOD.DAT")
		data, err := e.modDat(name)
		if err != nil {
			return err
		}
		if err := put(name, data); err != nil {
			return err
		}
	}
	for _, name := range e.Paths() {
		f := e.find(name)
		if was := first[f.from]; !f.new && f.at.At == was.At && f.at.Twin == was.Twin {
			continue
		}
		read := f.read
		if !f.new { // the file is only moved, in its current form
			read = func() ([]byte, error) { return fs.ReadFile(e.folder, first[f.from].At) }
		}
		data, err := read()
		if err != nil {
			return err
		}
		if f.new && (f.from == "" || !isTree(f.path)) { // tables have a separate form
			if made, err := moddir.Decompile(data, f.path, moddir.Options{Names: e.Names}); err == nil &&
				strings.EqualFold(path.Ext(f.at.At), path.Ext(moddir.FolderPath(f.path, moddir.Options{Models: true}))) {
				data = made
			}
		}
		for _, at := range append([]string{f.at.At}, f.at.Same...) {
			if err := put(at, data); err != nil {
				return err
			}
		}
		if f.at.Twin == "" {
			continue
		}
		twin, err := moddir.Compile(data, f.at.At, e.forms())
		if err == nil {
			err = put(f.at.Twin, twin)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.at.Twin, err)
		}
	}
	return fs.WalkDir(e.folder, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || gone[at] || done[at] {
			return err
		}
		in, err := e.folder.Open(at)
		if err != nil {
			return err
		}
		defer in.Close()
		info, err := in.Stat()
		if err != nil {
			return err
		}
		return write(at, in, info.ModTime())
	})
}
