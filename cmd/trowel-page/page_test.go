//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"trowel.example"
	_ "trowel.example/all"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/site"
	"trowel.example/cmd/internal/viewer"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
)

// servedPage opens the page in a browser.
func servedPage(t testing.TB, dir string) *chromium.Page {
	t.Helper()
	p := chromium.Start(t, 1280, 800)
	visitPage(t, p, dir)
	return p
}

// visitPage opens the page, which a web server has below some path.
func visitPage(t testing.TB, p *chromium.Page, dir string) {
	t.Helper()
	server := httptest.NewServer(http.StripPrefix("/any/where/", http.FileServer(http.Dir(dir))))
	t.Cleanup(server.Close)
	p.Do(chromedp.Navigate(server.URL + "/any/where/"))
	p.Wait("document.body.dataset.ready")
}

// all are the files of the page, which are made once.
var all = sync.OnceValues(func() (map[string][]byte, error) { return files(games{}) })

// made writes the page to a folder.
func made(t testing.TB) string {
	t.Helper()
	return madeWith(t, games{})
}

// native returns the server of the same files in this process.
func native(t testing.TB, names ...string) *viewer.Server {
	t.Helper()
	s := service.New(format.Registered(), strings.NewReader(""), nil, new(wording.Aliases)).Quiet(func(wording.Note) {})
	server, err := viewer.Open(context.Background(), s, names)
	if err != nil {
		t.Fatal(err)
	}
	server.Alone()
	t.Cleanup(server.Close)
	return server
}

// TestPageWords tests that no text of the page names an option of a command line or a command, except in the language of queries.
func TestPageWords(t *testing.T) {
	words := regexp.MustCompile("(?:^|[^\\w-])--[a-z]|`trowel")
	for _, c := range [][2]string{{"burrow", "burrow.map"}, {"ember", "ember.MOD"}, {"glade", "glade"}} {
		name := filepath.Join(t.TempDir(), c[1])
		packed(t, "../../samples/"+c[0], name)
		server := native(t, name)
		about := []string{"/f/0/open", "/f/0/scene", "/f/0/check?run=1", "/f/0/missing", "/f/0/scene?o.at=nowhere", "/f/0/entry?path=none"}
		if server.Edit(t.Context(), viewer.Edits{}) == nil {
			about = append(about, "/f/1/edit/operations", "/f/1/edit")
		}
		for _, at := range about {
			w := httptest.NewRecorder()
			server.Answer(w, httptest.NewRequest(http.MethodGet, at, nil))
			var answer any
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatalf("%s: %v: %s", at, err, w.Body)
			}
			var walk func(v any)
			walk = func(v any) {
				switch v := v.(type) {
				case string:
					if words.MatchString(v) {
						t.Errorf("%s: %s: %s", c[1], at, v)
					}
				case []any:
					for _, one := range v {
						walk(one)
					}
				case map[string]any:
					for key, one := range v {
						if key != "queries" && key != "texts" { // what is written into the field of the search, and words of a change
							walk(one)
						}
					}
				}
			}
			walk(answer)
		}
	}
}

