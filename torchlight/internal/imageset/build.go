package imageset

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/draw"
	"maps"
	"math/bits"
	"path"
	"slices"
	"strings"

	"trowel.example/torchlight/internal/sheet"
)

// maxSheet is the greatest side of a picture that all graphics cards of the game can show.
const maxSheet = 4096

// Build returns an image set, and its picture, of pictures by the names of their sprites. File is the path of the picture in the game. The
// sides of the picture are powers of two.
func Build(file string, pictures map[string]*image.NRGBA) ([]byte, *image.NRGBA, error) {
	names := slices.Sorted(maps.Keys(pictures))
	sizes := make([]image.Point, len(names))
	known := make(map[string]string)
	side := 64
	for i, name := range names {
		if other, has := known[strings.ToUpper(name)]; has {
			return nil, nil, fmt.Errorf("%s and %s are the same name for the game", other, name)
		}
		known[strings.ToUpper(name)] = name
		sizes[i] = pictures[name].Rect.Size()
		for side < max(sizes[i].X, sizes[i].Y) {
			side *= 2
		}
	}
	sheets, places, height := sheet.Shelves(sizes, side)
	for len(names) > 0 && slices.Max(sheets) > 0 && side <= maxSheet {
		side *= 2
		sheets, places, height = sheet.Shelves(sizes, side)
	}
	if side > maxSheet {
		return nil, nil, fmt.Errorf("the pictures do not fit into %d × %d pixels: make several image sets", maxSheet, maxSheet)
	}
	m := image.NewNRGBA(image.Rect(0, 0, side, 1<<bits.Len(uint(max(height, 4)-1))))
	var out bytes.Buffer
	fmt.Fprintf(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Imageset Name=\"%s\" Imagefile=\"%s\" NativeHorzRes=\"1024\" "+
		"NativeVertRes=\"768\" AutoScaled=\"true\">\n", escaped(strings.TrimSuffix(path.Base(file), path.Ext(file))), escaped(file))
	for i, name := range names {
		r := places[i]
		draw.Draw(m, r, pictures[name], pictures[name].Rect.Min, draw.Src)
		fmt.Fprintf(&out, "\t<Image Name=\"%s\" XPos=\"%d\" YPos=\"%d\" Width=\"%d\" Height=\"%d\"/>\n",
			escaped(name), r.Min.X, r.Min.Y, r.Dx(), r.Dy())
	}
	out.WriteString("</Imageset>\n")
	return out.Bytes(), m, nil
}

func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a Buffer returns no errors
	return b.String()
}
