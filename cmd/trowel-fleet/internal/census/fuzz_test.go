package census

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trowel.example/internal/format"
)

// seedRun is a run with everything that a run can have.
func seedRun() *Run {
	sum := strings.Repeat("0123456789abcdef", 4)
	return &Run{Run: 1, Moment: "2026-11-27T18:45:00Z", Program: "trowel it's", More: 1, Failures: []string{"a: it's \\ broken"},
		Sources: []source{{Name: "a", Fails: true}, {Name: "b", Gone: true}}, Tables: []runTable{
			{Name: "things", Title: "It's a thing.", Version: "01234567", Columns: []Column{{Name: "file", Type: "string", Help: "a 'file'"},
				{Name: "parts", Type: "timestamp", Optional: true, Help: `\`}},
				Files: []RunFile{{Part: "files", Content: Content{Rows: 1, Size: 2, SHA256: sum}},
					{Part: "a,b-z-16..-1", Content: Content{SHA256: sum}}}},
			{Name: "none", Title: "Nothing.", Version: "0", Columns: []Column{{Name: "file", Type: "string"}}, Files: []RunFile{}},
		}}
}

// files yields the files of a table of a run that is in memory.
func files(t *runTable, do func(RunFile) error) error {
	for _, f := range t.Files {
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// FuzzRun tests that a run is rejected or encoded again unchanged, and that its views consist of its own texts only.
func FuzzRun(f *testing.F) {
	var seed bytes.Buffer
	if err := seedRun().encode(&seed, files); err != nil {
		f.Fatal(err)
	}
	f.Add(seed.Bytes(), "2026-11-27")
	f.Add([]byte(`{"run":1,"moment":"2026-11-27T18:45:00Z","sources":[],"tables":[]}`), "2026-11-27 18:45")
	f.Add([]byte(`{"run":2}`), "")
	f.Fuzz(func(t *testing.T, data []byte, moment string) {
		names := []string{"2026-11-26T00-00-00Z", "2026-11-27T18-45-00Z"}
		if name, err := findRun(names, moment); err == nil && !slices.Contains(names, name) {
			t.Errorf("%q: %q", moment, name)
		}
		run, err := decodeRun(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := run.encode(&again, files); err != nil {
			t.Fatal(err)
		}
		same, err := decodeRun(&again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(run, same, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		for _, engine := range []Engine{DuckDB, Spark} {
			var sql strings.Builder
			if err := run.SQL(&sql, engine, "it's[1]", []format.TableView{{Name: "v", Title: "t", SQL: "SELECT 1"}}); err != nil {
				t.Fatal(err)
			}
			if rest := withoutTexts(sql.String(), engine); strings.Count(rest, ";") != statements(run, engine) {
				t.Errorf("%s\n%s", sql.String(), rest)
			}
		}
	})
}

// statements returns the number of statements for the views of a run and one more.
func statements(r *Run, engine Engine) int {
	if engine == Spark {
		return 2 + len(r.Tables)
	}
	n := 6 + 2*len(r.Tables)
	for _, t := range r.Tables {
		n += len(t.Columns)
	}
	return n
}

// withoutTexts removes the comment at the begin and all literals.
func withoutTexts(sql string, engine Engine) string {
	_, sql, _ = strings.Cut(sql, "\n")
	var out strings.Builder
	end := byte(0)
	for i := 0; i < len(sql); i++ {
		switch c := sql[i]; {
		case end == 0 && (c == '\'' || c == '`'):
			end = c
		case end == 0:
			out.WriteByte(c)
		case c == '\\' && end == '\'' && engine == Spark:
			i++
		case c == end:
			end = 0
		}
	}
	return out.String()
}

// TestRunNames tests that the names of kept files and of runs are recognized, and others are not.
func TestRunNames(t *testing.T) {
	c := Content{SHA256: strings.Repeat("0123456789abcdef", 4)}
	if name := keptName("files-00", c); !isKeptName(name) || name != "files-00-0123456789abcdef0123456789abcdef.parquet" {
		t.Error(name)
	}
	for _, name := range []string{"a.parquet", "-0123456789abcdef0123456789abcdef.parquet", "a-0123456789abcdef0123456789abcdeg.parquet",
		"a-0123456789abcdef0123456789abcdef.json", "../a-0123456789abcdef0123456789abcdef.parquet"} {
		if isKeptName(name) {
			t.Error(name)
		}
	}
	if _, err := time.Parse(runForm, "2026-11-27T18-45-00Z"); err != nil {
		t.Error(err)
	}
	names := []string{"2026-11-26T00-00-00Z", "2026-11-27T18-45-00Z", "2026-11-27T18-46-00Z"}
	for begin, want := range map[string]string{"": names[2], "2026-11-26": names[0], "2026-11-27": names[2], "2026-11-27 18:45": names[1],
		"2026-11-27T18:45:00Z": names[1], "2025": "", "27": ""} {
		if got, err := findRun(names, begin); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", begin, got, err)
		}
	}
	if _, err := findRun(nil, "2026"); err == nil {
		t.Error("a run of none")
	}
	twice := seedRun()
	twice.Tables = append(twice.Tables, twice.Tables[0])
	var b bytes.Buffer
	if err := twice.encode(&b, files); err != nil {
		t.Fatal(err)
	}
	if _, err := decodeRun(&b); err == nil || err.Error() != "the table things occurs twice" {
		t.Errorf("a table twice: %v", err)
	}
}
