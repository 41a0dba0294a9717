package teeworlds

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

var (
	optionRules = format.Option{Name: "rules", List: true, Input: true,
		Help: "a `file` of rules for the image of its name, or a folder of such, or of a game's data (default: beside the map, and where the games have them)"}
	optionSeed = format.Option{Name: "seed", Type: format.Integer,
		Help: "the `number` that random choices are made of, 0 to 1000000000; 0 draws one"}
	argConfig = format.Option{Name: "config", Help: "a configuration of the rules: its name, or its number from 0"}
)

var automapCommands = []mapCommand{
	{
		Command: format.Command{Name: "automap", Title: "Draw layers by the rules for their images", Heading: "Automapper",
			Long: `Each layer for which the map names a configuration of rules is drawn by it, as the button
Automap of DDNet's editor does: the same tiles for the same seed. --layer and --config draw
other layers, or by other rules. A layer whose seed is 0 gets one that is drawn and told: with
--seed that number, it comes out the same again.`,
			Options: opts{
				optionLayers, optionNot,
				{Name: "config", Help: "draw by this `configuration` of the rules: its name, or its number from 0 (default: as the map says)"},
				optionSeed, optionRules,
				{Name: "reference", Choices: automap.References(), Default: "none", Help: "go by `tiles` of the game layer at first, not by the layer itself"},
				{Name: "store", Bool: true, Help: "keep configuration and seed in the map"},
			},
			Example: "automap --layer 'Tiles/*' --config Default --seed 7"},
		do: automapLayers,
	},
	command("Automapper", "set-automapper", "Say by which rules the editor draws layers", opts{argLayer, argConfig},
		opts{optionSeed, optionRules, {Name: "automatic", Bool: true, Help: "the editor draws anew after each change"}},
		"set-automapper Tiles/Ground Default --seed 42 --automatic", setAutomapper),
	command("Automapper", "clear-automapper", "Take away what the map says of rules", nil, opts{optionLayers, optionNot}, "clear-automapper --layer 'Tiles/*'",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			layers, err := layersOf(e, job)
			for _, at := range layers {
				if err == nil {
					err = e.SetAutomapper(at, nil)
				}
			}
			return err
		}),
}

// automapLayers draws layers. It fails if it finds no rules for a layer that the user names. Of the layers for which
// the map names rules, it skips and reports those that cannot be drawn.
func automapLayers(ctx context.Context, e *mapedit.Editor, job *format.Job) error {
	rules, err := rulesFor(job)
	if err != nil {
		return err
	}
	seed, given, err := seedOf(job)
	if err != nil {
		return err
	}
	if !given {
		seed = -1
	}
	named := len(job.List(optionLayers.Name)) > 0
	o := mapedit.Automapping{
		Rules:     func(image string) (*automap.Rules, error) { return rules.find(image, named) },
		Section:   job.Value("config"),
		Seed:      seed,
		Reference: automap.Reference(slices.Index(automap.References(), job.Value("reference"))),
		Store:     job.On("store"),
	}
	if !named {
		n, err := e.AutomapAll(ctx, o, func(err error) { job.Miss(job.Source.Path, "not drawn: %v", err) })
		if n == 0 {
			job.Warn(job.Source.Path, "the map names rules for no layer: --layer and --config draw others")
		}
		return err
	}
	layers, err := layersOf(e, job)
	if err == nil {
		layers, err = drawable(e, layers)
	}
	for _, at := range layers {
		if err == nil {
			err = e.Automap(ctx, at, o)
		}
	}
	return err
}

// drawable returns the layers that rules can draw. If there are none, it returns the error of the last layer.
func drawable(e *mapedit.Editor, layers []mapedit.LayerAt) (list []mapedit.LayerAt, err error) {
	for _, at := range layers {
		_, _, bad := e.Automapped(at)
		if bad == nil {
			list = append(list, at)
		} else {
			err = bad
		}
	}
	if list != nil {
		err = nil
	}
	return list, err
}

func setAutomapper(_ context.Context, e *mapedit.Editor, job *format.Job) error {
	all, err := rulesFor(job)
	if err != nil {
		return err
	}
	seed, _, err := seedOf(job)
	if err != nil {
		return err
	}
	layers, err := layersOf(e, job)
	if err == nil {
		layers, err = drawable(e, layers)
	}
	if err != nil {
		return err
	}
	for _, at := range layers {
		_, im, err := e.Automapped(at)
		if err != nil {
			return err
		}
		a := twmap.AutoMapper{Seed: seed, Automatic: job.On("automatic")}
		if n, bad := strconv.ParseUint(job.Value(argConfig.Name), 10, 31); bad == nil {
			a.Config = int32(n) // the rules may be missing
		} else {
			rules, err := all.find(im.Name, true)
			if err != nil {
				return err
			}
			section, err := rules.Section(job.Value(argConfig.Name))
			if err != nil {
				return err
			}
			a.Config = int32(section)
		}
		if err := e.SetAutomapper(at, &a); err != nil {
			return err
		}
	}
	return nil
}

const rulesExtension = ".rules"

// rulesOf finds the rules of a run, by image.
type rulesOf struct {
	files, dirs []string
	read        map[string]*automap.Rules // by path
}

// rulesFor returns the files and folders in which the rules for a map may be.
func rulesFor(job *format.Job) (*rulesOf, error) {
	r := &rulesOf{read: make(map[string]*automap.Rules)}
	for _, path := range job.List(optionRules.Name) {
		st, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("--%s: %w", optionRules.Name, err)
		case st.IsDir():
			r.dirs = append(r.dirs, path, filepath.Join(path, "editor", "automap"))
		default:
			r.files = append(r.files, path)
		}
	}
	if reads := job.Source.Reads(); len(reads) > 0 {
		r.dirs = append(r.dirs, filepath.Dir(reads[0]))
	}
	for _, data := range append(dataBeside(job.Source), mapdraw.DataFolders()...) {
		r.dirs = append(r.dirs, filepath.Join(data, "editor", "automap"))
	}
	return r, nil
}

// find returns the rules for an image. A single file of rules applies to the layers that the user names, whatever the
// name of the file is.
func (r *rulesOf) find(image string, named bool) (*automap.Rules, error) {
	name := image + rulesExtension
	for _, path := range r.files {
		if filepath.Base(path) == name || named && len(r.files) == 1 {
			return r.open(path)
		}
	}
	if filepath.IsLocal(filepath.FromSlash(name)) {
		for _, dir := range r.dirs {
			rules, err := r.open(filepath.Join(dir, filepath.FromSlash(name)))
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
				return rules, err
			}
		}
	}
	return nil, fmt.Errorf("no %s beside the map, where the games have theirs, or in --%s", name, optionRules.Name)
}

func (r *rulesOf) open(path string) (*automap.Rules, error) {
	if rules := r.read[path]; rules != nil {
		return rules, nil
	}
	data, err := regular.ReadFile(path, automap.MaxFile)
	if err != nil {
		return nil, err
	}
	r.read[path] = automap.ParseRules(data, nil)
	return r.read[path], nil
}

// seedOf returns the seed that the user gave, and whether one was given.
func seedOf(job *format.Job) (seed int32, given bool, err error) {
	if given = job.Value(optionSeed.Name) != ""; given {
		if seed = int32(job.Integer(optionSeed.Name)); seed < 0 || seed > automap.MaxSeed {
			err = fmt.Errorf("seed %d: expected 0 to %d", seed, automap.MaxSeed)
		}
	}
	return seed, given, err
}
