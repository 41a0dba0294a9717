package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/internal/text/words"
)

// editPage is the page of `view --edit`.
type editPage struct {
	*page
	t      testing.TB
	name   string // of the file
	edited int    // the number of the file with the changes
	now    editList
}

// editList is the list of changes as the page sees it.
type editList struct {
	Hash     string
	Revision int
	Applied  bool
	Outdated bool
	Undo     bool
	Redo     bool
	Unkept   string
	Offer    *struct {
		Count int
		Same  bool
	}
	List  []editChange
	Error string
}

type editChange struct {
	ID    int
	Title string
	Off   bool
	Count int
	Error string
}

// withState runs the rest of a test on a machine whose programs keep their state in dir.
func withState(t testing.TB, dir string) {
	tests.OnHost(t, map[string]string{"variable XDG_STATE_HOME": dir, "variable LocalAppData": dir, "home folder": dir})
}

// openEdit opens a file as `view --edit` does. The state folder is dir.
func openEdit(t testing.TB, name, dir string) *editPage {
	t.Helper()
	withState(t, dir)
	p := openPage(t, name)
	a := newTool(games, strings.NewReader(""), io.Discard, io.Discard)
	if err := offerEdits(t.Context(), a, p.Server, []string{name}); err != nil {
		t.Fatal(err)
	}
	e := &editPage{page: p, t: t, name: name, edited: 1}
	e.renew()
	return e
}

func (e *editPage) renew() {
	e.t.Helper()
	r := e.get(fmt.Sprintf("/f/%d/edit", e.edited))
	e.now = editList{}
	if err := json.Unmarshal(r.Body.Bytes(), &e.now); err != nil || r.Code != http.StatusOK {
		e.t.Fatalf("%d %s", r.Code, r.Body)
	}
}

// post sends a request and returns the status and the answer.
func (e *editPage) post(path, body string, change ...func(*http.Request)) (int, string) {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Host = e.host
	r.AddCookie(e.cookie)
	for name, value := range map[string]string{"Origin": "http://" + e.host, "Sec-Fetch-Site": "same-origin",
		"Content-Type": "application/json",
		"Trowel-Edit":  e.now.Hash} {
		r.Header.Set(name, value)
	}
	for _, do := range change {
		do(r)
	}
	w := httptest.NewRecorder()
	e.Guard(w, r)
	return w.Code, w.Body.String()
}

// do changes the list and returns the error, "" if there is none.
func (e *editPage) do(request map[string]any) string {
	e.t.Helper()
	if _, has := request["revision"]; !has {
		request["revision"] = e.now.Revision
	}
	body, _ := json.Marshal(request)
	code, answer := e.post(fmt.Sprintf("/f/%d/edit", e.edited), string(body))
	list := editList{}
	if err := json.Unmarshal([]byte(answer), &list); err != nil {
		e.t.Fatalf("%d %s", code, answer)
	}
	if list.Error != "" {
		return list.Error
	}
	e.now = list
	return ""
}

func (e *editPage) add(words ...string) {
	e.t.Helper()
	if err := e.do(map[string]any{"do": "add", "words": words}); err != "" {
		e.t.Fatalf("%q: %s", words, err)
	}
}

// result returns the file with the changes, as it is downloaded.
func (e *editPage) result() []byte {
	e.t.Helper()
	r := e.get("/f/1/edit/result")
	if r.Code != http.StatusOK {
		e.t.Fatalf("%d %s", r.Code, r.Body)
	}
	return r.Body.Bytes()
}

// shown returns the bytes of the edited file that the page shows.
func (e *editPage) shown() []byte {
	e.t.Helper()
	var all []byte
	for {
		r := e.get(fmt.Sprintf("/f/1/bytes?offset=%d&length=65536", len(all)))
		if r.Code != http.StatusOK {
			e.t.Fatalf("%d %s", r.Code, r.Body)
		}
		if all = append(all, r.Body.Bytes()...); r.Body.Len() < 65536 {
			return all
		}
	}
}

func (e *editPage) save() (int, string) {
	return e.post(fmt.Sprintf("/f/%d/edit/save", e.edited), fmt.Sprintf(`{"revision": %d}`, e.now.Revision))
}

