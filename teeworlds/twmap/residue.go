package twmap

import (
	"bytes"
	"maps"
	"slices"

	"trowel.example/internal/parallel"
	"trowel.example/teeworlds/datafile"
)

// Residues is what the model of a map does not say and what only matters for
// giving back the same bytes. Whoever stores a map in another form keeps them
// beside it and hands them back with [Map.SetResidues].
//
// A residue stands for a difference from what Encode would write, and names what
// it differs from. Where that has changed since, the residue is void.
type Residues struct {
	File *FileResidue
	Of   map[Entity]*Residue // for entities that have one; the map itself stands for its version item
}

// PointsItem stands for the item with the points of all envelopes, which has a [Residue] as
// any other.
func (m *Map) PointsItem() Entity { return &m.points }

// BezierItem stands for the item with their tangents, where these have one of their own.
func (m *Map) BezierItem() Entity { return &m.bezier }

// FileResidue is what remains of the container.
type FileResidue struct {
	datafile.ContainerResidue
	UUIDs  []datafile.UUID  `json:"uuids,omitempty"`  // of item types, in the order in which they were numbered, where that is not usual
	Blocks []UnclaimedBlock `json:"blocks,omitempty"` // data blocks that nothing refers to

	// The whole file, where the rest does not lead to it, and the CRC-32 of
	// what the rest does lead to.
	Original []byte `json:"original,omitempty"`
	Was      string `json:"was,omitempty"`
}

// UnclaimedBlock is a data block that no item refers to.
type UnclaimedBlock struct {
	Index  int32  `json:"index"`
	Size   int32  `json:"size"`
	Stream []byte `json:"stream"`
}

// Residue is what remains of an item.
type Residue struct {
	ID     *[2]uint16              `json:"id,omitempty"`     // its id, and the id that it has in place of
	Absent bool                    `json:"absent,omitempty"` // there is no such item as long as it is empty
	Set    [][3]int32              `json:"set,omitempty"`    // index of an integer, its value, and what it has in place of
	Cut    []int32                 `json:"cut,omitempty"`    // integers that the item lacks at its end
	Tail   []int32                 `json:"tail,omitempty"`   // integers behind the usual end
	Data   map[string]*DataResidue `json:"data,omitempty"`   // of the data blocks that it refers to, by field
}

// DataResidue is what remains of a reference to a data block.
type DataResidue struct {
	datafile.BlockResidue
	Index *int32 `json:"index,omitempty"` // the number of the block
	Ref   *int32 `json:"ref,omitempty"`   // a number that leads to no block, in place of a content that has Was
}

// SetResidues gives back what [Map.Residues] told of another map that had the same parts.
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

// keep lays what remains of an item over what the model says: nothing where the item has
// become longer than it was, for then its integers do not mean what they did.
func (k *Residue) keep(p *placed) {
	if k == nil {
		return
	}
	if k.ID != nil && k.ID[1] == p.id {
		p.id = k.ID[0]
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

// differ returns the residue that makes item of what was placed, nil if nothing is needed.
func (p *placed) differ(item *datafile.Item) *Residue {
	var k Residue
	if item.ID != p.id {
		k.ID = &[2]uint16{item.ID, p.id}
	}
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

// keepContainer makes the container of f that of the file that the map came from.
func (m *Map) keepContainer(f *datafile.File) {
	switch {
	case m.file.residue != nil:
		f.SetContainer(m.file.residue.ContainerResidue)
	case m.file.datafile != nil:
		f.SetContainer(m.file.datafile.Container())
	}
}

// unclaimedBlock is a data block that nothing refers to, and its number.
type unclaimedBlock struct {
	block *datafile.Block
	index int32
}

func (m *Map) unclaimedBlocks() []unclaimedBlock {
	var list []unclaimedBlock
	if k := m.file.residue; k != nil {
		for _, b := range k.Blocks {
			list = append(list, unclaimedBlock{datafile.NewBlockStream(b.Stream, b.Size), b.Index})
		}
	} else if m.file.datafile != nil {
		for _, b := range m.file.unclaimed {
			list = append(list, unclaimedBlock{b, int32(slices.Index(m.file.datafile.Data, b))})
		}
	}
	return list
}

// Residues returns what would be lost if the map were stored by what its types
// say alone: nothing for a new map, and what SetResidues gave for one that was
// stored before. It inflates all data, on all cores, and changes nothing in m.
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
		keep(&m.points) // which are not placed where there are none
		keep(&m.bezier)
		return all, nil
	}
	out, err := m.Encode()
	if err != nil {
		return nil, err
	}
	unchanged := bytes.Equal(out, m.file.src)
	items := m.place(true)
	for i := range items {
		o := items[i].from.at()
		if o.item == nil {
			continue
		}
		k := o.residue // of what was read: what has been changed since makes it void
		if unchanged {
			k = items[i].differ(o.item)
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
	m.dataResidues(items, all)
	all.File = m.fileResidue(items)

	if !unchanged {
		return all, nil
	}
	for i := range items { // try out whether this leads to the file
		items[i].residue = all.Of[items[i].from]
	}
	if restored, err := m.build(items).Encode(); err != nil || !bytes.Equal(restored, m.file.src) {
		if all.File == nil {
			all.File = &FileResidue{}
		}
		all.File.Original, all.File.Was = m.file.src, datafile.Mark(restored, true)
	}
	return all, nil
}

// remember gives the entity of each item the residue of its item, so that Encode can write
// what the model does not say.
func remember(items []placed) {
	for i := range items {
		if o := items[i].from.at(); o.item != nil {
			o.residue = items[i].differ(o.item)
			items[i].residue = o.residue
		}
	}
}

// fileResidue returns the residue of the container, nil if it is as usual.
func (m *Map) fileResidue(items []placed) *FileResidue {
	k := &FileResidue{ContainerResidue: m.file.datafile.Container()}
	var usual []datafile.UUID
	for _, p := range items {
		if p.uuid != nil && !slices.Contains(usual, *p.uuid) {
			usual = append(usual, *p.uuid)
		}
	}
	if !slices.Equal(usual, m.file.uuids) {
		k.UUIDs = m.file.uuids
	}
	for _, u := range m.unclaimedBlocks() {
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
	for _, u := range m.unclaimedBlocks() {
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
		if !jobs[i].ref.changed { // else only its place is left
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

// residue returns what makes the block that was read of the content that the
// model gives, nil if that content is enough.
func (r *placedRef) residue() *DataResidue {
	content, ok := r.content()
	if r.ref.block != nil {
		if k := r.ref.block.Residue(content, ok); !k.IsZero() {
			return &DataResidue{BlockResidue: k}
		}
		return nil
	}
	if r.ref.index == -1 && !ok {
		return nil
	}
	return &DataResidue{BlockResidue: datafile.BlockResidue{Was: content.Mark(ok)}, Ref: new(r.ref.index)}
}

// block returns the block of which k remained, or nil and the number that
// stands in its place.
func (k *DataResidue) block(content datafile.Content, ok bool) (*datafile.Block, int32) {
	if k == nil {
		return datafile.BlockResidue{}.Block(content, ok), -1
	}
	if k.Ref != nil && k.Was == content.Mark(ok) {
		return nil, *k.Ref
	}
	return k.Block(content, ok), -1
}
