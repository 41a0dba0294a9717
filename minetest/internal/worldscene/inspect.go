package worldscene

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"iter"
	"math"
	"path/filepath"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddir"
	"trowel.example/minetest/worlddraw"
	"trowel.example/trace"
)

// Limits of an answer.
const (
	maxAbove  = 16 // kinds of nodes in front of the visible node
	maxBehind = 4  // kinds of nodes behind it
	farBehind = 64 // nodes that are searched for them
	maxMarks  = 50 // players, markers, objects and areas at a point
	maxPassed = 16 // blocks in front of the visible node whose objects are reported
)

// markPixels is the maximum distance in pixels between a mark and the point that selects it.
const markPixels = 4

// inspection is the state of one answer.
type inspection struct {
	s      *worldScene
	ctx    context.Context
	look   format.Look
	view   worlddraw.View
	at     [2]float64
	blocks map[mapdb.Pos]*openBlock
	passed []mapdb.Pos    // positions of the blocks in front of the visible node
	found  bool           // a node is visible
	front  []format.Thing // things that are drawn over the nodes
	things []format.Thing
}

// openBlock is a block that was read for an answer.
type openBlock struct {
	pos      mapdb.Pos
	data     []byte
	b        *mapblock.Block // nil if it cannot be decoded
	nodes    *mapblock.Nodes
	err      error
	parts    worlddir.Parts // filled on demand
	reported bool           // whether its objects are reported
}

// Inspect describes the visible node, the nodes in front of it and behind it, objects, players and markers at that
// point, who may build there, and the block.
func (s *worldScene) Inspect(ctx context.Context, look format.Look, at [2]float64) ([]format.Thing, error) {
	defer s.world.reading()()
	view, ok := s.viewOf(look.View)
	if !ok {
		return nil, nil
	}
	in := &inspection{s: s, ctx: ctx, look: look, view: view, at: at, blocks: make(map[mapdb.Pos]*openBlock)}
	if err := in.marks(); err != nil {
		return nil, err
	}
	seen, some, err := in.column()
	if err != nil {
		return nil, err
	}
	if some {
		if err := in.around(seen); err != nil {
			return nil, err
		}
	}
	return append(in.front, in.things...), nil
}

// viewOf returns the direction of a view.
func (s *worldScene) viewOf(name string) (worlddraw.View, bool) {
	o, ok := s.kinds[name]
	if name == viewIso {
		return worlddraw.IsoView, ok && s.corner == nil
	}
	return o.View, ok
}

// blockOf returns the position of the block that contains a node.
func blockOf(node [3]int) mapdb.Pos {
	return mapdb.Pos{X: int16(node[0] >> 4), Y: int16(node[1] >> 4), Z: int16(node[2] >> 4)}
}

func indexOf(node [3]int) int { return mapblock.Index(node[0]&15, node[1]&15, node[2]&15) }

// block returns a block, or nil if it does not exist any more.
func (in *inspection) block(pos mapdb.Pos) (*openBlock, error) {
	if o, ok := in.blocks[pos]; ok {
		return o, nil
	}
	if len(in.blocks) > 64 {
		clear(in.blocks)
	}
	data, err := in.s.world.db.Get(in.ctx, pos)
	var row *mapdb.RowError
	var o *openBlock
	switch {
	case errors.Is(err, mapdb.ErrNotFound):
	case errors.As(err, &row):
		o = &openBlock{pos: pos, err: err}
	case err != nil:
		return nil, err
	default:
		o = &openBlock{pos: pos, data: data}
		if o.b, o.err = mapblock.Decode(data); o.err == nil {
			o.nodes = o.b.Nodes()
		}
	}
	in.blocks[pos] = o
	return o, nil
}

// nodesBehind yields the nodes behind the point, from front to back.
func (in *inspection) nodesBehind() (iter.Seq[[3]int], error) {
	top := string(worlddraw.Top)
	m, err := in.s.mapOf(in.look.View)
	if err != nil {
		return nil, err
	}
	if m, ok := m.(*worlddraw.Map); ok {
		return m.Behind(in.at), nil
	}
	seen, ok, err := m.(*worlddraw.Iso).NodeAt(in.ctx, in.at)
	if err != nil || !ok {
		return func(func([3]int) bool) {}, err
	}
	above, err := in.s.mapOf(top)
	if err != nil {
		return nil, err
	}
	return func(yield func([3]int) bool) { // the nodes below it
		at := worlddraw.Top.Point([3]float64{float64(seen[0]), float64(seen[1]), float64(seen[2])})
		for p := range above.(*worlddraw.Map).Behind(at) {
			if p[1] <= seen[1] && !yield(p) {
				return
			}
		}
	}, nil
}

// How a node contributes to the picture.
type part int

const (
	nothing   part = iota // air
	unknown               // not drawn, because it has no colour
	invisible             // not drawn, because its colour is invisible
	through               // translucent
	opaque
)

var partNames = [...]string{unknown: "not drawn: no colour is known", invisible: "not drawn: its colour is invisible",
	through: "seen, translucent", opaque: "seen"}

