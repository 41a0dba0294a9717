// Package worldedit changes worlds step by step: nodes, metadata, timers and objects in a given area. [Open] reads a
// world and changes nothing; the changes of steps are stored in a temporary file. At the end, the changes are written
// to a copy of the world ([World.Copy]) or to the world itself ([World.InPlace]), or are discarded. Light is computed as the
// engine does ([SpreadLight]).
//
//	w, err := worldedit.Open(ctx, dir, worldedit.Options{})
//	...
//	defer w.Close()
//	err = w.Do(ctx, worldedit.Replace(region, from, "default:cobble", worldedit.Setting{}))
//	...
//	report, err := w.Copy(ctx, "edited", worldcopy.Options{})
package worldedit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"trowel.example/check"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
)

// Options control how a world is edited.
type Options struct {
	// Scratch is the folder for the file of changes, which may become as large as the database; "" is the system's
	// folder for temporary files.
	Scratch string
	// Remote allows connections to the server that world.mt names.
	Remote bool
	// Nodes are the node definitions, which some steps need; may be nil.
	Nodes nodedef.List
	// Aliases are other names of nodes and items, which belong to Nodes; may be nil.
	Aliases map[string]string

	// Sink receives findings about blocks that a step did not change although it should have; may be nil.
	Sink check.Sink
	// OnProgress is called with the progress of a pass over the blocks; the total (of) is 0 if unknown; may be nil.
	OnProgress func(what string, done, of int)
}

// A World is a world that is being edited. It is a [mapdb.DB] of its blocks after all completed steps. Do must not be
// called by several goroutines at the same time. [Open] makes a World; the zero value is not usable.
type World struct {
	Dir string

	opts    Options
	config  mapdb.Config
	base    mapdb.DB
	scratch *scratch
	parts   []Part
	stores  *stores    // nil until a step needs it
	version int        // version of new blocks, 0 if not determined yet
	twice   *mapdb.Pos // position of a changed block that has a second row
	report  Report
}

// A Report counts the results of steps.
type Report struct {
	Blocks    int64 // blocks that were changed or created
	Converted int64 // of these, blocks with a later version, because their old version cannot store the change
	Damaged   int64 // blocks that cannot be read and were not changed
	Kept      int64 // blocks that cannot store the change and were not changed
}

// Open opens the world in dir for editing. It changes nothing in it.
func Open(ctx context.Context, dir string, opts Options) (*World, error) {
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	base, config, err := world.OpenMap(ctx, dir, settings, world.Options{Remote: opts.Remote})
	if errors.Is(err, fs.ErrNotExist) { // a world that nobody has entered yet
		base, err = mapdb.NewMemory(), nil
	}
	if err != nil {
		return nil, err
	}
	s, err := newScratch(opts.Scratch)
	if err != nil {
		return nil, errors.Join(err, base.Close())
	}
	return &World{Dir: abs, opts: opts, config: config, base: base, scratch: s}, nil
}

// OpenOther opens another world with the same options, for steps that copy from it.
func (w *World) OpenOther(ctx context.Context, dir string) (*World, error) {
	if _, err := os.Stat(filepath.Join(dir, "world.mt")); err != nil {
		return nil, err
	}
	return Open(ctx, dir, w.opts)
}

// Nodes returns the node definitions, or nil if there are none.
func (w *World) Nodes() nodedef.List { return w.opts.Nodes }

// Base returns the blocks of the world itself, before all steps.
func (w *World) Base() mapdb.DB { return w.base }

// Report returns the results of the steps so far.
func (w *World) Report() Report {
	r := w.report
	r.Blocks = int64(len(w.scratch.index))
	return r
}

// A Step is an operation on a world.
type Step interface {
	// Do performs the step. It sees the results of earlier steps.
	Do(ctx context.Context, w *World) error
}

