package census

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"

	_ "trowel.example/all"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/work"
	"trowel.example/cmd/trowel-fleet/internal/parquet"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

// The toys of census: a rack is a text of lines "SLAB NAME VALUE" that is split by slab, a list is the same
// without being split.

var (
	rackItems = &format.Table{Name: "toy_items", Title: "the items of racks", Columns: []format.Column{
		{Name: "slab", Type: format.ColumnInt, Help: "of the item"},
		{Name: "name", Type: format.ColumnText, Help: "of the item"},
		{Name: "value", Type: format.ColumnInt, Optional: true, Help: "of the item, if it has one"},
	}}
	rackSlabs = &format.Table{Name: "toy_slabs", Title: "the slabs of racks", Columns: []format.Column{
		{Name: "slab", Type: format.ColumnInt, Help: "its number"},
		{Name: "items", Type: format.ColumnInt, Help: "how many there are"},
	}}
)

func rackLines(src *format.Source, shard format.Shard) (lines [][]string, err error) {
	data, err := src.ReadAll()
	for line := range strings.Lines(string(data)) {
		if words := strings.Fields(line); len(words) >= 2 && (shard == "" || string(shard) == words[0]) {
			lines = append(lines, words)
		}
	}
	return lines, err
}

func rackRows(_ context.Context, job *format.Job, src *format.Source, row func(*format.Table, []format.Cell) error) error {
	lines, err := rackLines(src, job.Shard)
	if err != nil {
		return err
	}
	count := make(map[string]int64)
	for _, l := range lines {
		slab, err := strconv.ParseInt(l[0], 10, 32)
		switch {
		case err != nil:
			job.Miss("", "%s: is no slab", l[0])
			continue
		case l[1] == "fails":
			return errors.New("an item that fails")
		case l[1] == "panics":
			panic("an item that bites")
		}
		var value format.Cell
		if len(l) > 2 {
			n, _ := strconv.ParseInt(l[2], 10, 64)
			value = format.IntCell(n)
		}
		name := format.TextCell(l[1])
		if l[1] == "null" {
			name = format.Cell{}
		}
		count[l[0]]++
		if err := row(rackItems, []format.Cell{format.IntCell(slab), name, value}); err != nil {
			return err
		}
	}
	for _, slab := range slices.Sorted(maps.Keys(count)) {
		n, _ := strconv.ParseInt(slab, 10, 32)
		if err := row(rackSlabs, []format.Cell{format.IntCell(n), format.IntCell(count[slab])}); err != nil {
			return err
		}
	}
	return nil
}

func toyText(name, ext string, sharding *format.Sharding,
	digest func(context.Context, *format.Job, *format.Source) (string, error)) *format.Format {
	return &format.Format{Name: name, Title: name,
		Recognition: format.Recognition{
			Extensions: []string{ext},
			Recognize:  func(src *format.Source) bool { return strings.HasSuffix(src.Name, ext) },
		},
		Sharding: sharding,
		Open:     func(context.Context, *format.Job, *format.Source) (format.File, error) { return noFile{}, nil },
		Options:  []format.Option{{Name: "then", Access: format.Access{Input: true}, For: format.ForCensus, Help: "what was there before"}},
		Census:   &format.Census{Tables: []*format.Table{rackItems, rackSlabs}, Rows: rackRows, Digest: digest, Before: rackBefore},
	}
}

// rackDigest returns the content of a slab.
func rackDigest(_ context.Context, job *format.Job, src *format.Source) (string, error) {
	lines, err := rackLines(src, job.Shard)
	return fmt.Sprint(lines), err
}

// rackBefore returns the earlier content of a slab, from the file that --then names.
func rackBefore(ctx context.Context, job *format.Job, _ *format.Source) (string, error) {
	if job.Value("then") == "" {
		return "", nil
	}
	src, err := format.OpenSource(job.Value("then"))
	if err != nil {
		return "", err
	}
	defer src.Close()
	return rackDigest(ctx, job, src)
}

