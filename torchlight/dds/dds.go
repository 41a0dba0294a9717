// Package dds reads and writes the pictures of Torchlight II: DirectDraw surfaces, whose pixels are plain or compressed
// in blocks of 4 × 4 (DXT1, DXT3 and DXT5).
//
// Decoding is exact: the pixels are those that the specification of the format requires and that ImageMagick decodes.
// Only the largest picture of a file is read; smaller copies (mipmaps), other sides of a cube and other layers are
// ignored.
//
// The package registers with package image, so a program that imports it can open the pictures with [image.Decode].
package dds

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"io"
	"math/bits"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
)

// Format is how the pixels of a file are stored.
type Format uint8

// The formats.
const (
	Plain Format = iota // uncompressed pixels with channels under masks
	DXT1                // blocks of 8 bytes; pixels are opaque or transparent
	DXT3                // blocks of 16 bytes, with 16 steps of alpha
	DXT5                // blocks of 16 bytes, with alpha interpolated between two values
)

func (f Format) String() string { return [...]string{"plain", "DXT1", "DXT3", "DXT5"}[f] }

// blockSize is the number of bytes of a block.
func (f Format) blockSize() int {
	if f == DXT1 {
		return 8
	}
	return 16
}

// Sizes in bytes of the header with its signature, and of the optional second header.
const (
	HeaderSize     = 128
	headerSizeDX10 = 20
)

// maxSide is far above the longest side in pixels that graphics cards of the game support.
const maxSide = 1 << 16

// The bits of the header that are read or written.
const (
	flagsPlain = 0x100f // caps, height, width, pitch, pixel format
	flagsBlock = 0x81007
	capTexture = 0x1000

	pixelAlpha     = 0x1
	pixelOnlyAlpha = 0x2
	pixelFourCC    = 0x4
	pixelRGB       = 0x40
	pixelLuminance = 0x20000
)

// Header describes the picture of a file.
type Header struct {
	Width, Height int    // in pixels, 1 to 65536
	Mipmaps       int    // number of pictures of one side, 1 or more: each has half the size of the one before it
	Format        Format // how the pixels are stored
	Bits          int    // bits per pixel, if the format is Plain: 8, 16, 24 or 32
	// Masks of red, green, blue and alpha in a plain pixel, which is little-endian. A channel without bits is 0, and
	// alpha without bits is 255. In a gray picture the first three masks are equal.
	Masks [4]uint32

	offset int // of the pixels
}

// DX10 reports whether the file has the second header, which the game does not read.
func (h *Header) DX10() bool { return h.offset > HeaderSize }

// bgra are the masks of the plain format that mods use.
var bgra = [4]uint32{0xff0000, 0xff00, 0xff, 0xff000000}