func (e *editPage) unsave() (int, string) {
	return e.post(fmt.Sprintf("/f/%d/edit/unsave", e.edited), fmt.Sprintf(`{"revision": %d}`, e.now.Revision))
}

func burrow(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "burrow.map")
	perform(t, "pack", "-q", "../../../samples/burrow", "-o", name)
	return name
}

// perform runs the tool, which must succeed.
func perform(t *testing.T, args ...string) {
	t.Helper()
	var messages bytes.Buffer
	if code := newTool(games, strings.NewReader(""), io.Discard, &messages).run(t.Context(), args, &messages); code != 0 {
		t.Fatalf("%q: %d: %s", args, code, &messages)
	}
}

// TestEditSessions tests that random sessions give the bytes that their script gives on the command line, both for the
// downloaded file and for the saved one.
func TestEditSessions(t *testing.T) {
	operations := [][]string{
		{"draw-tiles", "3", "4", "1*2 _ 3", "2 .*2", "--layer", "game"},
		{"draw-tiles", "--layer=Ground/*", "20", "10", "12xr*9"},
		{"fill-tiles", "9", "--layer", "game", "--area", "30,10:40,20"},
		{"replace-tiles", "any", "7", "--layer", "Tree/*", "--area", "0,0:20,20"},
		{"mirror-tiles", "left-right", "--layer", "game", "--area", "2,2:9,9"},
		{"info", "--author", "Ann 'and' Bob # then\\ some", "--license", ""},
		{"set-setting", "tune_zone 1 gravity 0.2"},
		{"remove-settings", "sv_team*"},
		{"shift-tiles", "1", "-2", "--layer", "Tree/*"},
		{"add-group", "New group"},
		{"set-layer", "Tree/Leaves", "--name", "Foliage"}, // later changes name the layer as it is called then
		{"draw-tiles", "--layer=Tree/Foliage", "5", "5", "3*4"},
		{"set-layer", "Tree/Trunk", "--name", "Leaves"},
		{"duplicate-layers", "Tree/*"},
		{"move-layer", "Tree/Leaves", "Tree", "--at", "0"},
		{"remove-layers", "Tree/Leaves"},
		{"set-group", "Tree", "--name", "Wood"},
		{"fill-tiles", "2", "--layer=Wood/*", "--area", "1,1:3,3"},
		{"move-quads", "quads", "8,8"},
		{"color-quads", "Ground/Daylight", "#ff0000"},
		{"replace-settings", "1", "2", "sv_hit 0"},
		{"rename-image", "burrow_light", "lamp"}, // fails the second time
		{"normalize-rotation"},
	}
	for seed := range uint64(tests.Of(t, 3, 40)) {
		r := rand.New(rand.NewPCG(seed, 7))
		name := burrow(t)
		old := judge.Read(t, name)
		e := openEdit(t, name, t.TempDir())
		e.get("/f/1/open")
		for range 16 + r.IntN(16) {
			id := 0
			if n := len(e.now.List); n > 0 {
				id = e.now.List[r.IntN(n)].ID
			}
			request := map[string]any{"do": "add", "words": operations[r.IntN(len(operations))], "id": id, "to": r.IntN(8), "off": r.IntN(2) == 0}
			if n := r.IntN(10); n < 6 && id > 0 {
				request["do"] = []string{"undo", "redo", "switch", "move", "remove", "change"}[n]
			}
			if err := e.do(request); err != "" && !strings.HasPrefix(err, "there is nothing to ") {
				t.Fatalf("%v: %s", request, err)
			}
		}
		for _, c := range e.now.List { // changes with errors are switched off, as the page asks for
			if c.Error != "" && !c.Off {
				e.do(map[string]any{"do": "switch", "id": c.ID, "off": true})
			}
		}
		if !slices.ContainsFunc(e.now.List, func(c editChange) bool { return !c.Off }) {
			e.add("info", "--author", "Ann")
		}
		var command struct{ Script, Command string }
		if err := json.Unmarshal(e.get("/f/1/edit/command").Body.Bytes(), &command); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		script, want := filepath.Join(dir, "changes.txt"), filepath.Join(dir, "want.map")
		judge.Write(t, script, []byte(command.Script))
		perform(t, "edit", "-q", name, "-o", want, "--script", script)
		data := judge.Read(t, want)
		if !bytes.Equal(e.result(), data) {
			t.Fatalf("seed %d: the download differs from the result of\n%s", seed, command.Script)
		}
		shown := filepath.Join(dir, "shown.map")
		judge.Write(t, shown, e.shown())
		perform(t, "diff", want, shown) // exits with 1 if the shown state differs
		if now, _ := os.ReadFile(name); !bytes.Equal(now, old) {
			t.Fatalf("seed %d: the file changed before it was saved", seed)
		}
		if code, answer := e.save(); code != http.StatusOK && !bytes.Equal(data, old) {
			t.Fatalf("seed %d: %d %s", seed, code, answer)
		}
		if now, _ := os.ReadFile(name); !bytes.Equal(now, data) {
			t.Fatalf("seed %d: the saved file differs from the result of\n%s", seed, command.Script)
		}
		if e.renew(); len(e.now.List) != 0 || e.now.Undo || e.now.Outdated {
			t.Errorf("seed %d: after it was saved, the list is %+v", seed, e.now)
		}
		e.Close()
	}
}

