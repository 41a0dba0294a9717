package mapedit

import (
	"context"
	"fmt"

	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/twmap"
)

// Automapped returns the layer that rules may draw, and its image, whose name is that of the
// rules. The error says that it is none of tiles to be seen, or has no image.
func (e *Editor) Automapped(at LayerAt) (*twmap.TileLayer, *twmap.Image, error) {
	layer, err := e.layerAt(at)
	l, is := layer.(*twmap.TileLayer)
	switch {
	case err != nil:
		return nil, nil, err
	case !is || l.Kind() != twmap.KindTiles:
		return nil, nil, fmt.Errorf("%s is no layer of tiles to be seen", e.Path(layer))
	case l.Image < 0 || l.Image >= len(e.m.Images):
		return nil, nil, fmt.Errorf("%s has no image, and so there are no rules for it", e.Path(layer))
	}
	return l, e.m.Images[l.Image], nil
}

// Automap draws a layer by rules. The game layer of the map is the one that a reference is to.
// The errors are those of [automap.Rules.Run], or that the layer is none to be drawn.
func (e *Editor) Automap(ctx context.Context, at LayerAt, rules *automap.Rules, o automap.Options) (automap.Result, error) {
	l, _, err := e.Automapped(at)
	if err != nil {
		return automap.Result{}, err
	}
	o.Game = e.m.Physics(twmap.KindGame)
	result, err := rules.Run(ctx, l, o)
	if err != nil {
		return result, fmt.Errorf("%s: %w", e.Path(l), err)
	}
	e.tell(l, result.Changed, "tiles", "drawn by the rules [%s] with seed %d", rules.Sections()[o.Section].Name, result.Seed)
	return result, nil
}

// SetAutomapper says by which section of the rules a layer is drawn, with which seed, and
// whether the editor does so after each change. Nil takes that away, from any layer. It fails for layers
// that rules do not draw, and for seeds that are not between 0 and [automap.MaxSeed].
func (e *Editor) SetAutomapper(at LayerAt, a *twmap.AutoMapper) error {
	if a == nil {
		layer, err := e.layerAt(at)
		if l, is := layer.(*twmap.TileLayer); is && l.AutoMapper != nil {
			e.tell(l, 1, "", "no automapper: %s", automapperText(l.AutoMapper))
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
	own := l.AutoMapper // what else is in it stays
	if own.Config != a.Config || own.Seed != a.Seed || own.Automatic != a.Automatic {
		own.Config, own.Seed, own.Automatic = a.Config, a.Seed, a.Automatic
		e.tell(l, 1, "", "automapper: %s", automapperText(own))
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
