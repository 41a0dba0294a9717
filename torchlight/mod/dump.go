package mod

import (
	"bytes"
	"errors"

	"trowel/internal/bin"
	"trowel/torchlight/pak"
)

// Dump reports every field of a mod: header, archive, manifest. The error tells
// why it stopped, if it did; what comes before that was reported.
func Dump(data []byte, t bin.Tracer) error {
	r := bin.NewReader(data, bin.LittleEndian)
	r.Trace(t)
	h := new(Header)
	h.read(r)
	if r.Err() == nil && int64(h.DataOffset) > r.Offset() && int64(h.DataOffset) <= int64(len(data)) {
		r.Span("gap", int(int64(h.DataOffset)-r.Offset()))
	}
	r.Flush()
	if err := r.Err(); err != nil {
		return err
	}
	start, end := int64(h.DataOffset), int64(h.ManifestOffset)
	switch {
	case start < r.Offset() || start > int64(len(data)):
		return outside("data_offset", "an offset behind the header and within the file", start)
	case end < start:
		return outside("manifest_offset", "an offset behind the archive", end)
	case end > int64(len(data)):
		rest := data[start:]
		if a, _, err := pak.Salvage(bytes.NewReader(rest), int64(len(rest)), nil, func([]byte) string { return "" }); err == nil {
			_ = pak.Dump(rest, start, a.Manifest(), t)
		}
		return cut("archive", int64(len(data)), end)
	}
	// The manifest says where the blocks are, but stands behind them.
	// Whether it is broken is found out again by its own dump.
	man, _ := pak.DecodeManifest(data[end:])
	return errors.Join(pak.Dump(data[start:end], start, man, t), pak.DumpManifestAt(data[end:], end, t))
}
