package worldadmin

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"

	"trowel.example/internal/glob"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapchunk"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/protect"
	"trowel.example/minetest/rollback"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// Prune deletes the map chunks that nobody has ever done anything in, as far as a world can
// tell. A chunk stays if any of its blocks was ever active, which blocks near players are, or
// has metadata, timers or objects; if it has nodes that players place; if it is protected; if
// rollback.sqlite knows of a change; if it is kept loaded or a player is in it;
// if a block of it cannot be read; and if it is near to one of these.
type Prune struct {
	// Placed are patterns of the names of nodes that only players place. Without any, names
	// are taken for such that are in fewer than Rare of the chunks in which never anybody was.
	Placed []string
	Rare   int // 0 is DefaultRare
	// Natural are patterns of names that the map generator makes, whatever is found.
	Natural []string
	// Margin is how many chunks around one that stays do, too.
	Margin int16
	// Radius is how far protectors protect, in nodes; 0 is [protect.DefaultRadius].
	Radius int
	Export string // the folder of a new world that gets the blocks, "" for none
	All    bool   // it is meant even if nothing stays
	Tally  *worldedit.Tally
}

// DefaultRare is in how few chunks a name is that no map generator makes.
const DefaultRare = 3

// reason is why a chunk stays.
type reason uint8

const (
	nothing reason = iota
	active
	metadata
	objects
	damaged
	protected
	recorded
	loaded
	placed
	near
)

var reasons = [...]string{
	active: "map chunks stay because somebody was near, or nobody knows", metadata: "map chunks stay because of metadata or timers", objects: "map chunks stay because of objects",
	damaged: "map chunks stay because blocks cannot be read", protected: "map chunks stay because they are protected",
	recorded: "map chunks stay because rollback.sqlite knows of changes", loaded: "map chunks stay because they are kept loaded, or a player is in them",
	placed: "map chunks stay because of nodes that players place", near: "map chunks stay because they are near to others that stay",
}

// looked is what was found in a block.
type looked struct {
	pos        mapdb.Pos
	err        error
	why        reason
	names      []string
	protectors []protect.Protector
}

// firstTimed is the first version of blocks that says when the block was active. Of older ones
// nobody knows whether somebody was there.
const firstTimed = 17

// look finds out what speaks for a block.
func look(b mapdb.Block, err error) looked {
	l := looked{pos: b.Pos, err: err}
	if err != nil {
		return l
	}
	block, err := mapblock.Decode(b.Data)
	if err != nil {
		l.why = damaged
		return l
	}
	nodes := block.Nodes()
	l.names = nodes.Names
	l.protectors = protect.Protectors(b.Pos, block)
	switch {
	case block.Timestamp != mapblock.NoTimestamp, block.Version < firstTimed:
		l.why = active
	case len(block.Metadata.List)+len(block.Metadata.Rest)+len(block.Metadata.Raw)+len(block.Timers.List) > 0:
		l.why = metadata
	case len(block.Objects.List) > 0:
		l.why = objects
	}
	return l
}

// pruning is what is known of the chunks.
type pruning struct {
	Prune
	grid  mapchunk.Grid
	stay  map[mapchunk.Chunk]reason
	names map[mapchunk.Chunk][]uint16 // of the others, as places in list
	list  []string
	place map[string]uint16
}

// keep says that a chunk stays.
func (p *pruning) keep(c mapchunk.Chunk, why reason) {
	if p.stay[c] == nothing {
		p.stay[c] = why
		delete(p.names, c)
	}
}

// keepBox says that the chunks of a box of nodes stay, as far as there are any.
func (p *pruning) keepBox(low, high [3]int, why reason) {
	from, to := p.grid.Node(low), p.grid.Node(high)
	volume := 1.0
	for i := range from {
		volume *= float64(to[i]) - float64(from[i]) + 1
	}
	if volume > float64(len(p.names)) {
		for c := range p.names {
			if from[0] <= c[0] && c[0] <= to[0] && from[1] <= c[1] && c[1] <= to[1] && from[2] <= c[2] && c[2] <= to[2] {
				p.keep(c, why)
			}
		}
		return
	}
	for z := from[2]; z <= to[2]; z++ {
		for y := from[1]; y <= to[1]; y++ {
			for x := from[0]; x <= to[0]; x++ {
				p.keepIfThere(mapchunk.Chunk{x, y, z}, why)
			}
		}
	}
}

// keepIfThere says that a chunk stays if there is one of which nobody has said so.
func (p *pruning) keepIfThere(c mapchunk.Chunk, why reason) {
	if _, there := p.names[c]; there {
		p.keep(c, why)
	}
}

