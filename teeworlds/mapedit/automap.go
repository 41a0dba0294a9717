package mapedit

import (
	"context"
	"fmt"

	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/twmap"
)

// Automapped returns the layer that rules may draw, and its image, whose name selects the rules. It fails for layers
// other than design layers of tiles, and for layers without an image.
func (e *Editor) Automapped(at LayerAt) (*twmap.TileLayer, *twmap.Image, error) {
	layer, err := e.layerAt(at)
	l, ok := layer.(*twmap.TileLayer)
	switch {
	case err != nil:
		return nil, nil, err
	case !ok || l.Kind() != twmap.KindTiles:
		return nil, nil, fmt.Errorf("%s is not a design layer of tiles", e.Path(layer))
	case l.Image < 0 || l.Image >= len(e.m.Images):
		return nil, nil, fmt.Errorf("%s has no image, so no rules apply to it", e.Path(layer))
	}
	return l, e.m.Images[l.Image], nil
}

// Automapping specifies how layers are drawn by rules.
type Automapping struct {
	Rules     func(image string) (*automap.Rules, error) // finds the rules for an image
	Section   string                                     // the name, or the number in digits; "": as in the map
	Seed      int32                                      // of the random choices; 0: a random seed for each layer; below 0: as in the map
	Reference automap.Reference                          // to the game layer of the map
	Physics   bool                                       // physics layers are drawn, too; the name of their rules is that of their kind
	Amount    int                                        // of doodads, as in [automap.Options]
	Store     bool                                       // store the section and the seed in the map
}

// AutomapAll draws all layers for which the map names a section of rules. A layer that cannot be drawn is not
// changed, and missed receives the reason. AutomapAll returns the number of layers that name a section. It fails if
// ctx is done; layers drawn until then stay changed.
func (e *Editor) AutomapAll(ctx context.Context, o Automapping, missed func(error)) (int, error) {
	n := 0
	for i, g := range e.m.Groups {
		for j := range g.Layers {
			l, _, err := e.Automapped(LayerAt{i, j})
			if err != nil || l.AutoMapper == nil || l.AutoMapper.Config < 0 {
				continue
			}
			n++
			err = e.Automap(ctx, LayerAt{i, j}, o)
			if ctx.Err() != nil {
				return n, ctx.Err()
			}
			if err != nil {
				missed(err)
			}
		}
	}
	return n, nil
}

// Automap draws a layer by rules, whatever the map states for it. It returns the errors of [Editor.Automapped], of
// finding rules and section, and of [automap.Rules.Run].
func (e *Editor) Automap(ctx context.Context, at LayerAt, o Automapping) error {
	l, name, err := e.ruled(at, o)
	if err != nil {
		return err
	}
	if err := e.automap(ctx, at, l, name, o); err != nil {
		return fmt.Errorf("%s: %w", e.Path(l), err)
	}
	return nil
}

// ruled returns a layer, and the name of its rules.
func (e *Editor) ruled(at LayerAt, o Automapping) (*twmap.TileLayer, string, error) {
	layer, err := e.layerAt(at)
	if l, ok := layer.(*twmap.TileLayer); ok && err == nil && l.Kind().Physics() {
		switch {
		case !o.Physics:
			return nil, "", fmt.Errorf("%s is a physics layer, which rules do not draw by default", e.Path(l))
		case o.Store:
			return nil, "", fmt.Errorf("%s is a physics layer, for which maps store no rules", e.Path(l))
		}
		return l, l.Kind().String(), nil
	}
	l, im, err := e.Automapped(at)
	if err != nil {
		return nil, "", err
	}
	return l, im.Name, nil
}

func (e *Editor) automap(ctx context.Context, at LayerAt, l *twmap.TileLayer, name string, o Automapping) error {
	rules, err := o.Rules(name)
	if err != nil {
		return err
	}
	own := twmap.AutoMapper{Config: -1}
	if a := l.AutoMapper; a != nil {
		own.Config, own.Seed, own.Automatic = a.Config, a.Seed, a.Automatic
	}
	section := int(own.Config)
	switch {
	case o.Section != "":
		section, err = rules.Section(o.Section)
	case section < 0:
		section, err = rules.Section("") // the map names none
	}
	if err != nil {
		return err
	}
	if o.Seed >= 0 {
		own.Seed = o.Seed
	}
	result, err := rules.Run(ctx, l, automap.Options{Section: section, Seed: own.Seed, Reference: o.Reference,
		Game: e.m.Physics(twmap.KindGame), Physics: o.Physics, Amount: o.Amount, Spent: &e.spent})
	if err != nil {
		return err
	}
	e.reportChange(l, result.Changed, "tiles", "drawn by the rules [%s] with seed %d", rules.Sections()[section].Name, result.Seed)
	if !o.Store {
		return nil
	}
	own.Config, own.Seed = int32(section), result.Seed
	return e.SetAutomapper(at, &own)
}

// SetAutomapper sets the section of the rules by which a layer is drawn, the seed, and whether the editor runs them
// after each change. Nil removes the automapper of any layer. It fails for layers that rules cannot draw, and for
// seeds outside 0 to [automap.MaxSeed].
func (e *Editor) SetAutomapper(at LayerAt, a *twmap.AutoMapper) error {
	if a == nil {
		layer, err := e.layerAt(at)
		if l, ok := layer.(*twmap.TileLayer); ok && l.AutoMapper != nil {
			e.reportChange(l, 1, "", "no automapper: %s", automapperText(l.AutoMapper))
			l.AutoMapper = nil
		}
		return err
	}
	l, _, err := e.Automapped(at)
	switch {
	case err != nil:
		return err
	case a.Config < 0:
		return fmt.Errorf("section %d: expected 0 or more", a.Config)
	case a.Seed < 0 || a.Seed > automap.MaxSeed:
		return fmt.Errorf("seed %d: expected 0 to %d", a.Seed, automap.MaxSeed)
	}
	if l.AutoMapper == nil {
		l.AutoMapper = &twmap.AutoMapper{Config: -1}
	}
	own := l.AutoMapper // keeps its other fields
	if own.Config != a.Config || own.Seed != a.Seed || own.Automatic != a.Automatic {
		own.Config, own.Seed, own.Automatic = a.Config, a.Seed, a.Automatic
		e.reportChange(l, 1, "", "automapper: %s", automapperText(own))
	}
	return nil
}

func automapperText(a *twmap.AutoMapper) string {
	text := fmt.Sprintf("section %d, seed %d", a.Config, a.Seed)
	if a.Automatic {
		text += ", automatic"
	}
	return text
}
