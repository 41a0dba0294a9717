package twmap

import (
	"bytes"
	"maps"
	"slices"

	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/datafile"
)

// Residues are the details of a file that the model of a map does not express and that are only needed to reproduce
// identical bytes. A program that stores a map in another form stores its residues alongside, and restores them with
// [Map.SetResidues].
//
// A residue is a difference from what Encode would write, together with the value that it differs from. If that value
// has changed since, the residue is ignored.
type Residues struct {
	File *FileResidue
	Of   map[Entity]*Residue // for entities that have a residue; the map itself is the key of its version item
}

// PointsItem represents the item with the points of all envelopes, which can have a [Residue] like any other.
func (m *Map) PointsItem() Entity { return &m.points }

// BezierItem represents the item with the tangents of all envelopes, in maps where it is separate.
func (m *Map) BezierItem() Entity { return &m.bezier }

// FileResidue holds the residue of the container.
type FileResidue struct {
	datafile.ContainerResidue
	UUIDs  []datafile.UUID  `json:"uuids,omitempty"`  // of item types, in the order of their numbers, where that order is unusual
	Blocks []UnclaimedBlock `json:"blocks,omitempty"` // data blocks without a reference

	// The whole file, if the other fields cannot reproduce it, and the CRC-32 of what they do reproduce.
	Original []byte `json:"original,omitempty"`
	Was      string `json:"was,omitempty"`
}

// UnclaimedBlock is a data block without a reference.
type UnclaimedBlock struct {
	Index  int32  `json:"index"`
	Size   int32  `json:"size"`
	Stream []byte `json:"stream"`
}

// Residue holds the residue of an item.
type Residue struct {
	ID     *[2]uint16              `json:"id,omitempty"`     // its id, and the id that it replaces
	Twice  bool                    `json:"twice,omitempty"`  // an earlier item of the type has the same id
	Absent bool                    `json:"absent,omitempty"` // the item is left out as long as it is empty
	Set    [][3]int32              `json:"set,omitempty"`    // index of an integer, its value, and the value that it replaces
	Cut    []int32                 `json:"cut,omitempty"`    // integers that the item lacks at its end
	Tail   []int32                 `json:"tail,omitempty"`   // integers after the usual end
	Data   map[string]*DataResidue `json:"data,omitempty"`   // of the data blocks that the item refers to, by field
}

// DataResidue holds the residue of a reference to a data block.
type DataResidue struct {
	datafile.BlockResidue
	Index *int32 `json:"index,omitempty"` // the number of the block
	Ref   *int32 `json:"ref,omitempty"`   // a number without a block, used if the contents match Was
}

// SetResidues restores the residues that [Map.Residues] returned for another map with the same parts.
func (m *Map) SetResidues(r *Residues) {
	m.file.residue, m.file.was = r.File, nil
	for e, k := range r.Of {
		e.at().residue = k
	}
	for _, p := range m.place(false) {
		if k := r.Of[p.from]; k != nil {
			for i := range p.refs {
				p.refs[i].ref.residue = k.Data[p.refs[i].field]
			}
		}
	}
}

// keep applies the residue of an item to the integers of the model. If the item has become longer than it was, keep
// skips the integers, because they no longer have the same meaning.
func (k *Residue) keep(p *placed) {
	if k == nil {
		return
	}
	if k.ID != nil && k.ID[1] == p.id {
		p.id, p.restored = k.ID[0], true
	}
	if n := len(p.ints) - len(k.Cut); n >= 0 && slices.Equal(p.ints[n:], k.Cut) {
		for _, s := range k.Set {
			if i := int(s[0]); i >= 0 && i < len(p.ints) && p.ints[i] == s[2] && !slices.Contains(p.exact, i) {
				p.ints[i] = s[1]
			}
		}
		p.ints = p.ints[:n]
	}
	p.ints = append(p.ints, k.Tail...)
}

// differ returns the residue that turns the placed item into item, or nil if they are equal. seen holds the types and
// ids of the items before.
func (p *placed) differ(item *datafile.Item, seen map[[2]uint16]bool) *Residue {
	var k Residue
	key := [2]uint16{item.Type, item.ID}
	if item.ID != p.id {
		k.ID, k.Twice = &[2]uint16{item.ID, p.id}, seen[key]
	}
	seen[key] = true
	ref := make(map[int]bool)
	for _, r := range p.refs {
		ref[r.at] = true
	}
	n := min(len(item.Data), len(p.ints))
	for i := range n {
		if item.Data[i] != p.ints[i] && !ref[i] {
			k.Set = append(k.Set, [3]int32{int32(i), item.Data[i], p.ints[i]})
		}
	}
	k.Cut = slices.Clone(p.ints[n:])
	k.Tail = slices.Clone(item.Data[n:])
	if k.ID == nil && len(k.Set)+len(k.Cut)+len(k.Tail) == 0 {
		return nil
	}
	return &k
}

