package modinfo_test

import (
	"bytes"
	"encoding/binary"
	stdimage "image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"trowel.example/internal/bytes/bin"
	"trowel.example/torchlight/internal/modinfo"
)

// words returns little-endian 32-bit integers.
func words(v ...uint32) (b []byte) {
	for _, n := range v {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

// dds returns a header with the given pixel format.
func dds(mipmaps, caps2, flags uint32, fourCC string, format ...uint32) []byte {
	b := append([]byte("DDS "), words(124, 0x1007, 64, 128, 0, 0, mipmaps)...)
	b = append(b, make([]byte, 44)...)
	b = append(b, words(32, flags)...)
	b = append(b, fourCC...)
	b = append(b, words(format...)...)
	return append(b, words(0x1000, caps2, 0, 0, 0)...)
}

func encoded(t testing.TB, encode func(b *bytes.Buffer, m stdimage.Image) error) []byte {
	var b bytes.Buffer
	if err := encode(&b, stdimage.NewGray(stdimage.Rect(0, 0, 7, 5))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func wav(codec uint16) []byte {
	b := append([]byte("RIFF\x00\x00\x00\x00WAVELIST\x03\x00\x00\x00abc\x00fmt \x10\x00\x00\x00"), byte(codec), byte(codec>>8), 2, 0)
	b = append(b, words(22050, 88200)...)
	b = append(b, 4, 0, 16, 0)
	return append(b, "data\x20\x58\x01\x00"...)
}

const oggHead = "OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x1e"

const imageSet = `<?xml version="1.0" encoding="windows-1252"?>
<Imageset Name="icons" Imagefile="media/ui/icons.dds" NativeHorzRes="1024" NativeVertRes="768" AutoScaled="true">
	<Image Name="a" XPos="0" YPos="0" Width="64" Height="64"/>
	<!-- <Image/> -->
	<image Name=b XPos="64">
</Imageset>`

type sample struct {
	name string
	data []byte
	want string
}

func samples(t testing.TB) []sample {
	rgb := []uint32{32, 0xff0000, 0xff00, 0xff, 0xff000000}
	none := []uint32{0, 0, 0, 0, 0}
	return []sample{
		{"A.DDS", dds(8, 0, 4, "DXT5", none...), "format: DDS, DXT5; size: 128 × 64; mipmaps: 8"},
		{"A.DDS", dds(0, 0, 0x41, "\x00\x00\x00\x00", rgb...), "format: DDS, A8R8G8B8; size: 128 × 64; mipmaps: 1"},
		{"A.DDS", dds(1, 0, 0x40, "\x00\x00\x00\x00", rgb...), "format: DDS, X8R8G8B8; size: 128 × 64; mipmaps: 1"},
		{"A.DDS", dds(1, 0, 0x40, "\x00\x00\x00\x00", 16, 0xf800, 0x7e0, 0x1f, 0), "format: DDS, R5G6B5; size: 128 × 64; mipmaps: 1"},
		{"A.DDS", dds(1, 0, 0x20001, "\x00\x00\x00\x00", 16, 0xff, 0, 0, 0xff00), "format: DDS, A8L8; size: 128 × 64; mipmaps: 1"},
		{"A.DDS", dds(1, 0, 2, "\x00\x00\x00\x00", 8, 0, 0, 0, 0xff), "format: DDS, A8; size: 128 × 64; mipmaps: 1"},
		{"A.DDS", dds(1, 0, 0x80000, "\x00\x00\x00\x00", 12, 0, 0, 0, 0), "format: DDS, 12 bits; size: 128 × 64; mipmaps: 1"},
		{"A.DDS", dds(1, 0xfe00, 4, "\x74\x00\x00\x00", none...), "format: DDS, codec 74000000; size: 128 × 64; mipmaps: 1; sides: 6"},
		{"A.DDS", append(dds(1, 0, 4, "DX10", none...), words(98, 3, 0, 1, 0)...), "format: DDS, DX10 BC7; size: 128 × 64; mipmaps: 1"},
		{"A.DDS", append(dds(1, 0, 4, "DX10", none...), words(10, 3, 0, 1, 0)...),
			"format: DDS, DX10 format 10; size: 128 × 64; mipmaps: 1"},
		{"A.PNG", encoded(t, func(b *bytes.Buffer, m stdimage.Image) error { return png.Encode(b, m) }), "format: PNG; size: 7 × 5"},
		{"A.JPG", encoded(t, func(b *bytes.Buffer, m stdimage.Image) error { return jpeg.Encode(b, m, nil) }), "format: JPEG; size: 7 × 5"},
		{"A.TGA", []byte{0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0xF0, 0, 32, 8},
			"format: TGA, colour, run-length, 32 bits; size: 320 × 240"},
		{"A.WAV", wav(1), "format: WAV, PCM, 16 bits; channels: 2; rate: 22050 Hz; length: 1.00 s"},
		{"A.WAV", wav(0x55), "format: WAV, codec 0x55, 16 bits; channels: 2; rate: 22050 Hz; length: 1.00 s"},
		{"A.OGG", []byte(oggHead + "\x01vorbis\x00\x00\x00\x00\x02\x44\xac\x00\x00"), "format: Ogg Vorbis; channels: 2; rate: 44100 Hz"},
		{"A.OGG", []byte(oggHead + "OpusHead\x01"), "format: Ogg"},
		{"A.IMAGESET", []byte(imageSet), "format: CEGUI image set; name: icons; file: media/ui/icons.dds; native " +
			"resolution: 1024 × 768; images: 2"},
		{"a.imageset", bin.AppendUTF16([]byte{0xff, 0xfe}, imageSet[:250]),
			"format: CEGUI image set; name: icons; file: media/ui/icons.dds; native resolution: 1024 × 768; images: 1"},
		{"A.IMAGESET", []byte("<imageset/>"), "format: CEGUI image set; images: 0"},
	}
}

func fieldsText(fields []modinfo.PictureField) string {
	var parts []string
	for _, f := range fields {
		parts = append(parts, f.Name+": "+f.Value)
	}
	return strings.Join(parts, "; ")
}

func TestInfo(t *testing.T) {
	for _, s := range samples(t) {
		fields, ok := modinfo.PictureInfo("MEDIA/"+s.name, s.data)
		if got := fieldsText(fields); got != s.want || !ok {
			t.Errorf("%s: %q, %v, want %q", s.name, got, ok, s.want)
		}
	}
	for _, s := range []sample{
		{"A.DAT", []byte("[UNIT]"), ""},
		{"", nil, ""},
		{"A.TGA", nil, ""},
		{"A.TGA", make([]byte, 100), ""},
		{"A.DDS", []byte("DDS \x7d\x00\x00\x00"), ""},
		{"A.DDS", dds(1, 0, 4, "DX10", 0, 0, 0, 0, 0), ""},
		{"A.WAV", []byte("RIFF\x00\x00\x00\x00AVI "), ""},
		{"A.WAV", wav(1)[:30], ""},
		{"A.IMAGESET", []byte("<Imagesets Name='a'/>"), ""},
		{"A.IMAGESET", []byte("nothing"), ""},
		{"A.PNG", []byte("\x89PNG\r\n\x1a\n"), ""},
	} {
		if fields, ok := modinfo.PictureInfo(s.name, s.data); ok {
			t.Errorf("%s: %q of %q", s.name, fieldsText(fields), s.data)
		}
	}
}

// TestCut tests that a truncated file gives no other facts than the whole file.
func TestCut(t *testing.T) {
	for _, s := range samples(t) {
		whole := strings.Split(s.want, "; ")
		for n := range len(s.data) {
			fields, ok := modinfo.PictureInfo(s.name, s.data[:n])
			for i, f := range fields {
				if cut := f.Name + ": " + f.Value; !ok || cut != whole[i] && f.Name != "images" {
					t.Fatalf("%s: %d bytes say %q, all say %q", s.name, n, cut, whole[i])
				}
			}
		}
	}
}

func FuzzInfo(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.name, s.data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		fields, ok := modinfo.PictureInfo(name, data)
		if ok != (len(fields) > 0) {
			t.Fatalf("%v with %d fields", ok, len(fields))
		}
		for _, f := range fields {
			if f.Name == "" || f.Value == "" {
				t.Fatalf("an empty field in %v", fields)
			}
		}
	})
}

func BenchmarkInfo(b *testing.B) {
	all := samples(b)
	for b.Loop() {
		for _, s := range all {
			modinfo.PictureInfo(s.name, s.data)
		}
	}
}
