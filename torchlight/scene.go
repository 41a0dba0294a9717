package torchlight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/modscene"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/moddir"
)

// openScene opens the scene of a single file.
func openScene(_ context.Context, job *format.Job, src *format.Source, _ string) (*format.Scene, error) {
	base, closer, err := modsource.OpenBase(job, optionSceneBase.Value(job), moddir.Options{})
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	o, err := sceneOptions(job)
	if err != nil {
		return nil, err
	}
	return modscene.Open(src, base, o)
}

func sceneOptions(job *format.Job) (modscene.Options, error) {
	o := modscene.Options{Floats: floatStyle(job), Mesh: optionMesh.Value(job)}
	anims := optionAnim.Values(job)
	if len(anims) > 1 {
		return o, fmt.Errorf("--%s: a picture has one animation", optionAnim.Name)
	}
	o.Anim = strings.Join(anims, "")
	return o, nil
}

// openArchiveScene opens the scene of a file of a mod.
func openArchiveScene(ctx context.Context, job *format.Job, src *format.Source, at string) (*format.Scene, error) {
	o, err := sceneOptions(job)
	if err != nil {
		return nil, err
	}
	a, closer, err := openArchive(ctx, job, src)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return a.Open(at, o)
}

// openArchive opens a mod or an archive with the game's files, for pictures and models.
func openArchive(ctx context.Context, job *format.Job, src *format.Source) (*modscene.Archive, io.Closer, error) {
	open := openPakFile
	if modsource.IsMod(src) {
		open = openModFile
	}
	f, err := open(ctx, job, src)
	if err != nil {
		return nil, nil, err
	}
	a := f.(*archive)
	tree, err := a.Tree(ctx, job)
	if err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	base, closer, err := modsource.OpenBase(job, a.base, a.options)
	if err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	a.closes(closer)
	return &modscene.Archive{Reader: a.reader, Tree: tree, Base: base, Options: a.options}, a, nil
}
