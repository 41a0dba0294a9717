package mod

import (
	"cmp"
	"errors"
	"io"

	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/pak"
	"trowel.example/trace"
)

// Dump reports every field of a mod: header, archive, manifest. If it fails, all fields before the error have been
// reported.
func Dump(src io.ReaderAt, size int64, t trace.Tracer) error {
	head, err := readHead(src, size)
	if err != nil { // report the part of the header that could be read
		const most = 1 << 20
		head = make([]byte, min(size, most))
		_ = readFull(src, head, 0, "header")
	}
	r := bin.NewReader(head, bin.LittleEndian)
	r.Trace(t)
	h := new(Header)
	h.read(r)
	if r.Err() == nil && int64(h.DataOffset) > r.Offset() && int64(h.DataOffset) <= int64(len(head)) {
		r.Span("gap", int(int64(h.DataOffset)-r.Offset()))
	}
	r.Flush()
	if err := cmp.Or(r.Err(), err); err != nil {
		return err
	}
	start, end := int64(h.DataOffset), int64(h.ManifestOffset)
	switch {
	case start < r.Offset() || start > size:
		return outside("data_offset", "an offset after the header and within the file", start)
	case end < start:
		return outside("manifest_offset", "an offset after the archive", end)
	case end > size:
		rest := io.NewSectionReader(src, start, size-start)
		if a, _, err := pak.Salvage(rest, rest.Size(), nil, func([]byte) string { return "" }); err == nil {
			_ = pak.Dump(rest, rest.Size(), start, a.Manifest(), t)
		}
		return cutError("archive", size, end)
	}
	if err := checkSize(effort.ModManifest, "manifest", end, size-end); err != nil {
		return err
	}
	// The manifest gives the positions of the blocks but comes after them. An error in it is ignored here, because its
	// own dump reports it.
	list := make([]byte, size-end)
	if err := readFull(src, list, end, "manifest"); err != nil {
		return err
	}
	man, _ := pak.DecodeManifest(list)
	return errors.Join(pak.Dump(io.NewSectionReader(src, start, end-start), end-start, start, man, t), pak.DumpManifestAt(list, end, t))
}
