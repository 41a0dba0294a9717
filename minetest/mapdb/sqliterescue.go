package mapdb

import (
	"context"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/inuse"
	"trowel.example/internal/sqlitefile"
)

// rescue takes what can be read of the pages of the file in place of what SQLite reads of
// it, if that has met damage, and reports whether there is anything else to be read now.
func (db *sqliteDB) rescue(ctx context.Context, err error) bool {
	if !db.rescues || !sqlitefile.IsDamage(err) || db.file.Rescued() {
		return false
	}
	if db.rescued == nil {
		f := &sqlitefile.File{Path: db.file.Path}
		if f.Rescue(ctx, knownTables) != nil {
			f.Close()
			return false
		}
		db.rescued = f
	}
	db.sound, db.file = db.file, db.rescued
	return true
}

// begin reads the file again as SQLite does, as if nothing of it had been read before.
func (db *sqliteDB) begin() {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.sound != nil {
		db.file, db.sound = db.sound, nil
	}
}

// isRescued reports whether what was rescued is read.
func (db *sqliteDB) isRescued() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.file.Rescued()
}

// losses are errors about what of the file was not rescued.
func (db *sqliteDB) losses() []*RowError {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.damage(db.file, true)
}

// Damage returns what of the file is damaged without a block being lost by it.
func (db *sqliteDB) Damage() []*RowError {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.rescued != nil {
		return db.damage(db.rescued, false) // whatever is read by now
	}
	return db.damage(db.file, false)
}

func (db *sqliteDB) damage(f *sqlitefile.File, rows bool) (list []*RowError) {
	for _, l := range f.Losses() {
		if l.Rows == rows {
			list = append(list, db.lossError(l))
		}
	}
	return list
}

// Verify looks through the whole file for damage that reading does not meet, such as an
// index that does not lead to all rows. If there is any, what can be rescued is read from
// then on. A file that a program has open is left alone: it would have to wait.
func (db *sqliteDB) Verify(ctx context.Context) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if !db.rescues || db.file.Rescued() || inuse.By(db.file.Path) != "" {
		return nil
	}
	sound, err := db.file.Sound(ctx)
	if err != nil || sound {
		return err
	}
	return db.file.Rescue(ctx, knownTables)
}

func (db *sqliteDB) lossError(l sqlitefile.Loss) *RowError {
	offset := int64(-1)
	if len(l.At) > 0 {
		offset = l.At[0].(check.Span).Offset
	}
	return &RowError{At: l.At, Err: &fault.Error{File: db.file.Path, Offset: offset, Got: l.Text, Err: fault.ErrFormat}}
}
