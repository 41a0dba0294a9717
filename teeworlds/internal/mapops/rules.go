package mapops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"trowel.example/check"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/internal/mapscene"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Seed is the option for the seed of an automapper.
type Seed struct {
	Seed *int `option:"seed"`
}

// Describe describes the option.
func (Seed) Describe(o *format.Option) {
	o.Explain("seed", "the `number` from which random choices are made, 0 to 1000000000; 0 chooses one")
}

// seed returns the seed, or otherwise if it is not given.
func (o Seed) seed(otherwise int32) (int32, error) {
	if o.Seed == nil {
		return otherwise, nil
	}
	if *o.Seed < 0 || *o.Seed > automap.MaxSeed {
		return 0, fmt.Errorf("seed %d: expected 0 to %d", *o.Seed, automap.MaxSeed)
	}
	return int32(*o.Seed), nil
}

// RuleFiles is the option for rules of automappers.
type RuleFiles struct {
	Paths []string `option:"rules,input"`
}

// Describe describes the option.
func (RuleFiles) Describe(o *format.Option) {
	o.Explain("rules", "a `file` of rules for the image of its name, a folder of such files, or the data folder of a game "+
		"(default: next to the map, and in the folders of the games)")
}

// Automapping are the options of automap.
type Automapping struct {
	Layers
	Config string `option:"config"`
	Seed
	RuleFiles
	Reference string `option:"reference" default:"none" help:"start from {tiles} of the game layer instead of those of the layer"`
	Physics   bool   `option:"physics" help:"also draw physics layers that --layer names, which changes how the map is played"`
	Amount    int    `option:"amount" default:"50" help:"how many doodads rules of Teeworlds 0.7 draw: {1 to 100}"`
	Store     bool   `option:"store" help:"store configuration and seed in the map"`
}

// Describe describes the options.
func (Automapping) Describe(o *format.Option) {
	o.Explain("config", "use this `configuration` of the rules: its name, or its number from 0 (default: that of the layer)")
	if o.Name == "reference" {
		o.Choices = automap.References()
	}
}

// Automap draws layers. It fails if it finds no rules for a layer that the user names. Of the layers for which
// the map names rules, it skips and reports those that cannot be drawn.
func Automap(ctx context.Context, e *Editor, o Automapping) error {
	if o.Amount < 1 || o.Amount > automap.MaxAmount {
		return fmt.Errorf("--amount: %d: expected 1 to %d", o.Amount, automap.MaxAmount)
	}
	rules, err := o.rules(e)
	if err != nil {
		return err
	}
	seed, err := o.seed(-1)
	if err != nil {
		return err
	}
	named := len(o.Patterns) > 0
	run := mapedit.Automapping{
		Rules:     func(image string) (*automap.Rules, error) { return rules.find(image, named) },
		Section:   o.Config,
		Seed:      seed,
		Reference: automap.Reference(slices.Index(automap.References(), o.Reference)),
		Physics:   o.Physics,
		Amount:    o.Amount,
		Store:     o.Store,
	}
	if !named {
		n, err := e.AutomapAll(ctx, run, func(err error) { e.Job.Miss(e.Job.Source.Path, "not drawn: %v", err) })
		if n == 0 {
			e.Job.Warn(e.Job.Source.Path, "the map names no rules for its layers: select layers with --layer, and rules with --config")
		}
		return err
	}
	layers, err := o.Select(e)
	if err == nil {
		physics := slices.ContainsFunc(layers, func(at mapedit.LayerAt) bool { return physicsLayer(e, at) != nil })
		if layers, err = drawable(e, layers, o.Physics); err != nil && physics && !o.Physics {
			err = fmt.Errorf("%w (--physics draws physics layers)", err)
		}
	}
	for _, at := range layers {
		if err == nil {
			err = e.Automap(ctx, at, run)
		}
	}
	return err
}

