package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Corpus returns a folder of the corpus: in the folder that TROWEL_CORPUS names, otherwise in shared/corpus next to the
// project. It skips the test if the folder does not exist, unless the corpus is required, and if short forms of tests
// run.
func Corpus(t testing.TB, name string) string {
	t.Helper()
	LongOnly(t, "reads many real files")
	root := os.Getenv("TROWEL_CORPUS")
	if root == "" {
		_, self, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(self), "..", "..", "..", "..", "shared", "corpus")
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err != nil {
		Missing(t, "corpus", "no corpus of real files here: set TROWEL_CORPUS to a folder that has %s", name)
	}
	return dir
}

// Missing skips a test that lacks something of a kind. It fails the test instead if TROWEL_REQUIRE lists that kind, as
// in "corpus,judges".
func Missing(t testing.TB, kind, format string, args ...any) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("TROWEL_REQUIRE"), ","), kind) {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// CorpusFiles returns the paths of the files with the given suffix below a folder of the corpus.
func CorpusFiles(t testing.TB, name, suffix string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(Corpus(t, name), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, suffix) {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("corpus %s: %d files, %v", name, len(files), err)
	}
	return files
}
