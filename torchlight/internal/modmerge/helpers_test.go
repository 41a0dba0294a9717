package modmerge_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/internal/modmerge"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

func open(t testing.TB, data []byte) *mod.Mod {
	t.Helper()
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func editor(t testing.TB, data []byte) *modedit.Editor {
	t.Helper()
	return modedit.OfMod(open(t, data), modedit.Options{})
}

// made returns a mod of files, which are compiled first, with their tables.
func made(t testing.TB, title string, files map[string]string) []byte {
	t.Helper()
	h := mod.NewHeader()
	h.Title, h.ID = title, int64(len(title))*1000+int64(title[0])
	empty := new(tests.Memory)
	if _, err := mod.Write(context.Background(), empty, h, []pak.NewFile{}, nil); err != nil {
		t.Fatal(err)
	}
	e := editor(t, empty.Data)
	for name, content := range files {
		if err := e.Put(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	return written(t, e)
}

func written(t testing.TB, e *modedit.Editor) []byte {
	t.Helper()
	if err := e.UpdateTables(); err != nil {
		t.Fatal(err)
	}
	out := new(tests.Memory)
	if err := e.WriteMod(context.Background(), out); err != nil {
		t.Fatal(err)
	}
	return out.Data
}

// ember returns the sample mod.
func ember(t testing.TB) []byte {
	t.Helper()
	out := new(tests.Memory)
	if _, _, err := moddir.Build(context.Background(),
		out, os.DirFS("../../../samples/ember"), moddir.BuildOptions{Tables: true}); err != nil {
		t.Fatal(err)
	}
	return out.Data
}

// merge merges three mods and returns the result and the conflicts.
func merge(t testing.TB, base, ours, theirs []byte, o modmerge.Options) ([]byte, []check.Conflict) {
	t.Helper()
	e, conflicts, err := modmerge.Merge(editor(t, base), editor(t, ours), editor(t, theirs), o)
	if err != nil {
		t.Fatal(err)
	}
	out := new(tests.Memory)
	if err := e.WriteMod(context.Background(), out); err != nil {
		t.Fatal(err)
	}
	return out.Data, conflicts
}

// differences returns the files in which two mods differ in content, including tables and header.
func differences(t testing.TB, a, b []byte) []string {
	t.Helper()
	x, y := editor(t, a), editor(t, b)
	var list []string
	hx, hy := x.Header().Clone(), y.Header().Clone()
	hx.DataOffset, hx.ManifestOffset, hy.DataOffset, hy.ManifestOffset = 0, 0, 0, 0
	if !hx.Equal(hy) {
		list = append(list, "header")
	}
	for _, name := range x.Paths() {
		if !y.Has(name) {
			list = append(list, "-"+name)
			continue
		}
		if same, err := modedit.SameFile(x, y, name); err != nil {
			t.Fatal(err)
		} else if same {
			continue
		}
		tx, errX := x.Tree(name)
		ty, errY := y.Tree(name)
		if errX != nil || errY != nil || !text.Equal(tx, ty) {
			list = append(list, name)
		}
	}
	for _, name := range y.Paths() {
		if !x.Has(name) {
			list = append(list, "+"+name)
		}
	}
	return list
}

// texts merges three texts and returns the result without its line ends.
func texts(t testing.TB, name, base, ours, theirs string, o modmerge.Options) (string, []check.Conflict) {
	t.Helper()
	var b []byte
	if base != "" {
		b = []byte(base)
	}
	data, conflicts, err := modmerge.File(name, b, []byte(ours), []byte(theirs), o)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n"), conflicts
}

// findings returns the findings of a check of a mod.
func findings(t testing.TB, data []byte) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	var mu sync.Mutex
	moddir.CheckMod(open(t, data), moddir.CheckOptions{}, func(f check.Finding) {
		mu.Lock()
		defer mu.Unlock()
		// Missing references to files of the game, and missing base files, are summarized.
		if !strings.HasPrefix(f.ID, "tl-mod-outside-") && f.ID != "tl-table-base" {
			found[fmt.Sprint(f.Path, " ", f.Message)] = true
		}
	})
	return found
}
