//go:build !js

package torchlight

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/modedit"
)

// optionPortID is optionNewID for a port.
var optionPortID = format.Option{Name: optionNewID.Name, Type: format.Bool, Help: optionNewID.Help}

// portConversions make mods of Torchlight II of those of the first game.
var portConversions = []format.Conversion{{
	To: "torchlight-2", Title: "the folder of a mod of Torchlight I for Torchlight II, with a list of what that game does not have",
	Folder: true, Options: []format.Option{optionPortID}, Tree: portFolder,
}}

// portFolder converts the folder of a mod of Torchlight I.
func portFolder(ctx context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
	o, err := modOptions(job)
	if err != nil {
		return err
	}
	done := make(map[string]int)
	e, err := modedit.OfFolder(fsys, modedit.Options{
		Names: cmp.Or(o.Names, hash.Known()),
		Report: func(c check.Change) {
			if strings.HasPrefix(c.What, "became ") {
				c.What = "decompiled"
			}
			done[c.What]++
		},
		Miss: func(path, message string) { job.Lose(path, "%s", message) },
		Warn: func(path, message string) { job.Warn(path, "%s", message) },
	})
	if err != nil {
		return err
	}
	switch header := e.Header(); {
	case header == nil:
		return errors.New("has no MOD.DAT: a mod of Torchlight II needs one, with its NAME")
	case header.ID == 0 && !optionPortID.On(job):
		return errors.New("MOD.DAT has no MOD_ID, by which Torchlight II distinguishes mods: --new-id makes one")
	case header.ID == 0:
		if err := e.SetInfo(modedit.ID, modedit.NewID); err != nil {
			return err
		}
		clear(done)
		job.Done("the new MOD_ID is %d", header.ID)
	}
	if err := errors.Join(e.Port(), ctx.Err()); err != nil {
		return err
	}
	for _, what := range slices.Sorted(maps.Keys(done)) {
		job.Done("%s: %s", words.Count(done[what], "file"), what)
	}
	return writeEdited(job, e, out)
}
