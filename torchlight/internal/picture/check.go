package picture

import (
	"fmt"
	"image"

	"trowel.example/check"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/picture/tga"
	"trowel.example/torchlight/dds"
	"trowel.example/trace"
)

// Catalog lists the findings that [Check] can report.
var Catalog check.Catalog

var (
	foundUnreadable = Catalog.Add("tl-picture-unreadable", check.Error,
		"A picture cannot be decoded, so the game shows nothing or something else instead.",
		"Make the picture again: `trowel convert PICTURE.png -o PICTURE.dds` writes a file that the game reads.")
	foundDX10 = Catalog.Add("tl-picture-dx10", check.Error,
		"A .DDS has the second header DX10, which the game does not read.",
		"Convert the picture: `trowel convert PICTURE.dds -o PICTURE.png`, then `trowel convert PICTURE.png -o PICTURE.dds`.")
	foundBlocks = Catalog.Add("tl-picture-blocks", check.Warning,
		"A picture in blocks (DXT1, DXT3, DXT5) has sides that are not multiples of 4. Direct3D cannot make a "+
			"texture of that size, so the game shows it scaled or not at all.",
		"Resize the picture to multiples of 4, or store plain pixels: `trowel convert --codec plain`.")
	foundLarge = Catalog.Add("tl-picture-large", check.Warning,
		"A picture has a side of more than 8192 pixels, more than many graphics cards support under Direct3D 9.",
		"Make the picture smaller, or split it into several.")
)

// largeSide is the longest side in pixels that all graphics cards of the game's time support.
const largeSide = 8192

// Check reports problems that are visible in a picture alone.
func Check(name string, data []byte, sink check.Sink) {
	m, err := Decode(name, data)
	if err != nil {
		sink.Add(foundUnreadable, "", -1, "%v", err)
		return
	}
	size := m.Rect.Size()
	if max(size.X, size.Y) > largeSide {
		sink.Add(foundLarge, "", -1, "has %s pixels", sizeText(size))
	}
	if KindOf(name, data) != DDS {
		return
	}
	h, err := dds.ReadHeader(data)
	if err != nil {
		return
	}
	if h.DX10() {
		sink.Add(foundDX10, "", dds.HeaderSize, "has the second header DX10")
	}
	if h.Format != dds.Plain && (size.X%4 != 0 || size.Y%4 != 0) {
		sink.Add(foundBlocks, "", -1, "has %s pixels in %v", sizeText(size), h.Format)
	}
}

func sizeText(size image.Point) string { return fmt.Sprintf("%d × %d", size.X, size.Y) }

// Dump reports every field of a picture to t, up to the first error. It does not report the values of pixels.
func Dump(name string, data []byte, t trace.Tracer) error {
	kind := KindOf(name, data)
	if kind == TGA {
		return tga.Dump(data, t)
	}
	r := bin.NewReader(data, bin.LittleEndian)
	switch kind {
	case DDS:
		r.Trace(t)
		dumpDDS(r)
	case PNG:
		r = bin.NewReader(data, bin.BigEndian)
		r.Trace(t)
		r.Span("signature", len(signature))
		for i := 0; r.Err() == nil && r.Len() > 0; i++ {
			dumpChunk(r, i)
		}
	default:
		r.Trace(t)
		r.Span("content", len(data))
	}
	r.Flush()
	return r.Err()
}

func dumpDDS(r *bin.Reader) {
	r.Span("magic", 4)
	for _, name := range []string{"size", "flags", "height", "width", "pitch", "depth", "mipmaps"} {
		r.U32(name)
	}
	r.Span("reserved", 11*4)
	r.Enter("format")
	r.U32("size")
	flags := r.U32("flags")
	code := r.Bytes("fourcc", 4)
	if flags&4 != 0 {
		r.MeansText(fmt.Sprintf("%q", code))
	}
	for _, name := range []string{"bits", "red", "green", "blue", "alpha"} {
		r.U32(name)
	}
	r.Leave()
	for _, name := range []string{"caps", "caps2", "caps3", "caps4", "reserved2"} {
		r.U32(name)
	}
	if flags&4 != 0 && string(code) == "DX10" {
		r.Enter("dx10")
		for _, name := range []string{"format", "dimension", "misc", "array_size", "misc2"} {
			r.U32(name)
		}
		r.Leave()
	}
	r.Span("pixels", r.Len())
}

func dumpChunk(r *bin.Reader, i int) {
	r.EnterIndex("chunks", i)
	defer r.Leave()
	n := r.Count32("length", 1)
	r.MeansText(string(r.Bytes("name", 4)))
	r.Span("content", n)
	r.U32("crc32")
}
