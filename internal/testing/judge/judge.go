// Package judge runs programs of other projects on files that this project wrote, for tests: the tools and servers of
// the games, which report whether they accept a file and what they find in it.
package judge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/testing/tests"
)

// The names of the servers for Load.
const (
	DDNetServer     = "DDNet-Server"
	TeeworldsServer = "teeworlds-server"
)

// patience is the time limit of a judge on a busy machine.
const patience = 5 * time.Minute

// Find returns the path of a judge: in PATH, or where Debian installs it. It skips the test if the judge is not
// installed, unless judges are required.
func Find(t testing.TB, name string) string {
	t.Helper()
	tests.Judges(t)
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, pattern := range []string{"/usr/lib/*/ddnet", "/usr/lib/ddnet", "/usr/games"} {
		found, _ := filepath.Glob(filepath.Join(pattern, name))
		for _, path := range found {
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
				return path
			}
		}
	}
	tests.Missing(t, "judges", "no %s here: on Debian, .ci/run lists the packages to install", name)
	return ""
}

// Dir returns a new folder that the programs use as home and for temporary files: outside it they read and write only
// their own installation.
func Dir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	Write(t, filepath.Join(dir, "storage.cfg"), []byte("add_path $CURRENTDIR\nadd_path $DATADIR\n"))
	return dir
}

// Write writes a file, and creates its parent folders.
func Write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Files returns the contents of all files below a folder, by relative path with /.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Link makes a symbolic link. It skips the test if the system cannot make links, or hides them as Wine does.
func Link(t testing.TB, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Skip("the system hides symbolic links")
	}
}

// Read reads a file.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// command returns a command that runs a judge in a folder of Dir.
func command(ctx context.Context, dir, path string, args []string) *exec.Cmd {
	c := exec.CommandContext(ctx, path, args...)
	c.Dir = dir
	c.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	c.WaitDelay = time.Second
	return c
}

// Run runs a judge in a folder of Dir and returns its output. The error reports an exit status other than 0.
func Run(t testing.TB, dir, name string, args ...string) (output string, err error) {
	t.Helper()
	path := Find(t, name)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := command(ctx, dir, path, args).CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("%s: no end after %v", name, patience)
	}
	return string(out), err
}

// Load makes a server load a map, and kills the server as soon as it has succeeded or failed. Load returns its log.
// The server listens on 127.0.0.1 only.
func Load(t testing.TB, server string, data []byte) (log string, err error) {
	t.Helper()
	path := Find(t, server)
	dir := Dir(t)
	Write(t, filepath.Join(dir, "maps", "judged.map"), data)
	config := fmt.Sprintf("sv_register 0; bindaddr 127.0.0.1; sv_port %d; sv_map judged", freePort(t))
	if server == DDNetServer {
		config += "; sv_ipv4only 1; sv_sixup 0; loglevel 3"
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := command(ctx, dir, path, []string{config})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.Stdout, c.Stderr = w, w
	err = c.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	var end error
	done := make(chan struct{})
	go func() {
		end = c.Wait()
		close(done)
	}()
	defer func() {
		cancel()
		<-done
	}()

	// Everything is loaded when the server prints its version. It should then continue to run.
	var output bytes.Buffer
	ready, loaded := false, false
	for lines := bufio.NewScanner(r); !ready && lines.Scan(); {
		line := lines.Text()
		output.WriteString(line + "\n")
		loaded = loaded || strings.Contains(line, "loading done. datafile='maps/judged.map'")
		ready = strings.Contains(line, "server: version ") || strings.Contains(line, "[server]: version ")
	}
	switch {
	case !ready:
		<-done
		return output.String(), fmt.Errorf("%s ended: %w", server, errors.Join(end, ctx.Err()))
	case !loaded:
		return output.String(), fmt.Errorf("%s did not load the map", server)
	}
	select {
	case <-done:
		return output.String(), fmt.Errorf("%s loaded the map and ended: %v", server, end)
	case <-time.After(200 * time.Millisecond): // ten ticks of the game
		return output.String(), nil
	}
}

// freePort returns an unused UDP port.
func freePort(t testing.TB) int {
	t.Helper()
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.LocalAddr().(*net.UDPAddr).Port
}
