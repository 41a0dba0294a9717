package mapblock

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/minetest/item"
)

// EncodeWith returns the bytes of the block with the changes that turned was into now: was is what Today returned for the
// block, and now is a changed copy of was. Parts that are equal in was and now keep their bytes; names of nodes that no
// longer occur are removed. The result has the version of the block or, if that cannot store the changes, the next version
// that can. Then lifted, which may be nil, receives a finding about data that a newer version has no place for, as games
// drop it when they load the block.
func (b *Block) EncodeWith(was, now *Block, lifted check.Sink) (data []byte, version int, err error) {
	for version = b.Version; version <= Newest; version++ {
		to := b
		if version != b.Version {
			if !Writable(version) {
				continue
			}
			if to, _, err = b.Convert(version, ConvertOptions{}); err != nil {
				continue
			}
		}
		if to, err = to.with(was, now); err != nil {
			continue
		}
		if data, err = to.Encode(); err == nil {
			if lost := b.dropped(version); lost != "" {
				lifted.Add(foundLifted, "version", -1, "version %d became %d%s", b.Version, version, lost)
			}
			return data, version, nil
		}
	}
	return nil, 0, err
}

// dropped lists what a conversion to a newer version does not keep, like games on loading.
func (b *Block) dropped(version int) string {
	if version == b.Version {
		return ""
	}
	counts, named := make(map[string]int), 0
	if b.Version < 23 && version >= 23 {
		for _, e := range b.Metadata.List {
			l, err := e.Legacy.Content()
			if err != nil {
				continue
			}
			empty := slices.ContainsFunc(l.Vars, func(v Var) bool { return v.Value == "" })
			for what, is := range map[string]bool{
				"marks of generic metadata": l.AllowTextInput|l.RemovalDisabled|l.EnforceOwner != 0,
				"empty variables":           empty,
				"src_totaltime of furnaces": l.SourceTotal != 0,
				"bytes after metadata":      len(l.Rest) > 0,
			} {
				if is {
					counts[what]++
				}
			}
		}
	}
	if b.Version < 22 && version >= 22 {
		raw := b.resolve(noName)
		for i := range NodeCount {
			name, p1, p2 := raw.At(i), raw.Param1[i], raw.Param2[i]
			if facedirNodes[name] && p2 != 0 || wallmountedNodes[name] && wallmountedBits[wallmounted(p2)] != p2 ||
				b.Version <= 1 && p1 != 0 {
				counts["unusual param1 or param2"]++
			}
		}
	}
	if b.Version >= 21 && (contentWidth(version) != b.ContentWidth || b.Version == 21) {
		named = b.Clone().NameUnmapped()
	}
	text := ""
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		text += fmt.Sprintf(", %s (%d)", what, counts[what])
	}
	if text != "" {
		text = ", without " + text[2:]
	}
	if named > 0 {
		text += fmt.Sprintf(", and names such as unknown:id_7 for ids without a name (%d)", named)
	}
	return text
}

// with returns the block, or what it was converted to, with the changes that turned was into now. It fails with [ErrLoss]
// if the version of the block cannot store the changes.
func (b *Block) with(was, now *Block) (*Block, error) {
	to := *b
	c := amender{converter{from: now, to: &to, nameOf: now.nameOf()}, b, was}
	if b == was {
		to = *now
	} else {
		c.head()
		c.nodes()
		c.metadata()
		c.timers()
		c.objects()
	}
	if now.Param0 != was.Param0 || !slices.Equal(now.Names, was.Names) {
		c.tidy()
	}
	c.metadataVersion()
	if len(c.losses) > 0 {
		return nil, &fault.Error{Path: "version", Offset: -1, Want: "a change that fits into version " + fmt.Sprint(b.Version),
			Got: c.losses[0].Message, Err: ErrLoss}
	}
	return &to, nil
}

// amender puts changes into a block of another version.
type amender struct {
	converter // from the changed block
	b, was    *Block
}

