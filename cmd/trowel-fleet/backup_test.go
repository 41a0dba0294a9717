//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// between is a proxy between the program and an object storage server.
type between struct {
	proxy *httputil.ReverseProxy

	mu    sync.Mutex
	asked []string              // method and path of each request
	at    func(n int, w func()) // what comes with the nth request, from 1 on; w is the answer
	lose  func(*http.Request) bool
}

func (b *between) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.asked = append(b.asked, r.Method+" "+r.URL.Path)
	n, at := len(b.asked), b.at
	lose := b.lose != nil && b.lose(r)
	b.mu.Unlock()
	if lose { // the server does the request, but the client gets no answer
		b.proxy.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	answer := func() { b.proxy.ServeHTTP(w, r) }
	if at == nil {
		answer()
	} else {
		at(n, answer)
	}
}

// begin clears the list of requests and sets the handler of later requests.
func (b *between) begin(at func(n int, answer func())) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked, b.at = nil, at
}

// puts returns the objects stored, without their folder.
func (b *between) puts(folder string) (names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.asked {
		if name, ok := strings.CutPrefix(one, "PUT "+folder); ok && !strings.HasPrefix(name, "locks/") {
			names = append(names, name)
		}
	}
	return names
}

// bench runs the program with a world and a bucket.
type bench struct {
	t       *testing.T
	program string
	dir     string
	repo    string
	*between
}

func newBench(t *testing.T) *bench {
	bucket := judge.S3(t, "backups")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	name, settings, _ := strings.Cut(bucket, "?")
	query, err := url.ParseQuery(settings)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(query.Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: t.TempDir(), between: &between{proxy: httputil.NewSingleHostReverseProxy(to)}}
	server := httptest.NewServer(b.between)
	t.Cleanup(server.Close)
	query.Set("endpoint", server.URL)
	b.repo = name + "/some/worlds?" + query.Encode()
	if b.program, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	samples, err := filepath.Abs("../../samples/hollow")
	if err != nil {
		t.Fatal(err)
	}
	b.must("pack", "-q", samples, "-o", "w")
	return b
}

const inBucket = "/backups/some/worlds/"

func (b *bench) command(args ...string) *exec.Cmd {
	cmd := exec.Command(b.program, args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), envProgram+"=1", "TMPDIR="+b.dir)
	return cmd
}

