package fleet

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"trowel.example/internal/testing/tests"
)

// TestAddress tests that a password on the command line is rejected, that one in a file or the environment is
// accepted, and that no password is ever printed.
func TestAddress(t *testing.T) {
	const secret = "hunter2"
	for text, password := range map[string]bool{
		"postgres://me@db.example/x":                              false,
		"postgres://me:" + secret + "@db.example/x":               true,
		"postgres://db.example/x?password=" + secret:              true,
		"postgres://db.example/x?sslmode=x&sslpassword=" + secret: true,
		"postgres://me:" + secret + "%zz@db.example/x":            true,
		"host=db user=me":                              false,
		"host=db user=me password=" + secret:           true,
		"host=db PassWord = '" + secret + "'":          true,
		"password=" + secret:                           true,
		"postgres://db.example/x?pass%77ord=" + secret: true,
	} {
		if is := hasPassword(text); is != password {
			t.Errorf("%q: %v", text, is)
		}
		tests.OnHost(t, nil)
		_, err := parseAddress(text, "")
		if (err != nil) != password || err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", text, err)
		}
		tests.OnHost(t, map[string]string{"variable " + envQueue: text})
		if _, err := parseAddress("", ""); err != nil &&
			(!strings.Contains(text, "%zz") && !strings.Contains(text, "sslmode=x") || strings.Contains(err.Error(), secret)) {
			t.Errorf("%q: %v", text, err)
		}
	}
	file := filepath.Join(t.TempDir(), "queue")
	if err := os.WriteFile(file, []byte("postgres://me:"+secret+"@db.example/x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at, err := parseAddress("", file)
	if err != nil || at.config.ConnConfig.Password != secret || strings.Contains(at.name, secret) {
		t.Error(at, err)
	}
	if _, err := parseAddress("host=db", file); err == nil {
		t.Error("two queues")
	}
	tests.OnHost(t, nil)
	if _, err := parseAddress("", ""); err == nil {
		t.Error("no queue")
	}
}

// native returns a path in the form of this system: on Windows with the drive of the working folder.
func native(path string) string {
	if !strings.HasPrefix(path, "/") {
		return path
	}
	here, _ := filepath.Abs(".")
	return filepath.VolumeName(here) + filepath.FromSlash(path)
}

func TestLocal(t *testing.T) {
	var roots []root
	for _, text := range []string{native("/srv/a"), native("/srv/b") + "=" + native("/mnt/b"), "s3://bucket/x?region=r"} {
		r, err := parseRoot(text)
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, r)
	}
	for name, want := range map[string]string{
		"/srv/a": "/srv/a", "/srv/a/c": "/srv/a/c", "/srv/a/../c": "", "/srv/ab": "", "/srv": "", "/": "", "": "", "a": "",
		"/srv/b/c": "/mnt/b/c", "/mnt/b": "", "/srv/b/../b/c/./d": "/mnt/b/c/d",
		"s3://bucket/x": "s3://bucket/x?region=r", "s3://bucket/x/y?endpoint=http://evil": "s3://bucket/x/y?region=r", "s3://bucket/xy": "",
		"s3://bucket/x/../z": "", "s3://me:pw@bucket/x": "", "s3://other/x": "", "file:///srv/a": "",
	} {
		name, want = native(name), native(want)
		if got, _ := local(roots, name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for _, wrong := range []string{"", "=", "a=", "=a", "s3://", "ftp://a/b"} {
		if _, err := parseRoot(wrong); err == nil {
			t.Errorf("%q is a root", wrong)
		}
	}
	if got := in("s3://bucket/x/?region=r", "id"); got != "s3://bucket/x/id?region=r" {
		t.Error(got)
	}
}

// TestOwnFlags tests that options of submit are accepted before and after the verb, except for those that the
// verb also has.
func TestOwnFlags(t *testing.T) {
	for line, want := range map[string]string{
		"check a b":                   "check a b | ",
		"--results r check a":         "check a | r",
		"check a --results r b":       "check a b | r",
		"check a --results=r --json":  "check a --json | r",
		"check --schema x a":          "check --schema x a | ",
		"check a -- --results r":      "check a -- --results r | ",
		"check --again a -q":          "check a -q | again",
		"--schema s check --schema x": "check --schema x | s",
		"check -o --results r":        "check -o | r",
		"--nothing check":             "error",
		"check --results":             "error",
		"--again=perhaps check":       "error",
	} {
		root := &cobra.Command{Use: "trowel"}
		check := &cobra.Command{Use: "check", Run: func(*cobra.Command, []string) {}}
		check.Flags().String("schema", "", "")
		cmd := &cobra.Command{Use: "submit"}
		results, schema := cmd.Flags().String("results", "", ""), cmd.Flags().String("schema", "", "")
		again := cmd.Flags().Bool("again", false, "")
		root.AddCommand(check, cmd)
		verb, err := ownFlags(cmd, cmd.Flags(), strings.Fields(line))
		got := strings.Join(verb, " ") + " | " + *results + *schema
		if *again {
			got += "again"
		}
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestTail(t *testing.T) {
	var last tail
	for range 10_000 {
		last.Write([]byte("much is said\n"))
	}
	last.Write([]byte("trowel: x.map: broken\nhint: mend it\n"))
	if got := last.line(); got != "x.map: broken\nhint: mend it" || len(last.b) > 20_000 {
		t.Errorf("%q of %d", got, len(last.b))
	}
	if got := new(tail).line(); got != "" {
		t.Errorf("%q", got)
	}
}

func TestID(t *testing.T) {
	d := description{Version: "1", Dir: "/a", Args: []string{"check", "b"}}
	ids := []string{d.id()}
	for _, other := range []description{{Version: "2", Dir: "/a", Args: []string{"check", "b"}},
		{Version: "1", Dir: "/b", Args: []string{"check", "b"}}, {Version: "1", Dir: "/a", Args: []string{"check b"}}} {
		ids = append(ids, other.id())
	}
	d.Results, d.Priority, d.Limit = "elsewhere", 4, 5
	if d.id() != ids[0] {
		t.Error("where results are kept makes another work")
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 4 || !validID(ids[0]) || !validID(ids[0]+"-2") || validID("../x") || validID(ids[0]+"-0") {
		t.Error(ids)
	}
}
