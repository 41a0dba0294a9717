package verbs

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/tests"
)

// aboutDamage matches texts about damage.
var aboutDamage = regexp.MustCompile(`(?i)damage|corrupt|\blost\b|unreadable|cut off|truncated`)

// TestLimitsOfFiles tests each limit that a map, a mod or a world comes near to: with a limit of twice what it needs, and of
// exactly that, all verbs do the same as without; with half of that, they report the limit, never damage, and never success,
// and what extract accepts, pack accepts. Only info may succeed without what it does not print.
func TestLimitsOfFiles(t *testing.T) {
	tests.NotRaced(t, "runs each verb many times")
	for _, test := range []struct {
		sample, file string
		verbs        []string
	}{
		{"burrow", "burrow.map", []string{"info FILE", "check FILE", "extract FILE -o OUT", "pack OUT -o OUT.map",
			"edit FILE -o OUT.map -- info --author Ann"}},
		{"ember", "ember.MOD", []string{"info FILE", "check FILE", "extract FILE -o OUT", "pack OUT -o OUT.MOD",
			"edit FILE -o OUT.MOD -- info --author Ann"}},
		{"hollow", "hollow", []string{"info FILE", "check FILE", "extract FILE -o OUT", "pack OUT -o OUT.world",
			"edit FILE -o OUT.world -- replace default:dirt default:stone"}},
	} {
		t.Run(test.sample, func(t *testing.T) {
			dir := filepath.ToSlash(t.TempDir())
			tool := func(verb string) (code int, text string) {
				out := dir + "/out"
				var said bytes.Buffer
				args := strings.Fields(strings.NewReplacer("FILE", dir+"/"+test.file, "OUT", out).Replace(verb))
				if i := slices.Index(args, "-o"); i > 0 {
					if err := os.RemoveAll(args[i+1]); err != nil {
						t.Fatal(err)
					}
				}
				code = Main(games, args, strings.NewReader(""), &said, &said)
				return code, said.String()
			}
			t.Cleanup(func() { effort.SetFactor(1) })
			if err := os.CopyFS(dir+"/source", os.DirFS("../../../samples/"+test.sample)); err != nil {
				t.Fatal(err)
			}
			if test.sample == "hollow" { // a block that inflates to much more than blocks usually do
				name := dir + "/source/blocks/z0/y0/0,0,0.txt"
				text, err := os.ReadFile(name)
				if err == nil {
					now := strings.Replace(string(text), "infotext = Chest", "infotext = "+strings.Repeat("a", 2<<20), 1)
					err = os.WriteFile(name, []byte(strings.Replace(now, "version 28", "version 29", 1)), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if code, text := tool("pack " + dir + "/source -o FILE"); code != exitFine {
				t.Fatalf("%d, %s", code, text)
			}
			most := make(map[*effort.Kind]int64)
			needs := make(map[string]map[*effort.Kind]int64)
			codes := make(map[string]int)
			for _, k := range effort.Kinds() {
				k.Nearest() // of earlier runs
			}
			for _, verb := range test.verbs {
				var text string
				if codes[verb], text = tool(verb); codes[verb] > exitFound {
					t.Fatalf("%s: %s", verb, text)
				}
				needs[verb] = make(map[*effort.Kind]int64)
				for _, k := range effort.Kinds() {
					_, n := k.Nearest()
					needs[verb][k], most[k] = n, max(most[k], n)
				}
			}
			used := 0
			for k, n := range most {
				if n < 2 || k == effort.WholeFile && test.sample == "burrow" { // texts of maps have limits of their own
					continue
				}
				used++
				for _, limit := range []int64{2 * n, n, n / 2} {
					t.Run(k.Work, func(t *testing.T) {
						tests.Lower(t, k, limit)
						accepted := false
						for _, verb := range test.verbs {
							name, _, _ := strings.Cut(verb, " ")
							if name == "pack" && !accepted {
								continue // there is no folder
							}
							code, text := tool(verb)
							met := strings.Contains(text, "--effort")
							same := code == codes[verb] && !met
							if limit >= n || same && (needs[verb][k] <= limit || name == "info") {
								if !same {
									t.Errorf("%d of %d %s: %s: %d, %s", limit, n, k.Unit, verb, code, text)
								}
							} else if code == exitFine || !met || aboutDamage.MatchString(text) {
								t.Errorf("%d of %d %s: %s: %d, %s", limit, n, k.Unit, verb, code, text)
							}
							accepted = code == exitFine && (accepted || name == "extract")
							if name == "pack" && code != exitFine {
								t.Errorf("%d of %d %s: extract accepts what pack refuses: %s", limit, n, k.Unit, text)
							}
						}
					})
				}
			}
			t.Logf("%d limits", used)
			if used < 2 {
				t.Errorf("only %d limits", used)
			}
		})
	}
}
