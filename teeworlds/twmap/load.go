package twmap

import (
	"errors"
	"fmt"

	"trowel.example/internal/parallel"
)

// Load reads the cells, quads and sources of all layers, on all cores, for
// programs that need them all. The error joins what is wrong with each.
func (m *Map) Load() error {
	layers := m.Layers()
	errs := make([]error, len(layers))
	parallel.Each(len(layers), func(i int) {
		if err := load(layers[i]); err != nil {
			errs[i] = fmt.Errorf("layer %d: %w", i, err)
		}
	})
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
