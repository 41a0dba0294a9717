package modedit_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/raw"
)

func open(t testing.TB, data []byte) *mod.Mod {
	t.Helper()
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// realMods returns mods of the corpus by their paths. Of the versions of a mod, and of the test builds of the editor,
// it returns only the largest, which contains what others contain.
func realMods(t testing.TB) map[string][]byte {
	t.Helper()
	largest := make(map[string]string)
	size := make(map[string]int64)
	root := tests.Corpus(t, "torchlight")
	for _, path := range tests.CorpusFiles(t, "torchlight", "") {
		if !strings.EqualFold(filepath.Ext(path), ".mod") {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		below, _ := filepath.Rel(root, path)
		kind := strings.ToUpper(strings.Split(filepath.ToSlash(below), "/")[0] + filepath.Base(path))
		if info.Size() > size[kind] {
			largest[kind], size[kind] = path, info.Size()
		}
	}
	mods := make(map[string][]byte)
	for _, path := range largest {
		data := judge.Read(t, path)
		mods[path] = data
	}
	if len(mods) == 0 {
		t.Fatal("no mods")
	}
	return mods
}

// edit changes a mod and returns it with the reported changes and the files that could not be read.
func edit(t testing.TB, data []byte, do func(e *modedit.Editor) error) (out []byte, changes []check.Change, missed []string) {
	t.Helper()
	e := modedit.OfMod(open(t, data), modedit.Options{
		Report: func(c check.Change) { changes = append(changes, c) },
		Miss:   func(path, message string) { missed = append(missed, path+": "+message) },
	})
	if err := do(e); err != nil {
		t.Fatal(err)
	}
	if err := e.UpdateTables(); err != nil {
		t.Fatal(err)
	}
	target := new(tests.Memory)
	if err := e.WriteMod(context.Background(), target); err != nil {
		t.Fatal(err)
	}
	return target.Data, changes, missed
}

// contents returns the files of a mod by their paths, and the times of their records.
func contents(t testing.TB, data []byte) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for _, f := range open(t, data).Archive.Files() {
		if f.Removed() {
			files[f.Path] = "removed"
			continue
		}
		content, err := f.Content()
		if err != nil {
			t.Fatal(err)
		}
		files[f.Path] = string(content)
	}
	return files
}

// changed returns the paths of the files in which two mods differ.
func changed(t testing.TB, old, new []byte) map[string]bool {
	t.Helper()
	a, b := contents(t, old), contents(t, new)
	paths := make(map[string]bool)
	for path, content := range a {
		if other, ok := b[path]; !ok || other != content {
			paths[path] = true
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			paths[path] = true
		}
	}
	return paths
}

// findings returns the findings of a check of a mod, without places.
func findings(t testing.TB, data []byte) map[string]int {
	t.Helper()
	found := make(map[string]int)
	moddir.CheckMod(open(t, data), moddir.CheckOptions{}, func(f check.Finding) {
		if f.Severity > check.Info {
			found[f.ID]++
		}
	})
	return found
}

// sane reports errors of an edit of a mod: a changed file without a report, a report without a changed file, or a new
// finding of check.
func sane(t *testing.T, name string, old, new []byte, changes []check.Change) {
	t.Helper()
	differ := changed(t, old, new)
	told := make(map[string]bool)
	for _, c := range changes {
		told[c.Path] = true
		if c.Path != "" && !differ[c.Path] {
			t.Errorf("%s: %s: %s, but the file is as it was", name, c.Path, c.What)
		}
	}
	for path := range differ {
		if !told[path] {
			t.Errorf("%s: %s changed, and nothing reported it", name, path)
		}
	}
	before := findings(t, old)
	for id, n := range findings(t, new) {
		// Tests change levels, but not their ranges, and clone files that have one name in two folders.
		if n > before[id] && id != "tl-mod-level" && id != "tl-mod-duplicate-name" {
			t.Errorf("%s: check finds %d %s, and found %d", name, n, id, before[id])
		}
	}
}

// TestCorpusNothing tests that edits without effect give byte-identical mods.
func TestCorpusNothing(t *testing.T) {
	for name, data := range realMods(t) {
		for what, do := range map[string]func(e *modedit.Editor) error{
			"nothing": func(*modedit.Editor) error { return nil },
			"set":     func(e *modedit.Editor) error { _, err := e.Set("**", "LEVEL", "*1", modedit.Choice{}); return err },
			"no key":  func(e *modedit.Editor) error { _, err := e.Set("**", "NO SUCH KEY", "1", modedit.Choice{}); return err },
			"no node": func(e *modedit.Editor) error {
				_, err := e.RemoveKey("**", "NAME", modedit.Choice{Node: "NO.SUCH"})
				return err
			},
			"same info": func(e *modedit.Editor) error { return e.SetInfo(modedit.Title, open(t, data).Header.Title) },
		} {
			got, changes, missed := edit(t, data, do)
			if !bytes.Equal(got, data) || len(changes)+len(missed) > 0 {
				t.Errorf("%s: %s: %d bytes became %d, %v %v", name, what, len(data), len(got), changes, missed)
			}
		}
	}
}

// TestCorpusSet tests that multiplying the levels of units changes only the units and their table, which must equal the
// one built from the sources.
func TestCorpusSet(t *testing.T) {
	total := 0
	for name, data := range realMods(t) {
		got, changes, missed := edit(t, data, func(e *modedit.Editor) error {
			_, err := e.Set("MEDIA/**", "LEVEL", "*1.5", modedit.Choice{})
			return err
		})
		sane(t, name, data, got, changes)
		total += len(changes)
		for _, m := range missed {
			t.Errorf("%s: %s", name, m)
		}
		for path := range changed(t, data, got) {
			if kind, ok := raw.KindOf(path); ok && strings.HasSuffix(path, ".RAW") && kind != raw.KindUnitData {
				t.Errorf("%s: %s changed", name, path)
			}
		}
	}
	if total == 0 {
		t.Error("nothing was set")
	}
}

// TestCorpusRename tests that nothing is missing after a folder is renamed, and that renaming it back restores the mod.
func TestCorpusRename(t *testing.T) {
	n := 0
	for name, data := range realMods(t) {
		m := open(t, data)
		e := modedit.OfMod(m, modedit.Options{})
		for _, folder := range []string{"MEDIA/SKILLS", "MEDIA/UNITS", "MEDIA/LAYOUTS"} {
			if _, err := e.Select(folder + "/**"); err != nil {
				continue
			}
			for _, path := range e.Paths() {
				if !strings.HasPrefix(path, folder+"/") || strings.Count(path, "/") < 3 {
					continue
				}
				from := path[:strings.LastIndexByte(path, '/')]
				to := from + " RENAMED"
				there, changes, _ := edit(t, data, func(e *modedit.Editor) error { return e.Rename(from, to) })
				for _, c := range changes {
					if !strings.HasPrefix(c.Path, "MEDIA/") {
						t.Errorf("%s: %+v", name, c)
					}
				}
				before := findings(t, data)
				for id, k := range findings(t, there) {
					if k > before[id] {
						t.Errorf("%s: %s renamed: check finds %d %s, and found %d", name, from, k, id, before[id])
					}
				}
				back, _, _ := edit(t, there, func(e *modedit.Editor) error { return e.Rename(to, from) })
				was, is := contents(t, data), contents(t, back)
				if len(was) != len(is) {
					t.Errorf("%s: %s renamed: %d files became %d", name, from, len(was), len(is))
				}
				for path, content := range was {
					// References keep their text, except for the case of parts that both paths share.
					if !strings.EqualFold(narrow(content), narrow(is[path])) && !strings.HasSuffix(path, ".RAW") {
						t.Errorf("%s: %s renamed: %s is another", name, from, path)
					}
				}
				n++
				break
			}
		}
	}
	if n == 0 {
		t.Error("nothing was renamed")
	}
}

// narrow turns UTF-16LE into ASCII.
func narrow(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// TestCorpusNewGUIDs tests that new GUIDs are unused, and that all tables and references follow.
func TestCorpusNewGUIDs(t *testing.T) {
	for name, data := range realMods(t) {
		got, changes, _ := edit(t, data, func(e *modedit.Editor) error {
			if _, err := e.NewGUIDs("**"); err != nil && !strings.Contains(err.Error(), "no such file") {
				return err
			}
			return nil
		})
		sane(t, name, data, got, changes)
		again, _, _ := edit(t, data, func(e *modedit.Editor) error { _, _ = e.NewGUIDs("**"); return nil })
		if !bytes.Equal(got, again) {
			t.Errorf("%s: the same edit gives another mod", name)
		}
	}
}

// TestCorpusFolder tests that editing the folder of a mod has the same result as editing the mod.
func TestCorpusFolder(t *testing.T) {
	n := 0
	for name, data := range realMods(t) {
		if n++; n > 6 {
			break
		}
		do := func(e *modedit.Editor) error {
			if _, err := e.Set("**", "LEVEL", "+3", modedit.Choice{}); err != nil {
				return err
			}
			if err := e.SetInfo(modedit.Title, "Another title"); err != nil {
				return err
			}
			return e.UpdateTables()
		}
		want, _, _ := edit(t, data, do)
		dir := t.TempDir()
		e, err := modedit.OfFolder(moddir.Open(open(t, data), moddir.Options{}), modedit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := do(e); err != nil {
			t.Fatal(err)
		}
		if err := e.WriteFolder(func(at string, content io.Reader, _ time.Time) error {
			name := filepath.Join(dir, at)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				return err
			}
			b, err := io.ReadAll(content)
			if err != nil {
				return err
			}
			return os.WriteFile(name, b, 0o666)
		}); err != nil {
			t.Fatal(err)
		}
		target := new(tests.Memory)
		if _, _, err := moddir.Build(context.Background(), target, os.DirFS(dir), moddir.BuildOptions{}); err != nil {
			t.Fatal(err)
		}
		a, b := moddir.Open(open(t, want), moddir.Options{}), moddir.Open(open(t, target.Data), moddir.Options{})
		for _, path := range e.Paths() {
			at := moddir.FolderPath(path, moddir.Options{})
			x, err1 := readFile(a, at)
			y, err2 := readFile(b, at)
			if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
				t.Errorf("%s: %s: %v %v, %d and %d bytes", name, at, err1, err2, len(x), len(y))
			}
		}
		if title := open(t, target.Data).Header.Title; title != "Another title" {
			t.Errorf("%s: %q", name, title)
		}
	}
}

func readFile(fsys fs.FS, name string) ([]byte, error) { return fs.ReadFile(fsys, name) }
