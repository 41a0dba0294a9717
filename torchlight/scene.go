package torchlight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/codex"
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

// levelFields are the options of values at a level, in queries and for cards.
type levelFields struct {
	Level      int    `option:"level"`
	Difficulty string `option:"difficulty" choices:"easy|normal|hard|very-hard" default:"normal" help:"the {difficulty} of values of monsters"`
}

// Describe describes the options.
func (levelFields) Describe(o *format.Option) {
	if o.Name == "level" {
		o.Help = "also the values at the `level`, by the graphs of the files: damage, armor, health, experience"
		o.Parse = func(value string) error {
			if n, err := strconv.Atoi(value); err != nil || n < 1 || n > codex.MaxLevel {
				return fmt.Errorf("expected a level from 1 to %d, not %s", codex.MaxLevel, value)
			}
			return nil
		}
	}
}

func (o levelFields) at() modscene.Level {
	i := slices.Index(cardOptions[1].Choices, o.Difficulty)
	return modscene.Level{Level: o.Level, Difficulty: codex.Difficulty(max(i, 0))}
}

// cardOptions are the options of cards.
var cardOptions = func() []format.Option {
	list := format.OptionsOf[levelFields]()
	for i := range list {
		list[i].For = format.ForScene
	}
	list[0].Drawing = format.Drawing{Title: "Level", Views: []string{"items", "monsters"}}
	list[1].Drawing = format.Drawing{Title: "Difficulty", Views: []string{"monsters"}}
	return list
}()

func sceneOptions(job *format.Job) (modscene.Options, error) {
	o := modscene.Options{Floats: floatStyle(job), Mesh: optionMesh.Value(job), Level: format.Values[levelFields](job).at()}
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
