package verbs

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// gapsOf returns the offsets of the gaps that a dump lists, in order.
func gapsOf(said string) (at []int) {
	for line := range strings.Lines(said) {
		if f := strings.Fields(line); len(f) > 3 && f[3] == "gap" {
			n, _ := strconv.Atoi(f[1])
			at = append(at, n)
		}
	}
	return at
}

// TestCutFiles tests that a truncated file is never treated as complete, wherever it ends: no verb that reads
// it exits with 0, each prints the reason, and extract writes nothing unless -k is given.
func TestCutFiles(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	for sample, query := range map[string]string{"burrow.map": "image", "ember.mod": "file"} {
		t.Run(sample, func(t *testing.T) {
			dir := t.TempDir()
			whole := filepath.Join(dir, sample)
			tree := filepath.Join("../../../samples", strings.TrimSuffix(sample, filepath.Ext(sample)))
			if code, said := quietly("pack", tree, "-o", whole); code != exitFine {
				t.Fatal(said)
			}
			data := judge.Read(t, whole)
			cut, out, kept := filepath.Join(dir, "cut"+filepath.Ext(sample)), filepath.Join(dir, "out"), filepath.Join(dir, "kept")
			step := tests.Of(t, 997, 97)
			for size := 0; size < len(data); size += step {
				judge.Write(t, cut, data[:size])
				verbs := [][]string{{"info", cut}, {"ls", cut}, {"dump", cut}, {"check", cut}, {"extract", cut, "-o", out}}
				if size%(10*step) == 0 { // the slower verbs
					verbs = append(verbs, [][]string{{"dump", "--json", cut}, {"search", "x", cut}, {"diff", cut, whole},
						{"cat", cut, "map.json"}, {"extract", "-k", cut, "-o", kept}}...)
				}
				codes := make(map[string]int)
				for _, verb := range verbs {
					code, said := quietly(verb...)
					codes[verb[0]] = code
					if code == exitFine || said == "" || strings.Contains(said, `\n`) || strings.Contains(said, "<nil>") {
						t.Errorf("%d of %d bytes: %s: exit code %d: %s", size, len(data), verb[0], code, said)
					}
				}
				// If info can read the file, find can, too.
				if code, said := quietly("find", cut, "--", query); code != codes["info"] || said == "" {
					t.Errorf("%d of %d bytes: find: exit code %d, that of info is %d: %s", size, len(data), code, codes["info"], said)
				}
				var dumped, talk bytes.Buffer
				run(games, []string{"dump", cut}, strings.NewReader(""), &dumped, &talk)
				if gaps := gapsOf(dumped.String()); !slices.IsSorted(gaps) {
					t.Errorf("%d of %d bytes: the gaps are at %v", size, len(data), gaps)
				}
				if left, _ := filepath.Glob(out + "*"); left != nil {
					t.Fatalf("%d of %d bytes: extract left %v", size, len(data), left)
				}
				if _, err := os.Stat(kept); err == nil {
					// The saved parts are a tree, which packs to the file.
					back := filepath.Join(dir, "back")
					want := exitFine
					if sample == "burrow.map" { // the sidecar contains the damaged file
						want = exitFound
						if code, said := quietly("pack", kept, "-o", back); code != exitFailed || !strings.Contains(said, "incomplete or damaged") {
							t.Errorf("%d of %d bytes: pack of what was kept without -k: exit code %d: %s", size, len(data), code, said)
						}
					}
					if code, said := quietly("pack", "-k", kept, "-o", back); code != want {
						t.Errorf("%d of %d bytes: pack of what was kept: exit code %d: %s", size, len(data), code, said)
					} else if again, err := os.ReadFile(back); sample == "burrow.map" && (err != nil || !bytes.Equal(again, data[:size])) {
						t.Errorf("%d of %d bytes: what was kept packs to %d other bytes, %v", size, len(data), len(again), err)
					}
					os.RemoveAll(kept)
					os.Remove(back)
				}
			}
			for _, verb := range [][]string{{"info", whole}, {"dump", whole}, {"extract", whole, "-o", out}} {
				if code, said := quietly(verb...); code != exitFine {
					t.Errorf("%v: exit code %d: %s", verb, code, said)
				}
			}
		})
	}
}

// TestSaidOfWhich tests that messages about one of several files name the file.
func TestSaidOfWhich(t *testing.T) {
	ember, err := filepath.Abs("../../../samples/ember")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, words := range [][]string{{"pack", ember, "-o", "whole.mod"}, {"convert", "whole.mod", "-o", "whole.pak"},
		{"convert", "whole.mod", "-o", "cut.pak"}} {
		if code, said := quietly(words...); code != exitFine {
			t.Fatal(said)
		}
	}
	data := judge.Read(t, "cut.pak")
	judge.Write(t, "cut.pak", data[:len(data)*2/3])
	for _, line := range []string{
		"find whole.pak cut.pak -- key LEVEL", "find . -- key LEVEL", "info whole.pak cut.pak",
		"edit --dry-run whole.pak cut.pak -- set **.DAT LEVEL 7",
		"convert --dry-run whole.pak cut.pak --to units-csv",
	} {
		code, said := quietly(strings.Fields(line)...)
		missed := 0
		for said := range strings.Lines(said) {
			if strings.HasPrefix(said, "trowel: cut.pak: ") {
				missed++
			}
			message, found := strings.CutPrefix(said, "trowel: ")
			message = strings.TrimPrefix(message, "warning: ")
			if found && !strings.HasPrefix(message, "whole.pak: ") && !strings.HasPrefix(message, "cut.pak: ") ||
				strings.Count(said, "cut.pak") > 1 {
				t.Errorf("%s: %s", line, said)
			}
		}
		if code == exitFine || missed == 0 {
			t.Errorf("%s: exit code %d: %s", line, code, said)
		}
	}
}

func TestInFile(t *testing.T) {
	for _, c := range [][3]string{
		{"a.pak", "", "a.pak"}, {"a.pak", "MEDIA/X.DAT", "a.pak: MEDIA/X.DAT"}, {"a.pak", "a.pak.MAN", "a.pak.MAN"},
		{"a.pak.MAN", "a.pak", "a.pak"},
		{"world", "world/map.sqlite", "world/map.sqlite"}, {"world", "worldmods/a", "world: worldmods/a"}, {"world", "world", "world"},
	} {
		if got := service.InFile(c[0], c[1]); got != c[2] {
			t.Errorf("%q in %q: %q, want %q", c[1], c[0], got, c[2])
		}
	}
}

// quietly runs the tool and returns its exit code and messages; for check, the printed findings.
func quietly(args ...string) (code int, said string) {
	var out, err bytes.Buffer
	code = run(games, args, strings.NewReader(""), &out, &err)
	if args[0] == "check" {
		return code, out.String()
	}
	return code, err.String()
}
