package mapquery

import (
	"cmp"
	"context"
	"errors"
	"image"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Index searches a map. It must be used by only one goroutine.
type Index struct {
	m    *twmap.Map
	edit *mapedit.Editor // provides names; it changes nothing

	// Layers are patterns that select the searched layers, as in [mapedit.Editor.Layers]; none means all layers.
	Layers []string
	// Others searches all layers except those.
	Others bool
	// Area limits the searched tiles, and the positions of quads, in tiles; nil means no limit.
	Area *image.Rectangle
	// Joins limits the searched tiles to those that have all of these tiles in other layers.
	Joins []Join
}

// NewIndex returns a finder of a map.
func NewIndex(m *twmap.Map) *Index { return &Index{m: m, edit: mapedit.New(m, nil)} }

// layer is a searched layer.
type layer struct {
	twmap.Layer
	part *twmap.Part
	path string // in the folder of the map
}

// layers returns the searched layers.
func (f *Index) layers() []layer {
	chosen, _ := f.edit.Layers(f.Layers...) // the error names patterns that select no layer
	var list []layer
	for i, g := range f.m.Groups {
		group := &twmap.Part{Kind: twmap.PartGroup, Number: i, Name: g.Name}
		for j, l := range g.Layers {
			if slices.Contains(chosen, mapedit.LayerAt{Group: i, Layer: j}) != f.Others {
				list = append(list, layer{l, &twmap.Part{Kind: twmap.PartLayer, Number: j, Name: l.Base().Name, Group: group}, f.edit.Path(l)})
			}
		}
	}
	return list
}

// Cell is a cell of a layer.
type Cell struct {
	Kind twmap.Kind // of the layer
	mapedit.Cell
}

// Name returns the name of the tile.
func (c *Cell) Name() string { return twmap.TileName(c.Kind, c.ID) }

// HasNumber reports whether tiles of the kind have a number.
func (c *Cell) HasNumber() bool {
	return c.Kind == twmap.KindTele || c.Kind == twmap.KindSwitch || c.Kind == twmap.KindTune
}

// Tile is a cell with its location.
type Tile struct {
	Cell
	Path string      // of the layer, in the folder of the map
	At   twmap.Place // the tile
	With []Joined    // for each of the joins of the finder
}

// Tiles calls yield for each tile that match accepts, in layers of the given kinds, or of all kinds if there are none.
// Layers are read on all cores, which call match concurrently, and once for equal adjacent cells in a row. Tiles calls
// onMiss, which may be nil, for layers that cannot be read completely.
func (f *Index) Tiles(ctx context.Context, kinds []twmap.Kind, match func(Cell) bool,
	onMiss func(path string, err error), yield func(Tile) error) error {
	type placed struct {
		Cell
		index int32
		with  []Joined
	}
	joins := f.joined(onMiss)
	return lookAt(ctx, f, kinds, onMiss, func(l layer, t *twmap.TileLayer) (found []placed) {
		cells(t, f.Area, func(c Cell, index, n int) {
			if !match(c) {
				return
			}
			for i := index; i < index+n; i++ {
				if with, ok := joins.at(l, i%t.Width(), i/t.Width()); ok {
					found = append(found, placed{c, int32(i), with})
				}
			}
		})
		return found
	}, func(l layer, found []placed) error {
		width := l.Layer.(*twmap.TileLayer).Width()
		for _, c := range found {
			if err := yield(Tile{c.Cell, l.path, l.part.Tile(int(c.index)%width, int(c.index)/width), c.with}); err != nil {
				return err
			}
		}
		return nil
	})
}

// EachTile calls yield for each tile that match accepts, in all layers, without holding the tiles of a layer. It skips
// tiles that cannot be read.
func (f *Index) EachTile(ctx context.Context, match func(Cell) bool, yield func(Tile) error) (err error) {
	for _, l := range f.layers() {
		layer, ok := l.Layer.(*twmap.TileLayer)
		if !ok {
			continue
		}
		layer.Look(func(t *twmap.TileLayer) {
			_ = t.Load()
			cells(t, f.Area, func(c Cell, index, n int) {
				for i := index; err == nil && i < index+n && match(c); i++ {
					err = yield(Tile{c, l.path, l.part.Tile(i%t.Width(), i/t.Width()), nil})
				}
			})
		})
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// Count is the number of tiles of a layer with the same id and flags.
type Count struct {
	Path  string      // of the layer, in the folder of the map
	At    twmap.Place // the layer
	Kind  twmap.Kind  // of the layer
	ID    uint8
	Flags twmap.TileFlags
	Tiles int64
}

// Counts counts the tiles that Tiles finds in each layer, including air: ordered by id, then by flags.
func (f *Index) Counts(ctx context.Context, onMiss func(path string, err error), yield func(Count) error) error {
	return lookAt(ctx, f, nil, onMiss, func(_ layer, t *twmap.TileLayer) (found []Count) {
		var counts [256]*[256]int64 // by flags, of which few are used, and id
		cells(t, f.Area, func(c Cell, _, n int) {
			if counts[c.Flags] == nil {
				counts[c.Flags] = new([256]int64)
			}
			counts[c.Flags][c.ID] += int64(n)
		})
		for id := range 256 {
			for flags, of := range counts {
				if of != nil && of[id] > 0 {
					found = append(found, Count{Kind: t.Kind(), ID: uint8(id), Flags: twmap.TileFlags(flags), Tiles: of[id]})
				}
			}
		}
		return found
	}, func(l layer, found []Count) error {
		for _, c := range found {
			c.Path, c.At = l.path, l.part.Whole()
			if err := yield(c); err != nil {
				return err
			}
		}
		return nil
	})
}

// lookAt calls see for the layers of some kinds, or of all kinds if there are none, on all cores, and yield with the
// results in the order of the map. Cells holds the cells of a layer during the call.
func lookAt[T any](ctx context.Context, f *Index, kinds []twmap.Kind, onMiss func(path string, err error),
	see func(l layer, cells *twmap.TileLayer) T, yield func(layer, T) error) error {
	type result struct {
		layer layer
		found T
		err   error
	}
	return parallel.Ordered(ctx,
		func(send func(layer) error) error {
			for _, l := range f.layers() {
				t, ok := l.Layer.(*twmap.TileLayer)
				if !ok || len(kinds) > 0 && !slices.Contains(kinds, t.Kind()) {
					continue
				}
				if err := send(l); err != nil {
					return err
				}
			}
			return nil
		},
		func(l layer) result {
			r := result{layer: l}
			l.Layer.(*twmap.TileLayer).Look(func(t *twmap.TileLayer) {
				r.err = t.Load()
				r.found = see(l, t)
			})
			return r
		},
		func(r result) error {
			// Cells of another version were read despite the error.
			if r.err != nil && !errors.Is(r.err, fault.ErrVersion) && onMiss != nil {
				onMiss(r.layer.path, r.err)
			}
			if err := yield(r.layer, r.found); err != nil {
				return err
			}
			return ctx.Err()
		})
}

// cells calls do for the cells of a layer in an area: once for n equal adjacent cells of a row.
func cells(l *twmap.TileLayer, area *image.Rectangle, do func(c Cell, index, n int)) {
	switch kind := l.Kind(); kind {
	case twmap.KindTele:
		each(kind, l.Teles(), area, do)
	case twmap.KindSpeedup:
		each(kind, l.Speedups(), area, do)
	case twmap.KindSwitch:
		each(kind, l.Switches(), area, do)
	case twmap.KindTune:
		each(kind, l.Tunes(), area, do)
	default:
		each(kind, l.Tiles(), area, do)
	}
}

func each[T twmap.Cell](kind twmap.Kind, g *twmap.Grid[T], area *image.Rectangle, do func(c Cell, index, n int)) {
	for y, row := range g.Rows() {
		from, to := 0, len(row)
		if area != nil {
			if y < area.Min.Y || y >= area.Max.Y {
				continue
			}
			from, to = max(0, area.Min.X), min(to, area.Max.X)
		}
		for x := from; x < to; {
			first := x
			for x++; x < to && row[x] == row[first]; x++ {
			}
			do(Cell{kind, mapedit.CellOf(row[first])}, y*g.Width()+first, x-first)
		}
	}
}

// Free returns the first count numbers, from 1 to 255, that neither tiles nor settings use, or fewer if not enough
// are free.
func (f *Index) Free(ctx context.Context, numbers twmap.Numbers, count int, onMiss func(path string, err error)) ([]int, error) {
	var used [256]bool
	everywhere := &Index{m: f.m, edit: f.edit}
	err := everywhere.Tiles(ctx, []twmap.Kind{numbers.Kind()}, func(c Cell) bool { return numbers.Has(c.ID) }, onMiss, func(t Tile) error {
		used[t.Number] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	if f.m.Info != nil {
		for _, setting := range f.m.Info.Settings {
			if n, _, _, ok := numbers.Setting(setting); ok {
				used[n] = true
			}
		}
	}
	var free []int
	for n := 1; n < len(used) && len(free) < count; n++ {
		if !used[n] {
			free = append(free, n)
		}
	}
	return free, nil
}
