package modinfo

import "trowel.example/torchlight/internal/imageset"

// imageSet summarizes an image set of CEGUI, as far as it can be read.
func imageSet(data []byte) ([]PictureField, bool) {
	set, _ := imageset.Parse(data)
	if set == nil {
		return nil, false
	}
	fields := []PictureField{{"format", "CEGUI image set"}}
	for _, f := range []PictureField{{"name", set.Name}, {"file", set.File}} {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	if w, h := set.NativeWidth, set.NativeHeight; w != "" && h != "" {
		fields = append(fields, field("native resolution", "%s × %s", w, h))
	}
	return append(fields, field("images", "%d", len(set.Sprites))), true
}
