package verbs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
)

// runsIn runs a command line and returns the exit code and the output of both streams.
func runsIn(t *testing.T, dir, line string) (int, string) {
	t.Helper()
	var out, talk bytes.Buffer // two: parts print messages while the output is flushed
	code := Main(games, strings.Fields(strings.ReplaceAll(line, "DIR", filepath.ToSlash(dir))), strings.NewReader(""), &out, &talk)
	return code, out.String() + talk.String()
}

// TestCutMod tests that with -k, the readable part of a truncated mod or archive is edited and converted, with
// exit code 1.
func TestCutMod(t *testing.T) {
	dir := t.TempDir()
	expect := func(code int, line string) string {
		t.Helper()
		got, said := runsIn(t, dir, line)
		if got != code {
			t.Errorf("%s: exit code %d, expected %d: %s", line, got, code, said)
		}
		return said
	}
	expect(0, "pack ../../../samples/ember -o DIR/e.MOD")
	expect(0, "convert DIR/e.MOD --to torchlight-pak -o DIR/e.PAK")
	whole := judge.Read(t, dir+"/e.MOD")
	man := judge.Read(t, dir+"/e.PAK.MAN")
	archive := judge.Read(t, dir+"/e.PAK")
	for name, cut := range map[string][]byte{"list": whole[:len(whole)-len(man)/2], "archive": whole[:len(whole)-len(man)-len(archive)/2]} {
		judge.Write(t, dir+"/cut.MOD", cut)
		expect(2, "edit DIR/cut.MOD -f -o DIR/a.MOD -- delete MEDIA/NONE* --allow-nothing")
		for _, made := range []string{"a.MOD", "b.PAK"} {
			line := "convert DIR/cut.MOD --to torchlight-pak"
			if made == "a.MOD" {
				line = "edit DIR/cut.MOD"
			}
			line += " -k -f -o DIR/" + made
			if made == "a.MOD" {
				line += " -- info --author Somebody"
			}
			expect(1, line)
			if _, said := runsIn(t, dir, "check DIR/"+made); !strings.Contains(said, " 0 errors") {
				t.Errorf("%s, %s: %s", name, made, said)
			}
			if n := strings.Count(expect(0, "ls DIR/"+made), "\n"); n < 3 {
				t.Errorf("%s, %s: %d files", name, made, n)
			}
		}
	}
	for file, data := range map[string][]byte{"/e.PAK.MAN": man[:len(man)/2], "/e.PAK": archive} {
		judge.Write(t, dir+file, data)
	}
	expect(2, "convert DIR/e.PAK --to torchlight-mod --header DIR/e.MOD -o DIR/c.MOD")
	expect(1, "convert DIR/e.PAK --to torchlight-mod --header DIR/e.MOD -k -o DIR/c.MOD")
	expect(0, "ls DIR/c.MOD")
}

// TestPackNumbers tests that a text without an integer where one is required is an error with its line, and
// that -k leaves the file out.
func TestPackNumbers(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"MOD.DAT":              "[MOD]\n<STRING>NAME:Numbers\n<STRING>AUTHOR:A\n[/MOD]",
		"MEDIA/UNITS/GOOD.DAT": "[UNIT]\n<INTEGER64>GUID:5140000000000000001\n[/UNIT]",
		"MEDIA/UNITS/BAD.DAT":  "[UNIT]\n<INTEGER64>GUID:5.14E+18\n[/UNIT]",
	} {
		at := filepath.Join(dir, "mod", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, at, []byte(content))
	}
	code, said := runsIn(t, dir, "pack DIR/mod -o DIR/n.MOD")
	if want := `UNITS/BAD.DAT:2: expected a value of type INTEGER64, found "5.14E+18"`; code != 2 || !strings.Contains(said, want) {
		t.Errorf("%d, %s, expected %s", code, said, want)
	}
	if code, said := runsIn(t, dir, "pack DIR/mod -k -o DIR/n.MOD"); code != 1 {
		t.Errorf("with -k: %d, %s", code, said)
	}
	if _, said := runsIn(t, dir, "ls DIR/n.MOD"); strings.Contains(said, "BAD.DAT") || !strings.Contains(said, "GOOD.DAT") {
		t.Errorf("with -k the mod has %s", said)
	}
}
