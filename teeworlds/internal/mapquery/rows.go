//go:build !js

package mapquery

import (
	"cmp"
	"context"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

var (
	// Maps is the census of maps.
	Maps = &format.Census{
		Tables: []*format.Table{
			&tableMaps.Table, &tableGroups.Table, &tableLayers.Table, &tableTiles.Table, &tableTeles.Table, &tableSwitches.Table,
			&tableSpeedups.Table, &tableTunes.Table, &tableSettings.Table, &tableImages.Table, &tableSounds.Table, &tableEnvelopes.Table,
			&tablePositions.Table, &tableFindings.Table,
		},
		Rows:      format.FindingRows(mapfile.Open, mapRows, tableFindings),
		Views:     views,
		Positions: func(word string) error { _, err := mapops.TilesNamed(word); return err },
	}
	// Datafiles is the census of datafiles that are not maps.
	Datafiles = &format.Census{
		Tables: []*format.Table{&tableMaps.Table, &tableFindings.Table},
		Rows:   format.FindingRows(mapfile.OpenDatafile, mapRows, tableFindings),
	}
)

// rowsOf calls row for the rows of a map.
type rowsOf struct {
	job *format.Job
	src *format.Source
	m   *twmap.Map
	row format.RowFunc

	uses map[twmap.PartKind]map[int]int // number of uses of images, sounds and envelopes
}

// mapRows calls row for the rows of a map, or of a datafile that is not a map.
func mapRows(ctx context.Context, job *format.Job, src *format.Source, file format.File, row format.RowFunc) error {
	if f, ok := file.(*mapfile.Datafile); ok {
		return tableMaps.Put(row, mapRow{src.Size, f.File, nil})
	}
	r := &rowsOf{job: job, src: src, m: file.(*mapfile.File).Map, row: row, uses: make(map[twmap.PartKind]map[int]int)}
	for ref := range mapedit.Refs(r.m) {
		if !ref.Idle {
			if r.uses[ref.To] == nil {
				r.uses[ref.To] = make(map[int]int)
			}
			r.uses[ref.To][ref.Number]++
		}
	}
	f := NewIndex(r.m)
	for _, rows := range []func(context.Context, *Index) error{
		r.whole, parts(r, tableGroups, "", r.m.Groups), r.layers, r.counts, r.tiles, r.positions, r.settings,
		parts(r, tableImages, twmap.PartImage, r.m.Images), parts(r, tableSounds, twmap.PartSound, r.m.Sounds),
		parts(r, tableEnvelopes, twmap.PartEnvelope, r.m.Envelopes),
	} {
		if err := cmp.Or(rows(ctx, f), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

func (r *rowsOf) whole(context.Context, *Index) error {
	return tableMaps.Put(r.row, mapRow{r.src.Size, r.m.Source(), r.m})
}

// parts returns a function that calls row for parts.
func parts[T any](r *rowsOf, t *format.TableOf[part[T]], kind twmap.PartKind, list []*T) func(context.Context, *Index) error {
	return func(context.Context, *Index) error {
		for i, of := range list {
			if err := t.Put(r.row, part[T]{i, of, r.uses[kind][i]}); err != nil {
				return err
			}
		}
		return nil
	}
}

func (r *rowsOf) layers(_ context.Context, f *Index) error {
	put := func(l Layer) error { return tableLayers.Put(r.row, layerRow{l, r.m.LayerAt(l.At.Part)}) }
	if err := f.LayersThere(put); err != nil {
		return err
	}
	return f.Orphans(put)
}

func (r *rowsOf) counts(ctx context.Context, f *Index) error {
	return f.Counts(ctx, mapfile.ReportPart(r.job, r.src), func(c Count) error { return tableTiles.Put(r.row, c) })
}

// tiles calls row for the tiles with fields other than their id and flags.
func (r *rowsOf) tiles(ctx context.Context, f *Index) error {
	tables := map[twmap.Kind]*format.TableOf[Tile]{
		twmap.KindTele: tableTeles, twmap.KindSpeedup: tableSpeedups, twmap.KindSwitch: tableSwitches, twmap.KindTune: tableTunes,
	}
	kinds := []twmap.Kind{twmap.KindTele, twmap.KindSpeedup, twmap.KindSwitch, twmap.KindTune}
	// Unreadable cells were already reported when they were counted.
	return f.Tiles(ctx, kinds, func(c Cell) bool { return c.ID != 0 }, nil, func(t Tile) error {
		return tables[t.Kind].Put(r.row, t)
	})
}

// positions calls row for the tiles that the user selected.
func (r *rowsOf) positions(ctx context.Context, f *Index) error {
	var ids mapops.TileSet
	words := 0
	for _, word := range format.OptionPositions.Values(r.job) {
		if ids.Add(word) == nil { // other words select nodes of worlds
			words++
		}
	}
	if words == 0 {
		return nil
	}
	// Unreadable cells were already reported when they were counted.
	return f.EachTile(ctx, func(c Cell) bool { return ids[c.Kind][c.ID] }, func(t Tile) error {
		return tablePositions.Put(r.row, t)
	})
}

func (r *rowsOf) settings(_ context.Context, f *Index) error {
	return f.Settings("", func(s Setting) error { return tableSettings.Put(r.row, s) })
}
