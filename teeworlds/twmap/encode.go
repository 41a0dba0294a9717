package twmap

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/datafile"
)

// Encode returns the bytes of the map, in the form of [datafile.File.Encode]. Layers, images and other parts that did
// not change since Decode keep their compressed bytes. Encode does not modify m, and may run while other goroutines
// read the map.
//
// Encode fails where m has something that the file format has no room for, and names the part: a list with nil in it,
// a name that is too long or contains a NUL, a layer without cells. Anything else, however strange, is written:
// [Map.Check] reports what the game makes of it.
//
// Encode fails with [fault.ErrLost] for a changed map that lacks something which [Decode], or a later read of a part,
// could not read. It does not for a map of [Salvage].
func (m *Map) Encode() ([]byte, error) {
	out, _, err := m.encode(datafile.DefaultLevel)
	return out, err
}

// draftLevel is the zlib level of drafts.
const draftLevel = 1

// EncodeDraft is [Map.Encode] in a fraction of its time: blocks with new contents are compressed less. It is for results that
// are not kept.
func (m *Map) EncodeDraft() ([]byte, error) {
	out, _, err := m.encode(draftLevel)
	return out, err
}

// encode is Encode with a zlib level for new blocks, and also returns the blocks from which it made the data blocks; nil if no
// block had to be made.
func (m *Map) encode(level int) ([]byte, []*datafile.Block, error) {
	if err := m.validate(true); err != nil {
		return nil, nil, err
	}
	f := m.current(level)
	if f == m.file.datafile && m.file.src != nil {
		return m.file.src, nil, nil
	}
	if err := m.mayBecome(f); err != nil {
		return nil, nil, err
	}
	out, err := f.Encode()
	if r := m.file.residue; err == nil && r != nil && r.Original != nil && r.Was == datafile.Mark(out) {
		return r.Original, nil, nil
	}
	return out, f.Data, err
}

// EncodeVerified is [Map.Encode] for a map whose [Residues] were stored elsewhere and may be damaged: it reads the
// encoded file again, and lost receives a message for each part that cannot be read. Data blocks that it compressed
// itself are not inflated for that.
func (m *Map) EncodeVerified(lost func(message string)) ([]byte, error) {
	out, of, err := m.encode(datafile.DefaultLevel)
	if err != nil {
		return nil, err
	}
	made, err := Salvage(out)
	if err != nil {
		return nil, fmt.Errorf("the encoded map cannot be read: %w", err)
	}
	made.ReportLosses(lost)
	blocks := made.file.datafile.Data
	parallel.Each(len(blocks), func(i int) {
		if len(of) != len(blocks) || of[i].Stream() != nil {
			_ = blocks[i].Verify() // reports the loss
		}
	})
	return out, nil
}

// Datafile returns the map as a new datafile. It fails where [Map.Encode] does.
func (m *Map) Datafile() (*datafile.File, error) {
	if err := m.validate(true); err != nil {
		return nil, err
	}
	f := m.datafile(datafile.DefaultLevel)
	return f, m.mayBecome(f)
}

// mayBecome returns the error for writing f, which lacks the parts of the map that could not be read.
func (m *Map) mayBecome(f *datafile.File) error {
	if m.salvage == nil || f == m.salvage {
		return nil
	}
	return m.salvage.MayBecome(f)
}

func (m *Map) datafile(level int) *datafile.File { return m.file.build(m.place(false), level) }

// current returns the map as a datafile: the one that it was read from, if the map was not changed since.
func (m *Map) current(level int) *datafile.File {
	f, original := m.datafile(level), m.file.datafile
	switch {
	case original == nil:
		return f
	case sameParts(f, original):
		return original
	}
	// A file with an unusual layout cannot be rebuilt from its parts. It is still current if the map has the contents
	// that it had when it was read.
	if again, err := m.asRead(); err == nil && sameParts(f, again) {
		return original
	}
	return f
}

// asRead returns the map as it was when it was read, as a new datafile.
func (m *Map) asRead() (*datafile.File, error) {
	if m.file.was != nil {
		items := slices.Clone(m.file.was)
		for i := range items {
			items[i].ints = slices.Clone(items[i].ints) // build writes the numbers of blocks into them
		}
		return m.file.build(items, datafile.DefaultLevel), nil
	}
	before, err := FromDatafile(m.file.datafile)
	if before == nil {
		return nil, err
	}
	return before.datafile(datafile.DefaultLevel), nil
}

