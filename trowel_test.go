package trowel_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example"
	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	_ "trowel.example/internal/testing/tests" // a host without games, fonts and programs
)

// TestMain runs the tests and examples in a temporary folder with a copy of the samples.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "trowel")
	if err != nil {
		log.Fatal(err)
	}
	if readme, err = os.ReadFile("README.md"); err == nil {
		example, err = os.ReadFile("example_test.go")
	}
	if err := errors.Join(err, os.CopyFS(filepath.Join(dir, "samples"), os.DirFS("samples")), os.Chdir(dir)); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	if err := os.Chdir(".."); err == nil { // Windows cannot remove the current folder
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

var readme, example []byte

// TestReadme tests that README contains the code of the package's example, and is short.
func TestReadme(t *testing.T) {
	_, code, _ := strings.Cut(string(example), "func Example() {\n")
	code, _, _ = strings.Cut(code, "\t// Output:")
	shown := regexp.MustCompile(`(?m)^\t+`).ReplaceAllStringFunc(code, func(tabs string) string { return strings.Repeat("    ", len(tabs)) })
	if n := strings.Count(shown, "\n"); n < 5 || n > 12 || !strings.Contains(string(readme), shown) {
		t.Errorf("README does not have these %d lines:\n%s", n, shown)
	}
	if n := strings.Count(string(readme), "\n"); n > 250 {
		t.Errorf("README has %d lines, not at most 250", n)
	}
}

// TestRoundTrip tests that the file built from each sample, opened and built again, is byte-identical.
func TestRoundTrip(t *testing.T) {
	for name, format := range map[string]string{"burrow": "teeworlds-map", "ember": "torchlight-mod", "hollow": "minetest-world"} {
		t.Run(name, func(t *testing.T) {
			path, again := sample(name), filepath.Join(t.TempDir(), name)
			f, err := trowel.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if f.Format() != format {
				t.Errorf("the format is %s", f.Format())
			}
			if err := trowel.Build(t.Context(), again, f.FS()); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if a, b := contents(t, path), contents(t, again); a != b || a == "" {
				t.Errorf("%d bytes, then %d", len(a), len(b))
			}
		})
	}
}

// contents returns all bytes of a file, or of the files of a folder with their names.
func contents(t *testing.T, path string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		all.WriteString(strings.TrimPrefix(name, path))
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestDamaged tests that Open rejects an incomplete file, and that Salvage opens it and reports each loss.
func TestDamaged(t *testing.T) {
	whole := judge.Read(t, sample("burrow"))
	path := filepath.Join(t.TempDir(), "cut.map")
	judge.Write(t, path, whole[:len(whole)*2/3])
	if f, err := trowel.Open(t.Context(), path); f != nil || !errors.Is(err, fault.ErrLost) &&
		!errors.Is(err, fault.ErrShort) || !strings.Contains(err.Error(), path) {
		t.Errorf("Open: %v, %v", f, err)
	}
	lost := 0
	f, err := trowel.Salvage(t.Context(), path, func(_, what string) { lost++ })
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	if err := f.Check(t.Context(), func(c check.Finding) {
		if c.Severity == check.Error {
			found++
		}
	}); err != nil || found == 0 || lost == 0 {
		t.Errorf("%d findings, %d losses, %v", found, lost, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestRefused tests that Open and Build return errors for input they cannot handle, and write or replace nothing.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	text, missing := filepath.Join(dir, "a.txt"), filepath.Join(dir, "missing.map")
	judge.Write(t, text, []byte("text"))
	if _, err := trowel.Open(t.Context(), text); !errors.Is(err, trowel.ErrUnknown) || strings.Count(err.Error(), text) != 1 {
		t.Error(err)
	}
	if _, err := trowel.Open(t.Context(), missing); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := trowel.Build(t.Context(), missing, fstest.MapFS{"a.txt": {}}); !errors.Is(err, trowel.ErrUnknown) {
		t.Error(err)
	}
	if err := trowel.Build(t.Context(), text, os.DirFS("samples/burrow")); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	broken := fstest.MapFS{"map.json": {Data: []byte(`{"version": 1`)}}
	if err := trowel.Build(t.Context(), missing, broken); err == nil {
		t.Error("a broken folder was built")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	if data, err := os.ReadFile(text); err != nil || !bytes.Equal(data, []byte("text")) {
		t.Errorf("%q, %v", data, err)
	}
}
