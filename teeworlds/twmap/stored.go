package twmap

import (
	"bytes"
	"fmt"

	"trowel.example/teeworlds/datafile"
)

// Stored is the location of an element of a layer in the file that its map was read from, within the contents of a
// data block.
type Stored struct {
	Block  int32 // number of the data block
	Offset int64 // in the contents, in bytes
	Len    int64 // in bytes; 0: not stored
}

// Space returns the name that [Trace] uses for the contents of the block.
func (s Stored) Space() string { return fmt.Sprintf("data[%d]", s.Block) }

// Stored returns the location of the cell at column x of row y. In the compressed form of Teeworlds 0.7 that is the
// location of the stored tile, which may represent other cells as well. The result is zero for a cell that was not
// read from the file or that the file does not contain.
func (l *TileLayer) Stored(x, y int) (at Stored) {
	if x < 0 || y < 0 || x >= l.Width() || y >= l.Height() {
		return Stored{}
	}
	ref, i := &l.data[l.dataKind()], int64(y)*int64(l.Width())+int64(x)
	if ref.block == nil || ref.block.Offset() < 0 || l.cells.isChanged(l.packed()) {
		return Stored{}
	}
	if !l.packed() {
		size := int64(l.cellSize(l.dataKind()))
		return ref.stored(i*size, size)
	}
	ref.block.Look(func(data []byte, _ error) {
		for from := int64(0); from+4 <= int64(len(data)); from += 4 {
			if i -= int64(data[from+2]) + 1; i < 0 {
				at = Stored{ref.index, from, 4}
				return
			}
		}
	})
	return at
}

// SameStream reports, without reading them, that both layers have the same cells because nobody changed them since they were read
// from identical bytes.
func (l *TileLayer) SameStream(o *TileLayer) bool {
	if l.kind != o.kind || l.Width() != o.Width() || l.Height() != o.Height() || l.packed() != o.packed() ||
		l.cells == nil || o.cells == nil || l.cells.isChanged(l.packed()) || o.cells.isChanged(o.packed()) {
		return false
	}
	x, y := l.data[l.dataKind()].block, o.data[o.dataKind()].block
	if x == nil || y == nil {
		return false
	}
	return x == y || x.Size() == y.Size() && x.Stream() != nil && bytes.Equal(x.Stream(), y.Stream())
}

// Store compresses the cells as Encode would and releases them until they are needed again, so that a program that
// changes many large layers holds one of them in memory at a time.
func (l *TileLayer) Store() {
	if l.cells == nil {
		return
	}
	ref, packed := &l.data[l.dataKind()], l.packed()
	ref.store(l.cells.encode(packed))
	l.cells = l.cells.stored(ref, packed)
}

// Store compresses quads that were set, as [TileLayer.Store] does with cells, if they are so many that the layer would not keep
// them after reading.
func (l *QuadLayer) Store() {
	if l.quads.changed && len(l.quads.items)*quadSize > maxList {
		l.num = len(l.quads.items)
		l.data.store(datafile.Content{Bytes: encodeList(l.quads.items, quadSize, (*Quad).fields)})
		l.quads.set(nil)
		l.quads.changed = false
	}
}

// store replaces the block by one with the compressed contents.
func (d *dataRef) store(content datafile.Content) {
	if !d.read || d.block == nil {
		d.index = -1 // the block is new
	}
	*d = dataRef{read: true, index: d.index, block: datafile.BlockResidue{}.Block(content)}
	d.block.Store()
}

// Stored returns the location of quad i, as [TileLayer.Stored] does for a cell.
func (l *QuadLayer) Stored(i int) Stored {
	if i < 0 || l.quads.changed {
		return Stored{}
	}
	return l.data.stored(int64(i)*quadSize, quadSize)
}

// Stored returns the location of source i, as [TileLayer.Stored] does for a cell.
func (l *SoundLayer) Stored(i int) Stored {
	size, _ := l.sourceForm()
	if i < 0 || l.sources.changed {
		return Stored{}
	}
	return l.data.stored(int64(i)*int64(size), int64(size))
}

// stored returns the location of a piece of the contents, or zero if the block is shorter.
func (d *dataRef) stored(offset, length int64) Stored {
	if d.block == nil || offset+length > int64(d.block.Size()) {
		return Stored{}
	}
	return Stored{d.index, offset, length}
}
