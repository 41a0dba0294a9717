package contents

import (
	"fmt"
	"testing"

	"trowel.example/internal/files/tree"
)

// TestSearch tests that binary files are skipped, unreadable files are errors, and the sidecar is never
// searched.
func TestSearch(t *testing.T) {
	var fsys tree.FS
	fsys.AddBytes("a.txt", []byte("one\ntwo\n"))
	fsys.AddBytes("b/c.txt", []byte("\xff\xfet\x00w\x00o\x00"))
	fsys.AddBytes("b/d.bin", []byte("two\x00"))
	fsys.AddBytes(tree.Sidecar, []byte("two"))
	p, err := Pattern("TW.", false, true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = Files(t.Context(), &fsys, func(f File) error {
		lines, err := f.Search(p)
		for _, l := range lines {
			got = append(got, fmt.Sprintf("%s:%d:%s", f.Name, l.Line, l.Text))
		}
		return err
	})
	if err != nil || fmt.Sprint(got) != "[a.txt:2:two b/c.txt:1:two]" {
		t.Errorf("found %v, %v", got, err)
	}
	if p, err := Pattern("tw.", true, false); err != nil || len(Lines(p, []byte("two"))) != 0 || len(Lines(p, []byte("tw."))) != 1 {
		t.Error("a text is taken for an expression")
	}
}
