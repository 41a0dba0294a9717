package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/minetest/mapdb"
)

// postgresTables are the tables of each part in PostgreSQL, as the engine writes them. It replaces rows by the constraint
// TABLE_pkey in the tables with Updates.
var postgresTables = [...][]sqlitefile.Table{
	MapPart: {
		{Name: "blocks", Columns: []string{"posx", "posy", "posz", "data"}, Keys: [][]string{{"posx", "posy", "posz"}}, Updates: true},
	},
	PlayersPart: {
		{Name: "player", Columns: []string{"name", "pitch", "yaw", "posx", "posy", "posz", "hp", "breath", "modification_date"},
			Keys: [][]string{{"name"}}, Updates: true},
		{Name: "player_metadata", Columns: []string{"player", "attr", "value"}, Keys: [][]string{{"player", "attr"}}},
		{Name: "player_inventories", Columns: []string{"player", "inv_id", "inv_width", "inv_name", "inv_size"},
			Keys: [][]string{{"player", "inv_id"}}},
		{Name: "player_inventory_items", Columns: []string{"player", "inv_id", "slot_id", "item"},
			Keys: [][]string{{"player", "inv_id", "slot_id"}}},
	},
	AuthPart: {
		{Name: "auth", Columns: []string{"name", "password", "last_login"}, Keys: [][]string{{"id"}, {"name"}}},
		{Name: "user_privileges", Columns: []string{"id", "privilege"}, Keys: [][]string{{"id", "privilege"}}},
	},
	StoragePart: {
		{Name: "mod_storage", Columns: []string{"modname", "key", "value"}, Keys: [][]string{{"modname", "key"}}, Updates: true},
	},
}

// visible selects the tables of a name that the statements of the engine find. All users can read the catalog.
const visible = "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_%s ON %s = c.oid WHERE c.relname = $1 AND c.relkind IN ('r', 'p') AND " +
	"pg_catalog.pg_table_is_visible(c.oid)"

var (
	// columnsPostgres selects the columns, and whether they need a value.
	columnsPostgres = "SELECT a.attname::text, CASE WHEN a.attnotnull AND NOT a.atthasdef AND " +
		"coalesce(to_jsonb(a)->>'attidentity', '') = '' THEN 1 ELSE 0 END " +
		fmt.Sprintf(visible, "attribute a", "a.attrelid") + " AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
	// keysPostgres selects the name of each unique index, the name of its constraint or "", and its sorted columns.
	keysPostgres = "SELECT n.relname::text, coalesce((SELECT k.conname::text FROM pg_catalog.pg_constraint k WHERE k.conindid = n.oid AND " +
		"k.contype IN ('p', 'u') AND NOT k.condeferrable LIMIT 1), ''), (SELECT string_agg(a.attname::text, ' ' ORDER BY a.attname::text) " +
		"FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY((i.indkey::int2[])[0:" +
		"coalesce((to_jsonb(i)->>'indnkeyatts')::int, i.indnatts) - 1])) " +
		fmt.Sprintf(visible, "index i JOIN pg_catalog.pg_class n ON n.oid = i.indexrelid", "i.indrelid") +
		" AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL ORDER BY n.relname"
)

// postgresMisfits returns what keeps the engine from changing tables of PostgreSQL, as the catalog describes them. The engine creates
// tables that do not exist. What functions of triggers need is not in the catalog.
func postgresMisfits(ctx context.Context, conn sqlConn, tables []sqlitefile.Table) (list []sqlitefile.Misfit, err error) {
	for _, t := range tables {
		add := func(mend, format string, args ...any) {
			list = append(list, sqlitefile.Misfit{Table: t.Name, Text: fmt.Sprintf(format, args...), Mend: []string{mend}})
		}
		var columns, needed []string
		err := conn.query(ctx, columnsPostgres, []any{t.Name}, func(v []any) error {
			name, _ := v[0].(string)
			if columns = append(columns, name); v[1] == int64(1) && !slices.Contains(t.Columns, name) {
				needed = append(needed, name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(columns) == 0 {
			continue
		}
		missing := slices.DeleteFunc(slices.Clone(t.Columns), func(name string) bool { return slices.Contains(columns, name) })
		if len(missing) > 0 {
			add("", "no column %s", strings.Join(missing, ", "))
			continue
		}
		for _, name := range needed {
			add(fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %q DROP NOT NULL", t.Name, name),
				"the column %.60q must not be NULL and has no default, and the engine writes no value", name)
		}
		constraint, same, found := t.Name+"_pkey", "", false
		err = conn.query(ctx, keysPostgres, []any{t.Name}, func(v []any) error {
			index, _ := v[0].(string)
			name, _ := v[1].(string)
			text, _ := v[2].(string)
			set := strings.Fields(text)
			contains := func(key []string) bool {
				return !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(set, c) })
			}
			switch {
			case len(set) == len(t.Keys[0]) && contains(t.Keys[0]):
				if found = found || name == constraint; name != "" {
					same = name
				}
			case !slices.ContainsFunc(t.Keys, contains):
				mend := fmt.Sprintf("DROP INDEX %q", index)
				if name != "" {
					mend = fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %q", t.Name, name)
				}
				add(mend, "rows must have different values of %s, and the engine writes equal ones", strings.Join(set, ", "))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if t.Updates && !found {
			mend := fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %s PRIMARY KEY (%s)", t.Name, constraint, strings.Join(t.Keys[0], ", "))
			if same != "" {
				mend = fmt.Sprintf("ALTER TABLE %s RENAME CONSTRAINT %q TO %s", t.Name, same, constraint)
			}
			add(mend, "there is no constraint %s of %s, which the engine names", constraint, strings.Join(t.Keys[0], ", "))
		}
	}
	return list, nil
}

// postgresMisfits reports tables of PostgreSQL to which the engine cannot write. A server that is not asked is reported elsewhere.
func (c *checker) postgresMisfits(p Part) {
	setting := p.Connection(mapdb.Postgres)[0]
	text, _ := c.world.Get(setting)
	db, err := openPostgres(c.ctx, text, setting, c.opts, tables{})
	if err == nil {
		var list []sqlitefile.Misfit
		list, err = postgresMisfits(c.ctx, db.conn, postgresTables[p])
		for _, m := range list {
			hint := ""
			if m.Mend[0] != "" {
				hint = " (" + m.Mend[0] + ")"
			}
			c.add(foundSchema, p.label(mapdb.Postgres), "table %s: %s%s", m.Table, m.Text, hint)
		}
		err = errors.Join(err, db.close())
	}
	if Failed(err) {
		c.unreadable(p.label(mapdb.Postgres), err)
	}
}
