package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trowel.example/cmd/internal/viewer"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
)

// page is the server of the verb view, called without a socket.
type page struct {
	*viewer.Server
	host   string
	cookie *http.Cookie
}

// openPage opens names as view does.
func openPage(t testing.TB, names ...string) *page {
	t.Helper()
	a := newTool(games, strings.NewReader(""), io.Discard, io.Discard)
	s, err := viewer.Open(t.Context(), a.Service, names)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{Server: s}
	t.Cleanup(p.Close)
	l, address, err := p.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p.host = u.Host
	p.cookie = p.get(u.RequestURI()).Result().Cookies()[0]
	return p
}

// get returns the answer to a request, which it repeats while a picture is drawn.
func (p *page) get(target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	path, query, _ := strings.Cut(target, "?")
	r.URL = &url.URL{Path: path, RawQuery: query}
	if at, err := url.PathUnescape(path); err == nil {
		r.URL = &url.URL{Path: at, RawPath: path, RawQuery: query}
	}
	if r.Host = p.host; p.cookie != nil {
		r.AddCookie(p.cookie)
	}
	w := httptest.NewRecorder()
	for p.Guard(w, r); w.Code == http.StatusAccepted; {
		w = httptest.NewRecorder()
		p.Guard(w, r)
	}
	return w
}