// keepContainer gives f the container details of the file that the map came from.
func (o *fileOrigin) keepContainer(f *datafile.File) {
	switch {
	case o.residue != nil:
		f.SetContainer(o.residue.ContainerResidue)
	case o.datafile != nil:
		f.SetContainer(o.datafile.Container())
	}
}

// unclaimedBlock is a data block without a reference, and its number.
type unclaimedBlock struct {
	block *datafile.Block
	index int32
}

// unusedBlocks returns the blocks without a reference that no unknown part names either, as far as can be known.
func (m *Map) unusedBlocks() []unclaimedBlock {
	unclaimed := m.file.unclaimedBlocks()
	if len(unclaimed) == 0 {
		return nil
	}
	named := namedBlocks(m.place(false))
	return slices.DeleteFunc(slices.Clone(unclaimed), func(u unclaimedBlock) bool { return named[u.index] })
}

// namedBlocks returns the numbers that may be references of unknown parts to data blocks.
func namedBlocks(items []placed) map[int32]bool {
	named := make(map[int32]bool)
	for _, p := range items {
		var numbers []int32
		switch e := p.from.(type) {
		case *Extra:
			numbers = e.Data
		case *UnknownLayer:
			numbers = e.Data
		}
		for _, n := range numbers {
			named[n] = true
		}
	}
	return named
}

// RemoveUnusedBlocks removes the data blocks that nothing uses, and returns their number. It keeps those that an
// unknown part may use.
func (m *Map) RemoveUnusedBlocks() int {
	unused := make(map[int32]bool)
	for _, u := range m.unusedBlocks() {
		unused[u.index] = true
	}
	if len(unused) == 0 {
		return 0
	}
	if m.file.residue != nil {
		k := *m.file.residue
		k.Blocks = slices.DeleteFunc(slices.Clone(k.Blocks), func(b UnclaimedBlock) bool { return unused[b.Index] })
		m.file.residue = &k
	} else {
		m.file.unclaimed = slices.DeleteFunc(slices.Clone(m.file.unclaimed), func(u unclaimedBlock) bool { return unused[u.index] })
		m.file.was = nil // asRead builds with these blocks
	}
	return len(unused)
}

func (o *fileOrigin) unclaimedBlocks() []unclaimedBlock {
	k := o.residue
	if k == nil {
		return o.unclaimed
	}
	var list []unclaimedBlock
	for _, b := range k.Blocks {
		list = append(list, unclaimedBlock{datafile.NewBlockStream(b.Stream, b.Size), b.Index})
	}
	return list
}

// Residues returns what would be lost if the map were stored by the fields of its types alone: nothing for a new map,
// and the argument of SetResidues for a map that was stored before. It inflates all data, on all cores, and does not
// modify m.
func (m *Map) Residues() (*Residues, error) {
	all := &Residues{Of: make(map[Entity]*Residue)}
	if m.item == nil {
		all.File = m.file.residue
		keep := func(e Entity) {
			if k := e.at().residue; k != nil {
				all.Of[e] = k
			}
		}
		for _, p := range m.place(false) {
			keep(p.from)
		}
		keep(&m.points) // not placed in a map without points
		keep(&m.bezier)
		return all, nil
	}
	out, err := m.Encode()
	if err != nil {
		return nil, err
	}
	unchanged := bytes.Equal(out, m.file.src)
	seen := make(map[[2]uint16]bool)
	items := m.place(true)
	for i := range items {
		o := items[i].from.at()
		if o.item == nil {
			continue
		}
		k := o.residue // of the item that was read; ignored where values have changed since
		if unchanged {
			k = items[i].differ(o.item, seen)
		}
		if k != nil {
			own := *k
			own.Data = maps.Clone(k.Data)
			all.Of[items[i].from] = &own
		}
	}
	if m.points.item == nil {
		all.Of[&m.points] = &Residue{Absent: true}
	}
	if m.bezier.item == nil && slices.ContainsFunc(items, func(p placed) bool { return p.from == &m.bezier }) {
		all.Of[&m.bezier] = &Residue{Absent: true}
	}
	m.dataResidues(items, all)
	all.File = m.fileResidue(items)

	if !unchanged {
		return all, nil
	}
	stored := fileOrigin{residue: all.File}
	restored, err := stored.build(storedItems(items, all), datafile.DefaultLevel).Encode()
	if err != nil || !bytes.Equal(restored, m.file.src) { // the residues do not reproduce the file
		if all.File == nil {
			all.File = &FileResidue{}
		}
		all.File.Original, all.File.Was = m.file.src, datafile.Mark(restored)
	}
	return all, nil
}

