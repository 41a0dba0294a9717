package minetest

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

var schematicCommands = []worldCommand{
	{
		Command: format.Command{
			Name: "place", Title: "Place a schematic (.mts) or a file of WorldEdit (.we)", Heading: "Nodes",
			Long: "A schematic takes the place of air only, but for its nodes that have force; what is left to chance, " +
				"and --rotation, are as in the game. A file of WorldEdit takes the place of whatever is there, and " +
				"brings metadata and inventories. --nodes knows how nodes turn; without it those of minetest_game do.",
			Args: []format.Option{
				{Name: "file", Input: true, Help: "the schematic"},
				{Name: "place", Help: "the node where the corner with the least coordinates comes: `x,y,z`"},
			},
			Options: []format.Option{
				{Name: "rotation", Choices: []string{"0", "90", "180", "270"}, Default: "0", Help: "turn it by so many `degrees`, as the game does: north goes to the east"},
				{Name: "force", Bool: true, Help: "replace whatever is there"},
				{Name: "seed", Type: format.Integer, Default: "0", Help: "a `number` for what is left to chance: with the same one the same happens"},
				stepKeepMeta, stepCreate,
			},
			Example: "place house.we 100,12,-40 --rotation 90",
		},
		step: func(job *format.Job, tally *worldedit.Tally) (worldedit.Step, error) {
			at, ok := parseVec(job.Value("place"), worldedit.MinNode, worldedit.MaxNode)
			if !ok {
				return nil, fmt.Errorf("%q: expected a node such as 10,2,-30", job.Value("place"))
			}
			path := job.Value("file")
			src, err := format.OpenSource(path)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			data, err := src.ReadUpTo(schematic.MaxFile)
			if err != nil {
				return nil, err
			}
			s, err := schematic.Decode(data)
			if err != nil {
				return nil, fault.InFile(err, path)
			}
			degrees, err := strconv.Atoi(job.Value("rotation"))
			if err != nil {
				return nil, err
			}
			return worldedit.Place(s, at, schematic.Placing{
				Quarters: degrees / 90, Force: job.On("force"), Seed: uint64(job.Integer("seed")),
			}, worldedit.Setting{KeepMetadata: job.On(stepKeepMeta.Name), Create: job.On(stepCreate.Name), Tally: tally}), nil
		},
	},
}

// optionBox selects the nodes that become a schematic.
var optionBox = format.Option{Name: "box", Help: "the nodes in `x1,y1,z1:x2,y2,z2`, two opposite corners in any order, which become the schematic"}

// schematicConversions convert a part of a world to a schematic.
var schematicConversions = []format.Conversion{
	worldToSchematic(schematic.MTS, ".mts", "a schematic of the nodes in --box"),
	worldToSchematic(schematic.WorldEdit, ".we", "a file of WorldEdit of the nodes in --box, with metadata and inventories"),
}

func worldToSchematic(form schematic.Form, ext, title string) format.Conversion {
	return format.Conversion{
		To: string(form), Title: title, Extension: ext, Options: []format.Option{optionBox},
		Convert: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
			text := job.Value(optionBox.Name)
			if text == "" {
				return fmt.Errorf("--to %s needs --%s", form, optionBox.Name)
			}
			from, to, ok := strings.Cut(text, ":")
			a, okA := parseVec(from, worldedit.MinNode, worldedit.MaxNode)
			b, okB := parseVec(to, worldedit.MinNode, worldedit.MaxNode)
			if !ok || !okA || !okB {
				return fmt.Errorf("--%s %q: expected two positions of nodes such as -20,0,-20:20,10,20", optionBox.Name, text)
			}
			settings, err := world.ReadWorldMT(src.Dir)
			if err != nil {
				return err
			}
			db, _, err := world.OpenMap(ctx, src.Dir, settings, job.On(optionRemote.Name))
			if err != nil {
				return err
			}
			defer db.Close()
			if err := mapdb.Verify(ctx, db); err != nil {
				return err
			}
			s, left, err := worldedit.Take(ctx, db, worldedit.BoxOf(a, b), form)
			if err != nil {
				return err
			}
			for _, err := range left.Damaged {
				loseRow(job, src, err)
			}
			for _, l := range []struct {
				n    int
				what string
			}{
				{left.Absent, "%d nodes are not there: they are left out"},
				{left.Metadata, "lost: the metadata of %d nodes"},
				{left.Timers, "lost: %d timers"},
				{left.Private, "%d private fields of metadata, which everybody can read in the file"},
			} {
				if l.n > 0 {
					job.Miss(src.Path, l.what, l.n)
				}
			}
			if left.Objects > 0 {
				job.Warn(src.Path, "no schematic has objects: %d are in these blocks", left.Objects)
			}
			data, err := s.Encode()
			if err != nil {
				return err
			}
			return format.Write(out, data)
		},
	}
}