// crawl makes all requests of the page for all content of a file, and calls see with each answer.
func (p *page) crawl(t *testing.T, see func(target string, w *httptest.ResponseRecorder)) {
	t.Helper()
	get := func(target string) []byte {
		w := p.get(target)
		see(target, w)
		return w.Body.Bytes()
	}
	for _, target := range []string{"/", "/session", "/gallery"} {
		get(target)
	}
	for _, what := range []string{"open", "entry", "scene", "missing", "count?run=1", "fields",
		"bytes?length=65536&offset=0", "check?run=1", "renew", "open",
		"inspect?x=1&y=1", "stale?since=1&z=-3&x0=-1&y0=-1&x1=1&y1=1", "search?q=.", "find?q=", "find?q=x",
		"tree?path=nothing", "text?path=nothing", "cover/2/0/0/0",
		"still/2?w=64&h=64&x=0&y=0", "tile/2/0/0/-1", "tile/2/-3/0/0", "tile/1/-3/0/0", "thumb/2?side=64", "thumb/1?side=64"} {
		get("/f/0/" + what)
	}
	for { // until background work has ended
		var state struct{ State string }
		if err := json.Unmarshal(get("/f/0/check"), &state); err != nil {
			t.Fatal(err)
		}
		if state.State != "running" {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	var walk func(dir string)
	walk = func(dir string) {
		var folder struct {
			Entries []struct {
				Name string
				Dir  bool
			}
		}
		at := "?path=" + url.QueryEscape(dir)
		if err := json.Unmarshal(get("/f/0/tree"+at), &folder); err != nil {
			t.Fatal(err)
		}
		for _, e := range folder.Entries {
			full := filepath.ToSlash(filepath.Join(dir, e.Name))
			if e.Dir {
				walk(full)
				continue
			}
			at := "?path=" + url.QueryEscape(full)
			for _, what := range []string{"entry", "text", "table", "scene", "inspect", "fields", "bytes"} {
				get("/f/0/" + what + at + "&x=1&y=1&n=500&offset=0&length=65536&space=" + url.QueryEscape(full))
			}
			get("/f/0/fields" + at)
		}
	}
	walk("")
	get("/f/0/text?path=.trowel.json")
	get("/f/0/fields?path=.trowel.json")
	get("/f/0/bytes?offset=0&length=4096&path=.trowel.json&space=.trowel.json")
}

// TestViewSecrets tests, for a world with accounts and database servers, that no answer contains a password,
// data that helps to find one, or a path of the disk.
func TestViewSecrets(t *testing.T) {
	tests.NotRaced(t, "asks one page after the other")
	dir := filepath.Join(t.TempDir(), "hushhush")
	world := filepath.Join(dir, "hollow")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	runOK(t, "pack", "-q", "../../../samples/hollow", "-o", filepath.Join(dir, "packed"))
	runOK(t, "convert", "-q", filepath.Join(dir, "packed"), "-o", world, "--to", "sqlite", "--auth", "files")
	const srp, sha = "#1#c2VrcmV0c2VrcmV0cw#SekretSekretSekretSekret", "SekretSekretSekretSekretSek"
	more := map[string]string{
		"auth.txt":       "bob:" + srp + ":interact,shout:-1\neve:" + sha + ":interact:17\n",
		"auth.txt.old":   "bob:" + srp + ":interact,shout:-1\n",
		"accounts.csv":   "bob:" + sha + ":interact,shout:-1\n",
		"auth.sqlite":    "SQLite format 3\x00" + srp,
		"world.mt.saved": "redis_password = Sekret",
	}
	settings := judge.Read(t, filepath.Join(world, "world.mt"))
	more["world.mt"] = string(settings) + "pgsql_connection = host=127.0.0.1 port=1 user=u password=Sekret dbname=d\n" +
		"pgsql_auth_connection = postgresql://u:Sekret@127.0.0.1:1/d\nredis_password = Sekret\n"
	for name, text := range more {
		judge.Write(t, filepath.Join(world, name), []byte(text))
	}
	secrets := []string{"Sekret", "sekret", "c2VrcmV0", "hushhush"}
	look := func(backend string) {
		p := openPage(t, world)
		n := 0
		p.crawl(t, func(target string, w *httptest.ResponseRecorder) {
			n++
			for _, s := range secrets {
				if bytes.Contains(w.Body.Bytes(), []byte(s)) || strings.Contains(fmt.Sprint(w.Header()), s) {
					t.Errorf("%s: %s tells %q: %.2000s", backend, target, s, w.Body)
				}
			}
			if w.Code >= http.StatusInternalServerError {
				t.Errorf("%s: %s: %d %s", backend, target, w.Code, w.Body)
			}
		})
		if n < 60 {
			t.Errorf("%s: only %d answers were looked at", backend, n)
		}
	}
	look("sqlite3")
	// The server of such a world is unreachable, which gives errors.
	broken := strings.Replace(more["world.mt"], "backend = sqlite3", "backend = postgresql", 1)
	broken = strings.Replace(broken, "auth_backend = files", "auth_backend = postgresql", 1)
	if broken == more["world.mt"] {
		t.Fatalf("the backends are not as expected: %s", broken)
	}
	judge.Write(t, filepath.Join(world, "world.mt"), []byte(broken))
	p := openPage(t, world)
	for _, what := range []string{"open", "entry", "scene", "check?run=1", "tree", "text?path=world.mt",
		"fields?path=0,0,0", "tile/1/0/0/0", "renew"} {
		w := p.get("/f/0/" + what)
		for _, s := range secrets {
			if strings.Contains(w.Body.String(), s) {
				t.Errorf("%s tells %q: %s", what, s, w.Body)
			}
		}
	}
}

// TestViewSecretsCompared tests that the differences of two worlds contain no passwords.
func TestViewSecretsCompared(t *testing.T) {
	old, new := packed(t, "hollow", "old"), packed(t, "hollow", "new")
	for i, world := range []string{old, new} {
		name := filepath.Join(world, "world.mt")
		text := judge.Read(t, name)
		text = fmt.Appendf(text, "pgsql_connection = host=h password=Sekret%d\nredis_password = Sekret%d\nredis_port = 1%d\n", i, i, i)
		judge.Write(t, name, text)
	}
	p := openPage(t, old, new)
	for {
		body := p.get("/f/0/compare/1?run=1").Body.String()
		if strings.Contains(body, `"state":"running"`) {
			continue
		}
		if strings.Contains(body, "Sekret") || !strings.Contains(body, "redis_password") || !strings.Contains(body, `"11"`) {
			t.Errorf("%s", body)
		}
		break
	}
	if body := p.get("/f/0/compare/1/text?path=world.mt").Body.String(); strings.Contains(body, "Sekret") {
		t.Errorf("%s", body)
	}
}

// TestViewHasNoSecretOption tests that no option of view shows verifiers.
func TestViewHasNoSecretOption(t *testing.T) {
	var talk bytes.Buffer
	if code := run(games, []string{"view", "--no-open", "--verifiers", "../../../samples/hollow"}, strings.NewReader(""),
		io.Discard, &talk); code != exitFailed || !strings.Contains(talk.String(), "verifiers") {
		t.Errorf("%d %s", code, talk.String())
	}
}

// FuzzRequest sends arbitrary requests to servers of a map, a world and a mod, and tests that they never panic,
// never answer with a defect, and never reveal the location of the files.
func FuzzRequest(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "hushhush")
	if err := os.Mkdir(dir, 0o777); err != nil {
		f.Fatal(err)
	}
	var pages []*page
	for _, s := range [][2]string{{"burrow", "burrow.map"}, {"hollow", "hollow"}, {"ember", "ember.MOD"}} {
		name := filepath.Join(dir, s[1])
		if code := run(games, []string{"pack", "-q", "../../../samples/" + s[0], "-o", name}, strings.NewReader(""),
			io.Discard, io.Discard); code != exitFine {
			f.Fatal(s[0])
		}
		pages = append(pages, openPage(f, name))
	}
	for i := range pages {
		for _, target := range []string{"/", "/page/app.js", "/page/leaflet.css", "/session", "/gallery?after=0", "/f/0/open",
			"/f/0/entry?path=map.json", "/f/0/scene?view=map",
			"/f/0/scene?o.entities=50", "/f/0/tile/1/-3/0/0?l=0,1&time=100&side=512", "/f/0/cover/1/-3/0/0?view=top",
			"/f/0/tile/1/2/-1/5?o.min-y=3&o.drawalpha=true",
			"/f/0/inspect?x=20.5&y=10.5&z=-1&view=map", "/f/0/stale?since=1&z=-3&x0=0&y0=0&x1=3&y1=3",
			"/f/0/still/1?w=10&h=20&x=1.5&y=-2&z=1", "/f/0/still/1?w=100&h=100&view=camera&o.at=10,10",
			"/f/0/thumb/1?side=64", "/f/0/tree?path=groups&after=1", "/f/0/tree?path=blocks/z0",
			"/f/0/text?path=map.json&from=2&n=3", "/f/0/text?path=world.mt", "/f/0/text?path=MEDIA%2FUI&line=2",
			"/f/0/table?path=MEDIA/X.RAW.json&sort=1", "/f/0/missing", "/f/0/count", "/f/0/check", "/f/0/fields?from=0&n=100",
			"/f/0/fields?path=0,0,0&at=12&length=4",
			"/f/0/fields?path=0,0,0&space=0,0,0&from=0&to=100&skip=0", "/f/0/bytes?space=&offset=16&length=64",
			"/f/0/search?q=a.c&fixed=1&ignoreCase=1", "/f/0/find?q=tele%205&view=map",
			"/f/0/find?q=node%20%27default:chest%27", "/f/0/compare/0?view=map", "/f/0/compare/0/text?path=map.json", "/f/0/renew"} {
			f.Add(uint8(i), target)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, target string) {
		if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "/events") {
			return // an endless stream, which no browser requests this way
		}
		w := pages[int(which)%len(pages)].get(target)
		body := w.Body.String()
		if w.Code >= http.StatusInternalServerError && w.Code != http.StatusServiceUnavailable ||
			strings.Contains(body, "a defect of this program") {
			t.Errorf("%d %s", w.Code, body)
		}
		if strings.Contains(body, "hushhush") || strings.Contains(fmt.Sprint(w.Header()), "hushhush") {
			t.Errorf("it reveals the folder: %s", body)
		}
	})
}

