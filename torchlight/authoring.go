//go:build !js

package torchlight

import (
	"context"
	"io/fs"

	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/modauthor"
)

// modAuthoring helps editors with the folders of mods and archives.
var modAuthoring = &format.Authoring{
	Main: "MOD.DAT",
	Open: func(_ context.Context, job *format.Job, fsys fs.FS) (format.Author, error) {
		o, err := modOptions(job)
		if err != nil {
			return nil, err
		}
		return modauthor.Open(job, fsys, optionBase.Value(job), o)
	},
}