// Each is a step that treats each block of an area in the same way, independently of all other data. Several such
// steps in a row are performed in one pass.
type Each struct {
	Area mapdb.Area
	// Edit is called on all cores, with blocks in any order. It changes the block with its methods, or marks it after
	// changing a field.
	Edit func(b *Block) error
	// Create also calls Edit with blocks of air where there are none. Such a block is created if Edit changes it.
	Create bool
	// At contains the only positions at which Create creates blocks; nil means the whole area.
	At []mapdb.Pos
	// May reports whether Edit could change a block, given its stored bytes; nil means always.
	May func(p mapdb.Pos, data []byte) bool
}

// Do performs the step.
func (e Each) Do(ctx context.Context, w *World) error { return w.pass(ctx, []Each{e}) }

// A StepFunc is a function as a step.
type StepFunc func(ctx context.Context, w *World) error

// Do calls the function.
func (f StepFunc) Do(ctx context.Context, w *World) error { return f(ctx, w) }

// Do performs steps one after the other.
func (w *World) Do(ctx context.Context, steps ...Step) error {
	for len(steps) > 0 {
		var row []Each
		for len(row) < len(steps) {
			e, ok := steps[len(row)].(Each)
			if !ok {
				break
			}
			row = append(row, e)
		}
		if len(row) > 0 {
			if err := w.pass(ctx, row); err != nil {
				return err
			}
			steps = steps[len(row):]
			continue
		}
		if err := steps[0].Do(ctx, w); err != nil {
			return err
		}
		steps = steps[1:]
	}
	return nil
}

// A Part is a change of something other than blocks.
type Part struct {
	// Keep stores in a backup what the change affects.
	Keep func(ctx context.Context, b Keeper) error
	// Apply makes the change in the world in a folder: the world itself, or a copy, which has no world.mt yet. The
	// settings are those of world.mt, and may be changed. A resumed copy may repeat Apply.
	Apply func(ctx context.Context, dir string, settings *world.Settings) error

	// Late parts are applied after all others.
	Late bool

	early bool // when editing in place, apply before the blocks change
}

// A Keeper stores files and things of a world before they are changed: see
// [trowel.example/minetest/internal/worldbackup.Writer].
type Keeper interface {
	File(name string) error
	Store(names []string) error
	Player(name string, p *world.Player) error
	Account(name string, a *world.Account) error
	ModData(mod string, m *world.ModData) error
}

// AddPart adds a change that is made after all steps.
func (w *World) AddPart(p Part) { w.parts = append(w.parts, p) }

// pass performs some steps on each block of their areas.
func (w *World) pass(ctx context.Context, row []Each) error {
	area := row[0].Area
	for _, e := range row[1:] {
		area.Min = mapdb.Pos{X: min(area.Min.X, e.Area.Min.X), Y: min(area.Min.Y, e.Area.Min.Y), Z: min(area.Min.Z, e.Area.Min.Z)}
		area.Max = mapdb.Pos{X: max(area.Max.X, e.Area.Max.X), Y: max(area.Max.Y, e.Area.Max.Y), Z: max(area.Max.Z, e.Area.Max.Z)}
	}
	if area.Empty() {
		return nil
	}
	if err := mapdb.Verify(ctx, w.base); err != nil {
		return err
	}
	in, err := w.withAbsent(ctx, area, row)
	if err != nil {
		return err
	}
	return w.run(ctx, in, func(block mapdb.Block) (*Block, error) {
		var b *Block
		for _, e := range row {
			if !e.Area.Contains(block.Pos) || b == nil && e.May != nil && block.Data != nil && !e.May(block.Pos, block.Data) {
				continue
			}
			if block.Data == nil && !e.Create && (b == nil || !b.changed) {
				continue
			}
			if b == nil && block.Data == nil {
				b = create(block.Pos, w.version)
			} else if b == nil {
				var err error
				if b, err = read(block.Pos, block.Data); err != nil {
					return nil, err
				}
			}
			if err := e.Edit(b); err != nil {
				return nil, stop{err}
			}
		}
		return b, nil
	})
}

// maxCreated is the maximum number of positions that a step searches for missing blocks: a layer of 16384 x 16384
// nodes.
const maxCreated = 1 << 20

