package mapblock

import (
	"fmt"
	"slices"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
)

// checker reports the findings about a block.
type checker struct {
	check.Sink
	b *Block
}

// Check reports the problems of a decoded block.
func (b *Block) Check(sink check.Sink) {
	var ids idSet
	ids.add(b.Param0[:])
	b.check(&ids, sink)
}

func (b *Block) check(ids *idSet, sink check.Sink) {
	c := checker{sink, b}
	c.head()
	c.names(ids)
	c.metadata()
	c.timers()
	c.objects()
}

// CheckData decodes a block and reports its problems.
func CheckData(data []byte, sink check.Sink) {
	new(Block).CheckData(data, sink)
}

// CheckData decodes a block into b, as [Block.Decode] does, and sends its problems to sink. It reports whether the
// block could be decoded.
func (b *Block) CheckData(data []byte, sink check.Sink) bool {
	var ids idSet
	if err := b.decode(data, &ids); err != nil {
		c := checker{sink, nil}
		if len(data) == 0 || data[0] > Newest {
			c.add(foundVersion, "", fault.OffsetOf(err), "%v", err)
		} else {
			c.add(foundUnreadable, "", fault.OffsetOf(err), "%v%s", err, tolerance(data[0], err))
		}
		return false
	}
	b.check(&ids, sink)
	return true
}

func (c *checker) add(k *check.Kind, path string, offset int64, format string, args ...any) {
	c.addAt(k, nil, path, offset, format, args...)
}

// addAt is add for a finding about nodes of the block.
func (c *checker) addAt(k *check.Kind, at []check.Place, path string, offset int64, format string, args ...any) {
	c.AddAt(k, at, path, offset, format, args...)
}

// node returns the place of a node.
func node(index uint16) []check.Place { return []check.Place{place.InBlock(int(index))} }

// nodesOf returns the places of the nodes that have an id.
func (c *checker) nodesOf(id func(uint16) bool) (at []check.Place) {
	for i := range NodeCount {
		if of, _ := c.b.ID(i); id(of) {
			at = append(at, place.InBlock(i))
		}
	}
	return at
}

func (c *checker) head() {
	b := c.b
	if b.Version <= 19 {
		c.add(foundMisread, "version", 0, "version %d", b.Version)
	}
	if rest := b.Flags &^ knownFlags; rest != 0 && b.Version > 10 {
		c.add(foundFlags, "flags", -1, "flags %#02x", uint8(rest))
	}
	if b.Version >= 27 && b.LightingComplete>>12 != 0xf {
		c.add(foundLighting, "lighting_complete", -1, "%#04x", b.LightingComplete)
	}
	if width := contentWidth(b.Version); b.Version >= 22 && b.ContentWidth != width {
		c.add(foundContentWidth, "content_width", -1, "%d, version %d has %d", b.ContentWidth, b.Version, width)
	}
	if b.Version == 23 && b.Unused != 0 {
		c.add(foundUnused, "unused", -1, "%d", b.Unused)
	}
	if b.MapBlockObjects != 0 {
		c.add(foundMapBlockObjects, "mapblock_objects", -1, "%s", words.Count(b.MapBlockObjects, "object"))
	} else if n := len(b.Trailing); n > 0 {
		c.add(foundTrailing, "trailing", -1, "%s", words.Count(n, "byte"))
	}
	if n := len(b.Inner); n > 0 {
		c.add(foundTrailing, "block.trailing", -1, "%s", words.Count(n, "byte"))
	}
}

// validName reports whether name is a valid node name.
func validName(name string) bool {
	for _, r := range []byte(name) {
		if r != '_' && r != ':' && !('0' <= r && r <= '9') && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z') {
			return false
		}
	}
	return name != ""
}

// earlier returns a function that returns the index of the last element before element i with the same key, or -1 if
// there is none. The function must be called with 0, 1, 2 and so on.
func earlier[T any, K comparable](list []T, key func(*T) K) func(i int) int {
	if len(list) <= fewNames {
		return func(i int) int {
			same := i - 1
			for same >= 0 && key(&list[same]) != key(&list[i]) {
				same--
			}
			return same
		}
	}
	last := make(map[K]int, len(list))
	return func(i int) int {
		k := key(&list[i])
		same := last[k] - 1
		last[k] = i + 1
		return same
	}
}

// idSet is the set of values that occur in Param0.
type idSet struct {
	low [1024]bool // by id modulo 1024; nearly all ids are below 1024
	all uint16     // the bitwise or of all ids
}

func (s *idSet) add(ids []uint16) {
	for _, id := range ids {
		s.low[id%1024] = true
		s.all |= id
	}
}

// haveNames reports whether the set equals the ids that have a name in the list. It may return false for an equal set
// if a precise answer would be slow.
func (s idSet) haveNames(names []NameID) bool {
	for _, e := range names {
		if s.all |= e.ID; !s.low[e.ID%1024] {
			return false
		}
	}
	for _, e := range names {
		s.low[e.ID%1024] = false
	}
	return s.all < 1024 && s.low == [1024]bool{}
}

