package twmap

import (
	"errors"
	"fmt"

	"trowel.example/internal/parallel"
	"trowel.example/teeworlds/datafile"
)

// Load reads the whole map, on all cores: the cells, quads and sources of all layers, which
// it keeps, and all other data blocks of the file, which it does not. The error joins what is
// wrong with each.
func (m *Map) Load() error {
	layers := m.Layers()
	errs := make([]error, len(layers))
	parallel.Each(len(layers), func(i int) {
		if err := load(layers[i]); err != nil {
			errs[i] = fmt.Errorf("layer %d: %w", i, err)
		}
	})
	if f := m.file.datafile; f != nil {
		for i, err := range errs {
			if errors.Is(err, datafile.ErrUnreadable) {
				errs[i] = nil // the block says it
			}
		}
		errs = append(errs, f.Verify())
	}
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
