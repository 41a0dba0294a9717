package worldrepo

import (
	"encoding/binary"

	"trowel.example/fault"
)

// encodeNamedRegion encodes a region of a repository whose contents are named: the number of its blocks, and for each in
// order the distance from the previous block (the first: from -1) and the ID of its data.
func encodeNamedRegion(blocks []block) []byte {
	data := binary.AppendUvarint(nil, uint64(len(blocks)))
	last := -1
	for _, b := range blocks {
		data = binary.AppendUvarint(data, uint64(b.local-last))
		data = append(data, b.ref.ID[:]...)
		last = b.local
	}
	return data
}

func decodeNamedRegion(data []byte) ([]block, error) {
	r := newReader(data)
	n := r.uint(regionBlocks, "the number of blocks")
	if n > uint64(len(r.data)) { // before memory is allocated
		r.fail("blocks")
		n = 0
	}
	blocks := make([]block, n)
	last := -1
	for i := range blocks {
		step := r.uint(regionBlocks, "the number of a block")
		b := block{local: last + int(step), ref: Ref{ID: r.id()}}
		if r.err == nil && (step == 0 || b.local >= regionBlocks) {
			r.fail("blocks in their order")
		}
		if r.err != nil {
			return nil, r.err
		}
		b.hash = b.ref.hash()
		blocks[i], last = b, b.local
	}
	return blocks, r.end()
}

// id reads an ID.
func (r *reader) id() (id ID) {
	if len(r.data) < len(id) || ID(r.data[:len(id)]) == (ID{}) {
		r.fail("the SHA-256 of contents")
		return id
	}
	id, r.data = ID(r.data[:len(id)]), r.data[len(id):]
	return id
}

// encodeNamedRegions encodes the list of the regions of a snapshot, in order: for each the distance of its number from that of
// the previous one, its number of blocks and its ID.
func encodeNamedRegions(list []regionRef) []byte {
	var data []byte
	last := int64(-1)
	for _, r := range list {
		data = binary.AppendUvarint(data, uint64(r.number-last))
		data = binary.AppendUvarint(data, uint64(r.blocks))
		data = append(data, r.ref.ID[:]...)
		last = r.number
	}
	return data
}

func decodeNamedRegions(data []byte) (list []regionRef, err error) {
	r := newReader(data)
	last := int64(-1)
	for len(r.data) > 0 {
		step := r.uint(maxRegion, "the number of a region")
		one := regionRef{number: last + int64(step), blocks: int(r.uint(regionBlocks, "a number of blocks")), ref: Ref{ID: r.id()}}
		if r.err == nil && (step == 0 || one.number >= maxRegion || one.blocks == 0) {
			r.fail("regions in their order, none of them empty")
		}
		if r.err != nil {
			return nil, r.err
		}
		one.hash = one.ref.hash()
		list, last = append(list, one), one.number
	}
	return list, nil
}

// encodeRegion encodes a region as the version of the repository needs it.
func (r *Repository) encodeRegion(blocks []block) []byte {
	if r.named {
		return encodeNamedRegion(blocks)
	}
	return encodeRegion(blocks)
}

func (r *Repository) decodeRegion(data []byte, ref Ref) (blocks []block, err error) {
	if r.named {
		blocks, err = decodeNamedRegion(data)
	} else {
		blocks, err = decodeRegion(data)
	}
	return blocks, fault.InFile(err, "the region in "+ref.String())
}

func (r *Repository) encodeRegions(list []regionRef) []byte {
	if r.named {
		return encodeNamedRegions(list)
	}
	return encodeRegions(list)
}