// ReadHeader reads the header of a file; data may be only the beginning of the file. Every error is a [*fault.Error].
// Valid pictures that the game does not support give ErrVersion.
func ReadHeader(data []byte) (*Header, error) {
	if len(data) < HeaderSize {
		return nil, fail("header", 0, fault.ErrShort, "a header of 128 bytes", words.Count(len(data), "byte"))
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	if string(data[:4]) != "DDS " || u32(4) != HeaderSize-4 {
		return nil, fail("header", 0, fault.ErrFormat, `"DDS " and the size 124`, fmt.Sprintf("%q and %d", data[:4], u32(4)))
	}
	height, width := u32(12), u32(16)
	if width == 0 || height == 0 || width > maxSide || height > maxSide {
		return nil, fail("height", 12, fault.ErrFormat, "sides of 1 to 65536", fmt.Sprintf("%d × %d", width, height))
	}
	if e := effort.PicturePixels.Over(int64(width) * int64(height)); e != nil {
		return nil, fail("height", 12, e.Err, e.Want, e.Got)
	}
	h := &Header{Width: int(width), Height: int(height), Mipmaps: int(max(1, min(u32(28), 32))), offset: HeaderSize}
	flags := u32(80)
	switch {
	case flags&pixelFourCC != 0:
		return h, h.codec(data, string(data[84:88]))
	case flags&(pixelRGB|pixelLuminance|pixelOnlyAlpha) == 0:
		return nil, fail("format_flags", 80, fault.ErrVersion, "colours, gray, alpha or a codec", fmt.Sprintf("%#x", flags))
	}
	h.Bits = int(u32(88))
	h.Masks = [4]uint32{u32(92), u32(96), u32(100), u32(104)}
	switch {
	case flags&pixelLuminance != 0:
		h.Masks[1], h.Masks[2] = h.Masks[0], h.Masks[0]
	case flags&pixelOnlyAlpha != 0:
		h.Masks[0], h.Masks[1], h.Masks[2] = 0, 0, 0
	}
	if flags&(pixelAlpha|pixelOnlyAlpha) == 0 {
		h.Masks[3] = 0
	}
	if h.Bits%8 != 0 || h.Bits < 8 || h.Bits > 32 {
		return nil, fail("bits", 88, fault.ErrVersion, "pixels of 8, 16, 24 or 32 bits", fmt.Sprint(h.Bits))
	}
	for i, m := range h.Masks {
		if w := bits.OnesCount32(m); m>>bits.TrailingZeros32(m|1<<31) != 1<<w-1 && m != 0 {
			return nil, fail("masks", 92+4*int64(i), fault.ErrFormat, "contiguous bits", fmt.Sprintf("%#x", m))
		}
	}
	return h, nil
}

// codec reads the codec of four characters, and the second header of DX10.
func (h *Header) codec(data []byte, code string) error {
	switch code {
	case "DXT1":
		h.Format = DXT1
	case "DXT2", "DXT3": // DXT2 and DXT4 are DXT3 and DXT5 with colors premultiplied with alpha
		h.Format = DXT3
	case "DXT4", "DXT5":
		h.Format = DXT5
	case "DX10":
		if len(data) < HeaderSize+headerSizeDX10 {
			return fail("dx10", HeaderSize, fault.ErrShort, "a second header of 20 bytes", words.Count(len(data)-HeaderSize, "byte"))
		}
		h.offset += headerSizeDX10
		number := binary.LittleEndian.Uint32(data[HeaderSize:])
		switch number {
		case 28, 29:
			h.Bits, h.Masks = 32, [4]uint32{0xff, 0xff00, 0xff0000, 0xff000000}
		case 87, 91:
			h.Bits, h.Masks = 32, bgra
		case 71, 72:
			h.Format = DXT1
		case 74, 75:
			h.Format = DXT3
		case 77, 78:
			h.Format = DXT5
		default:
			return fail("dxgi_format", HeaderSize, fault.ErrVersion, "8 bits a channel, BC1, BC2 or BC3", fmt.Sprintf("format %d", number))
		}
	default:
		return fail("fourcc", 84, fault.ErrVersion, "DXT1 to DXT5", fmt.Sprintf("%q", code))
	}
	return nil
}

// Size returns the size in bytes of the pixels of the largest picture.
func (h *Header) Size() int {
	if h.Format == Plain {
		return h.Width * h.Height * (h.Bits / 8)
	}
	return (h.Width + 3) / 4 * ((h.Height + 3) / 4) * h.Format.blockSize()
}

// PixelSpan returns the position of the bytes of a pixel in the file. In a compressed picture these are the bytes of
// its block.
func (h *Header) PixelSpan(x, y int) (offset, length int64) {
	width, size := h.Width, h.Bits/8
	if h.Format != Plain {
		x, y, width, size = x/4, y/4, (h.Width+3)/4, h.Format.blockSize()
	}
	return int64(h.offset) + (int64(y)*int64(width)+int64(x))*int64(size), int64(size)
}

func init() { image.RegisterFormat("dds", "DDS ", decode, DecodeConfig) }

// DecodeConfig returns the size and the color model of the largest picture of a file, from its header.
func DecodeConfig(r io.Reader) (image.Config, error) {
	h, _, err := readFrom(r)
	if err != nil {
		return image.Config{}, err
	}
	return image.Config{ColorModel: color.NRGBAModel, Width: h.Width, Height: h.Height}, nil
}

// decode is Decode for package image.
func decode(r io.Reader) (image.Image, error) {
	h, data, err := readFrom(r)
	if err != nil {
		return nil, err
	}
	rest, err := io.ReadAll(io.LimitReader(r, int64(h.offset+h.Size()-len(data))))
	if err != nil {
		return nil, err
	}
	return Decode(append(data, rest...))
}

// readFrom reads a header and returns it with its bytes, and the first pixels if there is no second header.
func readFrom(r io.Reader) (*Header, []byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, HeaderSize+headerSizeDX10))
	if err != nil {
		return nil, nil, err
	}
	h, err := ReadHeader(data)
	return h, data, err
}

// Decode returns the largest picture of a file. It does not allocate memory for pixels that data does not have. Every
// error is a [*fault.Error].
func Decode(data []byte) (*image.NRGBA, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, err
	}
	pixels := data[h.offset:]
	if len(pixels) < h.Size() {
		return nil, fail("pixels", int64(h.offset), fault.ErrShort,
			fmt.Sprintf("%d bytes for %d × %d pixels", h.Size(), h.Width, h.Height), fmt.Sprint(len(pixels)))
	}
	m := image.NewNRGBA(image.Rect(0, 0, h.Width, h.Height))
	if h.Format == Plain {
		h.decodePlain(m, pixels)
	} else {
		decodeBlocks(m, pixels, h.Format)
	}
	return m, nil
}