// TestPage tests that the page answers as the program does, byte for byte, asks no other host for anything and does nothing that its
// policy forbids.
func TestPage(t *testing.T) {
	tests.Judges(t)
	dir := made(t)
	always := []string{"/session", "/f/0/open", "/f/0/entry", "/f/0/scene", "/f/0/tree", "/f/0/check", "/f/0/folder",
		"/f/0/findings", "/f/0/thumb/1?side=256"}
	for _, c := range []struct {
		sample, as string
		asks       []string
	}{
		{"burrow", "burrow.map", []string{"/f/0/tree?path=groups", "/f/0/tile/1/0/0/0?view=map&side=256",
			"/f/0/still/1?view=map&x=0&y=0&z=4&w=300&h=200", "/f/0/inspect?view=map&x=12&y=7", "/f/0/bytes?offset=0&length=400"}},
		{"ember", "ember.MOD", []string{"/f/0/find?q=item"}},
		{"hollow", "hollow", []string{"/f/0/tile/1/0/-1/-1?view=top&side=256", "/f/0/find?q=node+default:stone"}},
	} {
		t.Run(c.as, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), c.as)
			packed(t, filepath.Join("../../samples", c.sample), name)
			server := native(t, name)
			p := servedPage(t, dir)
			input := "#files"
			if info, err := os.Stat(name); err == nil && info.IsDir() {
				input = "#folder"
			}
			p.Do(chromedp.SetUploadFiles(input, []string{name}, chromedp.ByQuery))
			p.Wait("document.getElementById('message').textContent || frames[0]?.document.body?.dataset.ready")
			if text := chromium.Eval[string](p, "document.getElementById('message').textContent"); text != "" {
				t.Fatal(text)
			}
			for _, at := range append(always, c.asks...) {
				want := httptest.NewRecorder()
				server.Answer(want, httptest.NewRequest(http.MethodGet, at, nil))
				got := chromium.Eval[[]string](p, `trowel.get("`+at+`").then(async (a) => [
					String(a.status), a.headers.get("Content-Type") ?? "",
					btoa(Array.from(new Uint8Array(await a.arrayBuffer()), (b) => String.fromCharCode(b)).join(""))])`)
				body, err := base64.StdEncoding.DecodeString(got[2])
				if err != nil {
					t.Fatal(err)
				}
				if want.Code >= 400 {
					t.Errorf("%s: %s", at, want.Body)
				}
				// Entries of a folder of the disk have no order.
				same := string(body) == want.Body.String() || at == "/f/0/tree" && slices.Equal(pieces(string(body)), pieces(want.Body.String()))
				if got[0] != strconv.Itoa(want.Code) || got[1] != want.Header().Get("Content-Type") || !same {
					t.Errorf("%s: the page answers %s %s\n%.600s\nthe program %d %s\n%.600s", at, got[0], got[1], body, want.Code,
						want.Header().Get("Content-Type"), want.Body)
				}
			}
			p.Picture("open")
			for _, m := range p.Messages() {
				t.Errorf("on the console: %s", m)
			}
			host := chromium.Eval[string](p, "location.origin")
			for _, r := range p.Requests() {
				if !strings.HasPrefix(r, host+"/any/where/") && !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:"+host) {
					t.Errorf("it asks for %s", r)
				}
			}
		})
	}
}

// TestSite tests a page with files next to it: a link leads to a place in a file of the gallery.
func TestSite(t *testing.T) {
	tests.Judges(t)
	dir := made(t)
	if err := os.MkdirAll(filepath.Join(dir, site.Files, "maps"), 0o777); err != nil {
		t.Fatal(err)
	}
	packed(t, "../../samples/burrow", filepath.Join(dir, site.Files, "maps", "burrow.map"))
	packed(t, "../../samples/ember", filepath.Join(dir, site.Files, "maps", "ember.MOD"))
	from, err := site.OpenPage(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := from.Write(dir, []string{"maps"}); err != nil {
		t.Fatal(err)
	}
	p := servedPage(t, dir)
	ready := func() {
		t.Helper()
		p.Wait("document.getElementById('message').textContent || frames[0]?.document.body?.dataset.ready")
		if text := chromium.Eval[string](p, "document.getElementById('message').textContent"); text != "" {
			t.Fatal(text)
		}
	}
	ready()
	p.Wait("frames[0].document.querySelectorAll('.card').length === 2 && frames[0].document.querySelectorAll('.card img').length === 2")
	p.Picture("gallery")
	// The user opens the map and copies the link.
	chromium.Eval[any](p, `(frames[0].navigator.clipboard.writeText = async (text) => { window.copied = text; },
		[...frames[0].document.querySelectorAll('.card')].find((c) => c.title.endsWith('burrow.map')).click(), null)`)
	p.Wait("frames[0].document.getElementById('kind').textContent === 'Teeworlds/DDNet map'")
	p.Wait("location.hash.includes('file=')")
	chromium.Eval[any](p, "(frames[0].document.getElementById('link').click(), null)")
	p.Wait("window.copied")
	link := chromium.Eval[string](p, "window.copied")
	if link != chromium.Eval[string](p, "location.href") || !strings.Contains(link, "/any/where/#file=") {
		t.Errorf("the link is %s", link)
	}
	p.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	p.Wait("document.body.dataset.ready")
	ready()
	p.Wait("frames[0].document.getElementById('kind').textContent === 'Teeworlds/DDNet map'")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
}

// TestDoor tests the page before a file is open: it is small and shows itself before the program is loaded, and a sample, a link to it and
// a file of the same server open. A file of another server is refused.
func TestDoor(t *testing.T) {
	tests.Judges(t)
	dir := made(t)
	answers := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, site.Program) {
			<-answers
		}
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p := chromium.Start(t, 1440, 900)
	p.Do(chromedp.Navigate(server.URL))
	p.Wait("document.body.dataset.ready && [...document.images].every((i) => i.naturalWidth)")
	size := chromium.Eval[int](p, `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
		.reduce((n, r) => n + r.encodedBodySize, 0)`)
	if size > 250_000 {
		t.Errorf("the first page has %d bytes", size)
	}
	for _, dark := range []bool{false, true} {
		for _, size := range [][2]int{{1440, 900}, {1024, 700}, {390, 844}} {
			p.Resize(size[0], size[1])
			p.Dark(dark)
			p.Picture(fmt.Sprint("door", size[0], dark))
		}
	}
	p.Dark(false)
	p.Resize(1440, 900)
	p.Do(chromedp.Click("#samples li:first-child a", chromedp.ByQuery))
	p.Wait("document.getElementById('state').textContent === 'Opening burrow.map'")
	p.Picture("waits")
	close(answers)
	opens := func(kind string) {
		t.Helper()
		p.Wait("document.getElementById('message').textContent || frames[0]?.document.body?.dataset.ready")
		if text := chromium.Eval[string](p, "document.getElementById('message').textContent"); text != "" {
			t.Fatal(text)
		}
		p.Wait("frames[0].document.getElementById('kind').textContent === '" + kind + "'")
	}
	opens("Teeworlds/DDNet map")
	p.Picture("burrow")
	for _, c := range [][2]string{{"samples/ember.MOD", "Torchlight II mod"}, {"samples/glade#view=iso", "Minetest/Luanti world"},
		{"/samples/burrow.map", "Teeworlds/DDNet map"}} {
		p.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL+"/?open="+c[0]))
		opens(c[1])
		p.Picture(strings.Fields(c[1])[1])
	}
	for _, c := range [][2]string{{"https://other.example/a.map", "https://other.example/a.map is on another server"},
		{"maps/none.map", "none.map cannot be opened: the server answers with status 404"}} {
		p.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL+"/?open="+c[0]))
		p.Wait("document.getElementById('message')?.textContent.includes('" + c[1] + "')")
	}
	p.Picture("refused")
	p.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL+"/?open=samples/glade#stand=24,6,4"))
	opens("Minetest/Luanti world")
	p.Wait("frames[0].document.querySelector('canvas.blocks')?.dataset.cubes === '8'") // the page draws all of the world
	p.Wait("frames[0].document.querySelector('.still.over')")
	p.Picture("walking")
}

