package worldsteps

import (
	"errors"

	"trowel.example/minetest/internal/worldselect"
	"trowel.example/minetest/worldedit"
)

// SetMetadataOptions are the options of [SetMetadata].
type SetMetadataOptions struct {
	Key   string `option:"key"`
	Value string `option:"value"`
	All   bool   `option:"all"`
	worldselect.Region
}

// SetMetadata sets a variable of the metadata of nodes.
func SetMetadata(o SetMetadataOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, bounded, err := o.Select()
	if err == nil && o.All && !bounded && !worldselect.HasCondition(r) {
		err = errors.New("expected where, such as --where node=NAME")
	}
	return worldedit.SetMetadata(r, o.Key, o.Value, worldedit.MetadataOptions{All: o.All}, counts), err
}

// DeleteMetadataOptions are the options of [DeleteMetadata].
type DeleteMetadataOptions struct {
	Key string `option:"key"`
	worldselect.Region
}

// DeleteMetadata deletes a variable of the metadata of nodes, or all of it.
func DeleteMetadata(o DeleteMetadataOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, err := o.SelectPart()
	return worldedit.DeleteMetadata(r, o.Key, counts), err
}

// DeleteTimers deletes the timers of nodes.
func DeleteTimers(o worldselect.Region, counts *worldedit.Counts) (worldedit.Step, error) {
	r, err := o.SelectPart()
	return worldedit.DeleteTimers(r, counts), err
}

// DeleteObjectsOptions are the options of [DeleteObjects].
type DeleteObjectsOptions struct {
	Names []string `option:"name"`
	Items bool     `option:"items"`
	worldselect.Region
}

// DeleteObjects deletes objects of some names.
func DeleteObjects(o DeleteObjectsOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, _, err := o.Select()
	if err == nil && worldselect.HasCondition(r) {
		err = errors.New("--where selects nodes, not objects")
	}
	return worldedit.DeleteObjects(r, o.Names, worldedit.ObjectOptions{Items: o.Items}, counts), err
}

// ReplaceItemsOptions are the options of [ReplaceItems].
type ReplaceItemsOptions struct {
	Item    string `option:"item"`
	New     string `option:"new"`
	NewName bool   `option:"new-name"`
	Plain   bool   `option:"plain"`
	worldselect.Region
}

// ReplaceItems replaces items in the inventories of nodes.
func ReplaceItems(o ReplaceItemsOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, _, err := o.Select()
	return worldedit.ReplaceItems(r, worldedit.Names{o.Item}, o.New, worldedit.ItemOptions{Plain: o.Plain}, counts),
		errors.Join(err, checkName(o.New))
}

// DeleteItemsOptions are the options of [DeleteItems].
type DeleteItemsOptions struct {
	Item string `option:"item"`
	worldselect.Region
}

// DeleteItems deletes items in the inventories of nodes.
func DeleteItems(o DeleteItemsOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, _, err := o.Select()
	return worldedit.ReplaceItems(r, worldedit.Names{o.Item}, "", worldedit.ItemOptions{}, counts), err
}
