//go:build !js

package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"trowel.example/cmd/internal/viewer"
	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
)

// bordered returns a map with the operation border.
func bordered(t *testing.T, name string) string {
	t.Helper()
	server := native(t, name)
	if err := server.Edit(t.Context(), viewer.Edits{}); err != nil {
		t.Fatal(err)
	}
	ask := func(method, at, hash, body string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequest(method, at, strings.NewReader(body))
		r.Header.Set("Trowel-Edit", hash)
		w := httptest.NewRecorder()
		if server.Answer(w, r); w.Code != http.StatusOK {
			t.Fatalf("%s: %s", at, w.Body)
		}
		return w
	}
	var list struct {
		Hash     string
		Revision int
	}
	if err := json.Unmarshal(ask(http.MethodGet, "/f/1/edit", "", "").Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	ask(http.MethodPost, "/f/1/edit", list.Hash, fmt.Sprintf(`{"revision": %d, "do": "add", "words": ["border"]}`, list.Revision))
	return ask(http.MethodGet, "/f/1/edit/result", "", "").Body.String()
}

// TestPageEdit edits a map in the browser: the new file is that of `trowel edit`, and the list of changes remains after the page is
// loaded again only if the user wants that.
func TestPageEdit(t *testing.T) {
	tests.Judges(t)
	name := filepath.Join(t.TempDir(), "burrow.map")
	packed(t, "../../samples/burrow", name)
	expected := bordered(t, name)
	p := servedPage(t, made(t))
	// inner is an expression about the page in the frame.
	const inner = "frames[0]?.document.body?.dataset.ready && frames[0].document."
	edit := func() {
		t.Helper()
		p.Do(chromedp.SetUploadFiles("#files", []string{name}, chromedp.ByQuery))
		p.Wait("!document.getElementById('edit').hidden && " + inner + "getElementById('kind').textContent === 'Teeworlds/DDNet map'")
		p.Do(chromedp.Click("#edit", chromedp.ByQuery))
		p.Wait("document.getElementById('edit').getAttribute('aria-pressed') === 'true'")
		p.Wait(inner + "querySelectorAll('#operation option').length > 50")
	}
	edit()
	p.Wait(inner + `querySelector(".edit-form") && (() => {
		const { document } = frames[0], choose = document.querySelector("#operation");
		if (!choose) return false; // the panel is opened again
		choose.value = "border";
		choose.dispatchEvent(new Event("change"));
		document.querySelector(".edit-form").requestSubmit();
		return true;
	})()`)
	p.Wait("!" + `frames[0].document.querySelector("button.save").disabled`)
	result := func() string {
		t.Helper()
		data, err := base64.StdEncoding.DecodeString(chromium.Eval[string](p, `trowel.get("/f/1/edit/result").then(async (a) =>
			btoa(Array.from(new Uint8Array(await a.arrayBuffer()), (b) => String.fromCharCode(b)).join("")))`))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if result() != expected {
		t.Error("the file is not that of the operation")
	}
	if text := chromium.Eval[string](p, "frames[0].document.querySelector('button.save').textContent"); text != "Download …" {
		t.Errorf("the button is %q", text)
	}
	p.Picture("edit")

	// What is not kept is not lost without a question.
	asked := make(chan string, 8)
	chromedp.ListenTarget(p.Context(), func(event any) {
		if e, ok := event.(*page.EventJavascriptDialogOpening); ok {
			asked <- string(e.Type) + ": " + e.Message
			go func() {
				_ = chromedp.Run(p.Context(), page.HandleJavaScriptDialog(e.Type == page.DialogTypeBeforeunload))
			}()
		}
	})
	p.Do(chromedp.Click("#edit", chromedp.ByQuery))
	if text := <-asked; text != "confirm: The changes of burrow.map are not kept. Close it all the same?" {
		t.Errorf("the page asks %q", text)
	}
	if result() != expected {
		t.Error("the changes are lost")
	}
	p.Do(chromedp.Reload())
	if text := <-asked; !strings.HasPrefix(text, "beforeunload") {
		t.Errorf("the page asks %q", text)
	}
	p.Wait("document.body.dataset.ready")

	// The list that was not kept is gone, and another one is kept.
	edit()
	offer := inner + "querySelector('.offer .strong')"
	if chromium.Eval[bool](p, "Boolean("+offer+")") {
		t.Error("the list was kept")
	}
	chromium.Eval[any](p, `trowel.get("/f/1/edit").then((a) => a.json()).then((now) => trowel.get("/f/1/edit", { method: "POST",
		headers: { "Content-Type": "application/json", "Trowel-Edit": now.hash },
		body: JSON.stringify({ revision: now.revision, do: "add", words: ["border"] }) })).then((a) => a.json())`)
	p.Do(chromedp.Click("#keep-changes", chromedp.ByQuery))
	p.Wait("import('./store.js').then((s) => s.kept('trowel-changes', 'burrow.map'))")
	p.Do(chromedp.Reload())
	p.Wait("document.body.dataset.ready")
	edit()
	p.Wait(offer)
	chromium.Eval[any](p, "(frames[0].document.querySelector('.offer .strong').click(), null)")
	p.Wait(inner + "querySelectorAll('.edits > li').length === 1 && !frames[0].document.querySelector('button.save').disabled")
	if result() != expected {
		t.Error("the file of the kept list is not that of the operation")
	}
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	if len(asked) > 0 {
		t.Errorf("the page asks %q", <-asked)
	}

	// A world is not edited here, but shown.
	world := filepath.Join(t.TempDir(), "map.sqlite")
	packed(t, "../../samples/hollow", filepath.Join(filepath.Dir(world), "hollow"))
	if err := os.Rename(filepath.Join(filepath.Dir(world), "hollow", "map.sqlite"), world); err != nil {
		t.Fatal(err)
	}
	p.Do(chromedp.SetUploadFiles("#files", []string{world}, chromedp.ByQuery))
	p.Wait("!document.getElementById('edit').hidden && " + inner + "getElementById('kind').textContent === 'Minetest/Luanti world'")
	p.Do(chromedp.Click("#edit", chromedp.ByQuery))
	p.Wait("document.getElementById('message').textContent.includes('edited here')")
	p.Wait("document.getElementById('edit').getAttribute('aria-pressed') === 'false'")
	p.Wait(inner + "getElementById('kind').textContent === 'Minetest/Luanti world'")
}
