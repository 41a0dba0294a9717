package modinfo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/modfind"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/pak"
)

// Row receives a row of a table.
type Row = func(*format.Table, []format.Cell) error

// Rows yields the rows of a mod, or of an archive without a header, for which m is nil.
func Rows(ctx context.Context, job *format.Job, src *format.Source, r *pak.Reader, m *mod.Mod, names *hash.Names, row Row) error {
	missed := make(map[string]bool) // files that are already reported
	o := modedit.Options{Names: cmp.Or(names, hash.Known()), Miss: func(path, message string) {
		if !missed[path] {
			job.Miss(src.Path, "%s: %s", path, message)
		}
	}}
	e := modedit.OfPak(r, o)
	if m != nil {
		e = modedit.OfMod(m, o)
	}
	if err := modRow(src, r, m, row); err != nil {
		return err
	}
	if !r.Plausible() {
		job.Miss(src.Path, "the files of the archive are not read: %d bytes of archive cannot hold their sizes", r.Size())
		return nil
	}
	if err := fileRows(ctx, r, row, func(path string, err error) {
		missed[path] = true
		job.Miss(src.Path, "cannot be read: %v", err) // the error names the file
	}); err != nil {
		return err
	}
	return contentRows(ctx, e, row)
}

// modRow yields the row with a mod's header.
func modRow(src *format.Source, r *pak.Reader, m *mod.Mod, row Row) error {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(src, 0, src.Size)); err != nil {
		return fmt.Errorf("%s: %w", src.Path, err)
	}
	header := make([]format.Cell, 10)
	var required []mod.Required
	if m != nil {
		h := m.Header
		header = []format.Cell{
			format.IntCell(h.Version), format.TextCell(h.Title), format.TextCell(h.Author),
			format.TextCell(h.Description), format.TextCell(h.Website),
			format.TextCell(h.DownloadURL), format.IntCell(h.ID), format.IntCell(h.ModVersion), format.IntCell(h.Flags), {},
		}
		if h.Version >= 4 {
			header[9] = format.TextCell(h.Game.String())
		}
		required = h.Required
	}
	n := amountsOf(r)
	values := append([]format.Cell{format.IntCell(src.Size), sumCell(sum.Sum(nil))}, header...)
	if err := row(tableMods, append(values, format.IntCell(r.Manifest().Version), format.IntCell(n.files),
		format.IntCell(n.removed), format.IntCell(n.size))); err != nil {
		return err
	}
	for i, m := range required {
		if err := row(tableRequired, []format.Cell{format.IntCell(i), format.IntCell(m.ID), format.TextCell(m.Name),
			format.IntCell(m.Version)}); err != nil {
			return err
		}
	}
	return nil
}

// sumCell returns the cell of a checksum.
func sumCell(sum []byte) format.Cell { return format.TextCell(hex.EncodeToString(sum)) }

// fileRows yields the rows of an archive's files, in the order of its manifest.
func fileRows(ctx context.Context, r *pak.Reader, row Row, miss func(path string, err error)) error {
	type result struct {
		values []format.Cell
		path   string
		err    error
	}
	return parallel.Ordered(ctx, func(send func(*pak.File) error) error {
		for _, f := range r.Files() {
			if err := send(f); err != nil {
				return err
			}
		}
		return nil
	}, func(f *pak.File) result {
		var compressed, sum, modified format.Cell
		var err error
		if !f.Removed() {
			if _, n, err := f.Sizes(); err == nil {
				compressed = format.IntCell(n)
			}
			h := sha256.New()
			if err = f.CopyTo(h); err == nil {
				sum = sumCell(h.Sum(nil))
			}
		}
		if t := f.Record.Time.Time(); f.Record.Time != 0 && t.Year() <= 9999 {
			modified = format.TimeCell(t)
		}
		return result{[]format.Cell{
			format.TextCell(f.Path), format.TextCell(f.Record.Type.String()), format.BoolCell(f.Removed()), format.BoolCell(f.Duplicate),
			format.IntCell(f.Record.Size), compressed, format.TextCell(fmt.Sprintf("%08x", f.Record.CRC32)), sum, modified,
		}, f.Path, err}
	}, func(r result) error {
		if r.err != nil {
			miss(r.path, r.err)
		}
		return cmp.Or(row(tableFiles, r.values), ctx.Err())
	})
}