// withAbsent yields the blocks of an area and then, without Data, the positions of missing blocks that a step may
// create.
func (w *World) withAbsent(ctx context.Context, area mapdb.Area, row []Each) (iter.Seq2[mapdb.Block, error], error) {
	var areas []Each
	for _, e := range row {
		if !e.Create || e.Area.Empty() {
			continue
		}
		if e.At != nil {
			areas = append(areas, e)
			continue
		}
		size := BoxOf(Vec{int(e.Area.Min.X), int(e.Area.Min.Y), int(e.Area.Min.Z)}, Vec{int(e.Area.Max.X), int(e.Area.Max.Y),
			int(e.Area.Max.Z)}).Size()
		if n := size[0] * size[1] * size[2]; n > maxCreated {
			return nil, fmt.Errorf("too many missing blocks to create (%d): select a region of at most %d", n, maxCreated)
		}
		areas = append(areas, e)
	}
	if len(areas) > 0 && w.version == 0 {
		if err := w.findVersion(ctx); err != nil {
			return nil, err
		}
	}
	return func(yield func(mapdb.Block, error) bool) {
		for b, err := range w.Blocks(ctx, area) {
			if b.Data == nil {
				b.Data = []byte{} // an existing row without data
			}
			if !yield(b, err) {
				return
			}
		}
		for i, e := range areas {
			for p := range e.creates() {
				if slices.ContainsFunc(areas[:i], func(e Each) bool { return e.Area.Contains(p) && (e.At == nil || slices.Contains(e.At, p)) }) {
					continue
				}
				_, err := w.Get(ctx, p)
				switch {
				case errors.Is(err, mapdb.ErrNotFound):
					err = ctx.Err()
				case err == nil || !isEnd(err):
					continue
				}
				if !yield(mapdb.Block{Pos: p}, err) {
					return
				}
			}
		}
	}, nil
}

// creates yields the positions at which Create creates blocks.
func (e Each) creates() iter.Seq[mapdb.Pos] {
	if e.At != nil {
		return slices.Values(e.At)
	}
	return Positions(e.Area)
}

// Positions yields all positions of an area, in the order of keys.
func Positions(a mapdb.Area) iter.Seq[mapdb.Pos] {
	return func(yield func(mapdb.Pos) bool) {
		for z := int(a.Min.Z); z <= int(a.Max.Z); z++ {
			for y := int(a.Min.Y); y <= int(a.Max.Y); y++ {
				for x := int(a.Min.X); x <= int(a.Max.X); x++ {
					if !yield(mapdb.Pos{X: int16(x), Y: int16(y), Z: int16(z)}) {
						return
					}
				}
			}
		}
	}
}

// someBlocks is the number of blocks that are read to determine the version of new blocks.
const someBlocks = 64

// findVersion determines the version of new blocks: the highest version among some blocks of the world.
func (w *World) findVersion(ctx context.Context) error {
	n := 0
	for b, err := range w.Blocks(ctx, mapdb.All()) {
		if isEnd(err) {
			return err
		}
		if err == nil && len(b.Data) > 0 && b.Data[0] <= mapblock.Newest {
			w.version = max(w.version, int(b.Data[0]))
		}
		if n++; n == someBlocks {
			break
		}
	}
	if n == 0 {
		w.version = mapblock.Newest
	}
	return nil
}

// stop is an error that is not about a single block.
type stop struct{ error }

func (e stop) Unwrap() error { return e.error }

// outcome is the result for one block.
type outcome struct {
	pos     mapdb.Pos
	exists  bool // whether there is a block
	old     []byte
	new     []byte          // nil if the block is not changed
	version int             // version of new, if it differs from that of old
	lifted  []check.Finding // about the change of the version
	nodes   bool
	was     [sha256.Size]byte // the digest of old: see digest
	err     error             // error about the block or a row
}

// digest computes the digest of the old bytes.
func (o *outcome) digest() {
	if o.old != nil {
		o.was = sha256.Sum256(o.old)
	}
}

