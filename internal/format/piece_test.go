package format_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// folder writes files, and the record of the extraction; nil: none.
func folder(t *testing.T, files, taken map[string]string) *format.Piece {
	t.Helper()
	dir := t.TempDir()
	if taken != nil {
		digests := make(map[string]string)
		for name, content := range taken {
			d := format.NewPieceDigest()
			_, _ = d.Write([]byte(content))
			digests[name] = d.String()
		}
		side, err := safename.AddTaken([]byte(`{"format":"x"}`), safename.Taken{Options: map[string]string{"raw": "true"}, Files: digests})
		if err != nil {
			t.Fatal(err)
		}
		files[tree.Sidecar] = string(side)
	}
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(content), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := format.OpenPiece(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// TestCompare tests all combinations for a file: original (1), edited in the folder (2), edited in the game file (3),
// or removed ("").
func TestCompare(t *testing.T) {
	const none = ""
	for _, c := range []struct {
		taken, here, now string
		prefer           string
		remove           bool
		want             string
	}{
		{"1", "1", "1", "", true, ""},
		{"1", "1", "3", "", true, ""},
		{"1", "1", none, "", true, ""},
		{"1", "2", "1", "", false, "replaced"},
		{"1", "2", "2", "", false, ""},
		{"1", "2", "3", "", false, "conflict"},
		{"1", "2", "3", "folder", false, "replaced"},
		{"1", "2", "3", "file", false, ""},
		{"1", "2", none, "", false, "conflict"},
		{"1", "2", none, "folder", false, "added"},
		{none, "2", none, "", false, "added"},
		{none, "2", "3", "", false, "conflict"},
		{none, "2", "3", "folder", false, "replaced"},
		{"1", none, "1", "", false, "left"},
		{"1", none, "1", "", true, "removed"},
		{"1", none, none, "", true, ""},
		{"1", none, "3", "", true, "conflict"},
		{"1", none, "3", "folder", true, "removed"},
		{"1", none, "3", "file", true, ""},
	} {
		files, taken := map[string]string{"a/other": "same"}, map[string]string{"a/other": "same"}
		if c.here != none {
			files["a/b"] = c.here
		}
		if c.taken != none {
			taken["a/b"] = c.taken
		}
		got := ""
		changes, err := folder(t, files, taken).Compare(func(path string) ([]byte, error) {
			if path != "a/b" || c.now == none {
				return nil, fs.ErrNotExist
			}
			return []byte(c.now), nil
		}, format.PieceOptions{
			Prefer: c.prefer, Delete: c.remove,
			Conflict: func(path, _ string) { got = "conflict" },
			Left:     func(path string) { got = "left" },
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range changes {
			switch {
			case change.Path != "a/b" || got != "":
				got = "too much"
			case change.Added:
				got = "added"
			case change.Removed:
				got = "removed"
			default:
				got = "replaced"
			}
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestConflictStopsAll tests that a conflict prevents all files from being put back.
func TestConflictStopsAll(t *testing.T) {
	p := folder(t, map[string]string{"a": "2", "b": "2"}, map[string]string{"a": "1", "b": "1"})
	var clashes []string
	changes, err := p.Compare(func(path string) ([]byte, error) {
		return []byte(map[string]string{"a": "1", "b": "3"}[path]), nil
	}, format.PieceOptions{Conflict: func(path, _ string) { clashes = append(clashes, path) }})
	if err != nil || len(changes) != 0 || !slices.Equal(clashes, []string{"b"}) {
		t.Errorf("%v, %v, %v", changes, clashes, err)
	}
}

// TestNotNoted tests that, without a record of the extraction, differing files are conflicts and new files are added.
func TestNotNoted(t *testing.T) {
	p := folder(t, map[string]string{"a": "2", "b": "1", "c": "new"}, nil)
	var clashes []string
	now := func(path string) ([]byte, error) {
		if path == "c" {
			return nil, fs.ErrNotExist
		}
		return []byte("1"), nil
	}
	o := format.PieceOptions{Conflict: func(path, _ string) { clashes = append(clashes, path) }}
	if _, err := p.Compare(now, o); err != nil || !slices.Equal(clashes, []string{"a"}) {
		t.Errorf("%v, %v", clashes, err)
	}
	o.Prefer = format.PreferFolder
	if changes, err := p.Compare(now, o); err != nil || len(changes) != 2 || changes[0].Path != "a" || !changes[1].Added {
		t.Errorf("%v, %v", changes, err)
	}
	if p.Option("raw") != "" {
		t.Error("an option that nobody noted")
	}
}

// TestSidecar tests that the sidecar is unchanged for other readers and contains the options.
func TestSidecar(t *testing.T) {
	dir := t.TempDir()
	p := folder(t, map[string]string{"a": "1"}, map[string]string{"a": "1"})
	if p.Option("raw") != "true" {
		t.Error("the option is gone")
	}
	side, err := safename.AddTaken(nil, safename.Taken{Files: map[string]string{"a": "1"}})
	if err == nil {
		side, err = safename.AddTaken(side, safename.Taken{Files: map[string]string{"b": "2"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	if taken, err := safename.TakenOf(side); err != nil || len(taken.Files) != 2 {
		t.Errorf("%v, %v", taken, err)
	}
	judge.Write(t, filepath.Join(dir, tree.Sidecar), side)
	fsys, err := safename.Restore(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := fs.ReadFile(fsys, tree.Sidecar); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a sidecar of nothing: %s, %v", data, err)
	}
	for _, bad := range []string{`{"taken":3}`, `{"taken":{"files":[]}}`, `{`} {
		judge.Write(t, filepath.Join(dir, tree.Sidecar), []byte(bad))
		if _, err := format.OpenPiece(dir, nil); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// TestCompareKinds tests that a file of an extraction is not removed if something else is at its path.
func TestCompareKinds(t *testing.T) {
	for _, noted := range []bool{true, false} {
		for name, replace := range map[string]func(dir string) error{
			"a link out":  func(dir string) error { return os.Symlink(filepath.Dir(dir), filepath.Join(dir, "a/b")) },
			"a dead link": func(dir string) error { return os.Symlink("nowhere", filepath.Join(dir, "a/b")) },
			"a folder":    func(dir string) error { return os.Mkdir(filepath.Join(dir, "a/b"), 0o777) },
			"a linked parent": func(dir string) error {
				return errors.Join(os.Remove(filepath.Join(dir, "a")), os.Symlink("/", filepath.Join(dir, "a")))
			},
			"a file as parent": func(dir string) error {
				return errors.Join(os.Remove(filepath.Join(dir, "a")), os.WriteFile(filepath.Join(dir, "a"), nil, 0o666))
			},
			"nothing": func(string) error { return nil },
		} {
			dir := t.TempDir()
			if strings.Contains(name, "link") && !tests.Links(dir) {
				continue
			}
			files := map[string]string{"c": "1"}
			if noted {
				d := format.NewPieceDigest()
				_, _ = d.Write([]byte("1"))
				side, err := safename.AddTaken([]byte(`{"format":"x"}`), safename.Taken{Files: map[string]string{"a/b": d.String(), "c": d.String()}})
				if err != nil {
					t.Fatal(err)
				}
				files[tree.Sidecar] = string(side)
			}
			for name, content := range files {
				judge.Write(t, filepath.Join(dir, name), []byte(content))
			}
			if err := errors.Join(os.Mkdir(filepath.Join(dir, "a"), 0o777), replace(dir)); err != nil {
				t.Skip(err)
			}
			p, err := format.OpenPiece(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			changes, err := p.Compare(func(path string) ([]byte, error) {
				if path == "a/b" || path == "c" {
					return []byte("1"), nil
				}
				return nil, fs.ErrNotExist
			}, format.PieceOptions{Delete: true, Conflict: func(string, string) {}, Left: func(string) {}, Litter: func(string) {}})
			whole := name == "nothing" || !noted && (name == "a linked parent" || name == "a file as parent")
			if (err == nil) != whole || whole && noted && (len(changes) != 1 || !changes[0].Removed) {
				t.Errorf("%s, noted %v: %v, %v", name, noted, changes, err)
			}
		}
	}
}
