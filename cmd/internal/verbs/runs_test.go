package verbs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/internal/census"
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
	if _, told, code := runSQL("out", "--run", "1999"); code != 2 || !strings.Contains(told, "no run of \"1999\"") || !strings.Contains(told, names[3]) {
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