// TestViewDamaged tests that damage is reported for damaged files, and that the page works.
func TestViewDamaged(t *testing.T) {
	tests.NotRaced(t, "asks one page after the other")
	for _, s := range [][2]string{{"burrow", "burrow.map"}, {"ember", "ember.MOD"}} {
		name := packed(t, s[0], s[1])
		data := judge.Read(t, name)
		mutate.Run(t, tests.Of(t, 15, 40), func(i int, rng *rand.Rand) []string {
			damaged := bytes.Clone(data)
			for range 1 + rng.IntN(4) {
				damaged[rng.IntN(len(damaged))] = byte(rng.Uint32())
			}
			if rng.IntN(4) == 0 {
				damaged = damaged[:rng.IntN(len(damaged))]
			}
			name := filepath.Join(t.TempDir(), s[1])
			if err := os.WriteFile(name, damaged, 0o666); err != nil {
				t.Error(err)
			}
			a := newTool(games, strings.NewReader(""), io.Discard, io.Discard)
			s, err := viewer.Open(t.Context(), a.Service, []string{name})
			if err != nil {
				return []string{"refused"}
			}
			s.Close()
			p := openPage(t, name)
			defer p.Close()
			for _, what := range []string{"open", "scene", "tree", "fields", "check", "tile/1/-3/0/0", "tile/1/-2/1/0",
				"inspect?x=10&y=10", "search?q=a"} {
				if w := p.get("/f/0/" + what); w.Code >= http.StatusInternalServerError {
					t.Errorf("%s %d: %s: %d %s", name, i, what, w.Code, w.Body)
				}
			}
			return []string{"opened"}
		})
	}
}
