//go:build !js

package mapdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/database"
	"trowel.example/internal/stores/server"
)

// The table as current games create it. Older games created INT columns, which work as well.
const tablePostgres = "CREATE TABLE blocks (posX SMALLINT NOT NULL, posY SMALLINT NOT NULL, posZ SMALLINT NOT " +
	"NULL, data BYTEA, PRIMARY KEY (posX, posY, posZ))"

const upsertPostgres = "INSERT INTO blocks (posx, posy, posz, data) VALUES ($1, $2, $3, $4) ON CONFLICT (posx, " +
	"posy, posz) DO UPDATE SET data = excluded.data"

// postgresData selects the columns of a row's data. Data that is too large is not sent.
func postgresData() string {
	return fmt.Sprintf("octet_length(data)::bigint, CASE WHEN octet_length(data) <= %d THEN data END", effort.BlockData.Limit(0))
}

// storePostgres is the store's name in errors; the connection string may contain a password.
const storePostgres = "PostgreSQL"

// postgresDB is a PostgreSQL database.
type postgresDB struct {
	config *pgx.ConnConfig

	columns string // see postgresData

	mu     sync.Mutex
	conn   *pgx.Conn
	closed bool
	unseen bool // see Config

	moment   bool   // see Config
	snapshot string // of the first connection, shared with the others; set by probe
}

var _ Writer = (*postgresDB)(nil)

func openPostgres(c Config, readOnly bool) (*postgresDB, error) {
	config, err := database.Postgres(c.Postgres, "pgsql_connection", c.Remote)
	if err != nil {
		return nil, err
	}
	if readOnly {
		config.RuntimeParams["default_transaction_read_only"] = "on"
	}
	// Force pages to be read from the index. A server that has no statistics of the table yet expects only a few rows
	// in a slab, and would fetch and sort the whole slab for each page.
	config.RuntimeParams["enable_sort"] = "off"
	if c.Unseen {
		config.RuntimeParams["synchronous_commit"] = "off"
	}
	return &postgresDB{config: config, columns: postgresData(), unseen: c.Unseen && !readOnly}, nil
}

// readPostgres opens a database for reading, if it has the table.
func readPostgres(ctx context.Context, c Config) (DB, error) {
	db, err := openPostgres(c, true)
	if err != nil {
		return nil, err
	}
	if db.moment = c.Moment; db.moment {
		db.config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	}
	if err := db.probe(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// probe checks whether the table exists.
func (db *postgresDB) probe(ctx context.Context) error {
	return db.do(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SELECT posx, posy, posz, data FROM blocks WHERE FALSE")
		return err
	})
}

func createPostgres(ctx context.Context, c Config) (Writer, error) {
	db, err := openPostgres(c, false)
	if err != nil {
		return nil, err
	}
	err = db.do(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, tablePostgres)
		if e := (*pgconn.PgError)(nil); errors.As(err, &e) && e.Code == "42P07" { // duplicate_table
			return fmt.Errorf("%s: table blocks: %w", storePostgres, fs.ErrExist)
		}
		return err
	})
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// Other connections of this program do not count as use: unlike a game, which writes blocks from its memory, this
// program checks the stored blocks before it changes them. So several processes can work on one database.

// goodbye is the time that the server may take to notice a closed connection.
const goodbye = time.Second

func openPostgresForWriting(ctx context.Context, c Config, force bool) (Writer, error) {
	db, err := openPostgres(c, false)
	if err != nil {
		return nil, err
	}
	if err := db.probe(ctx); err != nil {
		db.Close()
		return nil, err
	}
	if !force {
		err = db.inUse(ctx)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func (db *postgresDB) inUse(ctx context.Context) (err error) {
	others := 0
	for wait := time.Duration(0); ; wait += goodbye / 10 {
		err = db.do(ctx, func(conn *pgx.Conn) error {
			return conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "+
				"pg_backend_pid() AND backend_type = 'client backend' AND application_name <> $1", server.Application).Scan(&others)
		})
		if err != nil || others == 0 || wait >= goodbye {
			break
		}
		time.Sleep(goodbye / 10)
	}
	if err == nil && others > 0 {
		err = fmt.Errorf("%s: %w: other connections: %d", storePostgres, ErrInUse, others)
	}
	return err
}

// do runs f with the connection. It reconnects if a cancelled context has closed the connection.
func (db *postgresDB) do(ctx context.Context, f func(*pgx.Conn) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return errClosed
	}
	if db.conn == nil || db.conn.IsClosed() {
		if db.snapshot != "" {
			return db.failed(errMoment)
		}
		conn, err := db.connect(ctx)
		if err != nil {
			return err
		}
		db.conn = conn
	}
	return db.failed(f(db.conn))
}