// run calls edit with blocks, on all cores, and records the results.
func (w *World) run(ctx context.Context, in iter.Seq2[mapdb.Block, error], edit func(mapdb.Block) (*Block, error)) error {
	total, done := 0, 0
	var last *mapdb.Pos
	for o := range mapdb.Parallel(mapdb.Bounded(in), func(block mapdb.Block, err error) outcome { return w.edited(block, err, edit) }) {
		if isEnd(o.err) && !o.exists {
			return o.err
		}
		if done++; w.opts.OnProgress != nil && done%1024 == 0 {
			w.opts.OnProgress("blocks", done, total)
		}
		switch {
		case !o.exists: // a damaged row is not changed
			w.report.Damaged++
			last = nil
			continue
		case last != nil && *last == o.pos:
			if o.new != nil {
				w.twice = &o.pos
			}
			continue
		}
		last = &o.pos
		if err := ctx.Err(); err != nil {
			return err
		}
		var fatal stop
		switch {
		case errors.As(o.err, &fatal):
			return fmt.Errorf("%s: %w", place.Block(o.pos.X, o.pos.Y, o.pos.Z), fatal.error)
		case o.err != nil:
			w.reportKept(&o)
			continue
		case o.new == nil:
			continue
		}
		if o.version != 0 {
			w.report.Converted++
			for _, f := range o.lifted {
				place.OfBlock(w.opts.Sink, o.pos.X, o.pos.Y, o.pos.Z).Report(f)
			}
		}
		if err := w.put(&o); err != nil {
			return err
		}
	}
	return w.scratch.commit()
}

// edited returns the result for one block.
func (w *World) edited(block mapdb.Block, err error, edit func(mapdb.Block) (*Block, error)) outcome {
	if err != nil {
		return outcome{err: err}
	}
	o := outcome{pos: block.Pos, exists: true, old: block.Data} // nil for a new block
	b, err := edit(block)
	if err != nil || b == nil || !b.changed {
		o.err = err
		return o
	}
	data, version, err := b.finish(func(f check.Finding) { o.lifted = append(o.lifted, f) })
	if err != nil {
		o.err = kept{err}
		return o
	}
	if bytes.Equal(data, o.old) {
		return o
	}
	if version != b.version {
		o.version = version
	}
	o.new, o.nodes = data, b.nodes
	o.digest()
	return o
}

// kept is the error of a block that cannot store a change.
type kept struct{ error }

// reportKept reports a block that is not changed.
func (w *World) reportKept(o *outcome) {
	kind := foundDamaged
	if _, ok := o.err.(kept); ok {
		kind = foundKept
		w.report.Kept++
	} else {
		w.report.Damaged++
	}
	place.OfBlock(w.opts.Sink, o.pos.X, o.pos.Y, o.pos.Z).Add(kind, "", -1, "%v", o.err)
}

// put records the result for a block; new is nil if the block is deleted.
func (w *World) put(o *outcome) error {
	before, err := w.scratch.find(o.pos)
	if err != nil {
		return err
	}
	r := record{data: o.new, deleted: o.new == nil, nodes: o.nodes, existed: o.old != nil, was: o.was}
	if before != nil {
		r.was, r.existed, r.nodes = before.was, before.existed, r.nodes || before.nodes
	}
	return w.scratch.add(o.pos, &r)
}

// Delete is a step that deletes the blocks of an area for which gone reports true. The function gone is called on all
// cores.
func Delete(area mapdb.Area, gone func(b mapdb.Block) bool) Step {
	return StepFunc(func(ctx context.Context, w *World) error {
		var last *mapdb.Pos
		for o := range mapdb.Parallel(w.Blocks(ctx, area), func(b mapdb.Block, err error) outcome {
			o := outcome{pos: b.Pos, old: b.Data, exists: err == nil && gone(b), err: err}
			if o.exists {
				o.digest()
			}
			return o
		}) {
			if isEnd(o.err) {
				return o.err
			}
			if !o.exists {
				continue
			}
			if last != nil && *last == o.pos {
				w.twice = last
				continue
			}
			last = &o.pos
			if err := w.put(&o); err != nil {
				return err
			}
		}
		return w.scratch.commit()
	})
}
