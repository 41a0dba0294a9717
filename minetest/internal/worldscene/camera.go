package worldscene

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"sync"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/nodemesh"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

var optionFov = format.Option{Name: "fov", Type: format.Number, For: format.ForScene,
	Drawing: format.Drawing{Title: "Field of view", Views: []string{format.ViewCamera}},
	Help:    "the `degrees` that the camera sees from top to bottom (default: 72)"}

// cameraRange is the distance in nodes at which a camera sees nothing more.
const cameraRange = 100

// sky returns the usual background of a camera.
func sky(daylight float64) color.NRGBA {
	at := func(night, day float64) uint8 { return uint8(night + daylight*(day-night)) }
	return color.NRGBA{R: at(8, 0x88), G: at(10, 0xa0), B: at(20, 0xc0), A: 255}
}

// camera is the view of a player.
type camera struct {
	textured.Camera
	*around
	lose func(error)
}

// around is the nodes around a camera. A camera that only turns uses the same.
type around struct {
	game   *textured.Game
	box    worlddraw.Box
	margin int // nodes outside of the box that are read, too, since they change its faces
	db     mapdb.DB

	load   sync.Mutex
	volume *nodemesh.Volume
	lost   map[mapdb.Pos]error // blocks that cannot be read
	sum    [sha256.Size]byte   // of the blocks
}

// around returns the nodes in a box. The last ones are cached.
func (w *sharedWorld) around(game *textured.Game, box worlddraw.Box) *around {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == nil || w.seen.game != game || w.seen.box != box {
		w.seen = &around{game: game, box: box, margin: 2, db: w.db}
	}
	return w.seen
}

// openCamera returns the camera that a job asks for, or nil.
func (s *worldScene) openCamera(job *format.Job, usual worlddraw.Options) (*camera, error) {
	at := format.OptionAt.Place(job)
	if at == nil {
		return nil, nil
	}
	if len(at) != 3 {
		return nil, fmt.Errorf("--%s: expected three numbers, x,y,z", format.OptionAt.Name)
	}
	c := &camera{Camera: textured.Camera{Eye: [3]float64(at), Fov: 72, Daylight: 1}, lose: s.lose}
	if look := format.OptionLook.Place(job); len(look) == 2 {
		c.Yaw, c.Pitch = look[0], look[1]
	} else if look != nil {
		return nil, fmt.Errorf("--%s: expected two numbers, yaw,pitch", format.OptionLook.Name)
	}
	for _, o := range []struct {
		option    format.Option
		value     *float64
		low, high float64
	}{{optionFov, &c.Fov, 1, 170}, {format.OptionDaylight, &c.Daylight, 0, 1}} {
		if o.option.Value(job) != "" {
			if *o.value = o.option.Number(job); !(*o.value >= o.low && *o.value <= o.high) {
				return nil, fmt.Errorf("--%s: %g: expected %g to %g", o.option.Name, *o.value, o.low, o.high)
			}
		}
	}
	box := usual.Box
	for a, eye := range c.Eye {
		if math.Abs(eye) > 1<<15 {
			return nil, fmt.Errorf("--%s: %g is outside of the world", format.OptionAt.Name, eye)
		}
		middle := int(math.Round(eye))
		box.Min[a], box.Max[a] = max(box.Min[a], middle-cameraRange), min(box.Max[a], middle+cameraRange)
	}
	game, err := s.game.look()
	s.textured = game
	c.around = s.world.around(game, box)
	return c, err
}

// view returns the view through the camera. Its unit is the height of a picture.
func (c *camera) view() format.View {
	return format.View{
		Name: format.ViewCamera, Title: "as a player sees it, with textures", Scale: 720, Axes: [2]string{"right", "down"},
		Background: sky(c.Daylight),
		Bounds:     format.Rect{Min: [2]float64{-2, -.5}, Max: [2]float64{2, .5}}, Size: image.Pt(1280, 720),
		Frame: func(size image.Point) format.Rect {
			half := float64(size.X) / float64(size.Y) / 2
			return format.Rect{Min: [2]float64{-half, -.5}, Max: [2]float64{half, .5}}
		},
	}
}

// nodes returns the nodes, which are read once.
func (c *around) nodes(ctx context.Context) (*nodemesh.Volume, error) {
	c.load.Lock()
	defer c.load.Unlock()
	if c.volume == nil {
		if err := c.read(ctx); err != nil {
			return nil, err
		}
	}
	return c.volume, nil
}

func (c *around) read(ctx context.Context) error {
	low, size := c.box.Min, [3]int{}
	for a := range size {
		low[a] -= c.margin
		size[a] = max(0, c.box.Max[a]-c.box.Min[a]+1+2*c.margin)
	}
	area := mapdb.Area{Min: blockOf(low), Max: blockOf([3]int{low[0] + size[0], low[1] + size[1], low[2] + size[2]})}
	v, h := c.game.NewVolume(low, size), sha256.New()
	c.lost = make(map[mapdb.Pos]error)
	for b, err := range mapdb.Bounded(c.db.Blocks(ctx, area)) {
		var row *mapdb.RowError
		if err != nil && !errors.As(err, &row) {
			return err
		}
		if err == nil {
			var block *mapblock.Block
			if block, err = mapblock.Decode(b.Data); err == nil {
				v.SetBlock(b.Pos, block.Nodes())
			} else {
				err = &worlddraw.BlockError{Pos: b.Pos, Err: err}
			}
		}
		if err != nil {
			c.lost[b.Pos] = err
		}
		fmt.Fprint(h, b.Pos, len(b.Data), err)
		h.Write(b.Data)
	}
	h.Sum(c.sum[:0])
	c.volume = v
	return nil
}

// RenderScaled draws a part of the camera's picture, in which at.Scale is its height.
func (c *camera) RenderScaled(ctx context.Context, dst *image.RGBA, at worlddraw.Scaled) error {
	v, err := c.nodes(ctx)
	if err != nil {
		return err
	}
	for pos, err := range c.lost {
		c.lose(err)
		worlddraw.NoteLost(ctx, pos, err)
	}
	p := textured.Picture{Middle: [2]float64{-at.Origin[0] * at.Scale, -at.Origin[1] * at.Scale}, Height: at.Scale}
	return c.Draw(ctx, dst, p, c.game, v, c.box.Min, c.box.Max)
}

// Cover draws nothing: a camera's picture is not made from the positions of blocks.
func (c *camera) Cover(context.Context, *image.RGBA, worlddraw.Scaled) error { return nil }

// Within calls do for no block: a camera's picture is not made of tiles.
func (c *camera) Within(context.Context, image.Rectangle, worlddraw.Scaled, func(mapdb.Pos) error) error {
	return nil
}

// Fingerprint hashes all blocks around the camera.
func (c *camera) Fingerprint(ctx context.Context, h io.Writer, r image.Rectangle, at worlddraw.Scaled) (bool, error) {
	_, err := c.nodes(ctx)
	fmt.Fprintf(h, "%x %v %v\n", c.sum, r, at)
	return true, err
}

// Hidden returns nothing: a camera needs no colours.
func (c *camera) Hidden() map[string]int64 { return nil }