func (c *amender) head() {
	to, now := c.to, c.from
	if now.Timestamp != c.was.Timestamp {
		to.Timestamp = now.Timestamp
	}
	flip := now.Flags ^ c.was.Flags
	if now.LightingComplete != c.was.LightingComplete {
		if to.LightingComplete = now.LightingComplete; to.Version < 27 && now.LightingComplete != AllLit {
			flip |= LightingExpired &^ to.Flags
		}
	}
	switch {
	case to.Version <= 10:
		if flip &= Underground; flip != 0 {
			to.Flags = now.Flags & Underground
		}
		return
	case to.Version >= 27:
		if flip&now.Flags&LightingExpired != 0 {
			to.LightingComplete &^= 0x0fff // all directions
		}
		flip &^= LightingExpired
	case to.Version < 18 && flip&now.Flags&NotGenerated != 0:
		c.lose(foundLostFlag, nil, "flags", "the block has not been generated")
	case to.Version < 18:
		flip &^= NotGenerated
	}
	to.Flags ^= flip
}

func (c *amender) nodes() {
	to := c.to
	wasName := c.was.nameOf()
	ids := make(map[string]uint16)
	for i := range NodeCount {
		c.node(i, wasName, ids)
	}
	// Only versions up to 28 had another meaning of this flag: see [converter.nodes].
	if to.Version >= 29 && c.from.Version < 29 {
		if to.Flags |= NotAllAir; to.isAir() {
			to.Flags &^= NotAllAir
		}
	}
}

// node changes a node if it differs. The ids that were chosen for names are added to ids.
func (c *amender) node(i int, wasName func(uint16) (string, bool), ids map[string]uint16) {
	to, now, was := c.to, c.from, c.was
	before, _ := wasName(was.Param0[i])
	name, _ := c.nameOf(now.Param0[i])
	renamed := name != before || name == "" && now.Param0[i] != was.Param0[i]
	p1, p2 := now.Param1[i], now.Param2[i]
	if !renamed && p1 == was.Param1[i] && p2 == was.Param2[i] {
		return
	}
	lost := ""
	if to.Version < 22 {
		light := "param1 of " + name
		if name, p1, p2, lost = antique(name, p1, p2); renamed && lost == light && now.Param1[i] == was.Param1[i] {
			lost = "" // light of the node before
		}
	}
	id, old := to.ID(i)
	if !renamed && now.Param2[i] == was.Param2[i] {
		p2 = old
	}
	if renamed {
		id = c.idOf(name, ids)
	}
	if to.Version <= 1 {
		p1 = to.Param1[i] // it has no meaning
	}
	to.Param1[i], to.Param2[i] = p1, p2
	wide := to.ContentWidth == 1 && to.Version >= 20 && id >= extendedID
	if kept := !renamed && !wide || to.setID(i, id); !kept || to.Version < 10 && p2 != 0 {
		lost = "param2 of " + name
	}
	if lost != "" {
		c.lose(foundLostParam, node(uint16(i)), "nodes", "%s", lost)
	}
}

// idOf returns the id of a name.
func (c *amender) idOf(name string, ids map[string]uint16) uint16 {
	id, ok := ids[name]
	if !ok {
		if id, ok = c.to.idOf(name); !ok || name == "" {
			c.lose(foundLostName, nil, "nodes", "nodes %q", name)
		}
		ids[name] = id
	}
	return id
}

// tidy removes the names of the nodes that no longer occur.
func (c *amender) tidy() {
	if c.to.Version < 21 {
		return
	}
	before, after := c.b.usedIDs(), c.to.usedIDs()
	c.to.Names = slices.DeleteFunc(slices.Clone(c.to.Names), func(e NameID) bool {
		return !after.has(e.ID) && (before.has(e.ID) || !slices.Contains(c.b.Names, e))
	})
}

// idBits is a set of ids.
type idBits [1 << 16 / 64]uint64

func (s *idBits) add(id uint16)      { s[id>>6] |= 1 << (id & 63) }
func (s *idBits) has(id uint16) bool { return s[id>>6]>>(id&63)&1 != 0 }

// usedIDs returns the ids of the nodes of the block.
func (b *Block) usedIDs() *idBits {
	used := new(idBits)
	for i := range NodeCount {
		id, _ := b.ID(i)
		used.add(id)
	}
	return used
}

// changes calls same for each item of now that was has, too, and changed for the others, with the item of was that has
// the same position and is not among now, or -1.
func changes[T any](was, now []T, pos, content func(*T) string, same func(was int), changed func(now, was int)) {
	equal := make(map[string][]int)
	for i := range was {
		k := pos(&was[i]) + content(&was[i])
		equal[k] = append(equal[k], i)
	}
	origin := make([]int, len(now))
	for i := range now {
		origin[i] = -1
		k := pos(&now[i]) + content(&now[i])
		if left := equal[k]; len(left) > 0 {
			origin[i], equal[k] = left[0], left[1:]
		}
	}
	gone := make(map[string][]int)
	for _, left := range equal {
		for _, i := range left {
			gone[pos(&was[i])] = append(gone[pos(&was[i])], i)
		}
	}
	for _, left := range gone {
		slices.Sort(left)
	}
	for i := range now {
		if origin[i] >= 0 {
			same(origin[i])
			continue
		}
		from := -1
		if left := gone[pos(&now[i])]; len(left) > 0 {
			from, gone[pos(&now[i])] = left[0], left[1:]
		}
		changed(i, from)
	}
}