// TestEditGuard tests that only the page can change something, and that it can name no file.
func TestEditGuard(t *testing.T) {
	name := burrow(t)
	e := openEdit(t, name, t.TempDir())
	body := `{"revision": 0, "do": "add", "words": ["info", "--author", "Ann"]}`
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			if r.Header.Set(name, value); value == "" {
				r.Header.Del(name)
			}
		}
	}
	for _, c := range []struct {
		what string
		do   func(*http.Request)
		want int
	}{
		{"no origin", set("Origin", ""), http.StatusMethodNotAllowed},
		{"another origin", set("Origin", "http://example.com"), http.StatusForbidden},
		{"another site", set("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		{"a form", set("Content-Type", "text/plain"), http.StatusMethodNotAllowed},
		{"no header", set("Trowel-Edit", ""), http.StatusForbidden},
		{"another file", set("Trowel-Edit", strings.Repeat("0", 64)), http.StatusConflict},
		{"no token", set("Cookie", ""), http.StatusForbidden},
		{"another host", func(r *http.Request) { r.Host = "example.com" }, http.StatusForbidden},
		{"another method", func(r *http.Request) { r.Method = http.MethodPut }, http.StatusMethodNotAllowed},
		{"the original", func(r *http.Request) { r.URL.Path = "/f/0/edit" }, http.StatusNotFound},
		{"another request", func(r *http.Request) { r.URL.Path = "/f/1/open" }, http.StatusMethodNotAllowed},
		{"too large", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(strings.Repeat(" ", 5<<20) + body)) },
			http.StatusRequestEntityTooLarge},
	} {
		if code, answer := e.post("/f/1/edit", body, c.do); code != c.want {
			t.Errorf("%s: %d %s", c.what, code, answer)
		}
	}
	for want, words := range map[string][]string{
		"add-image: the page cannot name files of the disk: use `trowel edit`":  {"add-image", "x", "/etc/passwd"},
		"paste-area: the page cannot name files of the disk: use `trowel edit`": {"paste-area", name, "0,0:1,1", "2,2"},
		"expected one operation":                          {"border", "then", "border"},
		"an operation is one line of a script":            {"info", "--author", "a\nb"},
		"no such command: edit":                           {"edit"},
		"expected the name of a command":                  {},
		"draw-tiles: expected ROW: draw-tiles X Y ROW...": {"draw-tiles", "1", "2", "--layer", "game"},
	} {
		if err := e.do(map[string]any{"do": "add", "words": words}); err != want {
			t.Errorf("%q: %q, want %q", words, err, want)
		}
	}
	if e.renew(); e.now.Revision != 0 || len(e.now.List) != 0 {
		t.Errorf("the list is %+v", e.now)
	}
	plain := &editPage{page: openPage(t, name), t: t, now: e.now} // without --edit
	if code, answer := plain.post("/f/0/edit", body); code != http.StatusMethodNotAllowed {
		t.Errorf("without --edit: %d %s", code, answer)
	}
}

