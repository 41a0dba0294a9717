//go:build !js

package mapdb

import (
	"context"
	"errors"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// maxGap is the maximum distance between two consecutive blocks that one query reads. The query also reads the blocks
// between them.
const maxGap = 8

// fetch reads blocks in key order, thousands per transaction.
func (db *sqliteDB) fetch(ctx context.Context, all []Pos, yield func(Block, error) bool) (bool, error) {
	all = slices.Clone(all)
	slices.SortFunc(all, db.order.compare)
	for len(all) > 0 {
		pg, n, lost, err := db.fetchPage(ctx, all)
		for _, l := range lost {
			if !yield(Block{}, l) {
				return false, nil
			}
		}
		if err != nil {
			return false, err
		}
		if !pg.give(nil, yield) {
			return false, nil
		}
		all = all[n:]
	}
	return true, nil
}

// fetchPage reads the first blocks of all in one transaction and returns their number. If the file turns out to be
// damaged, it reads the rescued data and returns the losses.
func (db *sqliteDB) fetchPage(ctx context.Context, all []Pos) (pg page, n int, lost []*RowError, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.file.Begin(ctx); err != nil {
		return pg, 0, nil, err
	}
	defer func() { db.file.End() }()
	if pg, n, err = db.fetchRows(all); db.rescue(ctx, err) {
		lost = db.damage(db.file, true)
		pg, n, err = db.fetchRows(all)
	}
	if err != nil {
		err = errors.Join(ctx.Err(), db.file.Explain(err))
	}
	return pg, n, lost, err
}

// fetchRows reads until the page is full and returns the number of positions done.
func (db *sqliteDB) fetchRows(all []Pos) (pg page, n int, err error) {
	pg.until = time.Now().Add(pageTime)
	defer sqlitex.Transaction(db.file.Conn)(&err)
	where, last := "pos BETWEEN ? AND ?", 0
	if db.schema == SchemaXYZ {
		where, last = "x = ? AND z = ? AND y BETWEEN ? AND ?", 2
	}
	query := "SELECT " + db.keyColumns() + ", " + db.columns + " FROM blocks WHERE " + where + " ORDER BY " + db.keyColumns()
	for n < len(all) && !pg.full(pagePositions) {
		end := n + 1
		for end < len(all) && db.isNear(all[end-1], all[end]) {
			end++
		}
		row, i := all[n:end], 0
		err := sqlitex.Execute(db.file.Conn, query, &sqlitex.ExecOptions{
			Args: append(db.keyOf(row[0]), db.keyOf(row[len(row)-1])[last]),
			ResultFunc: func(s *sqlite.Stmt) error {
				key, pos, _ := db.rowKey(s, last+1)
				for i < len(row) && db.order.compare(row[i], pos) < 0 {
					i++
				}
				if pg.full(pagePositions) {
					return errEnough
				}
				if i < len(row) && row[i] == pos {
					data, err := db.data(s, last+1, key, pos)
					pg.add(Block{pos, data}, err)
					i++
				}
				return nil
			},
		})
		if err == nil {
			i = len(row)
		} else if err != errEnough {
			return pg, n, err
		}
		n += i
	}
	return pg, n, nil
}

// isNear reports whether one query reads both blocks.
func (db *sqliteDB) isNear(a, b Pos) bool {
	x, y, o := a.coords(), b.coords(), db.order
	return x[o[0]] == y[o[0]] && x[o[1]] == y[o[1]] && y[o[2]]-x[o[2]] <= maxGap
}
