package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"image"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

// asProgram prepares the test binary to run as the program; nil: nothing is needed.
var asProgram func()

// TestMain lets the test binary run as the program, so that it is tested as users run it.
func TestMain(m *testing.M) {
	if os.Getenv("TROWEL_TEST_MAIN") != "" {
		tests.AsProgram()
		if asProgram != nil {
			asProgram()
		}
		main()
	}
	os.Exit(m.Run())
}

// trowel returns a command that runs the program.
func trowel(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "TROWEL_TEST_MAIN=1")
	cmd.Stderr = t.Output()
	return cmd
}

// run runs the program until it ends.
func run(t testing.TB, args ...string) []byte {
	t.Helper()
	out, err := trowel(t, args...).Output()
	if err != nil {
		t.Fatalf("trowel %q: %v", args, err)
	}
	return out
}

// sample builds one of the samples.
func sample(t testing.TB, name, as string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), as)
	run(t, "pack", "-q", filepath.Join("../../samples", name), "-o", path)
	return path
}

// editMap makes an edited copy of a map, which may have the same name.
func editMap(t *testing.T, from, to string, edit func(*twmap.Map)) {
	t.Helper()
	data := judge.Read(t, from)
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	edit(m)
	if data, err = m.Encode(); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, to, data)
}

// viewing is a running program that serves a page.
type viewing struct {
	t    testing.TB
	args []string
	cmd  *exec.Cmd
	url  string // of the page
	api  string // of the program, which answers the test itself
	http *http.Client
}

// view starts the program with files.
func view(t testing.TB, args ...string) *viewing {
	t.Helper()
	v := &viewing{t: t, args: args, cmd: trowel(t, append([]string{"view", "--no-open"}, args...)...)}
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	v.url = strings.TrimSpace(line)
	v.api = strings.SplitN(v.url, "/?", 2)[0]
	jar, _ := cookiejar.New(nil)
	v.http = &http.Client{Jar: jar, Timeout: time.Minute}
	v.get("/?" + strings.SplitN(v.url, "?", 2)[1])
	return v
}

// get requests a path and returns the status and the body.
func (v *viewing) get(path string) (int, []byte) {
	v.t.Helper()
	r, err := v.http.Get(v.api + path)
	if err != nil {
		v.t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return r.StatusCode, data
}

// read requests a path and decodes the answer.
func (v *viewing) read(path string, into any) {
	v.t.Helper()
	_, data := v.get(path)
	if err := json.Unmarshal(data, into); err != nil {
		v.t.Fatalf("%s: %v: %s", path, err, data)
	}
}

// stop ends the program as Ctrl-C does. On Windows, stop kills it, because Ctrl-C reaches all programs of a
// console.
func (v *viewing) stop() {
	v.t.Helper()
	if runtime.GOOS == "windows" {
		_ = v.cmd.Process.Kill()
		_ = v.cmd.Wait()
		return
	}
	if err := v.cmd.Process.Signal(os.Interrupt); err != nil {
		v.t.Fatal(err)
	}
	if err := v.cmd.Wait(); err != nil {
		v.t.Errorf("the program was ended by Ctrl-C: %v", err)
	}
}

// open opens the page in a browser, at a hash of its address.
func (v *viewing) open(width, height int, hash ...string) *chromium.Page {
	v.t.Helper()
	p := chromium.Start(v.t, width, height)
	if ownPage != "" {
		v.url = published(v.t, v.args...)
		behindWorker(p)
	}
	p.Do(chromedp.Navigate(v.url + strings.Join(hash, "")))
	p.Wait("document.body.dataset.ready")
	return p
}

// goldMine returns a map of the corpus that contains many kinds of objects.
func goldMine(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(tests.Corpus(t, "teeworlds"), "ddnet_ddnet/data/maps7/Gold Mine*.map"))
	if len(found) == 0 {
		tests.Missing(t, "corpus", "no Gold Mine in the corpus")
	}
	return found[0]
}

func decode(t *testing.T, data []byte) *image.RGBA {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	rgba := image.NewRGBA(m.Bounds())
	draw.Draw(rgba, rgba.Rect, m, m.Bounds().Min, draw.Src)
	return rgba
}
