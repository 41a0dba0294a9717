package worldscene

import (
	"context"
	"errors"
	"image"
	"math"
	"math/bits"
	"sync"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

// texturedScale is the least number of pixels of a unit at which textures are drawn. Below, they cannot be recognised.
const texturedScale = 4

// openTextures decides whether the views along parallel lines show textures. They are searched when they are needed.
func (s *worldScene) openTextures(job *format.Job) {
	if optionFlat.On(job) || optionColors.Value(job) != "" {
		s.looks = func() *textured.Game { return nil }
		return
	}
	if !s.game.named {
		s.game.lack()
	}
	s.looks = sync.OnceValue(func() *textured.Game {
		game, err := s.game.look()
		if err != nil {
			if s.game.named {
				job.Warn(s.world.dir, "drawn without textures: %v", err)
			}
			return nil
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.textured = game
		return game
	})
}

// sheet returns how a view is drawn with textures, or nil if it shows none.
func (s *worldScene) sheet(name string, scale float64) *textured.Flat {
	corner := name == viewIso && s.corner != nil
	if f := s.flat(name); f != nil && (scale >= texturedScale || corner) && s.looks() != nil {
		return f
	}
	return nil
}

// flat returns how a view is drawn if there are textures, or nil if it shows none.
func (s *worldScene) flat(name string) *textured.Flat {
	if name == format.ViewCamera || name == viewHeight || name == viewRelief {
		return nil
	}
	corner := name == viewIso && s.corner != nil
	o := s.kinds[name]
	f := &textured.Flat{Low: o.Box.Min, High: o.Box.Max, Depth: o.Depth, Daylight: 1, FullLight: o.Flat || o.Depth > 0}
	if o.Light == worlddraw.Night {
		f.Daylight = 0
	}
	if o.Depth > 0 {
		f.Low[1] = max(f.Low[1], f.High[1]-o.Depth+1)
	}
	if name == viewIso {
		from := isoFrom(usualCorner)
		if corner {
			from = s.corner
		}
		f.Right, f.Down, f.Near, f.Shift = from.Right, from.Down, from.Near, from.Shift
		return f
	}
	switch o.View {
	case worlddraw.Top:
		f.Right, f.Down, f.Near = [3]float64{1}, [3]float64{0, 0, -1}, [3]int{0, 1, 0}
	case worlddraw.South:
		f.Right, f.Down, f.Near = [3]float64{1}, [3]float64{0, -1}, [3]int{0, 0, -1}
	case worlddraw.North:
		f.Right, f.Down, f.Near = [3]float64{-1}, [3]float64{0, -1}, [3]int{0, 0, 1}
	case worlddraw.West:
		f.Right, f.Down, f.Near = [3]float64{0, 0, -1}, [3]float64{0, -1}, [3]int{-1}
	case worlddraw.East:
		f.Right, f.Down, f.Near = [3]float64{0, 0, 1}, [3]float64{0, -1}, [3]int{1}
	}
	return f
}

// widened returns the pixels on which a part of a picture depends.
func (s *worldScene) widened(name string, pixels image.Rectangle, scale float64) image.Rectangle {
	if f := s.sheet(name, scale); f != nil {
		return f.Reach(pixels, scale)
	}
	return pixels
}

// The least and greatest numbers of pixels of a unit when a picture with textures is drawn, before it is scaled to the wanted
// size: textures usually have 16 pixels. A node is two units wide in the isometric view.
const (
	leastSheet    = 16
	leastIsoSheet = 8
	mostSheet     = 64
)

// renderTextured draws nodes with textures.
func (s *worldScene) renderTextured(ctx context.Context, dst *image.RGBA, at worlddraw.Scaled, m drawn, f *textured.Flat,
	lose func(error)) error {
	scale := leastSheet
	if f.Near[0] != 0 && f.Near[1] != 0 {
		scale = leastIsoSheet
	}
	scale = min(mostSheet, max(scale, 1<<bits.Len(uint(math.Ceil(at.Scale)-1))))
	blocks := &sheetBlocks{s: s, m: m, lose: lose}
	if missed := format.MissedOf(ctx); missed != nil {
		f.Lacks = func(name string, err error) { missed.Add(missingTexture(name, err)) }
	}
	own := worlddraw.Scaled{Origin: [2]float64{at.Origin[0] * float64(scale), at.Origin[1] * float64(scale)}, Scale: at.Scale / float64(scale)}
	shows := func(r image.Rectangle) bool {
		all, err := blocks.In(ctx, f.Reach(r, float64(scale)), scale)
		return err != nil || len(all) > 0
	}
	return worlddraw.Scale(dst, own, shows, func(img *image.RGBA) error { return f.Draw(ctx, img, scale, s.looks(), blocks) })
}

// sheetBlocks are the blocks of a world in a view.
type sheetBlocks struct {
	s    *worldScene
	m    drawn
	lose func(error)
}

func (b *sheetBlocks) In(ctx context.Context, r image.Rectangle, scale int) (all []mapdb.Pos, err error) {
	err = b.m.Within(ctx, r, worlddraw.Scaled{Scale: float64(scale)}, func(p mapdb.Pos) error {
		all = append(all, p)
		return nil
	})
	return all, err
}

func (b *sheetBlocks) Nodes(ctx context.Context, pos mapdb.Pos, drawn bool) (*mapblock.Nodes, error) {
	k, err := b.s.world.nodes.get(ctx, b.s.world, pos)
	if k.lost != nil && drawn {
		b.lose(k.lost)
		worlddraw.NoteLost(ctx, pos, k.lost)
	}
	return k.nodes, err
}

// knownNodes are the nodes of the blocks that were read last.
type knownNodes struct {
	mu    sync.Mutex
	all   map[mapdb.Pos]knownBlock
	order []mapdb.Pos
	size  int // bytes
}

type knownBlock struct {
	nodes *mapblock.Nodes // nil if there is no block
	lost  error           // why it cannot be read
}

// maxKnown is the size in bytes of the blocks that are kept: usually of 4,000, but names may be long.
const maxKnown = 64 << 20

// bytes returns the size of a block in memory.
func (k *knownBlock) bytes() int {
	const empty, name = 128, 16
	if k.nodes == nil {
		return empty
	}
	n := 4 * mapblock.NodeCount
	for _, text := range k.nodes.Names {
		n += name + len(text)
	}
	return n
}

func (c *knownNodes) get(ctx context.Context, w *sharedWorld, pos mapdb.Pos) (knownBlock, error) {
	if !w.places.Has(pos) {
		return knownBlock{}, nil
	}
	c.mu.Lock()
	k, known := c.all[pos]
	c.mu.Unlock()
	if known {
		return k, nil
	}
	data, err := w.db.Get(ctx, pos)
	if err == nil {
		err = w.bound.Spend(pos, data)
	}
	var row *mapdb.RowError
	switch {
	case errors.Is(err, mapdb.ErrNotFound):
	case errors.As(err, &row):
		k.lost = err
	case err != nil:
		return k, err
	default:
		var block mapblock.Block
		if err := block.DecodeNodes(data); err != nil {
			k.lost = &worlddraw.BlockError{Pos: pos, Err: err}
		} else {
			k.nodes = block.Nodes()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = make(map[mapdb.Pos]knownBlock)
	}
	if _, known := c.all[pos]; !known {
		c.all[pos] = k
		c.order = append(c.order, pos)
		for c.size += k.bytes(); c.size > maxKnown && len(c.order) > 1; c.order = c.order[1:] {
			old := c.all[c.order[0]]
			c.size -= old.bytes()
			delete(c.all, c.order[0])
		}
	}
	return k, nil
}
