package torchlight

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/censustest"
	"trowel.example/internal/testing/seedmod"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/text"
)

// TestCensusOfSeeds tests that the rows of generated mods match their known contents.
func TestCensusOfSeeds(t *testing.T) {
	seeds, queries, err := seedmod.Make(16, 1)
	if err != nil {
		t.Fatal(err)
	}
	censustest.Answers(t, game, torchlightMod, seeds, queries)
	for _, s := range seeds[:tests.Of(t, 3, len(seeds))] { // package modinfo tests the columns
		sameAsFind(t, torchlightMod, format.NewSource(s.Name, s.Data))
	}
}

var field = censustest.Field

// placeOf returns the node, object and line of a hit.
func placeOf(h format.Hit) (node, object, line string) {
	at := h.At
	if within, ok := at.(text.Within); ok {
		at = within.Place
	}
	node, object, line = "NULL", "NULL", "NULL"
	switch at := at.(type) {
	case text.Place:
		node = strings.TrimSuffix(at.Node, "."+field(h, "key"))
		if at.Object != 0 {
			object = fmt.Sprint(at.Object)
		}
	case check.Line:
		line = fmt.Sprint(at.Line)
	}
	return node, object, line
}

// sameAsFind compares the tables of a file with the results of find, info and check.
func sameAsFind(t *testing.T, of *format.Format, src *format.Source) {
	t.Helper()
	db := censustest.New(t, game)
	if _, err := db.Add(of, src); err != nil {
		t.Errorf("%s: %v", src.Path, err)
	}
	same := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s: %d %.300q, want %d %.300q", src.Path, what, len(got), got, len(want), want)
		}
	}
	find := func(line func(h format.Hit) string, words ...string) (lines []string) {
		t.Helper()
		for _, h := range censustest.Find(t, of, src, words...) {
			lines = append(lines, line(h))
		}
		return lines
	}
	same("keys", db.Ask("SELECT path, node, object, key, type, value FROM torchlight_keys"), find(func(h format.Hit) string {
		node, object, _ := placeOf(h)
		return strings.Join([]string{h.Path, node, object, field(h, "key"), field(h, "type"),
			format.TextCell(field(h, "value")).Text()}, "|")
	}, "key", "*"))
	same("references", db.Ask("SELECT path, node, object, line, key, value FROM torchlight_references"), find(func(h format.Hit) string {
		node, object, line := placeOf(h)
		return strings.Join([]string{h.Path, node, object, line, field(h, "key"), format.TextCell(field(h, "value")).Text()}, "|")
	}, "reference", "**"))
	for i, guid := range db.Ask("SELECT DISTINCT guid FROM torchlight_guids") {
		if i > 5 {
			break
		}
		same("GUID "+guid, db.Ask("SELECT path, node, object FROM torchlight_guids WHERE guid = "+guid),
			slices.DeleteFunc(find(func(h format.Hit) string {
				if field(h, "use") != "has it" {
					return ""
				}
				node, object, _ := placeOf(h)
				return h.Path + "|" + node + "|" + object
			}, "guid", "--", guid), func(s string) bool { return s == "" }))
	}
	var findings []string
	for _, f := range censustest.Findings(t, of, src) {
		findings = append(findings, fmt.Sprintf("%s|%v|%s|%s|%d", f.ID, f.Severity, f.Path, f.Message, len(f.At)))
	}
	same("findings", db.Ask("SELECT id, severity, path, message, places FROM torchlight_findings"), findings)
	if len(of.Finder.Commands) < len(modQueries) {
		return // a single file
	}
	same("files", db.Ask("SELECT path, size FROM torchlight_files WHERE NOT removed AND NOT duplicate ORDER BY path"),
		find(func(h format.Hit) string {
			return h.Path + "|" + field(h, "size")
		}, "file"))
	info := censustest.Info(t, of, src)
	value := func(key string) string {
		if v := info[key]; v != nil {
			return fmt.Sprint(v)
		}
		return ""
	}
	same("the mod", db.Ask("SELECT coalesce(title, ''), coalesce(author, ''), coalesce(description, ''), "+
		"coalesce(website, ''), coalesce(download_url, ''), coalesce(mod_id, ''), coalesce(mod_version, ''), "+
		"coalesce(game_version, ''), coalesce(header_version, ''), manifest_version, files, removed_files, "+
		"inflated_size FROM torchlight_mods"),
		[]string{strings.Join([]string{value("title"), value("author"), value("description"), value("website"),
			value("downloadURL"), value("modID"), value("modVersion"),
			value("gameVersion"), value("headerVersion"), value("manifestVersion"), value("files"),
			value("removedFiles"), value("inflatedSize")}, "|")})
}

