package modinfo

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"path"
	"strings"

	"trowel.example/internal/bytes/bin"
)

// PictureField is a fact about a file.
type PictureField struct {
	Name  string // for example "size"
	Value string // for example "512 × 256"
}

// reader reads the facts about files of one format.
type reader struct {
	magic string // how files begin; "" if there is no signature
	info  func(data []byte) ([]PictureField, bool)
}

var readers = []reader{
	{"DDS ", ddsInfo},
	{"\x89PNG\r\n\x1a\n", pngInfo},
	{"\xff\xd8\xff", jpegInfo},
	{"RIFF", wavInfo},
	{"OggS", oggInfo},
}

// byName are formats without a signature.
var byName = map[string]func(data []byte) ([]PictureField, bool){
	".TGA":      tgaInfo,
	".IMAGESET": imageSet,
}

// PictureInfo returns the facts about a file. The data may be its beginning only: 4096 bytes are mostly enough, but the images
// of an image set are counted only in the given data. Info returns false for unknown formats and for files that are
// broken before their first field.
//
// The format is detected by the content, except for .TGA and .IMAGESET, which are detected by the name.
func PictureInfo(name string, data []byte) ([]PictureField, bool) {
	for _, r := range readers {
		if bytes.HasPrefix(data, []byte(r.magic)) {
			return r.info(data)
		}
	}
	if info := byName[strings.ToUpper(path.Ext(name))]; info != nil {
		return info(data)
	}
	return nil, false
}

func field(name, format string, args ...any) PictureField {
	return PictureField{name, fmt.Sprintf(format, args...)}
}

func sizeField(width, height uint32) PictureField { return field("size", "%d × %d", width, height) }

func pngInfo(data []byte) ([]PictureField, bool) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	return pictureInfo("PNG", c, err)
}

func jpegInfo(data []byte) ([]PictureField, bool) {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	return pictureInfo("JPEG", c, err)
}

func pictureInfo(format string, c image.Config, err error) ([]PictureField, bool) {
	if err != nil {
		return nil, false
	}
	return []PictureField{{"format", format}, sizeField(uint32(c.Width), uint32(c.Height))}, true
}

// tgaInfo reads the header of a Targa picture, which has no signature. It rejects impossible headers.
func tgaInfo(data []byte) ([]PictureField, bool) {
	r := bin.NewReader(data, bin.LittleEndian)
	r.U8("id_length")
	hasMap := r.U8("colour_map_type")
	kind := r.U8("image_type")
	r.Span("colour_map", 5)
	r.Span("origin", 4)
	width, height := r.U16("width"), r.U16("height")
	depth := r.U8("depth")
	if r.Err() != nil || hasMap > 1 || width == 0 || height == 0 || depth == 0 || depth > 32 {
		return nil, false
	}
	names := map[uint8]string{1: "palette", 2: "colour", 3: "grey", 9: "palette, run-length", 10: "colour, run-length",
		11: "grey, run-length"}
	pixels, ok := names[kind]
	if !ok {
		return nil, false
	}
	return []PictureField{field("format", "TGA, %s, %d bits", pixels, depth), sizeField(uint32(width), uint32(height))}, true
}

// wavInfo reads the chunks of a RIFF sound up to its samples.
func wavInfo(data []byte) ([]PictureField, bool) {
	r := bin.NewReader(data, bin.LittleEndian)
	r.Span("riff", 8)
	if string(r.Bytes("kind", 4)) != "WAVE" {
		return nil, false
	}
	var fields []PictureField
	var perSecond uint32
	for r.Err() == nil {
		id, size := string(r.Bytes("id", 4)), r.U32("size")
		if r.Err() != nil || id == "data" {
			if r.Err() == nil && perSecond > 0 {
				fields = append(fields, field("length", "%.2f s", float64(size)/float64(perSecond)))
			}
			break
		}
		chunk := bin.NewReader(r.Bytes("chunk", int(min(size+size&1, uint32(r.Len())))), bin.LittleEndian)
		if id != "fmt " {
			continue
		}
		codec, channels, rate := chunk.U16("codec"), chunk.U16("channels"), chunk.U32("rate")
		perSecond = chunk.U32("bytes_per_second")
		chunk.Span("align", 2)
		bits := chunk.U16("bits")
		if chunk.Err() != nil {
			return nil, false
		}
		names := map[uint16]string{1: "PCM", 2: "MS ADPCM", 3: "float", 0x11: "IMA ADPCM", 0xfffe: "extensible"}
		name, ok := names[codec]
		if !ok {
			name = fmt.Sprintf("codec %#x", codec)
		}
		fields = append(fields, field("format", "WAV, %s, %d bits", name, bits), field("channels", "%d", channels),
			field("rate", "%d Hz", rate))
	}
	return fields, len(fields) > 0
}

// oggInfo reads the first page of an Ogg stream, which holds the header of Vorbis.
func oggInfo(data []byte) ([]PictureField, bool) {
	r := bin.NewReader(data, bin.LittleEndian)
	r.Span("page", 26)
	r.Span("segments", int(r.U8("num_segments")))
	packet := string(r.Bytes("packet", 7))
	if r.Err() == nil && packet != "\x01vorbis" {
		return []PictureField{{"format", "Ogg"}}, true
	}
	r.U32("version")
	channels, rate := r.U8("channels"), r.U32("rate")
	if r.Err() != nil {
		return nil, false
	}
	return []PictureField{{"format", "Ogg Vorbis"}, field("channels", "%d", channels), field("rate", "%d Hz", rate)}, true
}
