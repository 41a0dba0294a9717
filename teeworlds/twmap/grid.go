package twmap

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/datafile"
)

// Grid holds the cells of a layer, row by row from the top. The cells are read when they are first needed. Several
// goroutines may read a grid at the same time; methods that change it need exclusive access.
type Grid[T Cell] struct {
	width, height int

	ref     *dataRef
	shelved bool // ref is the grid's own, not that of its layer
	packed  bool // the block has the compressed form of version 4
	once    sync.Once
	kept    atomic.Bool // the cells are in memory
	cells   []T
	err     error
	changed bool
}

// MaxCells limits the number of cells of a layer: the size of a data block is an int32, and most cells have 4 bytes.
// [CheckSize] allows fewer.
const MaxCells = math.MaxInt32 / 4

// CheckSize returns an error that wraps [fault.ErrLimit] if a layer or picture is larger than a program accepts
// unless its user allows more: it can be in memory as a whole.
func CheckSize(width, height int) error {
	return effort.MapGrid.Check("", int64(width)*int64(height))
}

// sizeOK reports whether a layer may have the given size.
func sizeOK(width, height int) bool { return width > 0 && height > 0 && width <= MaxCells/height }

// NewGrid returns a grid of air. It panics if the grid is not at least 1 x 1, or has
// more than [MaxCells] cells.
func NewGrid[T Cell](width, height int) *Grid[T] {
	if !sizeOK(width, height) {
		panic(sizeError(width, height))
	}
	return NewGridOf(width, height, make([]T, width*height))
}

func sizeError(width, height int) string {
	return fmt.Sprintf("twmap: %d x %d tiles: expected at least 1 x 1 and at most %d in all", width, height, MaxCells)
}

// NewGridOf returns a grid of the given cells, row by row. It keeps the slice; missing cells at the end are air. It
// panics where [NewGrid] does, or if there are more cells than the grid has room for.
func NewGridOf[T Cell](width, height int, cells []T) *Grid[T] {
	if !sizeOK(width, height) {
		panic(sizeError(width, height))
	}
	if len(cells) > width*height {
		panic(fmt.Sprintf("twmap: %d cells for %d x %d", len(cells), width, height))
	}
	g := &Grid[T]{width: width, height: height, cells: cells, changed: true}
	g.once.Do(func() {})
	return g
}

// Width returns the number of columns.
func (g *Grid[T]) Width() int { return g.width }

// Height returns the number of rows.
func (g *Grid[T]) Height() int { return g.height }

// Cells returns the cells row by row; they must not be changed. In a broken map there may be fewer than width times
// height; the error then states the reason.
func (g *Grid[T]) Cells() ([]T, error) {
	g.once.Do(func() {
		g.cells, g.err = g.load((*datafile.Block).Bytes)
		g.kept.Store(true)
	})
	return g.cells, g.err
}

// passing is Cells for a single use: the grid does not keep what it reads.
func (g *Grid[T]) passing() ([]T, error) {
	if g.changed || g.kept.Load() {
		return g.Cells()
	}
	return g.load((*datafile.Block).Once)
}

// Pieces returns a function that reads the rows from the top, one after the other, and then returns [io.EOF]: the grid is not in
// memory as a whole. A row must not be used after the next call. Pieces returns nil where [Grid.Cells] must be used: for cells that
// were changed, or that the block does not hold one after the other.
func (g *Grid[T]) Pieces() (next func() ([]T, error)) {
	if !g.inBlock() || g.kept.Load() || int(g.ref.block.Size()) < g.size() {
		return nil
	}
	r := g.ref.block.Pieces()
	if r == nil {
		return nil
	}
	y, row := 0, make([]byte, g.width*cellSize[T]())
	return func() ([]T, error) {
		if y++; y <= g.height {
			_, err := io.ReadFull(r, row)
			return cellsOf[T](row, g.width), err
		}
		n, err := io.Copy(io.Discard, r)
		if err == nil && int64(g.size())+n != int64(g.ref.block.Size()) {
			err = io.ErrUnexpectedEOF
		}
		return nil, cmp.Or(err, io.EOF)
	}
}

// At returns the cell at column x of row y, or air outside the grid.
func (g *Grid[T]) At(x, y int) T {
	cells, _ := g.Cells()
	if i := y*g.width + x; x >= 0 && x < g.width && y >= 0 && i < len(cells) {
		return cells[i]
	}
	var nothing T
	return nothing
}

// Set changes the cell at column x of row y. It panics outside the grid, as an index of a slice does. In a broken map
// cells that could not be read become air.
func (g *Grid[T]) Set(x, y int, cell T) {
	if x < 0 || x >= g.width || y < 0 || y >= g.height {
		panic(fmt.Sprintf("twmap: no cell %d,%d in %d x %d", x, y, g.width, g.height))
	}
	if !g.changed || len(g.cells) < g.width*g.height {
		g.own()
	}
	g.cells[y*g.width+x] = cell
}

// own replaces the cells by a complete copy. Cells that were read share the memory of their block.
func (g *Grid[T]) own() {
	cells, _ := g.Cells()
	all := make([]T, g.width*g.height)
	copy(all, cells)
	g.cells, g.err, g.changed, g.packed, g.shelved, g.ref = all, nil, true, false, false, nil
}

