package teeworlds

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

// tilesCalled returns a function that reports whether a word selects a tile in layers of a kind: by its number, or by
// its name in that kind of layer, as in twmap or in DDNet's editor.
func tilesCalled(word string) (func(kind twmap.Kind, id uint8) bool, error) {
	if n, err := strconv.ParseUint(word, 10, 8); err == nil {
		return func(_ twmap.Kind, id uint8) bool { return id == uint8(n) }, nil
	}
	if strings.Trim(word, "0123456789") == "" && word != "" {
		return nil, fmt.Errorf("expected a number from 0 to 255 or a name, not %q", word)
	}
	name := glob.Folded(word)
	is := func(kind twmap.Kind, id uint8) bool {
		called := twmap.TileName(kind, id)
		return kind != twmap.KindTiles && (name(called) || name(strings.TrimPrefix(called, "entity: ")) || kind.Physics() && twmap.ValidTile(kind, id) &&
			slices.ContainsFunc(mapedit.GameTiles, func(t mapedit.GameTile) bool { return uint8(t.Tile) == id && name(t.Name) }))
	}
	for kind := twmap.KindTiles; kind <= twmap.KindZones; kind++ {
		if len(tileNumbers(is, kind)) > 0 {
			return is, nil
		}
	}
	err := &format.WordError{Word: word, Text: fmt.Sprintf("no tile is called %q: expected 0 to 255, or what a tile of a physics layer does, such as freeze or hookable", word)}
	allTileNames(func(name string) { err.Names = append(err.Names, name) })
	return nil, err
}

// allTileNames calls add with the names of all tiles of physics layers.
func allTileNames(add func(name string)) {
	for _, t := range mapedit.GameTiles {
		add(t.Name)
	}
	for kind := twmap.KindTiles + 1; kind <= twmap.KindZones; kind++ {
		for id := range 256 {
			add(strings.TrimPrefix(twmap.TileName(kind, uint8(id)), "entity: "))
		}
	}
}

// tileNumbers returns the ids of the tiles that is accepts for a kind of layers.
func tileNumbers(is func(kind twmap.Kind, id uint8) bool, kind twmap.Kind) (ids []uint8) {
	for id := range 256 {
		if is(kind, uint8(id)) {
			ids = append(ids, uint8(id))
		}
	}
	return ids
}

// paint changes tiles of the layers that can hold them, and warns about the number of other layers. from and to are
// names of tiles, or "" for none: a name can mean different numbers in different kinds of layers.
func paint(e *mapedit.Editor, job *format.Job, list []mapedit.LayerAt, area *mapedit.Area, from, to string, do func(list []mapedit.LayerAt, was, is mapedit.Tile) error) error {
	was, err := tileFrom(job, "from-")
	if err != nil {
		return err
	}
	is, err := tileFrom(job, "")
	if err != nil {
		return err
	}
	called := make(map[string]func(twmap.Kind, uint8) bool)
	for _, word := range []string{from, to} {
		if called[word], err = tilesCalled(word); err != nil && word != "" {
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
		for _, id := range tileNumbers(called[word], kind) {
			list = append(list, &id)
		}
		return list
	}
	changed, found := 0, from == ""
	var why error
	for kind := twmap.KindTiles; kind <= twmap.KindZones; kind++ {
		olds, news := ids(from, kind), ids(to, kind)
		if len(byKind[kind]) == 0 || len(olds) == 0 || len(news) == 0 {
			continue
		}
		if len(news) > 1 {
			return fmt.Errorf("%q means %d tiles of a %v layer: expected one", to, len(news), kind)
		}
		both := is.Or(was)
		is.ID, both.ID = news[0], news[0]
		fit, err := e.Holding(byKind[kind], area, both, mapedit.PaintOptions{Unused: job.On(optionUnused.Name)})
		if err != nil {
			why = err
			continue
		}
		for _, id := range olds {
			found = found || e.Has(byKind[kind], *id)
			was.ID = id
			if err := do(fit, was, is); err != nil {
				return err
			}
		}
		changed += len(fit)
	}
	switch skipped := len(list) - changed; {
	case changed == 0:
		return fmt.Errorf("%w (--layer tiles names all layers of pictures, and --%s sets a tile that a physics layer does not have)",
			cmp.Or(why, fmt.Errorf("none of the %s can hold the tile", words.Count(len(list), "layer"))), optionUnused.Name)
	case !found:
		return &fault.NameError{Kind: "tile", Name: from, Where: "in the layers"}
	case skipped > 0:
		job.Warn(job.Source.Path, "%s skipped that cannot hold the tile", words.Count(skipped, "layer"))
	}
	return nil
}
