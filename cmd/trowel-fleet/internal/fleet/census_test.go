package fleet

import (
	"context"
	"fmt"
	"io"
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
	"trowel.example/internal/testing/seedworld"
	"trowel.example/teeworlds/twmap"
)

// censusVerb is the verb census of the program.
func censusVerb(t *verbs.Tool) []*cobra.Command {
	return census.Verbs(func(w io.Writer, t *format.Table, program string) census.Writer {
		return parquet.NewWriter(w, t, program)
	},
		func(ctx context.Context, name string) (census.Store, error) { return bucket.OpenTables(ctx, name) })(t)
}

// tables returns the files of a dataset in a folder.
func (b *bench) tables(dir string) map[string]string {
	b.t.Helper()
	all := make(map[string]string)
	if err := filepath.WalkDir(b.path(dir), func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			data, err := os.ReadFile(path)
			rel, _ := filepath.Rel(b.path(dir), path)
			if name := filepath.ToSlash(rel); !strings.HasPrefix(name, "runs/") && !strings.HasPrefix(name, "kept/") {
				all[name] = string(data) // the moments of runs differ
			}
			return err
		}
		return err
	}); err != nil {
		b.t.Fatal(err)
	}
	return all
}

func (b *bench) makeMap(name string, width int) {
	b.t.Helper()
	data, err := twmap.New(width, 20).Encode()
	if err != nil {
		b.t.Fatal(err)
	}
	b.write(name, string(data))
}

// testCensus tests that a dataset below the place for results is updated: the result is the same as with one
// process, and only changed partitions are made.
func testCensus(t *testing.T, b *bench) {
	for i := range 3 {
		b.makeMap(fmt.Sprintf("in/%d.map", i), 10+i)
	}
	if _, err := seedworld.Make(t.Context(), b.path("in/world"), seedworld.Options{Blocks: 30, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	b.worker("--max", "2")
	var said string
	run := func(more ...string) {
		t.Helper()
		id := b.submit(append([]string{"--again", "census", "in", "-o", "results/tables"}, more...)...)
		b.must(0, "wait", id)
		said = b.jobs("results", id).err
		if s := b.run(append([]string{"census", "in", "-o", "out"}, more...)...); s.code != 0 ||
			strings.ReplaceAll(s.err, "out:", "results/tables:") != said {
			t.Errorf("one process says: %s\nand workers: %s", s.err, said)
		}
		if diff := cmp.Diff(b.tables("out"), b.tables("results/tables")); diff != "" {
			t.Error(diff)
		}
		if s := b.jobs("results", id, "-o", "there"); s.code != 2 || !strings.Contains(s.err, "wrote no file") {
			t.Error(s)
		}
	}
	run()
	run()
	if !strings.Contains(said, " 0 rebuilt") {
		t.Error(said)
	}
	b.makeMap("in/1.map", 50)
	b.remove("in/2.map")
	run("--prune")
	// A dataset elsewhere is not updated: everything is in the output.
	id := b.submit("census", "in", "-o", "out")
	b.must(0, "wait", id)
	b.must(0, "results", id, "-o", "fetched")
	if diff := cmp.Diff(b.tables("out"), b.tables("fetched")); diff != "" {
		t.Error(diff)
	}
	// Tables are written even if some files are unreadable, as with one process.
	id = b.submit("census", "in", "missing.map", "-o", "most")
	b.must(2, "wait", id)
	b.must(2, "results", id, "-o", "fetched-most")
	b.run("census", "in", "missing.map", "-o", "most")
	if diff := cmp.Diff(b.tables("most"), b.tables("fetched-most")); diff != "" {
		t.Error(diff)
	}
	if s := b.jobs("submit", "--results", "results", "census", "in", "-o", "s3://elsewhere/tables"); s.code != 2 ||
		!strings.Contains(s.err, "s3://elsewhere/tables: workers can write only below the place for results") {
		t.Error(s)
	}
}

// TestKept tests that only a folder below the place for results is kept under its local name: not the place
// itself, a folder next to it, or a path that leads out of it.
func TestKept(t *testing.T) {
	folder := root{native("/there/results"), native("/here/r")}
	store := root{"s3://b/r?region=x", "s3://b/r?region=x"}
	for _, try := range []struct {
		r          root
		name, want string
	}{
		{folder, "results/a", "/here/r/a"},
		{folder, "/there/results/a/b", "/here/r/a/b"},
		{folder, "a", ""},
		{folder, "results", ""},
		{folder, "results/../a", ""},
		{folder, "/here/r/a", ""},
		{folder, "s3://b/r/a", ""},
		{store, "s3://b/r/a", "s3://b/r/a?region=x"},
		{store, "s3://b/r/a?endpoint=http://evil", "s3://b/r/a?region=x"},
		{store, "s3://b/r", ""},
		{store, "s3://b/r/", ""},
		{store, "s3://b/rest", ""},
		{store, "s3://b/r/../a", ""},
		{store, "results/a", ""},
	} {
		if got := try.r.kept(native("/there"), native(try.name)); got != native(try.want) {
			t.Errorf("%s: %q, want %q", try.name, got, try.want)
		}
	}
}
