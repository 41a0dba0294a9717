package worldrepo

import (
	"encoding/binary"
	"fmt"

	"trowel.example/fault"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
)

// A region is the set of blocks whose coordinates differ only in the last four bits: up to 4096 adjacent blocks.
// Changes in a world are usually adjacent, so most regions are identical to those of the previous snapshot, and are
// stored once.
//
// order returns the sort key of a block in a snapshot: the number of its region, followed by its number in the
// region.
func order(p mapdb.Pos) int64 {
	x, y, z := int64(p.X)-mapdb.MinCoord, int64(p.Y)-mapdb.MinCoord, int64(p.Z)-mapdb.MinCoord
	return (z>>4<<16|y>>4<<8|x>>4)<<12 | z&15<<8 | y&15<<4 | x&15
}

// position is the inverse of order.
func position(o int64) mapdb.Pos {
	r, l := o>>12, o&0xfff
	at := func(high, low int64) int16 { return int16((high&0xff)<<4|low&15) + mapdb.MinCoord }
	return mapdb.Pos{X: at(r, l), Y: at(r>>8, l>>4), Z: at(r>>16, l>>8)}
}

const (
	maxRegion    = 1 << 24 // number of regions
	regionBlocks = 1 << 12
)

// block is a block of a region.
type block struct {
	local int // its number in the region
	hash  manifest.Hash
	ref   Ref
}

// encodeRegion encodes a region: the list of packs that contain its blocks, then the blocks in order. For each block
// it writes the distance from the previous block (the first: from -1), the index of the pack, the index of the
// content in the pack, and the hash.
func encodeRegion(blocks []block) []byte {
	var packs []uint64
	index := make(map[uint64]int)
	for _, b := range blocks {
		if _, ok := index[b.ref.Pack]; !ok {
			index[b.ref.Pack] = len(packs)
			packs = append(packs, b.ref.Pack)
		}
	}
	data := binary.AppendUvarint(nil, uint64(len(packs)))
	for _, p := range packs {
		data = binary.LittleEndian.AppendUint64(data, p)
	}
	data = binary.AppendUvarint(data, uint64(len(blocks)))
	last := -1
	for _, b := range blocks {
		data = binary.AppendUvarint(data, uint64(b.local-last))
		data = binary.AppendUvarint(data, uint64(index[b.ref.Pack]))
		data = binary.AppendUvarint(data, uint64(b.ref.N))
		data = binary.LittleEndian.AppendUint64(data, uint64(b.hash))
		last = b.local
	}
	return data
}

// reader reads the numbers of a content.
type reader struct {
	data []byte
	all  int
	err  error
}

func newReader(data []byte) *reader { return &reader{data: data, all: len(data)} }

func (r *reader) fail(want string) {
	if r.err == nil {
		r.err = &fault.Error{Offset: int64(r.all - len(r.data)), Want: want, Got: "something else"}
	}
	r.data = nil
}

func (r *reader) uint(most uint64, what string) uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > most {
		r.fail(fmt.Sprintf("%s, at most %d", what, most))
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) fixed(what string) uint64 {
	if len(r.data) < 8 {
		r.fail(what)
		return 0
	}
	v := binary.LittleEndian.Uint64(r.data)
	r.data = r.data[8:]
	return v
}

func (r *reader) end() error {
	if r.err == nil && len(r.data) > 0 {
		r.fail("the end")
	}
	return r.err
}

func decodeRegion(data []byte) ([]block, error) {
	r := newReader(data)
	packs := make([]uint64, r.uint(regionBlocks, "the number of packs"))
	for i := range packs {
		packs[i] = r.fixed("the number of a pack")
	}
	blocks := make([]block, r.uint(regionBlocks, "the number of blocks"))
	last := -1
	for i := range blocks {
		step := r.uint(regionBlocks, "the number of a block")
		which := r.uint(regionBlocks, "one of the packs")
		b := block{local: last + int(step), ref: Ref{N: uint32(r.uint(maxContents, "contents of the pack"))},
			hash: manifest.Hash(r.fixed("a hash"))}
		if r.err != nil {
			break
		}
		if step == 0 || b.local >= regionBlocks || which >= uint64(len(packs)) {
			r.fail("blocks in their order, in the packs of the region")
			break
		}
		b.ref.Pack = packs[which]
		blocks[i], last = b, b.local
	}
	return blocks, r.end()
}

// regionRef is the location of a region of a snapshot.
type regionRef struct {
	number int64
	blocks int
	ref    Ref
	hash   manifest.Hash // of its content; 0 if the format of the list has no hashes
}

// encodeRegions encodes the list of the regions of a snapshot, in order.
func encodeRegions(list []regionRef) []byte {
	var data []byte
	last := int64(-1)
	for _, r := range list {
		data = binary.AppendUvarint(data, uint64(r.number-last))
		data = binary.AppendUvarint(data, uint64(r.blocks))
		data = binary.LittleEndian.AppendUint64(data, r.ref.Pack)
		data = binary.AppendUvarint(data, uint64(r.ref.N))
		data = binary.LittleEndian.AppendUint64(data, uint64(r.hash))
		last = r.number
	}
	return data
}

// decodeRegions decodes a list of regions. Lists of older programs have no hashes.
func decodeRegions(data []byte, hashed bool) (list []regionRef, err error) {
	r := newReader(data)
	last := int64(-1)
	for len(r.data) > 0 {
		step := r.uint(maxRegion, "the number of a region")
		one := regionRef{number: last + int64(step), blocks: int(r.uint(regionBlocks, "a number of blocks"))}
		one.ref = Ref{Pack: r.fixed("the number of a pack"), N: uint32(r.uint(maxContents, "contents of the pack"))}
		if hashed {
			one.hash = manifest.Hash(r.fixed("a hash"))
		}
		if r.err == nil && (step == 0 || one.number >= maxRegion || one.blocks == 0) {
			r.fail("regions in their order, none of them empty")
		}
		if r.err != nil {
			return nil, r.err
		}
		list, last = append(list, one), one.number
	}
	return list, nil
}
