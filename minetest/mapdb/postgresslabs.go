//go:build !js

package mapdb

import (
	"context"
	"iter"

	"github.com/jackc/pgx/v5"
)

func (db *postgresDB) axis() int { return alongX }

// postgresPlanes queries whether a condition on posx can match every row: posx must be an integer and NOT NULL, as in
// all tables that games create.
const postgresPlanes = "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'blocks'::regclass AND attname = " +
	"'posx' AND attnotnull AND atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype))"

// postgresSlabs looks up the first x, then the first x after each slab.
const postgresSlabs = `WITH RECURSIVE slab(x) AS (
	SELECT min(posx)::bigint FROM blocks WHERE posx BETWEEN $1::bigint AND $2::bigint
UNION ALL
	SELECT (SELECT min(posx)::bigint FROM blocks WHERE posx > (x | 15) AND posx <= $2::bigint) FROM slab WHERE x IS NOT NULL
) SELECT x FROM slab WHERE x IS NOT NULL`

func (db *postgresDB) slabs(ctx context.Context, a Area) (list []Slab, rest []*RowError, ok bool, err error) {
	within := a.within()
	err = db.do(ctx, func(conn *pgx.Conn) error {
		if err := conn.QueryRow(ctx, postgresPlanes).Scan(&ok); err != nil || !ok {
			return err
		}
		rows, err := conn.Query(ctx, postgresSlabs, int64(within.Min.X), int64(within.Max.X))
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		for _, x := range all {
			list = append(list, slabAt(alongX, int16(x)))
		}
		return err
	})
	if err != nil || !ok || a != All() {
		return list, nil, ok, err
	}
	for _, outside := range []struct {
		op string
		x  int64
	}{{"<", MinCoord}, {">", MaxCoord}} {
		query := "SELECT posx::bigint, posy::bigint, posz::bigint FROM blocks WHERE posx " + outside.op + " $1::bigint"
		pg, _, err := db.page(ctx, query+orderPostgres(maxOdd+1), []any{outside.x}, maxOdd+1, false)
		if err != nil {
			return nil, nil, false, err
		}
		for _, err := range pg.errs {
			rest = append(rest, err.(*RowError))
		}
	}
	return list, rest, len(rest) <= maxOdd, nil
}

func (db *postgresDB) bytes(ctx context.Context) (n int64, err error) {
	err = db.do(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT pg_table_size('blocks')").Scan(&n)
	})
	return n, err
}

func (db *postgresDB) slab(ctx context.Context, s Slab, a Area) (iter.Seq2[Block, error], error) {
	return slabOfPlanes(ctx, db, s, a)
}
