package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/tiles"
	"trowel.example/cmd/internal/treediff"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// drawing is a drawing request, the same for all files of the verb.
type drawing struct {
	*writing
	View viewName `option:"view" help:"the {name} of a view (default: the first of --list)"`

	Output     string  `option:"output,o" help:"the new {picture} (default: named after FILE), or the folder for several"`
	Force      bool    `option:"force,f" help:"replace an existing picture"`
	Format     string  `option:"format" choices:"png|apng|svg|y4m" help:"format to write: png, apng, svg or y4m (default: by the name)"`
	Tiles      string  `option:"tiles" help:"make a {folder} of tiles with a page that shows them"`
	Thumbnail  bool    `option:"thumbnail" help:"make a small picture"`
	List       bool    `option:"list" help:"print the views and layers, and draw nothing"`
	Size       string  `option:"size" help:"{pixels} of the picture, such as 1280x720, or of its longer side"`
	Scale      string  `option:"scale" help:"{pixels} per unit"`
	Area       string  `option:"area" help:"area to show: two {corners}, such as -10,-10:20,20"`
	Layers     string  `option:"layers" help:"the {names} of layers to draw, such as Sky,Game or -Deco*,+Hidden"`
	Background string  `option:"background" choices:"none|#000000|#ffffff" help:"{#rrggbb}, or none for transparent (default: as in the game)"`
	Time       string  `option:"time" help:"{seconds} after the start, or a range such as 0..10"`
	Rate       float64 `option:"fps" default:"25" help:"pictures in a second"`
}

func renderCommand(a *Tool) *cobra.Command {
	d := &drawing{writing: &writing{Tool: a}}
	cmd := &cobra.Command{
		Use:     "render FILE... [-o PICTURE] [PATTERN...]",
		Aliases: []string{"draw", "picture"},
		Short:   "Draw a map, a world or a picture in a file",
		Long: `Render draws a file as the game would, without the game: climb.map becomes climb.png in the current
folder. -o names the picture, or the folder for several. Its format is chosen by the extension or by
--format: png; svg for files that can be drawn in lines; apng and y4m for animations.

--list prints the views of a file, with their layers and the units of their coordinates. Without
--size and --scale a picture has its natural size, halved until no side is longer than ` + words.Thousands(usualSide) + ` pixels.

--size is WIDTHxHEIGHT, or one number for the longer side. The picture shows --area, or everything,
as large as possible and centred. With --scale (pixels per unit) as well, it shows the middle.
--thumbnail makes a picture whose longer side has ` + fmt.Sprint(thumbnailSide) +
			` pixels: of everything, or of the middle if a unit would have less than an
eighth of its natural size. It also accepts a folder: of all files in it that can be drawn.

--layers takes comma-separated names or patterns: only these are drawn. With a + or - before each of
them, they are added to the default layers or removed from them. Layers of a map are also named by
kind: tiles, quads, sounds, physics, game, front and so on.

--time takes a moment in seconds, or two for an animation, as in 0..10, with --fps frames a second.
Frames are single files if -o has a %04d for their number, otherwise one file in apng or y4m
(YUV4MPEG2, which ffmpeg reads).

--tiles makes a folder of tiles of 256 pixels in all zoom levels, with an index.html that shows them
in a browser without contacting other hosts. A second run redraws only changed tiles. It never
replaces files of other programs. With --since and a manifest of the world at the time of the last
drawing, only tiles with new, removed or changed blocks are drawn; the others are unchanged, even if
they are stored elsewhere.

` + patternHelp + `

` + reportHelp + ` With --json there are also picture (what was drawn) and missing:
everything that was missing for the picture, as {kind, name, count, unit, what, loss}.`,
		Example: `  trowel render climb.map
  trowel render climb.map -o climb.png --size 1920x1080 --layers '-Deco*'
  trowel render world -o caves.png --scale 4 --area -100,-100:100,100
  trowel render world --tiles www/map
  trowel render climb.map -o - --format y4m --time 0..10 | ffmpeg -i - climb.mp4`,
		Args:              args(1, -1),
		ValidArgsFunction: completing(a, completePaths),
	}
	AsWork(cmd)
	d.View.flags = cmd.Flags()
	OptionFlags(a, cmd, func(f *format.Format) []format.Option {
		if f.Scene == nil {
			return nil
		}
		return f.OptionsFor(format.ForScene | format.ForTiles)
	}, d)
	a.Completes(cmd, "view", completing(a, completeViews))
	a.Completes(cmd, "layers", completing(a, completeLayers))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		asked, err := d.parse()
		if err == nil {
			err = d.fit(cmd.Flags())
		}
		if err == nil && d.Tiles == "" {
			err = cmp.Or(a.OnlyWork("--tiles"), onlyTiles(a, cmd.Flags()))
		}
		if err != nil {
			return wording.Hint(err, "see `%s --help`", cmd.CommandPath())
		}
		files := Expand(args)
		if d.Thumbnail {
			if files, err = seenIn(cmd.Context(), a, files); err != nil {
				return err
			}
		}
		targets, closeAll, err := scenesOf(cmd.Context(), a, files)
		if err != nil {
			return err
		}
		defer closeAll()
		if len(targets) > 1 && d.Tiles != "" {
			return wording.Hint(errors.New("--tiles accepts only one file"), "give one FILE")
		}
		names := make([]string, len(targets))
		for i, t := range targets {
			names[i] = t.name()
		}
		from := make(map[string]string) // source of each picture
		next, unseen := 0, 0
		var first error // a pattern need not select only what can be drawn
		summary := func() error {
			return fmt.Errorf("%s without a picture, such as %w", words.Count(unseen, "file"), first)
		}
		err = d.each(cmd.Context(), names, func(name string, r *report) error {
			t := targets[next]
			next++
			err := renderTarget(cmd.Context(), a, t, asked, r, func() (string, error) {
				made, err := asked.pictureName(t, len(targets) > 1)
				if err != nil {
					return "", err
				}
				if other, twice := from[made]; twice && made != "-" {
					return "", wording.Hint(fmt.Errorf("%s: the output would be %s, as for %s", name, made, other),
						"draw one of them separately, with another -o")
				}
				from[made] = name
				return made, nil
			})
			if t.path == "" || len(targets) == 1 || !errors.Is(err, format.ErrUnseen) {
				return err
			}
			if unseen++; first == nil {
				first = err
			}
			if unseen == len(targets) {
				return summary()
			}
			return nil
		})
		if unseen > 0 && unseen < len(targets) {
			a.talk.Warn("", summary().Error())
		}
		return err
	}
	return needs(cmd, needOutput)
}

