package filelock

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
)

func TestBy(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nothing can be seen here")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "map.sqlite")
	judge.Write(t, file, nil)
	if err := os.Symlink(file, dir+"-link"); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file) // files opened by this program do not count
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if by := UsedBy(dir); by != "" {
		t.Errorf("in use by %s", by)
	}
	cmd := exec.Command("sh", "-c", "exec 3<"+file+"; echo; read x")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	bufio.NewReader(out).ReadString('\n')
	for _, path := range []string{dir, file, dir + "-link", filepath.Dir(dir)} {
		if by := UsedBy(path); !strings.HasPrefix(by, "sh (process ") {
			t.Errorf("%s: in use by %q", path, by)
		}
	}
	for _, path := range []string{dir + "x", filepath.Join(dir, "map"), filepath.Join(dir, "other")} {
		if by := UsedBy(path); by != "" {
			t.Errorf("%s: in use by %q", path, by)
		}
	}
	in.Close()
	cmd.Wait()
	if by := UsedBy(dir); by != "" {
		t.Errorf("in use by %s", by)
	}
}
