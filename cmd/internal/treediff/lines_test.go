package treediff

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
)

func TestUnified(t *testing.T) {
	rows := strings.Repeat("0,0,0\n", 100)
	for _, c := range []struct{ name, a, b, want string }{
		{"same", "a\n", "a\n", ""},
		{"one line", "a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"from nothing", "", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
		{"to nothing", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
		{"no end of line", "a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"two tiles of many that are the same", rows + rows + rows,
			rows[6:] + "1\n" + rows + rows[6:] + "2\n",
			"@@ -97,7 +97,7 @@\n 0,0,0\n 0,0,0\n 0,0,0\n-0,0,0\n+1\n 0,0,0\n 0,0,0\n 0,0,0\n@@ -297,4 +297,4 @@\n 0,0,0\n " +
				"0,0,0\n 0,0,0\n-0,0,0\n+2\n"},
	} {
		want := c.want
		if want != "" {
			want = "--- x\n+++ y\n" + want
		}
		if got := unified("x", "y", []byte(c.a), []byte(c.b)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// TestPatch tests that a diff applied to the old text gives the new text, also with patch(1).
func TestPatch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	_, noPatch := exec.LookPath("patch")
	dir := t.TempDir()
	for round := range 400 {
		kinds := 1 + rnd.IntN(40)
		line := func() string { return fmt.Sprintf("line %d\n", rnd.IntN(kinds)) }
		var a, b strings.Builder
		for range rnd.IntN(120) {
			one := line()
			a.WriteString(one)
			for rnd.IntN(8) == 0 {
				b.WriteString(line())
			}
			if rnd.IntN(8) > 0 {
				b.WriteString(one)
			}
		}
		d := unified("x", "y", []byte(a.String()), []byte(b.String()))
		if got := apply(a.String(), d); got != b.String() {
			t.Fatalf("old:\n%s\nnew:\n%s\ndiff:\n%s\ngives:\n%s", a.String(), b.String(), d, got)
		}
		if noPatch != nil || round > 20 || d == "" {
			continue
		}
		file := filepath.Join(dir, "x")
		judge.Write(t, file, []byte(a.String()))
		cmd := exec.Command("patch", "-s", file)
		cmd.Stdin = strings.NewReader(d)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("patch: %v\n%s\n%s", err, out, d)
		}
		got, err := os.ReadFile(file)
		if err != nil && b.Len() > 0 || string(got) != b.String() {
			t.Fatalf("patch made %q, want %q", got, b.String())
		}
	}
}

// apply applies a diff without tolerance.
func apply(old, diff string) string {
	rest := strings.SplitAfter(old, "\n")
	var out strings.Builder
	at := 0
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case line[0] == '@':
			var start, count int
			fmt.Sscanf(line, "@@ -%d,%d", &start, &count)
			if count > 0 {
				start--
			}
			for ; at < start; at++ {
				out.WriteString(rest[at])
			}
		case line[0] == '+':
			out.WriteString(line[1:])
		default:
			if rest[at] != line[1:] {
				return "does not fit: " + line
			}
			if line[0] == ' ' {
				out.WriteString(rest[at])
			}
			at++
		}
	}
	return out.String() + strings.Join(rest[at:], "")
}

// TestLarge tests that the work is proportional to the size of the texts. It measures memory, which does not
// depend on the load of the machine.
func TestLarge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	random := func(kinds int) func(n int) (a, b []string) {
		text := func(n int) (list []string) {
			for range n {
				list = append(list, fmt.Sprintf("%d\n", rnd.IntN(kinds)))
			}
			return list
		}
		return func(n int) (a, b []string) { return text(n), text(n) }
	}
	for name, make := range map[string]func(n int) (a, b []string){
		"lines of 2 kinds":    random(2),
		"lines of 50 kinds":   random(50),
		"lines of many kinds": random(10_000_000),
		"a half that moved": func(n int) (a, b []string) {
			for i := range n {
				a = append(a, fmt.Sprintf("%d\n", i))
			}
			return a, slices.Concat(a[n/2:], a[:n/2])
		},
	} {
		took := func(n int) float64 {
			a, b := make(n)
			before, after := strings.Join(a, ""), strings.Join(b, "")
			var start, end runtime.MemStats
			runtime.ReadMemStats(&start)
			d := unified("x", "y", []byte(before), []byte(after))
			runtime.ReadMemStats(&end)
			if apply(before, d) != after {
				t.Errorf("%s: wrong", name)
			}
			return float64(end.TotalAlloc - start.TotalAlloc)
		}
		const n = 20_000
		if few, many := took(n), took(4*n); many > 6*few {
			t.Errorf("%s: four times as many take %.1f times the memory", name, many/few)
		}
	}
}
