package mapblock

import (
	"errors"
	"fmt"
	"slices"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
)

// ErrLoss is the cause of the error of a conversion that would lose something.
var ErrLoss = errors.New("the version cannot store all of it")

// Writable reports whether Convert can convert blocks to a version: 17, used by worlds of 2011, and 20 to 29. No game
// ever wrote version 26; it is the same as 25.
func Writable(version int) bool { return version == 17 || version >= 20 && version <= Newest }

// ConvertOptions are the options of [Block.Convert].
type ConvertOptions struct {
	// Drop removes the data that the other version has no room for.
	Drop bool
}

// Convert returns the block in another version, which must be [Writable]. It does not modify the block; the result
// shares memory with it.
//
// To a newer version, Convert does what a game does on load and save: names replace ids, numbers get their current
// meaning, and metadata gets variables. One difference: Convert also turns the text and the owner of generic metadata
// into variables; games drop them.
//
// The findings list the data that the other version has no room for. If there are any, the conversion fails with
// [ErrLoss], unless Drop is set.
func (b *Block) Convert(version int, o ConvertOptions) (*Block, []check.Finding, error) {
	if !Writable(version) {
		return nil, nil, &fault.Error{Path: "version", Offset: -1, Want: "version 17 or 20 to 29", Got: fmt.Sprint(version),
			Err: fault.ErrVersion}
	}
	if version == b.Version {
		to := *b
		return &to, nil, nil
	}
	to, losses := b.convert(version, unknownName, false)
	if len(losses) > 0 && !o.Drop {
		return nil, losses, &fault.Error{Path: "version", Offset: -1, Want: "a block that fits into version " + fmt.Sprint(version),
			Got: losses[0].Message, Err: ErrLoss}
	}
	return to, losses, nil
}

// Today returns the block as current games understand it: in version 24 or later, with ids of 2 bytes, so that Param0
// has the ids listed in Names. It returns the block itself if it already has this form, and a new block that shares
// memory with it if not. An id without a name stays without a name, and legacy metadata that cannot be read stays legacy
// metadata. Flags keeps LightingExpired. [Block.EncodeWith] is the way back.
func (b *Block) Today() *Block {
	if b.Version >= 24 && b.ContentWidth != 1 {
		return b
	}
	if b.Version < 24 {
		to, _ := b.convert(Newest-1, noName, true)
		to.Flags |= b.expired()
		return to
	}
	to := *b
	to.ContentWidth = 2
	for i := range NodeCount {
		to.Param0[i], to.Param2[i] = b.ID(i)
	}
	return &to
}

// expired returns LightingExpired if the block has this flag and it has a meaning.
func (b *Block) expired() Flags {
	if b.Version <= 10 || b.Version >= 27 {
		return 0
	}
	return b.Flags & LightingExpired
}

// convert is Convert for any other version; unmapped returns the names for ids without a name. If all is set, the result
// has an entry for each entry of the metadata: unreadable ones stay legacy metadata.
func (b *Block) convert(version int, unmapped func(id uint16) string, all bool) (*Block, []check.Finding) {
	to := *b
	c := converter{from: b, to: &to, nameOf: b.nameOf(), unmapped: unmapped, all: all}
	to.Version = version
	c.head()
	c.nodes()
	c.metadata()
	c.timers()
	c.objects()
	return &to, c.losses
}

// converter converts one block to another.
type converter struct {
	from, to *Block
	nameOf   func(id uint16) (string, bool) // of from
	unmapped func(id uint16) string         // returns the name for an id without one
	all      bool                           // keep metadata that cannot be converted
	losses   []check.Finding
}

// lose records data that does not fit.
func (c *converter) lose(k *check.Kind, at []check.Place, path, format string, args ...any) {
	check.Sink(func(f check.Finding) { c.losses = append(c.losses, f) }).AddAt(k, at, path, -1, format, args...)
}

// across reports whether version separates the two blocks, so that one block is of that version or later and the
// other is not.
func (c *converter) across(version int) bool {
	return (c.from.Version < version) != (c.to.Version < version)
}

