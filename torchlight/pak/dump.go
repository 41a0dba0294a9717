package pak

import (
	"cmp"
	"fmt"
	"slices"

	"trowel/internal/bin"
)

// Dump reports every field of an archive, block by block in the order of the
// bytes; man says where they are. Streams are only counted. The offset is that of
// the archive in its file.
func Dump(pak []byte, offset int64, man *Manifest, t bin.Tracer) error {
	r := bin.NewReader(pak, bin.LittleEndian).At(offset)
	r.Trace(t)
	defer r.Flush()
	r.Enter("archive")
	r.U32("max_compressed")
	r.U32("hash")
	if r.Err() != nil {
		return r.Err()
	}
	a, err := NewReader(nil, int64(len(pak)), man)
	if err != nil {
		return err
	}
	files := slices.Clone(a.Files())
	slices.SortStableFunc(files, func(x, y *File) int { return cmp.Compare(x.Record.Offset, y.Record.Offset) })
	i := 0
	for _, f := range files {
		at := offset + int64(f.Record.Offset)
		if f.Removed() || at < r.Offset() || at > offset+int64(len(pak)) {
			continue // it has no block, or lies within another
		}
		if n := int(at - r.Offset()); n > 0 {
			r.Span("gap", n)
		}
		r.EnterIndex("blocks", i)
		size := r.U32("size")
		r.MeansText(f.Path)
		compressed := r.U32("compressed_size")
		if compressed == 0 {
			r.MeansText("stored")
			r.Span("content", int(size))
		} else {
			r.Span("stream", int(compressed))
		}
		r.Leave()
		if err := r.Err(); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		i++
	}
	if n := r.Len(); n > 0 {
		r.Span("tail", n)
	}
	return nil
}
