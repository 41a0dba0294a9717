package twmap

import (
	"image"

	"trowel.example/teeworlds/datafile"
)

// The Look methods are for programs that read a map once, or that store their own results: the cells, quads, sources
// and pixels that the function receives are released when it returns. The memory that all concurrent calls use is
// limited, so the function must not call Look for another part.

// Look calls do with a layer that has the same cells and no other fields. The cells are not kept.
func (l *TileLayer) Look(do func(*TileLayer)) {
	block := l.data[l.dataKind()].block
	if block == nil || l.cells.isChanged(l.packed()) {
		do(l)
		return
	}
	block.Look(func(data []byte, err error) {
		over := datafile.NewBlock(data)
		if err != nil { // nothing is known about what the error hides
			over = datafile.NewLostBlock(err)
		}
		do(l.over(over))
	})
}

// Look calls do with the quads and does not keep them.
func (l *QuadLayer) Look(do func([]Quad, error)) {
	lookAt(&l.data, &l.quads, l.num, quadSize, (*Quad).fields, do)
}

// Look calls do with the sources and does not keep them.
func (l *SoundLayer) Look(do func([]SoundSource, error)) {
	size, fields := l.sourceForm()
	lookAt(&l.data, &l.sources, l.num, size, fields, do)
}

func lookAt[T any](ref *dataRef, kept *list[T], num, size int, fields func(*T, *codec), do func([]T, error)) {
	if ref.block == nil || kept.changed {
		do(kept.get(ref, num, size, fields))
		return
	}
	ref.block.Look(func(data []byte, err error) {
		var once list[T]
		items, short := once.get(&dataRef{block: datafile.NewBlock(data)}, num, size, fields)
		if err == nil {
			err = short
		}
		do(items, err)
	})
}

// Look calls do with the results of Picture and does not keep them.
func (im *Image) Look(do func(*image.NRGBA, error)) {
	if im.changed || !im.HasPicture() {
		do(im.Picture())
		return
	}
	im.data.block.Look(func(data []byte, err error) { do(im.pictureOf(data, err)) })
}