var censusToys = format.Games{{Title: "Racks", Formats: []*format.Format{
	toyText("toy-list", ".list", nil, nil),
	toyText("toy-rack", ".rack", &format.Sharding{Split: func(_ context.Context, _ *format.Job, src *format.Source,
		yield func(format.Shard) error) error {
		lines, err := rackLines(src, "")
		if err != nil {
			return err
		}
		seen := make(map[string]bool)
		for _, l := range lines {
			seen[l[0]] = true
		}
		for _, s := range slices.Sorted(maps.Keys(seen)) {
			if err := yield(format.Shard(s)); err != nil {
				return err
			}
		}
		return nil
	}}, rackDigest),
	{Name: "toy-box", Title: "Box of toys",
		Recognition: format.Recognition{
			Extensions: []string{".box"},
			Recognize:  func(src *format.Source) bool { return strings.HasSuffix(src.Name, ".box") },
		},
		Open: func(context.Context, *format.Job, *format.Source) (format.File, error) { return noFile{}, nil }},
}}}

// noFile is a file of which only the tables are read.
type noFile struct{ format.File }

func (noFile) Close() error { return nil }

var (
	games  = format.Registered()
	update = flag.Bool("update", false, "write docs/census.md again")
)

// performed is the result of a command line.
type performed struct {
	out, err string
	code     int
}

func writeTables(w io.Writer, t *format.Table, program string) Writer {
	return parquet.NewWriter(w, t, program)
}

// runCensus runs the verb in a folder, and returns what it printed and its exit code.
func runCensus(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, told bytes.Buffer
	code = verbs.Main(censusToys, append([]string{"census"}, args...), strings.NewReader(""), &out, &told, Verbs(writeTables, nil))
	return out.String(), told.String(), code
}

func censusOf(t testing.TB, want int, args ...string) string {
	t.Helper()
	_, told, code := runCensus(t, args...)
	if code != want {
		t.Fatalf("%q: exit code %d\n%s", args, code, told)
	}
	return told
}

// tableRows returns the rows of all files of a table, sorted, as a query engine reads them.
func tableRows(t testing.TB, dir, table string) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, table, "*.parquet"))
	rows := []string{}
	for _, name := range files {
		data := judge.Read(t, name)
		f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := pq.NewReader(f)
		for some := make([]pq.Row, 50); ; {
			n, err := r.ReadRows(some)
			for _, row := range some[:n] {
				line := ""
				for _, v := range row {
					line += " " + v.String()
				}
				rows = append(rows, line[1:])
			}
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		r.Close()
	}
	slices.Sort(rows)
	return rows
}

// ofRuns reports whether a file of a dataset belongs to its runs, which every run changes.
func ofRuns(name string) bool {
	return strings.HasPrefix(name, "runs/") || strings.HasPrefix(name, "kept/")
}

// snapshot returns the content of a folder, including the identity of each file.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	if err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || name == ".trowel-census" || ofRuns(name) {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// changed returns the files of a folder that were replaced, even if their content is the same.
func changed(t testing.TB, dir string, run func()) []string {
	t.Helper()
	infos := func() map[string]fs.FileInfo {
		all := make(map[string]fs.FileInfo)
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				if rel, _ := filepath.Rel(dir, path); !ofRuns(filepath.ToSlash(rel)) {
					all[filepath.ToSlash(rel)], err = e.Info()
				}
			}
			return err
		})
		return all
	}
	before := infos()
	run()
	names := []string{}
	after := infos()
	for name, i := range after {
		if old := before[name]; old == nil || !os.SameFile(old, i) || !old.ModTime().Equal(i.ModTime()) {
			names = append(names, name)
		}
	}
	for name := range before {
		if after[name] == nil {
			names = append(names, "-"+name)
		}
	}
	slices.Sort(names)
	return names
}

func toyFiles(t testing.TB, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, name, []byte(text))
	}
}

var someToys = map[string]string{
	"in/a.rack": "1 car 5\n1 ball\n2 doll 7\n3 block 9\n",
	"in/b.rack": "1 kite 2\n",
	"in/x.list": "7 train 70\n7 track\n",
	"in/y.list": "8 plane 80\n",
	"in/z.txt":  "no toy",
}

var someRows = []string{"in/a.rack 1 ball <null>", "in/a.rack 1 car 5", "in/a.rack 2 doll 7", "in/a.rack 3 block 9",
	"in/b.rack 1 kite 2", "in/x.list 7 track <null>", "in/x.list 7 train 70", "in/y.list 8 plane 80"}

