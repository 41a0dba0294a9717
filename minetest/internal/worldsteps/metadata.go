package worldsteps

import (
	"context"
	"errors"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/worldedit"
)

// SetMetadataOptions are the options of [SetMetadata].
type SetMetadataOptions struct {
	Key   string `arg:"key" names:"variable" help:"the name of the variable"`
	Value string `arg:"value" help:"the new value"`
	All   bool   `option:"all"`
	worldjob.Region
}

// Describe describes the options.
func (SetMetadataOptions) Describe(o *format.Option) {
	o.Explain("all", "add the variable to metadata that lack it, and to the nodes of --where node=NAME that have no metadata")
}

// SetMetadata sets a variable of the metadata of nodes.
func SetMetadata(o SetMetadataOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, bounded, err := o.Select()
	if err == nil && o.All && !bounded && !worldjob.HasCondition(r) {
		err = errors.New("expected where, such as --where node=NAME")
	}
	return worldedit.SetMetadata(r, o.Key, o.Value, worldedit.MetadataOptions{All: o.All}, counts), err
}

// DeleteMetadataOptions are the options of [DeleteMetadata].
type DeleteMetadataOptions struct {
	Key string `option:"key" names:"variable" help:"only the variable with this {name}"`
	worldjob.Region
}

// DeleteMetadata deletes a variable of the metadata of nodes, or all of it.
func DeleteMetadata(o DeleteMetadataOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, err := o.SelectPart()
	return worldedit.DeleteMetadata(r, o.Key, counts), err
}

// DeleteTimers deletes the timers of nodes.
func DeleteTimers(o worldjob.Region, counts *worldedit.Counts) (worldedit.Step, error) {
	r, err := o.SelectPart()
	return worldedit.DeleteTimers(r, counts), err
}

// DeleteObjectsOptions are the options of [DeleteObjects].
type DeleteObjectsOptions struct {
	Names []string `arg:"name,required" names:"object" help:"names of objects"`
	Items bool     `option:"items" help:"only dropped items: NAME is the name of the item"`
	worldjob.Region
}

// DeleteObjects deletes objects of some names.
func DeleteObjects(o DeleteObjectsOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, _, err := o.Select()
	if err == nil && worldjob.HasCondition(r) {
		err = errors.New("--where selects nodes, not objects")
	}
	return worldedit.DeleteObjects(r, o.Names, worldedit.ObjectOptions{Items: o.Items}, counts), err
}

// ReplaceItemsOptions are the options of [ReplaceItems].
type ReplaceItemsOptions struct {
	Item string `arg:"item" names:"item" help:"the name of the existing items, with wildcards * and ?"`
	New  string `arg:"new" names:"new item" help:"the new name"`
	worldjob.Items
	NewName bool `option:"new-name" help:"allow an item name that neither the world nor the definitions of nodes contain"`
	Plain   bool `option:"plain" help:"new items have no wear and no metadata"`
	worldjob.Region
}

// ReplaceItems replaces items in the inventories of nodes and players, and dropped items.
func ReplaceItems(o ReplaceItemsOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	if err := checkName(o.New); err != nil {
		return nil, err
	}
	return changeItems(o.Region, o.Items, o.Item, o.New, worldedit.ItemOptions{Plain: o.Plain}, counts)
}

// DeleteItemsOptions are the options of [DeleteItems].
type DeleteItemsOptions struct {
	Item string `arg:"item" names:"item" help:"the name of the items, with wildcards * and ?"`
	worldjob.Items
	worldjob.Region
}

// DeleteItems deletes items in the inventories of nodes and players, and dropped items.
func DeleteItems(o DeleteItemsOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	return changeItems(o.Region, o.Items, o.Item, "", worldedit.ItemOptions{}, counts)
}

func changeItems(g worldjob.Region, in worldjob.Items, from, to string, o worldedit.ItemOptions, counts *worldedit.Counts) (
	worldedit.Step, error) {
	r, bounded, err := g.Select()
	if err != nil {
		return nil, err
	}
	nodes, players, err := in.Select(bounded || worldjob.HasCondition(r))
	var steps []worldedit.Step
	if nodes {
		steps = append(steps, worldedit.ReplaceItems(r, worldedit.Names{from}, to, o, counts))
	}
	if players {
		steps = append(steps, worldedit.ReplacePlayerItems(worldedit.Names{from}, to, o, counts))
	}
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error { return w.Do(ctx, steps...) }), err
}