// detach makes the grid independent of the block that it was read from.
func (g *Grid[T]) detach() {
	if !g.changed && !g.shelved {
		g.own()
	}
}

// Resize removes rows and columns at the right and the bottom, or adds some of air. It panics where [NewGrid] does.
func (g *Grid[T]) Resize(width, height int) {
	if width == g.width && height == g.height {
		return
	}
	n := NewGrid[T](width, height)
	for y, row := range g.Rows() {
		if y < height {
			copy(n.cells[y*width:(y+1)*width], row)
		}
	}
	g.width, g.height = width, height
	g.cells, g.err, g.changed, g.packed, g.shelved, g.ref = n.cells, nil, true, false, false, nil
}

// clone returns a grid with the same cells. Unchanged cells are read again from the block of ref, which is that of g.
func (g *Grid[T]) clone(ref *dataRef) Cells {
	if g.changed {
		return NewGridOf(g.width, g.height, slices.Clone(g.cells))
	}
	if g.shelved {
		ref = g.ref
	}
	return &Grid[T]{width: g.width, height: g.height, ref: ref, shelved: g.shelved, packed: g.packed}
}

// NewShelvedGrid returns a grid of the cells that rows passes to add, row by row from the top. They are compressed until they are
// needed. Missing cells at the end are air, and there must not be more than the grid has room for. It panics where [NewGrid] does.
func NewShelvedGrid[T Cell](width, height int, rows func(add func(cells []T))) *Grid[T] {
	if !sizeOK(width, height) {
		panic(sizeError(width, height))
	}
	g := &Grid[T]{width: width, height: height, shelved: true}
	var stream bytes.Buffer // writing to it does not fail
	w := deflate.NewDraft(&stream)
	var row []byte
	size := 0
	rows(func(cells []T) {
		row = appendCells(row[:0], cells)
		size += len(row)
		_, _ = w.Write(row)
	})
	_, _ = io.CopyN(w, zeros{}, int64(g.size()-size))
	_ = w.Close()
	g.ref = &dataRef{block: datafile.NewDraft(stream.Bytes(), g.size())}
	return g
}

// zeros is an endless reader of zero bytes.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Rows yields the rows from the top with their numbers, as far as cells exist.
func (g *Grid[T]) Rows() iter.Seq2[int, []T] {
	return func(yield func(int, []T) bool) {
		cells, _ := g.Cells()
		for y := 0; y < g.height && len(cells) > 0; y++ {
			n := min(g.width, len(cells))
			if !yield(y, cells[:n]) {
				return
			}
			cells = cells[n:]
		}
	}
}

// count returns the number of existing cells.
func (g *Grid[T]) count() int {
	if g.inBlock() && int(g.ref.block.Size()) >= g.size() && isReadable(g.ref.block) {
		return g.width * g.height
	}
	cells, _ := g.passing()
	return len(cells)
}

// size returns the number of bytes of all cells.
func (g *Grid[T]) size() int { return g.width * g.height * cellSize[T]() }

// inBlock reports whether the cells are those of the block, one after the other.
func (g *Grid[T]) inBlock() bool {
	return !g.changed && !g.packed && g.ref != nil && g.ref.block != nil
}

// isReadable reports whether the contents of a block can be read. It keeps small contents, which are probably read next.
func isReadable(b *datafile.Block) bool {
	if b.Size() > keptContent {
		return b.Verify() == nil
	}
	_, err := b.Bytes()
	return err == nil
}

// isChanged reports whether the block that was read does not hold the current cells in that form.
func (g *Grid[T]) isChanged(packed bool) bool { return g.changed || g.shelved || g.packed != packed }

// stored returns a grid of the cells that the block of ref holds in that form.
func (g *Grid[T]) stored(ref *dataRef, packed bool) Cells {
	return &Grid[T]{width: g.width, height: g.height, ref: ref, packed: packed}
}

func (g *Grid[T]) readErr() error {
	_, err := g.Cells()
	return err
}

// fits reports whether layers of a kind have cells of this type.
func (g *Grid[T]) fits(kind Kind) bool {
	switch any(g).(type) {
	case *Grid[TeleTile]:
		return kind == KindTele
	case *Grid[SpeedupTile]:
		return kind == KindSpeedup
	case *Grid[SwitchTile]:
		return kind == KindSwitch
	case *Grid[TuneTile]:
		return kind == KindTune
	}
	return kind >= KindTiles && kind <= KindFront || kind.infclass()
}

// Cells is the grid of a layer of any kind: a [*Grid] of [Tile], [TeleTile],
// [SpeedupTile], [SwitchTile] or [TuneTile].
type Cells interface {
	Width() int
	Height() int
	Resize(width, height int)

	fits(kind Kind) bool
	encode(packed bool) datafile.Content
	isChanged(packed bool) bool
	stored(ref *dataRef, packed bool) Cells
	readErr() error
	count() int
	size() int
	detach()
	clone(ref *dataRef) Cells
}

// newCells returns a grid of air for a kind.
func newCells(kind Kind, width, height int) Cells {
	switch kind {
	case KindTele:
		return NewGrid[TeleTile](width, height)
	case KindSpeedup:
		return NewGrid[SpeedupTile](width, height)
	case KindSwitch:
		return NewGrid[SwitchTile](width, height)
	case KindTune:
		return NewGrid[TuneTile](width, height)
	}
	return NewGrid[Tile](width, height)
}