func wantRows(t testing.TB, dir string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(append([]string{}, want...), tableRows(t, dir, "toy_items")); diff != "" {
		t.Errorf("rows: %s", diff)
	}
}

func TestCensus(t *testing.T) {
	inBuckets(t)
	t.Chdir(t.TempDir())
	toyFiles(t, someToys)
	printed, _, code := runCensus(t, "in", "-o", "out")
	if want := "              8  toy_items\n              6  toy_slabs\n"; printed != want || code != 0 {
		t.Errorf("%d %q", code, printed)
	}
	wantRows(t, "out", someRows...)

	// Without changes, nothing is written.
	if names := changed(t, "out", func() { censusOf(t, 0, "in", "-o", "out") }); len(names) > 0 {
		t.Errorf("written: %v", names)
	}
	// A slab has changed in one of its tables.
	toyFiles(t, map[string]string{"in/a.rack": "1 car 5\n1 ball\n2 doll 8\n3 block 9\n"})
	slab := shardName("in/a.rack", "2")
	if names := changed(t, "out", func() { censusOf(t, 0, "in", "-o", "out") }); !slices.Equal(names,
		[]string{"parts/" + slab + ".json", "toy_items/" + slab + ".parquet"}) {
		t.Errorf("written: %v", names)
	}
	// A slab was removed, with its files.
	toyFiles(t, map[string]string{"in/a.rack": "1 car 5\n1 ball\n3 block 9\n"})
	if names := changed(t, "out", func() { censusOf(t, 0, "in", "-o", "out") }); !slices.Equal(names,
		[]string{"-parts/" + slab + ".json", "-toy_items/" + slab + ".parquet", "-toy_slabs/" + slab + ".parquet", "census.json"}) {
		t.Errorf("written: %v", names)
	}
	// The result is identical to that of a new dataset.
	toyFiles(t, someToys)
	censusOf(t, 0, "in", "-o", "out")
	censusOf(t, 0, "in", "-o", "new")
	if diff := cmp.Diff(snapshot(t, "new"), snapshot(t, "out")); diff != "" {
		t.Error("another way gives another result: ", diff)
	}
	// Damaged or missing files are rebuilt.
	file := "out/toy_items/" + bucket("in/x.list") + ".parquet"
	if err := os.Truncate(file, 10); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove("out/toy_slabs/" + slab + ".parquet"); err != nil {
		t.Fatal(err)
	}
	censusOf(t, 0, "in", "-o", "out")
	if diff := cmp.Diff(snapshot(t, "new"), snapshot(t, "out")); diff != "" {
		t.Error("not mended: ", diff)
	}
	if printed, _, _ := runCensus(t, "in", "-o", "out", "--json"); !strings.Contains(printed,
		`"tables":[{"name":"toy_items","rows":8,"files":`) || !strings.Contains(printed, `"made":0,"left":0,"gone":[]`) {
		t.Error(printed)
	}
}

// inBuckets makes new datasets spread few files over partitions, as they do with many.
func inBuckets(t *testing.T) {
	was := fewFiles
	fewFiles = 0
	t.Cleanup(func() { fewFiles = was })
}

// sameBucket returns the names of n lists that are in the same partition.
func sameBucket(n int) (names []string) {
	for i := 0; len(names) < n; i++ {
		if name := fmt.Sprintf("in/%d.list", i); bucket(name) == bucket("in/0.list") {
			names = append(names, name)
		}
	}
	return names
}