// connect opens a connection.
func (db *postgresDB) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, db.config)
	if err == nil && db.moment {
		if err = db.enter(ctx, conn); err != nil {
			err = errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
		}
	}
	return conn, db.failed(err)
}

var errMoment = errors.New("the connection was lost, and the snapshot that was being read with it")

// enter makes a connection read the state that the first connection sees.
func (db *postgresDB) enter(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
		return err
	}
	if db.snapshot == "" {
		return conn.QueryRow(ctx, "SELECT pg_export_snapshot()").Scan(&db.snapshot)
	}
	_, err := conn.Exec(ctx, "SET TRANSACTION SNAPSHOT '"+db.snapshot+"'") // hexadecimal digits and dashes only
	return err
}

// Moment is [MomentOf].
func (db *postgresDB) Moment() (place, snapshot string) {
	if !db.moment {
		return "", ""
	}
	return database.PostgresPlace(db.config), db.snapshot
}

// MomentOf returns how other programs can read the same state as a store opened with [Config.Moment], as long as the
// store is open: the database and the name of the snapshot in it. Both are "" if no other program can.
func MomentOf(db DB) (place, snapshot string) {
	if m, ok := db.(interface{ Moment() (string, string) }); ok {
		return m.Moment()
	}
	return "", ""
}

// failed wraps an error of the client with the name of the server.
func (db *postgresDB) failed(err error) error {
	if errors.Is(err, ErrNotFound) {
		return err
	}
	return database.Wrap(database.PostgresName(db.config), err)
}

// Get returns the bytes of a block.
func (db *postgresDB) Get(ctx context.Context, p Pos) (data []byte, err error) {
	err = db.do(ctx, func(conn *pgx.Conn) error {
		data, err = db.get(ctx, conn, p)
		return err
	})
	return data, err
}

// fetch reads blocks, a page of positions at a time. It returns false if yield does.
func (db *postgresDB) fetch(ctx context.Context, all []Pos, yield func(Block, error) bool) (bool, error) {
	query := "SELECT posx::bigint, posy::bigint, posz::bigint, " + db.columns + " FROM unnest($1::int[], $2::int[], " +
		"$3::int[]) AS wanted(x, y, z) JOIN blocks ON posx = x AND posy = y AND posz = z"
	for n := pageRows; len(all) > 0; {
		n = min(n, len(all))
		at := [3][]int32{}
		for _, p := range all[:n] {
			for i, c := range p.coords() {
				at[i] = append(at[i], int32(c))
			}
		}
		pg, _, err := db.page(ctx, query, []any{at[0], at[1], at[2]}, n+1, true)
		if err != nil {
			return false, err
		}
		if !pg.done && n > 1 {
			n /= 2 // the blocks are too large
			continue
		}
		for i, b := range pg.blocks {
			if !yield(b, pg.errs[i]) {
				return false, nil
			}
		}
		all, n = all[n:], pageRows
	}
	return true, nil
}

// querier is a connection, or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (db *postgresDB) get(ctx context.Context, q querier, p Pos) ([]byte, error) {
	var size *int64
	var data []byte
	query := "SELECT " + db.columns + " FROM blocks WHERE posx = $1 AND posy = $2 AND posz = $3"
	err := q.QueryRow(ctx, query, p.X, p.Y, p.Z).Scan(&size, &data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, notFound(p)
	}
	if err != nil {
		return nil, err
	}
	return data, postgresRow(p, size)
}

// postgresRow returns the error of a row's data, or nil.
func postgresRow(p Pos, size *int64) error {
	if size == nil {
		return badRow(storePostgres, p.String(), "data", "bytes", "NULL").at(p)
	}
	return tooLarge(storePostgres, p.String(), *size, p)
}

