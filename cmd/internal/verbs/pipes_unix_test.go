//go:build unix

package verbs

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestPipes tests that every verb ends if a pipe replaces any of its files: the pipe is never opened. If a verb
// waits for a writer, this test does not end.
func TestPipes(t *testing.T) {
	tests.LongOnly(t, "runs many verbs")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	do := func(want int, args ...string) string {
		t.Helper()
		var out, talk bytes.Buffer
		code := run(games, args, strings.NewReader(""), &out, &talk)
		if want >= 0 && code != want || strings.Contains(talk.String(), "panic") || strings.Contains(talk.String(), "goroutine") {
			t.Fatalf("%q: exit code %d\n%s%s", args, code, out.Bytes(), talk.Bytes())
		}
		return out.String() + talk.String()
	}
	sample := func(name string) string { return filepath.Join("..", "..", "..", "samples", name) }
	do(0, "pack", sample("hollow"), "-o", in("world"))
	do(0, "convert", in("world"), "--to", "leveldb", "--players", "files", "--auth", "files", "--storage", "files", "-o", in("level"))
	do(0, "pack", sample("ember"), "-o", in("ember.mod"))
	do(0, "convert", in("ember.mod"), "--to", "torchlight-pak", "-o", in("ember.pak"))
	for _, name := range []string{"world", "level", "tree of hollow", "tree of burrow", "tree of ember"} {
		whole := in(name)
		if tree, ok := strings.CutPrefix(name, "tree of "); ok {
			whole = sample(tree)
		}
		verbs := [][]string{{"check"}, {"info"}, {"ls", "-R"}, {"search", "stone"}, {"extract", "-o", "OUT"},
			{"repair", "--dry-run"}, {"repair", "-o", "OUT"}, {"convert", "--to", "sqlite", "-o", "OUT"}}
		if strings.HasPrefix(name, "tree") {
			verbs = [][]string{{"check"}, {"pack", "-o", "OUT"}}
		}
		err := fs.WalkDir(os.DirFS(whole), ".", func(file string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			broken := in("broken")
			if err := os.CopyFS(broken, os.DirFS(whole)); err != nil {
				return err
			}
			defer os.RemoveAll(broken)
			pipe := filepath.Join(broken, filepath.FromSlash(file))
			if err := os.Remove(pipe); err != nil {
				return err
			}
			if err := syscall.Mkfifo(pipe, 0o644); err != nil {
				return err
			}
			for _, verb := range verbs {
				args := append([]string{verb[0], broken}, verb[1:]...)
				if verb[0] == "search" {
					args = []string{"search", verb[1], broken}
				}
				out := in("out")
				if i := len(args) - 1; args[i] == "OUT" {
					args[i] = out
				}
				do(-1, args...)
				if err := os.RemoveAll(out); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	// Next to a file, and instead of the file itself.
	if err := os.Remove(in("ember.pak.MAN")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ember.pak.MAN", "x.map", "y.mod"} {
		if err := syscall.Mkfifo(in(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ember.pak", "ember.pak.MAN", "x.map", "y.mod"} {
		for _, verb := range []string{"info", "check", "ls", "dump", "extract"} {
			if text := do(-1, verb, in(name)); !strings.Contains(text, "a pipe, neither a file nor a folder") {
				t.Errorf("%s %s: %s", verb, name, text)
			}
		}
		code := 2
		if name == "ember.pak" { // recognized as not being a world by its name, without opening it
			code = 1
		}
		do(code, "diff", in(name), in("world"))
	}
	do(-1, "check", dir)
	do(-1, "search", "x", dir)
}

// TestPipeOut tests that writing to a pipe without a reader is refused, and that a signal ends the run if the
// reader stops reading.
func TestPipeOut(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	args := []string{"pack", filepath.Join("..", "..", "..", "samples", "burrow"), "-f", "-o"}
	do := func(ctx context.Context, to string) (int, string) {
		var out, talk bytes.Buffer
		code := newTool(games, strings.NewReader(""), &out, &talk).run(ctx, append(args, to), &talk)
		return code, talk.String()
	}
	ctx, cancel := context.WithCancel(t.Context())
	if code, said := do(ctx, pipe); code != 2 || !strings.Contains(said, pipe+": a pipe that no program reads") {
		t.Errorf("without a reader: exit code %d: %s", code, said)
	}
	sample := args[1]
	for _, args := range [][]string{{"extract", sample, "-f"}, {"merge", sample, sample, sample, "-f"}} {
		var out, talk bytes.Buffer
		if code := newTool(games, strings.NewReader(""), &out, &talk).run(t.Context(), append(args, "-o", pipe), &talk); code != 2 {
			t.Errorf("%s: exit code %d: %s", args[0], code, &talk)
		}
	}
	r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, to := range []string{pipe, fmt.Sprintf("/dev/fd/%d", r.Fd())} { // the other end of that pipe
		if code, said := do(ctx, to); code != 0 {
			t.Errorf("with a reader: exit code %d: %s", code, said)
		}
		data := make([]byte, 1<<16)
		if n, err := r.Read(data); n < 1000 || !strings.HasPrefix(string(data), "DATA") {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	if err := exec.Command("sh", "-c", "yes | head -c 60000 >"+pipe).Run(); err != nil { // a pipe holds 65,536 bytes
		t.Skip(err)
	}
	time.AfterFunc(200*time.Millisecond, cancel)
	if code, said := do(ctx, pipe); code != 2 || !strings.Contains(said, "interrupted") {
		t.Errorf("its reader stopped: exit code %d: %s", code, said)
	}
}

// TestSparse tests that files far too large for their format are rejected without using much memory or time.
func TestSparse(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x.map", "x.mod", "x.pak.MAN", "x.DAT.BINDAT", "x.RAW", "x.block"} {
		path := filepath.Join(dir, name)
		judge.Write(t, path, nil)
		if err := os.Truncate(path, 100<<30); err != nil {
			t.Skip("no sparse files here:", err)
		}
		for _, verb := range []string{"info", "check", "ls", "dump", "extract"} {
			var out, talk bytes.Buffer
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if code := run(games, []string{verb, path}, strings.NewReader(""), &out, &talk); code == 0 && verb != "check" {
				t.Errorf("%s %s: fine\n%s%s", verb, name, out.Bytes(), talk.Bytes())
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
				t.Errorf("%s %s: took %d bytes of memory", verb, name, took)
			}
		}
	}
}

// TestPipeOptions tests that a pipe without a writer is rejected in every option and argument that names an
// input file.
func TestPipeOptions(t *testing.T) {
	samples, err := filepath.Abs(filepath.Join("..", "..", "..", "samples"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o644); err != nil {
		t.Skip(err)
	}
	do := func(args ...string) (int, string) {
		var out, talk bytes.Buffer
		code := run(games, args, strings.NewReader(""), &out, &talk)
		return code, talk.String()
	}
	refused := func(args ...string) {
		t.Helper()
		if code, said := do(args...); code != exitFailed || !strings.Contains(said, "pipe: a pipe, neither a file nor a folder") {
			t.Errorf("%q: exit code %d: %s", args, code, said)
		}
	}
	if err := os.Symlink(filepath.Join(samples, "ember"), "ember"); err != nil {
		t.Fatal(err)
	}
	if code, said := do("pack", filepath.Join(samples, "hollow"), "-o", "world"); code != 0 {
		t.Fatal(said)
	}
	for _, verb := range rootCommand(newTool(games, nil, nil, nil)).Commands() {
		verb.Flags().VisitAll(func(flag *pflag.Flag) {
			_, isInput := flag.Annotations[inputNote]
			if v, ok := flag.Value.(*optionValue); isInput || ok && v.option.Input {
				args := []string{verb.Name(), "world", "--" + flag.Name, "pipe"}
				if slices.Contains([]string{"apply", "diff", "review", "search"}, verb.Name()) {
					args = append(args, "world")
				}
				if verb.Name() == "lsp" {
					args = slices.Delete(args, 1, 2)
				}
				refused(args...)
			}
		})
	}
	for verb, of := range verbCommands {
		for _, f := range games.Formats() {
			file, has := map[string]string{"teeworlds-map": filepath.Join(samples, "burrow"),
				"torchlight-mod": filepath.Join(samples, "ember"), "minetest-world": "world"}[f.Name]
			if !has {
				continue
			}
			for _, c := range of(f) {
				words := []string{verb, file, "--", c.Name}
				input := false
				for _, o := range c.Args {
					value := "1"
					switch {
					case o.Input:
						value, input = "pipe", true
					case o.Choices != nil:
						value = o.Choices[0]
					case o.Type == format.Place:
						value = "1,2,3"
					case o.Type == format.Color:
						value = "#ffffff"
					}
					words = append(words, value)
				}
				if input {
					refused(words...)
					continue
				}
				for _, o := range c.Options {
					if o.Input {
						refused(slices.Concat(words, []string{"--" + o.Name, "pipe"})...)
					}
				}
			}
		}
	}
	for _, args := range [][]string{
		{"minetestmapper", "-i", "world", "-o", "x.png", "--colors", "pipe"},
		{"render", "world", "-o", "x.png", "--colors", "/dev/zero"}, {"render", "world", "-o", "x.png", "--colors", samples},
	} {
		if code, said := do(args...); code == 0 || !strings.Contains(said, "neither a file nor a folder") &&
			!strings.Contains(said, "a folder, not a file") {
			t.Errorf("%q: exit code %d: %s", args, code, said)
		}
	}
}

// TestPipeIn tests that every verb that reads a FILE can read a pipe opened by a shell, as with <(...).
func TestPipeIn(t *testing.T) {
	sample, err := filepath.Abs(filepath.Join("..", "..", "..", "samples", "burrow"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var out, talk bytes.Buffer
	do := func(want int, args ...string) string {
		t.Helper()
		out.Reset()
		talk.Reset()
		if code := run(games, args, strings.NewReader(""), &out, &talk); code != want {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out.Bytes(), talk.Bytes())
		}
		return out.String() + talk.String()
	}
	do(0, "pack", sample, "-o", "a.map")
	do(0, "edit", "a.map", "-o", "b.map", "--", "info", "--author", "Zed")
	pipe := func(file string) string {
		data := judge.Read(t, file)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		go func() {
			_, _ = w.Write(data)
			w.Close()
		}()
		return fmt.Sprintf("/dev/fd/%d", r.Fd())
	}
	if _, err := os.Stat(pipe("a.map")); err != nil {
		t.Skip("no /dev/fd here:", err)
	}
	do(0, "diff", pipe("a.map"), pipe("a.map"))
	if text := do(1, "diff", pipe("a.map"), pipe("b.map")); !strings.Contains(text, "author Trowel -> Zed") {
		t.Error(text)
	}
	do(0, "merge", pipe("a.map"), pipe("a.map"), pipe("b.map"), "-o", "m.map")
	do(0, "diff", "m.map", "b.map")
	if name := pipe("a.map"); !strings.Contains(do(0, "info", name), "file:                  "+name) {
		t.Error(out.String())
	}
	for _, verb := range []string{"check", "ls", "dump"} {
		do(0, verb, pipe("a.map"))
	}
	do(0, "find", pipe("a.map"), "--", "tile", "1")
	do(0, "edit", pipe("a.map"), "-o", "c.map", "--", "info", "--author", "Zed")
	if text := do(2, "edit", pipe("a.map"), "--in-place", "--", "info", "--author", "Zed"); !strings.Contains(text,
		"a pipe, which cannot be changed in place") {
		t.Error(text)
	}
	for name, text := range map[string]string{"colors.txt": "\ufeffdefault:dirt 1 2 3\n",
		"script.txt": "info --author Zed\n", "names.txt": "SHOVEL\n"} {
		judge.Write(t, name, []byte(text))
	}
	do(0, "edit", "a.map", "-o", "d.map", "--script", pipe("script.txt"))
	do(0, "diff", "b.map", "d.map")
	do(0, "hash", "--find", "--names", pipe("names.txt"), "0x22a6d0ed")
	do(0, "pack", filepath.Join(filepath.Dir(sample), "hollow"), "-o", "world")
	do(0, "render", "world", "-o", "file.png", "--colors", "colors.txt")
	do(0, "render", "world", "-o", "pipe.png", "--colors", pipe("colors.txt"))
	a, err := os.ReadFile("file.png")
	if b, errB := os.ReadFile("pipe.png"); err != nil || errB != nil || !bytes.Equal(a, b) {
		t.Error("other colours from a pipe", err, errB)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), ".trowel-*", "new", "pipe")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