func TestCensusGone(t *testing.T) {
	inBuckets(t)
	t.Chdir(t.TempDir())
	together := sameBucket(3)
	toyFiles(t, map[string]string{together[0]: "1 one", together[1]: "1 two", together[2]: "1 three", "in/a.rack": "1 car\n2 bus"})
	censusOf(t, 0, "in", "-o", "out")
	whole := snapshot(t, "out")
	one, two, three := together[0]+" 1 one <null>", together[1]+" 1 two <null>", together[2]+" 1 three <null>"
	for _, name := range []string{together[1], "in/a.rack"} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	toyFiles(t, map[string]string{together[0]: "1 uno"})
	told := censusOf(t, 0, "in", "-o", "out")
	if !strings.Contains(told, "2 files of earlier runs, such as in/"+filepath.Base(together[1])) &&
		!strings.Contains(told, "2 files of earlier runs, such as in/a.rack") {
		t.Error(told)
	}
	uno := together[0] + " 1 uno <null>"
	wantRows(t, "out", uno, two, three, "in/a.rack 1 car <null>", "in/a.rack 2 bus <null>")
	if names := changed(t, "out", func() { censusOf(t, 0, "in", "-o", "out") }); len(names) > 0 {
		t.Errorf("written: %v", names)
	}
	// New sources are added to the existing ones.
	toyFiles(t, map[string]string{"more/b.rack": "5 late"})
	censusOf(t, 0, "more", "-o", "out")
	wantRows(t, "out", uno, two, three, "in/a.rack 1 car <null>", "in/a.rack 2 bus <null>", "more/b.rack 5 late <null>")
	if told := censusOf(t, 0, "in", "-o", "out", "--prune"); !strings.Contains(told, "removed the rows of 3 files") {
		t.Error(told)
	}
	wantRows(t, "out", uno, three)
	if err := os.Remove(together[2]); err != nil {
		t.Fatal(err)
	}
	if told := censusOf(t, 0, "in", "-o", "out"); !strings.Contains(told, "1 file of earlier runs, such as "+together[2]) {
		t.Error(told)
	}
	// A file that reappears is stored once.
	toyFiles(t, map[string]string{together[0]: "1 one", together[1]: "1 two", together[2]: "1 three", "in/a.rack": "1 car\n2 bus"})
	censusOf(t, 0, "in", "-o", "out")
	wantRows(t, "out", one, two, three, "in/a.rack 1 car <null>", "in/a.rack 2 bus <null>")
	if diff := cmp.Diff(whole, snapshot(t, "out")); diff != "" {
		t.Error(diff)
	}
}

// TestCensusLost tests that lost rows of a damaged or removed file are reported.
func TestCensusLost(t *testing.T) {
	inBuckets(t)
	for name, damage := range map[string]func(file string) error{
		"gone":    os.Remove,
		"shorter": func(file string) error { return os.Truncate(file, 99) },
		"other": func(file string) error {
			data, err := os.ReadFile(file)
			data[len(data)/2] ^= 1
			return errors.Join(err, os.WriteFile(file, data, 0o666))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			together := sameBucket(2)
			toyFiles(t, map[string]string{together[0]: "1 one", together[1]: "1 two"})
			censusOf(t, 0, "in", "-o", "out")
			toyFiles(t, map[string]string{together[0]: "1 uno"})
			part := bucket(together[0]) + ".parquet"
			if err := errors.Join(os.Remove(together[1]), damage("out/toy_items/"+part)); err != nil {
				t.Fatal(err)
			}
			if told := censusOf(t, 1, "in", "-o", "out"); !strings.Contains(told, "toy_items/"+part+": the rows of deleted files cannot be kept") {
				t.Error(told)
			}
			wantRows(t, "out", together[0]+" 1 uno <null>")
			// The loss is reported while other rows of the file are kept.
			toyFiles(t, map[string]string{together[0]: "1 eins"})
			for range 2 {
				if told := censusOf(t, 1, "in", "-o", "out"); strings.Count(told, "cannot be kept") != 1 {
					t.Error(told)
				}
			}
			if told := censusOf(t, 0, "in", "-o", "out", "--prune"); strings.Contains(told, "cannot be kept") {
				t.Error(told)
			}
		})
	}
}