// onlyTiles returns an error if options for tiles are given without --tiles.
func onlyTiles(a *Tool, flags *pflag.FlagSet) error {
	for _, f := range a.Formats {
		for _, o := range f.Options {
			if o.For&(format.ForScene|format.ForTiles) == format.ForTiles && flags.Changed(o.Name) {
				return fmt.Errorf("--%s is for --tiles", o.Name)
			}
		}
	}
	return nil
}

// fit returns an error if one given option makes another one meaningless.
func (d *drawing) fit(flags *pflag.FlagSet) error {
	for _, pair := range [][2]string{
		{"tiles", "output"}, {"tiles", "format"}, {"tiles", "size"}, {"tiles", "area"}, {"tiles", "dry-run"}, {"tiles", "list"},
		{"thumbnail", "tiles"}, {"thumbnail", "size"}, {"thumbnail", "scale"},
	} {
		if flags.Changed(pair[0]) && flags.Changed(pair[1]) {
			return fmt.Errorf("--%s and --%s cannot be combined", pair[0], pair[1])
		}
	}
	if flags.Changed("tiles") && d.Tiles == "" {
		return errors.New("--tiles: expected the name of a folder")
	}
	if flags.Changed("fps") && !strings.Contains(d.Time, "..") {
		return errors.New("--fps requires a range such as --time 0..10")
	}
	return nil
}

// sceneTarget is something to draw: a file, or a file inside it.
type sceneTarget struct {
	file string
	path string        // path in the file; "" for the file itself
	game *service.File // nil: opened when it is drawn
}

func (t sceneTarget) name() string {
	if t.path == "" {
		return t.file
	}
	return t.file + "/" + t.path
}

// scenesOf returns what to draw: the files, or the files inside the first file that patterns select.
func scenesOf(ctx context.Context, a *Tool, args []string) (targets []sceneTarget, closeAll func(), err error) {
	files, patterns := filesAndPatterns(ctx, a, args)
	if len(patterns) == 0 {
		for _, name := range files {
			targets = append(targets, sceneTarget{file: name})
		}
		return targets, func() {}, nil
	}
	g, err := findScene(ctx, a, files[0])
	if err != nil {
		return nil, nil, err
	}
	closeAll = func() { g.Close() }
	if targets, err = scenesIn(ctx, a, g, patterns); err != nil {
		closeAll()
	}
	return targets, closeAll, err
}