func (m *NodeMeta) posText() string { return string([]byte{byte(m.Pos >> 8), byte(m.Pos)}) }

// text returns a text that is equal for equal content.
func (m *NodeMeta) text() string {
	t := fmt.Appendf(nil, "%q %q", m.Vars, m.Inventory)
	if m.Legacy != nil {
		t = fmt.Appendf(t, " %d %q", m.Legacy.ID, m.Legacy.Body)
	}
	return string(t)
}

func (c *amender) metadata() {
	to, now, was := &c.to.Metadata, c.from.Metadata.List, c.was.Metadata.List
	to.List = nil
	changes(was, now, (*NodeMeta).posText, (*NodeMeta).text, func(i int) {
		to.List = append(to.List, c.b.Metadata.List[i])
	}, func(i, from int) {
		e, path := now[i], fmt.Sprintf("metadata.entries[%d]", i)
		ok := true
		switch {
		case c.to.Version >= 23 && e.Legacy != nil:
			c.lose(foundLostMeta, node(e.Pos), path, "%v", e.Legacy.ID)
		case c.to.Version >= 23:
			e = c.publish(path, e)
		case e.Legacy != nil:
		case from >= 0:
			m := c.b.Metadata.List[from].Legacy.amend(&was[from], &e)
			if m == nil {
				c.lose(foundLostMeta, node(e.Pos), path, "%v: a part of the metadata", c.b.Metadata.List[from].Legacy.ID)
			}
			e = NodeMeta{Pos: e.Pos, Legacy: m}
		default:
			e, ok = c.antiqueMeta(path, e)
		}
		if ok {
			to.List = append(to.List, e)
		}
	})
}

// metadataVersion sets the version of the list of metadata if the list has changed.
func (c *amender) metadataVersion() {
	m, old := &c.to.Metadata, c.b.Metadata
	if len(m.List) == len(old.List) && (len(m.List) == 0 || &m.List[0] == &old.List[0]) {
		return
	}
	text := func(e *NodeMeta) string { return e.posText() + e.text() }
	if len(m.List) == len(old.List) && slices.EqualFunc(m.List, old.List, func(a, b NodeMeta) bool { return text(&a) == text(&b) }) {
		m.List = old.List
		return
	}
	if m.Raw != nil {
		c.lose(foundLostMeta, nil, "metadata", "metadata next to %d bytes that cannot be read", len(m.Raw))
	}
	secret := slices.ContainsFunc(m.List, func(m NodeMeta) bool {
		return slices.ContainsFunc(m.Vars, func(v Var) bool { return v.Private != 0 })
	})
	if !c.to.hasLegacyMetadata() && (len(m.List) == 0 && m.Missing == 0 || secret && m.Version < 2) {
		m.Version = 0 // Encode sets the right version
	}
}

// amend returns the metadata with the changes that turned was into now, or nil if this form cannot store them: was is what
// a game makes of the metadata.
func (m *LegacyMeta) amend(was, now *NodeMeta) *LegacyMeta {
	l, err := m.Content()
	if err != nil {
		return nil
	}
	for _, v := range was.Vars {
		if !slices.ContainsFunc(now.Vars, func(w Var) bool { return w.Key == v.Key }) {
			l.set(m.ID, v.Key, "")
		}
	}
	for _, v := range now.Vars {
		if !slices.Contains(was.Vars, v) {
			l.set(m.ID, v.Key, v.Value)
		}
	}
	if !bytes.Equal(was.Inventory, now.Inventory) {
		l.Inventory = amendInventory(l.Inventory, was.Inventory, now.Inventory)
	}
	if m, err = l.Meta(m.ID); err != nil || !m.gives(*now) {
		return nil
	}
	return m
}

