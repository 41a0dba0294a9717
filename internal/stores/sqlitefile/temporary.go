//go:build !js

package sqlitefile

import (
	"os"
	"slices"
	"strings"
	"sync"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// temporary is where SQLite puts what does not fit into its memory: next to a database that is open for writing, which has the
// room and where the sandbox allows it, and otherwise in the folder for temporary files. Without it SQLite would first take
// /var/tmp, which the sandbox denies.
var temporary spill

// A spill is a folder for temporary files. SQLite has one for the whole process.
type spill struct {
	mu   sync.Mutex
	dirs []string // of the databases that are open for writing
}

func (s *spill) begin(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dirs = append(s.dirs, dir)
}

func (s *spill) end(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.dirs, dir); i >= 0 {
		s.dirs = slices.Delete(s.dirs, i, i+1)
	}
}

// dir returns the current folder.
func (s *spill) dir() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.dirs); n > 0 {
		return s.dirs[n-1]
	}
	return os.TempDir()
}

// set sets the folder of the process. If it cannot be written, SQLite tries others.
func (s *spill) set(conn *sqlite.Conn) {
	_ = sqlitex.ExecuteTransient(conn, "PRAGMA temp_store_directory='"+strings.ReplaceAll(s.dir(), "'", "''")+"'", nil)
}
