package twmap

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"trowel.example/internal/budget"
	"trowel.example/internal/effort"
	"trowel.example/internal/parallel"
	"trowel.example/teeworlds/datafile"
)

// Encode returns the bytes of the map, in the form of [datafile.File.Encode].
// Layers, images and whatever else was not changed since Decode keep their
// compressed bytes. It changes nothing in m, so that it may run beside whatever reads
// the map.
//
// It fails where m has something that a file has no room for, and names the part:
// a list with nil in it, a name that is too long or has a NUL, a layer without cells.
// Anything else, however strange, is written: [Map.Check] tells what the game makes of it.
//
// It fails with [fault.ErrLost] for a changed map that lacks something which [Decode], or
// what read a part later, could not read; not for one of [Salvage].
func (m *Map) Encode() ([]byte, error) {
	out, _, err := m.encode()
	return out, err
}

// encode is Encode, and returns the blocks of which it made the data blocks; nil if it had all
// bytes already.
func (m *Map) encode() ([]byte, []*datafile.Block, error) {
	if err := m.validate(true); err != nil {
		return nil, nil, err
	}
	f := m.current()
	if f == m.file.datafile && m.file.src != nil {
		return m.file.src, nil, nil
	}
	if err := m.mayBecome(f); err != nil {
		return nil, nil, err
	}
	out, err := f.Encode()
	if r := m.file.residue; err == nil && r != nil && r.Original != nil && r.Was == datafile.Mark(out, true) {
		return r.Original, nil, nil
	}
	return out, f.Data, err
}

// EncodeVerified is [Map.Encode] for a map of which [Residues] were kept elsewhere, and may be
// damaged: it reads the file again, and lost receives what cannot be read of it. Data blocks
// that it compressed itself are not inflated for that.
func (m *Map) EncodeVerified(lost func(message string)) ([]byte, error) {
	out, of, err := m.encode()
	if err != nil {
		return nil, err
	}
	made, err := Salvage(out)
	if err != nil {
		return nil, fmt.Errorf("what was made cannot be read again: %w", err)
	}
	made.TellLosses(lost)
	blocks := made.file.datafile.Data
	parallel.Each(len(blocks), func(i int) {
		if len(of) != len(blocks) || of[i].Stream() != nil {
			_ = blocks[i].Verify() // which tells
		}
	})
	return out, nil
}

// Datafile returns the map as a new datafile. It fails where [Map.Encode] does.
func (m *Map) Datafile() (*datafile.File, error) {
	if err := m.validate(true); err != nil {
		return nil, err
	}
	f := m.datafile()
	return f, m.mayBecome(f)
}

// mayBecome returns the error of a map that lacks what could not be read.
func (m *Map) mayBecome(f *datafile.File) error {
	if m.salvage == nil || f == m.salvage {
		return nil
	}
	return m.salvage.MayBecome(f)
}

func (m *Map) datafile() *datafile.File { return m.build(m.place(false)) }

// current returns the map as a datafile: the one that it was read from, if it
// was not changed since.
func (m *Map) current() *datafile.File {
	f, original := m.datafile(), m.file.datafile
	switch {
	case original == nil:
		return f
	case sameParts(f, original):
		return original
	}
	// A file that no writer lays out is not made again from its parts. It
	// still stands if the map says what it said then.
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
			items[i].ints = slices.Clone(items[i].ints) // build puts the numbers of blocks there
		}
		return m.build(items), nil
	}
	before, err := FromDatafile(m.file.datafile)
	if before == nil {
		return nil, err
	}
	return before.datafile(), nil
}

// snapshot returns items as they are now, whatever becomes of the map; nil if they have
// contents that would have to be made now.
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

// placed is an item on its way into a file.
type placed struct {
	typ   uint16
	uuid  *datafile.UUID // of its type, in place of typ
	id    uint16
	ints  []int32
	exact []int // integers that say all that there is, so that nothing remains of them
	refs  []placedRef
	from  Entity
	key   string // for messages

	residue *Residue // what is laid over the integers
}

// place lists the items of the map, complete and in the order in which DDNet's
// editor writes them. If detached is set, nothing is taken from where the map
// came from.
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
	for i, e := range m.Extras {
		p.add(fmt.Sprintf("extras[%d]", i), e.Type, e.UUID, int(e.ID), e, e.fields)
	}
	return p.items
}

