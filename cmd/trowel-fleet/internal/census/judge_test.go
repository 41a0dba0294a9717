package census

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/censustest"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/seedmap"
	"trowel.example/internal/testing/seedmod"
	"trowel.example/internal/testing/seedworld"
	"trowel.example/internal/testing/tests"
)

// gameQueries are queries about the files of a game, with the answers for the files in a folder.
type gameQueries struct {
	title   string
	queries []censustest.Query
}

// seedAll writes files of all games to a folder and returns queries about them.
func seedAll(ctx context.Context, dir string) ([]gameQueries, error) {
	write := func(seeds []censustest.Seed) error {
		for _, s := range seeds {
			if err := os.WriteFile(filepath.Join(dir, s.Name), s.Data, 0o666); err != nil {
				return err
			}
		}
		return nil
	}
	maps, mapQueries, err := seedmap.Make(24, 1)
	if err == nil {
		err = write(maps)
	}
	if err != nil {
		return nil, err
	}
	mods, modQueries, err := seedmod.Make(16, 1)
	if err == nil {
		err = write(mods)
	}
	if err != nil {
		return nil, err
	}
	truth, err := seedworld.Make(ctx, filepath.Join(dir, "world"), seedworld.Options{Blocks: 500, Seed: 3})
	if err != nil {
		return nil, err
	}
	return []gameQueries{{"Worlds", truth.Queries()}, {"Maps", mapQueries}, {"Mods", modQueries}}, nil
}

// runGames runs the tool with all games and with census.
func runGames(args ...string) (told string, code int) {
	var stderr bytes.Buffer
	code = verbs.Main(games, args, strings.NewReader(""), io.Discard, &stderr, Verbs(writeTables, nil))
	return stderr.String(), code
}

// TestCensusDuckDB tests that DuckDB gives the correct answers about worlds, maps and mods.
func TestCensusDuckDB(t *testing.T) { testEngine(t, "duckdb", judge.Python(t, "duckdb")) }

// envSpark enables TestCensusSpark, which takes long to start.
const envSpark = "TROWEL_SPARK"

func TestCensusSpark(t *testing.T) {
	if os.Getenv(envSpark) == "" {
		t.Skipf("this takes long: set %s", envSpark)
	}
	testEngine(t, "spark", judge.Python(t, "pyspark"))
}

func testEngine(t *testing.T, engine, python string) {
	script, err := filepath.Abs("testdata/ask.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	list, err := seedAll(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	if told, code := runGames("census", ".", "-o", "../census"); code != 0 {
		t.Fatal(code, told)
	}
	defer os.RemoveAll("../census")
	var queries []string
	for _, g := range list {
		if len(g.queries) < 10 {
			t.Errorf("%s: only %d queries", g.title, len(g.queries))
		}
		for _, q := range g.queries {
			queries = append(queries, q.SQL)
		}
	}
	tool := &verbs.Tool{Service: service.New(games, nil, nil, nil)}
	var want []string
	for _, table := range tablesOf(tool) {
		if table.Option != "" {
			continue
		}
		query := "DESCRIBE " + table.Name
		if engine == "duckdb" {
			query = "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE table_name = '" + table.Name + "' ORDER BY column_index"
		}
		queries = append(queries, query)
		lines := ""
		for _, c := range table.All() {
			lines += c.Name + "|" + engineTypes[c.Type][engine] + "|" + c.Help + "\n"
		}
		want = append(want, lines)
	}
	for _, v := range viewsOf(tool) {
		queries = append(queries, "SELECT count(*) > 0 FROM "+v.Name)
	}
	answers := ask(t, python, script, engine, []string{viewsFile(t, engine, "../census")}, queries)
	for _, g := range list {
		for _, q := range g.queries {
			if diff := cmp.Diff(append([]string{}, q.Want...), append([]string{}, answers[0]...)); diff != "" {
				t.Errorf("%s: %s", q.Name, diff)
			}
			answers = answers[1:]
		}
	}
	for i, lines := range want {
		if diff := cmp.Diff(lines, strings.Join(answers[i], "\n")+"\n"); diff != "" {
			t.Errorf("columns: %s", diff)
		}
	}
	for i, v := range viewsOf(tool) {
		if answer := answers[len(want)+i]; len(answer) != 1 || !strings.EqualFold(answer[0], "true") {
			t.Errorf("%s has no rows: %q", v.Name, answer)
		}
	}
}

