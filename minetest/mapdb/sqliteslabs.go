//go:build !js

package mapdb

import (
	"context"
	"errors"
	"iter"
	"os"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// slabs looks up the first row, then the first row after each slab.
func (db *sqliteDB) slabs(ctx context.Context, a Area) (list []Slab, rest []*RowError, ok bool, err error) {
	db.begin()
	if !db.planes {
		return nil, nil, false, nil
	}
	a = a.within()
	at, more := db.start(a)
	for more && !db.isRescued() && len(rest) <= maxOdd {
		var v int16
		if v, more, err = db.nextSlab(ctx, a, at, &rest); err != nil {
			return nil, nil, false, err
		}
		if more {
			s := slabAt(db.axis(), v)
			list = append(list, s)
			planes, _ := s.planes(db.axis())
			at = cursor{values: db.edge(planes, planes.Max), after: true}
		}
	}
	return list, rest, !db.isRescued() && len(rest) <= maxOdd, nil
}

func (db *sqliteDB) bytes(context.Context) (int64, error) {
	info, err := os.Stat(db.file.Path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// slab yields the rows of a slab as if nothing else of the file had been read, so that damage elsewhere has no
// effect.
func (db *sqliteDB) slab(ctx context.Context, s Slab, a Area) (iter.Seq2[Block, error], error) {
	db.begin()
	return slabOfPlanes(ctx, db, s, a)
}

// nextSlab returns the first coordinate of the next row, from a cursor on, whose key begins with a valid coordinate.
// Rows before it, which are in no slab, are added to rest, up to slightly more than maxOdd.
func (db *sqliteDB) nextSlab(ctx context.Context, a Area, at cursor, rest *[]*RowError) (v int16, found bool, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.file.Begin(ctx); err != nil {
		return 0, false, err
	}
	defer db.file.End()
	enough := errors.New("enough")
	where, args := db.between(a, at)
	err = sqlitex.Execute(db.file.Conn, "SELECT "+db.keyColumns()+" FROM blocks"+where+" ORDER BY "+db.keyColumns(), &sqlitex.ExecOptions{
		Args: args,
		ResultFunc: func(s *sqlite.Stmt) error {
			db.stepped++
			key, _, _ := db.rowKey(s, len(db.keyOf(Pos{})))
			if v, found = db.coordinate(key[0]); found {
				return enough
			}
			if *rest = append(*rest, db.oddRow(key)); len(*rest) > maxOdd {
				return enough
			}
			return nil
		},
	})
	if err == enough || db.rescue(ctx, err) {
		err = nil
	}
	return v, found, errors.Join(ctx.Err(), db.file.Explain(err))
}

// Count counts the rows with a valid position.
func (db *sqliteDB) Count(ctx context.Context) (int64, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	n, err := db.count(ctx)
	if db.rescue(ctx, err) {
		n, err = db.count(ctx)
	}
	return n, err
}

// count counts slab by slab, each in a separate transaction, and skips empty slabs.
func (db *sqliteDB) count(ctx context.Context) (sum int64, err error) {
	query := "SELECT count(*), (SELECT min(pos) FROM blocks WHERE pos > ?2) FROM blocks WHERE pos BETWEEN ?1 AND ?2"
	if db.schema == SchemaXYZ {
		query = "SELECT count(*), (SELECT min(x) FROM blocks WHERE x > ?1) FROM blocks WHERE x = ?1 AND z BETWEEN ?2 AND " +
			"?3 AND y BETWEEN ?2 AND ?3"
	}
	for v := int64(MinCoord); v <= MaxCoord; {
		args := []any{v, MinCoord, MaxCoord}
		if db.schema == SchemaPos {
			args = []any{Pos{MinCoord, MinCoord, int16(v)}.Key(), Pos{MaxCoord, MaxCoord, int16(v)}.Key()}
		}
		next := int64(MaxCoord + 1)
		if err := db.file.Begin(ctx); err != nil {
			return 0, err
		}
		err := sqlitex.Execute(db.file.Conn, query, &sqlitex.ExecOptions{
			Args: args,
			ResultFunc: func(s *sqlite.Stmt) error {
				sum += s.ColumnInt64(0)
				if kind := s.ColumnType(1); kind != sqlite.TypeInteger && kind != sqlite.TypeFloat {
					return nil // NULL, or a text: texts sort after all numbers
				}
				if next = s.ColumnInt64(1); db.schema == SchemaPos {
					next = (next - Pos{MinCoord, MinCoord, 0}.Key()) >> 24
				}
				return nil
			},
		})
		db.file.End()
		if err != nil {
			return 0, errors.Join(ctx.Err(), db.file.Explain(err))
		}
		v = max(v+1, next)
	}
	return sum, nil
}

// HasPlanes reports whether the blocks of a plane are one range of the primary key.
func (db *sqliteDB) HasPlanes() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.planes && db.schema == SchemaPos && !db.file.Rescued()
}

// Planes looks up the first row, then the first row after each plane.
func (db *sqliteDB) Planes(ctx context.Context, a Area) (planes []int16, odd []*RowError, ok bool, err error) {
	a = a.within()
	at, more := db.start(a)
	// Rows without a valid position are mostly before or after all others. NULL keys come first, and must be read in
	// one page.
	rows := pagePositions
	for more && db.HasPlanes() {
		pg, err := db.page(ctx, a, at, rows, false)
		if err != nil {
			return nil, nil, false, err
		}
		at, more, rows = pg.next, !pg.done, pagePositions
		for i, b := range pg.blocks {
			if row, ok := errors.AsType[*RowError](pg.errs[i]); ok {
				odd = append(odd, row)
				continue
			}
			planes = append(planes, b.Pos.Z)
			last := Pos{a.Max.X, a.Max.Y, b.Pos.Z}
			at, more, rows = cursor{values: db.keyOf(last), after: true}, true, 1
			break
		}
		if len(odd) > maxOdd {
			return nil, nil, false, nil
		}
	}
	if !db.HasPlanes() {
		return nil, nil, false, nil
	}
	return planes, odd, true, nil
}