// TestCensusFailing tests that an unreadable file is reported in each run, and that the rows of an earlier run
// stay.
func TestCensusFailing(t *testing.T) {
	t.Chdir(t.TempDir())
	toyFiles(t, someToys)
	censusOf(t, 0, "in", "-o", "out")
	toyFiles(t, map[string]string{"in/a.rack": "1 car 5\n1 ball\n2 fails\n3 block 9\nx lost\n", "in/x.list": "7 panics"})
	for range 2 {
		told := censusOf(t, 2, "in", "-o", "out")
		for _, want := range []string{"in/a.rack: an item that fails", "x: is no slab", "in/x.list: a defect of trowel", "an item that bites"} {
			if strings.Count(filepath.ToSlash(told), want) != 1 {
				t.Errorf("%q is not said once: %s", want, told)
			}
		}
		wantRows(t, "out", someRows...)
	}
	toyFiles(t, map[string]string{"in/a.rack": "1 car 5\n1 ball\n3 block 9\nx lost\n", "in/x.list": "7 track"})
	for range 2 {
		if told := censusOf(t, 1, "in", "-o", "out"); !strings.Contains(told, "x: is no slab") {
			t.Error(told)
		}
	}
	toyFiles(t, map[string]string{"in/x.list": "7 null 1"})
	told := censusOf(t, 2, "in/x.list", "-o", "other")
	if !strings.Contains(filepath.ToSlash(told), "in/x.list: table toy_items: name is null") {
		t.Error(told)
	}
}

// TestCensusCSV tests that a table can be printed, and that failures are reported as with tables that are written.
func TestCensusCSV(t *testing.T) {
	t.Chdir(t.TempDir())
	toyFiles(t, someToys)
	printed, told, code := runCensus(t, "in", "in/a.rack", "--csv", "toy_items")
	lines := strings.Split(strings.TrimSuffix(printed, "\n"), "\n")
	if header := "file,slab,name,value"; code != 0 || told != "" || lines[0] != header {
		t.Errorf("%d %s%q, want %q", code, told, lines[0], header)
	}
	slices.Sort(lines[1:])
	want := slices.Clone(someRows)
	slices.Sort(want)
	for i := range want {
		want[i] = strings.ReplaceAll(strings.ReplaceAll(want[i], " ", ","), "<null>", "")
	}
	if diff := cmp.Diff(want, lines[1:]); diff != "" {
		t.Error(diff)
	}
	toyFiles(t, map[string]string{"in/a.rack": "2 fails\n1 car 5\n"})
	printed, told, code = runCensus(t, "in", "none", "--csv", "toy_items")
	if code != 2 || !strings.Contains(told, "an item that fails") || !strings.Contains(told, "none: no such file") ||
		!strings.Contains(printed, ",kite,") {
		t.Errorf("%d %s%s", code, told, printed)
	}
	for _, try := range [][]string{
		{"in --csv toy_item", "did you mean toy_items?"}, {"in --csv toy_items --prune", "cannot be combined with --prune"},
		{"in --csv toy_items -o out", "cannot be combined with --output"}, {"in", "--csv prints one of them"},
	} {
		if told := censusOf(t, 2, strings.Fields(try[0])...); !strings.Contains(told, try[1]) {
			t.Errorf("%s: %s", try[0], told)
		}
	}
}

func TestCensusRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	toyFiles(t, someToys)
	toyFiles(t, map[string]string{"mine/a": "b", "else/census.json": "{}", "newer/census.json": `{"census": 2}`,
		"a.box": "TOYB", "in/sub/q.list": "1 q"})
	for _, try := range [][]string{
		{"in -o mine", "mine: contains files that are not of a census"},
		{"in -o else", "contains files that are not of a census"},
		{"in -o newer", "a newer program made it"},
		{"in -o in/census", "refusing to overwrite the input"},
		{"in", "no -o given"},
		{"in -o https://there/out", "neither a folder nor a bucket"},
		{"- -o out", "standard input"},
		{"nothing -o out", "nothing: no such file"},
		{"a.box -o out", "a.box: a Box of toys has no tables"},
		{"mine -o out", "mine: "},
	} {
		before := snapshot(t, "mine")
		if told := censusOf(t, 2, strings.Fields(try[0])...); !strings.Contains(told, try[1]) {
			t.Errorf("%s: %s", try[0], told)
		}
		if !maps.Equal(before, snapshot(t, "mine")) {
			t.Errorf("%s: changed what is not ours", try[0])
		}
	}
	censusOf(t, 0, "in", "-o", "taken")
	f, err := os.OpenFile("taken/.trowel-census", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := filelock.Try(f); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no locks here")
	}
	if told := censusOf(t, 2, "in", "-o", "taken"); !strings.Contains(told, "another run is writing there") {
		t.Error(told)
	}
}