// drawable returns the layers that rules can draw, with physics also physics layers. If there are none, it returns the
// error of the last layer.
func drawable(e *Editor, layers []mapedit.LayerAt, physics bool) (list []mapedit.LayerAt, err error) {
	for _, at := range layers {
		_, _, bad := e.Automapped(at)
		if bad == nil || physics && physicsLayer(e, at) != nil {
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

// physicsLayer returns the physics layer at a place, or nil if there is another layer.
func physicsLayer(e *Editor, at mapedit.LayerAt) *twmap.TileLayer {
	groups := e.Map().Groups
	if at.Group < 0 || at.Group >= len(groups) || at.Layer < 0 || at.Layer >= len(groups[at.Group].Layers) {
		return nil
	}
	if l, ok := groups[at.Group].Layers[at.Layer].(*twmap.TileLayer); ok && l.Kind().Physics() {
		return l
	}
	return nil
}

// AutomapperSetting are the options of set-automapper.
type AutomapperSetting struct {
	LayerArg
	Config string `arg:"config" help:"a configuration of the rules: its name, or its number from 0"`
	Seed
	RuleFiles
	Automatic bool `option:"automatic" help:"the editor draws again after each change"`
}

// SetAutomapper sets the automapper of layers.
func SetAutomapper(e *Editor, layers []mapedit.LayerAt, o AutomapperSetting) error {
	all, err := o.rules(e)
	if err != nil {
		return err
	}
	seed, err := o.seed(0)
	if err != nil {
		return err
	}
	if layers, err = drawable(e, layers, false); err != nil {
		return err
	}
	for _, at := range layers {
		_, im, err := e.Automapped(at)
		if err != nil {
			return err
		}
		a := twmap.AutoMapper{Seed: seed, Automatic: o.Automatic}
		if n, bad := strconv.ParseUint(o.Config, 10, 31); bad == nil {
			a.Config = int32(n) // the rules may be missing
		} else {
			rules, err := all.find(im.Name, true)
			if err != nil {
				return err
			}
			section, err := rules.Section(o.Config)
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

// rules finds the rules of a run, by image.
type rules struct {
	files, dirs []string
	extensions  []string                  // of the files of rules, the first being preferred
	read        map[string]*automap.Rules // by path
}

// rules returns the files and folders in which the rules for a map may be.
func (o RuleFiles) rules(e *Editor) (*rules, error) {
	job := e.Job
	r := &rules{read: make(map[string]*automap.Rules), extensions: []string{automap.Extension, automap.ExtensionJSON}}
	if e.Map().Flavor() == "Teeworlds 0.7" {
		slices.Reverse(r.extensions)
	}
	for _, path := range o.Paths {
		st, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("--rules: %w", err)
		case st.IsDir():
			r.dirs = append(r.dirs, path, filepath.Join(path, "editor", "automap"))
		default:
			r.files = append(r.files, path)
		}
	}
	if reads := job.Source.Reads(); len(reads) > 0 {
		r.dirs = append(r.dirs, filepath.Dir(reads[0]))
	}
	for _, data := range append(mapscene.DataNear(job.Source), mapdraw.DataFolders()...) {
		r.dirs = append(r.dirs, filepath.Join(data, "editor", "automap"))
	}
	return r, nil
}

// find returns the rules for an image, or for a kind of physics layers. A single file of rules applies to the layers that
// the user names, whatever the name of the file is.
func (r *rules) find(image string, named bool) (*automap.Rules, error) {
	for _, path := range r.files {
		base := filepath.Base(path)
		if named && len(r.files) == 1 || slices.ContainsFunc(r.extensions, func(ext string) bool { return base == image+ext }) {
			return r.open(path)
		}
	}
	for _, ext := range r.extensions {
		name := filepath.FromSlash(image + ext)
		if !filepath.IsLocal(name) {
			continue
		}
		for _, dir := range r.dirs {
			rules, err := r.open(filepath.Join(dir, name))
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
				return rules, err
			}
		}
	}
	return nil, fmt.Errorf("no %s next to the map, in the folders of the games, or in --rules", image+r.extensions[0])
}

func (r *rules) open(path string) (*automap.Rules, error) {
	if rules := r.read[path]; rules != nil {
		return rules, nil
	}
	data, err := regular.ReadFile(path, effort.RulesFile)
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(filepath.Ext(path), automap.ExtensionJSON) {
		var first check.Finding
		r.read[path] = automap.ParseJSON(data, func(f check.Finding) {
			if first.ID == "" && f.Severity == check.Error {
				first = f
			}
		})
		if first.ID != "" {
			return nil, fmt.Errorf("%s: %s: %s", path, first.Path, first.Message)
		}
		return r.read[path], nil
	}
	r.read[path] = automap.ParseRules(data, nil)
	return r.read[path], nil
}

// ClearAutomappers removes the automappers of layers.
func ClearAutomappers(e *Editor, layers []mapedit.LayerAt, _ Layers) error {
	for _, at := range layers {
		if err := e.SetAutomapper(at, nil); err != nil {
			return err
		}
	}
	return nil
}
