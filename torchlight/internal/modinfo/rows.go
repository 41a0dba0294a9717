package modinfo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/pak"
)

// Rows yields the rows of a mod, or of an archive without a header, for which m is nil.
func Rows(ctx context.Context, job *format.Job, src *format.Source, r *pak.Reader, m *mod.Mod, names *hash.Names,
	row format.RowFunc) error {
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
	if err := modRows(src, r, m, row); err != nil {
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

// modRows yields the rows with a mod's header.
func modRows(src *format.Source, r *pak.Reader, m *mod.Mod, row format.RowFunc) error {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(src, 0, src.Size)); err != nil {
		return fmt.Errorf("%s: %w", src.Path, err)
	}
	v := modRow{size: src.Size, sum: sum.Sum(nil), manifest: r.Manifest().Version, amounts: amountsOf(r)}
	if m == nil {
		return tableMods.Put(row, v)
	}
	v.header = m.Header
	var rows format.Rows
	tableMods.Add(&rows, v)
	for i, required := range m.Header.Required {
		tableRequired.Add(&rows, requiredRow{i, required})
	}
	return rows.Flush(row)
}

// fileRows yields the rows of an archive's files, in the order of its manifest.
func fileRows(ctx context.Context, r *pak.Reader, row format.RowFunc, miss func(path string, err error)) error {
	return parallel.Ordered(ctx, func(send func(*pak.File) error) error {
		for _, f := range r.Files() {
			if err := send(f); err != nil {
				return err
			}
		}
		return nil
	}, func(f *pak.File) fileRow {
		v := fileRow{File: *f, compressed: -1}
		if !f.Removed() {
			if _, n, err := f.Sizes(); err == nil {
				v.compressed = int(n)
			}
			h := sha256.New()
			if v.err = f.CopyTo(h); v.err == nil {
				v.sum = h.Sum(nil)
			}
		}
		return v
	}, func(v fileRow) error {
		if v.err != nil {
			miss(v.Path, v.err)
		}
		return cmp.Or(tableFiles.Put(row, v), ctx.Err())
	})
}

// contentRows yields the rows for the contents of data files, layouts, materials and image sets.
func contentRows(ctx context.Context, e *modedit.Editor, row format.RowFunc) error {
	see := func(n *modedit.Node) []*modedit.Node { return []*modedit.Node{n} }
	if err := modedit.LookAt(ctx, e, "**", modedit.Choice{}, see, func(n *modedit.Node) error { return nodeRows(n, row) }); err != nil {
		return err
	}
	type words struct {
		format.Rows
		path string
		err  error
	}
	return modedit.LookAtFiles(ctx, e, "**", hasWords, func(file string, content []byte) []*words {
		w := &words{path: file}
		for _, k := range Words(file, content) {
			if _, ok := Target(k.Value); ok {
				tableReferences.Add(&w.Rows, k)
			}
		}
		if strings.EqualFold(path.Ext(file), ".IMAGESET") {
			var set *imageset.Set
			set, w.err = imageset.Parse(content)
			for _, s := range cmp.Or(set, new(imageset.Set)).Sprites {
				tableIcons.Add(&w.Rows, iconRow{file, *set, s})
			}
		}
		return []*words{w}
	}, func(w *words) error {
		if w.err != nil {
			e.Miss(w.path, fmt.Sprintf("not all sprites can be read: %v", w.err))
		}
		return w.Flush(row)
	})
}

// nodeRows yields the rows for the keys of a node, for its GUID, and for the files that it refers to.
func nodeRows(n *modedit.Node, row format.RowFunc) error {
	var rows format.Rows
	at := n.Place("")
	name, named := n.Get("NAME")
	for p := range n.Properties() {
		k := Key{File: n.File, At: at, Type: p.Type, Key: p.Key, Value: p.Value}
		tableKeys.Add(&rows, k)
		if _, ok := guidOf(p.Type, p.Key, p.Value); ok && OwnsGUID(p.Key) {
			tableGUIDs.Add(&rows, guidRow{k, name, named})
		}
		if _, ok := Target(p.Value); ok && p.Type.IsString() {
			tableReferences.Add(&rows, k)
		}
	}
	return rows.Flush(row)
}

// FileRows yields the rows of a single file.
func FileRows(ctx context.Context, job *format.Job, src *format.Source, names *hash.Names, row format.RowFunc) error {
	data, err := src.ReadUpTo(effort.TextFile)
	if err != nil {
		return err
	}
	name := moddir.GamePath(modsource.GamePath(src))
	sum := sha256.Sum256(data)
	record := pak.Record{Type: pak.TypeOf(name), Offset: 1, Size: uint32(len(data)), CRC32: crc32.ChecksumIEEE(data)} // 1: not removed
	if err := tableFiles.Put(row, fileRow{File: pak.File{Path: name, Record: &record}, compressed: -1, sum: sum[:]}); err != nil {
		return err
	}
	miss := func(path, message string) { job.Miss(src.Path, "%s: %s", path, message) }
	return contentRows(ctx, modedit.OfFile(name, data, modedit.Options{Names: cmp.Or(names, hash.Known()), Miss: miss}), row)
}
