package image

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"

	"trowel.example/internal/bin"
)

// imageSet reads an image set of CEGUI: XML that names the parts of one picture.
// It goes as far as the XML can be read.
func imageSet(data []byte) ([]Field, bool) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) {
		data = []byte(bin.DecodeUTF16(data[2:]))
	}
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = false
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // names of files are ASCII
	var fields []Field
	images := 0
	for {
		token, err := dec.RawToken()
		if err != nil {
			break
		}
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case fields == nil:
			if !strings.EqualFold(start.Name.Local, "Imageset") {
				return nil, false
			}
			fields = append([]Field{{"format", "CEGUI image set"}}, attributes(start)...)
		case strings.EqualFold(start.Name.Local, "Image"):
			images++
		}
	}
	if fields == nil {
		return nil, false
	}
	return append(fields, field("images", "%d", images)), true
}

// attributes returns what an image set says of itself.
func attributes(set xml.StartElement) (fields []Field) {
	get := func(name string) string {
		for _, a := range set.Attr {
			if strings.EqualFold(a.Name.Local, name) {
				return strings.ToValidUTF8(a.Value, "\uFFFD")
			}
		}
		return ""
	}
	for _, f := range []Field{{"name", get("Name")}, {"file", get("Imagefile")}} {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	if w, h := get("NativeHorzRes"), get("NativeVertRes"); w != "" && h != "" {
		fields = append(fields, field("native resolution", "%s × %s", w, h))
	}
	return fields
}
