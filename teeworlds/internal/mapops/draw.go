package mapops

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Drawing are the options of draw-tiles.
type Drawing struct {
	SomeLayers
	X      int      `option:"x"`
	Y      int      `option:"y"`
	Rows   []string `option:"row"`
	Unused bool     `option:"unused"`
}

// kept is the text of a tile that draw-tiles does not change.
const kept = "_"

// maxRow is the maximum number of tiles in a row.
const maxRow = 1 << 20

// Draw draws rows of tiles into layers.
func Draw(e *Editor, list []mapedit.LayerAt, o Drawing) error {
	if max(o.X, -o.X, o.Y, -o.Y) > maxRow {
		return fmt.Errorf("expected a place from %d to %d, not %d,%d", -maxRow, maxRow, o.X, o.Y)
	}
	drawn := make([][]mapedit.Run, len(list)) // all texts are read before a layer is changed
	layer := func(at mapedit.LayerAt) twmap.Layer { return e.Map().Groups[at.Group].Layers[at.Layer] }
	for i, at := range list {
		l, ok := layer(at).(*twmap.TileLayer)
		if !ok {
			return fmt.Errorf("%s: not a layer of tiles", e.Path(layer(at)))
		}
		for j, row := range o.Rows {
			runs, err := ParseRow(l.Kind(), row)
			if err != nil {
				return fmt.Errorf("row %d: %w", j+1, err)
			}
			for _, r := range runs {
				r.X, r.Y = r.X+o.X, o.Y+j
				drawn[i] = append(drawn[i], r)
			}
		}
		if drawn[i] == nil {
			return errors.New("the rows have no tiles")
		}
	}
	for i, at := range list {
		outside, err := e.Draw(at, drawn[i], mapedit.PaintOptions{Unused: o.Unused})
		if err != nil {
			return err
		}
		if outside > 0 {
			e.Job.Warn(e.Job.Source.Path, "skipped %s outside of %s", words.Count(outside, "tile"), e.Path(layer(at)))
		}
	}
	return nil
}

// ParseRow parses a row of tiles of a kind of layers: tiles as in the text of the layer, separated by spaces, each with
// *N after it for N equal tiles. A tile that is kept has the text _. Rows and columns count from 0.
func ParseRow(kind twmap.Kind, text string) ([]mapedit.Run, error) {
	var runs []mapedit.Run
	x := 0
	for _, word := range strings.Fields(text) {
		tile, times, repeated := strings.Cut(word, "*")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(times); err != nil || n < 1 || n > maxRow {
				return nil, fmt.Errorf("%.40s: expected a number of tiles from 1 to %s after the *", word, words.Thousands(maxRow))
			}
		}
		if x += n; x > maxRow {
			return nil, fmt.Errorf("expected at most %s tiles", words.Thousands(maxRow))
		}
		if tile == kept {
			continue
		}
		cell, err := parseCell(kind, tile)
		if err != nil {
			return nil, err
		}
		runs = append(runs, mapedit.Run{X: x - n, Length: n, Cell: cell})
	}
	return runs, nil
}

func parseCell(kind twmap.Kind, text string) (mapedit.Cell, error) {
	switch kind {
	case twmap.KindTele:
		return parseAs[twmap.TeleTile](kind, text)
	case twmap.KindSpeedup:
		return parseAs[twmap.SpeedupTile](kind, text)
	case twmap.KindSwitch:
		return parseAs[twmap.SwitchTile](kind, text)
	case twmap.KindTune:
		return parseAs[twmap.TuneTile](kind, text)
	}
	return parseAs[twmap.Tile](kind, text)
}

func parseAs[T twmap.Cell](kind twmap.Kind, text string) (mapedit.Cell, error) {
	tile, err := tiletext.ParseCell[T](text, kind)
	return mapedit.CellOf(tile), err
}
