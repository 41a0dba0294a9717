package bucket_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/cmd/trowel-fleet/internal/census"
	"trowel.example/cmd/trowel-fleet/internal/parquet"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/teeworlds/twmap"
)

func put(t *testing.T, tables census.Store, name, text string) error {
	t.Helper()
	return tables.Put(t.Context(), name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// ofRuns reports whether a file belongs to runs, and therefore depends on their moments.
func ofRuns(name string) bool {
	return strings.HasPrefix(name, "runs/") || strings.HasPrefix(name, "kept/")
}

// readRuns finds the files of all runs of a dataset.
func readRuns(t *testing.T, url string) {
	t.Helper()
	tables := openTables(t, url)
	names, err := census.Runs(t.Context(), tables)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		run, err := census.ReadRun(t.Context(), tables, name)
		if err == nil {
			err = run.Locate(t.Context(), tables)
		}
		if err != nil {
			t.Error(name, err)
		}
	}
}

func openTables(t *testing.T, url string) *bucket.Tables {
	t.Helper()
	tables, err := bucket.OpenTables(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tables.Close() })
	return tables
}

// in returns the URL of a folder of a bucket.
func in(url, folder string) string { return strings.Replace(url, "?", "/"+folder+"?", 1) }

// TestTables tests that if two runs write the same objects, the second fails and nothing of the first is lost.
func TestTables(t *testing.T) {
	url := in(judge.S3(t, "tables"), "some")
	first, second := openTables(t, url), openTables(t, url)
	large := strings.Repeat("a row of many\n", 1<<20) // more than fits into one request
	for i, try := range []struct {
		who  *bucket.Tables // nil: a run that begins now
		name string
		text string // "": the object is removed
		want error
	}{
		{first, "a/new", "1", nil},
		{second, "a/new", "2", bucket.ErrTaken},
		{first, "a/new", "3", nil},
		{first, "large", large, nil},
		{second, "large", large[1:], bucket.ErrTaken},
		{first, "large", large[2:], nil},
		{nil, "a/new", "4", nil},
		{first, "a/new", "5", bucket.ErrTaken},
		{first, "a/new", "", bucket.ErrTaken},
		{second, "a/new", "", bucket.ErrTaken},
		{second, "none", "", nil},
		{nil, "a/new", "", nil},
		{first, "a/new", "6", bucket.ErrTaken},
		{nil, "a/new", "7", nil},
	} {
		if try.who == nil {
			try.who = openTables(t, url)
		}
		var err error
		if try.text == "" {
			err = try.who.Remove(t.Context(), try.name)
		} else {
			err = put(t, try.who, try.name, try.text)
		}
		if !errors.Is(err, try.want) || err != nil && !strings.HasPrefix(err.Error(), "s3://tables/some/"+try.name+": another run") {
			t.Errorf("%d: %v, want %v", i, err, try.want)
		}
	}
	last := openTables(t, url)
	for folder, want := range map[string]map[string]int64{"": {"a": -1, "large": int64(len(large) - 2)}, "a": {"new": 1}, "b": {}} {
		if got, err := listOf(last, folder); err != nil || !maps.Equal(got, want) {
			t.Errorf("%q: %v, %v", folder, got, err)
		}
	}
	r, err := last.Open(t.Context(), "a/new")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err := io.ReadAll(r); string(data) != "7" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	// An object whose write fails does not exist.
	failed := errors.New("failed")
	if err := last.Put(t.Context(), "half", func(w io.Writer) error { io.WriteString(w, large); return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	if list, _ := listOf(openTables(t, url), ""); len(list) != 2 {
		t.Error(list)
	}
	if _, err := bucket.OpenTables(t.Context(), "s3://me:secret@tables"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

// TestTablesCopy tests that a copy has the content that the run has seen, and can be replaced and removed like other objects.
func TestTablesCopy(t *testing.T) {
	url := judge.S3(t, "tables")
	one := openTables(t, url)
	if err := put(t, one, "t/it's a=b 日.parquet", "first"); err != nil {
		t.Fatal(err)
	}
	const to = "kept/t/b.parquet"
	if err := one.Copy(t.Context(), "t/it's a=b 日.parquet", to); err != nil {
		t.Fatal(err)
	}
	r, err := one.Open(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil || string(data) != "first" {
		t.Errorf("%q, %v", data, err)
	}
	if list, _ := listOf(one, "kept/t"); list["b.parquet"] != 5 {
		t.Error(list)
	}
	if err := put(t, one, to, "again"); err != nil {
		t.Error(err)
	}
	if err := one.Remove(t.Context(), to); err != nil {
		t.Error(err)
	}
	if err := one.Copy(t.Context(), "t/none", to); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := put(t, openTables(t, url), "t/it's a=b 日.parquet", "second"); err != nil {
		t.Fatal(err)
	}
	if err := one.Copy(t.Context(), "t/it's a=b 日.parquet", to); !errors.Is(err, bucket.ErrTaken) {
		t.Error(err)
	}
}

// listOf returns the files in a folder with their sizes.
func listOf(tables census.Store, folder string) (map[string]int64, error) {
	list := make(map[string]int64)
	return list, tables.List(context.Background(), folder, func(name string, size int64) error { list[name] = size; return nil })
}

func tablesVerb(t *verbs.Tool) []*cobra.Command {
	return census.Verbs(func(w io.Writer, t *format.Table, program string) census.Writer {
		return parquet.NewWriter(w, t, program)
	},
		func(ctx context.Context, name string) (census.Store, error) {
			t, err := bucket.OpenTables(ctx, name)
			if err != nil {
				return nil, err
			}
			return stopping{t}, nil
		})(t)
}

// puts is the number of files stored before a run stops; negative: the run does not stop.
var puts = -1

// stopping is a dataset of a run that stops.
type stopping struct{ *bucket.Tables }

func (s stopping) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	if puts == 0 {
		return errors.New("stopped")
	}
	puts--
	return s.Tables.Put(ctx, name, write)
}

// TestCensus tests that after each run, a dataset in a bucket has the same files as a dataset in a folder.
func TestCensus(t *testing.T) {
	url := judge.S3(t, "tables")
	dir, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	run := func(want int, to string, more ...string) string {
		t.Helper()
		var out, talk bytes.Buffer
		args := append([]string{"census", "in", "-o", to}, more...)
		if code := verbs.Main(games, args, nil, &out, &talk, reads, tablesVerb); code != want {
			t.Fatalf("%q: %d, %s", args, code, talk.String())
		}
		return talk.String()
	}
	write := func(name string, width int) {
		t.Helper()
		data, err := twmap.New(width, 20).Encode()
		if err == nil {
			err = errors.Join(os.MkdirAll("in", 0o777), os.WriteFile(filepath.Join("in", name), data, 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	objects := func() map[string]string {
		t.Helper()
		b, err := bucket.Open(t.Context(), in(url, "census"))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		all := make(map[string]string)
		if err := b.Walk(t.Context(), "", func(e bucket.Entry) error {
			r, err := b.Open(t.Context(), e.Name)
			if err != nil {
				return err
			}
			defer r.Close()
			data, err := io.ReadAll(r)
			if !ofRuns(e.Name) {
				all[e.Name] = e.Version + string(data)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	same := func() {
		t.Helper()
		want, got := make(map[string]string), make(map[string]string)
		for name, text := range objects() {
			_, got[name], _ = strings.Cut(text, " ")
			got[name] = strings.TrimLeft(got[name], "0123456789")
		}
		if err := filepath.WalkDir("out", func(path string, e os.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
				data, err := os.ReadFile(path)
				rel, _ := filepath.Rel("out", path)
				if rel = filepath.ToSlash(rel); !ofRuns(rel) {
					want[rel] = string(data)
				}
				return err
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		readRuns(t, in(url, "census"))
	}
	for i := range 6 {
		write(fmt.Sprintf("%d.map", i), 10+i)
	}
	to := in(url, "census")
	run(0, to)
	run(0, "out")
	same()
	before := objects()
	if said := run(0, to); !strings.Contains(said, " 0 rebuilt") || strings.Contains(said, "endpoint") {
		t.Error(said)
	}
	if diff := cmp.Diff(before, objects()); diff != "" {
		t.Error("written again: ", diff)
	}
	write("3.map", 99)
	if err := os.Remove("in/4.map"); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{nil, {"--prune"}} {
		run(0, to, more...)
		run(0, "out", more...)
		same()
	}
	changed := 0
	for name, text := range objects() {
		if before[name] != text {
			changed++
		}
	}
	if changed == 0 || changed > len(before)/2 {
		t.Errorf("%d of %d objects were written", changed, len(before))
	}
	// After a run that stops at any point, the next run repairs the dataset.
	for stop := 1; ; stop += 4 {
		puts = stop
		for i := range 3 {
			write(fmt.Sprintf("%d.map", i), 100+10*stop+i)
		}
		var out, talk bytes.Buffer
		if verbs.Main(games, []string{"census", "in", "-o", to}, nil, &out, &talk, reads, tablesVerb); puts > 0 {
			break
		}
		puts = -1
		run(0, to)
		run(0, "out")
		same()
	}
	puts = -1
	run(0, "out")
	same()
	// Files of a bucket are recognized as unchanged by everything read for them, here the list next to an
	// archive.
	for _, args := range [][]string{{"pack", filepath.Join(dir, "samples", "ember"), "-o", "ember.MOD"},
		{"convert", "ember.MOD", "-o", "ember.PAK"}} {
		var talk bytes.Buffer
		if code := verbs.Main(games, args, nil, io.Discard, &talk, reads); code != 0 {
			t.Fatal(talk.String())
		}
	}
	from, err := bucket.Open(t.Context(), in(url, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	for _, step := range []struct {
		more int // bytes appended to the list
		made string
		code int
	}{{0, " 1 rebuilt", 0}, {0, " 0 rebuilt", 0}, {1, " 1 rebuilt", 0}} {
		for _, name := range []string{"ember.PAK", "ember.PAK.MAN"} {
			data := judge.Read(t, name)
			if strings.HasSuffix(name, ".MAN") {
				data = append(data, make([]byte, step.more)...)
			}
			if err := from.Put(t.Context(), name, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
				t.Fatal(err)
			}
		}
		var out, talk bytes.Buffer
		if code := verbs.Main(games, []string{"census", in(url, "in"), "-o", "of"}, nil, &out, &talk, reads,
			tablesVerb); code != step.code || !strings.Contains(talk.String(), step.made) {
			t.Error(step, code, talk.String())
		}
	}
	// A folder used as a bucket.
	here, _ := os.Getwd()
	run(0, "file://"+here+"/out")
	same()
	// A folder that is not a dataset is not changed.
	b, err := bucket.Open(t.Context(), in(url, "mine"))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Put(t.Context(), "x", func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if said := run(2, in(url, "mine")); !strings.Contains(said, "s3://tables/mine: contains files that are not of a census") {
		t.Error(said)
	}
	var out, talk bytes.Buffer
	if code := verbs.Main(games, []string{"census", in(url, "mine"), "-o", in(url, "mine/tables")}, nil, &out, &talk,
		reads, tablesVerb); code != 2 || !strings.Contains(talk.String(), "refusing to overwrite the input") {
		t.Error(code, talk.String())
	}
}