// contentRows yields the rows for the contents of data files, layouts, materials and image sets.
func contentRows(ctx context.Context, e *modedit.Editor, row Row) error {
	see := func(n *modedit.Node) []*modedit.Node { return []*modedit.Node{n} }
	if err := modedit.LookAt(ctx, e, "**", modedit.Choice{}, see, func(n *modedit.Node) error { return nodeRows(n, row) }); err != nil {
		return err
	}
	type words struct {
		keys []modfind.Key
		path string
		set  *imageset.Set
		err  error
	}
	return modedit.LookAtFiles(ctx, e, "**", modfind.HasWords, func(file string, content []byte) []words {
		w := words{keys: modfind.Words(file, content), path: file}
		if strings.EqualFold(path.Ext(file), ".IMAGESET") {
			w.set, w.err = imageset.Parse(content)
		}
		return []words{w}
	}, func(w words) error {
		for _, k := range w.keys {
			if target, ok := modfind.Target(k.Value); ok {
				if err := row(tableReferences, []format.Cell{
					format.TextCell(k.File), {}, {}, format.IntCell(k.At.(check.Line).Line), format.TextCell(k.Key),
					format.TextCell(k.Value), format.TextCell(target),
				}); err != nil {
					return err
				}
			}
		}
		if w.err != nil {
			e.Miss(w.path, fmt.Sprintf("not all sprites can be read: %v", w.err))
		}
		if w.set == nil {
			return nil
		}
		for _, s := range w.set.Sprites {
			if err := row(tableIcons, []format.Cell{
				format.TextCell(w.path), format.TextCell(w.set.Name), format.TextCell(w.set.File), format.TextCell(s.Name),
				format.IntCell(s.Rect.Min.X), format.IntCell(s.Rect.Min.Y), format.IntCell(s.Rect.Dx()),
				format.IntCell(s.Rect.Dy()), format.IntCell(s.Line),
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// nodeRows yields the rows for the keys of a node, for its GUID, and for the files that it refers to.
func nodeRows(n *modedit.Node, row Row) error {
	place, name, object := n.Place(""), format.Cell{}, format.Cell{}
	if place.Object != 0 {
		object = format.IntCell(place.Object)
	}
	if value, has := n.Get("NAME"); has {
		name = format.TextCell(value)
	}
	at := []format.Cell{format.TextCell(n.File), format.TextCell(place.Node), object}
	for p := range n.Properties() {
		key, value := format.TextCell(p.Key), format.TextCell(p.Value)
		if err := row(tableKeys, append(at[:3:3], key, format.TextCell(p.Type.String()), value)); err != nil {
			return err
		}
		if guid, ok := modfind.GUIDOf(p); ok && modfind.OwnsGUID(p.Key) {
			if err := row(tableGUIDs, append(at[:3:3], key, format.IntCell(guid), name)); err != nil {
				return err
			}
		}
		if !p.Type.IsString() {
			continue
		}
		if target, ok := modfind.Target(p.Value); ok {
			if err := row(tableReferences, append(at[:3:3], format.Cell{}, key, value, format.TextCell(target))); err != nil {
				return err
			}
		}
	}
	return nil
}

// FileRows yields the rows of a single file.
func FileRows(ctx context.Context, job *format.Job, src *format.Source, names *hash.Names, row Row) error {
	data, err := src.ReadUpTo(modsource.MaxSize)
	if err != nil {
		return err
	}
	name := moddir.GamePath(modsource.GamePath(src))
	sum := sha256.Sum256(data)
	if err := row(tableFiles, []format.Cell{
		format.TextCell(name), format.TextCell(pak.TypeOf(name).String()), format.BoolCell(false), format.BoolCell(false),
		format.IntCell(len(data)), {}, format.TextCell(fmt.Sprintf("%08x", crc32.ChecksumIEEE(data))), sumCell(sum[:]), {},
	}); err != nil {
		return err
	}
	miss := func(path, message string) { job.Miss(src.Path, "%s: %s", path, message) }
	return contentRows(ctx, modedit.OfFile(name, data, modedit.Options{Names: cmp.Or(names, hash.Known()), Miss: miss}), row)
}
