package verbs

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/format"
)

// inSamples changes to a folder with the samples: x.map, world, ember.MOD, and a repository of backups of the world.
func inSamples(t *testing.T) {
	t.Helper()
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, line := range [][]string{
		{"pack", "-q", filepath.Join(samples, "burrow"), "-o", "x.map"},
		{"pack", "-q", filepath.Join(samples, "hollow"), "-o", "world"},
		{"pack", "-q", filepath.Join(samples, "ember"), "-o", "ember.MOD"},
		{"backup", "-q", "world", "backups"},
	} {
		helpFor(t, games, line...)
	}
}

// TestCompletion tests what a shell offers for a command line, whose last word is being typed.
func TestCompletion(t *testing.T) {
	inSamples(t)
	const files, none, noSpace = ":0", ":4", ":6"
	for _, c := range []struct {
		line string
		want string   // directive for the shell
		has  []string // offered words
		not  string   // word that is not offered
	}{
		{line: "edit x.map _", want: files},
		{line: "find x.map _", want: files},
		{line: "edit x.map -- _", want: none, has: []string{"replace-tiles", "mirror"}, not: "set-metadata"},
		{line: "edit world -- repl_", want: none, has: []string{"replace", "replace-items"}, not: "replace-tiles"},
		{line: "edit nowhere -- replace_", want: none, has: []string{"replace", "replace-tiles"}},
		{line: "edit x.map -- mirror then mir_", want: none, has: []string{"mirror"}},
		{line: "edit x.map -- mirror _", want: none, has: []string{"left-right"}},
		{line: "edit x.map -- mirror left-right _", want: none, has: []string{"then"}},
		{line: "edit x.map -- replace-image _", want: none, has: []string{"burrow", "burrow_clouds"}},
		{line: "edit x.map -- replace-image burrow _", want: files},
		{line: "edit x.map -- replace-tiles 1 2 --layer tree_", want: none, has: []string{"Tree/Trunk"}, not: "Game"},
		{line: "edit x.map -- replace-tiles --lay_", want: none, has: []string{"--layer"}},
		{line: "edit x.map -- set-layer Tree/Trunk --color-envelope _", want: none, has: []string{"Day"}},
		{line: "edit x.map -- remove-settings tune_", want: none, has: []string{"tune_zone 1 gravity 0.3"}},
		{line: "find x.map -- tile fr_", want: none, has: []string{"freeze"}},
		{line: "edit world -- replace default:d_", want: none, has: []string{"default:dirt"}, not: "default:diamond"},
		{line: "edit world -- replace default:dirt default:cl_", want: none, has: []string{"default:clay"}},
		{line: "edit world -- fill --where node=default:d_", want: none, not: "x"},
		{line: "find world -- player _", want: none, has: []string{"singleplayer"}},
		{line: "find ember.MOD -- key L_", want: none, has: []string{"LEVEL"}},
		{line: "edit ember.MOD -- delete media/sk_", want: none, has: []string{"MEDIA/SKILLS/EMBER/EMBER LEAP.DAT"}},
		{line: "restore backups --moment 2_", want: none, has: []string{snapshotOf(t)}},
		{line: "render x.map --layers Tree/_", want: noSpace, has: []string{"Tree/Trunk"}},
		{line: "render x.map --layers=-Game,-Tree/_", want: noSpace, has: []string{"-Game,-Tree/Trunk"}},
		{line: "render world --view n_", want: none, has: []string{"night"}, not: "day"},
		{line: "render world --view top --m_", want: none, has: []string{"--max-y"}},
		{line: "render world --view top --l_", want: none, has: []string{"--list"}, not: "--look"},
		{line: "render world --view camera --l_", want: none, has: []string{"--look"}},
		{line: "cat x.map groups/T_", want: noSpace, has: []string{"groups/Tree/"}},
		{line: "help replace-t_", want: none, has: []string{"replace-tiles"}, not: "backup"},
		{line: "help edit mir_", want: none, has: []string{"mirror"}},
	} {
		var words []string
		for _, word := range strings.Fields(c.line) {
			words = append(words, strings.TrimSuffix(word, "_"))
		}
		lines := strings.Split(strings.TrimSuffix(helpFor(t, games, append([]string{"__complete"}, words...)...), "\n"), "\n")
		var offered []string
		for _, line := range lines[:len(lines)-1] {
			word, _, _ := strings.Cut(line, "\t")
			offered = append(offered, word)
		}
		if got := lines[len(lines)-1]; got != c.want {
			t.Errorf("%s: %s, not %s", c.line, got, c.want)
		}
		for _, word := range c.has {
			if !slices.Contains(offered, word) {
				t.Errorf("%s: %q is not offered, but %q", c.line, word, offered)
			}
		}
		if c.not != "" && slices.Contains(offered, c.not) {
			t.Errorf("%s: %q is offered", c.line, c.not)
		}
		if c.want == files && len(offered) > 0 {
			t.Errorf("%s: offers %q in place of files", c.line, offered)
		}
	}
}

// snapshotOf returns the name of the snapshot in backups.
func snapshotOf(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("backups/snapshots/*")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return strings.TrimSuffix(filepath.Base(found[0]), filepath.Ext(found[0]))
}

// TestNamesOfKinds tests that files return names for each kind of thing that an option of their commands names.
func TestNamesOfKinds(t *testing.T) {
	inSamples(t)
	a := newTool(games, nil, nil, nil)
	kinds := 0
	for _, name := range []string{"x.map", "world", "ember.MOD"} {
		f := formatOfName(a, name)
		seen := make(map[string]bool)
		for _, c := range slices.Concat(editCommands(f), queriesOf(f)) {
			for _, o := range slices.Concat(c.Args, c.Options) {
				if o.Names == "" || o.Input || seen[o.Names] {
					continue // the shell completes files
				}
				seen[o.Names] = true
				kinds++
				if names := namesIn(a, t.Context(), []string{name}, o.Names); len(names) == 0 {
					t.Errorf("%s: no names of kind %q, which %s has in %s", name, o.Names, o.Name, c.Name)
				}
			}
		}
	}
	if kinds < 15 {
		t.Errorf("%d kinds", kinds)
	}
}

// TestCompletionEnds tests that completion offers what it has read when its time is up.
func TestCompletionEnds(t *testing.T) {
	defer func(before time.Duration) { completionTime = before }(completionTime)
	completionTime = 20 * time.Millisecond
	block := make(chan struct{})
	defer close(block)
	start := time.Now()
	got := gather(t.Context(), func(_ context.Context, add func(string)) {
		add("b")
		add("a")
		add("a\tb")
		<-block
	})
	if took := time.Since(start); !slices.Equal(got, []string{"a", "b"}) || took > 10*time.Second {
		t.Errorf("%q after %v", got, took)
	}
}

// TestOptionAt tests which option or argument a word on the command line is.
func TestOptionAt(t *testing.T) {
	c := &format.Command{Args: []format.Option{{Name: "from"}, {Name: "to", List: true}},
		Options: []format.Option{{Name: "layer"}, {Name: "not", Type: format.Bool}}}
	for line, want := range map[string]string{"": "from", "1": "to", "1 2": "to", "--layer": "layer", "--layer x": "from",
		"--not": "from", "1 --layer": "layer", "1 2 --not": "to"} {
		if o := optionAt(c, c.Options, strings.Fields(line)); o == nil || o.Name != want {
			t.Errorf("%q: %v, not %s", line, o, want)
		}
	}
}