func (in *inspection) part(name string) part {
	if name == mapblock.Air || name == mapblock.Ignore {
		return nothing
	}
	c, ok := in.s.colors.Color(name)
	switch {
	case !ok:
		return unknown
	case c.A == 0:
		return invisible
	case c.A < 255 && in.s.kinds[in.look.View].Alpha:
		return through
	}
	return opaque
}

// run is a sequence of equal nodes behind each other.
type run struct {
	node   node
	last   [3]int
	n      int
	part   part
	hidden bool
}

// node is a node of a block.
type node struct {
	*openBlock
	pos            [3]int
	name           string
	param1, param2 uint8
}

func (o *openBlock) node(pos [3]int) node {
	i := indexOf(pos)
	return node{o, pos, o.nodes.At(i), o.nodes.Param1[i], o.nodes.Param2[i]}
}

// column describes the nodes behind the point. It returns the visible node, or the first one if none is visible.
func (in *inspection) column() (seen [3]int, some bool, err error) {
	behind, err := in.nodesBehind()
	if err != nil {
		return seen, false, err
	}
	var runs []run
	var first [3]int
	broken := make(map[mapdb.Pos]bool)
	above, after, far := 0, 0, 0
	for p := range behind {
		if err := in.ctx.Err(); err != nil {
			return seen, false, err
		}
		o, err := in.block(blockOf(p))
		if err != nil {
			return seen, false, err
		}
		if o == nil {
			continue
		}
		if !some {
			first, some = p, true
		}
		if n := len(in.passed); !in.found && (n == 0 || in.passed[n-1] != o.pos) {
			in.passed = append(in.passed, o.pos)
		}
		if far++; in.found && far > farBehind {
			break
		}
		if o.b == nil {
			if !broken[o.pos] {
				broken[o.pos] = true
				in.things = append(in.things, in.s.blockThing(o))
			}
			continue
		}
		n := o.node(p)
		kind := in.part(n.name)
		if last := len(runs) - 1; last >= 0 && runs[last].goesOn(n) {
			runs[last].n++
			runs[last].last = p
			continue
		}
		switch {
		case kind == nothing:
			runs = append(runs, run{node: n, last: p, n: 1})
			continue
		case !in.found && kind == opaque:
			in.found, seen, far = true, p, 0
		case in.found:
			if after++; after > maxBehind {
				return in.reportRuns(runs, seen), true, nil
			}
		case kind != through:
			if above++; above > maxAbove {
				continue
			}
		}
		runs = append(runs, run{node: n, last: p, n: 1, part: kind, hidden: in.found && p != seen})
	}
	if !in.found {
		seen = first
	}
	return in.reportRuns(runs, seen), some, nil
}

// goesOn reports whether a node continues the run: it is adjacent and equal, and neither has metadata or a timer.
func (r *run) goesOn(n node) bool {
	far := 0
	for i, v := range n.pos {
		far += max(v-r.last[i], r.last[i]-v)
	}
	return far == 1 && n.name == r.node.name && (n.name == mapblock.Air || n.param2 == r.node.param2 &&
		!n.alone(n.pos) && !r.node.alone(r.node.pos))
}

// alone reports whether a node has metadata or a timer.
func (o *openBlock) alone(pos [3]int) bool {
	i := indexOf(pos)
	return o.b.Metadata.At(i) != nil || o.timer(i) != nil
}

func (o *openBlock) timer(index int) *mapblock.Timer {
	for i := range o.b.Timers.List {
		if int(o.b.Timers.List[i].Pos) == index {
			return &o.b.Timers.List[i]
		}
	}
	return nil
}

// reportRuns reports runs: first what is drawn, then invisible nodes in front of it, then what is behind it.
func (in *inspection) reportRuns(runs []run, seen [3]int) [3]int {
	for _, want := range []func(*run) bool{
		func(r *run) bool { return !r.hidden && r.part >= through },
		func(r *run) bool { return !r.hidden && (r.part == unknown || r.part == invisible) },
		func(r *run) bool { return r.hidden && r.part != nothing },
	} {
		for i := range runs {
			if want(&runs[i]) {
				in.things = append(in.things, in.nodeThing(&runs[i]))
			}
		}
	}
	return seen
}

