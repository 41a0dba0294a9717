package safename

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"trowel.example/internal/files/tree"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"grass_main.png", "grass_main.png"},
		{"Überfall 100%.png", "Überfall 100%.png"},
		{"", "%"},
		{"%", "%25"},
		{"100%", "100%"},
		{".", "%2E"},
		{"..", ".%2E"},
		{"C:", "C%3A"},
		{`..\..\x`, `..%5C..%5Cx`},
		{"%41", "%2541"},
		{"con", "co%6E"},
		{"CON.txt", "CO%4E.txt"},
		{"aux .c", "au%78 .c"},
		{"COM1", "CO%4D1"},
		{"com10", "com10"},
		{"console", "console"},
		{"LPT¹.x", "LP%54¹.x"},
		{"name.", "name%2E"},
		{"name ", "name%20"},
		{".git", ".g%69t"},
		{".trowel.json", ".trowel.json"},
		{"a\x00\x1b\x7f", "a%00%1B%7F"},
		{"\xff", "%FF"},
		{"exe\u202egpj", "exe%E2%80%AEgpj"},
	} {
		got := Escape(c.name)
		if got != c.want {
			t.Errorf("Escape(%q) = %q, want %q", c.name, got, c.want)
		}
		if back := Unescape(got); back != c.name {
			t.Errorf("Unescape(%q) = %q, want %q", got, back, c.name)
		}
	}
}

