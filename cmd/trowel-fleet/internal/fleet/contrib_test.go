package fleet

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

const contrib = "../../../../contrib/fleet"

// TestContrib tests that the examples for services are files of their formats, and that their commands have only options that
// exist.
func TestContrib(t *testing.T) {
	tests.LongOnly(t, "starts the program for each command")
	b := offline(t)
	var commands [][]string
	for _, name := range []string{"compose.yaml", "kubernetes.yaml"} {
		data := judge.Read(t, filepath.Join(contrib, name))
		var doc any
		if err := yaml.Unmarshal(data, &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		commands = append(commands, wordsOf(doc)...)
	}
	for _, name := range []string{"trowel-worker.service", "trowel-backup.service"} {
		data := judge.Read(t, filepath.Join(contrib, name))
		for _, found := range regexp.MustCompile(`/usr/local/bin/trowel(?:-fleet)? ([^'\n]+)`).FindAllStringSubmatch(string(data), -1) {
			commands = append(commands, strings.Fields(strings.ReplaceAll(found[1], "$(date +%%-d)", "7")))
		}
	}
	if len(commands) != 6 {
		t.Fatalf("%q", commands)
	}
	for _, words := range commands {
		for i, word := range words {
			words[i] = strings.ReplaceAll(word, "$(JOB_COMPLETION_INDEX)", "3")
		}
		// With --help the program checks the options and does nothing.
		words = append(append(append([]string{}, words[:1]...), "--help"), words[1:]...)
		if s := b.run(words...); s.code != 0 || !strings.Contains(s.out, "Usage:") {
			t.Errorf("%q: %d\n%s", words, s.code, s.err)
		}
	}
}

// wordsOf returns the lists under args and command in a document.
func wordsOf(doc any) (all [][]string) {
	switch doc := doc.(type) {
	case map[string]any:
		for key, value := range doc {
			list, ok := value.([]any)
			if !ok || key != "args" && key != "command" {
				all = append(all, wordsOf(value)...)
				continue
			}
			var words []string
			for _, word := range list {
				words = append(words, word.(string))
			}
			all = append(all, words)
		}
	case []any:
		for _, value := range doc {
			all = append(all, wordsOf(value)...)
		}
	}
	return all
}

// TestUnits tests that systemd accepts the units.
func TestUnits(t *testing.T) {
	tests.Judges(t)
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	var units []string
	for _, name := range []string{"trowel-worker.service", "trowel-backup.service", "trowel-backup.timer",
		"../minetest/trowel-guard.service"} {
		data := judge.Read(t, filepath.Join(contrib, name))
		text := regexp.MustCompile(`/usr/local/bin/trowel(-fleet)?`).ReplaceAllString(string(data), "/bin/true")
		unit := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		units = append(units, unit)
	}
	out, err := exec.CommandContext(t.Context(), analyze, append([]string{"verify", "--man=no"}, units...)...).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "trowel-") {
			t.Errorf("%v: %s", err, line)
		}
	}
}