func (c *checker) names(ids *idSet) {
	b := c.b
	if b.Version >= 21 {
		sameID := earlier(b.Names, func(e *NameID) uint16 { return e.ID })
		sameName := earlier(b.Names, func(e *NameID) string { return e.Name })
		for i, e := range b.Names {
			path := func() string { return fmt.Sprintf("names.entries[%d]", i) }
			id, name := sameID(i), sameName(i)
			if id >= 0 {
				c.add(foundNameDuplicate, path(), -1, "id %d is %q, and in entry %d %q", e.ID, e.Name, id, b.Names[id].Name)
			} else if name >= 0 {
				c.add(foundNameDuplicate, path(), -1, "%q has id %d, and in entry %d id %d", e.Name, e.ID, name, b.Names[name].ID)
			}
			if !validName(e.Name) {
				c.addAt(foundNameEmpty, c.nodesOf(func(id uint16) bool { return id == e.ID }), path(), -1, "%q", e.Name)
			}
		}
		if b.plainIDs() && ids.haveNames(b.Names) {
			return
		}
	}
	nameOf := b.nameOf()
	var count idCounts
	count.count(b)
	var unmapped []uint16
	for id := range count.ids {
		if _, ok := nameOf(id); !ok {
			unmapped = append(unmapped, id)
		}
	}
	for i, id := range unmapped {
		if i == 8 {
			rest := unmapped[i:]
			c.addAt(foundUnmapped, c.nodesOf(func(id uint16) bool { return slices.Contains(rest, id) }), "nodes", -1,
				"and %s without a name", words.Count(len(rest), "more id"))
			break
		}
		c.addAt(foundUnmapped, c.nodesOf(func(of uint16) bool { return of == id }), "nodes", -1,
			"%s with the id %d, which has no name", words.Count(count.of(id), "node"), id)
	}
	if b.Version >= 21 {
		for i, e := range b.Names {
			if count.of(e.ID) == 0 {
				c.add(foundNameUnused, fmt.Sprintf("names.entries[%d]", i), -1, "id %d, %q", e.ID, e.Name)
			}
		}
	}
}

func (c *checker) metadata() {
	m := &c.b.Metadata
	switch {
	case m.Raw != nil:
		c.add(foundMetaUnreadable, "metadata", fault.OffsetOf(c.b.fault), "%s: %v", words.Count(len(m.Raw), "byte"), c.b.fault)
	case m.Missing > 0:
		c.add(foundMetaUnreadable, "metadata", fault.OffsetOf(c.b.fault), "%d of %d entries: %v", m.Missing, m.Missing+len(m.List), c.b.fault)
	case len(m.Rest) > 0:
		c.add(foundMetaRest, "metadata.rest", -1, "%s", words.Count(len(m.Rest), "byte"))
	}
	var seen positions
	for i := range m.List {
		e := &m.List[i]
		path := func(rest string) string { return fmt.Sprintf("metadata.entries[%d]%s", i, rest) }
		if e.Pos >= NodeCount {
			c.add(foundMetaPosition, path(".position"), -1, "position %d, expected 0 to %d", e.Pos, NodeCount-1)
		} else if seen.add(e.Pos) {
			c.addAt(foundMetaDuplicate, node(e.Pos), path(".position"), -1, "position %d", e.Pos)
		}
		if e.Legacy != nil {
			if _, err := e.Legacy.Content(); err != nil {
				c.addAt(foundMetaBody, node(e.Pos), path(""), -1, "%v: %v", e.Legacy.ID, err)
			}
			continue
		}
		sameKey := earlier(e.Vars, func(v *Var) string { return v.Key })
		for j, v := range e.Vars {
			if sameKey(j) >= 0 {
				c.addAt(foundMetaKey, node(e.Pos), path(fmt.Sprintf(".vars[%d]", j)), -1, "%q", v.Key)
			}
			if v.Private > 1 {
				c.addAt(foundMetaPrivate, node(e.Pos), path(fmt.Sprintf(".vars[%d]", j)), -1, "%q has %d", v.Key, v.Private)
			}
		}
	}
}

// positions is a set of positions of nodes.
type positions [NodeCount / 64]uint64

// add adds a position to the set and reports whether it was already there.
func (p *positions) add(pos uint16) (there bool) {
	word, bit := &p[pos/64], uint64(1)<<(pos%64)
	there = *word&bit != 0
	*word |= bit
	return there
}

func (c *checker) timers() {
	var seen positions
	for i, t := range c.b.Timers.List {
		path := func() string { return fmt.Sprintf("timers.entries[%d]", i) }
		switch {
		case t.Timeout <= 0:
			c.addAt(foundTimerTimeout, node(t.Pos), path(), -1, "timeout %d ms", t.Timeout)
		case t.Pos >= NodeCount:
			c.add(foundTimerPosition, path(), -1, "position %d, expected 0 to %d", t.Pos, NodeCount-1)
		case seen.add(t.Pos):
			c.addAt(foundTimerDuplicate, node(t.Pos), path(), -1, "position %d", t.Pos)
		}
	}
}

// maxObjects is the number of objects that current games keep by default.
const maxObjects = 256

func (c *checker) objects() {
	objects := &c.b.Objects
	if objects.Version != 0 {
		c.add(foundObjectVersion, "objects.version", -1, "version %d", objects.Version)
	}
	if n := len(objects.List); n > maxObjects {
		c.add(foundObjectMany, "objects", -1, "%s", words.Count(n, "object"))
	}
	for i := range objects.List {
		o := &objects.List[i]
		path := func(rest string) string { return fmt.Sprintf("objects.entries[%d]%s", i, rest) }
		var err error
		switch o.Type {
		case ObjectLuaEntity:
			_, err = o.LuaEntity()
		case ObjectItem:
			_, err = o.Item()
			fallthrough
		default:
			c.add(foundObjectType, path(""), -1, "%v", o.Type)
		}
		if err != nil {
			c.add(foundObjectData, path(".data"), -1, "%v: %v", o.Type, err)
		}
	}
}
