package sqlitefile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	_ "trowel.example/internal/testing/tests"

	"trowel.example/internal/testing/judge"
)

// TestRandomLog tests that files of random bytes with the names of a log are ignored, as by SQLite, and that readers
// do not wait for them.
func TestRandomLog(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		for _, shm := range []int{-1, 0, 32768} {
			for _, size := range []int{1, 32, 5000} {
				name := fmt.Sprintf("%s, %d bytes of log, %d of its index", mode, size, shm)
				path := filepath.Join(t.TempDir(), "map.sqlite")
				conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []string{"PRAGMA journal_mode=" + mode, "CREATE TABLE t(a)", "INSERT INTO t VALUES(7)"} {
					if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
						t.Fatal(err)
					}
				}
				if err := conn.Close(); err != nil {
					t.Fatal(err)
				}
				random := bytes.Repeat([]byte("random"), 6000)
				judge.Write(t, path+"-wal", random[:size])
				if shm >= 0 {
					judge.Write(t, path+"-shm", random[:shm])
				}
				f, err := Open(path)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				got := int64(0)
				for range 2 {
					if err := f.Begin(t.Context()); err != nil {
						t.Fatal(err)
					}
					err = sqlitex.ExecuteTransient(f.Conn, "SELECT a FROM t", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
						got += s.ColumnInt64(0)
						return nil
					}})
					f.End()
				}
				if err != nil || got != 14 {
					t.Errorf("%s: %d, %v", name, got, err)
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

const envIndex = "TROWEL_TEST_INDEX"

// TestHoldLog is the child of TestDamagedIndex: it creates a log, and keeps the database open until it is ended.
func TestHoldLog(t *testing.T) {
	path := os.Getenv(envIndex)
	if path == "" {
		t.Skip("this is run by TestDamagedIndex")
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"PRAGMA journal_mode=WAL", "CREATE TABLE t(a)", "INSERT INTO t VALUES(7)"} {
		if err := sqlitex.ExecuteTransient(conn, s, nil); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println("ready")
	_, _ = os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

// TestDamagedIndex tests that a log with a damaged index is read without the index, as by SQLite. If a program has the
// database open, that is an error at once. The files are unchanged.
func TestDamagedIndex(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the index cannot be written while a program has it open")
	}
	path := filepath.Join(t.TempDir(), "map.sqlite")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self, "-test.run=^TestHoldLog$")
	child.Env = append(os.Environ(), envIndex+"="+path)
	in, err1 := child.StdinPipe()
	out, err2 := child.StdoutPipe()
	if err := errors.Join(err1, err2, child.Start()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = child.Wait() }()
	if _, err := out.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "map.sqlite")
	index, err := os.OpenFile(path+"-shm", os.O_RDWR, 0)
	if err == nil {
		_, err = index.WriteAt(bytes.Repeat([]byte("random"), 5000), 0)
	}
	if err := errors.Join(err, index.Close()); err != nil {
		t.Fatal(err)
	}
	all := func(path string) (list [][]byte) {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			data := judge.Read(t, path+suffix)
			list = append(list, data)
		}
		return list
	}
	for i, suffix := range []string{"", "-wal", "-shm"} {
		judge.Write(t, copied+suffix, all(path)[i])
	}
	read := func(path string) (n int64, err error) {
		f, err := Open(path)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		if err := f.Begin(t.Context()); err != nil {
			return 0, err
		}
		defer f.End()
		err = sqlitex.ExecuteTransient(f.Conn, "SELECT a FROM t", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			n += s.ColumnInt64(0)
			return nil
		}})
		return n, f.Explain(err)
	}
	before := all(copied)
	if n, err := read(copied); n != 7 || err != nil {
		t.Errorf("nobody has it open: %d, %v", n, err)
	}
	for i, data := range all(copied) {
		if !bytes.Equal(data, before[i]) {
			t.Errorf("file %d has changed", i)
		}
	}
	start := time.Now()
	if n, err := read(path); !errors.Is(err, ErrInUse) || time.Since(start) > busyPatience/2 {
		t.Errorf("a program has it open: %d, %v after %v", n, err, time.Since(start))
	}
}
