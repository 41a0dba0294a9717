package twmap

import (
	"errors"
	"fmt"

	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/datafile"
)

// Load reads the whole map, on all cores. It keeps the cells, quads and sources of all layers, and does not keep the
// other data blocks of the file. The error joins those of all parts.
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
				errs[i] = nil // the error of the block states it
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
