package image_test

import (
	"bytes"
	"os"
	"path"
	"strings"
	"testing"

	"trowel.example/internal/testing/corpus"
	"trowel.example/torchlight/internal/image"
	"trowel.example/torchlight/mod"
)

// TestCorpus tests that every picture and sound in real mods is recognized, and that 4096 bytes of it give
// the same result as the whole file.
func TestCorpus(t *testing.T) {
	formats := map[string]int{}
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
			switch ext := path.Ext(f.Path); {
			case f.Removed():
			case strings.Contains(".DDS .PNG .JPG .TGA .WAV .OGG .IMAGESET", ext) && ext != "":
				content, err := f.Content()
				if err != nil {
					t.Fatal(err)
				}
				fields, ok := image.Info(f.Path, content)
				if !ok {
					t.Errorf("%s: %s has no text: %.20q", name, f.Path, content)
					continue
				}
				if head, _ := image.Info(f.Path, content[:min(len(content), 4096)]); text(head) != text(fields) && ext != ".IMAGESET" {
					t.Errorf("%s: %s: the head says %q, all says %q", name, f.Path, text(head), text(fields))
				}
				formats[fields[0].Value]++
			}
		}
	}
	t.Log(formats)
}