// engineTypes are the names of types in the descriptions of engines.
var engineTypes = map[format.ColumnType]map[string]string{
	format.ColumnInt: {"duckdb": "BIGINT", "spark": "bigint"}, format.ColumnFloat: {"duckdb": "DOUBLE", "spark": "double"},
	format.ColumnBool: {"duckdb": "BOOLEAN", "spark": "boolean"}, format.ColumnText: {"duckdb": "VARCHAR", "spark": "string"},
	format.ColumnTime: {"duckdb": "TIMESTAMP WITH TIME ZONE", "spark": "timestamp"},
}

// viewsFile writes what census --views prints to a file and returns its name.
func viewsFile(t *testing.T, engine string, args ...string) string {
	t.Helper()
	var out, told bytes.Buffer
	args = append([]string{"census", "--views", "--engine", engine}, args...)
	if code := verbs.Main(games, args, strings.NewReader(""), &out, &told, Verbs(writeTables, nil)); code != 0 {
		t.Fatal(told.String())
	}
	name := filepath.Join(t.TempDir(), "views.sql")
	judge.Write(t, name, out.Bytes())
	return name
}

// ask sends queries to an engine that has views. Each answer is the list of rows as ask.py prints them.
func ask(t *testing.T, python, script, engine string, views, queries []string) (answers [][]string) {
	t.Helper()
	data, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, append([]string{script, engine}, views...)...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(data), &stderr
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(said, &answers); err != nil || len(answers) != len(queries) {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	return answers
}

// diamondsThen is a query of the page about the views of a run.
const diamondsThen = "SELECT owner, count FROM minetest_belongings WHERE item = 'default:diamond' ORDER BY owner"

// TestCensusThen tests that the views of an earlier run answer who had diamonds then, after a later run without them, in a
// folder whose name needs care.
func TestCensusThen(t *testing.T) {
	python := judge.Python(t, "duckdb")
	script, err := filepath.Abs("testdata/ask.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	truth, err := seedworld.Make(t.Context(), "world", seedworld.Options{Blocks: 50, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	const dir = "it's [a] census"
	census := func() {
		t.Helper()
		if told, code := runGames("census", "world", "-o", dir, "--positions", "default:chest*"); code != 0 {
			t.Fatal(code, told)
		}
	}
	census()
	const friday = dir + "/runs/2026-11-27T18-45-00Z.json"
	if err := os.Rename(filepath.Join(dir, "runs", runsOf(t, dir)[0]+".json"), friday); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn("world/map.sqlite", sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "DELETE FROM blocks", nil)
	if err := errors.Join(err, conn.Close(), os.RemoveAll("world/players")); err != nil {
		t.Fatal(err)
	}
	census()
	var want []string
	diamonds := truth.Diamonds()
	delete(diamonds, "")
	for _, owner := range slices.Sorted(maps.Keys(diamonds)) {
		want = append(want, fmt.Sprintf("%s|%d", owner, diamonds[owner]))
	}
	chests := fmt.Sprint(len(truth.Chests))
	for _, c := range []struct {
		moment, chests string
		want           []string
	}{{"2026-11-27", chests, want}, {"", "0", []string{}}} {
		answers := ask(t, python, script, "duckdb", []string{viewsFile(t, "duckdb", dir, "--run", c.moment)},
			[]string{diamondsThen, "SELECT count(*) FROM minetest_positions"})
		if diff := cmp.Diff(c.want, answers[0]); diff != "" || answers[1][0] != c.chests {
			t.Errorf("%q: %s, chests %q, want %s", c.moment, diff, answers[1], c.chests)
		}
	}
}

// TestCensusSlab tests that after the change of one block, only the files of its slab are rewritten.
func TestCensusSlab(t *testing.T) {
	tests.NotRaced(t, "writes many rows, one after the other")
	t.Chdir(t.TempDir())
	if _, err := seedworld.Make(t.Context(), "world", seedworld.Options{Blocks: 3000, Seed: 4}); err != nil {
		t.Fatal(err)
	}
	// A world that is not small is not bundled with others.
	if err := errors.Join(os.WriteFile("world/large", nil, 0o666), os.Truncate("world/large", 17<<20)); err != nil {
		t.Fatal(err)
	}
	census := func(dir string) {
		t.Helper()
		if told, code := runGames("census", "world", "-o", dir); code != 0 {
			t.Fatal(code, told)
		}
	}
	census("out")
	if names := changed(t, "out", func() { census("out") }); len(names) > 0 {
		t.Errorf("nothing has changed, and written are %v", names)
	}
	slabs, _ := filepath.Glob("out/minetest_blocks/*.parquet")
	if len(slabs) < 3 {
		t.Fatal(slabs)
	}
	if told, code := runGames("manifest", "world", "-o", "then.manifest"); code != 0 {
		t.Fatal(code, told)
	}
	conn, err := sqlite.OpenConn("world/map.sqlite", sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "DELETE FROM blocks WHERE pos = (SELECT max(pos) FROM blocks)", nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	names := changed(t, "out", func() { census("out") })
	parts := make(map[string]bool)
	for _, name := range names {
		part, _, _ := strings.Cut(path.Base(name), ".parquet")
		parts[strings.TrimSuffix(part, ".json")] = true
	}
	delete(parts, "census")
	if len(parts) != 1 || len(names) < 3 {
		t.Errorf("written: %v", names)
	}
	census("new")
	if diff := cmp.Diff(snapshot(t, "new"), snapshot(t, "out")); diff != "" {
		t.Error("another way gives another result")
	}

	// With a manifest of the earlier state, only the files of that slab are made, and the tables that do not
	// depend on blocks.
	if told, code := runGames("census", "world", "--since", "then.manifest", "-o", "some"); code != 0 || !strings.Contains(told, "skipped ") {
		t.Fatal(code, told)
	}
	whole, made := snapshot(t, "new"), 0
	for name, text := range snapshot(t, "some") {
		switch part, _, _ := strings.Cut(path.Base(name), ".parquet"); {
		case name == "census.json" || strings.HasSuffix(name, "/none.parquet"):
			continue
		case text != whole[name]:
			t.Errorf("%s differs", name)
		case !parts[strings.TrimSuffix(part, ".json")] && !strings.Contains(name, "-rest."):
			t.Errorf("%s is made, in which nothing has changed", name)
		}
		made++
	}
	if made < len(names) {
		t.Errorf("%d files, and %d have changed", made, len(names))
	}
	if err := os.Truncate("then.manifest", 1000); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"then.manifest": "the file is truncated or damaged",
		"world/map.sqlite": "a manifest, which begins with", "world": "a folder", "none": "no such file"} {
		if told, code := runGames("census", "world", "--since", name, "-o", "else"); code != 2 ||
			strings.Count(told, "--since: ") != 1 || !strings.Contains(told, want) {
			t.Errorf("%s: %d, %s", name, code, told)
		}
	}
}

// BenchmarkCensus measures the census of a world of 100,000 blocks, new and unchanged.
func BenchmarkCensus(b *testing.B) {
	b.Chdir(b.TempDir())
	const blocks = 100_000
	if _, err := seedworld.Make(b.Context(), "world", seedworld.Options{Blocks: blocks, Seed: 5}); err != nil {
		b.Fatal(err)
	}
	census := func(b *testing.B) {
		if told, code := runGames("census", "world", "-o", "out"); code != 0 {
			b.Fatal(code, told)
		}
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			if err := os.RemoveAll("out"); err != nil {
				b.Fatal(err)
			}
			census(b)
		}
		b.ReportMetric(blocks*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
	})
	b.Run("same", func(b *testing.B) {
		for b.Loop() {
			census(b)
		}
		b.ReportMetric(blocks*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if told, code := runGames("check", "world"); code != 0 {
				b.Fatal(code, told)
			}
		}
		b.ReportMetric(blocks*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
	})
}

// TestCensusPage tests that docs/census.md lists every table with its columns, and the tested queries.
func TestCensusPage(t *testing.T) {
	list, err := seedAll(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	page.WriteString(censusIntro)
	said := make(map[*format.Table]bool)
	for _, f := range games.Formats() {
		if f.Census == nil {
			continue
		}
		if err := f.Census.Check(); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		for _, table := range f.Census.Tables {
			if said[table] {
				continue
			}
			said[table] = true
			fmt.Fprintf(&page, "\n### %s\n\n%s\n\n| column | type | what it says |\n| --- | --- | --- |\n", table.Name, table.Title)
			for _, c := range table.All() {
				typ := c.Type.String()
				if c.Optional {
					typ += ", or null"
				}
				fmt.Fprintf(&page, "| `%s` | %s | %s |\n", c.Name, typ, strings.ReplaceAll(c.Help, "|", `\|`))
			}
		}
	}
	page.WriteString("\n## Views\n\nThe view `census_run` has one row: `moment`, when the run began, and `program`. " +
		"The other views use several tables:\n\n| view | a row | made from |\n| --- | --- | --- |\n")
	for _, v := range viewsOf(&verbs.Tool{Service: service.New(games, nil, nil, nil)}) {
		fmt.Fprintf(&page, "| `%s` | %s | `%s` |\n", v.Name, v.Title, strings.Join(v.Tables, "`, `"))
	}
	page.WriteString("\n## Queries\n\nThe tests run each query in DuckDB, and the nightly tests in Spark, over files with known answers.\n")
	for _, g := range list {
		fmt.Fprintf(&page, "\n### %s\n", g.title)
		for _, q := range g.queries {
			fmt.Fprintf(&page, "\n%s%s:\n\n", strings.ToUpper(q.Name[:1]), q.Name[1:])
			for line := range strings.Lines(strings.TrimSpace(q.SQL)) {
				fmt.Fprintf(&page, "    %s\n", strings.TrimSpace(line))
			}
		}
	}
	const name = "../../../../docs/census.md"
	if *update {
		judge.Write(t, name, page.Bytes())
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, page.Bytes()) {
		t.Errorf("%s is out of date, %v: run this test with -update", name, err)
	}
}

const censusIntro = `# Files as tables

` + "`trowel census FILE... -o DIR`" + ` writes the contents of worlds, maps and mods as tables in Apache Parquet,
which every query engine reads. It is a verb of trowel-fleet, which trowel starts.

<!-- not run: a verb of trowel-fleet -->

    trowel census ~/maps world -o DIR

This page is generated from the declarations in the code: ` + "`go -C cmd/trowel-fleet test ./internal/census -run CensusPage -update`" + `.

## The folder

| file | contents |
| --- | --- |
| ` + "`DIR/TABLE/PARTITION.parquet`" + ` | rows of a table; read it as ` + "`DIR/TABLE/*.parquet`" + ` |
| ` + "`DIR/census.json`" + ` | the tables, with their columns, rows and number of files |
| ` + "`DIR/parts/PARTITION.json`" + ` | the sources of a partition: its files, a key of their content, and messages about them |
| ` + "`DIR/runs/MOMENT.json`" + ` | a run: the files of all tables at its end, see [Runs](#runs) |
| ` + "`DIR/kept/TABLE/PARTITION-HASH.parquet`" + ` | a file of a run, by the first digits of its SHA-256 |

A table without rows has a file with its columns, ` + "`none.parquet`" +
	`, so that a query over it finds no rows instead of failing. Row groups have up to 2^20 rows or
128 MiB, and are compressed with zstd; the metadata of each file have the version of the program (` +
	"`trowel.version`" + `), a version of the table that changes
with its columns (` + "`trowel.table_version`" + `), and the meaning of each column (` + "`trowel.column.NAME`" + `).

**Partitions.** A world is divided into slabs of 16 planes of blocks, and a partition for everything else:
` + "`NAME-HASH-z-16..-1`" + `, ` + "`NAME-HASH-rest`" + `. Worlds whose files have at most 16 MiB share ` + "`whole`" + `.
All other files share ` + "`files`" + ` if there are at most 64 when DIR is made. If there are more, or later more than
256, they are grouped by the first byte of the SHA-256 of their names: ` + "`files-00`" + ` to ` + "`files-ff`" + `. So 30 maps
are one file a table, and a hundred thousand are 256 files; a changed map is then read again together with about
four hundred others.

**What has changed.** A run rebuilds only partitions whose content has changed, by the SHA-256 of files and by the
positions and hashes of the blocks of a slab. Small worlds, and the parts of worlds that are not blocks, are always
read again. Identical files are not rewritten, and a run without changes writes only its record. Another version of the
program rebuilds everything. The column ` + "`file`" + ` is the name of the file on the command line, so run the verb in the
same folder each time. A run may name other files: they are added to the existing ones.

**What has changed since a time.** ` + "`--since MANIFEST`" + ` writes tables of the changes since ` + "`trowel manifest`" + ` made the
manifest of a world, if the tables of that time are not available: it skips slabs without new, removed or changed
blocks. census.json lists them, with their file, as ` + "`left`" + `. The other parts of the world are always included. A
second run into the same DIR adds later changes; a run without ` + "`--since`" + ` adds the rest. If DIR has all of a world,
the manifest is not needed: the census itself records what has changed. To update a complete copy with these tables,
remove ` + "`*/PARTITION.parquet`" + ` in the copy for each of their ` + "`parts/PARTITION.json`" + `, and then copy all files except
census.json. A slab without any blocks left is in neither. A world in ` + "`whole`" + ` has no partitions of this kind:
rebuild its tables.

**Removed files.** Rows of files that are no longer among the sources are kept, and the run prints their number;
` + "`--prune`" + ` removes them. Rows of a file that has become unreadable are kept, too.

**Always complete.** Each file appears by a rename: until it is complete, its name begins with a dot and has another
ending. A killed run leaves old and new partitions, each file complete; the next run rebuilds unfinished ones. So
every run resumes, and there is no ` + "`--resume`" + `. The tables of a partition are replaced one after the other: a
query over several tables at that moment may see different versions of them. Two runs in one folder at a time are
refused, and so is a folder with other files.

**In a bucket.** DIR may be a folder of a bucket, ` + "`-o 's3://BUCKET/FOLDER?region=...'`" +
	`, with the same files; credentials come from the environment, as
with other programs for S3. An object is complete or absent, and it is written only if it has not changed since the
run began (` + "`If-Match`" + `, which S3, MinIO and R2 support). If two runs would mix, one or both end with "another run is
writing there", and the next run completes the work. ` + "`file:///FOLDER`" + ` is the local folder.

**Positions.** ` + "`--positions WHAT`" + ` adds the tables ` + "`minetest_positions`" + ` and
` + "`teeworlds_positions`" + `, with a row for each node or tile of the name, as in ` + "`find`" + `:
` + "`--positions 'default:chest*' --positions freeze`" + `. ` + "`9`" + ` is the number of a tile. Give the option in
each run; a run with other words, or without it, makes all tables again.

**By workers.** If DIR is below the place for results (` + "`jobs submit --results R census FILE... -o R/NAME`" + `, R a folder or a
bucket), it stays there from work to work, and the parts rebuild only what has changed: the result is
byte-identical to that of one process. With any other DIR the work starts empty, and ` + "`jobs results ID -o DIR`" + `
fetches all tables.

**Folders of sources.** The tables of a folder that can be packed contain the data of the file that it makes; findings of
` + "`check`" + ` in the folder alone (` + "`tl-source-...`" + `) are not included.

**Secrets.** As in ` + "`find`" + ` and ` + "`info`" + `, the tables contain no passwords and no addresses.

` + censusRuns + `## Reading it

` + "`trowel census DIR --views`" + ` prints statements that create a view for each table, with the meaning of each column as
comments, and [other views](#views). The statements name files by their absolute paths; with ` + "`--relative`" + ` as DIR is given.

<!-- not run: a verb of trowel-fleet -->

    trowel census DIR --views > views.sql
    duckdb -init views.sql
    trowel census DIR --views --engine spark > views.sql
    spark-sql -i views.sql

Without it, DuckDB:

    SELECT owner, sum(count) FROM 'DIR/minetest_inventories/*.parquet' WHERE item = 'default:diamond' GROUP BY owner;

PySpark:

    spark.read.parquet("DIR/minetest_inventories").createOrReplaceTempView("minetest_inventories")

pandas, with pyarrow:

    pandas.read_parquet("DIR/minetest_inventories")

Times are of type timestamp with time zone, in UTC; Python needs the package pytz to show those of DuckDB.

## Tables
`