// set sets a variable of metadata of an id; "" removes it.
func (l *LegacyContent) set(id LegacyID, key, value string) {
	fields := map[string]*string{"text": &l.Text, "owner": &l.Owner, "infotext": &l.InfoText, "formspec": &l.DrawSpec}
	if id == LegacyFurnace {
		for name, n := range map[string]*int{"fuel_totaltime": &l.FuelTotal, "fuel_time": &l.Fuel, "src_time": &l.Src} {
			if name == key {
				*n = inTenths(value)
			}
		}
		return
	}
	i := slices.IndexFunc(l.Vars, func(v Var) bool { return v.Key == key })
	switch field := fields[key]; {
	case value == "":
		if field != nil {
			*field = ""
		}
		l.Vars = slices.DeleteFunc(l.Vars, func(v Var) bool { return v.Key == key })
	case i >= 0:
		last := len(l.Vars) - 1
		for l.Vars[last].Key != key {
			last--
		}
		l.Vars[last].Value = value // of several, the last one counts
	case field != nil:
		*field = value
	default:
		l.Vars = append(l.Vars, Var{Key: key, Value: value})
	}
}

// amendInventory returns the text of an old inventory with the changes that turned was into now: was is what a game makes
// of it.
func amendInventory(old, was, now []byte) []byte {
	a, _, err1 := item.ParseInventory(old)
	b, _, err2 := item.ParseInventory(was)
	n, _, err3 := item.ParseInventory(now)
	if err1 != nil || err2 != nil || err3 != nil || len(a.Lists) != len(b.Lists) {
		return now
	}
	if !slices.EqualFunc(b.Lists, n.Lists, func(x, y item.List) bool {
		return x.Name == y.Name && x.Size == y.Size && x.Width == y.Width
	}) {
		for i := range n.Lists {
			l := &n.Lists[i]
			if l.NoWidth = l.Width == 0; l.Name == "main" && a.List("0") != nil && a.List("main") == nil {
				l.Name = "0"
			}
		}
		return n.Append(nil)
	}
	slot := func(items []item.Slot, i int) item.Slot {
		if i < len(items) {
			return items[i]
		}
		return item.Slot{}
	}
	for l := range n.Lists {
		to, was, now := &a.Lists[l].Items, b.Lists[l].Items, n.Lists[l].Items
		for i := range max(len(now), len(was)) {
			if s := slot(now, i); !s.Equal(slot(was, i)) {
				for len(*to) <= i {
					*to = append(*to, item.Slot{})
				}
				(*to)[i] = s
			}
		}
	}
	return a.Append(nil)
}

// timers changes the timers. Up to version 23, only furnaces have one.
func (c *amender) timers() {
	to, now, was := c.to, c.from.Timers.List, c.was.Timers.List
	if slices.Equal(now, was) {
		return
	}
	if to.Version >= 24 {
		if to.Timers.List = now; to.Version == 24 && len(now) > 0 {
			to.Timers.Version = 1
		}
		return
	}
	furnaces := to.furnaces()
	left := make(map[Timer]bool)
	for _, t := range was {
		left[t] = true
	}
	for i, t := range now {
		if !left[t] && (t != furnaceTimer(t.Pos) || !furnaces[t.Pos]) {
			c.lose(foundLostTimer, node(t.Pos), fmt.Sprintf("timers.entries[%d]", i), "a timer of %d ms", t.Timeout)
		}
		delete(left, t)
	}
	for t := range left {
		if furnaces[t.Pos] {
			c.lose(foundLostTimer, node(t.Pos), "timers", "a furnace without a timer")
		}
	}
}

func (o *Object) posText() string { return fmt.Sprint(o.Type, o.Pos) }
func (o *Object) text() string    { return string(o.Data) }

func (c *amender) objects() {
	to, now, was := &c.to.Objects, c.from.Objects.List, c.was.Objects.List
	if c.from.Objects.Version != c.was.Objects.Version {
		to.Version = c.from.Objects.Version
	}
	var list []Object
	changed := len(now) != len(was)
	changes(was, now, (*Object).posText, (*Object).text, func(i int) {
		changed = changed || i != len(list)
		list = append(list, c.b.Objects.List[i])
	}, func(i, _ int) {
		changed = true
		if o, ok := c.object(fmt.Sprintf("objects.entries[%d]", i), now[i]); ok {
			list = append(list, o)
		}
	})
	if !changed {
		return
	}
	if to.List = list; c.to.MapBlockObjects != 0 && c.to.Version <= 21 {
		c.lose(foundLostObject, nil, "objects", "objects after %d that cannot be read", c.to.MapBlockObjects)
	}
}