// snapshot returns a copy of the items that later changes of the map do not affect, or nil if an item has contents
// that would have to be made now.
func snapshot(items []placed) []placed {
	was := slices.Clone(items)
	for i := range was {
		was[i].refs = slices.Clone(was[i].refs)
		for j := range was[i].refs {
			r := &was[i].refs[j]
			if r.changed {
				return nil
			}
			ref := *r.ref
			r.ref, r.content = &ref, nil
		}
	}
	return was
}

func sameParts(a, b *datafile.File) bool {
	return slices.Equal(a.Data, b.Data) && slices.EqualFunc(a.Items, b.Items, func(x, y datafile.Item) bool {
		return x.Type == y.Type && x.ID == y.ID && slices.Equal(x.Data, y.Data)
	})
}

// leastUUIDType is the least number of an item type that can have a UUID.
const leastUUIDType = 0x8001

// indexExtras returns what items of the map state about the numbers of types: the UUIDs of the numbers that are in use,
// zero for a plain number, and the numbers of UUIDs whose entry of the index is an item of the map, because it has
// surplus integers. Such an entry is not written a second time.
func indexExtras(items []placed) (reserved map[uint16]datafile.UUID, own map[datafile.UUID]uint16) {
	reserved, own = make(map[uint16]datafile.UUID), make(map[datafile.UUID]uint16)
	for _, p := range items {
		switch {
		case p.uuid != nil:
		case p.typ == datafile.TypeUUIDIndex:
			uuid, _ := datafile.IndexUUID(p.ints)
			if _, again := reserved[p.id]; !again {
				reserved[p.id] = uuid
			}
			if _, again := own[uuid]; !again && len(p.ints) > len(uuid)/4 && p.id >= leastUUIDType && p.id != datafile.TypeUUIDIndex {
				own[uuid] = p.id
			}
		default:
			reserved[p.typ] = datafile.UUID{}
		}
	}
	return reserved, own
}

// absent reports whether the item is left out, as in its file: points if there are none, tangents if all are zero.
func (p *placed) absent() bool {
	return p.residue != nil && p.residue.Absent &&
		(len(p.ints) == 0 || p.uuid != nil && !slices.ContainsFunc(p.ints, func(i int32) bool { return i != 0 }))
}

// placed is an item that is about to be written.
type placed struct {
	typ   uint16
	uuid  *datafile.UUID // of its type; replaces typ
	id    uint16
	ints  []int32
	exact []int // indexes of integers that fully represent their value, so that they leave no residue
	refs  []placedRef
	from  Entity
	key   string // for messages

	residue  *Residue // applied to the integers
	restored bool     // the id is that of the residue
}

// place lists the items of the map, complete and in the order in which DDNet's editor writes them. If detached is
// set, it ignores the file that the map came from.
func (m *Map) place(detached bool) []placed {
	effort.Placed.Add(1)
	p := placer{detached: detached}
	p.add("version", typeVersion, nil, 0, m, m.fields)
	if m.Info != nil {
		p.add("info", typeInfo, nil, 0, m.Info, m.Info.fields)
	}
	for i, im := range m.Images {
		p.add(fmt.Sprintf("images[%d]", i), typeImage, nil, i, im, im.fields)
	}
	for i, s := range m.Sounds {
		p.add(fmt.Sprintf("sounds[%d]", i), typeSound, nil, i, s, s.fields)
	}
	autos := 0
	for i, g := range m.Groups {
		start := int32(p.layers)
		for j, l := range g.Layers {
			key := fmt.Sprintf("groups[%d].layers[%d]", i, j)
			p.layer(key, l)
			if t, ok := l.(*TileLayer); ok && t.AutoMapper != nil {
				p.add(key+".automapper", 0, &uuidAutoMapper, autos, t.AutoMapper, t.AutoMapper.fields, int32(i), int32(j))
				autos++
			}
		}
		p.add(fmt.Sprintf("groups[%d]", i), typeGroup, nil, i, g, g.fields, start, int32(len(g.Layers)))
		if z := g.ParallaxZoom; z != nil {
			p.add(fmt.Sprintf("groups[%d].parallax_zoom", i), 0, &uuidGroupEx, i, z, z.fields)
		}
	}
	for i, l := range m.Orphans {
		p.layer(fmt.Sprintf("orphans[%d]", i), l)
	}
	m.placeEnvelopes(&p)
	m.placeExtras(&p)
	return p.items
}