// scenesIn returns the files inside a file that patterns select.
func scenesIn(ctx context.Context, a *Tool, g *service.File, patterns []string) ([]sceneTarget, error) {
	chosen, err := selectPaths(patterns)
	if err != nil {
		return nil, err
	}
	if g.HasScene == nil {
		return nil, wording.Hint(fmt.Errorf("%s: parts of a %s cannot be drawn separately", g.Called, g.Title), "--layers chooses what is drawn")
	}
	job := a.Job(g.Format)
	file, err := g.OpenFile(ctx, job)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	fsys, err := file.Tree(ctx, job)
	if err != nil {
		return nil, wording.Named(err, g.Called)
	}
	var targets []sceneTarget
	other := ""
	err = treediff.Walk(ctx, fsys, ".", func(name string, e fs.DirEntry) error {
		switch {
		case e.IsDir() || !chosen.has(name):
		case g.Shows(name):
			targets = append(targets, sceneTarget{g.Called, name, g})
		default:
			other = name
		}
		return nil
	})
	if err == nil {
		err = chosen.unused(g.Called)
	}
	if err == nil && len(targets) == 0 {
		err = fmt.Errorf("%s/%s: %w", g.Called, other, format.ErrUnseen)
	}
	return targets, err
}

// findScene opens a file that can be drawn, in any form.
func findScene(ctx context.Context, a *Tool, name string) (*service.File, error) {
	g, err := a.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	if g.Scene == nil {
		err = fmt.Errorf("%s: a %s cannot be drawn", name, g.Title)
	} else {
		err = a.Owned(g.Format)
	}
	if err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// renderTarget draws one target. nameOf returns the name of its picture.
func renderTarget(ctx context.Context, a *Tool, t sceneTarget, asked *askedPicture, r *report, nameOf func() (string, error)) (err error) {
	g := t.game
	if g == nil {
		if g, err = findScene(ctx, a, t.file); err != nil {
			return err
		}
		defer g.Close()
	}
	if t.path == "" && !g.Shows("") {
		return wording.Hint(fmt.Errorf("%s: only files inside a %s can be drawn", t.file, g.Title),
			"`trowel ls %s` lists them: add the path of one", words.Quoted(t.file))
	}
	r.format = g.Name
	job := r.watch(a.Job(g.Format))
	if a.Handover != nil && asked.Tiles != "" {
		job.Part = tiles.ScenePart(a.Handover.Part)
	}
	scene, err := g.Scene(ctx, job, g.Source, t.path)
	if err != nil {
		return wording.Named(err, t.name())
	}
	defer scene.Close()
	if asked.List {
		return listViews(a, r, scene)
	}
	view, look, err := asked.look(scene, g.Options, a.Options)
	if err != nil {
		return wording.Named(err, t.name())
	}
	p := &picture{report: r, asked: asked, game: g, job: job, scene: scene, view: view, look: look, name: t.name()}
	if asked.Tiles != "" {
		return wording.Named(p.drawTiles(ctx, asked.Tiles), t.name())
	}
	made, err := nameOf()
	if err == nil && r.several && !r.DryRun {
		err = wholefile.MkdirAll(filepath.Dir(made), 0o777)
	}
	if err != nil {
		return err
	}
	return wording.Named(p.draw(ctx, made), t.name())
}

// pictureName returns the name of the picture of a target.
func (d *askedPicture) pictureName(t sceneTarget, several bool) (string, error) {
	ext := "." + d.Format
	if d.Format == "" {
		ext = ".png"
	}
	if d.Output == "-" && several {
		return "", errors.New("only one picture can go to standard output")
	}
	if d.Output != "" && !several {
		return d.Output, nil
	}
	base := filepath.FromSlash(t.path)
	if base == "" {
		base = filepath.Base(filepath.Clean(t.file))
	} else if !several {
		base = filepath.Base(base)
	}
	if base == "-" {
		return "", wording.Hint(errors.New("no name given for the picture"), "give it with -o, such as -o picture%s", ext)
	}
	if st, err := os.Stat(t.file); err != nil || !st.IsDir() || t.path != "" {
		if short := strings.TrimSuffix(base, filepath.Ext(base)); short != "" {
			base = short
		}
	}
	return filepath.Join(d.Output, base+ext), nil
}

// seenIn replaces folders of files by those files in them that can be drawn.
func seenIn(ctx context.Context, a *Tool, names []string) (files []string, err error) {
	for _, name := range names {
		before := len(files)
		err := a.Targets(ctx, name, func(t service.Target) error {
			if !t.Found {
				files = append(files, name)
				return nil
			}
			if t.Err != nil {
				return t.Err
			}
			g, err := a.FindTarget(ctx, t)
			if errors.Is(err, format.ErrUnknown) {
				return nil
			}
			if err != nil {
				return err
			}
			if g.Scene != nil {
				files = append(files, t.Name)
			}
			return g.Close()
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, noFiles(name, "files that can be drawn")
		}
	}
	return files, nil
}