// pieces returns the bodies of the objects in a list, sorted.
func pieces(list string) []string {
	return slices.Sorted(strings.FieldsFuncSeq(list, func(r rune) bool { return strings.ContainsRune("[]{}", r) }))
}

// packed packs a sample.
func packed(t testing.TB, from, to string) {
	t.Helper()
	if err := trowel.Build(t.Context(), to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// TestPageAccessible tests with axe that the page around the viewer has no serious accessibility errors, empty, with a map that lacks
// pictures, while it is edited, and with an error, in both colour schemes, with forced colours and on a phone.
func TestPageAccessible(t *testing.T) {
	tests.Judges(t)
	dir := t.TempDir()
	sample, wrong := filepath.Join(dir, "burrow.map"), filepath.Join(dir, "wrong.map")
	whole := filepath.Join(dir, "whole.map")
	packed(t, "../../samples/burrow", whole)
	externalize(t, whole, sample, filepath.Join(dir, "mapres"))
	if err := os.WriteFile(wrong, []byte("nothing of a map"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := servedPage(t, made(t))
	look := func(what string) {
		t.Helper()
		for _, size := range [][2]int{{1280, 800}, {360, 740}, {320, 256}} {
			p.Resize(size[0], size[1])
			if wide := chromium.Eval[int](p, "document.documentElement.scrollWidth"); wide > size[0] {
				t.Errorf("%s is %d pixels wide on a screen of %d", what, wide, size[0])
			}
			p.Accessible(fmt.Sprint(what, size))
			p.Picture(fmt.Sprint(what, size[0]))
		}
		p.Resize(1280, 800)
		p.Dark(true)
		p.Accessible(what+", dark", "color-contrast")
		p.Do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}))
		p.Accessible(what + ", forced colours")
		p.Picture(what + "-forced")
		p.Dark(false)
	}
	look("start")
	p.Do(chromedp.SetUploadFiles("#files", []string{sample}, chromedp.ByQuery))
	p.Wait("!document.getElementById('edit').hidden && !document.getElementById('pictures').hidden")
	look("open")
	p.Do(chromedp.Click("#edit", chromedp.ByQuery))
	p.Wait("!document.getElementById('changes').hidden && frames[0]?.document.querySelector('#operation')")
	look("edit")
	p.Do(chromedp.SetUploadFiles("#files", []string{wrong}, chromedp.ByQuery))
	p.Wait("document.getElementById('message').textContent")
	look("wrong")
}

// TestSamplesSize tests that the samples of the page, without their pictures, have less than 400 kB together.
func TestSamplesSize(t *testing.T) {
	files, size := make(map[string][]byte), 0
	if err := addSamples(files); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if strings.HasPrefix(name, samplesFolder) && !strings.HasSuffix(name, ".jpg") {
			size += len(data)
		}
	}
	if size == 0 || size >= 400_000 {
		t.Errorf("the samples have %d bytes", size)
	}
}

