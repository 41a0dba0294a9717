package sqlitepage

import (
	"encoding/binary"
)

// findRoots looks for the pages at which tables begin of which the schema does not tell
// that: pages that lead to others and to which none leads. Of several the one is it that
// leads to the most.
func (s *survey) findRoots(shapes []Shape) {
	unknownRoot := false
	for i := range shapes {
		unknownRoot = unknownRoot || shapes[i].Root == 0
	}
	if !unknownRoot {
		return
	}
	if !s.freeOK {
		s.findFree()
	}
	children := make(map[uint32][]uint32)
	hasParent := make(map[uint32]bool)
	for n := uint32(2); int64(n) < int64(len(s.state)) && s.ctx.Err() == nil; n++ {
		if p := s.loose(n); p != nil && p.kind == tableInner {
			list := []uint32{p.right}
			for _, c := range p.cells {
				list = append(list, c.child)
			}
			children[n] = list
			for _, c := range list {
				hasParent[c] = true
			}
		}
	}
	best := make(map[*Shape]int)
	for root := range children {
		if hasParent[root] {
			continue
		}
		leaves, sh := 0, (*Shape)(nil)
		seen := map[uint32]bool{root: true}
		for todo := []uint32{root}; len(todo) > 0; {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, c := range children[n] {
				if seen[c] {
					continue
				}
				seen[c] = true
				if children[c] != nil {
					todo = append(todo, c)
					continue
				}
				if p := s.loose(c); p != nil && p.kind == tableLeaf {
					leaves++
					if sh == nil {
						sh = s.owner(shapes, p, false)
					}
				}
			}
		}
		if sh != nil && (leaves > best[sh] || leaves == best[sh] && root < sh.Root) {
			best[sh], sh.Root = leaves, root
		}
	}
}

// loose returns a page of a table that nobody has taken, nil if it is none.
func (s *survey) loose(n uint32) *page {
	if n == 0 || int64(n) >= int64(len(s.state)) || s.state[n] != unknown {
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

// findFree looks for parts of the list of free pages of which the beginning is lost:
// pages that hold nothing but numbers of other pages, each once.
func (s *survey) findFree() {
	valid := func(n uint32) bool { return n >= 2 && int64(n) < int64(len(s.state)) }
	for t := uint32(2); int64(t) < int64(len(s.state)) && s.ctx.Err() == nil; t++ {
		if s.state[t] != unknown {
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
			if s.state[p] == unknown {
				s.state[p] = freed
			}
		}
	}
}
