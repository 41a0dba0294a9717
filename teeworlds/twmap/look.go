package twmap

import (
	"image"

	"trowel.example/teeworlds/datafile"
)

// For programs that go through a map once, or have a memory of their own for what they
// made of it: the cells, quads, sources and pixels that a function is shown are gone when
// it returns. What all such looks of a program have in memory at a time is limited, so
// the function must not look at another part.

// Look calls do with a layer of the same cells, and nothing else. They are not kept.
func (l *TileLayer) Look(do func(*TileLayer)) {
	block := l.data[l.dataKind()].block
	if block == nil || l.cells.isChanged(l.packed()) {
		do(l)
		return
	}
	block.Look(func(data []byte, err error) {
		over := datafile.NewBlock(data)
		if err != nil { // with what the error hides nobody can do anything
			over = datafile.NewLostBlock(err)
		}
		do(l.over(over))
	})
}

// Look calls do with the quads, which are not kept.
func (l *QuadLayer) Look(do func([]Quad, error)) {
	lookAt(&l.data, &l.quads, l.num, quadSize, (*Quad).fields, do)
}

// Look calls do with the sources, which are not kept.
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

// Look calls do with what Picture returns, which is not kept.
func (im *Image) Look(do func(*image.NRGBA, error)) {
	if im.changed || !im.HasPicture() {
		do(im.Picture())
		return
	}
	im.data.block.Look(func(data []byte, err error) { do(im.pictureOf(data, err)) })
}
