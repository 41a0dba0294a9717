package worldscene

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/gltf"
	"trowel.example/minetest/internal/nodemesh"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddraw"
	"trowel.example/minetest/worldedit"
)

// Options of models. Those that pictures have, too, are the same.
var (
	optionLight = format.Option{Name: "light", Type: format.Bool,
		Help: "multiply the colours by the light of the nodes, at the time of day of --" + format.OptionDaylight.Name}
	modelOptions = []format.Option{optionLight, unscened(format.OptionDaylight), unscened(worldjob.OptionNodes), unscened(optionTextures)}
)

// unscened returns an option of pictures as an option of a conversion.
func unscened(o format.Option) format.Option {
	o.For = 0
	return o
}

const modelName = "glb"

// modelConversion returns a conversion to a model.
func modelConversion(title string, options []format.Option,
	convert func(context.Context, *format.Job, *format.Source) (*modeled, error)) format.Conversion {
	return format.Conversion{
		To: modelName, Title: title, Extension: "." + modelName, Options: append(options, modelOptions...),
		Rename: func(name string) string { return name + "." + modelName },
		Convert: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
			m, err := convert(ctx, job, src)
			if err != nil {
				return err
			}
			return m.write(ctx, job, src, out)
		},
	}
}

// WorldModel is the conversion of a part of a world to a model. The option box selects the nodes.
func WorldModel(box format.Option) format.Conversion {
	return modelConversion("a glTF model of the nodes in --box, with their textures", []format.Option{box},
		func(ctx context.Context, job *format.Job, src *format.Source) (*modeled, error) {
			text := box.Value(job)
			if text == "" {
				return nil, fmt.Errorf("--to %s requires --%s", modelName, box.Name)
			}
			nodes, err := worldjob.ParseBox(box.Name, text)
			if err != nil {
				return nil, err
			}
			return modelOfWorld(ctx, job, src, nodes)
		})
}

// SchematicModel is the conversion of a schematic to a model.
var SchematicModel = modelConversion("a glTF model, with textures", nil,
	func(_ context.Context, job *format.Job, src *format.Source) (*modeled, error) {
		return modelOfSchematic(job, src)
	})

// modeled is the nodes that become a model.
type modeled struct {
	game      *textured.Game
	volume    *nodemesh.Volume
	low, high [3]int
}

func checkModelSize(size [3]int) error {
	if e := effort.WorldModelNodes.Over(int64(size[0]) * int64(size[1]) * int64(size[2])); e != nil {
		e.Want += " for a model (choose a smaller --box)"
		return e
	}
	return nil
}

func modelOfWorld(ctx context.Context, job *format.Job, src *format.Source, box worldedit.Box) (_ *modeled, err error) {
	low, high := box.Min, box.Max
	if err := checkModelSize([3]int{high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1}); err != nil {
		return nil, err
	}
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return nil, err
	}
	g, err := openGame(job, src.Dir, settings)
	if err != nil {
		return nil, err
	}
	look, err := g.look()
	if err != nil {
		return nil, err
	}
	db, _, err := world.OpenMap(ctx, src.Dir, settings, world.Options{Remote: worldjob.OptionRemote.On(job)})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := mapdb.Verify(ctx, db); err != nil {
		return nil, err
	}
	near := &around{game: look, db: db, box: worlddraw.Box{Min: low, Max: high}}
	v, err := near.nodes(ctx)
	if err != nil {
		return nil, err
	}
	var lost []string
	for _, err := range near.lost {
		lost = append(lost, err.Error())
	}
	slices.Sort(lost)
	for _, text := range lost {
		job.Miss(src.Path, "%s", text)
	}
	return &modeled{look, v, low, high}, nil
}

func modelOfSchematic(job *format.Job, src *format.Source) (*modeled, error) {
	s, err := readSchematic(src)
	if err != nil {
		return nil, err
	}
	// A schematic does not name its game.
	g, err := openGame(job, filepath.Dir(src.Path), world.ParseSettings([]byte("gameid = minetest\n"), ""))
	if err != nil {
		return nil, err
	}
	look, err := g.look()
	if err != nil {
		return nil, err
	}
	if optionLight.On(job) {
		job.Done("--%s: schematics do not contain the light of air: all nodes are outdoors", optionLight.Name)
	}
	v := look.NewVolume([3]int{}, s.Size)
	for i := range s.Name {
		if s.Prob != nil && s.Prob[i] == schematic.Never {
			continue
		}
		x, y, z := s.Coordinates(i)
		v.Set([3]int{x, y, z}, s.At(i), 15, s.Param2[i])
	}
	return &modeled{look, v, [3]int{}, [3]int{s.Size[0] - 1, s.Size[1] - 1, s.Size[2] - 1}}, nil
}

func (m *modeled) write(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
	daylight := 1.
	if o := format.OptionDaylight; o.Value(job) != "" {
		if daylight = o.Number(job); !(daylight >= 0 && daylight <= 1) {
			return fmt.Errorf("--%s: %g: expected 0 to 1", o.Name, daylight)
		}
	}
	m.volume.Unlit = !optionLight.On(job)
	m.volume.Open()
	model, err := m.game.Model(ctx, m.volume, m.low, m.high, daylight, effort.WorldModelFaces)
	if err != nil {
		return fault.InFile(err, src.Path)
	}
	if len(model.Nodes) == 0 {
		return fmt.Errorf("%s: nothing is visible in the nodes from %d,%d,%d to %d,%d,%d (`trowel info` prints the extent of a world)",
			src.Path, m.low[0], m.low[1], m.low[2], m.high[0], m.high[1], m.high[2])
	}
	for _, missing := range missingTextures(m.game) {
		job.Warn(src.Path, "%s: %s", missing.Name, missing.What)
	}
	w, err := out.Create("")
	if err != nil {
		return err
	}
	return gltf.Write(w, model)
}
