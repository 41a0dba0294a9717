package verbs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// maxNotRun is the largest number of commands on all pages that are marked as not run, and that no other test runs.
const maxNotRun = 28

// docLine is a line of the code blocks of a page, or a command in a comment.
type docLine struct {
	number  int
	command string   // "": the block is marked as not run
	output  []string // lines that the page shows below the command
	shown   bool     // the page shows output
	marked  string   // reason why the command is not run
}

var docComment = regexp.MustCompile(`^<!-- (run|not run): (.*) -->$`)

// docCommands returns the commands of a page in order. A command is an indented line that begins with "$ " or with
// trowel; after "$ " the lines below it are its output, in which "..." means anything. In comments, "run: COMMAND"
// is a command, and "not run: REASON" marks the next block.
func docCommands(page string) (commands []docLine) {
	page, _, _ = strings.Cut(page, "\nThis page is generated from the declarations") // TestCommands tests these examples
	reason, inBlock, fenced := "", false, false
	for i, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if m := docComment.FindStringSubmatch(line); m != nil {
			if m[1] == "run" {
				commands = append(commands, docLine{number: i + 1, command: m[2]})
			} else {
				reason = m[2]
			}
			continue
		}
		text, code := strings.CutPrefix(line, "    ")
		if code = code && !fenced; !code {
			if inBlock && strings.TrimSpace(line) != "" {
				inBlock, reason = false, ""
			}
			continue
		}
		command, shown := strings.CutPrefix(text, "$ ")
		switch {
		case shown || slices.Contains([]string{"trowel", "cp", "mv"}, strings.Fields(text + " -")[0]):
			command, _, _ = strings.Cut(command, "   ") // an explanation may follow
			commands = append(commands, docLine{number: i + 1, command: command, shown: shown, marked: reason})
			inBlock = true
		case inBlock && commands[len(commands)-1].shown:
			last := &commands[len(commands)-1]
			last.output = append(last.output, text)
		}
	}
	return commands
}

// printsLines reports whether an output has the shown lines.
func printsLines(output string, shown []string) bool {
	var b strings.Builder
	b.WriteString("^")
	for _, line := range shown {
		if line == "..." {
			b.WriteString("(?s:.*\n)?")
			continue
		}
		start, open := strings.CutSuffix(line, "...")
		b.WriteString(regexp.QuoteMeta(start))
		if open {
			b.WriteString(".*")
		}
		b.WriteString("\n")
	}
	return regexp.MustCompile(b.String() + "$").MatchString(output)
}

// TestDocs runs the commands of README and of all pages in order, in a folder with the samples, and compares what they
// print.
func TestDocs(t *testing.T) {
	tests.LongOnly(t, "it starts a process for each command")
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	tests.Link(t, self, filepath.Join(bin, "trowel"))
	pages := []string{filepath.Join(root, "README.md"), filepath.Join(root, "samples", "README.md")}
	for _, pattern := range []string{"docs/*.md", "docs/formats/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	run, notRun := 0, 0
	for _, path := range pages {
		page := judge.Read(t, path)
		commands := docCommands(string(page))
		name, _ := filepath.Rel(root, path)
		if len(commands) == 0 {
			continue
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "samples"), os.DirFS(filepath.Join(root, "samples"))); err != nil {
				t.Fatal(err)
			}
			for _, c := range commands {
				if c.marked != "" {
					if !strings.Contains(c.marked, "and Test") { // another test runs it
						notRun++
					}
					continue
				}
				run++
				cmd := exec.Command(shell, "-c", c.command)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "COLUMNS=")
				var out, talk bytes.Buffer
				cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(""), &out, &talk
				err := cmd.Run()
				out.Write(talk.Bytes())
				if code := cmd.ProcessState.ExitCode(); code != exitFine && code != exitFound {
					t.Errorf("%s:%d: %s: %v\n%s", name, c.number, c.command, err, &out)
				} else if c.shown && len(c.output) > 0 && !printsLines(out.String(), c.output) {
					t.Errorf("%s:%d: %s: the page shows\n%s\nand it prints\n%s", name, c.number, c.command, strings.Join(c.output, "\n"), &out)
				}
			}
		})
	}
	if run < 60 || notRun > maxNotRun {
		t.Errorf("%d commands were run and %d not, of which at most %d are right", run, notRun, maxNotRun)
	}
}

// TestDocCommands tests which lines of a page are commands, with their outputs and marks.
func TestDocCommands(t *testing.T) {
	page := "Text\n\n    $ trowel a\n    one\n    ...\n    $ trowel b\n\n<!-- run: x -->\n<!-- not run: big -->\n\n    " +
		"trowel c      about c\n    trowel d\n\nText\n\n    trowel e\n    other\n"
	got := docCommands(page)
	var list []string
	for _, c := range got {
		list = append(list, c.command+"|"+strings.Join(c.output, ",")+"|"+c.marked)
	}
	if s := strings.Join(list, " "); s != "trowel a|one,...| trowel b|| x|| trowel c||big trowel d||big trowel e||" {
		t.Error(s)
	}
	for shown, want := range map[string]bool{"a\nb": true, "a": false, "a\n...": true, "...\nb": true, "...": true,
		"a...\nb": true, "b": false, "...\nc": false} {
		if printsLines("a\nb\n", strings.Split(shown, "\n")) != want {
			t.Errorf("%q", shown)
		}
	}
}

// TestDocsLinks tests that every link to a file has a target.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)[^)\s]*\)`)
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "samples/*.md", "contrib/*/*.md", "contrib/*/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("../../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	links := 0
	for _, page := range pages {
		text := judge.Read(t, page)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], ":") {
				continue // on another host
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: the link %s has no target", page, m[1])
			}
		}
	}
	if links < 50 {
		t.Errorf("%d links in %d pages", links, len(pages))
	}
}
