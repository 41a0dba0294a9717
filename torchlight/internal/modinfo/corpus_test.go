package modinfo_test

import (
	"bytes"
	"path"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/mod"
)

// TestCorpus tests that every picture and sound in real mods is recognized, and that 4096 bytes of it give
// the same result as the whole file.
func TestCorpus(t *testing.T) {
	formats := map[string]int{}
	for _, name := range append(tests.CorpusFiles(t, "torchlight", ".MOD"), tests.CorpusFiles(t, "torchlight", ".mod")...) {
		data := judge.Read(t, name)
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Archive.Files() {
			switch ext := path.Ext(f.Path); {
			case f.Removed():
			case strings.Contains(".DDS .PNG .JPG .TGA .WAV .OGG .IMAGESET", ext) && ext != "":
				content, err := f.Content()
				if err != nil {
					t.Fatal(err)
				}
				fields, ok := modinfo.PictureInfo(f.Path, content)
				if !ok {
					t.Errorf("%s: %s has no text: %.20q", name, f.Path, content)
					continue
				}
				head, _ := modinfo.PictureInfo(f.Path, content[:min(len(content), 4096)])
				if fieldsText(head) != fieldsText(fields) && ext != ".IMAGESET" {
					t.Errorf("%s: %s: the head says %q, all says %q", name, f.Path, fieldsText(head), fieldsText(fields))
				}
				formats[fields[0].Value]++
			}
		}
	}
	t.Log(formats)
}
