package nodecolor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/nodecolor"
)

func TestParse(t *testing.T) {
	long := strings.Repeat("x", 600)
	text := strings.Join([]string{
		"# a list",
		"",
		"a 1 2 3",
		"  b\t4 5 6 7  # water",
		"c 8 9 10 11 12 13",
		"twice 1 1 1",
		"twice 2 2 2",
		"cut 256 257 -1 511 300",
		"huge 99999999999999999999 4294967296 -99999999999999999999",
		"glued 1 2 3x4",
		"few 1 2",
		"words red green blue",
		"nul 1 2 3\x00 4",
		"a\x00b 9 9 9",
		"#" + long[:300],
		"crlf 1 2 3\r",
		long[:201] + " 1 2 3",
		long[:200] + " 1 2 3",
		long + " 4 5 6",
		"never 1 2 3",
	}, "\n")
	list, bad, err := nodecolor.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := nodecolor.List{
		"a": {R: 1, G: 2, B: 3, A: 255}, "b": {R: 4, G: 5, B: 6, A: 7}, "c": {R: 8, G: 9, B: 10, A: 11, T: 12},
		"twice": {R: 2, G: 2, B: 2, A: 255}, "cut": {R: 0, G: 1, B: 255, A: 255, T: 44}, "huge": {R: 255, G: 0, B: 255, A: 255},
		"nul": {R: 1, G: 2, B: 3, A: 255}, "glued": {R: 1, G: 2, B: 3, A: 255}, "crlf": {R: 1, G: 2, B: 3, A: 255},
		long[:200]: {R: 1, G: 2, B: 3, A: 255},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
	var lines []int
	for _, b := range bad {
		lines = append(lines, b.Line)
	}
	if diff := cmp.Diff([]int{11, 12, 14, 17, 19}, lines); diff != "" {
		t.Error(diff)
	}
}

// TestByteOrderMark tests that a byte order mark, written by some editors, is not part of the first name.
func TestByteOrderMark(t *testing.T) {
	list, bad, err := nodecolor.Parse(strings.NewReader("\ufeffa 1 2 3\nb 4 5 6\n"))
	want := nodecolor.List{"a": {R: 1, G: 2, B: 3, A: 255}, "b": {R: 4, G: 5, B: 6, A: 255}}
	if diff := cmp.Diff(want, list); diff != "" || len(bad) > 0 || err != nil {
		t.Error(diff, bad, err)
	}
}

// TestParseCorpus tests that no line of minetestmapper's list is rejected, and that of related lists only lines are
// rejected that minetestmapper rejects too.
func TestParseCorpus(t *testing.T) {
	for name, want := range map[string][2]int{"minetestmapper-colors.txt": {424, 0}, "mtg.txt": {428, 1}, "extended_palette.txt": {0, 15}} {
		list, bad, err := nodecolor.ReadFile(filepath.Join(tests.Corpus(t, "minetest"), "colors", name))
		if err != nil || len(bad) != want[1] || len(list) != want[0] {
			t.Errorf("%s: %d colours, %v, %v", name, len(list), bad, err)
		}
	}
}

func TestFind(t *testing.T) {
	home, dir, shared := t.TempDir(), t.TempDir(), t.TempDir()
	tests.OnHost(t, map[string]string{"home folder": home, "folder /usr/share/minetest": shared})
	t.Chdir(t.TempDir())
	if err := os.Mkdir(filepath.Join(home, ".minetest"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"colors.txt", filepath.Join(shared, "colors.txt"),
		filepath.Join(home, ".minetest", "colors.txt"), filepath.Join(dir, "colors.txt")} {
		judge.Write(t, path, []byte("a 1 2 3\n"))
		if got, own := nodecolor.Find(dir); got != path || own != (filepath.Dir(path) == dir) {
			t.Errorf("%s, %v instead of %s", got, own, path)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a 1 2 3\n# b\nc 1 2 3 4 5\n")
	f.Add(strings.Repeat("y", 512) + " 1 2 3\nz 9 9 9")
	f.Add("y 1 1 2 " + strings.Repeat("y", 512))
	f.Fuzz(func(t *testing.T, text string) {
		list, bad, err := nodecolor.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(bad); n > 0 && bad[n-1].Long { // its beginning may be a colour
			bad = bad[:n-1]
		}
		if n := strings.Count(text, "\n") + 1; len(list)+len(bad) > n {
			t.Errorf("%d colours and %d bad lines of %d lines", len(list), len(bad), n)
		}
		for name := range list {
			if name == "" || len(name) > 200 || strings.ContainsAny(name, " \t\n#\x00") {
				t.Errorf("the name %q", name)
			}
		}
	})
}

func ExampleParse() {
	list, _, err := nodecolor.Parse(strings.NewReader("default:water_source 39 66 106 128 224\n"))
	fmt.Println(list["default:water_source"], err)
	// Output: {39 66 106 128 224} <nil>
}
