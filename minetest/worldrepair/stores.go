package worldrepair

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel/check"
	"trowel/minetest/item"
	"trowel/minetest/place"
	"trowel/minetest/world"
)

// The files of the stores that are repaired. What is on a server is not: there,
// the database itself keeps rows from going astray.
var (
	playerFiles = map[string][]string{
		world.BackendFiles:   {"players"},
		world.BackendLevelDB: {"players.db"},
		world.BackendSQLite:  {"players.sqlite", "players.sqlite-wal", "players.sqlite-journal"},
	}
	authFiles = map[string][]string{world.BackendSQLite: {"auth.sqlite", "auth.sqlite-wal", "auth.sqlite-journal"}}
)

// findPlayers looks for players whose inventory is damaged.
func (r *repair) findPlayers(ctx context.Context) (err error) {
	files := playerFiles[r.backends.Players]
	if files == nil {
		return nil
	}
	players, err := world.OpenPlayers(ctx, r.dir, r.settings, world.Options{})
	if err != nil {
		r.hopeless(files[0], err)
		return nil
	}
	defer func() { err = errors.Join(err, players.Close()) }()
	for name, err := range players.Names(ctx) {
		var p *world.Player
		if err == nil {
			p, err = players.Get(ctx, name)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		where := fmt.Sprintf("%s:%s", files[0], name)
		if err != nil {
			r.hopeless(where, err)
			continue
		}
		if p.Broken == nil || p.Inventory != nil {
			continue
		}
		_, err = item.SalvageInventory(p.Broken)
		if r.opts.Sink != nil {
			r.opts.Sink.AddAt(foundPlayer, []check.Place{place.Player(name)}, where, -1, "%v", err)
		}
		r.players = append(r.players, name)
		r.report.Players++
	}
	if len(r.players) == 0 {
		return nil
	}
	return r.backup.store(files)
}

// mendPlayers writes what can be read of their inventories.
func (r *repair) mendPlayers(ctx context.Context) (err error) {
	if len(r.players) == 0 {
		return nil
	}
	players, err := world.OpenPlayers(ctx, r.dir, r.settings, world.Options{Write: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, players.Close()) }()
	for _, name := range r.players {
		p, err := players.Get(ctx, name)
		if err != nil {
			return err
		}
		p.Inventory, _ = item.SalvageInventory(p.Broken) // what is wrong was told
		p.Broken = nil
		if err := players.Put(ctx, p); err != nil {
			return err
		}
	}
	return players.Commit(ctx)
}

// orphans is rows of an SQLite file that belong to nobody.
type orphans struct{ file, table, where string }

// findOrphans looks for rows that belong to nobody: engines without foreign keys
// leave them.
func (r *repair) findOrphans(ctx context.Context) error {
	const nobody = "player NOT IN (SELECT name FROM player)"
	var backed string
	for _, o := range []struct {
		orphans
		owner string
		used  bool
	}{
		{orphans{"players.sqlite", "player_metadata", nobody}, "player", r.backends.Players == world.BackendSQLite},
		{orphans{"players.sqlite", "player_inventories", nobody}, "player", r.backends.Players == world.BackendSQLite},
		{orphans{"players.sqlite", "player_inventory_items", nobody}, "player", r.backends.Players == world.BackendSQLite},
		{orphans{"auth.sqlite", "user_privileges", "id NOT IN (SELECT id FROM auth)"}, "auth", r.backends.Auth == world.BackendSQLite},
	} {
		if !o.used {
			continue
		}
		n, err := r.countOrphans(ctx, o.orphans, o.owner)
		if err != nil {
			r.hopeless(o.file+":"+o.table, err)
			continue
		}
		if n == 0 {
			continue
		}
		r.tell(foundOrphans, o.file+":"+o.table, "%d rows", n)
		r.report.Orphans += n
		r.orphans = append(r.orphans, o.orphans)
		if backed == o.file {
			continue
		}
		backed = o.file
		files := authFiles[world.BackendSQLite]
		if o.owner == "player" {
			files = playerFiles[world.BackendSQLite]
		}
		if err := r.backup.store(files); err != nil {
			return err
		}
	}
	return nil
}

// openSQLite opens a file of the world. A file that does not exist, or is empty as
// the engine leaves it when it has nothing to write, gives nil.
func (r *repair) openSQLite(file string, flags sqlite.OpenFlags) (*sqlite.Conn, error) {
	path := filepath.Join(r.dir, file)
	st, err := os.Stat(path)
	if missing(err) || err == nil && st.Size() == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(conn.SetDefensive(true), sqlitex.ExecuteTransient(conn, "PRAGMA trusted_schema = OFF", nil)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// countOrphans counts rows. It needs no write access, but leaves the file to the
// writer if another program has left its log there.
func (r *repair) countOrphans(ctx context.Context, o orphans, owner string) (n int64, err error) {
	conn, err := r.openSQLite(o.file, sqlite.OpenReadOnly)
	if err != nil || conn == nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	tables := 0
	count := func(to *int64) *sqlitex.ExecOptions {
		return &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { *to = s.ColumnInt64(0); return nil }}
	}
	var there int64
	for _, table := range []string{o.table, owner} {
		opts := count(&there)
		opts.Args = []any{table}
		if err := sqlitex.ExecuteTransient(conn, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?", opts); err != nil {
			return 0, err
		}
		tables += int(there)
	}
	if tables < 2 {
		return 0, nil
	}
	return n, sqlitex.ExecuteTransient(conn, "SELECT count(*) FROM "+o.table+" WHERE "+o.where, count(&n))
}

// deleteOrphans deletes the rows, with a transaction for each file.
func (r *repair) deleteOrphans(ctx context.Context) error {
	for len(r.orphans) > 0 {
		file := r.orphans[0].file
		var same, others []orphans
		for _, o := range r.orphans {
			if o.file == file {
				same = append(same, o)
			} else {
				others = append(others, o)
			}
		}
		if err := r.deleteFrom(ctx, file, same); err != nil {
			return err
		}
		r.orphans = others
	}
	return nil
}

func (r *repair) deleteFrom(ctx context.Context, file string, list []orphans) (err error) {
	conn, err := r.openSQLite(file, sqlite.OpenReadWrite)
	if err != nil || conn == nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	for _, o := range list {
		if err := sqlitex.ExecuteTransient(conn, "DELETE FROM "+o.table+" WHERE "+o.where, nil); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}
