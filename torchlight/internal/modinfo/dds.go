package modinfo

import (
	"fmt"
	"math/bits"
	"strings"

	"trowel.example/internal/bytes/bin"
)

// Flags of a DDS pixel format that state the meaning of its fields.
const (
	ddsAlphaPixels = 0x1
	ddsAlpha       = 0x2
	ddsFourCC      = 0x4
	ddsRGB         = 0x40
	ddsLuminance   = 0x20000
)

// ddsCube is the bit of the second capabilities for cube maps.
const ddsCube = 0x200

// ddsInfo reads the header of a DirectDraw surface.
func ddsInfo(data []byte) ([]PictureField, bool) {
	r := bin.NewReader(data, bin.LittleEndian)
	r.Span("magic", 4)
	if r.U32("size") != 124 {
		return nil, false
	}
	r.U32("flags")
	height, width := r.U32("height"), r.U32("width")
	r.U32("pitch")
	depth, mipmaps := r.U32("depth"), r.U32("mipmaps")
	r.Span("reserved", 11*4)
	format := ddsFormat(r)
	r.U32("caps")
	caps2 := r.U32("caps2")
	r.Span("caps", 3*4)
	if format == "DX10" {
		format = dxgiFormat(r)
	}
	if r.Err() != nil {
		return nil, false
	}
	fields := []PictureField{{"format", "DDS, " + format}, sizeField(width, height), field("mipmaps", "%d", max(mipmaps, 1))}
	if depth > 1 {
		fields = append(fields, field("depth", "%d", depth))
	}
	if caps2&ddsCube != 0 {
		fields = append(fields, field("sides", "%d", bits.OnesCount32(caps2&0xfc00)))
	}
	return fields, true
}

// ddsFormat reads a pixel format and returns its name: the four characters of a codec, or channels with their bits from
// the highest, for example A8R8G8B8.
func ddsFormat(r *bin.Reader) string {
	r.U32("format_size")
	flags := r.U32("format_flags")
	code := r.Bytes("fourcc", 4)
	total := r.U32("bits")
	masks := [4]uint32{r.U32("red"), r.U32("green"), r.U32("blue"), r.U32("alpha")}
	if r.Err() != nil {
		return ""
	}
	letters := "RGBA"
	switch {
	case flags&ddsFourCC != 0:
		if strings.ContainsFunc(string(code), func(c rune) bool { return c < ' ' || c > '~' }) {
			return fmt.Sprintf("codec %x", code)
		}
		return string(code)
	case flags&ddsLuminance != 0:
		letters, masks[1], masks[2] = "L__A", 0, 0
	case flags&ddsAlpha != 0:
		masks[0], masks[1], masks[2] = 0, 0, 0
	case flags&ddsRGB == 0:
		return fmt.Sprintf("%d bits", total)
	}
	if flags&(ddsAlphaPixels|ddsAlpha) == 0 {
		masks[3] = 0
	}
	return channels(letters, masks, int(min(total, 32)))
}

// channels returns masks as letters and numbers of bits, from the highest bit; bits of no channel are X.
func channels(letters string, masks [4]uint32, total int) string {
	var b strings.Builder
	for bit := total; bit > 0; {
		letter := letterOf(letters, masks, bit-1)
		n := 0
		for ; bit > 0 && letterOf(letters, masks, bit-1) == letter; bit-- {
			n++
		}
		fmt.Fprintf(&b, "%c%d", letter, n)
	}
	return b.String()
}

func letterOf(letters string, masks [4]uint32, bit int) byte {
	for i, mask := range masks {
		if mask>>bit&1 != 0 {
			return letters[i]
		}
	}
	return 'X'
}

// dxgiFormat reads the header that follows the codec DX10.
func dxgiFormat(r *bin.Reader) string {
	number := r.U32("dxgi_format")
	r.Span("dx10", 4*4)
	names := map[uint32]string{28: "R8G8B8A8", 71: "BC1", 74: "BC2", 77: "BC3", 80: "BC4", 83: "BC5", 87: "B8G8R8A8", 95: "BC6H", 98: "BC7"}
	if name, ok := names[number]; ok {
		return "DX10 " + name
	}
	return fmt.Sprintf("DX10 format %d", number)
}
