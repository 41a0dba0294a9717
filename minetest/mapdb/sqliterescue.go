//go:build !js

package mapdb

import (
	"context"
	"os"

	"zombiezen.com/go/sqlite"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/stores/sqlitefile"
)

// rescue switches from reading with SQLite to reading the rescued pages of the file, if err is damage. It reports
// whether there is other data to read now.
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

// within returns an error if the rows of a scan had so many bytes that they must share pages of the file, which SQLite
// does not notice: a small file could have any number of large rows. The rest of the scan reads the rescued data if
// there is any, where each page belongs to one row.
func (db *sqliteDB) within(ctx context.Context, read int64) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.file.Rescued() {
		return nil
	}
	size := int64(0)
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(db.file.Path + suffix); err == nil {
			size += info.Size()
		}
	}
	db.largest = max(db.largest, size)
	if read <= 2*db.largest+pageBytes { // other programs may change rows during the scan
		return nil
	}
	if err := sqlite.ResultCorrupt.ToError(); db.rescue(ctx, err) {
		return nil
	}
	return &fault.Error{File: db.file.Path, Offset: -1, Want: "rows of no more bytes than the file has",
		Got: "rows that share pages", Err: fault.ErrFormat}
}

// begin switches back to reading the file with SQLite, as if nothing had been read before.
func (db *sqliteDB) begin() {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.sound != nil {
		db.file, db.sound = db.sound, nil
	}
}

// isRescued reports whether rescued data is being read.
func (db *sqliteDB) isRescued() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.file.Rescued()
}

// losses returns errors for the parts of the file that were not rescued.
func (db *sqliteDB) losses() []*RowError {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.damage(db.file, true)
}

// Damage returns the damage of the file that caused no loss of blocks.
func (db *sqliteDB) Damage() []*RowError {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.rescued != nil {
		return db.damage(db.rescued, false) // also if the file is being read with SQLite now
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

// Verify checks the whole file for damage that reading does not detect, such as an index that misses rows. If there
// is any, later reads use the rescued data. It skips a file that another program has open, because the program would
// have to wait.
func (db *sqliteDB) Verify(ctx context.Context) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if !db.rescues || db.file.Rescued() || filelock.UsedBy(db.file.Path) != "" {
		return nil
	}
	_, err := db.file.Verify(ctx, knownTables)
	return err
}

func (db *sqliteDB) lossError(l sqlitefile.Loss) *RowError {
	offset := int64(-1)
	if len(l.At) > 0 {
		offset = l.At[0].(check.Span).Offset
	}
	return &RowError{At: l.At, Err: &fault.Error{File: db.file.Path, Offset: offset, Got: l.Text, Err: fault.ErrFormat}}
}
