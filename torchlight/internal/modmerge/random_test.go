package modmerge_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/internal/modmerge"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// change is an edit of one place.
type change struct {
	file, key string // key "" means the whole file
	do        func(e *modedit.Editor) error
}

func (c change) overlaps(d change) bool {
	return c.file == d.file && (c.key == "" || d.key == "" || c.key == d.key)
}

// randomChange returns a random edit of a mod with a unique value.
func randomChange(t testing.TB, r *rand.Rand, e *modedit.Editor, salt string) change {
	files := e.Paths()
	trees := files[:0:0]
	for _, name := range files {
		if _, err := e.Tree(name); err == nil {
			trees = append(trees, name)
		}
	}
	file := trees[r.IntN(len(trees))]
	switch r.IntN(10) {
	case 0:
		name := "MEDIA/NEW/" + strings.ToUpper(salt) + ".DAT"
		return change{name, "", func(e *modedit.Editor) error {
			return e.Put(name, []byte("[UNIT]\n<STRING>NAME:"+salt+"\n[/UNIT]\n"))
		}}
	case 1:
		return change{file, "", func(e *modedit.Editor) error { return e.Delete(file) }}
	case 2:
		field := []modedit.InfoField{modedit.Title, modedit.Author, modedit.Website}[r.IntN(3)]
		return change{"header", string(field), func(e *modedit.Editor) error { return e.SetInfo(field, salt) }}
	case 3, 4:
		if strings.HasSuffix(file, ".LAYOUT") {
			break
		}
		return change{file, "NEW" + salt, func(e *modedit.Editor) error {
			_, err := e.AddKey(file, text.Float, "NEW"+salt, "0.1", modedit.Choice{})
			return err
		}}
	}
	root, err := e.Tree(file)
	if err != nil {
		t.Fatal(err)
	}
	var keys []*text.Property
	extra := make(map[*text.Property]bool) // properties in parts of objects that are merged as a whole
	var walk func(n *text.Node, inProperties, inExtra bool)
	walk = func(n *text.Node, inProperties, inExtra bool) {
		for p := range n.Properties() {
			switch strings.ToUpper(p.Key) {
			case "ID", "PARENTID", "DESCRIPTOR", "COUNT", "VERSION", "NAME":
			default:
				keys = append(keys, p)
				extra[p] = inExtra
			}
		}
		for c := range n.Children() {
			walk(c, c.Name == "PROPERTIES", inExtra || inProperties)
		}
	}
	walk(root, false, false)
	if len(keys) == 0 {
		return randomChange(t, r, e, salt)
	}
	p := keys[r.IntN(len(keys))]
	value := salt
	switch p.Type {
	case text.Bool:
		if value = "true"; p.Value == "true" {
			value = "false"
		}
	case text.Integer, text.Unsigned, text.Integer64, text.Float, text.Double:
		value = fmt.Sprint(1000 + r.IntN(1<<20))
	}
	if r.IntN(6) == 0 && !strings.HasSuffix(file, ".LAYOUT") {
		return change{file, p.Key, func(e *modedit.Editor) error { _, err := e.RemoveKey(file, p.Key, modedit.Choice{}); return err }}
	}
	place := p.Key
	if extra[p] {
		place = "EXTRAS"
	}
	return change{file, place, func(e *modedit.Editor) error { _, err := e.Set(file, p.Key, value, modedit.Choice{}); return err }}
}

// possible returns a random change that can be applied to its file.
func possible(t testing.TB, r *rand.Rand, data []byte, salt string) change {
	for {
		c := randomChange(t, r, editor(t, data), salt)
		if c.do(editor(t, data)) == nil {
			return c
		}
	}
}

// edited returns a mod after changes.
func edited(t testing.TB, data []byte, list ...change) []byte {
	t.Helper()
	e := editor(t, data)
	for _, c := range list {
		if err := c.do(e); err != nil {
			t.Fatalf("%s %s: %v", c.file, c.key, err)
		}
	}
	return written(t, e)
}

