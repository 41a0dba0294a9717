package worlddir

import (
	"fmt"
	"slices"
	"sync"

	"trowel.example/minetest/mapdb"
)

// planes are the folders of blocks of a world that is listed plane by plane: the list of planes, and the blocks of
// the plane that was requested last. A walk through the tree requests one plane after the other.
type planes struct {
	mu       sync.Mutex
	known    bool
	all      []int16
	z        int16
	last     *positions
	reported map[string]bool // rows that are already reported because no file can represent them
}

// planer returns the store if the tree can be listed plane by plane. It cannot if all positions are already loaded,
// or will be needed for the sidecar.
func (s *shown) planer() (mapdb.Planer, bool) {
	if s.blocks.loaded.Load() || s.keeping.Load() {
		return nil, false
	}
	db, ok := s.w.Map.(mapdb.Planer)
	return db, ok && db.HasPlanes()
}

// loadAll loads all positions; s.byPlane.mu must be held.
func (s *shown) loadAll() error {
	p := &s.byPlane
	err := s.blocks.load(s.ctx, s.w, s.area, func(err error) {
		if !p.reported[err.Error()] {
			s.w.miss(blocksDir, err)
		}
	})
	if err == nil && p.known {
		// The planes were listed before the store turned out to be damaged.
		p.known, p.last = false, nil
		late := slices.DeleteFunc(s.blocks.planes(), func(z int16) bool { return slices.Contains(p.all, z) })
		if len(late) > 0 {
			s.w.miss(blocksDir, fmt.Errorf("planes created after the planes were listed: %d, the first is z%d", len(late), late[0]))
		}
	}
	return err
}

func (s *shown) load() error {
	s.byPlane.mu.Lock()
	defer s.byPlane.mu.Unlock()
	return s.loadAll()
}

// planes returns the planes that have blocks, in order.
func (s *shown) planes() ([]int16, error) {
	p := &s.byPlane
	p.mu.Lock()
	defer p.mu.Unlock()
	if db, ok := s.planer(); ok {
		if p.known {
			return p.all, nil
		}
		all, odd, ok, err := db.Planes(s.ctx, s.area)
		if err != nil {
			return nil, err
		}
		if ok {
			p.known, p.all, p.reported = true, all, make(map[string]bool)
			for _, row := range odd {
				s.w.miss(blocksDir, row)
				p.reported[row.Error()] = true
			}
			return all, nil
		}
	}
	if err := s.loadAll(); err != nil {
		return nil, err
	}
	return s.blocks.planes(), nil
}

// inPlane returns positions that include all positions of a plane.
func (s *shown) inPlane(z int16) (*positions, error) {
	if _, err := s.planes(); err != nil { // so that reported rows are known
		return nil, err
	}
	p := &s.byPlane
	p.mu.Lock()
	defer p.mu.Unlock()
	if db, ok := s.planer(); ok && p.known {
		if p.last != nil && p.z == z {
			return p.last, nil
		}
		area := s.area
		area.Min.Z, area.Max.Z = max(area.Min.Z, z), min(area.Max.Z, z)
		one := new(positions)
		var odd []error
		if err := one.read(s.ctx, db, area, func(err error) { odd = append(odd, err) }); err != nil {
			return nil, err
		}
		if db.HasPlanes() {
			for _, err := range odd {
				if text := err.Error(); !p.reported[text] {
					s.w.miss(blocksDir, err)
					p.reported[text] = true
				}
			}
			p.z, p.last = z, one
			return one, nil
		}
	}
	return &s.blocks, s.loadAll()
}