// TestCensusKilled tests that a run killed before any change of the disk leaves only complete files, old or
// new, and that the next run gives the same result as a run that was not killed.
func TestCensusKilled(t *testing.T) {
	inBuckets(t)
	t.Chdir(t.TempDir())
	together := sameBucket(3)
	toyFiles(t, someToys)
	toyFiles(t, map[string]string{together[0]: "1 one", together[1]: "1 two"})
	censusOf(t, 0, "in", "-o", "out")
	old := snapshot(t, "out")
	if err := os.Remove(together[1]); err != nil {
		t.Fatal(err)
	}
	toyFiles(t, map[string]string{together[0]: "1 uno", together[2]: "1 tre", "in/a.rack": "1 car 6\n2 doll 7\n4 new\n",
		"in/new.rack": "1 shoe"})
	var left []map[string]string
	output.Step = func() { left = append(left, snapshot(t, "out")) }
	defer func() { output.Step = func() {} }()
	censusOf(t, 0, "in", "-o", "out", "--prune")
	output.Step = func() {}
	want := snapshot(t, "out")
	if len(left) < 20 {
		t.Fatalf("only %d changes", len(left))
	}
	for i, files := range left {
		for name, text := range files {
			if strings.HasSuffix(name, ".parquet") && text != old[name] && text != want[name] {
				t.Errorf("change %d leaves %s, which is neither the old nor the new", i, name)
			}
		}
		dir := fmt.Sprint("killed", i)
		for name, text := range files {
			toyFiles(t, map[string]string{filepath.Join(dir, name): text})
		}
		censusOf(t, 0, "in", "-o", dir, "--prune")
		if diff := cmp.Diff(want, snapshot(t, dir)); diff != "" {
			t.Errorf("after change %d: %s", i, diff)
		}
	}
}

