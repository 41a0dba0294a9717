package safename_test

import (
	"io/fs"
	"maps"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
)

// TestLog tests that the lines of a log count like a sidecar, the first digest of a file and the last name, that a line
// without an end is ignored, and that the folder with its true names does not show the log.
func TestLog(t *testing.T) {
	line := func(names map[string]string, taken safename.Taken) string {
		t.Helper()
		data, err := safename.Line(names, taken)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	options := map[string]string{"area": "1"}
	log := line(nil, safename.Taken{Options: options, Files: map[string]string{"a": "first"}}) +
		line(map[string]string{"x%3Ay": "x:y"}, safename.Taken{Options: options, Files: map[string]string{"a": "second", "b": "1"}}) +
		`{"taken":{"files":{"c":`
	fsys := fstest.MapFS{safename.Log: {Data: []byte(log)}, "a": {Data: []byte("A")}, "x%3Ay/n": {Data: []byte("N")}}
	for name, side := range map[string]string{"no sidecar": "", "sidecar": `{"format":"f","taken":{"files":{"s":"0"}}}`} {
		with := maps.Clone(fsys)
		want := map[string]string{"a": "first", "b": "1"}
		if side != "" {
			with[tree.Sidecar] = &fstest.MapFile{Data: []byte(side)}
			want["s"] = "0"
		}
		data, err := safename.Sidecar(with)
		if err != nil {
			t.Fatal(name, err)
		}
		taken, err := safename.TakenOf(data)
		if diff := cmp.Diff(&safename.Taken{Options: map[string]string{"area": "1"}, Files: want}, taken); err != nil || diff != "" {
			t.Error(name, err, diff)
		}
		restored, err := safename.Restore(with)
		if err != nil {
			t.Fatal(name, err)
		}
		var paths []string
		if err := fs.WalkDir(restored, ".", func(at string, _ fs.DirEntry, err error) error {
			paths = append(paths, at)
			return err
		}); err != nil {
			t.Error(name, err)
		}
		all := []string{".", "a", "x:y", "x:y/n"}
		if side != "" {
			all = []string{".", tree.Sidecar, "a", "x:y", "x:y/n"}
		}
		if diff := cmp.Diff(all, paths); diff != "" {
			t.Error(name, diff)
		}
		if _, err := fs.Stat(restored, safename.Log); err == nil {
			t.Error(name, "the log is there")
		}
	}
	if side, err := safename.Sidecar(fstest.MapFS{}); side != nil || err != nil {
		t.Errorf("an empty folder: %q, %v", side, err)
	}
	if _, err := safename.Sidecar(fstest.MapFS{safename.Log: {Data: []byte("no JSON\n")}}); err == nil {
		t.Error("a damaged log is accepted")
	}
}

// FuzzLog tests that a folder with any log and sidecar is read or rejected, and that a log that is read is one after it was
// written into the sidecar.
func FuzzLog(f *testing.F) {
	line, err := safename.Line(map[string]string{"x%3Ay": "x:y"}, safename.Taken{Options: map[string]string{"o": "1"},
		Files: map[string]string{"a": "d"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line, []byte(nil))
	f.Add(append(line, `{"taken":`...), []byte(`{"format":"f","names":{"b":"c"},"taken":{"files":{"s":"0"}}}`))
	f.Add([]byte("{}\n{\"names\":null,\"taken\":{\"files\":null}}\n"), []byte("{}"))
	f.Fuzz(func(t *testing.T, log, side []byte) {
		fsys := fstest.MapFS{safename.Log: {Data: log}, tree.Sidecar: {Data: side}, "x%3Ay/n": {Data: []byte("N")}}
		merged, err := safename.Sidecar(fsys)
		if err != nil {
			return
		}
		again, err := safename.Sidecar(fstest.MapFS{safename.Log: {Data: log}, tree.Sidecar: {Data: merged}})
		if err != nil || string(again) != string(merged) {
			t.Errorf("%v\n%q\nbecame\n%q", err, merged, again)
		}
		if restored, err := safename.Restore(fsys); err == nil {
			_ = fs.WalkDir(restored, ".", func(_ string, _ fs.DirEntry, err error) error { return err })
		}
	})
}
