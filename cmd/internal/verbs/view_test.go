package verbs

import (
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"trowel.example/internal/testing/tests"
)

// fetch is a command for scripts: it waits until a file contains the address of a page, and prints the answer
// at a path of the page, which must have the given status.
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fetch FILE STATUS PATH")
	}
	address := ""
	for range 3000 {
		data, _ := os.ReadFile(ts.MkAbs(args[0]))
		if line, _, whole := strings.Cut(string(data), "\n"); whole {
			address = line
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	at, err := url.Parse(address)
	if ts.Check(err); address == "" {
		ts.Fatalf("%s has no address", args[0])
	}
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	client := &http.Client{Jar: jar}
	resp, err := client.Get(address)
	ts.Check(err)
	resp.Body.Close()
	resp, err = client.Get("http://" + at.Host + args[2])
	ts.Check(err)
	defer resp.Body.Close()
	if !strings.HasPrefix(resp.Status, args[1]) {
		ts.Fatalf("%s: %s", args[2], resp.Status)
	}
	var body strings.Builder
	ts.Check(resp.Write(&body))
	_, err = ts.Stdout().Write([]byte(body.String()))
	ts.Check(err)
}

func TestSSHLine(t *testing.T) {
	tests.OnHost(t, map[string]string{"name of the user": "me"})
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}
	for connection, want := range map[string]string{
		"":                                  "",
		"10.0.0.1 50000":                    "",
		"10.0.0.1 50000 10.0.0.2 22":        " me@10.0.0.2",
		"10.0.0.1 50000 10.0.0.2 2222":      " me@10.0.0.2",
		"fe80::1%eth0 50000 2001:db8::2 22": " me@2001:db8::2",
	} {
		got := sshLine(connection, at)
		if want == "" && got != "" || want != "" && !(strings.HasPrefix(got, "ssh -L 4711:127.0.0.1:4711 ") && strings.HasSuffix(got, want)) {
			t.Errorf("%q: %q", connection, got)
		}
		if strings.Contains(got, "-p ") != strings.HasSuffix(connection, "2222") {
			t.Errorf("%q: %q", connection, got)
		}
	}
}

// TestHidden tests that messages for the page contain no path of the disk, and that nothing else is replaced.
func TestHidden(t *testing.T) {
	h := new(hidden)
	for _, p := range [][2]string{{"/home/eve/maps/climb.map", "climb.map"}, {"/home/eve/maps", ""}, {"/maps", ""},
		{"/home/eve", "~"}, {"old/climb.map", "climb.map"}, {`/odd/"q"`, "q"}} {
		h.add(p[0], p[1])
	}
	for text, want := range map[string]string{
		"/home/eve/maps/climb.map: it is broken":                "climb.map: it is broken",
		"open /home/eve/maps/other.map: no such file":           "open other.map: no such file",
		"in /home/eve/maps.":                                    "in ..",
		"/home/eve/maps":                                        ".",
		"file:///home/eve/maps/climb.map":                       "file://climb.map",
		`{"error":"line\n/home/eve/maps/climb.map: x"}`:         `{"error":"line\nclimb.map: x"}`,
		"/home/eve/maps.old/a":                                  "~/maps.old/a",
		"/home/everybody/maps/a":                                "/home/everybody/maps/a",
		"groups/home/eve/maps":                                  "groups/home/eve/maps",
		"client/maps/a.txt":                                     "client/maps/a.txt",
		"/maps/a.map and /maps":                                 "a.map and .",
		"old/climb.map: it is broken, and so is gold/climb.map": "climb.map: it is broken, and so is gold/climb.map",
		`{"error":"/odd/\"q\": x"}`:                             `{"error":"q: x"}`,
		"/tmp/.trowel-0123456789abcdef.tmp/new/climb.map: bad":  "climb.map: bad",
		"nothing": "nothing",
	} {
		if got := h.plain(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// TestStamp tests that a stamp changes with every change of a file, and only then.
func TestStamp(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	old := time.Now().Add(-time.Hour)
	put := func(name, text string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	w := &fileWatch{name: name}
	last := ""
	expect := func(what string, changed bool) {
		t.Helper()
		now := w.stamp()
		if (now != last) != changed {
			t.Errorf("%s: %q, before it %q", what, now, last)
		}
		last = now
	}
	expect("not there", false)
	put(name, "abc", old)
	expect("there", true)
	expect("the same", false)
	put(name, "abcd", old)
	expect("longer", true)
	put(name, "abcx", old.Add(time.Nanosecond*100))
	expect("a moment later", true)
	put(name+"2", "abcy", old.Add(time.Nanosecond*100))
	if err := os.Rename(name+"2", name); err != nil {
		t.Fatal(err)
	}
	expect("replaced by one of the same size and time", true)
	expect("the same again", false)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	expect("removed", true)
	if err := os.Mkdir(name, 0o777); err != nil {
		t.Fatal(err)
	}
	expect("a folder", false)

	dir := t.TempDir()
	tree := func(what string, changed bool) {
		t.Helper()
		now := treeStamp(dir)
		if (now != last) != changed {
			t.Errorf("%s: %q, before it %q", what, now, last)
		}
		last = now
	}
	tree("a tree", true)
	if err := os.MkdirAll(filepath.Join(dir, "b/c"), 0o777); err != nil {
		t.Fatal(err)
	}
	tree("empty folders", false)
	put(filepath.Join(dir, "b/c/d"), "1", old)
	tree("a file", true)
	put(filepath.Join(dir, "b/c/d"), "2", old.Add(time.Second))
	tree("another text", true)
	tree("the same tree", false)
	if err := os.Rename(filepath.Join(dir, "b/c/d"), filepath.Join(dir, "b/d")); err != nil {
		t.Fatal(err)
	}
	tree("moved", true)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	tree("removed", true)
}