// scan yields the rows of an area, page by page, in the order of the primary key: x, y, z.
func (db *postgresDB) scan(ctx context.Context, a Area, data bool, yield func(Block, error) bool) {
	if a = a.within(); a.Empty() {
		return
	}
	columns, rows := "", pagePositions
	if data {
		columns, rows = ", "+db.columns, 4*pageRows // a round trip to the server takes longer than a file access
	}
	query := "SELECT posx::bigint, posy::bigint, posz::bigint" + columns + " FROM blocks WHERE TRUE"
	var args []any
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d::bigint", len(args))
	}
	// Omit conditions that every valid position meets, so that rows with invalid positions are reported.
	lo, hi := a.Min.coords(), a.Max.coords()
	for i, column := range []string{"posx", "posy", "posz"} {
		if lo[i] > MinCoord || hi[i] < MaxCoord {
			query += " AND " + column + " BETWEEN " + arg(int64(lo[i])) + " AND " + arg(int64(hi[i]))
		}
	}
	first := len(args)
	following := query + " AND (posx, posy, posz) > (" + arg(int64(0)) + ", " + arg(int64(0)) + ", " + arg(int64(0)) + ")"
	query, args = query+orderPostgres(rows), args[:first]
	for {
		pg, last, err := db.page(ctx, query, args, rows, data)
		if !pg.give(err, yield) || pg.done {
			return
		}
		query, args = following+orderPostgres(rows), append(args[:first:first], last[0], last[1], last[2])
	}
}

// orderPostgres orders rows by the primary key, using the index. An unqualified posx would mean the converted column
// of the result, which the server would have to compute for all rows and sort.
func orderPostgres(rows int) string {
	return fmt.Sprintf(" ORDER BY blocks.posx, blocks.posy, blocks.posz LIMIT %d", rows)
}

// page reads one page and returns the key of its last row.
func (db *postgresDB) page(ctx context.Context, query string, args []any, most int, data bool) (pg page, last [3]int64, err error) {
	err = db.do(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for !pg.full(most) && rows.Next() {
			var size *int64
			var b Block
			into := []any{&last[0], &last[1], &last[2]}
			if data {
				into = append(into, &size, &b.Data)
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			if !data {
				size = new(int64)
			}
			pg.add(postgresBlock(last, size, b.Data))
		}
		pg.done = !pg.full(most)
		rows.Close()
		return rows.Err()
	})
	return pg, last, err
}

// postgresBlock converts the columns of a row to a block, or returns its error.
func postgresBlock(key [3]int64, size *int64, data []byte) (Block, error) {
	if !inRange(key[0]) || !inRange(key[1]) || !inRange(key[2]) {
		text := fmt.Sprint(key[0], key[1], key[2])
		return Block{}, badRow(storePostgres, text, "", "the coordinates of a block", text)
	}
	p := Pos{int16(key[0]), int16(key[1]), int16(key[2])}
	if err := postgresRow(p, size); err != nil {
		return Block{}, err
	}
	return Block{p, data}, nil
}

// Blocks yields the blocks of an area in the order of x, then y, then z.
func (db *postgresDB) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) { db.scan(ctx, a, true, yield) }
}

// inAnyOrder yields the blocks with one statement, on a separate connection.
func (db *postgresDB) inAnyOrder(ctx context.Context) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		conn, err := db.connect(ctx)
		if err != nil {
			yield(Block{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer conn.Close(context.WithoutCancel(ctx))
		defer cancel() // cancels the rest of the result
		rows, err := conn.Query(ctx, "SELECT posx::bigint, posy::bigint, posz::bigint, "+db.columns+" FROM blocks")
		if err == nil {
			defer rows.Close()
			for err == nil && rows.Next() {
				var key [3]int64
				var size *int64
				var data []byte
				if err = rows.Scan(&key[0], &key[1], &key[2], &size, &data); err == nil && !yield(postgresBlock(key, size, data)) {
					return
				}
			}
			err = errors.Join(err, rows.Err())
		}
		if err != nil {
			yield(Block{}, db.failed(err))
		}
	}
}

// Positions yields the positions of an area. The server may read the index only.
func (db *postgresDB) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return func(yield func(Pos, error) bool) {
		db.scan(ctx, a, false, func(b Block, err error) bool { return yield(b.Pos, err) })
	}
}

// Count returns the number of rows.
func (db *postgresDB) Count(ctx context.Context) (n int64, err error) {
	err = db.do(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT count(*) FROM blocks").Scan(&n)
	})
	return n, err
}

// Update runs f in a transaction on a separate connection, so that f may loop over the blocks.
func (db *postgresDB) Update(ctx context.Context, f func(Tx) error) (err error) {
	conn, err := db.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	var inside error
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		inside = f(&postgresTx{ctx, db, tx})
		return inside
	})
	if inside != nil {
		return inside
	}
	return db.failed(err)
}

