//go:build !js

package worldquery

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/world"
)

var tableActions = format.NewTable("minetest_actions", "A change that the server has recorded in rollback.sqlite: of a node, or of the "+
	"inventory of a node.", func(r *format.Rows, a rollback.Action) {
	ofNode, ofList := a.Type == rollback.SetNode, a.Type == rollback.Inventory
	r.Col("id", format.IntCell(a.ID), "Its number in the database; later changes have higher ones.")
	r.Col("changed", moment(a.Time), "When; null if the time is before 1970 or after 9999.")
	r.Col("actor", text(a.Actor), "Who: player:NAME, or another cause, such as liquid; null for a lost name.")
	r.Col("guessed", format.BoolCell(a.Guessed), "The actor is only the most likely one.")
	r.Col("kind", format.TextCell(a.Type.String()), "node or inventory; type N for other types.")
	nodePosIf(r, a.Pos, a.HasPos)
	r.Col("old_node", format.TextCell(a.Old.Name).If(ofNode && a.Old.Name != ""),
		"The name of the node before the change; null for an inventory, and for a lost name.")
	r.Col("old_param2", format.IntCell(a.Old.Param2).If(ofNode), "Its param2, 0 to 255; null for an inventory.")
	r.Col("new_node", format.TextCell(a.New.Name).If(ofNode && a.New.Name != ""),
		"The name of the node after the change; null for an inventory, and for a lost name.")
	r.Col("new_param2", format.IntCell(a.New.Param2).If(ofNode), "Its param2, 0 to 255; null for an inventory.")
	r.Col("list", format.TextCell(a.List).If(ofList), "The list of the inventory, such as main; null for a node, as the next four.")
	r.Col("slot", format.IntCell(a.Slot).If(ofList), "The slot of the list, from 0.")
	r.Col("added", format.BoolCell(a.Added).If(ofList), "The items were put in; false: they were taken out.")
	r.Col("item", format.TextCell(a.Item).If(ofList && a.Item != ""), "The name of the item; null also for a lost name.")
	r.Col("count", format.IntCell(a.Count).If(ofList), "The number of items.")
})

// unreadable returns the kind of findings about files that cannot be read completely.
func unreadable() *check.Kind {
	kinds := world.Catalog.Kinds()
	return kinds[slices.IndexFunc(kinds, func(k *check.Kind) bool { return k.ID == "mt-world-unreadable" })]
}

// actions writes the rows of the recorded changes. A database that is damaged is a finding.
func (r *rest) actions() error {
	damaged := func(err error) error {
		r.o.miss(err)
		if e, ok := errors.AsType[*fault.Error](err); ok {
			inside := *e
			inside.File = ""
			err = &inside
		}
		check.Sink(func(f check.Finding) { tableFindings.Add(&r.Rows, f) }).Add(unreadable(), rollback.File, -1, "%v", err)
		return r.Flush(r.row)
	}
	db, err := rollback.Open(r.ctx, r.dir)
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return damaged(err)
	}
	defer db.Close()
	var nameless error // the first one
	count := 0
	for a, err := range db.All(r.ctx) {
		switch {
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case err != nil && a.ID == 0:
			if err := damaged(err); err != nil {
				return err
			}
			continue
		case err != nil:
			if count++; nameless == nil {
				nameless = err
			}
		}
		if err := tableActions.Put(r.row, a); err != nil {
			return err
		}
	}
	if count > 1 {
		nameless = fmt.Errorf("%s: %d actions have lost the name of an actor, a node or an item: %w", rollback.File, count, nameless)
	}
	if nameless != nil {
		return damaged(nameless)
	}
	return nil
}
