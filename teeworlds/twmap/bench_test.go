package twmap

import (
	"runtime"
	"sync"
	"testing"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// layerBlocks returns the data blocks that hold the layers of a map.
func layerBlocks(m *Map) []*dataRef {
	var refs []*dataRef
	for _, l := range m.Layers() {
		switch l := l.(type) {
		case *TileLayer:
			refs = append(refs, &l.data[l.dataKind()])
		case *QuadLayer:
			refs = append(refs, &l.data)
		case *SoundLayer:
			refs = append(refs, &l.data)
		}
	}
	return refs
}

// BenchmarkLayers measures decoding all layers of all maps of the corpus, and only inflating the same blocks, both on
// all cores.
func BenchmarkLayers(b *testing.B) {
	var files [][]byte
	size := int64(0)
	for _, path := range tests.CorpusFiles(b, "teeworlds", ".map") {
		data := judge.Read(b, path)
		m, err := Decode(data)
		if err != nil {
			continue // a map of 2007
		}
		files = append(files, data)
		for _, ref := range layerBlocks(m) {
			if ref.block != nil {
				size += int64(ref.block.Size())
			}
		}
	}
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			for _, data := range files {
				m, err := Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				_ = m.Load() // some maps are broken
			}
		}
	})
	b.Run("inflate", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			for _, data := range files {
				m, err := Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				next := make(chan *dataRef)
				var workers sync.WaitGroup
				for range runtime.GOMAXPROCS(0) {
					workers.Go(func() {
						for ref := range next {
							_, _, _ = deflate.Decompress(ref.block.Stream(), int(ref.block.Size()))
						}
					})
				}
				for _, ref := range layerBlocks(m) {
					if ref.block != nil {
						next <- ref
					}
				}
				close(next)
				workers.Wait()
			}
		}
	})
}

// BenchmarkOpen measures decoding a map without inflating a layer, as info and ls do.
func BenchmarkOpen(b *testing.B) {
	data := judge.Read(b, tests.Corpus(b, "teeworlds")+"/ddnet_ddnet/data/maps7/Tutorial.map")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
