package mapops

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/text/glob"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// TilesNamed returns a function that reports whether a word selects a tile in layers of a kind: by its number, or by
// its name in that kind of layer, as in twmap or in DDNet's editor.
func TilesNamed(word string) (func(kind twmap.Kind, id uint8) bool, error) {
	if n, err := strconv.ParseUint(word, 10, 8); err == nil {
		return func(_ twmap.Kind, id uint8) bool { return id == uint8(n) }, nil
	}
	if strings.Trim(word, "0123456789") == "" && word != "" {
		return nil, fmt.Errorf("expected a number from 0 to 255 or a name, not %q", word)
	}
	name := glob.Folded(word)
	selects := func(kind twmap.Kind, id uint8) bool {
		if kind == twmap.KindTiles {
			return false
		}
		full := twmap.TileName(kind, id)
		if name(full) || name(strings.TrimPrefix(full, "entity: ")) {
			return true
		}
		return kind.Physics() && twmap.ValidTile(kind, id) && slices.ContainsFunc(mapedit.GameTiles, func(t mapedit.GameTile) bool {
			return uint8(t.Tile) == id && name(t.Name)
		})
	}
	for kind := twmap.KindTiles; kind <= twmap.KindZones; kind++ {
		if len(tileIDs(selects, kind)) > 0 {
			return selects, nil
		}
	}
	err := &format.WordError{Word: word}
	err.Text = fmt.Sprintf("no tile %q: expected 0 to 255, or the name of a tile of a physics layer, such as freeze or hookable", word)
	TileNames(func(name string) { err.Names = append(err.Names, name) })
	return nil, err
}

// TileNames calls add with the names of all tiles of physics layers.
func TileNames(add func(name string)) {
	for _, t := range mapedit.GameTiles {
		add(t.Name)
	}
	for kind := twmap.KindTiles + 1; kind <= twmap.KindZones; kind++ {
		for id := range 256 {
			add(strings.TrimPrefix(twmap.TileName(kind, uint8(id)), "entity: "))
		}
	}
}

// tileIDs returns the ids of the tiles that selects accepts for a kind of layers.
func tileIDs(selects func(kind twmap.Kind, id uint8) bool, kind twmap.Kind) (ids []uint8) {
	for id := range 256 {
		if selects(kind, uint8(id)) {
			ids = append(ids, uint8(id))
		}
	}
	return ids
}

// TileSet holds selected tiles by the kinds of their layers and their ids.
type TileSet [twmap.KindZones + 1][256]bool

// Add selects the tiles that a word names.
func (s *TileSet) Add(word string) error {
	selects, err := TilesNamed(word)
	if err != nil {
		return err
	}
	for kind := range s {
		for _, id := range tileIDs(selects, twmap.Kind(kind)) {
			s[kind][id] = true
		}
	}
	return nil
}

// Painting are the options of an operation that sets tiles.
type Painting struct {
	TileFields
	AnyTile
}

// AnyTile is the option for tiles without a meaning.
type AnyTile struct {
	Unused bool `option:"unused" help:"also tiles without a meaning in the layer"`
}

// Filling are the options of fill-tiles.
type Filling struct {
	ID string `arg:"id" names:"tile" help:"the tile, 0 to 255 or a name such as freeze"`
	Tiles
	Painting
}

// Fill sets all tiles of an area or of layers.
func Fill(e *Editor, list []mapedit.LayerAt, area *mapedit.Area, o Filling) error {
	return o.paint(e, list, area, TileFields{}, "", o.ID, func(list []mapedit.LayerAt, _, tile mapedit.Tile) error {
		return e.Fill(list, area, tile, mapedit.PaintOptions{Unused: o.Unused})
	})
}

// Replacing are the options of replace-tiles.
type Replacing struct {
	From string `arg:"from" names:"tile"`
	To   string `arg:"to" names:"tile" help:"the new tile: 0 to 255, a name, or same"`
	Tiles
	FromFields
	Painting
}

// Describe describes the arguments.
func (Replacing) Describe(o *format.Option) {
	o.Explain("from", "the tile to replace: 0 to 255, a name such as freeze (* and ? select several), or any")
}

// Replace replaces tiles.
func Replace(e *Editor, list []mapedit.LayerAt, area *mapedit.Area, o Replacing) error {
	from, to := strings.TrimPrefix(o.From, "any"), strings.TrimPrefix(o.To, "same")
	return o.paint(e, list, area, TileFields(o.FromFields), from, to, func(list []mapedit.LayerAt, old, tile mapedit.Tile) error {
		return e.Replace(list, area, old, tile, mapedit.PaintOptions{Unused: o.Unused})
	})
}

// paint changes tiles of the layers that can hold them by set, and warns about the number of other layers. from and to
// are names of tiles, or "" for any: a name can mean different numbers in different kinds of layers.
func (o Painting) paint(
	e *Editor, list []mapedit.LayerAt, area *mapedit.Area, oldFields TileFields, from, to string,
	set func(list []mapedit.LayerAt, old, tile mapedit.Tile) error,
) error {
	old, err := oldFields.tile("--from-")
	if err != nil {
		return err
	}
	tile, err := o.tile("--")
	if err != nil {
		return err
	}
	selects := make(map[string]func(twmap.Kind, uint8) bool)
	for _, word := range []string{from, to} {
		if selects[word], err = TilesNamed(word); err != nil && word != "" {
			return err
		}
	}
	byKind := make(map[twmap.Kind][]mapedit.LayerAt)
	for _, at := range list {
		if l, tiles := e.Map().Groups[at.Group].Layers[at.Layer].(*twmap.TileLayer); tiles {
			byKind[l.Kind()] = append(byKind[l.Kind()], at)
		}
	}
	ids := func(word string, kind twmap.Kind) []*uint8 {
		if word == "" {
			return []*uint8{nil}
		}
		var list []*uint8
		for _, id := range tileIDs(selects[word], kind) {
			list = append(list, &id)
		}
		return list
	}
	changed, found := 0, from == ""
	var unfit error
	for kind := twmap.KindTiles; kind <= twmap.KindZones; kind++ {
		oldIDs, newIDs := ids(from, kind), ids(to, kind)
		if len(byKind[kind]) == 0 || len(oldIDs) == 0 || len(newIDs) == 0 {
			continue
		}
		if len(newIDs) > 1 {
			return fmt.Errorf("%q names %d tiles of a %v layer: expected one", to, len(newIDs), kind)
		}
		both := tile.Or(old)
		tile.ID, both.ID = newIDs[0], newIDs[0]
		fit, err := e.Holding(byKind[kind], area, both, mapedit.PaintOptions{Unused: o.Unused})
		if err != nil {
			unfit = err
			continue
		}
		for _, id := range oldIDs {
			found = found || e.Has(byKind[kind], *id)
			old.ID = id
			if err := set(fit, old, tile); err != nil {
				return err
			}
		}
		changed += len(fit)
	}
	switch skipped := len(list) - changed; {
	case changed == 0:
		return fmt.Errorf("%w (--layer tiles selects all design layers, and --unused sets tiles without a meaning in physics layers)",
			cmp.Or(unfit, fmt.Errorf("none of the %s can hold the tile", words.Count(len(list), "layer"))))
	case !found:
		return &fault.NameError{Kind: "tile", Name: from, Where: "in the layers"}
	case skipped > 0:
		e.Job.Warn(e.Job.Source.Path, "skipped %s that cannot hold the tile", words.Count(skipped, "layer"))
	}
	return nil
}
