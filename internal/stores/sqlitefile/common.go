// Package sqlitefile opens SQLite databases for reading, even if other programs use them or they are damaged. It never
// changes the databases or creates files next to them.
package sqlitefile

import (
	"errors"
	"io"
	"os"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/files/filelock"
)

// ErrInUse means that another program has a database locked.
var ErrInUse = filelock.ErrInUse

// ErrProgram means that something needs SQLite itself, which a page in a browser does not have.
var ErrProgram = errors.New("a page in a browser reads SQLite databases only: use the trowel program to write, copy or repair them")

// ErrFull means that the disk is full.
var ErrFull = errors.New("no space left on the disk")

// ErrClosed means that the database is already closed.
var ErrClosed = errors.New("the database is closed")

// Files returns the names of a database and of the files that SQLite can create next to it.
func Files(name string) []string {
	return []string{name, name + "-wal", name + "-shm", name + "-journal"}
}

// A Loss describes the unreadable parts of a table in a damaged file.
type Loss struct {
	Table string // "" for the whole file
	Text  string
	At    []check.Place // the pages, as ranges of bytes in the file
	// Rows is false if no row is lost, for example if an index is damaged.
	Rows bool
}

// RestlessError reports that a program writes to a large database so often that no consistent copy can be made unless
// the program waits.
type RestlessError struct{ Path string }

func (e *RestlessError) Error() string {
	return e.Path + ": a program writes to the database continuously (stop the program during the copy, or use a " +
		"write-ahead log: PRAGMA journal_mode=WAL)"
}

// IsDatabase reports whether a file starts with the header of an SQLite file.
func IsDatabase(path string) bool {
	const magic = "SQLite format 3\x00"
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [len(magic)]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == magic
}

// IsBeside reports whether a file is the write-ahead log, its index, or the journal of an existing database.
func IsBeside(path string) bool {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if base, ok := strings.CutSuffix(path, suffix); ok && exists(base) {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A Table is a table as a program uses it.
type Table struct {
	Name    string
	Columns []string   // that the program writes
	Keys    [][]string // the columns of which each row has different values; by the first, the program finds rows
	Updates bool       // the program updates rows; otherwise it replaces them
}

// A Misfit is something in the schema of a database with which a program cannot change it.
type Misfit struct {
	Table string
	Text  string
	Mend  []string // statements that remove the cause; none if there is no way
}
