package worldrows

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

// ofType returns a cell that is null for actions of another type.
func ofType(t rollback.Type, cell func(a *rollback.Action) format.Cell) func(*rollback.Action) format.Cell {
	return func(a *rollback.Action) format.Cell {
		if a.Type != t {
			return format.Cell{}
		}
		return cell(a)
	}
}

// changedNode returns the columns of a node before or after a change.
func changedNode(when, words string, of func(*rollback.Action) *rollback.Node) []column[rollback.Action] {
	return []column[rollback.Action]{
		opt(when+"_node", format.ColumnText, "The name of the node "+words+" the change; null for an inventory, and for a lost name.",
			ofType(rollback.SetNode, func(a *rollback.Action) format.Cell { return text(of(a).Name) })),
		opt(when+"_param2", format.ColumnInt, "Its param2, 0 to 255; null for an inventory.",
			ofType(rollback.SetNode, func(a *rollback.Action) format.Cell { return format.IntCell(of(a).Param2) })),
	}
}

var tableActions = tableOf("minetest_actions", "A change that the server has recorded in rollback.sqlite: of a node, or of the "+
	"inventory of a node.", with(
	[]column[rollback.Action]{
		col("id", format.ColumnInt, "Its number in the database; later changes have higher ones.",
			func(a *rollback.Action) format.Cell { return format.IntCell(a.ID) }),
		opt("changed", format.ColumnTime, "When; null if the time is before 1970 or after 9999.",
			func(a *rollback.Action) format.Cell { return moment(a.Time) }),
		opt("actor", format.ColumnText, "Who: player:NAME, or another cause, such as liquid; null for a lost name.",
			func(a *rollback.Action) format.Cell { return text(a.Actor) }),
		col("guessed", format.ColumnBool, "The actor is only the most likely one.",
			func(a *rollback.Action) format.Cell { return format.BoolCell(a.Guessed) }),
		col("kind", format.ColumnText, "node or inventory; type N for other types.",
			func(a *rollback.Action) format.Cell { return format.TextCell(a.Type.String()) }),
	}, with(
		nodePos(true, func(a *rollback.Action) ([3]int, bool) { return a.Pos, a.HasPos }), with(
			changedNode("old", "before", func(a *rollback.Action) *rollback.Node { return &a.Old }), with(
				changedNode("new", "after", func(a *rollback.Action) *rollback.Node { return &a.New }),
				opt("list", format.ColumnText, "The list of the inventory, such as main; null for a node, as the next four.",
					ofType(rollback.Inventory, func(a *rollback.Action) format.Cell { return format.TextCell(a.List) })),
				opt("slot", format.ColumnInt, "The slot of the list, from 0.",
					ofType(rollback.Inventory, func(a *rollback.Action) format.Cell { return format.IntCell(a.Slot) })),
				opt("added", format.ColumnBool, "The items were put in; false: they were taken out.",
					ofType(rollback.Inventory, func(a *rollback.Action) format.Cell { return format.BoolCell(a.Added) })),
				opt("item", format.ColumnText, "The name of the item; null also for a lost name.",
					ofType(rollback.Inventory, func(a *rollback.Action) format.Cell { return text(a.Item) })),
				opt("count", format.ColumnInt, "The number of items.",
					ofType(rollback.Inventory, func(a *rollback.Action) format.Cell { return format.IntCell(a.Count) })),
			)...)...)...)...)

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
		check.Sink(func(f check.Finding) { add(&r.rows, tableFindings, f) }).Add(unreadable(), rollback.File, -1, "%v", err)
		return r.flush(r.row)
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
		if err := put(r, tableActions, a); err != nil {
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