func (h *Header) decodePlain(m *image.NRGBA, data []byte) {
	if h.Bits == 32 && h.Masks == bgra {
		for i := 0; i < len(m.Pix); i += 4 {
			p, d := m.Pix[i:i+4:i+4], data[i:i+4:i+4]
			p[0], p[1], p[2], p[3] = d[2], d[1], d[0], d[3]
		}
		return
	}
	bytes := h.Bits / 8
	var shift [4]int
	var top [4]uint32
	for c, mask := range h.Masks {
		shift[c] = bits.TrailingZeros32(mask)
		top[c] = uint32(1<<bits.OnesCount32(mask) - 1)
	}
	for i := range m.Pix {
		c := i % 4
		var v uint32
		for b := range bytes {
			v |= uint32(data[i/4*bytes+b]) << (8 * b)
		}
		switch {
		case top[c] != 0:
			m.Pix[i] = uint8((uint64(v&h.Masks[c]>>shift[c])*255 + uint64(top[c]/2)) / uint64(top[c]))
		case c == 3:
			m.Pix[i] = 255
		}
	}
}

// Encode returns a file with one picture in a format. Plain has 32 bits per pixel and is lossless; the other formats
// are lossy. Encode fails with a [*fault.Error] if a side is not 1 to 65536.
func Encode(m image.Image, f Format) ([]byte, error) {
	size := m.Bounds().Size()
	h := make([]byte, HeaderSize)
	u32 := func(at int, v uint32) { binary.LittleEndian.PutUint32(h[at:], v) }
	copy(h, "DDS ")
	u32(4, HeaderSize-4)
	u32(12, uint32(size.Y))
	u32(16, uint32(size.X))
	u32(76, 32)
	u32(108, capTexture)
	if f == Plain {
		u32(8, flagsPlain)
		u32(20, uint32(4*size.X))
		u32(80, pixelRGB|pixelAlpha)
		u32(88, 32)
		for i, mask := range bgra {
			u32(92+4*i, mask)
		}
	} else {
		u32(8, flagsBlock)
		u32(20, uint32((size.X+3)/4*((size.Y+3)/4)*f.blockSize()))
		u32(80, pixelFourCC)
		copy(h[84:], f.String())
	}
	return EncodeLike(m, h)
}

// EncodeLike returns a file with the header of another file, of HeaderSize bytes. The picture must have the size that
// the header states, and the header must state a single picture. If the header states plain pixels of 8 bits per
// channel, encoding the pixels of the other file reproduces its bytes.
func EncodeLike(m image.Image, header []byte) ([]byte, error) {
	h, err := ReadHeader(header)
	if err != nil {
		return nil, err
	}
	switch size := m.Bounds().Size(); {
	case len(header) != HeaderSize:
		return nil, fail("header", 0, fault.ErrFormat, "a header of 128 bytes", words.Count(len(header), "byte"))
	case size != image.Pt(h.Width, h.Height):
		return nil, fail("height", 12, fault.ErrFormat, fmt.Sprintf("a picture of %d × %d pixels", h.Width, h.Height),
			fmt.Sprintf("%d × %d", size.X, size.Y))
	case h.Mipmaps > 1:
		return nil, fail("mipmaps", 28, fault.ErrVersion, "one picture", words.Count(h.Mipmaps, "mipmap"))
	}
	src := straight(m)
	data := make([]byte, HeaderSize, HeaderSize+h.Size())
	copy(data, header)
	if h.Format == Plain {
		return h.encodePlain(data, src), nil
	}
	return encodeBlocks(data, src, h.Format), nil
}

func (h *Header) encodePlain(data []byte, m *image.NRGBA) []byte {
	for i := 0; i < len(m.Pix); i += 4 {
		var v uint32
		for c, mask := range h.Masks {
			top := uint32(1<<bits.OnesCount32(mask) - 1)
			v |= uint32((uint64(m.Pix[i+c])*uint64(top)+127)/255) << bits.TrailingZeros32(mask) & mask
		}
		for b := range h.Bits / 8 {
			data = append(data, byte(v>>(8*b)))
		}
	}
	return data
}

// straight returns the pixels of a picture in rows without gaps, not premultiplied with alpha.
func straight(m image.Image) *image.NRGBA {
	b := m.Bounds()
	if n, ok := m.(*image.NRGBA); ok && n.Stride == 4*b.Dx() && len(n.Pix) == 4*b.Dx()*b.Dy() {
		return n
	}
	n := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			n.Set(x, y, m.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return n
}

func fail(path string, offset int64, cause error, want, got string) error {
	return &fault.Error{Path: path, Offset: offset, Want: want, Got: got, Err: cause}
}
