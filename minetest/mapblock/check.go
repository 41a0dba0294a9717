package mapblock

import (
	"fmt"

	"trowel/check"
	"trowel/internal/bin"
)

// checker reports the findings about a block.
type checker struct {
	check.Sink
	b    *Block
	path string
}

// Check tells what is wrong with a block that could be decoded. The path is
// put before the paths of the findings; it may be "".
func (b *Block) Check(sink check.Sink, path string) {
	c := checker{sink, b, path}
	c.head()
	c.names()
	c.metadata()
	c.timers()
	c.objects()
}

// CheckData decodes a block and tells what is wrong with it.
func CheckData(data []byte, sink check.Sink, path string) {
	b, err := Decode(data)
	if err != nil {
		c := checker{sink, nil, path}
		kind := foundUnreadable
		if len(data) == 0 || data[0] > Newest {
			kind = foundVersion
		}
		c.add(kind, "", bin.OffsetOf(err), "%v", err)
		return
	}
	b.Check(sink, path)
}

func (c *checker) add(k *check.Kind, path string, offset int64, format string, args ...any) {
	if c.path != "" && path != "" {
		path = "." + path
	}
	c.Add(k, c.path+path, offset, format, args...)
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
		c.add(foundMapBlockObjects, "mapblock_objects", -1, "%d objects", b.MapBlockObjects)
	} else if n := len(b.Trailing); n > 0 {
		c.add(foundTrailing, "trailing", -1, "%d bytes", n)
	}
	if n := len(b.Inner); n > 0 {
		c.add(foundTrailing, "block.trailing", -1, "%d bytes", n)
	}
}

// validName reports whether a node can have a name.
func validName(name string) bool {
	for _, r := range []byte(name) {
		if r != '_' && r != ':' && !('0' <= r && r <= '9') && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z') {
			return false
		}
	}
	return name != ""
}

// earlier returns a function that tells the last entry before entry i that has the
// same id, and the last that has the same name; -1 is none. It is called with 0, 1,
// 2 and so on.
func earlier(list []NameID) func(i int) (sameID, sameName int) {
	if len(list) <= fewNames {
		return func(i int) (sameID, sameName int) {
			sameID, sameName = i-1, i-1
			for sameID >= 0 && list[sameID].ID != list[i].ID {
				sameID--
			}
			for sameName >= 0 && list[sameName].Name != list[i].Name {
				sameName--
			}
			return sameID, sameName
		}
	}
	ids, names := make(map[uint16]int, len(list)), make(map[string]int, len(list))
	return func(i int) (sameID, sameName int) {
		e := list[i]
		sameID, sameName = ids[e.ID]-1, names[e.Name]-1
		ids[e.ID], names[e.Name] = i+1, i+1
		return sameID, sameName
	}
}

// namesFit reports whether the ids that occur are just those that have a name, as
// far as that is quick to see: where all are below 64.
func (b *Block) namesFit() bool {
	if b.Version <= 20 || b.ContentWidth == 1 {
		return false
	}
	named, occur, large := uint64(0), uint64(0), uint16(0)
	for _, e := range b.Names {
		named |= 1 << (e.ID & 63)
		large |= e.ID
	}
	for _, id := range &b.Param0 {
		occur |= 1 << (id & 63)
		large |= id
	}
	return named == occur && large < 64
}

