package worldscene

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/nodemesh"
	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddraw"
)

// Options of the view through the eyes of a player.
var (
	optionLook = format.Option{Name: "look", Type: format.Place, For: format.ForScene,
		Help: "the direction of the camera in degrees, as `yaw,pitch`: yaw 0 looks north and 90 west, positive pitches look down (default: 0,0)"}
	optionFov = format.Option{Name: "fov", Type: format.Number, For: format.ForScene,
		Help: "the `degrees` that the camera sees from top to bottom (default: 72)"}
	optionDaylight = format.Option{Name: "daylight", Type: format.Number, For: format.ForScene,
		Help: "the light of the time of day, from 0 at midnight to 1 at noon (default: 1)"}
)

const viewCamera = "camera"

// cameraRange is the distance in nodes at which a camera sees nothing more.
const cameraRange = 100

// sky is the usual background of a camera.
var sky = color.NRGBA{R: 0x88, G: 0xa0, B: 0xc0, A: 255}

// camera is the view of a player.
type camera struct {
	textured.Camera
	game   *textured.Game
	box    worlddraw.Box
	load   sync.Mutex
	volume *nodemesh.Volume
	sum    [sha256.Size]byte // of the blocks
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
	c := &camera{Camera: textured.Camera{Eye: [3]float64(at), Fov: 72, Daylight: 1}, box: usual.Box}
	if look := optionLook.Place(job); len(look) == 2 {
		c.Yaw, c.Pitch = look[0], look[1]
	} else if look != nil {
		return nil, fmt.Errorf("--%s: expected two numbers, yaw,pitch", optionLook.Name)
	}
	for _, o := range []struct {
		option    format.Option
		value     *float64
		low, high float64
	}{{optionFov, &c.Fov, 1, 170}, {optionDaylight, &c.Daylight, 0, 1}} {
		if o.option.Value(job) != "" {
			if *o.value = o.option.Number(job); !(*o.value >= o.low && *o.value <= o.high) {
				return nil, fmt.Errorf("--%s: %g: expected %g to %g", o.option.Name, *o.value, o.low, o.high)
			}
		}
	}
	for a, eye := range c.Eye {
		if math.Abs(eye) > 1<<15 {
			return nil, fmt.Errorf("--%s: %g is outside of the world", format.OptionAt.Name, eye)
		}
		middle := int(math.Round(eye))
		c.box.Min[a], c.box.Max[a] = max(c.box.Min[a], middle-cameraRange), min(c.box.Max[a], middle+cameraRange)
	}
	var err error
	c.game, err = openGame(job, s.world.dir, s.world.settings)
	return c, err
}

// openGame returns the appearance of the nodes of a world.
func openGame(job *format.Job, dir string, settings *world.Settings) (*textured.Game, error) {
	id, _ := settings.Get("gameid")
	path := worldjob.OptionNodes.Value(job)
	if path == "" {
		path = nodedef.Find(dir)
	}
	nodes, engine := nodedef.MinetestGame(), texture.Newest
	if path != "" {
		file, err := nodedef.ReadFile(path)
		if err != nil {
			return nil, err
		}
		nodes, engine = file.Nodes, engineOf(file.Engine)
		job.Done("used the definitions of nodes in %s", path)
	} else if id != "minetest" && id != "minetest_game" {
		return nil, fmt.Errorf("no definitions of the nodes of game %q: copy contrib/minetest/trowel_nodes to worldmods in the folder of "+
			"the world and start its server once, or name a file with --%s", id, worldjob.OptionNodes.Name)
	}
	sources := texture.ForWorld(dir, settings)
	if path := optionTextures.Value(job); path != "" {
		sources.Add(texture.FolderAt(path))
	} else if sources.Game.FS == nil {
		return nil, fmt.Errorf("no folder of game %q on this machine: name it with --%s", id, optionTextures.Name)
	} else {
		job.Done("used the textures of %s", sources.Game.Path)
	}
	search, err := sources.Search()
	if err != nil {
		return nil, err
	}
	for _, p := range search.Problems() {
		job.Warn(p.File, "%s", p.Text)
	}
	return textured.NewGame(nodes, search, engine), nil
}

// engineOf returns the rules for a version of the engine, such as 5.6.1.
func engineOf(version string) texture.Engine {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	if n, err := strconv.Atoi(minor); err == nil && major == "5" {
		return texture.Engine(n)
	}
	return texture.Newest
}

// view returns the view through the camera. Its unit is the height of a picture.
func (c *camera) view() format.View {
	return format.View{
		Name: viewCamera, Title: "as a player sees it, with textures", Scale: 720, Axes: [2]string{"right", "down"}, Background: sky,
		Bounds: format.Rect{Min: [2]float64{-2, -.5}, Max: [2]float64{2, .5}}, Size: image.Pt(1280, 720),
		Frame: func(size image.Point) format.Rect {
			half := float64(size.X) / float64(size.Y) / 2
			return format.Rect{Min: [2]float64{-half, -.5}, Max: [2]float64{half, .5}}
		},
	}
}

// nodes returns the nodes around the camera, which are read once.
func (c *camera) nodes(ctx context.Context, db mapdb.DB, lose func(error)) (*nodemesh.Volume, error) {
	c.load.Lock()
	defer c.load.Unlock()
	if c.volume != nil {
		return c.volume, nil
	}
	low, size := c.box.Min, [3]int{}
	area := mapdb.Area{}
	for a := range size {
		low[a] -= 2
		size[a] = max(0, c.box.Max[a]-c.box.Min[a]+5)
	}
	from, to := blockOf(low), blockOf([3]int{low[0] + size[0], low[1] + size[1], low[2] + size[2]})
	area.Min, area.Max = from, to
	v := c.game.NewVolume(low, size)
	h := sha256.New()
	for b, err := range db.Blocks(ctx, area) {
		var row *mapdb.RowError
		if errors.As(err, &row) {
			lose(err)
			continue
		}
		if err != nil {
			return nil, err
		}
		block, err := mapblock.Decode(b.Data)
		if err != nil {
			lose(&worlddraw.BlockError{Pos: b.Pos, Err: err})
			continue
		}
		v.SetBlock(b.Pos, block.Nodes())
		fmt.Fprint(h, b.Pos, len(b.Data))
		h.Write(b.Data)
	}
	h.Sum(c.sum[:0])
	c.volume = v
	return v, nil
}

func (c *camera) render(ctx context.Context, dst *image.RGBA, look format.Look, db mapdb.DB, lose func(error)) error {
	v, err := c.nodes(ctx, db, lose)
	if err != nil {
		return err
	}
	p := textured.Picture{Middle: [2]float64{-look.Origin[0] * look.Scale, -look.Origin[1] * look.Scale}, Height: look.Scale}
	return c.Draw(ctx, dst, p, c.game, v, c.box.Min, c.box.Max)
}

// missing returns the files that are missing for the camera's pictures.
func (c *camera) missing() (list []format.Missing) {
	for name, err := range c.game.Missing() {
		what := "the file is in none of the folders of textures"
		if !errors.Is(err, os.ErrNotExist) {
			what = err.Error()
		}
		list = append(list, format.Missing{Kind: "texture", Name: name, What: what})
	}
	return list
}
