package treediff

import (
	"fmt"
	"testing"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
)

// TestSearch tests that binary files are skipped, unreadable files are errors, and the sidecar is never
// searched.
func TestSearch(t *testing.T) {
	var fsys tree.FS
	fsys.AddBytes("a.txt", []byte("one\ntwo\n"))
	fsys.AddBytes("b/c.txt", []byte("\xff\xfet\x00w\x00o\x00"))
	fsys.AddBytes("b/d.bin", []byte("two\x00"))
	fsys.AddBytes(tree.Sidecar, []byte("two"))
	p, err := Pattern("TW.", false, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = EachFile(t.Context(), &fsys, func(f File) error {
		lines, err := f.Search(p)
		for _, l := range lines {
			got = append(got, fmt.Sprintf("%s:%d:%s", f.Name, l.Line, l.Text))
		}
		return err
	})
	if err != nil || fmt.Sprint(got) != "[a.txt:2:two b/c.txt:1:two]" {
		t.Errorf("found %v, %v", got, err)
	}
	p, err = Pattern("tw.", true, false, nil)
	if err != nil || len(MatchingLines(p, []byte("two"))) != 0 || len(MatchingLines(p, []byte("tw."))) != 1 {
		t.Error("a text is taken for an expression")
	}
}

// TestSearchHashed tests that a name finds the names that a game has for its hash, and that other patterns do not.
func TestSearchHashed(t *testing.T) {
	games := format.Games{{Title: "No hashes"}, {Hash: &format.Hash{
		Of: func(name string) uint32 { return uint32(len(name)) },
		Names: func(string) (func(uint32) ([]string, string), error) {
			return func(n uint32) ([]string, string) {
				if n == 6 {
					return []string{"SECRET", "CLOSED"}, ""
				}
				return nil, "UNKNOWN_" + fmt.Sprint(n)
			}, nil
		},
	}}}
	for _, c := range []struct {
		pattern                   string
		literal, ignoreCase, want bool
	}{
		{"MISSING", false, false, true}, {"MISSING", true, false, true}, {"missing", false, false, false},
		{"missing", false, true, true}, {"SECRET", false, false, false}, {"MISSIN.", false, false, false}, {"MISSING:", true, false, false},
	} {
		p, err := Pattern(c.pattern, c.literal, c.ignoreCase, games)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(MatchingLines(p, []byte("<INTEGER>UNKNOWN_7:5"))) == 1; got != c.want {
			t.Errorf("%s: found %t, want %t", c.pattern, got, c.want)
		}
		if c.pattern == "SECRET" && len(MatchingLines(p, []byte("CLOSED\nSECRET"))) != 2 {
			t.Error("a second name of the hash is not found")
		}
	}
}