func (b *bench) run(args ...string) (code int, said string) {
	b.t.Helper()
	said1, err := b.command(args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	if exit != nil {
		code = exit.ExitCode()
	}
	return code, string(said1)
}

func (b *bench) must(args ...string) string {
	b.t.Helper()
	code, said := b.run(args...)
	if code != 0 {
		b.t.Fatalf("%q: %d, %s", args, code, said)
	}
	return said
}

// manifest returns the manifest of a world.
func (b *bench) manifest(world string) []byte {
	b.t.Helper()
	b.must("manifest", "-q", world, "-o", world+".manifest", "-f")
	return judge.Read(b.t, filepath.Join(b.dir, world+".manifest"))
}

// edit changes the world.
func (b *bench) edit(area string) {
	b.t.Helper()
	_ = os.Remove(filepath.Join(b.dir, "undo.zip"))
	b.must("edit", "-q", "w", "--in-place", "--backup", "undo.zip", "--", "set", "default:dirt", "--area", area)
}

// restored tests that a snapshot is restored without changes.
func (b *bench) restored(want []byte, options ...string) {
	b.t.Helper()
	if err := os.RemoveAll(filepath.Join(b.dir, "back")); err != nil {
		b.t.Fatal(err)
	}
	b.must(append([]string{"restore", "-q", b.repo, "-o", "back"}, options...)...)
	if !bytes.Equal(b.manifest("back"), want) {
		b.t.Errorf("%q: it is another world", options)
	}
}

// ids returns the snapshots.
func (b *bench) ids() []string {
	b.t.Helper()
	return strings.Fields(strings.ReplaceAll(b.must("ls", b.repo), ".txt", ""))
}

// TestBackupToBucket tests that a repository in a bucket supports everything that one in a folder does: list,
// check, snapshots and forget.
func TestBackupToBucket(t *testing.T) {
	b := newBench(t)
	if code, said := b.run("check", b.repo); code != 2 || !strings.Contains(said, "does not exist") {
		t.Errorf("nothing: %d, %s", code, said)
	}
	b.must("backup", "-q", "w", b.repo)
	first := b.manifest("w")
	all := b.puts(inBucket)
	if len(all) < 4 || all[0] != "trowel-backup.json" || !strings.HasPrefix(all[len(all)-1], "snapshots/") {
		t.Errorf("put: %q", all)
	}
	b.edit("0,0,0:9,9,9")
	second := b.manifest("w")

	// The next backup stores new data, and reads only the tables of existing packs.
	b.begin(nil)
	b.must("backup", "-q", "w", b.repo)
	if next := b.puts(inBucket); len(next) != 3 || !strings.HasPrefix(next[0], "packs/") ||
		!strings.HasPrefix(next[1], "packs/") || !strings.HasPrefix(next[2], "snapshots/") {
		t.Errorf("put again: %q", next)
	}
	b.begin(nil)
	if said := b.must("backup", "--json", "w", b.repo); !strings.Contains(said, `"changed":0,"removed":0,"stored":0`) ||
		len(b.puts(inBucket)) != 1 {
		t.Errorf("nothing has changed: %s, %q", said, b.puts(inBucket))
	}
	ids := b.ids()
	if len(ids) != 3 {
		t.Fatalf("%q", ids)
	}
	for i, want := range [][]byte{first, second, second} {
		b.restored(want, "--moment", ids[i])
	}
	b.restored(second, "--map", "leveldb")
	if said := b.must("check", b.repo); strings.Contains(said, "endpoint") {
		t.Errorf("check: %s", said)
	}
	if said := b.must("info", b.repo); !strings.Contains(said, "snapshots: 3") {
		t.Errorf("info: %s", said)
	}

	// Invalid locations are rejected, and passwords never appear in output.
	if code, said := b.run("backup", "w", strings.Replace(b.repo, "s3://", "s3://user:secret@", 1)); code != 2 ||
		strings.Contains(said, "secret") {
		t.Errorf("a password: %d, %s", code, said)
	}
	if code, said := b.run("backup", "w", strings.Replace(b.repo, "/some/worlds", "/some", 1)); code != 2 ||
		!strings.Contains(said, "not empty") {
		t.Errorf("a folder with files in it: %d, %s", code, said)
	}
	if code, said := b.run("restore", strings.Replace(b.repo, "/some/worlds", "/some", 1), "-o", "none"); code != 2 ||
		!strings.Contains(said, "does not exist") {
		t.Errorf("no repository: %d, %s", code, said)
	}

	// Damaged objects are named.
	name := b.snapshotOf(ids[1])
	whole := b.object(name, nil)
	b.object(name, bytes.Replace(whole, []byte(`"blocks":`), []byte(`"blocks":1`), 1))
	if code, said := b.run("check", b.repo); code != 1 || !strings.Contains(said, "snapshots/"+ids[1]) {
		t.Errorf("a damaged snapshot: %d, %s", code, said)
	}
	b.object(name, whole)
	for _, pack := range all[1 : len(all)-1] {
		whole := b.object(pack, nil)
		bad := bytes.Clone(whole)
		bad[len(bad)/3] ^= 1
		b.object(pack, bad)
		if code, said := b.run("check", b.repo); code != 1 || !strings.Contains(said, pack) || !strings.Contains(said, ids[0]) {
			t.Errorf("a damaged pack %s: %d, %s", pack, code, said)
		}
		b.object(pack, whole[:len(whole)-9])
		if code, said := b.run("check", b.repo); code != 1 || !strings.Contains(said, pack) {
			t.Errorf("a pack that is cut off, %s: %d, %s", pack, code, said)
		}
		b.object(pack, whole)
	}

	b.must("forget", "-q", b.repo, ids[0], "--prune")
	b.must("check", b.repo)
	b.restored(second)
	b.begin(nil)
	b.must("forget", "-q", b.repo, "--keep-last", "1", "--prune")
	b.restored(second)
	if got := b.ids(); len(got) != 1 || got[0] != ids[2] {
		t.Errorf("%q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(b.dir, "trowel-backup-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}

	// The same with the file:// URL of a folder: the repository is in that folder.
	dir := "file://" + filepath.Join(b.dir, "kept")
	b.must("backup", "-q", "w", dir)
	b.must("check", "kept")
	b.repo = dir
	b.restored(second)
}

func (b *bench) snapshotOf(id string) string { return "snapshots/" + id + ".json" }

// object reads an object or, if data is not nil, writes one, without using the program.
func (b *bench) object(name string, data []byte) (got []byte) {
	b.t.Helper()
	there, err := bucket.Open(b.t.Context(), b.repo)
	if err != nil {
		b.t.Fatal(err)
	}
	defer there.Close()
	if data != nil {
		err = there.Put(b.t.Context(), name, func(w io.Writer) error { _, err := w.Write(data); return err })
	} else {
		var r io.ReadCloser
		if r, err = there.Open(b.t.Context(), name); err == nil {
			got, err = io.ReadAll(r)
			r.Close()
		}
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// TestBackupToBucketStopped tests that a backup that is killed at any request, or whose server fails, changes
// no existing data, and that the next backup is complete.
func TestBackupToBucketStopped(t *testing.T) {
	b := newBench(t)
	b.must("backup", "-q", "w", b.repo)
	first, ids := b.manifest("w"), b.ids()
	b.edit("0,0,0:9,9,9")
	b.begin(nil)
	b.must("backup", "-q", "w", b.repo) // counts the requests
	requests := len(b.asked)
	stops, step := 0, 2
	if !tests.Long(t) {
		step = 5
	}
	for n := 1; n <= requests; n += step {
		how := stops % 2
		if stops == 5 {
			how = 2 // once, because the client retries for some seconds
		}
		b.edit([]string{"0,0,0:8,8,8", "1,1,1:7,7,7"}[stops%2]) // there is always something to store
		cmd := b.command("backup", "-q", "w", b.repo)
		var said bytes.Buffer
		cmd.Stderr = &said
		b.begin(func(k int, answer func()) {
			switch {
			case k < n:
				answer()
			case how == 0: // killed before the server does the request
				_ = cmd.Process.Kill()
			case how == 1: // killed after the server has done the request
				if answer(); k == n {
					_ = cmd.Process.Kill()
				}
			default:
				panic(http.ErrAbortHandler) // closes the connection
			}
		})
		err := cmd.Run()
		b.begin(nil)
		if err == nil {
			continue // the last requests are optional
		}
		stops++
		if how == 2 {
			if text := said.String(); !strings.Contains(text, "s3://backups/some/worlds") || strings.Count(text, "\n") > 1 ||
				strings.Contains(text, "damaged") {
				t.Errorf("the server goes away at request %d: %s", n, text)
			}
		}
		if code, text := b.run("check", b.repo); code != 0 {
			t.Fatalf("stopped at request %d: %d, %s", n, code, text)
		}
	}
	if stops < requests/2/step {
		t.Errorf("only %d of %d were stopped", stops, requests)
	}
	// A killed backup leaves a lock, so nothing is removed yet.
	code, said := b.run("forget", b.repo, "--prune")
	if code != 2 || !strings.Contains(said, "another run is using this store") {
		t.Errorf("%d, %s", code, said)
	}
	b.must("backup", "-q", "w", b.repo)
	b.restored(b.manifest("w"))
	b.restored(first, "--moment", ids[0])
	t.Logf("%d stops at %d requests", stops, requests)

	// A restore whose server fails reports this, and does not create an incomplete world.
	b.begin(func(k int, answer func()) {
		if k > 6 {
			panic(http.ErrAbortHandler)
		}
		answer()
	})
	if code, said := b.run("restore", b.repo, "-o", "holes"); code != 2 || !strings.Contains(said, "s3://backups/some/worlds/") {
		t.Errorf("a restore: %d, %s", code, said)
	}
	b.begin(nil)
	b.must("restore", "-q", b.repo, "-o", "holes")
	if !bytes.Equal(b.manifest("holes"), b.manifest("w")) {
		t.Error("what was gone on with is another world")
	}
}

// TestBackupAnswersLost tests that a backup whose answers are lost retries, finds the stored objects, and is
// complete.
func TestBackupAnswersLost(t *testing.T) {
	b := newBench(t)
	t.Setenv("AWS_MAX_ATTEMPTS", "3")
	b.must("backup", "-q", "w", b.repo)
	b.edit("0,0,0:9,9,9")
	lost := 0
	b.lose = func(r *http.Request) bool {
		if lose := r.Method == http.MethodPut && lost < 3 &&
			strings.Count(strings.Join(b.asked, "\n"), "PUT "+r.URL.Path) == 1; !lose || strings.Contains(r.URL.Path, "locks/") {
			return false
		}
		lost++
		return true
	}
	b.begin(nil)
	b.must("backup", "-q", "w", b.repo)
	b.lose = nil
	if lost != 3 {
		t.Errorf("%d answers were lost", lost)
	}
	b.must("check", b.repo)
	b.restored(b.manifest("w"))
}

// TestBackupsAtOnce tests that concurrent backups to one repository are all complete.
func TestBackupsAtOnce(t *testing.T) {
	b := newBench(t)
	var all sync.WaitGroup
	worlds := []string{"w", "v", "u"}
	for _, w := range worlds[1:] {
		b.must("convert", "-q", "w", "-o", w, "--to", "sqlite")
	}
	b.edit("0,0,0:9,9,9")
	for _, w := range worlds {
		all.Go(func() {
			for range 2 {
				if code, said := b.run("backup", "-q", w, b.repo); code != 0 {
					t.Errorf("%s: %d, %s", w, code, said)
				}
			}
		})
	}
	all.Wait()
	b.must("check", b.repo)
	ids := b.ids()
	if len(ids) != 2*len(worlds) {
		t.Fatalf("%q", ids)
	}
	for _, id := range ids {
		text := b.must("cat", b.repo, id+".txt")
		name := strings.Split(text, `"`)[1]
		b.restored(b.manifest(name), "--moment", id)
	}
}
