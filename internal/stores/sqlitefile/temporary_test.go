package sqlitefile

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite/sqlitex"
)

// TestTemporary tests that temporary files are next to a database that is open for writing, and otherwise in the folder for
// temporary files, never in a folder that SQLite chooses.
func TestTemporary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "it's.sqlite")
	folder := func(f *File) string {
		dir, err := sqlitex.ResultText(f.Conn.Prep("PRAGMA temp_store_directory"))
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	w, err := Writable(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(w.Conn, "CREATE TABLE t (a)", nil); err != nil {
		t.Fatal(err)
	}
	if got := folder(w); got != filepath.Dir(path) {
		t.Errorf("a change: %q", got)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Vacuum(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := folder(r); got != os.TempDir() {
		t.Errorf("reading: %q", got)
	}
}