func TestFolder(t *testing.T) {
	var f Folder
	long := strings.Repeat("ü", 200)
	for _, c := range []struct{ name, want string }{
		{"a.png", "a.png"},
		{"A.PNG", "A~2.PNG"},
		{"a~2.png", "a~2~2.png"},
		{"Σ", "Σ"},
		{"ς", "ς~2"},
		{long + ".png", strings.Repeat("ü", 89) + "~ee4fe0a1d2e62aa0.png"},
	} {
		if got := f.Name(c.name); got != c.want {
			t.Errorf("Name(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFold tests names that a system may treat as equal.
func TestFold(t *testing.T) {
	for _, c := range [][]string{
		{"é", "e\u0301", "É", "E\u0301"},
		{"Å", "\u212b", "a\u030a"},
		{"ṩ", "s\u0323\u0307", "s\u0307\u0323", "ṡ\u0323"},
		{"각", "\u1100\u1161\u11a8"},
		{"ς", "Σ", "σ"},
		{"k", "K", "\u212a"},
		{"ab", "a\u200bb", "a\u00adb", "A\ufe0fb"},
	} {
		for _, name := range c {
			if Fold(name) != Fold(c[0]) {
				t.Errorf("%+q and %+q are two", c[0], name)
			}
		}
		var f Folder
		seen := make(map[string]bool)
		for _, name := range c {
			seen[Fold(f.Name(name))] = true
		}
		if len(seen) != len(c) {
			t.Errorf("%+q: %v", c, seen)
		}
	}
	if Fold("é") == Fold("e") || Fold("a") == Fold("b") {
		t.Error("different names are one")
	}
}

// TestAlike tests that the cost for a name does not depend on how similar the names are.
func TestAlike(t *testing.T) {
	cases := func(i int) string { // the same letters in another case
		name := []byte("abcdefghijklmnopqrst.png")
		for bit := range 20 {
			if i>>bit&1 != 0 {
				name[bit] -= 'a' - 'A'
			}
		}
		return string(name)
	}
	for what, name := range map[string]func(i int) string{
		"case": cases,
		"long": func(i int) string {
			return strings.Repeat("x", maxLen-6) + fmt.Sprintf("%05d", i/2)[:5] + "aA"[i%2:i%2+1]
		},
		"accents":      func(i int) string { return strings.Repeat("\u0301", i%2)[:2*(i%2)] + cases(i) },
		"with numbers": func(i int) string { return cases(i>>1) + strings.Repeat(fmt.Sprintf("~%d", i), i%2) },
	} {
		took := func(n int) float64 {
			return testing.AllocsPerRun(1, func() {
				var f Folder
				seen := make(map[string]bool, n)
				for i := range n {
					seen[strings.ToLower(f.Name(name(i)))] = true
				}
				if len(seen) != n {
					t.Errorf("%s: %d names of %d", what, len(seen), n)
				}
			})
		}
		if few, many := took(2000), took(8000); many > 6*few {
			t.Errorf("%s: four times as many names take %.1f times the allocations", what, many/few)
		}
	}
}

func TestTreePath(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"MEDIA/SKILLS/FOO.DAT", "MEDIA/SKILLS/FOO.DAT"},
		{"../x", ".%2E/x"},
		{"/etc//passwd", "%/etc/%/passwd"},
		{"a/./b", "a/%2E/b"},
		{".%2E/x", ".%252E/x"},
		{"100%/50%of", "100%/50%of"},
		{"%", "%25"},
		{"", "%"},
		{".", "%2E"},
		{`C:\x`, `C:\x`},
	} {
		got := TreePath(c.name)
		if got != c.want || !fs.ValidPath(got) {
			t.Errorf("TreePath(%q) = %q, want %q", c.name, got, c.want)
		}
		if back := FromTreePath(got); back != c.name {
			t.Errorf("FromTreePath(%q) = %q, want %q", got, back, c.name)
		}
	}
}

// checkSafe returns an error if a name is a problem for Windows, macOS or a shell.
func checkSafe(name string) error {
	switch {
	case name == "" || len(name) > 255 || !utf8.ValidString(name):
		return fmt.Errorf("%q: empty, too long or not UTF-8", name)
	case strings.ContainsAny(name, `<>:"/\|?*`) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("%q: a forbidden character", name)
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return fmt.Errorf("%q: a dot or space at its end", name)
	}
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	for _, device := range []string{"CON", "PRN", "AUX", "NUL", "COM1", "COM9", "LPT1", "COM²"} {
		if strings.TrimRight(stem, " ") == device {
			return fmt.Errorf("%q: a device", name)
		}
	}
	return nil
}

// TestRestoreProperty tests that all kinds of malicious names get distinct safe forms in a folder, and that Restore
// returns the true names of the extracted folder.
func TestRestoreProperty(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "B", "b", "A", "CON", "nul", "com1", ".", "..", " ", "%", "%41", "%4", ":", "\x01", "\xff", "é",
		"ſ", "s", "S", "~2", ".git", strings.Repeat("long", 60), ".png"}
	element := func() string {
		for {
			var b strings.Builder
			for range 1 + rnd.IntN(3) {
				b.WriteString(parts[rnd.IntN(len(parts))])
			}
			if name := b.String(); name != "." && name != ".." && utf8.ValidString(name) {
				return name
			}
		}
	}
	for range 300 {
		// A tree of true names, and its folders in the order of creation.
		files := make(map[string]string)
		folders := map[string]*Folder{}
		safeDirs := map[string]string{".": "."}
		disk := fstest.MapFS{}
		names := map[string]string{}
		add := func(dir, name string) string {
			full := path.Join(dir, name)
			if folders[dir] == nil {
				folders[dir] = new(Folder)
			}
			safe := folders[dir].Name(name)
			if err := checkSafe(safe); err != nil {
				t.Fatal(err)
			}
			at := path.Join(safeDirs[dir], safe)
			for other := range disk {
				if strings.EqualFold(other, at) {
					t.Fatalf("%q: as %q, clashes with %q", full, at, other)
				}
			}
			if safe != name {
				names[at] = full
			}
			return at
		}
		seen := map[string]bool{}
		for range 2 + rnd.IntN(20) {
			dir := "."
			if rnd.IntN(2) == 0 {
				dir = element()
				if !seen[dir] {
					seen[dir] = true
					safeDirs[dir] = add(".", dir)
				} else if files[dir] != "" {
					continue
				}
			}
			name := element()
			full := path.Join(dir, name)
			if seen[full] {
				continue
			}
			seen[full] = true
			at := add(dir, name)
			files[full] = full
			disk[at] = &fstest.MapFile{Data: []byte(full)}
		}
		if len(names) > 0 {
			side, err := AddNames([]byte(`{"version": 7}`), names)
			if err != nil {
				t.Fatal(err)
			}
			disk[tree.Sidecar] = &fstest.MapFile{Data: side}
		}
		fsys, err := Restore(disk)
		if err != nil {
			t.Fatal(err)
		}
		expected := []string{}
		for full := range files {
			data, err := fs.ReadFile(fsys, full)
			if err != nil || string(data) != full {
				t.Fatalf("%q: %q, %v", full, data, err)
			}
			expected = append(expected, full)
		}
		if err := fstest.TestFS(fsys, expected...); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRestoreSidecar(t *testing.T) {
	disk := fstest.MapFS{
		"C%3A/x":     {Data: []byte("x")},
		tree.Sidecar: {Data: []byte(`{"names": {"C%3A": "C:"}}`)},
	}
	fsys, err := Restore(disk)
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(fsys, "C:/x"); err != nil {
		t.Error(err)
	}
	if _, err := fs.Stat(fsys, tree.Sidecar); err == nil {
		t.Error("a sidecar that held only names is still there")
	}
	if _, err := fs.Stat(fsys, "C%3A/x"); err == nil {
		t.Error("a file is found under its safe name")
	}
	disk[tree.Sidecar].Data = []byte(`{"names": {"C%3A": "C:"}, "order": [2, 1]}`)
	if fsys, err = Restore(disk); err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(fsys, tree.Sidecar)
	if want := "{\n  \"order\": [\n    2,\n    1\n  ]\n}\n"; err != nil || string(data) != want {
		t.Errorf("sidecar = %q, %v, want %q", data, err, want)
	}
	for _, broken := range []string{`{`, `{"names": 1}`, `{"names": {"../x": "y"}}`, `{"names": {"x": ".."}}`,
		`{"names": {"x": "z", "y": "z"}}`} {
		disk[tree.Sidecar].Data = []byte(broken)
		if _, err := Restore(disk); err == nil {
			t.Errorf("%s: no error", broken)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", ".", "..", "CON", "a/B", `C:\x`, "%41", "\xff\x00", "x. "} {
		f.Add(s, s+".")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == b {
			return
		}
		var folder Folder
		x, y := folder.Name(a), folder.Name(b)
		if strings.EqualFold(x, y) {
			t.Errorf("%q and %q both become %q", a, b, x)
		}
		for _, name := range []string{x, y} {
			if err := checkSafe(name); err != nil {
				t.Error(err)
			}
		}
		if len(x) < 100 && Unescape(x) != a {
			t.Errorf("Unescape(%q) = %q, want %q", x, Unescape(x), a)
		}
		p := TreePath(a)
		if !fs.ValidPath(p) || p == "." || FromTreePath(p) != a {
			t.Errorf("TreePath(%q) = %q, back %q", a, p, FromTreePath(p))
		}
	})
}
