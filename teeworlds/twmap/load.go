package twmap

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// Load reads the cells, quads and sources of all layers, on all cores, for
// programs that need them all. The error joins what is wrong with each.
func (m *Map) Load() error {
	layers := m.Layers()
	errs := make([]error, len(layers))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(layers)) {
		workers.Go(func() {
			for i := range next {
				if err := load(layers[i]); err != nil {
					errs[i] = fmt.Errorf("layer %d: %w", i, err)
				}
			}
		})
	}
	for i := range layers {
		next <- i
	}
	close(next)
	workers.Wait()
	return errors.Join(errs...)
}

func load(l Layer) error {
	var err error
	switch l := l.(type) {
	case *TileLayer:
		err = l.Load()
	case *QuadLayer:
		_, err = l.Quads()
	case *SoundLayer:
		_, err = l.Sources()
	}
	return err
}
