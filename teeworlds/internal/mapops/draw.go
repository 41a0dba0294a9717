package mapops

import (
	"errors"
	"fmt"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/internal/mapscene"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Drawing are the options of draw-tiles.
type Drawing struct {
	SomeLayers
	X    int      `arg:"x" help:"the column of the first tile of each row, from 0"`
	Y    int      `arg:"y" help:"the row of the first tile, from 0"`
	Rows []string `arg:"row,required" help:"the tiles of a row, such as '12xr*3 _ .'"`
	AnyTile
}

// maxPlace is the largest coordinate of a place.
const maxPlace = 1 << 20

// Draw draws rows of tiles into layers.
func Draw(e *Editor, list []mapedit.LayerAt, o Drawing) error {
	if max(o.X, -o.X, o.Y, -o.Y) > maxPlace {
		return fmt.Errorf("expected a place from %d to %d, not %d,%d", -maxPlace, maxPlace, o.X, o.Y)
	}
	drawn := make([][]mapedit.Run, len(list)) // all texts are read before a layer is changed
	layer := func(at mapedit.LayerAt) twmap.Layer { return e.Map().Groups[at.Group].Layers[at.Layer] }
	for i, at := range list {
		l, ok := layer(at).(*twmap.TileLayer)
		if !ok {
			return fmt.Errorf("%s: not a layer of tiles", e.Path(layer(at)))
		}
		for j, row := range o.Rows {
			runs, err := mapscene.ParseRow(l.Kind(), row)
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
