package world

import (
	"context"
	"slices"
)

// orphanRows selects the rows of a table whose player or account does not exist. Engines without foreign keys leave
// such rows.
type orphanRows struct{ table, owner, where string }

var orphanTables = []orphanRows{
	{"player_metadata", "player", "player NOT IN (SELECT name FROM player)"},
	{"player_inventories", "player", "player NOT IN (SELECT name FROM player)"},
	{"player_inventory_items", "player", "player NOT IN (SELECT name FROM player)"},
	{"user_privileges", "auth", "id NOT IN (SELECT id FROM auth)"},
}

// Orphans returns the number of rows, by table, whose player or account does not exist. Only stores in SQLite have
// such rows.
func Orphans[T any](ctx context.Context, s Store[T]) (map[string]int64, error) {
	count := make(map[string]int64)
	err := eachOrphan(s, func(db *sqlDB, o orphanRows) error {
		return db.query(ctx, o.table, "SELECT count(*) FROM "+o.table+" WHERE "+o.where, nil, func(r *row) error {
			if n := r.int(0, "count", 0, 1<<62); n > 0 {
				count[o.table] = n
			}
			return nil
		})
	})
	return count, err
}

// DeleteOrphans deletes the rows that [Orphans] counts. The deletion takes effect at Commit.
func DeleteOrphans[T any](ctx context.Context, s Store[T]) error {
	return eachOrphan(s, func(db *sqlDB, o orphanRows) error {
		return db.exec(ctx, o.table, "DELETE FROM "+o.table+" WHERE "+o.where)
	})
}

func eachOrphan[T any](s Store[T], do func(db *sqlDB, o orphanRows) error) error {
	store, ok := s.(*sqlStore[T])
	if !ok || store.db.conn == nil || !store.db.loose {
		return nil // PostgreSQL prevents orphaned rows by itself
	}
	for _, o := range orphanTables {
		if !store.db.has(o.table) || !store.db.has(o.owner) ||
			!slices.ContainsFunc(store.db.create, func(sql string) bool { return makes(sql, o.table) }) {
			continue
		}
		if err := do(store.db, o); err != nil {
			return err
		}
	}
	return nil
}