func (c *converter) head() {
	from, to := c.from, c.to
	if from.Version <= 10 {
		to.Flags = 0
		if from.IsUnderground() {
			to.Flags = Underground
		}
		if from.Version <= 1 {
			to.Flags |= LightingExpired
		}
	}
	if c.across(27) {
		if to.Version < 27 {
			if from.LightingComplete != AllLit {
				c.lose(foundLostLighting, nil, "lighting_complete", "lighting_complete is %#04x", from.LightingComplete)
				to.Flags |= LightingExpired
			}
		} else {
			to.Flags &^= LightingExpired
		}
		to.LightingComplete = AllLit
	}
	if from.Version < 18 {
		to.Flags &^= NotGenerated // the flag has no meaning there
	}
	if to.Version < 18 && to.Flags&NotGenerated != 0 {
		c.lose(foundLostFlag, nil, "flags", "the block has not been generated")
		to.Flags &^= NotGenerated
	}
	if from.Version < 17 {
		to.Timestamp = NoTimestamp
	}
	to.Unused = 0
	if to.Version < 29 && len(from.Inner) > 0 {
		c.lose(foundLostRest, nil, "block.trailing", "%s", words.Count(len(from.Inner), "byte"))
		to.Inner = nil
	}
	if from.MapBlockObjects != 0 {
		c.lose(foundLostRest, nil, "mapblock_objects", "%s and %s after them",
			words.Count(from.MapBlockObjects, "object"), words.Count(len(from.Trailing), "byte"))
		to.MapBlockObjects, to.Trailing = 0, nil
	}
}

func (c *converter) timers() {
	from, to := c.from, c.to
	if to.Version >= 24 {
		if to.Timers.Version = 0; to.Version == 24 && len(to.Timers.List) > 0 {
			to.Timers.Version = 1
		}
		return
	}
	furnaces := to.furnaces()
	to.Timers = Timers{}
	for i, t := range from.Timers.List {
		if t != furnaceTimer(t.Pos) || !furnaces[t.Pos] {
			c.lose(foundLostTimer, node(t.Pos), fmt.Sprintf("timers.entries[%d]", i), "a timer of %d ms", t.Timeout)
		}
	}
}

// objects converts static objects. Their form has never changed; only the data of entities has grown.
func (c *converter) objects() {
	to := c.to
	list := to.Objects.List
	to.Objects.List = make([]Object, 0, len(list))
	for i, o := range list {
		if o, ok := c.object(fmt.Sprintf("objects.entries[%d]", i), o); ok {
			to.Objects.List = append(to.Objects.List, o)
		}
	}
	if len(to.Objects.List) == 0 {
		to.Objects.List = nil
	}
}

// furnaces returns the nodes with legacy metadata of furnaces.
func (b *Block) furnaces() map[uint16]bool {
	at := make(map[uint16]bool)
	for _, e := range b.Metadata.List {
		if e.Legacy != nil && e.Legacy.ID == LegacyFurnace {
			at[e.Pos] = true
		}
	}
	return at
}

// object converts a static object. It reports whether the version has a place for it.
func (c *converter) object(path string, o Object) (Object, bool) {
	if o.Type != ObjectLuaEntity {
		return o, true
	}
	if c.to.Version <= 20 {
		c.lose(foundLostObject, nil, path, "version %d has no entities", c.to.Version)
		return o, false
	}
	most := uint8(2)
	switch {
	case c.to.Version <= 27:
		most = 0
	case c.to.Version == 28:
		most = 1
	}
	e, err := o.LuaEntity()
	if err == nil && e.Version2 > most {
		c.lose(foundLostObject, nil, path, "version %d stores less of the entity %q", c.to.Version, e.Name)
		e.Version2, e.Rest = most, nil
		o.Data, err = e.Encode()
	}
	if err != nil {
		c.lose(foundLostObject, nil, path, "%v", err)
	}
	return o, true
}

// nodes converts the nodes if the versions have them in different forms.
func (c *converter) nodes() {
	from, to := c.from, c.to
	to.ContentWidth, to.ParamsWidth = contentWidth(to.Version), 2
	sameIDs := from.Version >= 21 && to.Version >= 21 && from.ContentWidth == to.ContentWidth
	if !sameIDs || c.across(22) {
		n := from.resolve(c.unmapped)
		if from.Version <= 1 {
			n.Param1 = [NodeCount]uint8{} // no game has ever used it
		}
		if c.across(22) && to.Version >= 22 {
			n.modernise()
		} else if c.across(22) {
			c.antiquate(n)
		}
		c.assign(n)
	}
	// All current games set this flag on saving; games before version 29 used it differently.
	if to.Version >= 29 && from.Version < 29 {
		if to.Flags |= NotAllAir; to.isAir() {
			to.Flags &^= NotAllAir
		}
	}
}

// isAir reports whether all nodes are air.
func (b *Block) isAir() bool {
	nameOf := b.nameOf()
	seen, first := false, uint16(0)
	for i := range NodeCount {
		id, _ := b.ID(i)
		if seen && id == first {
			continue
		}
		if name, _ := nameOf(id); name != Air {
			return false
		}
		seen, first = true, id
	}
	return true
}