// Step returns the step.
func (o Prune) Step() worldedit.Step {
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		grid, _, err := GridOf(w)
		if err != nil {
			return err
		}
		p := &pruning{Prune: o, grid: grid, stay: make(map[mapchunk.Chunk]reason), names: make(map[mapchunk.Chunk][]uint16), place: make(map[string]uint16)}
		if p.Radius == 0 {
			p.Radius = protect.DefaultRadius
		}
		if p.Rare == 0 {
			p.Rare = DefaultRare
		}
		for _, do := range []func(context.Context, *worldedit.World) error{p.blocks, p.areas, p.rollback, p.loaded} {
			if err := do(ctx, w); err != nil {
				return err
			}
		}
		p.placed()
		p.margin()
		var count [len(reasons)]int64
		for _, why := range p.stay {
			count[why]++
		}
		for why, n := range count {
			tell(o.Tally, "map", reasons[why], n, "map chunks")
		}
		return deleteBlocks(ctx, w, deletion{
			gone:   func(pos mapdb.Pos) bool { _, gone := p.names[grid.Containing(pos)]; return gone },
			grid:   grid,
			export: o.Export, all: o.All, tally: o.Tally,
		})
	})
}

// blocks looks at all blocks.
func (p *pruning) blocks(ctx context.Context, w *worldedit.World) error {
	var protectors []protect.Protector
	for l := range mapdb.Parallel(w.Blocks(ctx, mapdb.All()), look) {
		var row *mapdb.RowError
		switch {
		case errors.As(l.err, &row) && row.Pos != nil:
			p.keep(p.grid.Containing(*row.Pos), damaged)
			continue
		case errors.As(l.err, &row):
			continue
		case l.err != nil:
			return l.err
		}
		protectors = append(protectors, l.protectors...)
		c := p.grid.Containing(l.pos)
		if l.why != nothing {
			p.keep(c, l.why)
		}
		if p.stay[c] != nothing {
			continue
		}
		known := p.names[c]
		for _, name := range l.names {
			i, ok := p.place[name]
			if !ok {
				if len(p.list) > math.MaxUint16 {
					p.keep(c, damaged) // no game has so many
					break
				}
				i = uint16(len(p.list))
				p.list, p.place[name] = append(p.list, name), i
			}
			if !slices.Contains(known, i) {
				known = append(known, i)
			}
		}
		if p.stay[c] == nothing {
			p.names[c] = known
		}
	}
	for _, of := range protectors {
		var low, high [3]int
		for i, v := range of.Pos {
			low[i], high[i] = v-p.Radius, v+p.Radius
		}
		p.keepBox(low, high, protected)
	}
	return nil
}

// areas keeps what areas.dat protects.
func (p *pruning) areas(_ context.Context, w *worldedit.World) error {
	areas, err := areasOf(w)
	if err != nil || areas == nil {
		return err
	}
	for _, a := range areas.List {
		p.keepBox(a.Min, a.Max, protected)
	}
	return nil
}

// rollback keeps what somebody changed.
func (p *pruning) rollback(ctx context.Context, w *worldedit.World) error {
	db, err := rollback.Open(ctx, w.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer db.Close()
	for pos, err := range db.Blocks(ctx) {
		if err != nil {
			return err
		}
		p.keepIfThere(p.grid.Containing(pos), recorded)
	}
	return nil
}

// loaded keeps blocks that are kept loaded, and where players are.
func (p *pruning) loaded(ctx context.Context, w *worldedit.World) error {
	at := func(pos [3]float64) { // in nodes
		var node [3]int
		for i, v := range pos {
			if math.IsNaN(v) {
				return
			}
			node[i] = int(math.Round(min(max(v, worldedit.MinNode), worldedit.MaxNode)))
		}
		p.keepBox(node, node, loaded)
	}
	text, err := w.ReadFile("force_loaded.txt")
	if err == nil {
		var f *world.ForceLoaded
		if f, err = world.ParseForceLoaded(text); err == nil {
			for _, b := range f.Blocks {
				at([3]float64{float64(b.Pos[0]) * mapblock.Side, float64(b.Pos[1]) * mapblock.Side, float64(b.Pos[2]) * mapblock.Side})
			}
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	players, err := w.Players(ctx)
	if err != nil {
		return err
	}
	for name, err := range players.Names(ctx) {
		if err != nil {
			return err
		}
		player, err := players.Get(ctx, name)
		if err != nil {
			return err
		}
		at([3]float64{player.Pos[0] / 10, player.Pos[1] / 10, player.Pos[2] / 10})
	}
	return nil
}

// placed keeps chunks with nodes that players place.
func (p *pruning) placed() {
	count := make([]int, len(p.list))
	for _, names := range p.names {
		for _, i := range names {
			count[i]++
		}
	}
	isNatural, isOfPlayers := glob.Text(p.Natural...), glob.Text(p.Placed...)
	isPlaced := make([]bool, len(p.list))
	for i, name := range p.list {
		switch {
		case name == mapblock.Air || name == "ignore" || isNatural(name):
		case len(p.Placed) > 0:
			isPlaced[i] = isOfPlayers(name)
		default:
			isPlaced[i] = count[i] < p.Rare
		}
	}
	for c, names := range p.names {
		if slices.ContainsFunc(names, func(i uint16) bool { return isPlaced[i] }) {
			p.keep(c, placed)
		}
	}
}

// margin keeps what is near to what stays.
func (p *pruning) margin() {
	if p.Margin <= 0 {
		return
	}
	var list []mapchunk.Chunk
	for c := range p.stay {
		list = append(list, c)
	}
	for _, c := range list {
		for _, other := range c.Near(p.Margin) {
			p.keepIfThere(other, near)
		}
	}
}
