package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
)

// findingFiles are the files with examples of messages, by the first word of the IDs in them.
var findingFiles = map[string]string{
	"tw": "teeworlds/findings.txt", "tl": "torchlight/findings.txt", "mt": "minetest/findings.txt", "": "internal/format/findings.txt",
}

// findingTests are the packages whose tests provoke findings.
var findingTests = []string{"./teeworlds/...", "./torchlight/...", "./minetest/...", "./cmd/internal/verbs"}

// maxWithoutExample is the number of kinds of which no test prints a message. It only decreases.
const maxWithoutExample = 37

// envFindings makes TestFindingExamples run the tests that provoke findings, which takes minutes.
const envFindings = "TROWEL_FINDINGS"

// TestFindingExamples tests that the examples that explain prints are of known kinds, and in nightly tests that tests
// provoke these messages. With -update it writes the examples.
func TestFindingExamples(t *testing.T) {
	a := newTool(games, nil, nil, nil)
	kinds := ownedKinds(a)
	var provoked map[string][]string
	if *update || os.Getenv(envFindings) != "" {
		provoked = provokedMessages(t)
	}
	files := make(map[string]string)
	without := 0
	for _, k := range kinds {
		messages := provoked[k.ID]
		switch {
		case *update && k.example == "" && len(messages) > 0:
			k.example = messages[0]
		case provoked != nil && k.example != "" && !slices.ContainsFunc(messages, like(k.example)):
			if t.Errorf("%s: no test provokes the message %q: run this test with -update", k.ID, k.example); *update {
				k.example = append(messages, "")[0]
			}
		}
		prefix, _, _ := strings.Cut(k.ID, "-")
		if findingFiles[prefix] == "" {
			prefix = ""
		}
		if k.example == "" {
			without++
		} else {
			files[findingFiles[prefix]] += k.ID + "\t" + k.example + "\n"
		}
	}
	for _, name := range findingFiles {
		name, text := "../../../"+name, sortedLines(files[name])
		if *update {
			judge.Write(t, name, []byte(text))
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%s has examples of no kind, or is not sorted (%v): run this test with -update", name, err)
		}
	}
	if without > maxWithoutExample {
		t.Errorf("%d kinds have no example, of at most %d", without, maxWithoutExample)
	}
}

// changing matches the parts of messages that differ from run to run, times and hashes, and the lines of our own code.
var changing = regexp.MustCompile(`\b([0-9a-f]{6,}|\d{8}T[\d.]+Z|go:\d+)\b`)

// like returns a function that reports whether another message is the same, except for what differs from run to run.
func like(message string) func(string) bool {
	want := changing.ReplaceAllString(message, "*")
	return func(other string) bool { return changing.ReplaceAllString(other, "*") == want }
}

func sortedLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// provokedMessages runs the tests with a package check that records the messages of all findings. It returns the
// messages by the IDs of their kinds, those that are best to read first.
func provokedMessages(t *testing.T) map[string][]string {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := filepath.Join(root, "check", "check.go")
	text := judge.Read(t, source)
	const create, print = "\ts.Report(Finding{ID: k.ID,", "func (f Finding) text(where string) string {\n"
	if !strings.Contains(string(text), create) || !strings.Contains(string(text), print) {
		t.Fatal("check.go creates findings in another way")
	}
	patched := strings.Replace(string(text), create, "\trecord(k.ID, path, message)\n"+create, 1)
	patched = strings.Replace(patched, print, print+"\trecord(f.ID, f.Path, f.Message)\n", 1)
	list := filepath.Join(dir, "list")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		judge.Write(t, path, []byte(text))
		return path
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		source: write("check.go", patched),
		filepath.Join(root, "check", "record.go"): write("record.go", fmt.Sprintf(`package check
import ("encoding/json"; "os")
func record(words ...string) {
	if f, err := os.OpenFile(%q, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {
		line, _ := json.Marshal(words)
		_, _ = f.Write(append(line, '\n'))
		_ = f.Close()
	}
}
`, list)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"test", "-vet=off", "-timeout=20m", "-skip=^TestFindingExamples$", "-overlay=" +
		write("overlay.json", string(overlay))}, findingTests...)
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "TROWEL_TESTS=", "TROWEL_CORPUS=", "TROWEL_REQUIRE=")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	data := judge.Read(t, list)
	folder := regexp.MustCompile(`(/[^ :]*)?/Test\w+/\d+/`)
	messages := make(map[string][]string)
	for line := range bytes.Lines(data) {
		var words [3]string
		if json.Unmarshal(line, &words) != nil {
			continue // two processes wrote at the same moment
		}
		message := words[2]
		if words[1] != "" {
			message = words[1] + ": " + message
		}
		message = folder.ReplaceAllString(message, "")
		plain := !strings.ContainsFunc(message, func(r rune) bool { return r < ' ' || r == '\ufffd' }) &&
			!strings.Contains(message, `\x`) && len(message) < 260
		if plain && !strings.Contains(message, os.TempDir()) && !slices.Contains(messages[words[0]], message) {
			messages[words[0]] = append(messages[words[0]], message)
		}
	}
	const best = 70 // letters
	for _, list := range messages {
		slices.SortFunc(list, func(x, y string) int {
			if d := abs(len(x)-best) - abs(len(y)-best); d != 0 {
				return d
			}
			return strings.Compare(x, y)
		})
	}
	return messages
}

func abs(n int) int { return max(n, -n) }

// TestExplain tests what explain prints of a finding.
func TestExplain(t *testing.T) {
	page := helpFor(t, games, "explain", "tw-map-tile-unused")
	for _, want := range []string{"tw-map-tile-unused (warning, Teeworlds/DDNet map)", "What to do:",
		"Example:\n  groups[0].layers[1]: the tune layer"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if page != helpFor(t, games, "explain", "[TW-MAP-TILE-UNUSED]") {
		t.Error("an ID as it is printed, or in capitals, is not known")
	}
	var list []struct{ ID, Format, Severity, Meaning, Remedy, Example string }
	if err := json.Unmarshal([]byte(helpFor(t, games, "explain", "--json", "unreadable", "mt-block-trailing")),
		&list); err != nil || len(list) != 2 {
		t.Fatal(err, list)
	}
	if k := list[1]; k.ID != "mt-block-trailing" || k.Format != "minetest-world" || k.Severity != "warning" ||
		k.Meaning == "" || k.Remedy == "" || k.Example == "" {
		t.Errorf("%+v", k)
	}
	if offered := helpFor(t, games, "__complete", "explain", "tw-map-tile-un"); !strings.HasPrefix(offered, "tw-map-tile-un") {
		t.Error(offered)
	}
}
