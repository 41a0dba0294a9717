package pak

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
	"trowel.example/trace"
)

// Dump reports every field of an archive of size bytes, block by block in the order of the bytes. The manifest man
// gives their positions. Streams are counted, not read. The offset is the position of the archive in its file.
func Dump(pak io.ReaderAt, size, offset int64, man *Manifest, t trace.Tracer) error {
	d := dumper{pak: pak, size: size, offset: offset, trace: t}
	d.fields(-1, func(r *bin.Reader) {
		r.U32("max_compressed")
		r.U32("hash")
	})
	if d.err != nil {
		return d.err
	}
	a, err := newReader(nil, size, man)
	if err != nil {
		return err
	}
	files := slices.Concat(a.files, a.rest)
	slices.SortStableFunc(files, func(x, y *File) int { return cmp.Compare(x.Record.Offset, y.Record.Offset) })
	i := 0
	for _, f := range files {
		at := int64(f.Record.Offset)
		if f.Removed() || at < d.at || at > size {
			continue // the record has no block, or its block lies within another
		}
		if at > d.at {
			d.span("archive.gap", at-d.at)
		}
		var length, compressed uint32
		d.fields(i, func(r *bin.Reader) {
			length = r.U32("size")
			r.MeansText(f.Path)
			if compressed = r.U32("compressed_size"); compressed == 0 {
				r.MeansText("stored")
			}
		})
		if compressed == 0 {
			d.span(fmt.Sprintf("archive.blocks[%d].content", i), int64(length))
		} else {
			d.span(fmt.Sprintf("archive.blocks[%d].stream", i), int64(compressed))
		}
		if d.err != nil {
			return fmt.Errorf("%s: %w", f.Path, d.err)
		}
		i++
	}
	if size > d.at {
		d.span("archive.tail", size-d.at)
	}
	return d.err
}

// dumper walks an archive and reads only the bytes that have fields.
type dumper struct {
	pak              io.ReaderAt
	size, offset, at int64
	trace            trace.Tracer
	err              error
}

// fields reads the eight bytes of the archive's header or of a block's header.
func (d *dumper) fields(block int, read func(*bin.Reader)) {
	if d.err != nil {
		return
	}
	var head [blockHeaderSize]byte
	n, err := d.pak.ReadAt(head[:min(blockHeaderSize, d.size-d.at)], d.at)
	if err != nil && err != io.EOF {
		d.err = err
		return
	}
	r := bin.NewReader(head[:n], bin.LittleEndian).At(d.offset + d.at)
	r.Trace(d.trace)
	r.Enter("archive")
	if block >= 0 {
		r.EnterIndex("blocks", block)
	}
	read(r)
	r.Flush()
	d.at, d.err = r.Offset()-d.offset, r.Err()
}

// span reports bytes that are counted but not read.
func (d *dumper) span(path string, n int64) {
	if d.err != nil {
		return
	}
	if left := d.size - d.at; n > left {
		d.err = &fault.Error{Path: path, Offset: d.offset + d.at, Want: words.Count(n, "byte"),
			Got: fmt.Sprintf("%d before the end of the data", left), Err: fault.ErrShort}
		return
	}
	d.trace(trace.Field{Path: path, Offset: d.offset + d.at, Len: n})
	d.at += n
}