type postgresTx struct {
	ctx context.Context
	db  *postgresDB
	tx  pgx.Tx
}

func (t *postgresTx) Get(p Pos) ([]byte, error) {
	data, err := t.db.get(t.ctx, t.tx, p)
	return data, t.db.failed(err)
}

func (t *postgresTx) Put(p Pos, data []byte) error {
	if err := storable(p, data); err != nil {
		return err
	}
	if data == nil {
		data = []byte{} // not NULL
	}
	_, err := t.tx.Exec(t.ctx, upsertPostgres, p.X, p.Y, p.Z, data)
	return t.db.failed(err)
}

func (t *postgresTx) Delete(p Pos) error {
	if err := storable(p, nil); err != nil {
		return err
	}
	_, err := t.tx.Exec(t.ctx, "DELETE FROM blocks WHERE posx = $1 AND posy = $2 AND posz = $3", p.X, p.Y, p.Z)
	return t.db.failed(err)
}

// Store stores blocks in one transaction: with COPY, which accepts new rows only, or otherwise row by row, without
// waiting for single answers.
func (db *postgresDB) Store(ctx context.Context, blocks []Block) error {
	columns := func(b Block) []any {
		if b.Data == nil {
			b.Data = []byte{} // not NULL
		}
		return []any{b.Pos.X, b.Pos.Y, b.Pos.Z, b.Data}
	}
	for _, b := range blocks {
		if err := storable(b.Pos, b.Data); err != nil {
			return err
		}
	}
	return db.do(ctx, func(conn *pgx.Conn) error {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{"blocks"}, []string{"posx", "posy", "posz", "data"},
			pgx.CopyFromSlice(len(blocks), func(i int) ([]any, error) {
				return columns(blocks[i]), nil
			}))
		if e := (*pgconn.PgError)(nil); !errors.As(err, &e) || e.Code != "23505" { // unique_violation
			return err
		}
		var batch pgx.Batch
		for _, b := range blocks {
			batch.Queue(upsertPostgres, columns(b)...)
		}
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return tx.SendBatch(ctx, &batch).Close() })
	})
}

func (db *postgresDB) String() string {
	return database.PostgresName(db.config)
}

// Close closes the connection.
func (db *postgresDB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	ctx := context.Background() // stored blocks reach the disk after a cancel, too
	var err error
	if db.unseen && !db.closed {
		// Once a transaction is on disk, all earlier ones are too.
		if db.conn == nil || db.conn.IsClosed() {
			db.conn, err = db.connect(ctx)
		}
		if err == nil {
			_, err = db.conn.Exec(ctx, "BEGIN; SET LOCAL synchronous_commit = on; SELECT txid_current(); COMMIT")
		}
	}
	db.closed = true
	if db.conn == nil {
		return err
	}
	return db.failed(errors.Join(err, db.conn.Close(ctx)))
}

// exchange lets the server compare each row when changing it, and sends all changes without waiting for single
// answers.
func (db *postgresDB) exchange(ctx context.Context, list []Swap) (done int, err error) {
	const where = " WHERE posx = $1 AND posy = $2 AND posz = $3 AND data = $4"
	var batch pgx.Batch
	for _, s := range list {
		if err := storable(s.Pos, s.New); err != nil {
			return 0, err
		}
		if old := append([]byte{}, s.Old...); s.New == nil {
			batch.Queue("DELETE FROM blocks"+where, s.Pos.X, s.Pos.Y, s.Pos.Z, old)
		} else {
			batch.Queue("UPDATE blocks SET data = $5"+where, s.Pos.X, s.Pos.Y, s.Pos.Z, old, s.New)
		}
	}
	var others []Swap
	err = db.do(ctx, func(conn *pgx.Conn) error {
		others = nil
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			replies := tx.SendBatch(ctx, &batch)
			for _, s := range list {
				tag, err := replies.Exec()
				if err != nil {
					return errors.Join(err, replies.Close())
				}
				if tag.RowsAffected() == 0 {
					others = append(others, s)
				}
			}
			return replies.Close()
		})
	})
	if err != nil {
		return 0, err
	}
	have, err := current(ctx, db, others)
	done = len(list) - len(others)
	for _, s := range others {
		if s.became(have[s.Pos]) {
			done++
		}
	}
	return done, err
}
