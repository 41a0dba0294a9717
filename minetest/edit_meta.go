package minetest

import (
	"context"
	"errors"
	"fmt"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldfind"
	"trowel.example/minetest/worldedit"
)

// metaStep is a step that changes the metadata of nodes of a region.
func metaStep(all bool, make func(job *format.Job, r worldedit.Region, t *worldedit.Tally) (worldedit.Step, error)) func(*format.Job, *worldedit.Tally) (worldedit.Step, error) {
	return nodeStep(all, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
		return make(job, r, s.Tally)
	})
}

var metaCommands = []worldCommand{
	{
		Command: format.Command{
			Name: "set-metadata", Title: "Give a variable of metadata a value, where there is this variable", Heading: "Metadata and objects",
			Args: []format.Option{{Name: "key", Names: string(worldfind.KindVariable), Help: "the name of the variable"}, {Name: "value", Help: "what it gets"}},
			Options: append([]format.Option{
				{Name: "all", Bool: true, Help: "in all metadata, and in the nodes of --where node=NAME that have none"},
			}, regionOptions...),
			Example: "set-metadata owner ann --where owner=bob",
		},
		step: nodeStep(false, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			all := job.On("all")
			if _, bounded, _ := regionOf(job); all && !bounded && r.Where.Names == nil && r.Where.Meta == nil {
				return nil, fmt.Errorf("expected where, such as --%s node=NAME", stepWhere.Name)
			}
			return worldedit.SetMetadata(r, job.Value("key"), job.Value("value"), all, s.Tally), nil
		}),
	},
	{
		Command: format.Command{
			Name: "delete-metadata", Title: "Delete the metadata of nodes: variables and inventory", Heading: "Metadata and objects",
			Options: append([]format.Option{{Name: "key", Names: string(worldfind.KindVariable), Help: "only the variable of this `name`"}}, regionOptions...),
			Example: "delete-metadata --where node=default:stone",
		},
		step: metaStep(true, func(job *format.Job, r worldedit.Region, t *worldedit.Tally) (worldedit.Step, error) {
			return worldedit.DeleteMetadata(r, job.Value("key"), t), nil
		}),
	},
	{
		Command: format.Command{
			Name: "delete-timers", Title: "Delete the timers of nodes", Heading: "Metadata and objects",
			Options: regionOptions,
			Example: "delete-timers --where node=default:furnace_active",
		},
		step: metaStep(true, func(job *format.Job, r worldedit.Region, t *worldedit.Tally) (worldedit.Step, error) {
			return worldedit.DeleteTimers(r, t), nil
		}),
	},
	{
		Command: format.Command{
			Name: "delete-objects", Title: "Delete mobs, dropped items and other objects", Heading: "Metadata and objects",
			Long: "NAME may have * and ? in it; * is all. A dropped item is __builtin:item.",
			Args: []format.Option{{Name: "name", List: true, Some: true, Names: string(worldfind.KindObject), Help: "what objects are called"}},
			Options: append([]format.Option{
				{Name: "items", Bool: true, Help: "only dropped items: NAME is that of the item"},
			}, regionOptions...),
			Example: "delete-objects default:cobble default:dirt --items",
		},
		step: nodeStep(false, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			names := job.List("name")
			if r.Where.Names != nil || r.Where.Meta != nil {
				return nil, fmt.Errorf("--%s is about nodes", stepWhere.Name)
			}
			return worldedit.DeleteObjects(r, names, job.On("items"), s.Tally), nil
		}),
	},
	{
		Command: format.Command{
			Name: "replace-items", Title: "Replace items in the inventories of nodes", Heading: "Metadata and objects",
			Long: "Players and dropped items keep theirs. Definitions of nodes do not list tools and other items: --new-name " +
				"confirms the name of one that no inventory in the world has.",
			Args: []format.Option{
				{Name: "item", Names: string(worldfind.KindItem), Help: "the name of the items that there are; it may have * and ? in it"},
				{Name: "new", Names: namesNewItem, Help: "the name that they get"},
			},
			Options: append([]format.Option{
				stepNewItemName,
				{Name: "plain", Bool: true, Help: "what is new has no wear and no metadata"},
			}, regionOptions...),
			Example: "replace-items default:diamond default:coal_lump --new-name --where node=default:chest*",
		},
		step: metaStep(false, func(job *format.Job, r worldedit.Region, t *worldedit.Tally) (worldedit.Step, error) {
			return worldedit.ReplaceItems(r, worldedit.Names{job.Value("item")}, job.Value("new"), job.On("plain"), t), checkName(job.Value("new"))
		}),
	},
	{
		Command: format.Command{
			Name: "delete-items", Title: "Delete items in the inventories of nodes", Heading: "Metadata and objects",
			Args:    []format.Option{{Name: "item", Names: string(worldfind.KindItem), Help: "the name of the items; it may have * and ? in it"}},
			Options: regionOptions,
			Example: "delete-items tnt:tnt --box 0,0,0:200,50,200",
		},
		step: metaStep(false, func(job *format.Job, r worldedit.Region, t *worldedit.Tally) (worldedit.Step, error) {
			return worldedit.ReplaceItems(r, worldedit.Names{job.Value("item")}, "", false, t), nil
		}),
	},
	{
		Command: format.Command{
			Name: "overlay", Title: "Copy a region of another world to here", Heading: "Pieces",
			Long: "Whole blocks come with all that is in them; of others nodes, metadata and timers.",
			Args: []format.Option{{Name: "world", Input: true, Help: "the folder of the other world"}},
			Options: append([]format.Option{
				{Name: "offset", Help: "how far from where it is there, along `x,y,z`"}, stepCreate,
			}, regionOptions...),
			Example: "overlay ../old-world --box 0,0,0:100,50,100 --create",
		},
		step: nodeStep(false, func(job *format.Job, r worldedit.Region, s worldedit.Setting) (worldedit.Step, error) {
			by := worldedit.Vec{}
			if text := job.Value("offset"); text != "" {
				var err error
				if by, err = wayOf(text); err != nil {
					return nil, fmt.Errorf("--offset: %w", err)
				}
			}
			return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
				from, err := w.OpenOther(ctx, job.Value("world"))
				if err != nil {
					return err
				}
				return errors.Join(w.Do(ctx, worldedit.Overlay(from, r, by, s)), from.Close())
			}), nil
		}),
	},
}
