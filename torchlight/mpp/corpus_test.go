package mpp_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/corpus"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/mpp"
)

// TestCorpus tests that every grid in real mods is recognized, round-trips through its picture without a residue, and
// contains only 0, 1 and 255.
func TestCorpus(t *testing.T) {
	grids := 0
	for _, name := range append(corpus.Files(t, "torchlight", ".MOD"), corpus.Files(t, "torchlight", ".mod")...) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Archive.Files() {
			if f.Removed() || !strings.HasSuffix(f.Path, ".MPP") {
				continue
			}
			grids++
			content, err := f.Content()
			if err != nil {
				t.Fatal(err)
			}
			if !mpp.Recognize(content[:min(len(content), 1024)]) {
				t.Errorf("%s: not recognised", f.Path)
			}
			form, residue, err := mpp.Decompile(content, mpp.Options{Path: f.Path})
			if err != nil || residue != nil {
				t.Errorf("%s: residue %v, %v", f.Path, residue, err)
				continue
			}
			if back, err := mpp.Compile(form, nil, mpp.Options{Path: f.Path}); err != nil || !bytes.Equal(back, content) {
				t.Errorf("%s: the picture does not give it back: %v", f.Path, err)
			}
			mpp.Check(content, func(finding check.Finding) { t.Errorf("%s: %s", f.Path, finding) })
		}
	}
	if grids == 0 {
		t.Error("no grid in any mod")
	}
}
