package torchlight

import (
	"context"
	"fmt"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/modscene"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/moddir"
)

// openScene opens the scene of a single file.
func openScene(_ context.Context, job *format.Job, src *format.Source, _ string) (format.Scene, error) {
	base, closer, err := modsource.OpenBase(job, optionSceneBase.Value(job), moddir.Options{})
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	anims := optionAnim.Values(job)
	if len(anims) > 1 {
		return nil, fmt.Errorf("--%s: a picture has one animation", optionAnim.Name)
	}
	return modscene.Open(src, base, modscene.Options{Floats: floatStyle(job), Anim: strings.Join(anims, "")})
}

// openArchiveScene opens the scene of a file of a mod.
func openArchiveScene(ctx context.Context, job *format.Job, src *format.Source, at string) (format.Scene, error) {
	open := openPakFile
	if modsource.IsMod(src) {
		open = openModFile
	}
	f, err := open(ctx, job, src)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a := f.(*archive)
	tree, err := a.Tree(ctx, job)
	if err != nil {
		return nil, err
	}
	base, closer, err := modsource.OpenBase(job, a.base, a.options)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return modscene.OpenInArchive(a.reader, tree, at, base, a.options)
}