// placeExtras adds the extras, with ids that no other item of their type has: DDNet rejects a file in which two items
// have the same. A surplus automapper or parallax zoom stays one, whatever groups and layers the map has now.
func (m *Map) placeExtras(p *placer) {
	used, free := make(map[itemKey]bool), make(map[itemKey]int)
	for i := range p.items {
		used[p.items[i].itemKey(p.items[i].id)] = true
	}
	for i, e := range m.Extras {
		p.add(fmt.Sprintf("extras[%d]", i), e.Type, e.UUID, int(e.ID), e, e.fields)
		item := &p.items[len(p.items)-1]
		if item.isIndex() {
			continue
		}
		if e.is(&uuidGroupEx) && int(e.ID) < len(m.Groups) {
			item.id = uint16(len(m.Groups))
		}
		item.id = item.freeID(used, free)
		if t := m.lostAutoMapper(e); t != nil {
			item.ints[1], item.ints[2] = -1, -1
			item.exact = append(item.exact, 1, 2)
		}
	}
}

// lostAutoMapper returns the layer that an automapper among the extras names, or nil if the game ignores the item.
func (m *Map) lostAutoMapper(e *Extra) *TileLayer {
	if !e.is(&uuidAutoMapper) || !autoMapperKnown(e.Data) {
		return nil
	}
	return m.designLayer(e.Data[1], e.Data[2])
}

// is reports whether the item has a type with this UUID.
func (e *Extra) is(uuid *datafile.UUID) bool { return e.UUID != nil && *e.UUID == *uuid }

// itemKey identifies an item in a file.
type itemKey struct {
	typ  uint16
	uuid datafile.UUID
	id   uint16
}

// itemKey returns the key that the item has with an id.
func (p *placed) itemKey(id uint16) itemKey {
	if p.uuid != nil {
		return itemKey{uuid: *p.uuid, id: id}
	}
	return itemKey{typ: p.typ, id: id}
}

// isIndex reports whether the item is an entry of the UUID index, whose id has another meaning.
func (p *placed) isIndex() bool { return p.uuid == nil && p.typ == datafile.TypeUUIDIndex }

// freeID returns the id of the item if it is not used, and otherwise the next that is not; 0 follows the largest. free holds the
// ids, by type, below which none is left, counted on beyond the largest.
func (p *placed) freeID(used map[itemKey]bool, free map[itemKey]int) uint16 {
	id := p.id
	for n := 0; used[p.itemKey(id)] && n <= math.MaxUint16; n++ {
		next := max(free[p.itemKey(0)], int(p.id)) + 1
		free[p.itemKey(0)], id = next, uint16(next)
	}
	used[p.itemKey(id)] = true
	return id
}

// distinguish gives items whose id another item has since its own was restored an id of their own.
func distinguish(items []placed) {
	used, free := make(map[itemKey]bool), make(map[itemKey]int)
	for i := range items {
		if p := &items[i]; p.restored && !p.residue.Twice {
			used[p.itemKey(p.id)] = true
		}
	}
	for i := range items {
		if p := &items[i]; !p.restored && !p.isIndex() && !p.absent() {
			p.id = p.freeID(used, free)
		}
	}
}

// placeEnvelopes adds the envelopes and the items with all their points. It adds the item of points even if the map
// has no points, as editors do.
func (m *Map) placeEnvelopes(p *placer) {
	start := int32(0)
	tangents := false
	// Without tangents, or with those for another number of points, the game draws Bezier curves as lines: such curves of
	// a file stay lines.
	ignored := m.item != nil && !p.detached || slices.ContainsFunc(m.Extras, func(e *Extra) bool { return e.is(&uuidEnvBezier) })
	for i, e := range m.Envelopes {
		num := int32(len(e.Points))
		tangents = tangents || slices.ContainsFunc(e.Points, func(p EnvPoint) bool {
			return p.hasTangents() && (!ignored || p.In != [4]Tangent{} || p.Out != [4]Tangent{})
		})
		p.add(fmt.Sprintf("envelopes[%d]", i), typeEnvelope, nil, i, e, e.fields, start, num)
		start += num
	}
	each := func(fields ...func(*EnvPoint, *codec)) func(*codec) {
		return func(c *codec) {
			for _, e := range m.Envelopes {
				for i := range e.Points {
					for _, f := range fields {
						f(&e.Points[i], c)
						for n := len(c.exact); c.writing() && n < len(c.ints); n++ {
							c.exact = append(c.exact, n)
						}
					}
				}
			}
		}
	}
	long := m.longPoints()
	had := m.item == nil || m.points.item != nil || p.detached
	if start == 0 && !had {
		// The map was read from a file without this item.
	} else if long {
		p.add("envpoints", typeEnvPoints, nil, 0, &m.points, each((*EnvPoint).fields, (*EnvPoint).bezierFields))
	} else {
		p.add("envpoints", typeEnvPoints, nil, 0, &m.points, each((*EnvPoint).fields))
	}
	if tangents && !long || m.bezier.item != nil && !p.detached {
		p.add("envpoints_bezier", 0, &uuidEnvBezier, 0, &m.bezier, each((*EnvPoint).bezierFields))
	}
}

