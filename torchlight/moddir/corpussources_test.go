package moddir_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// sourceFolders are folders with sources and the mods that the editor built from them.
var sourceFolders = []struct {
	dir    string
	absent []string // extensions of files that are in the mod, but not in the corpus
}{
	{dir: "xyvian__Commando_Testing"},
	{dir: "PhanboiGames__XOVER", absent: []string{".SKELETON", ".WAV", ".DDS"}},
	{dir: "tukkek__torchlight2-flasks"},
}

// TestCorpusSources builds mods from the sources of modders and compares them with the mods that the editor built.
// Numbers are compared with six digits, because the editor writes no more into the sources.
func TestCorpusSources(t *testing.T) {
	six := moddir.Options{Floats: text.GUTS}
	for _, c := range sourceFolders {
		t.Run(c.dir, func(t *testing.T) {
			root := filepath.Join(tests.Corpus(t, "torchlight"), c.dir, "HEAD")
			editor, err := os.ReadFile(filepath.Join(root, "EDITORMOD.MOD"))
			if errors.Is(err, fs.ErrNotExist) {
				tests.Missing(t, "corpus", "no sources of %s here", c.dir)
			} else if err != nil {
				t.Fatal(err)
			}
			built := build(t, os.DirFS(root), moddir.BuildOptions{})
			if again := build(t, openMod(t, built, moddir.Options{}), moddir.BuildOptions{}); !bytes.Equal(again, built) {
				t.Error("what was built yields other bytes")
			}
			want, got := packed(t, editor), packed(t, built)
			same, equal, absent := 0, 0, 0
			for name, content := range want {
				other, ok := got[name]
				switch {
				case !ok && slices.Contains(c.absent, path.Ext(name)):
					absent++
				case !ok:
					t.Errorf("%s is gone", name)
				case other == content:
					same++
				default:
					a, errA := moddir.Decompile([]byte(content), name, six)
					b, errB := moddir.Decompile([]byte(other), name, six)
					if errA != nil || errB != nil || !bytes.Equal(a, b) {
						t.Errorf("%s: reports itmething else: %v, %v", name, errA, errB)
					} else {
						equal++
					}
				}
			}
			for name := range got {
				if _, ok := want[name]; !ok {
					t.Errorf("%s is new", name)
				}
			}
			t.Logf("of %d files %d are identical, %d say the same in six digits, %d are absent", len(want), same, equal, absent)

			count := make(map[string]int)
			err = moddir.CheckFolder(os.DirFS(root), moddir.Options{}, func(f check.Finding) {
				count[f.ID]++
				switch f.ID {
				case "tl-source-newer": // the times are those of a checkout
				case "tl-animation-frame": // two sounds of an animation of one mod
				case "tl-source-missing":
					if ext := path.Ext(f.Path); ext != ".BINDAT" && ext != ".BINLAYOUT" {
						t.Error(f)
					}
				default:
					t.Error(f)
				}
			})
			if err != nil {
				t.Error(err)
			}
			t.Logf("found %v", count)
		})
	}
}

// TestCorpusCheck tests that no mod has a finding of level error.
func TestCorpusCheck(t *testing.T) {
	count, in := make(map[string]int), make(map[string]map[string]bool)
	for _, file := range corpusMods(t) {
		data := judge.Read(t, file)
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		sink := func(f check.Finding) {
			kind := f.Severity.String() + " " + f.ID
			count[kind]++
			if in[kind] == nil {
				in[kind] = make(map[string]bool)
			}
			in[kind][file] = true
			if f.Severity == check.Error {
				t.Errorf("%s: %s", caseName(file), f)
			}
		}
		moddir.Check(m.Archive, moddir.CheckOptions{}, sink)
		m.Check(sink)
	}
	for _, kind := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%4d %s, in %d mods", count[kind], kind, len(in[kind]))
	}
}
