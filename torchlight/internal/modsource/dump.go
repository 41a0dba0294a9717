package modsource

import (
	"context"

	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
	"trowel.example/trace"
)

// Dump reports the fields of an archive, or of the file in it that path names.
func Dump(_ context.Context, job *format.Job, src *format.Source, path string, t trace.Tracer) error {
	var reader *pak.Reader
	whole := IsMod(src)
	if whole {
		if m, _ := mod.Open(src, src.Size); m != nil {
			reader = m.Archive
		}
	} else {
		r, other, err := OpenPak(job, src)
		if err != nil {
			return err
		}
		defer other.Close()
		reader = r
	}
	if reader != nil && path != "" {
		f := reader.Find(path)
		if f == nil {
			f = reader.Find(moddir.GamePath(path)) // path is a path in the tree
		}
		if f != nil && !f.Removed() {
			return moddir.DumpFile(f, format.Inside(path, t))
		}
	}
	if whole {
		return mod.Dump(src, src.Size, t)
	}
	if _, isList := format.CutExtension(src.Name, ".MAN"); isList {
		data, err := src.ReadUpTo(effort.ModManifest)
		if err != nil {
			return err
		}
		return pak.DumpManifest(data, t)
	}
	return pak.Dump(src, src.Size, 0, reader.Manifest(), t)
}
