package worldedit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/turn"
)

// transfer is a step that copies nodes of a region to other positions, with param1, param2, metadata and timers, but
// without objects. It visits the target blocks and reads the source from the world as it was before the step.
type transfer struct {
	region  Region // the source
	targets []Box  // the target
	// from yields the candidate sources of a position: the node is copied from the first that is in the region.
	from   func(to Vec) iter.Seq[Vec]
	vacate func(from Vec) (to Vec) // target of a node; its source becomes air if it is copied; may be nil
	skip   func(p mapdb.Pos) bool  // reports blocks that are already done; may be nil
	motion turn.Motion             // how nodes with a direction are rotated
	orient bool
	source *World // the source world; nil means the world that is changed
	s      Setting
}

// Do performs the transfer.
func (t transfer) Do(ctx context.Context, w *World) error {
	source := t.source
	if source == nil {
		source = w
	}
	view := newView(ctx, source, t.region)
	o := orienter{t.motion, w.definitions(), t.s.Counts}
	var areas []mapdb.Area
	for _, box := range t.targets {
		areas = append(areas, box.Area())
	}
	if t.vacate != nil {
		areas = append(areas, t.region.Area())
	}
	in, err := w.blocksOf(ctx, areas, len(t.targets), t.s.Create)
	if err != nil {
		return err
	}
	err = w.run(ctx, in, func(block mapdb.Block) (*Block, error) {
		return t.edit(w, view, &o, block)
	})
	if source != w {
		view.report(w)
	}
	return err
}