// TestEditOutside tests that a file that another program has changed is not overwritten, and that the list can be
// applied to the new file.
func TestEditOutside(t *testing.T) {
	name := burrow(t)
	e := openEdit(t, name, t.TempDir())
	e.get("/f/0/open")
	e.add("info", "--author", "Ann")
	perform(t, "edit", "-q", name, "--in-place", "--", "info", "--license", "GPL")
	other := judge.Read(t, name)
	code, answer := e.save()
	if now, _ := os.ReadFile(name); code != http.StatusConflict ||
		!strings.Contains(answer, "burrow.map: the file has changed") || !bytes.Equal(now, other) {
		t.Errorf("saved over another file: %d %s", code, answer)
	}
	if strings.Contains(answer, filepath.Dir(name)) {
		t.Errorf("the answer has a path of the disk: %s", answer)
	}
	if err := e.do(map[string]any{"do": "reread"}); err != "" || len(e.now.List) != 1 || e.now.Outdated {
		t.Fatalf("%q, %+v", err, e.now)
	}
	if code, answer := e.save(); code != http.StatusOK || !strings.Contains(answer, "1 change: the backup is burrow.backup-") ||
		strings.Contains(answer, "`") || strings.Contains(answer, filepath.Dir(name)) {
		t.Fatalf("%d %s", code, answer)
	}
	var out bytes.Buffer
	got := newTool(games, strings.NewReader(""), &out, io.Discard)
	if got.run(t.Context(), []string{"info", name}, io.Discard); !strings.Contains(out.String(), "Ann") ||
		!strings.Contains(out.String(), "GPL") {
		t.Errorf("the file has not both changes: %s", &out)
	}

	// The save is undone once, and not over what another program has written since.
	e.renew()
	e.add("border")
	if code, answer := e.unsave(); code != http.StatusOK {
		t.Fatalf("%d %s", code, answer)
	}
	e.renew()
	if now, _ := os.ReadFile(name); !bytes.Equal(now, other) || len(e.now.List) != 2 || e.now.List[0].Count != 1 {
		t.Errorf("after the save is undone, the file differs, or the list is %+v", e.now.List)
	}
	if code, answer := e.unsave(); code != http.StatusConflict || !strings.Contains(answer, "nothing was saved here") {
		t.Errorf("undone twice: %d %s", code, answer)
	}
	if code, answer := e.save(); code != http.StatusOK {
		t.Fatalf("%d %s", code, answer)
	}
	e.renew()
	perform(t, "edit", "-q", name, "--in-place", "--", "info", "--license", "MIT")
	other, _ = os.ReadFile(name)
	code, answer = e.unsave()
	if now, _ := os.ReadFile(name); code != http.StatusConflict || !strings.Contains(answer, "has changed since it was saved") ||
		!bytes.Equal(now, other) {
		t.Errorf("undone over another file: %d %s", code, answer)
	}
}

// TestEditTwoTabs tests that a page cannot change or save a list that it has not seen.
func TestEditTwoTabs(t *testing.T) {
	e := openEdit(t, burrow(t), t.TempDir())
	one, two := *e, *e
	one.add("info", "--author", "Ann")
	if err := two.do(map[string]any{"do": "add", "words": []string{"info", "--author", "Bob"}}); err == "" ||
		!strings.HasPrefix(err, "the list has changed in another window") {
		t.Errorf("the list was changed unseen: %q", err)
	}
	if code, answer := two.save(); code != http.StatusConflict {
		t.Errorf("the list was saved unseen: %d %s", code, answer)
	}
	two.renew()
	two.add("info", "--license", "CC0")
	if len(two.now.List) != 2 {
		t.Errorf("%+v", two.now)
	}
}

