package world

import (
	"context"
	"fmt"

	"trowel.example/minetest/internal/place"
)

var storageTables = tables{
	sqlite: []string{"CREATE TABLE IF NOT EXISTS entries (modname TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT " +
		"NULL, PRIMARY KEY (modname, key))"},
	postgres: []string{"CREATE TABLE IF NOT EXISTS mod_storage (modname TEXT NOT NULL, key BYTEA NOT NULL, value " +
		"BYTEA NOT NULL, PRIMARY KEY (modname, key))"},
}

// storageTable returns the name of the table, which differs between SQLite and PostgreSQL, or "" if there is none.
func (db *sqlDB) storageTable() string {
	for _, table := range []string{"entries", "mod_storage"} {
		if db.has(table) {
			return table
		}
	}
	return ""
}

var storageRows = rowsOf[*ModData]{
	names: func(db *sqlDB) string {
		if table := db.storageTable(); table != "" {
			return "SELECT DISTINCT modname FROM " + table
		}
		return ""
	},
	get:    getModData,
	put:    putModData,
	delete: deleteModData,
}

func getModData(ctx context.Context, db *sqlDB, mod string) (*ModData, error) {
	table := db.storageTable()
	if table == "" {
		return nil, ErrNotFound
	}
	m := &ModData{Mod: mod}
	at := make(map[string]int) // index of an entry, by key
	path := fmt.Sprintf("%s[%q]", table, mod)
	err := db.query(ctx, path, "SELECT key, value FROM "+table+" WHERE modname = $1", []any{mod}, func(r *row) error {
		e := Entry{[]byte(r.text(0, "key")), []byte(r.text(1, "value"))}
		i, twice := at[string(e.Key)]
		if twice {
			m.Entries[i] = e
			db.lose(path, place.Entry{Mod: mod}, "another row of the key %.40q: the last one is used", e.Key)
			return nil
		}
		at[string(e.Key)] = len(m.Entries)
		m.Entries = append(m.Entries, e)
		return nil
	})
	if err == nil && m.Entries == nil {
		err = ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

func putModData(ctx context.Context, db *sqlDB, m *ModData) error {
	table := db.storageTable()
	path := fmt.Sprintf("%s[%q]", table, m.Mod)
	if err := db.exec(ctx, path, "DELETE FROM "+table+" WHERE modname = $1", m.Mod); err != nil {
		return err
	}
	last := make(map[string]int)
	for i, e := range m.Entries {
		last[string(e.Key)] = i
	}
	for i, e := range m.Entries {
		if last[string(e.Key)] != i {
			continue
		}
		if err := db.exec(ctx, path, "INSERT INTO "+table+" (modname, key, value) VALUES ($1, $2, $3)", m.Mod, notNull(e.Key),
			notNull(e.Value)); err != nil {
			return err
		}
	}
	return nil
}

// notNull returns b, as a slice that is not NULL in a database even if it is empty.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func deleteModData(ctx context.Context, db *sqlDB, mod string) error {
	if _, err := getModData(ctx, db, mod); err != nil {
		return err
	}
	table := db.storageTable()
	return db.exec(ctx, table, "DELETE FROM "+table+" WHERE modname = $1", mod)
}
