package census_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/cmd/internal/work"
	"trowel.example/cmd/trowel-fleet/internal/census"
	"trowel.example/cmd/trowel-fleet/internal/parquet"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	_ "trowel.example/internal/testing/tests" // a machine without other programs
)

var items = &format.Table{Name: "items", Title: "things",
	Columns: []format.Column{{Name: "name", Type: format.ColumnText, Help: "its name"}}}

// TestTakeDamaged tests that records without a valid state, or with data that does not match it, are rejected.
func TestTakeDamaged(t *testing.T) {
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "out")
	store, err := census.OpenFolder(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d := census.Dataset{Temp: new(census.Temp), Program: "test", Tables: []*format.Table{items}, Say: func(census.Note) {},
		Miss: func(_, m string) census.Note { t.Error(m); return census.Note{} },
		Create: func(w io.Writer, t *format.Table, program string) census.Writer {
			return parquet.NewWriter(w, t, program)
		}}
	if err := d.Load(ctx, store); err != nil {
		t.Fatal(err)
	}
	if err := d.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	files := []census.File{census.NewFile("a", false)}
	part, err := d.Part("files-00", "", files, false)
	if err != nil {
		t.Fatal(err)
	}
	state := func(sum string) *census.State {
		return &census.State{Key: "k", Files: files, Tables: map[string]census.Content{"items": {Rows: 1, Size: 5, SHA256: sum}}}
	}
	const good = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // SHA-256 of hello
	for _, try := range []struct {
		bytes string
		last  census.Record
		want  string
	}{
		{"hello", census.Record{State: state(good)}, ""},
		{"hallo", census.Record{State: state(good)}, "table items was changed by another program"},
		{"", census.Record{State: state(good)}, "table items was changed by another program"},
		{"hello", census.Record{}, "does not name its files"},
		{"", census.Record{Same: true}, "run again"}, // the key has changed
		{"hello", census.Record{State: state(good)}, ""},
	} {
		if try.bytes != "" {
			var c census.Chunk
			if err := c.GobDecode([]byte(try.bytes)); err != nil {
				t.Fatal(err)
			}
			if err := d.Take(ctx, part, census.Record{Table: "items", Bytes: c}); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Take(ctx, part, try.last); (err == nil) != (try.want == "") || err != nil && !strings.Contains(err.Error(), try.want) {
			t.Errorf("%q, %+v: %v, want %q", try.bytes, try.last, err, try.want)
		}
	}
	if d.Made != 1 {
		t.Errorf("made %d", d.Made)
	}
	part.Data, _ = json.Marshal(census.Task{Files: files, Key: "k"})
	if err := d.Take(ctx, part, census.Record{Same: true}); err != nil {
		t.Error(err)
	}
	if err := d.Take(ctx, work.Part{Name: "x", Data: []byte("{")}, census.Record{Same: true}); err == nil {
		t.Error("a part without a task was taken")
	}
}

// TestPartsOfKilledRuns tests that opening a folder removes the incomplete files of killed runs, and nothing else.
func TestPartsOfKilledRuns(t *testing.T) {
	dir := t.TempDir()
	part, whole := filepath.Join(dir, ".census.json"+wholefile.Suffix), filepath.Join(dir, "census.json")
	for _, name := range []string{part, whole, filepath.Join(dir, "notes")} { // the last one is called like a table, and empty
		if err := os.WriteFile(name, []byte("{}")[:2*min(1, strings.Count(name, "census.json"))], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := census.OpenFolder(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := os.Stat(part); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", part, err)
	}
	if _, err := os.Stat(whole); err != nil {
		t.Error(err)
	}
}