// around reports what does not belong to a node: objects near it or in front of it, who may build there, and the
// block.
func (in *inspection) around(seen [3]int) error {
	reported := 0
	passed := in.passed[max(0, len(in.passed)-maxPassed):]
	for _, pos := range append(slices.Collect(blocksAround(seen, 1)), passed...) {
		o, err := in.block(pos)
		if err != nil {
			return err
		}
		if o == nil || o.b == nil || o.reported {
			continue
		}
		o.reported = true
		before := slices.Contains(passed, pos)
		for i := range o.b.Objects.List {
			object := worldquery.ObjectOf(pos, &o.b.Objects.List[i])
			p := in.view.Point(object.Pos)
			if reported == maxMarks {
				break
			}
			above := !in.found || in.view != worlddraw.Top || object.Pos[1] > float64(seen[1])
			if near(object.Pos, seen, 1.5) || before && above && math.Abs(p[0]-in.at[0]) <= 1 && math.Abs(p[1]-in.at[1]) <= 1 {
				reported++
				in.things = append(in.things, in.s.objectThing(o, i, &object))
			}
		}
	}
	areas, err := in.s.world.areas()
	if err != nil {
		in.s.lose(err)
	}
	if areas != nil {
		list := areas.At(seen)
		for _, a := range list[:min(len(list), maxMarks)] {
			in.things = append(in.things, in.areaThing(a))
		}
	}
	for pos := range blocksAround(seen, protect.DefaultRadius) {
		o, err := in.block(pos)
		if err != nil {
			return err
		}
		if o == nil || o.b == nil {
			continue
		}
		for _, p := range protect.Protectors(pos, o.b) {
			if p.Reaches(seen, protect.DefaultRadius) {
				in.things = append(in.things, in.protectorThing(o, &p))
			}
		}
	}
	o, err := in.block(blockOf(seen))
	if err == nil && o != nil && o.b != nil {
		in.things = append(in.things, in.s.blockThing(o))
	}
	return err
}

// near reports whether a position is at most far from a node, along each axis.
func near(at [3]float64, node [3]int, far float64) bool {
	for i, v := range at {
		if math.Abs(v-float64(node[i])) > far {
			return false
		}
	}
	return true
}

// blocksAround yields the positions of the blocks that may contain positions within the given distance of a node.
func blocksAround(node [3]int, far int) iter.Seq[mapdb.Pos] {
	a := protect.Near(node, far)
	return func(yield func(mapdb.Pos) bool) {
		for x := a.Min.X; x <= a.Max.X; x++ {
			for y := a.Min.Y; y <= a.Max.Y; y++ {
				for z := a.Min.Z; z <= a.Max.Z; z++ {
					if !yield(mapdb.Pos{X: x, Y: y, Z: z}) {
						return
					}
				}
			}
		}
	}
}

// marks reports the players and markers at the point.
func (in *inspection) marks() error {
	v, _ := format.ViewOf(in.s.views, in.look.View)
	box := in.s.kinds[v.Name].Box
	for _, layer := range []string{layerPlayers, layerMarkers} {
		drawn := v.Draws(in.look, layer)
		if !drawn && layer == layerMarkers {
			continue // the markers of the node are reported with it
		}
		reach := 0.75
		if drawn {
			reach = max(reach, markPixels/in.look.Scale)
		}
		var markers []worlddraw.Marker
		var err error
		if layer == layerPlayers {
			markers, err = in.s.world.players(in.ctx, in.s.lose)
		} else {
			pixel := worlddraw.Scaled{Origin: in.at, Scale: in.look.Scale}
			markers, err = in.s.world.markers(in.s.rules).Near(in.ctx, in.view, image.Rect(-markPixels, -markPixels, markPixels,
				markPixels), pixel, in.s.lose)
		}
		if err != nil {
			return err
		}
		type mark struct {
			*worlddraw.Marker
			at  [2]float64
			far float64
		}
		var found []mark
		for i := range markers {
			p := in.view.Point(markers[i].Pos)
			far := max(math.Abs(p[0]-in.at[0]), math.Abs(p[1]-in.at[1]))
			if y := markers[i].Pos[1]; far <= reach && y >= float64(box.Min[1]) && y <= float64(box.Max[1])+1 {
				found = append(found, mark{&markers[i], p, far})
			}
		}
		slices.SortStableFunc(found, func(a, b mark) int { return cmp.Compare(a.far, b.far) })
		for _, m := range found[:min(len(found), maxMarks)] {
			thing, err := in.markThing(layer, m.Marker, m.at)
			if err != nil {
				return err
			}
			in.front = append(in.front, thing)
		}
	}
	return nil
}

// areas returns the areas of the mod named areas, which are read once; nil if there is no file.
func (w *sharedWorld) areas() (*protect.Areas, error) {
	w.protection.once.Do(func() {
		text, err := regular.ReadFile(filepath.Join(w.dir, protect.AreasFile), effort.TextFile)
		if err == nil {
			w.protection.areas, err = protect.ParseAreas(text)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			w.protection.err = err
		}
	})
	return w.protection.areas, w.protection.err
}

// bytesOf returns the location of a node in the bytes of its block, as in a dump.
func (o *openBlock) bytesOf(index int) (b format.Bytes) {
	field, ok := mapblock.Locate(o.data, index)
	if !ok {
		return b
	}
	path := dumpPath(o.pos)
	format.Inside(path, func(f trace.Field) { b = format.Bytes{Path: path, Space: f.Space, Offset: f.Offset, Len: f.Len} })(field)
	return b
}

// dumpPath returns the path that selects a block for a dump.
func dumpPath(p mapdb.Pos) string { return fmt.Sprintf("%d,%d,%d", p.X, p.Y, p.Z) }

// line returns the line of the text of the block that describes a node in a section, or the first line.
func (o *openBlock) line(section string, index int) check.Line {
	if o.parts == nil && o.b != nil {
		_, o.parts = worlddir.BlockParts(o.b, o.pos)
	}
	return check.Line{Path: worlddir.BlockPath(o.pos), Line: max(1, o.parts.Find(section, index))}
}
