package world

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"trowel/internal/bin"
)

// postgresConn is a connection to a server.
type postgresConn struct{ conn *pgx.Conn }

// openPostgres connects to a server. Errors do not tell the password that may be
// in the connection string.
func openPostgres(ctx context.Context, connString string, write bool, t tables) (*sqlDB, error) {
	db := &sqlDB{file: "postgresql", write: write, begin: "BEGIN", create: t.postgres}
	conn, err := pgx.Connect(ctx, connString)
	if err != nil {
		return nil, &bin.Error{File: db.file, Offset: -1, Got: whyNot(err), Err: errConnect}
	}
	db.conn = &postgresConn{conn}
	if !write {
		err = db.conn.query(ctx, "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", nil, func([]any) error { return nil })
	}
	if err == nil {
		db.columns, err = db.conn.columns(ctx)
	}
	if err != nil {
		db.conn.close()
		return nil, &bin.Error{File: db.file, Offset: -1, Got: err.Error(), Err: err}
	}
	return db, nil
}

var errConnect = errors.New("no connection")

// whyNot tells why there is no connection, in words that have nothing of the
// connection string: a damaged one has its password in any place.
func whyNot(err error) string {
	var server *pgconn.PgError
	var system syscall.Errno
	var name *net.DNSError
	var parse *pgconn.ParseConfigError
	switch {
	case errors.As(err, &server):
		return "a server that says: " + server.Message
	case errors.As(err, &system):
		return "no connection: " + system.Error()
	case errors.As(err, &name):
		return "a server name that nobody knows"
	case errors.As(err, &parse):
		return "a connection string that cannot be understood"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "no connection in time"
	}
	return "no connection"
}

func (c *postgresConn) query(ctx context.Context, sql string, args []any, row func(values []any) error) error {
	rows, err := c.conn.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		for i, v := range values {
			values[i] = plain(v)
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// plain returns a value of PostgreSQL as one of the few types that a row has.
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

func (c *postgresConn) columns(ctx context.Context) (map[string][]string, error) {
	m := make(map[string][]string)
	const sql = "SELECT c.table_name::text, c.column_name::text FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name) WHERE t.table_type = 'BASE TABLE' AND c.table_schema = ANY(current_schemas(false))"
	err := c.query(ctx, sql, nil, func(v []any) error {
		table, column := v[0].(string), v[1].(string)
		m[table] = append(m[table], column)
		return nil
	})
	return m, err
}

func (c *postgresConn) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return c.conn.Close(ctx)
}
