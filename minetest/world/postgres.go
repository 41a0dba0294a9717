//go:build !js

package world

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"trowel.example/internal/stores/database"
	"trowel.example/minetest/mapdb"
)

// postgresConn is a connection to a server.
type postgresConn struct {
	conn *pgx.Conn
	name string // of the server
}

// openPostgres connects to the server that a setting of world.mt, or the caller, names. Errors do not contain the
// password of the connection string.
func openPostgres(ctx context.Context, connString, setting string, opts Options, t tables) (*sqlDB, error) {
	config, err := database.Postgres(connString, setting, opts.Remote)
	if err != nil {
		return nil, err
	}
	snapshot := ""
	if opts.Moment != nil && !opts.Write {
		place, of := mapdb.MomentOf(opts.Moment)
		if place != "" && place == database.PostgresPlace(config) {
			snapshot = of
			config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
		}
	}
	c := &postgresConn{name: database.PostgresName(config)}
	db := &sqlDB{file: mapdb.Postgres, write: opts.Write, lost: opts.Lost, begin: "BEGIN", create: t.postgres, conn: c}
	if c.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, database.Wrap(c.name, err)
	}
	if !opts.Write {
		err = db.conn.query(ctx, "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", nil, func([]any) error { return nil })
	}
	if err == nil && snapshot != "" {
		if _, err = c.conn.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); err == nil {
			_, err = c.conn.Exec(ctx, "SET TRANSACTION SNAPSHOT '"+snapshot+"'") // hexadecimal digits and dashes
		}
		err = database.Wrap(c.name, err)
	}
	if err == nil {
		db.columns, err = db.conn.columns(ctx)
	}
	if err != nil {
		db.conn.close()
		return nil, err
	}
	return db, nil
}

func (c *postgresConn) query(ctx context.Context, sql string, args []any, row func(values []any) error) error {
	rows, err := c.conn.Query(ctx, sql, args...)
	if err != nil {
		return database.Wrap(c.name, err)
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return database.Wrap(c.name, err)
		}
		for i, v := range values {
			values[i] = plain(v)
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return database.Wrap(c.name, rows.Err())
}

// plain converts a value of PostgreSQL to one of the types that a row can contain.
func plain(v any) any {
	switch v := v.(type) {
	case nil, string, []byte, int64, float64, time.Time:
		return v
	case int32:
		return int64(v)
	case int16:
		return int64(v)
	case float32:
		return float64(v)
	case pgtype.Numeric:
		if f, err := v.Float64Value(); err == nil && f.Valid {
			return f.Float64
		}
	}
	return fmt.Sprint(v)
}

func (c *postgresConn) missingSlots(ctx context.Context, row func(values []any) error) error {
	return c.query(ctx, missingSlots, nil, row)
}

func (c *postgresConn) columns(ctx context.Context) (map[string][]string, error) {
	m := make(map[string][]string)
	const sql = "SELECT c.table_name::text, c.column_name::text FROM information_schema.columns c JOIN " +
		"information_schema.tables t USING (table_schema, table_name) WHERE t.table_type = 'BASE TABLE' AND " +
		"c.table_schema = ANY(current_schemas(false))"
	err := c.query(ctx, sql, nil, func(v []any) error {
		table, column := v[0].(string), v[1].(string)
		m[table] = append(m[table], column)
		return nil
	})
	return m, err
}

func (c *postgresConn) close() error {
	// A canceled caller also closes.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return c.conn.Close(ctx)
}