// blocksOf yields the blocks of several areas, each once. With create, it also yields the positions without blocks in
// the first n areas.
func (w *World) blocksOf(ctx context.Context, areas []mapdb.Area, n int, create bool) (iter.Seq2[mapdb.Block, error], error) {
	var parts []iter.Seq2[mapdb.Block, error]
	for i, a := range areas {
		if a.Empty() {
			parts = append(parts, func(func(mapdb.Block, error) bool) {})
			continue
		}
		part, err := w.withAbsent(ctx, a, []Each{{Area: a, Create: create && i < n}})
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return func(yield func(mapdb.Block, error) bool) {
		for i, part := range parts {
			for b, err := range part {
				if err == nil && slices.ContainsFunc(areas[:i], func(a mapdb.Area) bool { return a.Contains(b.Pos) }) {
					continue
				}
				if !yield(b, err) {
					return
				}
			}
		}
	}, nil
}

// edit returns a block after the transfer.
func (t *transfer) edit(w *World, view *view, o *orienter, block mapdb.Block) (b *Block, err error) {
	if t.skip != nil && t.skip(block.Pos) {
		return nil, nil
	}
	if block.Data == nil {
		b = create(block.Pos, w.version)
	} else if b, err = read(block.Pos, block.Data); err != nil {
		return nil, err
	}
	origin := b.Origin()
	whole := Box{origin, origin.Add(Vec{15, 15, 15})}
	touched := t.vacate != nil && !t.region.Box.Intersect(whole).Empty()
	for _, box := range t.targets {
		touched = touched || !box.Intersect(whole).Empty()
	}
	if !touched || !t.s.generated(b) {
		return b, nil
	}
	var own *viewed // the block before the transfer, if nodes are removed from it
	var replaced Mask
	var meta []mapblock.NodeMeta
	var timers []mapblock.Timer
	var from *viewed
	n, stay := int64(0), int64(0)
	for i := range mapblock.NodeCount {
		x, y, z := mapblock.Coordinates(i)
		to := origin.Add(Vec{x, y, z})
		came := false
		for at := range t.from(to) {
			if !at.valid() {
				continue
			}
			p, index := at.Block()
			if from == nil || from.pos != p {
				if from, err = view.block(p); err != nil {
					return nil, stop{err}
				}
			}
			if !from.mask.Has(index) {
				continue
			}
			came = true
			replaced.Set(i)
			changed, err := t.put(b, i, from, index, o)
			if err != nil {
				return nil, err
			}
			if changed {
				n++
			}
			meta, timers = from.things(index, i, meta, timers)
			break
		}
		if came {
			continue
		}
		if t.vacate == nil || !t.region.Box.Contains(to) {
			continue
		}
		if own == nil {
			if own, err = view.block(b.Pos); err != nil {
				return nil, stop{err}
			}
		}
		if own.block == nil || !own.mask.Has(i) {
			continue
		}
		if arrives, err := t.arrives(view, t.vacate(to)); err != nil {
			return nil, stop{err}
		} else if !arrives {
			stay++
			continue
		}
		replaced.Set(i)
		ok, err := b.SetNode(i, mapblock.Air, 0)
		if err != nil {
			return nil, err
		}
		if ok {
			n++
		}
	}
	t.s.Counts.Note("nodes that stay, because there is no block at their destination", stay)
	before := len(b.Metadata.List) + len(b.Timers.List)
	b.ForgetIf(func(i int) bool { return i < mapblock.NodeCount && replaced.Has(i) })
	dropped := before - len(b.Metadata.List) - len(b.Timers.List)
	if len(meta)+len(timers) > 0 {
		b.Metadata.List = append(slices.Clip(b.Metadata.List), meta...)
		b.Timers.List = append(slices.Clip(b.Timers.List), timers...)
		b.Mark()
	}
	if t.s.Counts != nil {
		t.s.Counts.addNodes(b, &replaced, n)
		t.s.Counts.Metadata.Add(int64(dropped + len(meta) + len(timers)))
	}
	return b, nil
}

// arrives reports whether a node can be copied to a position: there must be a block that may be changed.
func (t *transfer) arrives(view *view, to Vec) (bool, error) {
	if !to.valid() {
		return false, nil
	}
	p, _ := to.Block()
	b, err := view.block(p)
	if err != nil {
		return false, err
	}
	return t.s.Create && (b.block != nil || b.absent) || b.block != nil && b.block.IsGenerated(), nil
}

// put copies a node from an index of another block, rotated.
func (t *transfer) put(b *Block, i int, from *viewed, index int, o *orienter) (changed bool, err error) {
	id := from.block.Param0[index]
	name := ""
	if int(id) < len(from.table) {
		name = from.table[id]
	}
	if name == "" {
		return false, errors.New("the block would receive a node whose id has no name")
	}
	param1, param2 := from.block.Param1[index], from.block.Param2[index]
	if t.orient {
		if way := o.way(name); way != nil {
			param2 = way(param2)
		}
	}
	was := b.Param2[i]
	renamed, err := b.SetNode(i, name, param2)
	if err != nil {
		return false, err
	}
	if b.Param1[i] != param1 {
		b.Param1[i] = param1
		b.MarkNodes()
	}
	return renamed || was != param2, nil
}

func (v Vec) valid() bool { return Everywhere.Contains(v) }

// view is a world as it was before a step, with a cache of recently used blocks.
type view struct {
	ctx      context.Context
	world    *World
	selected func(b *Block) (Mask, bool)

	mu      sync.Mutex
	blocks  map[mapdb.Pos]*viewed
	queue   []mapdb.Pos // in the order of insertion
	damaged map[mapdb.Pos]error
}

// fail records a damaged block. The step reports it when it reaches the block; report does, if it is in another world.
func (v *view) fail(p mapdb.Pos, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.damaged[p] = err
}

// report reports the damaged blocks of another world, from which nothing was copied.
func (v *view) report(w *World) {
	for _, p := range slices.SortedFunc(maps.Keys(v.damaged), func(a, b mapdb.Pos) int { return cmp.Compare(a.Key(), b.Key()) }) {
		place.OfBlock(w.opts.Sink, p.X, p.Y, p.Z).Add(foundDamaged, "", -1, "in the other world: %v", v.damaged[p])
	}
}

// viewBlocks is the maximum number of cached blocks, of 20 KB each: some planes of a wide region.
const viewBlocks = 1024

// viewed is a block of a view.
type viewed struct {
	once   sync.Once
	pos    mapdb.Pos
	block  *Block // nil if there is no block, or it cannot be read
	absent bool   // there is no block
	table  []string
	mask   Mask // nodes of the region
	err    error
}

func newView(ctx context.Context, w *World, r Region) *view {
	return &view{ctx: ctx, world: w, selected: r.Selector(), blocks: make(map[mapdb.Pos]*viewed),
		damaged: make(map[mapdb.Pos]error)}
}

// block returns a block; an error ends the step.
func (v *view) block(p mapdb.Pos) (*viewed, error) {
	v.mu.Lock()
	b := v.blocks[p]
	if b == nil {
		if len(v.queue) >= viewBlocks {
			delete(v.blocks, v.queue[0])
			v.queue = v.queue[1:]
		}
		b = &viewed{pos: p}
		v.blocks[p] = b
		v.queue = append(v.queue, p)
	}
	v.mu.Unlock()
	b.once.Do(func() {
		data, err := v.world.Get(v.ctx, p)
		if err != nil {
			if b.absent = errors.Is(err, mapdb.ErrNotFound); !b.absent && isEnd(err) {
				b.err = err
			} else if !b.absent {
				v.fail(p, err)
			}
			return
		}
		if b.block, err = read(p, data); err != nil {
			b.block = nil
			v.fail(p, err)
			return
		}
		b.table = b.block.Table()
		b.mask, _ = v.selected(b.block)
		for i := range b.mask.All {
			if id := b.block.Param0[i]; int(id) < len(b.table) && b.table[id] == mapblock.Ignore {
				b.mask.Clear(i) // the node is unknown
			}
		}
	})
	return b, b.err
}

// things appends the metadata and the timer of a node, moved to another index.
func (b *viewed) things(index, to int, meta []mapblock.NodeMeta, timers []mapblock.Timer) ([]mapblock.NodeMeta, []mapblock.Timer) {
	if e := b.block.Metadata.At(index); e != nil {
		moved := *e
		moved.Pos = uint16(to)
		meta = append(meta, moved)
	}
	for _, e := range b.block.Timers.List {
		if int(e.Pos) == index {
			e.Pos = uint16(to)
			timers = append(timers, e)
			break
		}
	}
	return meta, timers
}

// Copy is a step that copies the nodes of a region by a distance, with their metadata and timers. Where the copy
// overlaps the region, the copy wins.
func Copy(r Region, by Vec, s Setting) Step { return Stack(r, by, 1, s) }

// Move is like Copy, but leaves air where nothing is copied to.
func Move(r Region, by Vec, s Setting) Step {
	t := stack(r, by, 1, s)
	t.vacate = func(from Vec) Vec { return from.Add(by) }
	return t
}

// Stack is a step that copies the nodes of a region count times, each copy moved by the same distance from the
// previous one. Where copies overlap, the later copy wins.
func Stack(r Region, by Vec, count int, s Setting) Step { return stack(r, by, count, s) }

func stack(r Region, by Vec, count int, s Setting) transfer {
	t := transfer{region: r, motion: turn.None, s: s}
	way := func(k int) Vec { return Vec{by[0] * k, by[1] * k, by[2] * k} }
	last := 0
	for k := 1; k <= count; k++ {
		box := r.Box.Move(way(k))
		if r.Invert {
			box = Everywhere
		}
		if box = box.Intersect(Everywhere); box.Empty() || by == (Vec{}) {
			break
		}
		if last = k; !r.Invert || k == 1 {
			t.targets = append(t.targets, box)
		}
	}
	selected := r.inside()
	t.from = func(to Vec) iter.Seq[Vec] {
		return func(yield func(Vec) bool) {
			for k := last; k >= 1; k-- {
				if at := to.Sub(way(k)); selected(at) && !yield(at) {
					return
				}
			}
		}
	}
	return t
}

// Turn is a step that rotates or mirrors a region. The result has the same corner of least coordinates; the rest of
// the old region becomes air. Light is not rotated.
func Turn(r Region, m turn.Motion, s Setting) (Step, error) {
	if r.Invert {
		return nil, errors.New("the outside of a region cannot be turned")
	}
	size := r.Box.Size()
	box := Box{r.Box.Min, r.Box.Min.Add(m.Size(size)).Sub(Vec{1, 1, 1})}
	if x := box.Intersect(Everywhere); x != box {
		return nil, fmt.Errorf("the region would extend from %v to %v, outside of the world", box.Min, box.Max)
	}
	var back turn.Motion
	for i := range m {
		for j := range m[i] {
			back[i][j] = m[j][i]
		}
	}
	turned := m.Size(size)
	return transfer{
		region: r, targets: []Box{box}, motion: m, orient: s.Orient, s: s,
		vacate: func(from Vec) Vec { return box.Min.Add(m.In(size, from.Sub(r.Box.Min))) },
		from: func(to Vec) iter.Seq[Vec] {
			return func(yield func(Vec) bool) {
				if box.Contains(to) {
					yield(r.Box.Min.Add(back.In(turned, to.Sub(box.Min))))
				}
			}
		},
	}, nil
}

// Overlay is a step that copies the nodes of a region of another world by a distance. Complete blocks that are moved
// by whole blocks are copied with their objects and all other contents.
func Overlay(from *World, r Region, by Vec, s Setting) Step {
	t := stack(r, by, 1, s)
	if by == (Vec{}) {
		t.targets, t.from = []Box{r.Box}, func(to Vec) iter.Seq[Vec] { return func(yield func(Vec) bool) { yield(to) } }
		if r.Invert {
			t.targets = []Box{Everywhere}
		}
	}
	t.source = from
	if by[0]%mapblock.Side != 0 || by[1]%mapblock.Side != 0 || by[2]%mapblock.Side != 0 || r.In != nil ||
		r.Where.Names != nil || r.Where.Meta != nil {
		return t
	}
	t.skip = func(p mapdb.Pos) bool { return r.whole(p, by) }
	return StepFunc(func(ctx context.Context, w *World) error {
		if err := t.wholeBlocks(ctx, w, by); err != nil || r.Box.aligned() {
			return err
		}
		return t.Do(ctx, w)
	})
}

// aligned reports whether a box consists of complete blocks.
func (x Box) aligned() bool {
	return BoxOfBlocks(x.Area()) == x
}

// whole reports whether the whole source of a block is in the region, which must have no shape.
func (r *Region) whole(p mapdb.Pos, by Vec) bool {
	from := BoxOfBlocks(mapdb.Area{Min: p, Max: p}).Move(Vec{-by[0], -by[1], -by[2]})
	if r.Invert {
		return r.Box.Intersect(from).Empty()
	}
	return r.Box.Contains(from.Min) && r.Box.Contains(from.Max)
}

// wholeBlocks copies the blocks that are completely in the region.
func (t *transfer) wholeBlocks(ctx context.Context, w *World, by Vec) error {
	return w.run(ctx, func(yield func(mapdb.Block, error) bool) {
		for from, err := range t.source.Positions(ctx, t.region.Area()) {
			if isEnd(err) {
				yield(mapdb.Block{}, err)
				return
			}
			to := BoxOfBlocks(mapdb.Area{Min: from, Max: from}).Min.Add(by)
			if err != nil {
				if !yield(mapdb.Block{}, err) {
					return
				}
				continue
			}
			if !to.valid() {
				continue
			}
			p, _ := to.Block()
			if !t.region.whole(p, by) {
				continue
			}
			have, err := w.Get(ctx, p)
			if errors.Is(err, mapdb.ErrNotFound) {
				if err = nil; !t.s.Create {
					t.s.Counts.Note("blocks not copied, because there is no block at their destination", 1)
					continue
				}
			}
			if !yield(mapdb.Block{Pos: p, Data: have}, err) || isEnd(err) {
				return
			}
		}
	}, func(block mapdb.Block) (*Block, error) {
		from, _ := BoxOfBlocks(mapdb.Area{Min: block.Pos, Max: block.Pos}).Min.Sub(by).Block()
		data, err := t.source.Get(ctx, from)
		if isEnd(err) {
			return nil, stop{err}
		}
		if err != nil {
			return nil, err
		}
		if by == (Vec{}) && bytes.Equal(data, block.Data) {
			return nil, nil
		}
		b, err := read(from, data)
		if err != nil || !b.IsGenerated() {
			return nil, err
		}
		b.Objects.List = slices.Clone(b.Objects.List)
		for i := range b.Objects.List {
			for axis := range by {
				b.Objects.List[i].Pos[axis] += int32(by[axis] * 10000)
			}
		}
		b.Pos, b.Created = block.Pos, block.Data == nil
		b.MarkNodes()
		if t.s.Counts != nil {
			t.s.Counts.Blocks.Add(1)
		}
		return b, nil
	})
}
