package world

import (
	"context"
	"iter"
	"path/filepath"

	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/minetest/mapdb"
)

// engineTables are the tables of the SQLite file of each part, as the engine writes them. Blocks have two schemas.
var engineTables = [...][]sqlitefile.Table{
	MapPart: {
		{Name: "blocks", Columns: []string{"pos", "data"}, Keys: [][]string{{"pos"}}},
		{Name: "blocks", Columns: []string{"x", "y", "z", "data"}, Keys: [][]string{{"x", "z", "y"}}},
	},
	PlayersPart: {
		{Name: "player", Columns: []string{"name", "pitch", "yaw", "posX", "posY", "posZ", "hp", "breath", "modification_date"},
			Keys: [][]string{{"name"}}, Updates: true},
		{Name: "player_metadata", Columns: []string{"player", "metadata", "value"}, Keys: [][]string{{"player", "metadata"}}},
		{Name: "player_inventories", Columns: []string{"player", "inv_id", "inv_width", "inv_name", "inv_size"},
			Keys: [][]string{{"player", "inv_id"}}},
		{Name: "player_inventory_items", Columns: []string{"player", "inv_id", "slot_id", "item"},
			Keys: [][]string{{"player", "inv_id", "slot_id"}}},
	},
	AuthPart: {
		{Name: "auth", Columns: []string{"name", "password", "last_login"}, Keys: [][]string{{"id"}, {"name"}}, Updates: true},
		{Name: "user_privileges", Columns: []string{"id", "privilege"}, Keys: [][]string{{"id", "privilege"}}},
	},
	StoragePart: {
		{Name: "entries", Columns: []string{"modname", "key", "value"}, Keys: [][]string{{"modname", "key"}}, Updates: true},
	},
}

// Misfits yields descriptions of what keeps the engine from writing to the SQLite file of the part in the folder of a world, each
// with the statements that mend it, if any. A file that cannot be read has none.
func (p Part) Misfits(ctx context.Context, dir string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		list, err := sqlitefile.Misfits(ctx, filepath.Join(dir, p.Files(mapdb.SQLite)[0]), engineTables[p])
		for _, m := range list {
			if err == nil && !yield("table "+m.Table+": "+m.Text, m.Mend) {
				return
			}
		}
	}
}

// schemas reports tables to which the engine cannot write. Files that cannot be read are reported elsewhere.
func (c *checker) schemas() {
	b := FindBackends(c.dir, c.world)
	for _, p := range Parts() {
		switch b.Of(p) {
		case mapdb.Postgres:
			c.postgresMisfits(p)
			continue
		case mapdb.SQLite:
		default:
			continue
		}
		for text := range p.Misfits(c.ctx, c.dir) {
			c.add(foundSchema, p.Files(mapdb.SQLite)[0], "%s", text)
		}
	}
}
