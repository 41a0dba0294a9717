//go:build !js

package main

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge/firefox"
	"trowel.example/internal/testing/tests"
)

// TestFirefox tests the main journeys of a user in Firefox.
func TestFirefox(t *testing.T) {
	tests.Judges(t)
	server := httptest.NewServer(http.FileServer(http.Dir(made(t))))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	packed(t, "../../samples/burrow", at("burrow.map"))
	packed(t, "../../samples/burrow", at("other.map"))
	packed(t, "../../samples/ember", at("ember.MOD"))
	packed(t, "../../samples/hollow", at("hollow"))
	if err := os.WriteFile(at("wrong.map"), []byte("nothing of a map"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := firefox.Start(t)
	p.Open(server.URL + "/")
	p.Wait("document.body.dataset.ready")
	p.Picture("door")
	const message = "document.getElementById('message').textContent"
	open := func(names ...string) {
		t.Helper()
		p.Text("(document.getElementById('view').contentWindow.document.body.dataset.ready = '')")
		var paths []string
		for _, name := range names {
			paths = append(paths, at(name))
		}
		p.Choose("#files", paths...)
		p.Wait(message + " || !document.getElementById('view').hidden && frames[0].document.body?.dataset.ready")
		if text := p.Text(message); text != "" {
			t.Errorf("%v: %s", names, text)
		}
	}
	kind := func(want string) {
		t.Helper()
		p.Wait("frames[0].document.getElementById('kind').textContent === '" + want + "'")
	}
	choose := func(tab, part, has string) {
		t.Helper()
		p.Text("[...frames[0].document.querySelectorAll('[role=tab]')].find((one) => one.textContent.startsWith('" + tab + "')).click()")
		p.Wait("frames[0].document.getElementById('" + part + "').innerText.includes('" + has + "')")
	}

	open("burrow.map")
	kind("Teeworlds/DDNet map")
	p.Wait("frames[0].document.querySelector('img.leaflet-tile')?.naturalWidth")
	const tile = "/f/0/tile/1/0/0/0?view=map&side=256"
	want := httptest.NewRecorder()
	native(t, at("burrow.map")).Answer(want, httptest.NewRequest(http.MethodGet, tile, nil))
	got, err := base64.StdEncoding.DecodeString(p.Text(`trowel.get("` + tile + `").then(async (a) =>
		btoa(Array.from(new Uint8Array(await a.arrayBuffer()), (b) => String.fromCharCode(b)).join("")))`))
	if err != nil || string(got) != want.Body.String() {
		t.Errorf("a tile differs from that of the program: %v", err)
	}
	p.Wait("frames[0].document.querySelectorAll('#left-panes input[type=checkbox]').length > 10") // layers
	choose("About", "right-panes", "Download its folder")
	choose("Findings", "right-panes", "finding")
	p.Picture("findings")
	p.Text("[...frames[0].document.querySelectorAll('[role=tab]')].find((one) => one.textContent.startsWith('Bytes')).click()")
	p.Wait("/44\\s*41\\s*54\\s*41|41\\s*54\\s*41\\s*44/.test(frames[0].document.getElementById('stage').textContent)")
	choose("Picture", "head", "Picture")
	p.Text("[...frames[0].document.querySelectorAll('#files button, #files [role=treeitem]')].find((one) => " +
		"one.textContent.trim() === 'settings.cfg').click()")
	p.Wait("frames[0].document.getElementById('crumbs').textContent.includes('settings.cfg')")
	p.Text("frames[0].document.getElementById('link').click()")
	p.Wait("frames[0].document.getElementById('status').textContent.startsWith('A link cannot open these files')")
	if n := p.Text("trowel.get('/f/0/folder').then(async (a) => (await a.arrayBuffer()).byteLength)"); len(n) < 4 {
		t.Errorf("the folder has %s bytes as .zip", n)
	}

	// A mapper who asks what is against the release of his map, looks at the first finding, and takes a smaller file.
	p.Open(server.URL + "/?rules=ddnet")
	p.Wait("document.body.dataset.ready")
	open("burrow.map")
	p.Wait("frames[0].document.querySelector('#pane-release strong')?.textContent === '1 finding against a binding rule.'")
	p.Picture("release")
	p.Text("frames[0].document.querySelector('#pane-release li .what').click()")
	p.Wait("location.hash.includes('at=50.5')")
	p.Text("frames[0].document.querySelector('#pane-release .ready').click()")
	p.Wait("frames[0].document.querySelector('dialog strong')?.textContent.endsWith(' bytes')")
	p.Text("frames[0].document.querySelector('dialog .yes').click()")
	p.Wait("!frames[0].document.querySelector('dialog')")
	p.Open(server.URL + "/")
	p.Wait("document.body.dataset.ready")
	open("burrow.map")

	// The inspector at a place, the search, the time, and a change of the map.
	p.Text("(location.hash = '#at=20.5,10.5')")
	p.Wait("frames[0].document.querySelector('.pane-inspector .thing')")
	p.Text("(location.hash = '#tab=search&q=12,7')")
	p.Wait("frames[0].document.querySelector('#search')?.value === '12,7' && frames[0].document.querySelector('.found')")
	p.Text("(location.hash = '#time=1500')")
	p.Wait("frames[0].document.querySelector('.player output').textContent === '1.50 s'")
	p.Text("document.getElementById('edit').click()")
	p.Wait("document.getElementById('edit').ariaPressed === 'true' && frames[0].document.querySelectorAll('#operation option').length > 50")
	p.Text(`trowel.get("/f/1/edit").then((a) => a.json()).then((now) => trowel.get("/f/1/edit", { method: "POST",
		headers: { "Content-Type": "application/json", "Trowel-Edit": now.hash },
		body: JSON.stringify({ revision: now.revision, do: "add", words: ["border"] }) })).then((a) => a.text())`)
	p.Wait("frames[0].document.querySelector('#tab-edit .count').textContent === '1'")
	p.Wait("!frames[0].document.querySelector('button.save').disabled")
	p.Picture("edit")
	if n := p.Text("trowel.get('/f/1/edit/result').then(async (a) => (await a.arrayBuffer()).byteLength)"); len(n) < 5 {
		t.Errorf("the changed map has %s bytes", n)
	}
	p.Text("document.getElementById('keep-changes').click()") // otherwise the page asks before it closes the map

	open("ember.MOD")
	kind("Torchlight II mod")
	p.Picture("mod")
	open("hollow/world.mt", "hollow/map.sqlite")
	kind("Minetest/Luanti world")
	p.Picture("world")
	open("burrow.map", "other.map")
	p.Wait("frames[0].document.body.classList.contains('pair')")
	p.Picture("pair")
	open("burrow.map", "other.map", "ember.MOD")
	p.Wait("frames[0].document.querySelectorAll('.card img').length === 3")

	p.Choose("#files", at("wrong.map"))
	p.Wait(message)
	p.Picture("refused")
	if text := p.Text(message); !strings.HasPrefix(text, "wrong.map: ") {
		t.Error(text)
	}
	open("burrow.map") // the page works after an error
	kind("Teeworlds/DDNet map")
}

// TestFirefoxWalk walks through a world in Firefox: w moves the camera, and Escape goes back to the map. The page draws the blocks if this
// Firefox has WebGL2, which needs a driver; otherwise it shows pictures.
func TestFirefoxWalk(t *testing.T) {
	tests.Judges(t)
	server := httptest.NewServer(http.FileServer(http.Dir(made(t))))
	t.Cleanup(server.Close)
	p := firefox.Start(t)
	p.Open(server.URL + "/?open=samples/glade#stand=24,6,4")
	p.Wait("document.body.dataset.ready && frames[0]?.document.body?.dataset.ready")
	if text := p.Text("document.getElementById('message').textContent"); text != "" {
		t.Fatal(text)
	}
	const eye = "Number(frames[0].document.getElementById('place').textContent.split(/[xyz]/).at(-1))"
	if p.Text("Boolean(document.createElement('canvas').getContext('webgl2'))") == "true" {
		p.Wait("Number(frames[0].document.querySelector('canvas.blocks')?.dataset.cubes) > 0")
		p.Wait("frames[0].document.querySelector('.still.over')") // the picture of the program lies over the blocks
	} else {
		t.Log("without WebGL2")
		p.Wait("frames[0].document.querySelector('.map.walk .still')?.naturalWidth > 300")
	}
	p.Wait(eye + " === 4")
	p.Text("frames[0].focus(), frames[0].document.querySelector('.map').focus()")
	p.Press("w")
	p.Wait(eye + " === 5")
	p.Wait("location.hash.includes('stand=24%2C6%2C5') || location.hash.includes('stand=24,6,5')")
	p.Press("\ue00c")
	p.Wait("!location.hash.includes('stand') && frames[0].document.querySelector('.leaflet-tile-loaded')")
	if p.Text("Boolean(frames[0].document.querySelector('canvas.blocks'))") != "false" {
		t.Error("the blocks are still there")
	}
}
