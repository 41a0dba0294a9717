package verbs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/internal/census"
	"trowel.example/internal/files/output"
	"trowel.example/internal/testing/seedmap"
)

// runsOf returns the names of the runs of a dataset, the oldest first.
func runsOf(t testing.TB, dir string) []string {
	t.Helper()
	store, err := census.LookInto(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	names, err := census.Runs(t.Context(), store)
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
	code = run(censusToys, append([]string{"sql"}, args...), strings.NewReader(""), &out, &told, Census(writeTables, nil))
	return out.String(), told.String(), code
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
	if err := os.WriteFile("out/runs/"+names[3]+".json", newest, 0o666); err != nil {
		t.Fatal(err)
	}
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
	// By age: the newest run is always kept.
	old := runsOf(t, "out")
	if err := os.Rename("out/runs/"+old[0]+".json", "out/runs/2020-01-01T00-00-00Z.json"); err != nil {
		t.Fatal(err)
	}
	if told := censusOf(t, 0, "in", "-o", "out", "--keep", "30d"); !strings.Contains(told, "removed 1 run\n") {
		t.Error(told)
	}
	for _, bad := range []string{"0", "-1", "x", "30w"} {
		if told := censusOf(t, 2, "in", "-o", "out", "--keep", bad); !strings.Contains(told, "expected") {
			t.Error(bad, told)
		}
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
		store, err := census.LookInto("out")
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		for _, name := range runsOf(t, "out") {
			run, err := census.ReadRun(t.Context(), store, name)
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

` + "`trowel sql DIR`" + ` prints views of the newest run, and ` + "`--run`" + ` those of the newest run of a day, or of another
beginning of a moment. This answers who had diamonds on Friday, the 27th:

<!-- not run: a verb of trowel-fleet -->

    trowel census world -o DIR --keep 30d    # every day
    trowel sql DIR --run 2026-11-27 > friday.sql
    duckdb -init friday.sql -c "` + diamondsThen + `"

In DuckDB, a schema for each run compares two of them:

    CREATE SCHEMA thursday; USE thursday; .read thursday.sql
    CREATE SCHEMA friday; USE friday; .read friday.sql
    SELECT owner, f.count - t.count FROM friday.minetest_belongings f JOIN thursday.minetest_belongings t
    USING (file, owner, item) WHERE item = 'default:diamond';

`
