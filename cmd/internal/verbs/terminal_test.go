package verbs

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"trowel.example/cmd/internal/terminal"
)

// terminalPictures are the pictures of a terminal in the docs: the verb and the command lines that they show. A line that
// begins with a space prepares files and is not shown.
var terminalPictures = []struct {
	verb  string
	lines []string
}{
	{"check", []string{" pack burrow.map", " cut early.map", "check samples/ember early.map"}},
	{"diff", []string{
		" pack burrow.map", " edit burrow.map -o new.map -- set-setting tune_zone\u00a01\u00a0gravity\u00a00.2 then fill-tiles freeze" +
			" --layer Front --area 5,5:6,6 then set-layer Tree/Trunk --name Oak",
		" pack ember.MOD", " edit ember.MOD -o new.MOD -- set MEDIA/UNITS/** LEVEL *2",
		"diff burrow.map new.map", "diff ember.MOD new.MOD"}},
	{"info", []string{" pack ember.MOD", " pack hollow", "info ember.MOD", "info hollow"}},
	{"find", []string{" pack burrow.map", " pack hollow", "find burrow.map -- tele 1", "find hollow -- node default:chest",
		"find hollow -- item 'default:*' --by item", "find samples/glade -- node '*_ore' --by node"}},
}

// TestTerminalPictures tests that the pictures of a terminal in the docs show what the verbs print. With -update it draws them.
func TestTerminalPictures(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range terminalPictures {
		t.Run(p.verb, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "samples"), os.DirFS(filepath.Join(root, "samples"))); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			var shown strings.Builder
			for _, line := range p.lines {
				out := terminalOutput(t, strings.TrimPrefix(line, " "))
				if !strings.HasPrefix(line, " ") {
					fmt.Fprintf(&shown, "\x1b[2m$\x1b[0m \x1b[1mtrowel %s\x1b[0m\n%s\n", line, out)
				}
			}
			svg := terminalSVG(t, "trowel "+p.verb, strings.TrimSpace(shown.String()))
			if len(svg) > 20_000 || strings.Contains(svg, dir) {
				t.Errorf("%d bytes, expected at most 20,000 without the name of the folder", len(svg))
			}
			name := filepath.Join(root, "docs", "pictures", "terminal-"+p.verb+".svg")
			if *update {
				if err := os.WriteFile(name, []byte(svg), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(name); err != nil || string(got) != svg {
				t.Errorf("%s is out of date, %v: run this test with -update. The verbs print\n%s", name, err, &shown)
			}
		})
	}
}

// terminalOutput returns what a command line prints on a terminal of 80 columns. The line "pack NAME" packs the sample of
// this name, and "cut NAME" copies burrow.map without its end.
func terminalOutput(t *testing.T, line string) string {
	t.Helper()
	args := strings.Split(line, " ")
	for i, a := range args {
		args[i] = strings.ReplaceAll(strings.Trim(a, "'"), "\u00a0", " ")
	}
	switch args[0] {
	case "cut":
		data, err := os.ReadFile("burrow.map")
		if err == nil {
			err = os.WriteFile(args[1], data[:len(data)-100], 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return ""
	case "pack":
		stem, ext, _ := strings.Cut(args[1], ".")
		if args = []string{"pack", "samples/" + stem, "-o", args[1]}; ext == "MOD" {
			args = append(args, "--tables")
		}
	}
	var out bytes.Buffer
	a := newTool(games, nil, &out, &out)
	a.screen.Terminal, a.screen.Width = true, 80
	if args[0] != "find" && args[0] != "pack" && args[0] != "edit" {
		args = append([]string{args[0], "--color=always"}, args[1:]...)
	}
	if code := a.run(t.Context(), args, &out); code > exitFound {
		t.Fatalf("trowel %s: exit code %d\n%s", line, code, &out)
	}
	return out.String()
}

var escapeSequence = regexp.MustCompile(`\x1b\[([0-9;]*)m`)

// terminalSVG draws a text with the escape sequences of colors as a terminal of 80 columns with a title.
func terminalSVG(t *testing.T, title, text string) string {
	t.Helper()
	fills := map[string]string{
		terminal.ColorHead: ` fill="#fff" font-weight="bold"`, "2": ` fill="#98a2b3"`, terminal.ColorRemoved: ` fill="#ff8585"`,
		terminal.ColorAdded: ` fill="#7ee08a"`, terminal.ColorWarning: ` fill="#f0c060"`, terminal.ColorPlace: ` fill="#6cd3e6"`,
		terminal.ColorError: ` fill="#ff8585" font-weight="bold"`, "0": "",
	}
	const columns, char, row, margin, top = 80, 8.4, 19, 18, 36 // sizes in pixels
	var b strings.Builder
	y, color := top+margin+5, "0"
	for line := range strings.SplitSeq(text, "\n") {
		column, start, run, runs := 0, -1, "", ""
		endRun := func() {
			text := strings.ReplaceAll(html.EscapeString(run), " ", "\u00a0") // browsers would join spaces
			if run != "" && fills[color] != "" {
				text = "<tspan" + fills[color] + ">" + text + "</tspan>"
			}
			runs, run = runs+text, ""
		}
		endRow := func() {
			if endRun(); runs != "" {
				fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\">%s</text>\n",
					margin+float64(start)*char, y, float64(column-start)*char, runs)
			}
			y, column, start, runs = y+row, 0, -1, ""
		}
		for line = strings.TrimRight(line, " "); line != ""; {
			if m := escapeSequence.FindStringSubmatch(line); m != nil && strings.HasPrefix(line, m[0]) {
				endRun()
				if color = cmp.Or(m[1], "0"); color != "0" && fills[color] == "" {
					t.Fatalf("no fill for color %s", color)
				}
				line = line[len(m[0]):]
				continue
			}
			cell := line[:1]
			if line = line[1:]; cell == "\t" {
				cell = strings.Repeat(" ", 8-column%8)
			} else if cell[0] < ' ' || cell[0] > unicode.MaxASCII-1 {
				t.Fatalf("%q in %q: only ASCII is drawn", cell, title)
			}
			if column+len(cell) > columns {
				endRow()
			}
			if start < 0 && cell[0] == ' ' {
				column += len(cell)
				continue // the row begins with its first letter
			}
			if start < 0 {
				start = column
			}
			run += cell
			column += len(cell)
		}
		endRow()
	}
	width, height := int(columns*char)+2*margin, y-row+margin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img"
 font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d5dae3">
<title>A terminal with the output of %s</title>
<rect width="%[1]d" height="%[2]d" rx="8" fill="#171b22"/>
<path d="M0 %[4]d V8 a8 8 0 0 1 8 -8 H%[5]d a8 8 0 0 1 8 8 V%[4]d z" fill="#2b323d"/>
<text x="%[6]d" y="23" text-anchor="middle" fill="#c3cad6">%[3]s</text>
%[7]s</svg>
`, width, height, html.EscapeString(title), top, width-8, width/2, &b)
}