// placer collects items.
type placer struct {
	detached bool
	items    []placed
	layers   int
}

func (p *placer) add(key string, typ uint16, uuid *datafile.UUID, id int, from Entity, fields func(*codec), numbers ...int32) {
	c := codec{detached: p.detached, numbers: numbers}
	fields(&c)
	p.items = append(p.items, placed{typ, uuid, uint16(id), c.ints, c.exact, c.refs, from, key, from.at().residue, false})
}

func (p *placer) layer(key string, l Layer) {
	p.add(key, typeLayer, nil, p.layers, l, l.(interface{ fields(*codec) }).fields)
	p.layers++
}

// build makes a datafile from the items, with a zlib level for new blocks.
func (o *fileOrigin) build(items []placed, level int) *datafile.File {
	f := datafile.New()
	numbers := o.numberBlocks(f, items, level)
	for i := range items {
		p := &items[i]
		for j := range p.refs {
			p.ints[p.refs[j].at] = numbers[&p.refs[j]]
		}
		p.residue.keep(p)
	}
	distinguish(items)
	used := make(map[datafile.UUID]bool)
	for _, p := range items {
		if p.uuid != nil {
			used[*p.uuid] = true
		}
	}
	numbered := make(map[datafile.UUID]uint16)
	next := uint16(datafile.TypeUUIDIndex)
	reserved, own := indexExtras(items)
	for uuid, typ := range o.numbers {
		reserved[typ] = uuid
	}
	number := func(uuid datafile.UUID, had bool) uint16 {
		typ, ok := numbered[uuid]
		if ok {
			return typ
		}
		if typ, ok = own[uuid]; ok && !had {
			numbered[uuid] = typ
			return typ
		}
		if typ, ok = o.numbers[uuid]; !ok {
			next--
			for is, ok := reserved[next]; ok && is != uuid && next > leastUUIDType; is, ok = reserved[next] {
				next--
			}
			typ = next
		}
		f.Items = append(f.Items, datafile.UUIDItem(typ, uuid))
		numbered[uuid] = typ
		return typ
	}
	// All numbers are assigned before the items, of which some may be entries of the index themselves. UUIDs that had a
	// number before get the same number again.
	for _, uuid := range o.uuidOrder() {
		if used[uuid] {
			number(uuid, true)
		}
	}
	for _, p := range items {
		if p.uuid != nil && !p.absent() {
			number(*p.uuid, false)
		}
	}
	for _, p := range items {
		if p.absent() {
			continue
		}
		typ := p.typ
		if p.uuid != nil {
			typ = numbered[*p.uuid]
		}
		f.Items = append(f.Items, datafile.Item{Type: typ, ID: p.id, Data: p.ints})
	}
	autos := numbered[uuidAutoMapper]
	slices.SortStableFunc(f.Items, func(a, b datafile.Item) int {
		if a.Type == b.Type && a.Type == autos && autos != 0 { // those without effect are among the others
			return cmp.Compare(a.ID, b.ID)
		}
		return cmp.Compare(a.Type, b.Type)
	})
	o.keepContainer(f)
	return f
}

func (o *fileOrigin) uuidOrder() []datafile.UUID {
	if r := o.residue; r != nil {
		return r.UUIDs
	}
	return o.uuids
}

// contents limits the memory for the contents of parts while blocks are made from them or compared with them.
var contents = parallel.NewBudget(128 << 20)

// block returns the block that a reference points to in the new file, or nil and the number to write without a block.
// A new block with large contents is compressed at once.
func (r *placedRef) block(level int) (*datafile.Block, int32) {
	if !r.changed {
		return r.ref.block, r.ref.index
	}
	defer contents.Take(r.size)()
	b, number := r.ref.residue.block(r.content())
	if b != nil && level != datafile.DefaultLevel && b.Stream() == nil {
		content, _ := b.Bytes() // a new block has its contents
		b = datafile.NewBlockLevel(content, level)
	}
	if b != nil && b.Size() > keptContent {
		b.Store()
	}
	return b, number
}

// keptContent is the largest size of contents, in bytes, that stay uncompressed until the file is encoded.
const keptContent = 1 << 20
