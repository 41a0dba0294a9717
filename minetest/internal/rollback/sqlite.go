//go:build !js

package rollback

import (
	"context"
	"errors"
	"iter"
	"math"
	"os"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/minetest/mapdb"
)

func init() { open, trim = openSQLite, trimSQLite }

func openSQLite(ctx context.Context, path string) (reader, error) {
	file, err := sqlitefile.OpenOrRescue(ctx, path, tables)
	if err != nil {
		return nil, err
	}
	return &sqliteDB{file}, nil
}

// where returns the condition and its arguments.
func (f *Filter) where() (sql string, args []any) {
	all := []string{"1"}
	add := func(text string, values ...any) {
		all, args = append(all, text), append(args, values...)
	}
	if a := f.Area; a != nil {
		add("x BETWEEN ? AND ? AND y BETWEEN ? AND ? AND z BETWEEN ? AND ?", a[0][0], a[1][0], a[0][1], a[1][1], a[0][2], a[1][2])
	}
	if f.Actor != "" {
		add("actor IN (SELECT id FROM actor WHERE name IN (?, ?))", f.Actor, "player:"+f.Actor)
	}
	if !f.Since.IsZero() {
		add("timestamp >= ?", f.Since.Unix())
	}
	if !f.Until.IsZero() {
		add("timestamp < ?", f.Until.Unix())
	}
	return strings.Join(all, " AND "), args
}

// sqliteDB reads with SQLite.
type sqliteDB struct{ file *sqlitefile.File }

// tables are the statements with which the engine creates the tables.
var tables = []string{
	"CREATE TABLE actor (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL)",
	"CREATE TABLE node (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL)",
	"CREATE TABLE action (id INTEGER PRIMARY KEY AUTOINCREMENT, actor INTEGER NOT NULL, timestamp TIMESTAMP NOT NULL, " +
		"type INTEGER NOT NULL, " +
		"list TEXT, `index` INTEGER, `add` INTEGER, stackNode INTEGER, stackQuantity INTEGER, nodeMeta INTEGER, x INT, y INT, z INT, " +
		"oldNode INTEGER, oldParam1 INTEGER, oldParam2 INTEGER, oldMeta TEXT, newNode INTEGER, newParam1 INTEGER, " +
		"newParam2 INTEGER, newMeta TEXT, guessedActor INTEGER)",
}

func (db *sqliteDB) Close() error { return db.file.Close() }

// query runs a query and calls row for each row. If SQLite meets damage, it runs the query again on the rescued data,
// and returns an error about lost rows at the end.
func (db *sqliteDB) query(ctx context.Context, sql string, args []any, row func(*sqlite.Stmt) error) error {
	err := query(ctx, db.file.Conn, sql, args, row)
	if sqlitefile.IsDamage(err) && !db.file.Rescued() {
		if err := db.file.Rescue(ctx, tables); err != nil {
			return err
		}
		err = query(ctx, db.file.Conn, sql, args, row)
	}
	if err != nil {
		return err
	}
	for _, l := range db.file.Losses() {
		if l.Rows {
			err = errors.Join(err, lost("%s", l.Text))
		}
	}
	return err
}

// query runs a query and calls row for each row.
func query(ctx context.Context, conn *sqlite.Conn, sql string, args []any, row func(*sqlite.Stmt) error) error {
	conn.SetInterrupt(ctx.Done())
	defer conn.SetInterrupt(nil)
	err := sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: row})
	if err == nil || ctx.Err() != nil || errors.Is(err, errStop) {
		return errors.Join(ctx.Err(), err)
	}
	return &fault.Error{File: File, Offset: -1, Got: sqlitefile.Why(err), Err: err}
}

// selectActions begins a query whose rows actionOf reads.
const selectActions = "SELECT action.id, IFNULL(actor.name, ''), IFNULL(guessedActor, 0), timestamp, type, x, y, z, " +
	"IFNULL(o.name, ''), IFNULL(oldParam1, 0), IFNULL(oldParam2, 0), IFNULL(oldMeta, ''), " +
	"IFNULL(n.name, ''), IFNULL(newParam1, 0), IFNULL(newParam2, 0), IFNULL(newMeta, ''), " +
	"IFNULL(list, ''), IFNULL(`index`, 0), IFNULL(`add`, 0), IFNULL(s.name, ''), IFNULL(stackQuantity, 0), " +
	"actor.id IS NULL, oldNode > 0 AND o.id IS NULL, newNode > 0 AND n.id IS NULL, stackNode > 0 AND s.id IS NULL " +
	"FROM action LEFT JOIN actor ON actor.id = action.actor LEFT JOIN node o ON o.id = oldNode " +
	"LEFT JOIN node n ON n.id = newNode LEFT JOIN node s ON s.id = stackNode WHERE "