// placeEnvelopes adds the envelopes and the items with all their points. The
// item of points is there even where there are none, as editors write it.
func (m *Map) placeEnvelopes(p *placer) {
	start := int32(0)
	tangents := false
	for i, e := range m.Envelopes {
		num := int32(len(e.Points))
		tangents = tangents || slices.ContainsFunc(e.Points, func(p EnvPoint) bool { return p.hasTangents() })
		p.add(fmt.Sprintf("envelopes[%d]", i), typeEnvelope, nil, i, e, e.fields, start, num)
		start += num
	}
	each := func(fields ...func(*EnvPoint, *codec)) func(*codec) {
		return func(c *codec) {
			for _, e := range m.Envelopes {
				for i := range e.Points {
					for _, f := range fields {
						f(&e.Points[i], c)
					}
				}
			}
		}
	}
	long := m.longPoints()
	had := m.item == nil || m.points.item != nil || p.detached
	if start == 0 && !had {
		// read from a map without such an item
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
	p.items = append(p.items, placed{typ, uuid, uint16(id), c.ints, c.exact, c.refs, from, key, from.at().residue})
}

func (p *placer) layer(key string, l Layer) {
	p.add(key, typeLayer, nil, p.layers, l, l.(interface{ fields(*codec) }).fields)
	p.layers++
}

// build makes a datafile of items.
func (m *Map) build(items []placed) *datafile.File {
	f := datafile.New()
	numbers := m.numberBlocks(f, items)
	for i := range items {
		p := &items[i]
		for j := range p.refs {
			p.ints[p.refs[j].at] = numbers[&p.refs[j]]
		}
		p.residue.keep(p)
	}
	// UUIDs that were numbered before get the same numbers again.
	for _, uuid := range m.uuidOrder() {
		for _, p := range items {
			if p.uuid != nil && *p.uuid == uuid {
				f.AddUUIDType(uuid)
				break
			}
		}
	}
	numbered := make(map[datafile.UUID]uint16)
	for _, p := range items {
		if k := p.residue; k != nil && k.Absent && len(p.ints) == 0 {
			continue
		}
		typ := p.typ
		if p.uuid != nil {
			if _, ok := numbered[*p.uuid]; !ok {
				numbered[*p.uuid] = f.AddUUIDType(*p.uuid)
			}
			typ = numbered[*p.uuid]
		}
		f.AddItem(typ, p.id, p.ints...)
	}
	m.keepContainer(f)
	return f
}

func (m *Map) uuidOrder() []datafile.UUID {
	if r := m.file.residue; r != nil {
		return r.UUIDs
	}
	return m.file.uuids
}

// contents is for the contents of parts of maps that are in memory at a time while blocks are
// made of them, or compared with them.
var contents = budget.New(128 << 20)

// block returns the block that a reference leads to in the file to be, or nil
// and the number that stands there all the same. A block that is made has its stream, if the
// content is large.
func (r *placedRef) block() (*datafile.Block, int32) {
	if !r.changed {
		return r.ref.block, r.ref.index
	}
	defer contents.Take(r.size)()
	content, ok := r.content()
	b, number := r.ref.residue.block(content, ok)
	if b != nil && b.Size() > keptContent {
		b.Store()
	}
	return b, number
}

// keptContent is the size of the largest content that waits for its file to be encoded.
const keptContent = 1 << 20

// usualFrom returns the number from which on blocks are in the usual order, one for
// each reference: from there on their numbers need not be known, and new ones find
// their places among them. It is given the numbers of the blocks that references
// lead to, in the usual order, and those of blocks that none leads to.
func usualFrom(numbers, unclaimed []int32) int32 {
	type at struct {
		number int32
		place  int
	}
	sorted := make([]at, len(numbers))
	for i, n := range numbers {
		sorted[i] = at{n, i}
	}
	slices.SortFunc(sorted, func(a, b at) int { return cmp.Or(cmp.Compare(b.number, a.number), cmp.Compare(a.place, b.place)) })
	least := int32(0)
	for _, n := range unclaimed {
		least = max(least, n+1)
	}
	from, place := int32(math.MaxInt32), len(numbers)
	for i, a := range sorted {
		shared := i+1 < len(sorted) && sorted[i+1].number == a.number
		if shared || a.number < least || a.place > place {
			break
		}
		from, place = a.number, a.place
	}
	return from
}

// numberBlocks puts the blocks of all references into f and tells their
// numbers: in the order in which they stood in the file they came from, new ones
// behind, or where they belong if that order was the usual one. References that
// shared a block share it still if they agree on it.
func (m *Map) numberBlocks(f *datafile.File, items []placed) map[*placedRef]int32 {
	type want struct {
		ref   *placedRef
		block *datafile.Block
		index int32 // where it stood, -1 if nowhere
	}
	var refs []*placedRef
	for i := range items {
		for j := range items[i].refs {
			refs = append(refs, &items[i].refs[j])
		}
	}
	blocks, none := make([]*datafile.Block, len(refs)), make([]int32, len(refs))
	parallel.Each(len(refs), func(i int) { blocks[i], none[i] = refs[i].block() })
	var wants []want
	numbers := make(map[*placedRef]int32)
	for i, r := range refs {
		w := want{r, blocks[i], -1}
		switch {
		case w.block == nil:
			numbers[r] = none[i]
			continue
		case r.ref.read && r.ref.block != nil:
			w.index = r.ref.index
		case r.ref.residue != nil && r.ref.residue.Index != nil:
			w.index = *r.ref.residue.Index
		}
		wants = append(wants, w)
	}
	var known, unclaimed []int32
	for _, w := range wants {
		if w.index >= 0 {
			known = append(known, w.index)
		}
	}
	for _, u := range m.unclaimedBlocks() {
		unclaimed = append(unclaimed, u.index)
		wants = append(wants, want{nil, u.block, u.index})
	}
	if m.file.datafile != nil { // residues leave out what is in the usual order
		from := usualFrom(known, unclaimed)
		for i := range wants {
			if wants[i].index >= from {
				wants[i].index = -1
			}
		}
	}
	slices.SortStableFunc(wants, func(a, b want) int {
		// -1 as unsigned is behind all others
		switch x, y := uint32(a.index), uint32(b.index); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for i, w := range wants {
		n := int32(len(f.Data)) - 1
		if i == 0 || w.index < 0 || w.index != wants[i-1].index || !w.block.Equal(wants[i-1].block) {
			f.Data = append(f.Data, w.block)
			n++
		}
		if w.ref != nil {
			numbers[w.ref] = n
		}
	}
	return numbers
}