// antiquate is the reverse of [Nodes.modernise].
func (c *converter) antiquate(n *Nodes) {
	old := slices.Clone(n.Names)
	lost := make(map[string][]check.Place)
	for i := range NodeCount {
		name, p1, p2, what := antique(old[n.Name[i]], n.Param1[i], n.Param2[i])
		if what != "" {
			lost[what] = append(lost[what], place.InBlock(i))
		}
		if n.Param1[i], n.Param2[i] = p1, p2; name != old[n.Name[i]] {
			n.Name[i] = n.name(name)
		}
	}
	n.tidy()
	c.loseParams(lost)
}

// antique returns a node as it was up to version 21, and the number that this form cannot store, if any.
func antique(name string, p1, p2 uint8) (_ string, _, _ uint8, lost string) {
	switch {
	case name == nameCoal, name == nameIron:
		if p1 != 0 {
			lost = "param1 of " + name
		}
		if p1 = 1; name == nameIron {
			p1 = 2
		}
		return nameStone, p1, p2, lost
	case name == nameStone && (p1 == 1 || p1 == 2):
		return name, 0, p2, "param1 of " + name
	case facedirNodes[name]:
		if p1 != 0 {
			lost = "param1 of " + name
		}
		return name, p2, 0, lost
	case wallmountedNodes[name]:
		if int(p2) >= len(wallmountedBits) {
			p2, lost = 0, "param2 of "+name
		}
		return name, p1, wallmountedBits[p2], lost
	}
	return name, p1, p2, ""
}

func (c *converter) loseParams(lost map[string][]check.Place) {
	what := make([]string, 0, len(lost))
	for s := range lost {
		what = append(what, s)
	}
	slices.Sort(what)
	for _, s := range what {
		c.lose(foundLostParam, lost[s], "nodes", "%s in %s", s, words.Count(len(lost[s]), "node"))
	}
}

// assign sets the ids of the nodes.
func (c *converter) assign(n *Nodes) {
	to := c.to
	ids := make([]uint16, len(n.Names))
	switch {
	case to.Version >= 24:
		for i := range ids {
			ids[i] = uint16(i)
		}
	case to.Version >= 21:
		ids = narrowIDs(n)
	default:
		counts := n.Counts()
		for i, name := range n.Names {
			id, ok := legacyIDs[name]
			if _, old := toOld[id]; ok && to.Version <= 19 {
				ok = old
			}
			if !ok {
				var at []check.Place
				for j, name := range n.Name {
					if int(name) == i {
						at = append(at, place.InBlock(j))
					}
				}
				c.lose(foundLostName, at, "nodes", "%s %q", words.Count(counts[i], "node"), name)
				id = contentAir
			}
			ids[i] = id
		}
	}
	to.Names = nil
	if to.Version >= 21 {
		to.Names = make([]NameID, len(ids))
		for i, id := range ids {
			to.Names[i] = NameID{id, n.Names[i]}
		}
	}
	to.Param1, to.Param2 = n.Param1, n.Param2
	lost := make(map[string][]check.Place)
	for i, name := range n.Name {
		if !to.setID(i, ids[name]) {
			lost["upper half of param2 of "+n.Names[name]] = append(lost["upper half of param2 of "+n.Names[name]], place.InBlock(i))
		}
	}
	c.loseParams(lost)
}

// setID sets the id of a node. It reports whether param2 could be kept.
func (b *Block) setID(index int, id uint16) bool {
	switch {
	case b.Version <= 19:
		id = uint16(toOld[id])
	case b.ContentWidth == 1 && id >= extendedID:
		kept := b.Param2[index] < 0x10
		b.Param2[index] = uint8(id&0xf)<<4 | b.Param2[index]&0xf
		b.Param0[index] = id >> 4
		return kept
	}
	b.Param0[index] = id
	return true
}

// narrowIDs chooses ids for versions 21 to 23, in the order of the names. Nodes that need all of their param2 get the
// ids below 128 first.
func narrowIDs(n *Nodes) []uint16 {
	needy := make([]bool, len(n.Names))
	if len(n.Names) > 0x80 {
		for i, name := range n.Name {
			needy[name] = needy[name] || n.Param2[i] >= 0x10
		}
	}
	ids := make([]uint16, len(n.Names))
	next := uint16(0)
	for _, pass := range []bool{true, false} {
		for i := range ids {
			if needy[i] == pass {
				ids[i] = next
				if next++; next == 0x80 {
					next = extendedID
				}
			}
		}
	}
	return ids
}
