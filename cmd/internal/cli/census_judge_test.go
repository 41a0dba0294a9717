package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

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
	code = run(games, args, strings.NewReader(""), io.Discard, &stderr, Census(writeTables, nil))
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
	script, err := filepath.Abs("testdata/census/ask.py")
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
	answers := ask(t, python, script, engine, "../census", queries)
	for _, g := range list {
		for _, q := range g.queries {
			if diff := cmp.Diff(append([]string{}, q.Want...), append([]string{}, answers[0]...)); diff != "" {
				t.Errorf("%s: %s", q.Name, diff)
			}
			answers = answers[1:]
		}
	}
}

// ask sends queries about a dataset to an engine. Each answer is the list of rows as ask.py prints them.
func ask(t *testing.T, python, script, engine, dir string, queries []string) (answers [][]string) {
	t.Helper()
	data, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, script, engine, dir)
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
	if told, code := runGames("census", "world", "--since", "then.manifest", "-o", "some"); code != 0 || !strings.Contains(told, "left out ") {
		t.Fatal(code, told)
	}
	whole, made := snapshot(t, "new"), 0
	for name, text := range snapshot(t, "some") {
		switch part, _, _ := strings.Cut(path.Base(name), ".parquet"); {
		case name == "census.json" || strings.HasSuffix(name, "/none.parquet"):
			continue
		case text != whole[name]:
			t.Errorf("%s is another one", name)
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
	for name, want := range map[string]string{"then.manifest": "the file is cut off", "world/map.sqlite": "a manifest, which begins with", "world": "a folder", "none": "no such file"} {
		if told, code := runGames("census", "world", "--since", name, "-o", "else"); code != 2 || strings.Count(told, "--since: ") != 1 || !strings.Contains(told, want) {
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
	page.WriteString("\n## Queries\n\nEach is asked of DuckDB by the tests, and of Spark every night, about files of which the answer is\nknown.\n")
	for _, g := range list {
		fmt.Fprintf(&page, "\n### %s\n", g.title)
		for _, q := range g.queries {
			fmt.Fprintf(&page, "\n%s%s:\n\n", strings.ToUpper(q.Name[:1]), q.Name[1:])
			for line := range strings.Lines(strings.TrimSpace(q.SQL)) {
				fmt.Fprintf(&page, "    %s\n", strings.TrimSpace(line))
			}
		}
	}
	const name = "../../../docs/census.md"
	if *update {
		if err := os.WriteFile(name, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, page.Bytes()) {
		t.Errorf("%s is out of date, %v: run this test with -update", name, err)
	}
}

const censusIntro = `# Files as tables

` + "`trowel census FILE... -o DIR`" + ` writes what is in worlds, maps and mods as tables, in files of Apache
Parquet, which every query engine reads. It is a verb of trowel-fleet, which trowel starts for it.

    trowel census ~/maps world -o DIR

This page is made from the declarations in the code: ` + "`go test ./cmd/internal/cli -run CensusPage -update`" + `.

## The folder

| file | what it is |
| --- | --- |
| ` + "`DIR/TABLE/PARTITION.parquet`" + ` | rows of a table; to be read as ` + "`DIR/TABLE/*.parquet`" + ` |
| ` + "`DIR/census.json`" + ` | which tables there are, with their columns, rows and number of files |
| ` + "`DIR/parts/PARTITION.json`" + ` | what a partition was made of: its files, a key of their content, and what there was to say |

A table without rows has a file with its columns, ` + "`none.parquet`" + `, so that a query over it finds no rows and is no error. Row groups have up to 2^20 rows or 128 MiB, and are compressed with zstd; the metadata
of each file have the version of the program (` + "`trowel.version`" + `), a version of the table that is another one for
other columns (` + "`trowel.table_version`" + `), and what each column says (` + "`trowel.column.NAME`" + `).

**Partitions.** A world comes apart into slabs of 16 planes of blocks, and what is no block:
` + "`NAME-HASH-z-16..-1`" + `, ` + "`NAME-HASH-rest`" + `. Worlds whose files have at most 16 MiB are kept together in ` + "`whole`" + `.
All other files are kept together in ` + "`files`" + ` where they are few: 64 at most when DIR is made. Where there are more,
or where they become more than 256, the first byte of the SHA-256 of their names brings them together:
` + "`files-00`" + ` to ` + "`files-ff`" + `. So 30 maps are one file a table, and a hundred thousand are 256, however many come
later; a map that has changed is then read again with some four hundred others.

**What has changed.** A run makes only those partitions anew whose content has changed: by the SHA-256 of files, by the
positions and hashes of the blocks of a slab. What of a world is no block, and a small world, is always read again. Files that come
out the same are not touched, and a run with nothing to do writes nothing. Another version of the
program makes all anew. The column ` + "`file`" + ` is what the file is called on the command line, so run it in the
same folder each time; each run may name other files, which are added to those that there are.

**What has changed since a time.** ` + "`--since MANIFEST`" + ` is for tables of what has changed since ` + "`trowel manifest`" + ` made that of
a world, where the tables of that time are not at hand: slabs are left out in which no block is new, gone or another one since.
census.json names them, with their file, as ` + "`left`" + `. What is no block is always there. Run again into the same
DIR, it adds what has changed meanwhile; a run without ` + "`--since`" + ` adds the rest. Where DIR has all of a world the
manifest is not needed: what is there says by itself what has changed, and nothing is left out that is missing there.
To bring a copy of the whole up to date by such tables, remove ` + "`*/PARTITION.parquet`" + ` there for each ` + "`parts/PARTITION.json`" + ` of
them, and then copy all files but census.json; a slab of which all blocks are gone is in neither. A world that is in ` + "`whole`" + ` has no such
partitions: make its tables anew.

**What is gone.** Rows of files that are not among the sources any more stay, and the run says how many
these are; ` + "`--prune`" + ` removes them. Rows of a file that cannot be read any more stay, too.

**Whole at any time.** Each file appears by a rename: while it is written its name begins with a dot and ends in
another way. A run that is killed leaves partitions that are old and some that are new, each file
whole; the next run makes anew what had begun to change. There is no ` + "`--resume`" + `: that is what each run does. A
partition's tables are replaced one after the other, so a query over several tables that runs at that
moment may see one of them older than the other. Two runs in one folder at a time are refused, and so is a folder
that has other files in it.

**In a bucket.** DIR may be a folder of a bucket, ` + "`-o 's3://BUCKET/FOLDER?region=...'`" + `, with the very same files; who you are says
the environment, as with other programs for S3. An object is there as a whole or not at all, and it is written only if it is
still the one that was there when the run began (` + "`If-Match`" + `, which S3, MinIO and R2 know): of two runs at a time
that are about to mix, one ends with "another run writes there", or both do, and the next run mends what they
had begun. ` + "`file:///FOLDER`" + ` is the folder.

**By workers.** If DIR is below the place for results (` + "`jobs submit --results R census FILE... -o R/NAME`" + `, R a folder or a
bucket), it stays there from work to work, and the parts make only what has changed in it: what is there
in the end is what one process leaves, byte for byte. With any other DIR the work begins with nothing, and
` + "`jobs results ID -o DIR`" + ` gets all of it.

**Folders of sources.** Of a folder that can be packed the tables have what is in the file that it makes; what ` + "`check`" + ` finds
in the folder alone (` + "`tl-source-...`" + `) is not in them.

**Secrets.** What ` + "`find`" + ` and ` + "`info`" + ` do not show is not in the tables: no passwords, no addresses.

## Reading it

DuckDB:

    SELECT owner, sum(count) FROM 'DIR/minetest_inventories/*.parquet' WHERE item = 'default:diamond' GROUP BY owner;

PySpark:

    spark.read.parquet("DIR/minetest_inventories").createOrReplaceTempView("minetest_inventories")

pandas, with pyarrow:

    pandas.read_parquet("DIR/minetest_inventories")

In the queries below the tables stand with their bare names; in DuckDB a view for each makes that work:

    CREATE VIEW minetest_blocks AS FROM 'DIR/minetest_blocks/*.parquet';

Times are of type timestamp with time zone, in UTC; Python needs the package pytz to show those of DuckDB.

## Tables
`
