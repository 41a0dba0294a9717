package world

import (
	"context"
	"slices"
	"testing"
)

// catalogConn answers the two queries of a catalog.
type catalogConn struct {
	sqlConn
	fields, keys [][]any
}

func (c catalogConn) query(_ context.Context, sql string, _ []any, row func([]any) error) error {
	rows := c.keys
	if sql == columnsPostgres {
		rows = c.fields
	}
	for _, r := range rows {
		if err := row(r); err != nil {
			return err
		}
	}
	return nil
}

// TestPostgresCatalog tests what is found in catalogs of PostgreSQL.
func TestPostgresCatalog(t *testing.T) {
	columns := func(more ...[]any) [][]any {
		return append([][]any{{"posx", int64(1)}, {"posy", int64(1)}, {"posz", int64(1)}, {"data", int64(0)}}, more...)
	}
	key := []any{"blocks_pkey", "blocks_pkey", "posx posy posz"}
	for name, c := range map[string]struct {
		conn catalogConn
		want []string
	}{
		"no table": {catalogConn{}, nil},
		"sound":    {catalogConn{fields: columns(), keys: [][]any{key}}, nil},
		"extended": {catalogConn{fields: columns([]any{"mtime", int64(0)}), keys: [][]any{key, {"more", "", "mtime posx posy posz"}}}, nil},
		"column": {catalogConn{fields: columns([]any{"owner", int64(1)}), keys: [][]any{key}},
			[]string{`ALTER TABLE blocks ALTER COLUMN "owner" DROP NOT NULL`}},
		"renamed": {catalogConn{fields: columns(), keys: [][]any{{"old", "old", "posx posy posz"}}},
			[]string{`ALTER TABLE blocks RENAME CONSTRAINT "old" TO blocks_pkey`}},
		"index only": {catalogConn{fields: columns(), keys: [][]any{{"i", "", "posx posy posz"}}},
			[]string{"ALTER TABLE blocks ADD CONSTRAINT blocks_pkey PRIMARY KEY (posx, posy, posz)"}},
		"too strict": {catalogConn{fields: columns(), keys: [][]any{key, {"i", "", "data"}}}, []string{`DROP INDEX "i"`}},
		"missing":    {catalogConn{fields: columns()[1:], keys: [][]any{key}}, []string{""}},
	} {
		list, err := postgresMisfits(context.Background(), c.conn, postgresTables[MapPart])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range list {
			got = append(got, m.Mend...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
