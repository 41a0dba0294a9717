package twmap

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
)

// TestCorpusEncode tests that each map of the corpus encodes to identical bytes when it is not changed, and does so
// from its parts: Encode may fall back on the source only for files with an unusual layout.
func TestCorpusEncode(t *testing.T) {
	maps, fallbacks := 0, 0
	for _, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
		name := filepath.Base(path)
		data := judge.Read(t, path)
		f, err := datafile.Decode(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if out, err := f.Encode(); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s: datafile differs, %v", name, err)
		}
		m, err := Decode(data)
		if errors.Is(err, ErrNoVersion) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		maps++
		parts, err := m.Datafile()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if out, err := parts.Encode(); err != nil || !bytes.Equal(out, data) {
			fallbacks++
			t.Logf("%s: falls back on its source: %d bytes, made %d, %v", name, len(data), len(out), err)
		}
		if out, err := m.Encode(); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s: map differs, %v", name, err)
		}
	}
	t.Logf("%d maps, %d fall back on their source", maps, fallbacks)
}
