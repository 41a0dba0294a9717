package twmap

import (
	"cmp"
	"math"
	"slices"

	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/datafile"
)

// usualFrom returns the number from which on blocks are in the usual order, one for each reference: the numbers of
// these blocks need not be stored, and new blocks are inserted among them. Its arguments are the numbers of the
// blocks that references point to, in the usual order, and the numbers of blocks without references.
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

// numberBlocks adds the blocks of all references to f and returns their numbers. Blocks keep the order of the file
// that they came from. New blocks follow, or are inserted where they belong if that order was the usual one.
// References that shared a block still share it if their contents are equal. A block that an unknown part may refer to
// keeps its number, if necessary by blocks of a byte in front of it.
func (o *fileOrigin) numberBlocks(f *datafile.File, items []placed, level int) map[*placedRef]int32 {
	type candidate struct {
		ref   *placedRef
		block *datafile.Block
		index int32 // the previous number, -1 if none
	}
	var refs []*placedRef
	for i := range items {
		for j := range items[i].refs {
			refs = append(refs, &items[i].refs[j])
		}
	}
	blocks, none := make([]*datafile.Block, len(refs)), make([]int32, len(refs))
	parallel.Each(len(refs), func(i int) { blocks[i], none[i] = refs[i].block(level) })
	var candidates []candidate
	numbers := make(map[*placedRef]int32)
	for i, r := range refs {
		w := candidate{r, blocks[i], -1}
		switch {
		case w.block == nil:
			numbers[r] = none[i]
			continue
		case r.ref.read && r.ref.block != nil:
			w.index = r.ref.index
		case r.ref.residue != nil && r.ref.residue.Index != nil:
			w.index = *r.ref.residue.Index
		}
		candidates = append(candidates, w)
	}
	var known, unclaimed []int32
	for _, w := range candidates {
		if w.index >= 0 {
			known = append(known, w.index)
		}
	}
	for _, u := range o.unclaimedBlocks() {
		unclaimed = append(unclaimed, u.index)
		candidates = append(candidates, candidate{nil, u.block, u.index})
	}
	if o.datafile != nil { // residues do not store what is in the usual order
		from := usualFrom(known, unclaimed)
		for i := range candidates {
			if candidates[i].index >= from {
				candidates[i].index = -1
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		// -1 as an unsigned number sorts after all others.
		switch x, y := uint32(a.index), uint32(b.index); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	var named map[int32]bool
	if len(unclaimed) > 0 {
		named = namedBlocks(items)
	}
	for i, w := range candidates {
		for w.ref == nil && named[w.index] && len(f.Data) < int(w.index) {
			f.Data = append(f.Data, datafile.NewBlock([]byte{0}))
		}
		n := int32(len(f.Data)) - 1
		if i == 0 || w.index < 0 || w.index != candidates[i-1].index || !w.block.Equal(candidates[i-1].block) {
			f.Data = append(f.Data, w.block)
			n++
		}
		if w.ref != nil {
			numbers[w.ref] = n
		}
	}
	return numbers
}
