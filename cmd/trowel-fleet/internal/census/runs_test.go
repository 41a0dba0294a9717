package census

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/internal/files/output"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/seedmap"
)

// runsOf returns the names of the runs of a dataset, the oldest first.
func runsOf(t testing.TB, dir string) []string {
	t.Helper()
	store, err := lookInto(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	names, err := Runs(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// itemsOf returns the rows of the table of items of a run, from the files that the views of the run read.
func itemsOf(t testing.TB, dir, moment string) []string {
	t.Helper()
	text, told, code := runSQL(dir, "--run", moment)
	if code != 0 {
		t.Fatal(told)
	}
	_, text, _ = strings.Cut(text, "VIEW toy_items AS")
	text, _, _ = strings.Cut(text, ";")
	only := t.TempDir()
	if err := os.Mkdir(filepath.Join(only, "toy_items"), 0o777); err != nil {
		t.Fatal(err)
	}
	for i, word := range strings.Split(text, "'")[1:] {
		if i%2 == 0 && os.Link(filepath.FromSlash(word), filepath.Join(only, "toy_items", fmt.Sprint(i, ".parquet"))) != nil {
			t.Fatalf("%s is missing", word)
		}
	}
	return tableRows(t, only, "toy_items")
}

func runSQL(args ...string) (stdout, stderr string, code int) {
	var out, told strings.Builder
	code = verbs.Main(censusToys, append([]string{"census", "--views"}, args...), strings.NewReader(""), &out, &told, Verbs(writeTables, nil))
	return out.String(), told.String(), code
}

// TestViews tests the paths in the views of a census, and which options fit together.
func TestViews(t *testing.T) {
	t.Chdir(t.TempDir())
	toyFiles(t, map[string]string{"in/a.rack": "1 car 3\n"})
	census := func(args ...string) (stdout, stderr string, code int) {
		var out, told strings.Builder
		code = verbs.Main(censusToys, append([]string{"census"}, args...), strings.NewReader(""), &out, &told, Verbs(writeTables, nil))
		return out.String(), told.String(), code
	}
	if _, told, code := census("in", "-o", "out"); code != 0 {
		t.Fatal(told)
	}
	full, err := filepath.Abs("out")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want, told string }{
		{"out --views", "'" + filepath.ToSlash(full) + "/kept/toy_items/", ""},
		{"out --views --relative -q --memory 1G", "  'out/kept/toy_items/", ""},
		{"out --run 2026", "", "--run is for --views"}, {"out --views -o other", "", "--views cannot be combined with --output"},
		{"out in --views", "", "--views accepts only one DIR"}, {"in --views", "", "in: contains files that are not of a census"},
		{"out --views --engine x", "", "--engine: expected duckdb or spark"},
	} {
		out, told, code := census(strings.Fields(c.args)...)
		if (code == 0) != (c.told == "") || !strings.Contains(out, c.want) || !strings.Contains(told, c.told) {
			t.Errorf("%s: %d\n%s%s", c.args, code, out, told)
		}
	}
}

// TestCensusRuns tests that each run can be read after later runs, until --keep removes it.
func TestCensusRuns(t *testing.T) {
	inBuckets(t)
	t.Chdir(t.TempDir())
	var want [][]string
	for i := range 4 { // in the same second
		toyFiles(t, map[string]string{"in/a.rack": fmt.Sprintf("1 car %d\n2 doll 7\n", i), "in/x.list": "7 train 70\n"})
		if i == 2 { // a source is removed
			if err := os.Remove("in/x.list"); err != nil {
				t.Fatal(err)
			}
		}
		censusOf(t, 0, "in", "-o", "out", "--prune")
		want = append(want, tableRows(t, "out", "toy_items"))
	}
	names := runsOf(t, "out")
	if len(names) != 4 || !slices.IsSorted(names) {
		t.Fatal(names)
	}
	for i, name := range names {
		if got := itemsOf(t, "out", name); !slices.Equal(got, want[i]) {
			t.Errorf("run %d: %q, want %q", i, got, want[i])
		}
	}
	if got := itemsOf(t, "out", names[0][:10]); !slices.Equal(got, want[3]) && names[0][:10] == names[3][:10] {
		t.Errorf("the newest of the day: %q", got)
	}
	// Unchanged files are shared.
	if files, _ := filepath.Glob("out/kept/toy_items/*"); len(files) != 6 { // 4 of a.rack 1, 1 of a.rack 2, 1 of x.list
		t.Errorf("kept: %q", files)
	}
	_, told, code := runSQL("out", "--run", "1999")
	if code != 2 || !strings.Contains(told, "no run of \"1999\"") || !strings.Contains(told, names[3]) {
		t.Error(code, told)
	}
	if err := os.WriteFile("out/kept/toy_items/notes.parquet", nil, 0o666); err != nil { // a file of the user
		t.Fatal(err)
	}
	// A run that cannot be read removes nothing.
	newest, err := os.ReadFile("out/runs/" + names[3] + ".json")
	if err := errors.Join(err, os.WriteFile("out/runs/"+names[3]+".json", newest[:len(newest)/2], 0o666)); err != nil {
		t.Fatal(err)
	}
	if told := censusOf(t, 2, "in", "-o", "out", "--keep", "2"); !strings.Contains(told, "no runs are removed") || len(runsOf(t, "out")) != 5 {
		t.Error(told)
	}
	judge.Write(t, "out/runs/"+names[3]+".json", newest)
	if told := censusOf(t, 0, "in", "-o", "out", "--keep", "3"); !strings.Contains(told, "removed 3 runs") {
		t.Error(told)
	}
	if got := runsOf(t, "out"); len(got) != 3 || got[0] != names[3] {
		t.Error(got)
	}
	if got := itemsOf(t, "out", names[3]); !slices.Equal(got, want[3]) {
		t.Errorf("%q, want %q", got, want[3])
	}
	files, _ := filepath.Glob("out/kept/toy_items/*")
	if len(files) != 4 || !slices.Contains(files, filepath.FromSlash("out/kept/toy_items/notes.parquet")) {
		t.Errorf("kept: %q", files)
	}
	// Files that only the folder has are copied when they are replaced, as in a bucket.
	if err := os.RemoveAll("out/kept"); err != nil {
		t.Fatal(err)
	}
	before := tableRows(t, "out", "toy_items")
	last := runsOf(t, "out")
	toyFiles(t, map[string]string{"in/a.rack": "1 car 99\n"})
	censusOf(t, 0, "in", "-o", "out")
	if got := itemsOf(t, "out", last[len(last)-1]); !slices.Equal(got, before) {
		t.Errorf("%q, want %q", got, before)
	}
	// A census of an earlier version has no runs: the views read the current files.
	if err := errors.Join(os.RemoveAll("out/runs"), os.RemoveAll("out/kept")); err != nil {
		t.Fatal(err)
	}
	if got := itemsOf(t, "out", ""); !slices.Equal(got, tableRows(t, "out", "toy_items")) {
		t.Errorf("without runs: %q", got)
	}
	for dir, want := range map[string]string{"in": "not of a census", "none": "no such file"} {
		if _, told, code := runSQL(dir); code != 2 || !strings.Contains(told, want) {
			t.Error(dir, code, told)
		}
	}
}

// TestCensusRunsKilled tests that before any change of the disk all recorded runs can be read: the files have the content
// that the runs list.
func TestCensusRunsKilled(t *testing.T) {
	inBuckets(t)
	t.Chdir(t.TempDir())
	toyFiles(t, someToys)
	censusOf(t, 0, "in", "-o", "out")
	steps, checked := 0, 0
	output.Step = func() {
		steps++
		store, err := lookInto("out")
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		for _, name := range runsOf(t, "out") {
			run, err := ReadRun(t.Context(), store, name)
			if err == nil {
				err = run.Locate(t.Context(), store)
			}
			if err != nil {
				t.Errorf("before change %d: %v", steps, err)
				continue
			}
			for _, table := range run.Tables {
				for _, f := range table.Files {
					data, err := os.ReadFile(filepath.Join("out", f.Path))
					if sum := fmt.Sprintf("%x", sha256.Sum256(data)); err != nil || sum != f.SHA256 {
						t.Errorf("before change %d: %s of %s has the hash %s, %v", steps, f.Path, name, sum, err)
					}
					checked++
				}
			}
		}
	}
	defer func() { output.Step = func() {} }()
	for _, links := range []bool{true, false} {
		if !links { // as on a disk without links
			if err := os.RemoveAll("out/kept"); err != nil {
				t.Fatal(err)
			}
		}
		toyFiles(t, map[string]string{"in/a.rack": fmt.Sprintf("1 car 6\n2 doll 7\n4 new %v\n", links)})
		censusOf(t, 0, "in", "-o", "out")
		toyFiles(t, map[string]string{"in/a.rack": "2 doll 8\n"})
		censusOf(t, 0, "in", "-o", "out", "--prune", "--keep", "1")
	}
	if steps < 40 || checked < 1000 {
		t.Errorf("only %d changes, %d files", steps, checked)
	}
}

// TestCensusPositions tests the words of --positions, and that the table exists only with the option.
func TestCensusPositions(t *testing.T) {
	t.Chdir(t.TempDir())
	seeds, _, err := seedmap.Make(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range seeds {
		toyFiles(t, map[string]string{"in/" + s.Name: string(s.Data)})
	}
	census := func(want int, words ...string) string {
		t.Helper()
		told, code := runGames(append([]string{"census", "in", "-o", "out"}, words...)...)
		if code != want {
			t.Fatalf("%q: %d, %s", words, code, told)
		}
		return told
	}
	const table = "out/teeworlds_positions"
	census(0)
	if _, err := os.Stat(table); err == nil {
		t.Error("positions without the option")
	}
	census(0, "--positions", "9", "--positions", "default:chest")
	if rows := tableRows(t, "out", "teeworlds_positions"); len(rows) == 0 {
		t.Error("no positions")
	}
	census(0)
	if files, _ := filepath.Glob(table + "/*"); len(files) > 0 {
		t.Errorf("without the option: %q", files)
	}
	for _, bad := range []string{"freze", "256", ""} {
		if told := census(2, "--positions", bad); !strings.Contains(told, "--positions") {
			t.Errorf("%q: %s", bad, told)
		}
	}
}

// censusRuns is the part of the page about runs.
const censusRuns = `## Runs

Each run writes ` + "`DIR/runs/MOMENT.json`" + `: when it began, in UTC, the program, the sources, up to 1,000 messages
about them, and for each table its columns, a version that changes with them, and its files: partition, rows,
size and SHA-256. A moment is ` + "`2026-11-27T18-45-00Z`" + `, a second later if that exists. With workers it is the
moment at which their results were merged.

Files of earlier runs stay in ` + "`DIR/kept`" + `, each content once. In a folder they are there from the beginning, as a
second name of the file (a hard link): views of a run read them while later runs replace the files in
` + "`DIR/TABLE`" + `. In a bucket, and on disks without hard links, a file is copied there before it is replaced, so print
the views of a run again after the next run. Copies of DIR with ` + "`rsync -H`" + ` or ` + "`cp -a`" + ` keep the links.

` + "`--keep 30`" + ` keeps the newest 30 runs, ` + "`--keep 30d`" + ` those of 30 days (or ` + "`6m`, `1y`" + `), and always
the current one. It removes the other runs, and then the files in ` + "`DIR/kept`" + ` that no remaining run lists; if it is
killed, the next run with ` + "`--keep`" + ` removes the rest. Without the option nothing is removed, and the run prints how
many bytes only earlier runs need.

` + "`trowel census DIR --views`" + ` prints views of the newest run, and ` + "`--run`" + ` those of the newest run of a day, or of another
beginning of a moment. This answers who had diamonds on Friday, the 27th:

<!-- not run: a verb of trowel-fleet -->

    trowel census world -o DIR --keep 30d    # every day
    trowel census DIR --views --run 2026-11-27 > friday.sql
    duckdb -init friday.sql -c "` + diamondsThen + `"

In DuckDB, a schema for each run compares two of them:

    CREATE SCHEMA thursday; USE thursday; .read thursday.sql
    CREATE SCHEMA friday; USE friday; .read friday.sql
    SELECT owner, f.count - t.count FROM friday.minetest_belongings f JOIN thursday.minetest_belongings t
    USING (file, owner, item) WHERE item = 'default:diamond';

`

// TestExpire tests which runs are removed, and that the files of the others stay. The run that was just made stays, even
// if the clock was ahead during an earlier run.
func TestExpire(t *testing.T) {
	const a, b, c = "2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z", "2999-01-01T00-00-00Z"
	for _, try := range []struct {
		keep, made string
		want       []string
	}{
		{"", c, []string{a, b, c}},
		{"3", c, []string{a, b, c}},
		{"2", c, []string{b, c}},
		{"1", c, []string{c}},
		{"1", a, []string{a, c}},
		{"30d", c, []string{c}},
		{"30d", b, []string{b, c}},
	} {
		store, err := OpenFolder(t.Context(), t.TempDir(), false)
		if err != nil {
			t.Fatal(err)
		}
		d := &Dataset{store: store, Run: try.made, runs: []string{a, b, c}}
		var kept []string
		for i, name := range d.runs {
			content := Content{Rows: 1, SHA256: strings.Repeat(fmt.Sprint(i), 64)}
			moment, _ := time.Parse(runForm, name)
			r := &Run{Run: 1, Moment: moment.Format(time.RFC3339), Tables: []runTable{{Name: "things",
				Columns: []Column{{Name: "file", Type: "string"}}, Files: []RunFile{{Part: "files", Content: content}}}}}
			err := errors.Join(store.Put(t.Context(), runFile(name), func(w io.Writer) error { return r.encode(w, files) }),
				store.Put(t.Context(), keptFile("things", "files", content), func(io.Writer) error { return nil }))
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(try.want, name) {
				kept = append(kept, keptFile("things", "files", content))
			}
		}
		var keep keepRuns
		if try.keep != "" {
			err = keep.Set(try.keep)
		}
		n, err1 := keep.expire(t.Context(), d)
		got, err2 := Runs(t.Context(), store)
		var left []string
		err3 := d.eachKept(t.Context(), func(name string, _ int64) error { left = append(left, name); return nil })
		slices.Sort(left)
		if err := errors.Join(err, err1, err2, err3, store.Close()); err != nil || n != 3-len(try.want) ||
			!slices.Equal(got, try.want) || !slices.Equal(left, kept) {
			t.Errorf("keep %q, made %s: removed %d, left %q with %q, %v", try.keep, try.made, n, got, left, err)
		}
	}
	for text, want := range map[string]int{"1": 1, "30": 30, "30d": 0, "0": -1, "-1": -1, "x": -1, "30w": -1} { // -1: an error
		var k keepRuns
		if err := k.Set(text); (err != nil) != (want < 0) || err == nil && k.newest != want {
			t.Errorf("%s: %d, %v", text, k.newest, err)
		}
	}
}

// TestSpool tests that a spool is sent whole, in pieces of 1 MiB at most, and that only its owner can read it.
func TestSpool(t *testing.T) {
	var temp Temp
	defer temp.Close()
	for size, want := range map[int]int{0: 0, 1: 1, 1 << 20: 1, 1<<20 + 1: 2} {
		s, err := temp.spool()
		if err != nil {
			t.Fatal(err)
		}
		if info, err := s.file.Stat(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		_, err = s.Write(make([]byte, size))
		n, sent := 0, 0
		if err2 := s.chunks(func(c Chunk) error {
			data, err := c.GobEncode()
			n, sent = n+1, sent+len(data)
			return err
		}); err != nil || err2 != nil || n != want || sent != size {
			t.Errorf("%d bytes: %d in %d pieces, %v, %v", size, sent, n, err, err2)
		}
	}
}

// TestBundles tests how many files form one partition.
func TestBundles(t *testing.T) {
	some := []File{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for _, c := range []struct {
		d    Dataset
		n    int
		want []string
	}{
		{Dataset{Few: 2}, 2, []string{allFiles}},
		{Dataset{Few: 2}, 3, []string{bucket("a"), bucket("b"), bucket("c")}},
		{Dataset{Few: 2, before: map[string]span{allFiles + "-00": {}}}, 1, []string{bucket("a")}},
		{Dataset{bundle: &State{Files: some}}, 3, []string{allFiles}},
	} {
		slices.Sort(c.want)
		if got := slices.Sorted(maps.Keys(c.d.Bundles(some[:c.n], nil))); !slices.Equal(got, c.want) {
			t.Errorf("%d files: %q, want %q", c.n, got, c.want)
		}
	}
}
