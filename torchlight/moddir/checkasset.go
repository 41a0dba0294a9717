package moddir

import (
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/imageset"
	"trowel.example/torchlight/picture"
)

// isAsset reports whether a file is a picture or an image set, by its path.
func isAsset(name string) bool {
	switch strings.ToUpper(path.Ext(name)) {
	case ".DDS", ".TGA", ".PNG", ".JPG", ".IMAGESET":
		return true
	}
	return false
}

// lookAt checks a picture or an image set.
func (a *facts) lookAt(data []byte, sink check.Sink) {
	if strings.EqualFold(path.Ext(a.path), ".IMAGESET") {
		imageset.Check(data, sink)
	} else {
		picture.Check(a.path, data, sink)
	}
}