// TestCensusOfCorpus tests that the rows of real files match the results of find, info and check.
func TestCensusOfCorpus(t *testing.T) {
	seen := make(map[*format.Format]int)
	for _, path := range tests.CorpusFiles(t, "torchlight", "") {
		src, err := format.OpenSource(path)
		if err != nil {
			t.Fatal(err)
		}
		of, err := format.Set(game.Formats).Find(src)
		if err == nil && of.Finder != nil {
			if seen[of]++; seen[of] < 5 && src.Size < 1<<20 {
				sameAsFind(t, of, src)
			}
		}
		src.Close()
	}
	if seen[torchlightMod] == 0 || seen[torchlightSource] == 0 {
		t.Errorf("%d mods, %d sources", seen[torchlightMod], seen[torchlightSource])
	}
}

// TestCensusOfPak tests that an archive of two files yields its rows once, whichever of the names are given.
func TestCensusOfPak(t *testing.T) {
	seeds, _, err := seedmod.Make(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	data := seeds[2].Data
	m, err := mod.Open(format.NewSource("", data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "A.PAK")
	archive, err1 := os.Create(name)
	list, err2 := os.Create(name + ".MAN")
	if err := errors.Join(err1, err2, m.Split(archive, list), archive.Close(), list.Close()); err != nil {
		t.Fatal(err)
	}
	db := censustest.New(t, game)
	for _, name := range []string{name, name + ".MAN"} {
		src, err := format.OpenSource(name)
		if err != nil {
			t.Fatal(err)
		}
		if missed, err := db.Add(torchlightPak, src); err != nil || len(missed) > 0 {
			t.Errorf("%q, %v", missed, err)
		}
		if name == src.Path && strings.HasSuffix(name, ".PAK") {
			sameAsFind(t, torchlightPak, src)
		}
		src.Close() // before the file is removed
	}
	if got := db.Ask("SELECT count(*), count(title) FROM torchlight_mods"); !slices.Equal(got, []string{"1|0"}) {
		t.Errorf("%q", got)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	src, err := format.OpenSource(name + ".MAN")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if _, err := db.Add(torchlightPak, src); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the archive: %v", err)
	}
}

// TestCensusOfSingles tests that single files yield rows.
func TestCensusOfSingles(t *testing.T) {
	seeds, _, err := seedmod.Make(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[*format.Format]bool)
	for _, s := range seeds {
		m, err := mod.Open(format.NewSource("", s.Data), int64(len(s.Data)))
		if err != nil {
			t.Fatal(err)
		}
		whole := censustest.New(t, game)
		if _, err := whole.Add(torchlightMod, format.NewSource(s.Name, s.Data)); err != nil {
			t.Error(err)
		}
		for _, file := range m.Archive.Files() {
			if file.Removed() {
				continue
			}
			content, err := file.Content()
			if err != nil {
				t.Fatal(err)
			}
			src := format.NewSource("/MEDIA/"+strings.TrimPrefix(file.Path, "MEDIA/"), content)
			of, err := format.Set(game.Formats).Find(src)
			if err != nil || of.Census == nil {
				continue
			}
			found[of] = true
			if of.Finder != nil {
				sameAsFind(t, of, src)
			}
			db := censustest.New(t, game)
			if _, err := db.Add(of, src); err != nil {
				t.Error(err)
			}
			for _, columns := range []string{"path, type, size, crc32, sha256 FROM torchlight_files",
				"path, node, object, key, type, value FROM torchlight_keys",
				"path, guid, name FROM torchlight_guids", "path, line, target FROM torchlight_references", "path, name, " +
					"x, line FROM torchlight_icons"} {
				if got, want := db.Ask("SELECT "+columns), whole.Ask("SELECT "+columns+" WHERE path = '"+file.Path+"'"); !slices.Equal(got, want) {
					t.Errorf("%s: %s: %q, want %q", file.Path, columns, got, want)
				}
			}
		}
	}
	for _, of := range []*format.Format{torchlightData, torchlightLayout, torchlightSource, torchlightImageSet} {
		if !found[of] {
			t.Errorf("none is a %s", of.Name)
		}
	}
}

// TestCensusOfDamage tests that the readable part of a damaged mod yields rows and the rest is reported.
func TestCensusOfDamage(t *testing.T) {
	seeds, _, err := seedmod.Make(1, 5)
	if err != nil {
		t.Fatal(err)
	}
	data := seeds[0].Data
	m, err := mod.Open(format.NewSource("", data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	there := 0
	for _, f := range m.Archive.Files() {
		if !f.Removed() {
			there++
		}
	}
	for _, f := range m.Archive.Files() {
		if f.Removed() {
			continue
		}
		broken := slices.Clone(data)
		_, compressed, err := f.Sizes()
		if err != nil {
			t.Fatal(err)
		}
		if compressed == 0 {
			continue
		}
		for i := range compressed {
			broken[f.Offset()+8+int64(i)] = 0xff
		}
		db := censustest.New(t, game)
		missed, err := db.Add(torchlightMod, format.NewSource("a.MOD", broken))
		if err != nil || len(missed) != 1 {
			t.Errorf("%s: %q, %v", f.Path, missed, err)
		}
		want := fmt.Sprintf("1|%d|%s", there-1, f.Path)
		if got := db.Ask("SELECT (SELECT count(*) FROM torchlight_mods), (SELECT count(sha256) FROM torchlight_files), " +
			"(SELECT path FROM torchlight_findings WHERE id = 'tl-pak-corrupt')"); !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %s", got, want)
		}
	}
	// A mod that is cut off yields the files that are left.
	db := censustest.New(t, game)
	missed, err := db.Add(torchlightMod, format.NewSource("a.MOD", data[:m.Header.ManifestOffset+10]))
	if got := db.Ask("SELECT count(*), count(sha256) FROM torchlight_files WHERE NOT removed"); err != nil ||
		len(missed) != 1 || !slices.Equal(got, []string{fmt.Sprintf("%d|%d", there, there)}) {
		t.Errorf("%q, %v, files %q", missed, err, got)
	}
	db = censustest.New(t, game)
	missed, err = db.Add(torchlightMod, format.NewSource("a.MOD", data[:20]))
	if got := db.Ask("SELECT id FROM torchlight_findings"); err != nil || len(missed) != 1 || !slices.Equal(got, []string{"unreadable"}) {
		t.Errorf("%q, %v, findings %q", missed, err, got)
	}
	// An error from the receiver of the rows stops the census and is returned.
	enough := errors.New("enough")
	total := 0
	for stop := 0; stop <= total; stop += 1 + stop/4 {
		n := 0
		err := torchlightMod.Census.Rows(t.Context(), new(format.Job), format.NewSource("a.MOD", data),
			func(*format.Table, []format.Cell) error {
				total = max(total, n+1)
				if n++; n > stop {
					return enough
				}
				return nil
			})
		if total = max(total, n); n > stop && (!errors.Is(err, enough) || n != stop+1) {
			t.Errorf("row %d: %v after %d", stop, err, n)
		}
	}
}

// FuzzCensus tests that any file yields rows that fit the tables, or an error.
func FuzzCensus(f *testing.F) {
	seeds, _, err := seedmod.Make(4, 2)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range seeds {
		f.Add(s.Data)
	}
	f.Add([]byte("[UNIT]\n\t<INTEGER64>UNIT_GUID:7\n[/UNIT]\n"))
	f.Add([]byte(`<Imageset Name="a" Imagefile="b.dds"><Image Name="c" XPos="1"/></Imageset>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, of := range []*format.Format{torchlightMod, torchlightData, torchlightSource, torchlightImageSet} {
			src := format.NewSource("a"+cmp.Or(of.Extensions[0], ".x"), data)
			_ = of.Census.Rows(t.Context(), new(format.Job), src, func(table *format.Table, values []format.Cell) error {
				if err := table.CheckRow(values); err != nil {
					t.Error(err)
				}
				return nil
			})
		}
	})
}