// TestEditKept tests that a list survives the end of the program, is offered for the same file, and is not overwritten
// before the user has decided; and that a list that cannot be written is reported.
func TestEditKept(t *testing.T) {
	name, dir := burrow(t), t.TempDir()
	e := openEdit(t, name, dir)
	e.add("info", "--author", "it's Ann")
	if err := e.do(map[string]any{"do": "add", "words": []string{"border"}, "title": "A border"}); err != "" {
		t.Fatal(err)
	}
	e.do(map[string]any{"do": "switch", "id": e.now.List[1].ID, "off": true})
	lists := func() (found []string) {
		found, _ = filepath.Glob(filepath.Join(dir, "trowel", "edits", "*.json"))
		return found
	}
	if len(lists()) != 1 {
		t.Fatalf("lists: %v", lists())
	}
	two := openEdit(t, name, dir)
	if two.add("border"); two.now.Offer != nil || !strings.HasSuffix(two.now.Unkept, "another program edits the same file") {
		t.Errorf("a second program: %+v", two.now)
	}
	e.Server.Close()
	e = openEdit(t, name, dir)
	if e.now.Offer == nil || e.now.Offer.Count != 2 || !e.now.Offer.Same || len(e.now.List) != 0 {
		t.Fatalf("%+v", e.now)
	}
	if err := e.do(map[string]any{"do": "add", "words": []string{"border"}}); err == "" ||
		!strings.HasPrefix(err, "there is a list of an earlier session") {
		t.Errorf("%q", err)
	}
	if err := e.do(map[string]any{"do": "continue"}); err != "" || len(e.now.List) != 2 || !e.now.List[1].Off || e.now.List[0].Count != 1 ||
		e.now.List[1].Title != "A border" {
		t.Fatalf("%q, %+v", err, e.now)
	}
	if code, answer := e.save(); code != http.StatusOK {
		t.Fatalf("%d %s", code, answer)
	}
	if len(lists()) != 0 {
		t.Errorf("a saved list is still kept: %v", lists())
	}
	e.renew()
	e.add("border")
	e.Server.Close()
	kept := lists()[0]
	if err := os.WriteFile(kept, []byte(`{"version": 9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	e = openEdit(t, name, dir)
	if !strings.HasSuffix(e.now.Unkept, "cannot be read: version 9 is not supported") || len(lists()) != 0 {
		t.Errorf("%+v, %v", e.now, lists())
	}
	if aside, _ := filepath.Glob(kept + ".*.unreadable"); len(aside) != 1 {
		t.Errorf("the unreadable list is at %v", aside)
	}
	if e.add("border"); e.now.Unkept != "" || len(lists()) != 1 {
		t.Errorf("%+v, %v", e.now, lists())
	}
	e.Server.Close() // on Windows, an open file cannot be removed
	if err := os.RemoveAll(filepath.Join(dir, "trowel")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "trowel"), nil, 0o600); err != nil { // no folder can be made there
		t.Fatal(err)
	}
	e = openEdit(t, name, dir)
	if e.add("border"); e.now.Unkept == "" || len(e.now.List) != 1 {
		t.Errorf("%+v", e.now)
	}
}

// TestEditUnsaved tests that a save that fails, as on a full disk, leaves the old file and the list.
func TestEditUnsaved(t *testing.T) {
	name := burrow(t)
	e := openEdit(t, name, t.TempDir())
	old := judge.Read(t, name)
	e.add("info", "--author", "Ann")
	dir := filepath.Dir(name)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	if f, err := os.Create(filepath.Join(dir, "any")); err == nil {
		f.Close()
		t.Skip("this user may write everywhere")
	}
	code, answer := e.save()
	if now, _ := os.ReadFile(name); code != http.StatusConflict || !bytes.Equal(now, old) {
		t.Errorf("%d %s", code, answer)
	}
	if e.renew(); len(e.now.List) != 1 {
		t.Errorf("%+v", e.now)
	}
}

// TestScriptQuotes tests that a quoted line of a script has the same words again.
func TestScriptQuotes(t *testing.T) {
	for _, want := range [][]string{{"a", "", "it's", `"q"`, `\`, "#x", "~", "a b\tc", "--", "ä", "$x `y`"}, {"'", "''", `\'`}} {
		line := words.QuotedFor("linux", want...)
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
}