// dropped drops a folder on the page.
func dropped(t *testing.T, p *chromium.Page, dir string) {
	t.Helper()
	files := make(map[string][]byte)
	below := os.DirFS(dir)
	if err := fs.WalkDir(below, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files[path.Join(filepath.Base(dir), name)], err = fs.ReadFile(below, name)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	chromium.Eval[bool](p, fmt.Sprintf(`(() => {
		const all = Object.entries(%s).map(([path, data]) => ({ isFile: true, fullPath: "/" + path,
			file: (take) => take(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], path.split("/").pop())) }));
		const folder = { fullPath: "/%s", createReader: () => ({ readEntries: (take) => take(all.splice(0, 100)) }) };
		const drop = new Event("drop", { cancelable: true });
		drop.dataTransfer = { items: [{ webkitGetAsEntry: () => folder }], files: [] };
		return !window.dispatchEvent(drop);
	})()`, data, filepath.Base(dir)))
}

// TestPageFiles tests what the page makes of files that are not what it expects, one after the other in one page: an error in words,
// the files of a world without its folder, and another file after it.
func TestPageFiles(t *testing.T) {
	tests.Judges(t)
	p := servedPage(t, made(t))
	dir := t.TempDir()
	garbage, world := filepath.Join(dir, "garbage.map"), filepath.Join(dir, "hollow")
	if err := os.WriteFile(garbage, []byte("nothing of a map"), 0o600); err != nil {
		t.Fatal(err)
	}
	packed(t, "../../samples/hollow", world)
	var inside []string
	entries, err := os.ReadDir(world)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			inside = append(inside, filepath.Join(world, e.Name()))
		}
	}
	alone := filepath.Join(dir, "map.sqlite") // whose write-ahead log is missing
	data := judge.Read(t, filepath.Join(world, "map.sqlite"))
	data[18], data[19] = 2, 2
	if err := os.WriteFile(alone, data, 0o600); err != nil {
		t.Fatal(err)
	}
	const message = "document.getElementById('message').textContent"
	p.Do(chromedp.SetUploadFiles("#files", []string{alone}, chromedp.ByQuery))
	p.Wait(message)
	p.Wait("frames[0]?.document.body?.dataset.ready")
	if text := chromium.Eval[string](p, message); !strings.HasPrefix(text, "map.sqlite may be older than the world") {
		t.Error(text)
	}
	chromium.Eval[any](p, "(frames[0].document.getElementById('link').click(), null)")
	p.Wait("frames[0].document.getElementById('status').textContent.startsWith('A link cannot open these files')")
	for range 2 { // the program is started again
		p.Do(chromedp.SetUploadFiles("#files", []string{garbage}, chromedp.ByQuery))
		p.Wait(message)
		if text := chromium.Eval[string](p, message); !strings.HasPrefix(text, "garbage.map: ") {
			t.Error(text)
		}
		p.Do(chromedp.SetUploadFiles("#files", inside, chromedp.ByQuery))
		p.Wait("!" + message + " && frames[0]?.document.body?.dataset.ready")
		kind := chromium.Eval[string](p, "frames[0].document.getElementById('kind').textContent")
		if kind != "Minetest/Luanti world" {
			t.Errorf("the files of a world are shown as %q", kind)
		}
	}
	dropped(t, p, "../../samples/glade") // the files of an extracted world
	p.Wait(message + " || frames[0]?.document.body?.dataset.ready && frames[0].document.getElementById('title').textContent === 'glade'")
	if text := chromium.Eval[string](p, message); text != "" {
		t.Error(text)
	}
	p.Wait("frames[0].document.getElementById('kind').textContent === 'Minetest/Luanti world'")
	p.Picture("glade")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
}

// TestGzipped tests that compress/gzip reads what gzipped writes, with the checksum.
func TestGzipped(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("trowel "), 100_000)} {
		packed, err := gzipped(data)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes came back as %d: %v", len(data), len(got), err)
		}
	}
}
