package twmap

import (
	"fmt"

	"trowel.example/internal/limits/parallel"
)

// Repack compresses each data block again at a zlib level from 0 to 9, or as far as possible at [datafile.Smallest], and returns the map
// that is read from the result. A block that would not become smaller stays. Repack fails where [Map.Encode] does, and for a map of
// [Salvage] with losses.
func (m *Map) Repack(level int) (*Map, error) {
	f, err := m.Datafile()
	if err != nil {
		return nil, err
	}
	parallel.Each(len(f.Data), func(i int) { f.Data[i] = f.Data[i].Smaller(level) })
	data, err := f.Encode()
	if err != nil {
		return nil, err
	}
	made, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("the map with smaller blocks cannot be read: %w", err)
	}
	return made, nil
}
