package sqlitepage

import (
	"encoding/binary"
	"maps"
	"slices"
)

// findRoots searches for the root pages of tables whose roots the schema does not state: pages that refer to others
// and that no page refers to. If there are several, it uses the first in the file, because a table keeps its original
// root. If more rows of the table are elsewhere, the root is a guess, and the other rows may be newer.
func (s *survey) findRoots(shapes []Shape) {
	if !slices.ContainsFunc(shapes, func(sh Shape) bool { return sh.Root == 0 }) {
		return
	}
	if !s.freeOK {
		s.findFree()
	}
	children := make(map[uint32][]uint32)
	hasParent := make(map[uint32]bool)
	var leaves []uint32
	for n := range s.stored {
		if s.ctx.Err() != nil {
			return
		}
		switch p := s.loose(n); {
		case p == nil:
		case p.kind == tableLeaf:
			leaves = append(leaves, n)
		default:
			for _, c := range p.cells {
				children[n] = append(children[n], c.child)
			}
			children[n] = append(children[n], p.right)
			for _, c := range children[n] {
				hasParent[c] = true
			}
		}
	}
	found, reached := make(map[*Shape]bool), make(map[uint32]bool)
	for _, root := range slices.Sorted(maps.Keys(children)) {
		if hasParent[root] {
			continue
		}
		seen, sh := s.follow(shapes, children, root)
		if sh == nil || sh.Root != 0 {
			continue
		}
		sh.Root, found[sh] = root, true
		maps.Copy(reached, seen)
	}
	for _, n := range leaves {
		if s.ctx.Err() != nil {
			return
		}
		if p := s.loose(n); p != nil && !reached[n] {
			if sh := s.owner(shapes, p, false); found[sh] {
				sh.guess = true
			}
		}
	}
}

// follow returns the pages below a page, and the table that they belong to; nil if no leaf identifies the table.
func (s *survey) follow(shapes []Shape, children map[uint32][]uint32, root uint32) (seen map[uint32]bool, sh *Shape) {
	seen = map[uint32]bool{root: true}
	for todo := []uint32{root}; len(todo) > 0 && s.ctx.Err() == nil; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range children[n] {
			if seen[c] {
				continue
			}
			seen[c] = true
			if children[c] != nil {
				todo = append(todo, c)
			} else if sh == nil {
				if p := s.loose(c); p != nil && p.kind == tableLeaf {
					sh = s.owner(shapes, p, false)
				}
			}
		}
	}
	return seen, sh
}

// loose returns an unassigned page of a table, or nil if n is not such a page.
func (s *survey) loose(n uint32) *page {
	if !s.exists(n) || s.known(n) != unknown {
		return nil
	}
	data, err := s.read(n)
	if err != nil || data[0] != tableInner && data[0] != tableLeaf {
		return nil
	}
	p, err := s.parse(n, data)
	if err != nil || !p.tidy || len(p.cells) == 0 {
		return nil
	}
	return p
}

// findFree searches for parts of the free list whose start is lost: pages that contain only numbers of other pages,
// each once.
func (s *survey) findFree() {
	valid := func(n uint32) bool { return n != 1 && s.exists(n) }
	for t := range s.stored {
		if s.ctx.Err() != nil {
			return
		}
		if s.known(t) != unknown {
			continue
		}
		data, err := s.read(t)
		if err != nil {
			continue
		}
		next, n := binary.BigEndian.Uint32(data), int(binary.BigEndian.Uint32(data[4:]))
		if next != 0 && !valid(next) || n < 1 || n > s.usable/4-2 {
			continue
		}
		seen := map[uint32]bool{t: true, next: true}
		for i := range n {
			p := binary.BigEndian.Uint32(data[8+4*i:])
			if !valid(p) || seen[p] {
				n = 0
				break
			}
			seen[p] = true
		}
		if n == 0 {
			continue
		}
		delete(seen, 0)
		for p := range seen {
			s.take(p, freed)
		}
	}
}