// storedItems returns the items as a map has them that was stored with the residues: they have nothing of the file but
// the blocks that the residues reproduce.
func storedItems(items []placed, all *Residues) []placed {
	list := slices.Clone(items)
	for i := range list {
		p := &list[i]
		p.residue = all.Of[p.from]
		p.refs = slices.Clone(p.refs)
		for j := range p.refs {
			r := &p.refs[j]
			var k *DataResidue
			if p.residue != nil {
				k = p.residue.Data[r.field]
			}
			ref := dataRef{residue: k}
			if !r.changed {
				ref = dataRef{read: true, index: -1, block: r.ref.block}
				if k != nil && k.Index != nil {
					ref.index = *k.Index
				} else if k != nil && k.Ref != nil {
					ref.index = *k.Ref
				}
			}
			r.ref = &ref
		}
	}
	return list
}

// remember gives each entity the residue of its item, so that Encode can write what the model does not express.
func remember(items []placed) {
	seen := make(map[[2]uint16]bool)
	for i := range items {
		if o := items[i].from.at(); o.item != nil {
			o.residue = items[i].differ(o.item, seen)
			items[i].residue = o.residue
		}
	}
}

// fileResidue returns the residue of the container, or nil if the container is as usual.
func (m *Map) fileResidue(items []placed) *FileResidue {
	k := &FileResidue{ContainerResidue: m.file.datafile.Container()}
	var usual []datafile.UUID
	for _, p := range items {
		if p.uuid != nil && !slices.Contains(usual, *p.uuid) {
			usual = append(usual, *p.uuid)
		}
	}
	if m.hasIndexExtras() || !slices.Equal(usual, m.file.uuids) {
		k.UUIDs = m.file.uuids
	}
	for _, u := range m.file.unclaimedBlocks() {
		stream, size := u.block.Compressed()
		k.Blocks = append(k.Blocks, UnclaimedBlock{u.index, size, stream})
	}
	if k.ContainerResidue == (datafile.ContainerResidue{}) && k.UUIDs == nil && k.Blocks == nil {
		return nil
	}
	return k
}

// dataResidues adds the residues of all data blocks that were read.
func (m *Map) dataResidues(items []placed, all *Residues) {
	type job struct {
		item *placed
		ref  *placedRef
		made *DataResidue
	}
	var jobs []*job
	var numbers, unclaimed []int32
	for _, u := range m.file.unclaimedBlocks() {
		unclaimed = append(unclaimed, u.index)
	}
	for i := range items {
		for j := range items[i].refs {
			r := &items[i].refs[j]
			if !r.ref.read {
				continue
			}
			jobs = append(jobs, &job{&items[i], r, nil})
			if r.ref.block != nil {
				numbers = append(numbers, r.ref.index)
			}
		}
	}
	from := usualFrom(numbers, unclaimed)
	parallel.Each(len(jobs), func(i int) {
		defer contents.Take(jobs[i].ref.size)()
		if !jobs[i].ref.changed { // otherwise only the number of the block remains
			jobs[i].made = jobs[i].ref.residue()
		}
	})
	for _, j := range jobs {
		if j.ref.ref.block != nil && j.ref.ref.index < from {
			if j.made == nil {
				j.made = &DataResidue{}
			}
			j.made.Index = new(j.ref.ref.index)
		}
		if j.made == nil {
			continue
		}
		k := all.Of[j.item.from]
		if k == nil {
			k = &Residue{}
			all.Of[j.item.from] = k
		}
		if k.Data == nil {
			k.Data = make(map[string]*DataResidue)
		}
		k.Data[j.ref.field] = j.made
	}
}

// residue returns what is needed to make the block that was read from the contents in the model, or nil if the
// contents are enough.
func (r *placedRef) residue() *DataResidue {
	if r.ref.block != nil {
		k, ok := datafile.BlockResidue{}, false
		if r.whole > 0 {
			k, ok = r.ref.block.ResidueOfSize(r.whole)
		}
		if !ok {
			k = r.ref.block.Residue(r.content())
		}
		if k.IsZero() {
			return nil
		}
		return &DataResidue{BlockResidue: k}
	}
	content := r.content()
	if r.ref.index == -1 && content.None {
		return nil
	}
	return &DataResidue{BlockResidue: datafile.BlockResidue{Was: content.Mark()}, Ref: new(r.ref.index)}
}

// block returns the block that k describes, or nil and the number to write instead.
func (k *DataResidue) block(content datafile.Content) (*datafile.Block, int32) {
	if k == nil {
		return datafile.BlockResidue{}.Block(content), -1
	}
	if k.Ref != nil && k.Was == content.Mark() {
		return nil, *k.Ref
	}
	return k.Block(content), -1
}