func (c *checker) names() {
	b := c.b
	if b.Version >= 21 {
		before := earlier(b.Names)
		for i, e := range b.Names {
			path := func() string { return fmt.Sprintf("names.entries[%d]", i) }
			if sameID, sameName := before(i); sameID >= 0 {
				c.add(foundNameDuplicate, path(), -1, "id %d is %q, and in entry %d %q", e.ID, e.Name, sameID, b.Names[sameID].Name)
			} else if sameName >= 0 {
				c.add(foundNameDuplicate, path(), -1, "%q has id %d, and in entry %d id %d", e.Name, e.ID, sameName, b.Names[sameName].ID)
			}
			if !validName(e.Name) {
				c.add(foundNameEmpty, path(), -1, "%q", e.Name)
			}
		}
	}
	if b.namesFit() {
		return
	}
	nameOf := b.nameOf()
	var count idCounts
	count.count(b)
	var unmapped []uint16
	for id := range count.all {
		if _, ok := nameOf(id); !ok {
			unmapped = append(unmapped, id)
		}
	}
	for i, id := range unmapped {
		if i == 8 {
			c.add(foundUnmapped, "nodes", -1, "and %d more ids without a name", len(unmapped)-i)
			break
		}
		c.add(foundUnmapped, "nodes", -1, "%d nodes have the id %d, which has no name", count.of(id), id)
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
		c.add(foundMetaUnreadable, "metadata", bin.OffsetOf(c.b.fault), "%d bytes: %v", len(m.Raw), c.b.fault)
	case m.Missing > 0:
		c.add(foundMetaUnreadable, "metadata", bin.OffsetOf(c.b.fault), "%d of %d entries: %v", m.Missing, m.Missing+len(m.List), c.b.fault)
	case len(m.Rest) > 0:
		c.add(foundMetaRest, "metadata.rest", -1, "%d bytes", len(m.Rest))
	}
	var seen [NodeCount]bool
	for i := range m.List {
		e := &m.List[i]
		path := fmt.Sprintf("metadata.entries[%d]", i)
		switch {
		case e.Pos >= NodeCount:
			c.add(foundMetaPosition, path+".position", -1, "position %d, there are 0 to %d", e.Pos, NodeCount-1)
		case seen[e.Pos]:
			c.add(foundMetaDuplicate, path+".position", -1, "position %d", e.Pos)
		default:
			seen[e.Pos] = true
		}
		if e.Legacy != nil {
			if _, err := e.Legacy.Content(); err != nil {
				c.add(foundMetaBody, path, -1, "%v: %v", e.Legacy.ID, err)
			}
			continue
		}
		keys := make(map[string]bool, len(e.Vars))
		for j, v := range e.Vars {
			if keys[v.Key] {
				c.add(foundMetaKey, fmt.Sprintf("%s.vars[%d]", path, j), -1, "%q", v.Key)
			}
			if keys[v.Key] = true; v.Private > 1 {
				c.add(foundMetaPrivate, fmt.Sprintf("%s.vars[%d]", path, j), -1, "%q has %d", v.Key, v.Private)
			}
		}
	}
}

func (c *checker) timers() {
	var seen [NodeCount]bool
	for i, t := range c.b.Timers.List {
		path := fmt.Sprintf("timers.entries[%d]", i)
		switch {
		case t.Timeout <= 0:
			c.add(foundTimerTimeout, path, -1, "timeout %d ms", t.Timeout)
		case t.Pos >= NodeCount:
			c.add(foundTimerPosition, path, -1, "position %d, there are 0 to %d", t.Pos, NodeCount-1)
		case seen[t.Pos]:
			c.add(foundTimerDuplicate, path, -1, "position %d", t.Pos)
		default:
			seen[t.Pos] = true
		}
	}
}

// maxObjects is the number of objects that games of today keep by default.
const maxObjects = 256

func (c *checker) objects() {
	objects := &c.b.Objects
	if objects.Version != 0 {
		c.add(foundObjectVersion, "objects.version", -1, "version %d", objects.Version)
	}
	if n := len(objects.List); n > maxObjects {
		c.add(foundObjectMany, "objects", -1, "%d objects", n)
	}
	for i := range objects.List {
		o := &objects.List[i]
		path := fmt.Sprintf("objects.entries[%d]", i)
		var err error
		switch o.Type {
		case ObjectLuaEntity:
			_, err = o.LuaEntity()
		case ObjectItem:
			_, err = o.Item()
			fallthrough
		default:
			c.add(foundObjectType, path, -1, "%v", o.Type)
		}
		if err != nil {
			c.add(foundObjectData, path+".data", -1, "%v: %v", o.Type, err)
		}
	}
}