// TestCensusOfFolders tests that a folder that packs to an archive with a list is up to date until its files
// change, in one process and in parts that may read no other folder; that no temporary files remain; and that
// the output for a file that only its owner may read is readable only by the owner.
func TestCensusOfFolders(t *testing.T) {
	samples, err := filepath.Abs("../../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	for _, line := range []string{"pack -q " + samples + "/ember -o e.mod",
		"convert -q e.mod --to torchlight-pak -o e.pak", "extract -q e.pak -o in/ember"} {
		var said bytes.Buffer
		if code := verbs.Main(games, strings.Fields(line), strings.NewReader(""), io.Discard, &said); code != 0 {
			t.Fatal(line, said.String())
		}
	}
	var files *work.Files
	var part *work.Part
	call := func(do func(context.Context, work.Work) error) performed {
		var out, said bytes.Buffer
		code := verbs.Perform(t.Context(), verbs.Call{Games: games, More: []verbs.Added{Verbs(writeTables, nil)},
			Args: []string{"census", "in", "-o", "out"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &said,
			Handover: service.Handover{Access: &service.Access{Roots: []string{dir}}, Kept: func(string) string { return "out" }, Work: do,
				Files: files, Part: part}})
		return performed{out.String(), said.String(), code}
	}
	parts := func(many int) performed {
		store := work.Folder(t.TempDir())
		files = &work.Files{Store: store}
		var plan *work.Plan
		call(func(ctx context.Context, w work.Work) (err error) {
			plan, err = work.Begin(ctx, w, work.Plan{Many: many}, store)
			return errors.Join(err, service.ErrPart)
		})
		for _, p := range plan.Parts {
			part = &p
			if got := call(func(ctx context.Context, w work.Work) error {
				return errors.Join(store.Add(ctx, work.ResultName(p), func(to io.Writer) error { return w.Do(ctx, p, to) }), service.ErrPart)
			}); got.code != 0 {
				t.Fatal(got)
			}
		}
		part = nil
		return call(func(ctx context.Context, w work.Work) error {
			_, err := work.Finish(ctx, w, plan, store)
			return err
		})
	}
	inParts := func() performed { return parts(0) }
	inPlace := func() performed { return parts(-1) } // as if there were very many
	inOne := func() performed {
		var out, said bytes.Buffer
		code := verbs.Main(games, []string{"census", "in", "-o", "out"}, strings.NewReader(""), &out, &said, Verbs(writeTables, nil))
		return performed{out.String(), said.String(), code}
	}
	first := inOne()
	if first.code != 0 {
		t.Fatal(first)
	}
	for way, again := range map[string]func() performed{"in one process": inOne, "in parts": inParts, "in place": inPlace} {
		if names := changed(t, "out", func() {
			if got := again(); got.code != 0 || got.out != first.out {
				t.Errorf("%s: %+v", way, got)
			}
		}); len(names) > 0 {
			t.Errorf("%s: nothing has changed, and written is %q", way, names)
		}
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod("e.mod", 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename("e.mod", "in/e.mod"); err != nil {
			t.Fatal(err)
		}
		inOne()
		if info, err := os.Stat("out"); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others can read what only the owner could: %v, %v", info.Mode(), err)
		}
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestCensusFew tests that a new dataset bundles few files, and small ones with shards; that many or large
// files are split without duplicate or lost rows; and that a table without rows has a file.
func TestCensusFew(t *testing.T) {
	t.Chdir(t.TempDir())
	rack := censusToys[0].Formats[1]
	was := rack.Census.Small
	rack.Census.Small = func(src *format.Source) bool { return src.Size < 50 }
	defer func() { rack.Census.Small = was }()
	parts := func() (names []string) {
		t.Helper()
		all, _ := filepath.Glob("out/toy_items/*")
		for _, name := range all {
			names = append(names, strings.TrimSuffix(filepath.Base(name), ".parquet"))
		}
		return names
	}
	wantParts := func(want ...string) {
		t.Helper()
		if got := parts(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	toyFiles(t, map[string]string{"in/z.list": "\n", "in/z.rack": "\n"})
	censusOf(t, 0, "in", "-o", "out")
	wantParts("none")
	wantRows(t, "out")
	if names := changed(t, "out", func() { censusOf(t, 0, "in", "-o", "out") }); len(names) > 0 {
		t.Errorf("written: %v", names)
	}
	toyFiles(t, someToys)
	censusOf(t, 0, "in", "-o", "out")
	wantParts("files", "whole")
	wantRows(t, "out", someRows...)
	if names := changed(t, "out", func() { censusOf(t, 0, "in", "-o", "out") }); len(names) > 0 {
		t.Errorf("written: %v", names)
	}
	// The rows of a removed file stay; a file that has become large is split.
	large := "1 car 5\n1 ball\n2 doll 7\n3 block 9\n3 x 1\n3 x 2\n3 x 3\n3 x 4\n3 x 5\n3 x 6\n"
	toyFiles(t, map[string]string{"in/a.rack": large})
	if err := os.Remove("in/b.rack"); err != nil {
		t.Fatal(err)
	}
	rows := slices.Clone(someRows)
	for i := range 6 {
		rows = append(rows, fmt.Sprintf("in/a.rack 3 x %d", i+1))
	}
	for range 2 {
		censusOf(t, 0, "in", "-o", "out")
		wantRows(t, "out", rows...)
	}
	if got := parts(); len(got) != 5 || got[len(got)-1] != "whole" {
		t.Errorf("%q", got)
	}
	// All small files are removed, and the large one becomes small again.
	toyFiles(t, map[string]string{"in/a.rack": someToys["in/a.rack"]})
	censusOf(t, 0, "in", "-o", "out")
	wantRows(t, "out", someRows...)
	wantParts("files", "whole")
	censusOf(t, 0, "in", "-o", "out", "--prune")
	rows = nil
	for _, r := range someRows {
		if !strings.HasPrefix(r, "in/b") {
			rows = append(rows, r)
		}
	}
	wantRows(t, "out", rows...)
	// Many files are spread over partitions.
	more := make(map[string]string)
	for i := range 300 {
		name := fmt.Sprintf("in/m%d.list", i)
		more[name], rows = "1 one 1", append(rows, name+" 1 one 1")
	}
	toyFiles(t, more)
	for range 2 {
		censusOf(t, 0, "in", "-o", "out")
		wantRows(t, "out", rows...)
	}
	if n := len(parts()); n < 100 {
		t.Errorf("%d files", n)
	}
}