// smallMods returns mods to change: the sample, and parts of those in the corpus.
func smallMods(t testing.TB) [][]byte {
	list := [][]byte{ember(t)}
	if !tests.Long(t) || os.Getenv("TROWEL_CORPUS") == "" && !there("../../../../shared/corpus") {
		return list
	}
	for _, name := range tests.CorpusFiles(t, "torchlight", "") {
		if strings.EqualFold(filepath.Base(name), "flasks.mod") ||
			strings.HasSuffix(name, filepath.Join("hist-26f383d867", "Commando.mod")) {
			data := judge.Read(t, name)
			e := editor(t, data)
			for i, path := range e.Paths() {
				if _, err := e.Tree(path); err != nil && !strings.HasSuffix(path, ".RAW") || err == nil && i%4 != 0 && len(e.Paths()) > 30 {
					e.Remove(path)
				}
			}
			list = append(list, written(t, e))
		}
	}
	return list
}

func there(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// TestRandom tests that merging two random edits gives the same result as applying both, and that overlapping edits are
// reported.
func TestRandom(t *testing.T) {
	mods := smallMods(t)
	r := rand.New(rand.NewPCG(12, 3))
	overlaps, pairs := 0, 200
	if len(mods) > 1 {
		pairs = 1000
	}
	for i := range pairs {
		base := mods[i%len(mods)]
		one, other := possible(t, r, base, fmt.Sprintf("A%d", i)), possible(t, r, base, fmt.Sprintf("B%d", i))
		ours, theirs := edited(t, base, one), edited(t, base, other)
		got, conflicts := merge(t, base, ours, theirs, modmerge.Options{})
		want := ours
		if one.overlaps(other) {
			overlaps++
			if differences(t, ours, theirs) != nil && len(conflicts) == 0 {
				if !bytes.Equal(base, ours) && !bytes.Equal(base, theirs) {
					t.Fatalf("%d: %s %s and %s %s: no conflict", i, one.file, one.key, other.file, other.key)
				}
			}
			continue
		}
		want = edited(t, base, one, other)
		if list := differences(t, got, want); len(list) > 0 || len(conflicts) > 0 {
			t.Fatalf("%d: %s %s and %s %s: other %v, conflicts %v", i, one.file, one.key, other.file, other.key, list, conflicts)
		}
	}
	t.Logf("%d mods, %d of %d pairs overlap", len(mods), overlaps, pairs)
}

// TestHistories tests merges of real successive versions of a mod.
func TestHistories(t *testing.T) {
	var versions [][]byte
	for _, name := range tests.CorpusFiles(t, "torchlight", "EDITORMOD.MOD") {
		if strings.Contains(name, "Commando_Testing") {
			data := judge.Read(t, name)
			versions = append(versions, data)
		}
	}
	if len(versions) < 3 {
		t.Fatalf("%d versions", len(versions))
	}
	for i := range versions {
		base, ours, theirs := versions[i], versions[(i+1)%len(versions)], versions[(i+3)%len(versions)]
		data, conflicts := merge(t, base, ours, theirs, modmerge.Options{})
		b, o, th, got := editor(t, base), editor(t, ours), editor(t, theirs), editor(t, data)
		for _, e := range []*modedit.Editor{b, o, th} {
			for _, name := range e.Paths() {
				stays := o.Has(name) && th.Has(name) || !b.Has(name)
				if !strings.HasSuffix(name, ".RAW") && stays && !got.Has(name) {
					t.Errorf("%d: %s is gone", i, name)
				}
			}
		}
		news := findings(t, data)
		for _, side := range [][]byte{base, ours, theirs} {
			for what := range findings(t, side) {
				delete(news, what)
			}
		}
		for what := range news {
			told := false
			for _, c := range conflicts {
				told = told || c.Path != "" && strings.Contains(what, c.Path)
			}
			if !told {
				t.Errorf("%d: the merged mod has: %s", i, what)
			}
		}
	}
}
