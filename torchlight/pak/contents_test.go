package pak_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/pak"
)

// TestSharedBlocks tests that the contents of files that share a block are limited together: the files beyond the
// budget are unreadable, whatever is read first.
func TestSharedBlocks(t *testing.T) {
	archive := make([]byte, 1<<20)
	copy(archive[8:], []byte{0, 0, 0, 1, 4, 0, 0, 0}) // a block of 16 MiB
	man := &pak.Manifest{Version: 2, Root: pak.DefaultRoot, Sections: []pak.Section{{Name: "MEDIA/"}}}
	for i := range 100 {
		man.Sections[0].Records = append(man.Sections[0].Records, pak.Record{Name: fmt.Sprintf("%02d.TXT", i), Offset: 8, Size: 16 << 20})
	}
	r, err := pak.NewReader(bytes.NewReader(archive), int64(len(archive)), man)
	if err != nil {
		t.Fatal(err)
	}
	files := r.Files()
	for i := len(files) - 1; i >= 0; i-- {
		_, err := files[i].Content()
		if met := errors.Is(err, effort.ErrMet); met != (i >= 36) || err == nil || !strings.Contains(err.Error(), files[i].Path) {
			t.Errorf("%s: %v", files[i].Path, err)
		}
	}
	if err := files[99].CopyTo(new(bytes.Buffer)); !errors.Is(err, effort.ErrMet) {
		t.Errorf("CopyTo: %v", err)
	}
}
