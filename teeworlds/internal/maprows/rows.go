// Package maprows returns the contents of maps as rows of tables.
package maprows

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"strings"

	"trowel.example/internal/checking"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/internal/mapfind"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

var (
	// Maps is the census of maps.
	Maps = &format.Census{
		Tables: []*format.Table{
			tableMaps, tableGroups, tableLayers, tableTiles, tableTeles, tableSwitches, tableSpeedups, tableTunes,
			tableSettings, tableImages, tableSounds, tableEnvelopes, tablePositions, tableFindings,
		},
		Rows:      checking.Rows(mapfile.Open, mapRows, tableFindings),
		Views:     views,
		Positions: func(word string) error { _, err := mapops.TilesNamed(word); return err },
	}
	// Datafiles is the census of datafiles that are not maps.
	Datafiles = &format.Census{
		Tables: []*format.Table{tableMaps, tableFindings},
		Rows:   checking.Rows(mapfile.OpenDatafile, mapRows, tableFindings),
	}
)

// rowsOf calls row for the rows of a map.
type rowsOf struct {
	job *format.Job
	src *format.Source
	m   *twmap.Map
	row func(*format.Table, []format.Cell) error

	uses map[twmap.PartKind]map[int]int // number of uses of images, sounds and envelopes
}

// mapRows calls row for the rows of a map, or of a datafile that is not a map.
func mapRows(ctx context.Context, job *format.Job, src *format.Source, file format.File,
	row func(*format.Table, []format.Cell) error) error {
	if f, ok := file.(*mapfile.Datafile); ok {
		values := containerCells(src, f.File)
		return row(tableMaps, append(values, make([]format.Cell, len(tableMaps.Columns)-len(values))...))
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
	f := mapfind.New(r.m)
	for _, rows := range []func(context.Context, *mapfind.Finder) error{
		r.whole, r.groups, r.layers, r.counts, r.tiles, r.positions, r.settings, r.media, r.envelopes,
	} {
		if err := cmp.Or(rows(ctx, f), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

func containerCells(src *format.Source, f *datafile.File) []format.Cell {
	id := f.Identity()
	return []format.Cell{
		format.IntCell(src.Size), format.TextCell(id.SHA256), format.TextCell(id.CRC32), format.IntCell(f.Version),
		format.IntCell(len(f.Items)), format.IntCell(len(f.Data)), format.IntCell(mapfile.InflatedSize(f)),
	}
}

func (r *rowsOf) whole(context.Context, *mapfind.Finder) error {
	m := r.m
	values := append(containerCells(r.src, m.Source()), format.IntCell(m.Version), format.TextCell(m.Flavor()))
	settings := 0
	if i := m.Info; i != nil {
		values = append(values, format.TextCell(i.Author), format.TextCell(i.MapVersion), format.TextCell(i.Credits), format.TextCell(i.License))
		settings = len(i.Settings)
	} else {
		values = append(values, make([]format.Cell, 4)...)
	}
	if game := m.Physics(twmap.KindGame); game != nil {
		values = append(values, format.IntCell(game.Width()), format.IntCell(game.Height()))
	} else {
		values = append(values, make([]format.Cell, 2)...)
	}
	for kind := twmap.KindFront; kind <= twmap.KindTune; kind++ {
		values = append(values, format.BoolCell(m.Physics(kind) != nil))
	}
	n := mapfile.AmountsOf(m)
	for _, count := range []int{
		len(m.Groups), n.TileLayers, n.QuadLayers, n.SoundLayers, n.Quads, n.Sources,
		len(m.Images), len(m.Sounds), len(m.Envelopes), n.Points, settings, len(m.Extras),
	} {
		values = append(values, format.IntCell(count))
	}
	return r.row(tableMaps, values)
}

func (r *rowsOf) groups(context.Context, *mapfind.Finder) error {
	for i, g := range r.m.Groups {
		values := []format.Cell{
			format.IntCell(i), format.TextCell(g.Name), format.IntCell(g.Version),
			format.IntCell(g.OffsetX), format.IntCell(g.OffsetY), format.IntCell(g.ParallaxX), format.IntCell(g.ParallaxY),
			{}, {}, {}, {}, {}, format.IntCell(len(g.Layers)),
		}
		if z := g.ParallaxZoom; z != nil {
			values[7] = format.IntCell(z.Percent)
		}
		if c := g.Clip; c != nil {
			values[8], values[9], values[10], values[11] = format.IntCell(c.X), format.IntCell(c.Y), format.IntCell(c.Width),
				format.IntCell(c.Height)
		}
		if err := r.row(tableGroups, values); err != nil {
			return err
		}
	}
	return nil
}

// reference returns the cell for the number of a part; null for none.
func reference[T ~int | ~int32](n T) format.Cell {
	if n < 0 {
		return format.Cell{}
	}
	return format.IntCell(n)
}

func (r *rowsOf) layers(_ context.Context, f *mapfind.Finder) error {
	if err := f.LayersThere(r.layer); err != nil {
		return err
	}
	return f.Orphans(r.layer)
}

func (r *rowsOf) layer(there mapfind.Layer) error {
	group, layer := format.Cell{}, r.m.LayerAt(there.At.Part)
	if g := there.At.Part.Group; g != nil {
		group = format.IntCell(g.Number)
	}
	base := layer.Base()
	var version, width, height, picture, sound format.Cell
	look := make([]format.Cell, 10)
	switch l := layer.(type) {
	case *twmap.TileLayer:
		version, width, height, picture = format.IntCell(l.Version), format.IntCell(l.Width()), format.IntCell(l.Height()), reference(l.Image)
		look = []format.Cell{
			format.IntCell(l.Color.R), format.IntCell(l.Color.G), format.IntCell(l.Color.B), format.IntCell(l.Color.A),
			reference(l.ColorEnv), format.IntCell(l.ColorEnvOffset), {}, {}, {}, format.IntCell(l.StoredSize()),
		}
		if a := l.AutoMapper; a != nil {
			look[6], look[7], look[8] = format.IntCell(a.Config), format.IntCell(a.Seed), format.BoolCell(a.Automatic)
		}
	case *twmap.QuadLayer:
		version, picture = format.IntCell(l.Version), reference(l.Image)
	case *twmap.SoundLayer:
		version, sound = format.IntCell(l.Version), reference(l.Sound)
	}
	return r.row(tableLayers, append([]format.Cell{
		group, format.IntCell(there.At.Part.Number), format.TextCell(base.Name), format.TextCell(there.Path), format.TextCell(there.Kind),
		format.BoolCell(base.Flags&twmap.Detail != 0), format.IntCell(base.Flags), version, width, height,
		format.IntCell(there.Things), picture, sound, format.TextCell(there.Uses),
	}, look...))
}

func (r *rowsOf) counts(ctx context.Context, f *mapfind.Finder) error {
	return f.Counts(ctx, mapfile.ReportPart(r.job, r.src), func(c mapfind.Count) error {
		name := format.Cell{}
		if c.Kind != twmap.KindTiles {
			name = format.TextCell(twmap.TileName(c.Kind, c.ID))
		}
		return r.row(tableTiles, []format.Cell{
			format.IntCell(c.At.Part.Group.Number), format.IntCell(c.At.Part.Number), format.TextCell(c.Kind.String()),
			format.IntCell(c.ID), format.IntCell(c.Flags), name, format.IntCell(c.Tiles),
		})
	})
}

// tiles calls row for the tiles with fields other than their id and flags.
func (r *rowsOf) tiles(ctx context.Context, f *mapfind.Finder) error {
	tables := map[twmap.Kind]*format.Table{
		twmap.KindTele: tableTeles, twmap.KindSpeedup: tableSpeedups, twmap.KindSwitch: tableSwitches, twmap.KindTune: tableTunes,
	}
	kinds := []twmap.Kind{twmap.KindTele, twmap.KindSpeedup, twmap.KindSwitch, twmap.KindTune}
	// Unreadable cells were already reported when they were counted.
	return f.Tiles(ctx, kinds, func(c mapfind.Cell) bool { return c.ID != 0 }, nil, func(t mapfind.Tile) error {
		values := []format.Cell{
			format.IntCell(t.At.Part.Group.Number), format.IntCell(t.At.Part.Number), format.IntCell(t.At.X),
			format.IntCell(t.At.Y), format.IntCell(t.ID),
		}
		if t.Kind == twmap.KindSpeedup {
			values = append(values, format.IntCell(t.Force), format.IntCell(t.MaxSpeed), format.IntCell(t.Angle))
		} else {
			values = append(values, format.TextCell(t.Name()), format.IntCell(t.Number))
		}
		if t.Kind == twmap.KindSwitch {
			values = append(values, format.IntCell(t.Flags), format.IntCell(t.Delay))
		}
		return r.row(tables[t.Kind], values)
	})
}

// positions calls row for the tiles that the user selected.
func (r *rowsOf) positions(ctx context.Context, f *mapfind.Finder) error {
	var ids [twmap.KindZones + 1][256]bool
	words := 0
	for _, word := range format.OptionPositions.Values(r.job) {
		selects, err := mapops.TilesNamed(word)
		if err != nil {
			continue // the word selects nodes of worlds
		}
		words++
		for kind := range ids {
			for _, id := range mapops.TileIDs(selects, twmap.Kind(kind)) {
				ids[kind][id] = true
			}
		}
	}
	if words == 0 {
		return nil
	}
	// Unreadable cells were already reported when they were counted.
	return f.EachTile(ctx, func(c mapfind.Cell) bool { return ids[c.Kind][c.ID] }, func(t mapfind.Tile) error {
		name, number := format.Cell{}, format.Cell{}
		if t.Kind != twmap.KindTiles {
			name = format.TextCell(t.Name())
		}
		if t.Kind == twmap.KindTele || t.Kind == twmap.KindSwitch || t.Kind == twmap.KindTune {
			number = format.IntCell(t.Number)
		}
		return r.row(tablePositions, []format.Cell{
			format.IntCell(t.At.Part.Group.Number), format.IntCell(t.At.Part.Number), format.TextCell(t.Kind.String()), format.IntCell(t.At.X),
			format.IntCell(t.At.Y), format.IntCell(t.ID), format.IntCell(t.Flags), name, number,
		})
	})
}

func (r *rowsOf) settings(_ context.Context, f *mapfind.Finder) error {
	return f.Settings("", func(s mapfind.Setting) error {
		words := append(strings.Fields(s.Line), "")
		return r.row(tableSettings, []format.Cell{format.IntCell(s.At.Part.Number),
			format.TextCell(strings.ToLower(words[0])), format.TextCell(s.Line)})
	})
}

func (r *rowsOf) media(context.Context, *mapfind.Finder) error {
	for i, im := range r.m.Images {
		sum := format.Cell{}
		if im.HasPicture() {
			im.Look(func(p *image.NRGBA, err error) {
				if err == nil { // otherwise the map reports it
					sum = sumCell(p.Pix[:4*p.Rect.Dx()*p.Rect.Dy()])
				}
			})
		}
		if err := r.row(tableImages, []format.Cell{
			format.IntCell(i), format.TextCell(im.Name), format.BoolCell(im.External()), format.IntCell(im.Version),
			format.IntCell(im.Width()), format.IntCell(im.Height()), format.IntCell(im.StoredSize()), sum,
			format.IntCell(r.uses[twmap.PartImage][i]),
		}); err != nil {
			return err
		}
	}
	for i, s := range r.m.Sounds {
		var size, sum format.Cell
		if s.HasOpus() {
			if opus, err := s.Opus(); err == nil {
				size, sum = format.IntCell(len(opus)), sumCell(opus)
			}
		}
		if err := r.row(tableSounds, []format.Cell{
			format.IntCell(i), format.TextCell(s.Name), format.BoolCell(s.External()), size, sum,
			format.IntCell(s.StoredSize()), format.IntCell(r.uses[twmap.PartSound][i]),
		}); err != nil {
			return err
		}
	}
	return nil
}

// sumCell returns a cell with the SHA-256 of data.
func sumCell(data []byte) format.Cell {
	sum := sha256.Sum256(data)
	return format.TextCell(hex.EncodeToString(sum[:]))
}

func (r *rowsOf) envelopes(context.Context, *mapfind.Finder) error {
	for i, e := range r.m.Envelopes {
		if err := r.row(tableEnvelopes, []format.Cell{
			format.IntCell(i), format.TextCell(e.Name), format.IntCell(e.Version), format.IntCell(e.Channels), format.BoolCell(e.Synchronized),
			format.IntCell(len(e.Points)), format.IntCell(e.Duration()), format.IntCell(r.uses[twmap.PartEnvelope][i]),
		}); err != nil {
			return err
		}
	}
	return nil
}