// actionOf returns the action of a row, and an error about names that are lost.
func actionOf(s *sqlite.Stmt) (a Action, err error) {
	a = Action{
		ID: s.ColumnInt64(0), Actor: s.ColumnText(1), Guessed: s.ColumnInt(2) != 0,
		Time: time.Unix(s.ColumnInt64(3), 0).UTC(), Type: Type(s.ColumnInt(4)),
		Pos: [3]int{s.ColumnInt(5), s.ColumnInt(6), s.ColumnInt(7)}, HasPos: s.ColumnType(5) != sqlite.TypeNull,
		Old:  Node{s.ColumnText(8), uint8(s.ColumnInt(9)), uint8(s.ColumnInt(10)), s.ColumnText(11)},
		New:  Node{s.ColumnText(12), uint8(s.ColumnInt(13)), uint8(s.ColumnInt(14)), s.ColumnText(15)},
		List: s.ColumnText(16), Slot: s.ColumnInt(17), Added: s.ColumnInt(18) != 0,
		Item: s.ColumnText(19), Count: s.ColumnInt(20),
	}
	for i, what := range []string{"actor", "old node", "new node", "item"} {
		if s.ColumnBool(21 + i) {
			err = errors.Join(err, lost("action %d has no name for the %s", a.ID, what))
		}
	}
	return a, err
}

func (db *sqliteDB) Actions(ctx context.Context, f Filter) iter.Seq2[Action, error] {
	return func(yield func(Action, error) bool) {
		where, args := f.where()
		sql := selectActions + where + " ORDER BY timestamp DESC, action.id DESC"
		// All rows are sorted before the first one is returned, so a second run repeats none.
		err := db.query(ctx, sql, args, func(s *sqlite.Stmt) error {
			if a, err := actionOf(s); !yield(a, err) {
				return errStop
			}
			return nil
		})
		if err == nil && f.Actor != "" {
			err = db.nobody(ctx)
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(Action{}, err)
		}
	}
}

func (db *sqliteDB) All(ctx context.Context) iter.Seq2[Action, error] {
	return func(yield func(Action, error) bool) {
		after := []any{int64(math.MinInt64)} // a second run continues after the last row of the first one
		err := db.query(ctx, selectActions+"action.id > ? ORDER BY action.id", after, func(s *sqlite.Stmt) error {
			a, err := actionOf(s)
			if after[0] = a.ID; !yield(a, err) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Action{}, err)
		}
	}
}

func (db *sqliteDB) Deeds(ctx context.Context, since, until time.Time) iter.Seq2[Deed, error] {
	return func(yield func(Deed, error) bool) {
		f := Filter{Since: since, Until: until}
		where, args := f.where()
		// All rows are sorted before the first one is returned, so a second run repeats none.
		err := db.query(ctx, "SELECT IFNULL(actor.name, ''), IFNULL(guessedActor, 0), timestamp, x, y, z FROM action "+
			"LEFT JOIN actor ON actor.id = action.actor WHERE "+where+" AND x IS NOT NULL ORDER BY timestamp, action.id", args,
			func(s *sqlite.Stmt) error {
				d := Deed{s.ColumnText(0), s.ColumnInt(1) != 0, time.Unix(s.ColumnInt64(2), 0).UTC(),
					[3]int{s.ColumnInt(3), s.ColumnInt(4), s.ColumnInt(5)}}
				if !yield(d, nil) {
					return errStop
				}
				return nil
			})
		if err != nil && !errors.Is(err, errStop) {
			yield(Deed{}, err)
		}
	}
}

// nobody returns an error if there are actions whose actor has lost its name.
func (db *sqliteDB) nobody(ctx context.Context) error {
	n := int64(0)
	err := db.query(ctx, "SELECT COUNT(*) FROM action WHERE actor NOT IN (SELECT id FROM actor)", nil, func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	})
	if err == nil && n > 0 {
		err = lost("actions without a name of the actor: %d", n)
	}
	return err
}

func (db *sqliteDB) Count(ctx context.Context, f Filter) (n int64, err error) {
	where, args := f.where()
	err = db.query(ctx, "SELECT COUNT(*) FROM action WHERE "+where, args, func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	})
	if err == nil && f.Actor != "" {
		err = db.nobody(ctx)
	}
	return n, err
}

func count(ctx context.Context, conn *sqlite.Conn, f Filter) (n int64, err error) {
	where, args := f.where()
	err = query(ctx, conn, "SELECT COUNT(*) FROM action WHERE "+where, args, func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	})
	return n, err
}

func (db *sqliteDB) Blocks(ctx context.Context) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		once := blocksOnce(yield)
		err := db.query(ctx, "SELECT DISTINCT x >> 4, y >> 4, z >> 4 FROM action WHERE x IS NOT NULL", nil, func(s *sqlite.Stmt) error {
			if !once([3]int64{s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(2)}) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(mapdb.Pos{}, err)
		}
	}
}

func trimSQLite(ctx context.Context, path string, before time.Time) (n int64, err error) {
	if _, err := os.Stat(path); err != nil {
		return 0, err // does not create the file
	}
	if err := filelock.CheckUnused(path); err != nil {
		return 0, err
	}
	file, err := sqlitefile.Writable(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	none := func(*sqlite.Stmt) error { return nil }
	old := Filter{Until: before}
	if n, err = count(ctx, file.Conn, old); err != nil || n == 0 {
		return 0, err
	}
	where, args := old.where()
	if err := query(ctx, file.Conn, "DELETE FROM action WHERE "+where, args, none); err != nil {
		return 0, err
	}
	file.Conn.Limit(sqlite.LimitAttached, 1) // VACUUM attaches another database to copy into
	return n, query(ctx, file.Conn, "VACUUM", nil, none)
}
