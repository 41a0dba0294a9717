package tables_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/tables"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// files are the sources of a real mod, text or compiled, by path.
type files map[string]func() ([]byte, error)

func (f files) Files() iter.Seq[string] { return maps.Keys(f) }

func (f files) Tree(path string) (*text.Node, error) {
	read := f[path]
	if read == nil {
		return nil, fs.ErrNotExist
	}
	data, err := read()
	switch {
	case err != nil:
		return nil, err
	case dat.Recognize(data):
		file, err := dat.Decode(data)
		if err != nil {
			return nil, err
		}
		return file.Text(dat.Options{Names: hash.Known()}), nil
	case layout.Recognize(data):
		file, err := layout.Decode(data)
		if err != nil {
			return nil, err
		}
		return file.Text(layout.Options{Path: path}), nil
	}
	file, err := text.Parse(data)
	if err != nil {
		return nil, err
	}
	return file.Root, nil
}

// leftOver are compiled files in the mods of one author whose sources had been deleted. GUTS packs such files, but
// ignores them when it builds tables.
var leftOver = []string{
	"MEDIA/SKILLS/NIGHTMAREGRENADE/SPIDERSUICIDE.DAT",
	"MEDIA/SKILLS/STATIC MISSILES/STATIC MISSILES BACKUP.DAT",
	"MEDIA/SKILLS/STATIC MISSILES/STATIC MISSILES.DAT",
}

// beforeDeletion is a mod published while one of these files had its source.
const beforeDeletion = "hist-26f383d867/Commando.mod"

// openMod returns the sources in a mod without the leftover ones, and its tables.
func openMod(t testing.TB, name string) (sources, own files) {
	t.Helper()
	data := judge.Read(t, name)
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	sources, own = files{}, files{}
	alive := strings.HasSuffix(filepath.ToSlash(name), beforeDeletion)
	for _, f := range m.Archive.Files() {
		switch {
		case f.Removed() || !alive && slices.Contains(leftOver, f.Path):
		case strings.HasSuffix(f.Path, ".RAW"):
			own[f.Path] = f.Content
		default:
			sources[f.Path] = f.Content
		}
	}
	return sources, own
}

func mods(t testing.TB) []string {
	return append(tests.CorpusFiles(t, "torchlight", ".MOD"), tests.CorpusFiles(t, "torchlight", ".mod")...)
}

// TestMods tests that the tables built from the sources in a mod are byte-identical to the tables in it, and that no
// table is missing or added. The only fact that these tables take from the game, that its items are equipment, is
// known.
func TestMods(t *testing.T) {
	total := map[raw.Kind]int{}
	for _, name := range mods(t) {
		sources, own := openMod(t, name)
		built, found := tables.Build(sources, nil)
		for _, f := range found {
			if !slices.Contains([]string{"tl-table-base", "tl-table-no-name"}, f.ID) {
				t.Errorf("%s: %s", name, f)
			}
		}
		for file, read := range own {
			table := built[file]
			if table == nil {
				t.Errorf("%s: %s was not built", name, file)
				continue
			}
			delete(built, file)
			want, err := read()
			if err != nil {
				t.Fatal(err)
			}
			got, err := raw.Encode(table)
			if err != nil || !bytes.Equal(got, want) {
				theirs, _ := raw.Decode(want, table.Kind())
				t.Errorf("%s: %s: %v %s", name, file, err, cmp.Diff(theirs, table))
				continue
			}
			total[table.Kind()] += table.Len()
		}
		for file := range built {
			t.Errorf("%s: %s was built, but the mod has none", name, file)
		}
	}
	t.Logf("%v records are the same", total)
}

// folders returns the folders of the corpus that have tables.
func folders(t testing.TB) []string {
	var dirs []string
	for _, name := range tests.CorpusFiles(t, "torchlight", ".RAW") {
		if dir := filepath.Dir(filepath.Dir(name)); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// openFolder returns the texts in a folder, its tables, and its compiled files without a text.
func openFolder(t testing.TB, dir string) (sources, own files, compiled []string) {
	t.Helper()
	sources, own = files{}, files{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		path := strings.ToUpper(filepath.ToSlash(rel))
		read := func() ([]byte, error) { return os.ReadFile(name) }
		switch filepath.Ext(path) {
		case ".RAW":
			own[path] = read
		case ".BINDAT", ".BINLAYOUT":
			compiled = append(compiled, strings.TrimSuffix(path, filepath.Ext(path)))
		default:
			sources[path] = read
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	compiled = slices.DeleteFunc(compiled, func(path string) bool { return sources[path] != nil })
	return sources, own, compiled
}

// records returns the records of a table by their files.
func records(table raw.Table) map[string]any {
	byFile := map[string]any{}
	lists := reflect.ValueOf(table).Elem()
	for i := range lists.NumField() {
		for j := range lists.Field(i).Len() {
			record := lists.Field(i).Index(j)
			byFile[record.FieldByName("File").String()] = record.Interface()
		}
	}
	return byFile
}

// TestLeftOver tests that the leftover files are in the folder of the mod, compiled and without a source.
func TestLeftOver(t *testing.T) {
	dir := filepath.Join(tests.Corpus(t, "torchlight"), "xyvian__Commando_Testing", "HEAD")
	_, _, compiled := openFolder(t, dir)
	for _, path := range leftOver {
		if !slices.Contains(compiled, path) {
			t.Errorf("%s has a source, or is not there", path)
		}
	}
}

// TestFolders tests that the records built from the texts of a mod are those in the tables next to them, and that the
// whole table is equal if the folder has all sources: for older states of a mod the corpus has only the files that
// changed.
func TestFolders(t *testing.T) {
	same := map[raw.Kind]int{}
	whole := 0
	for _, dir := range folders(t) {
		sources, own, _ := openFolder(t, dir)
		built, _ := tables.Build(sources, nil)
		for file, read := range own {
			data, err := read()
			if err != nil {
				t.Fatal(err)
			}
			kind, _ := raw.KindOf(file)
			table, err := raw.Decode(data, kind)
			if err != nil {
				t.Fatal(err)
			}
			if built[file] == nil {
				continue // the folder has only the table
			}
			theirs, ours := records(table), records(built[file])
			for path, record := range ours {
				if diff := cmp.Diff(theirs[path], record); diff != "" {
					t.Errorf("%s: %s: %s", dir, path, diff)
					continue
				}
				same[kind]++
			}
			for path := range theirs {
				if ours[path] == nil && sources[path] != nil {
					t.Errorf("%s: %s has no record", dir, path)
				}
			}
			if len(ours) == len(theirs) {
				if back, err := raw.Encode(built[file]); err != nil || !bytes.Equal(back, data) {
					t.Errorf("%s: %s: %v %s", dir, file, err, cmp.Diff(table, built[file]))
				}
				whole++
			}
		}
	}
	t.Logf("%d tables and %v records are the same", whole, same)
}

// BenchmarkBuild builds the tables of the largest mod of the corpus.
func BenchmarkBuild(b *testing.B) {
	var largest string
	size := int64(0)
	for _, name := range mods(b) {
		if info, err := os.Stat(name); err == nil && info.Size() > size {
			largest, size = name, info.Size()
		}
	}
	if largest == "" {
		b.Fatal(errors.New("no mod"))
	}
	sources, _ := openMod(b, largest)
	for b.Loop() {
		if built, _ := tables.Build(sources, nil); len(built) == 0 {
			b.Fatal(fmt.Errorf("%s: no tables", largest))
		}
	}
}
