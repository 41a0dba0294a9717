//go:build !js

package teeworlds

import (
	"context"
	"io/fs"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapauthor"
)

// mapAuthoring helps editors with the folders of maps, and with rules of automappers.
var mapAuthoring = &format.Authoring{
	Main: "map.json",
	Open: func(_ context.Context, _ *format.Job, fsys fs.FS) (format.Author, error) {
		return mapauthor.Open(fsys), nil
	},
}
