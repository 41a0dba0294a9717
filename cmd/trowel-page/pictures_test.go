//go:build !js

package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trowel.example/cmd/internal/site"
	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

// externalize rewrites a map so that it contains all of its pictures, writes a copy with external images to a file and their pictures to
// a folder, and returns their names.
func externalize(t *testing.T, whole, to, mapres string) (names []string) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(whole)
	ok(err)
	m, err := twmap.Decode(data)
	ok(err)
	write := func(name string) {
		t.Helper()
		data, err := m.Encode()
		ok(err)
		ok(os.WriteFile(name, data, 0o600))
	}
	ok(os.MkdirAll(mapres, 0o777))
	for _, im := range m.Images {
		if im.External() {
			p := image.NewNRGBA(image.Rect(0, 0, 256, 256))
			draw.Draw(p, p.Rect, image.NewUniform(color.NRGBA{200, 80, 40, 255}), image.Point{}, draw.Src)
			im.SetPicture(p)
		}
		p, err := im.Picture()
		ok(err)
		var b bytes.Buffer
		ok(png.Encode(&b, p))
		ok(os.WriteFile(filepath.Join(mapres, im.Name+".png"), b.Bytes(), 0o600))
		names = append(names, im.Name)
	}
	write(whole)
	for _, im := range m.Images {
		im.SetExternal(im.Width(), im.Height())
	}
	write(to)
	return names
}

// TestPictures tests a map with pictures of the game: the page names them, takes them from the game's folder, keeps them in the browser
// if the user wants that, and forgets them.
func TestPictures(t *testing.T) {
	tests.Judges(t)
	dir := t.TempDir()
	whole, name, data := filepath.Join(dir, "burrow.map"), filepath.Join(dir, "outside.map"), filepath.Join(dir, "data")
	packed(t, "../../samples/burrow", whole)
	names := externalize(t, whole, name, filepath.Join(data, "mapres"))
	if len(names) == 0 {
		t.Fatal("the map has no images")
	}
	const tile = "/f/0/tile/1/0/0/0?view=map&side=256"
	want := httptest.NewRecorder()
	native(t, whole).Answer(want, httptest.NewRequest(http.MethodGet, tile, nil))
	same := func(p *chromium.Page) bool {
		t.Helper()
		got, err := base64.StdEncoding.DecodeString(chromium.Eval[string](p, `trowel.get("`+tile+`").then(async (a) =>
			btoa(Array.from(new Uint8Array(await a.arrayBuffer()), (b) => String.fromCharCode(b)).join("")))`))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Equal(got, want.Body.Bytes())
	}
	const (
		asks  = "!document.getElementById('pictures').hidden"
		ready = "!document.getElementById('view').hidden && frames[0]?.document.body?.dataset.ready"
	)
	p := servedPage(t, made(t))
	open := func() {
		p.Do(chromedp.SetUploadFiles("#files", []string{name}, chromedp.ByQuery))
		p.Wait(ready)
	}
	open()
	p.Wait(asks)
	if text := chromium.Eval[string](p, "document.getElementById('lack').textContent"); !strings.Contains(text, names[0]) {
		t.Errorf("the page asks: %s", text)
	}
	p.Picture("asks")
	if same(p) {
		t.Error("the picture is the same without the images")
	}
	// A folder without pictures changes nothing.
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "readme.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Do(chromedp.SetUploadFiles("#mapres", []string{empty}, chromedp.ByQuery))
	p.Wait("document.getElementById('message').textContent.startsWith('There are no pictures in it')")

	p.Do(chromedp.Click("#keep", chromedp.ByQuery), chromedp.SetUploadFiles("#mapres", []string{data}, chromedp.ByQuery))
	p.Wait("!document.getElementById('forget').hidden && document.getElementById('pictures').hidden && " + ready)
	if !same(p) {
		t.Error("the picture with the images of the folder differs from that of a map that contains them")
	}

	// The pictures are kept for the next visit, until the user forgets them.
	p.Do(chromedp.Reload())
	p.Wait("document.body.dataset.ready")
	open()
	if !same(p) {
		t.Error("the pictures were not kept")
	}
	p.Do(chromedp.Click("#forget", chromedp.ByQuery))
	p.Wait(asks + " && " + ready)
	if same(p) {
		t.Error("the pictures were not forgotten")
	}
	p.Do(chromedp.Reload())
	p.Wait("document.body.dataset.ready")
	open()
	p.Wait(asks)
	p.Do(chromedp.Click("#refuse", chromedp.ByQuery))
	p.Wait("document.getElementById('pictures').hidden")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}

	// A page that has the pictures itself does not ask for them, and credits their makers.
	license := filepath.Join(dir, "license.txt")
	if err := os.WriteFile(license, []byte("CC-BY-SA 3.0"), 0o600); err != nil {
		t.Fatal(err)
	}
	p = servedPage(t, madeWith(t, games{[]string{data}, []string{license}}))
	p.Wait("!document.getElementById('credits').hidden && document.querySelector('#credits a').textContent === 'DDNet'")
	open()
	if !same(p) {
		t.Error("the picture with the images of the page differs from that of a map that contains them")
	}
	if chromium.Eval[bool](p, asks) {
		t.Error("the page asks for pictures that it has")
	}
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
}

// madeWith writes the page with pictures of games to a folder.
func madeWith(t testing.TB, pictures games) string {
	t.Helper()
	all, err := all()
	if err != nil {
		t.Fatal(err)
	}
	all = maps.Clone(all)
	if err := addMapres(all, pictures); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "page")
	if err := site.Page(all).Write(dir, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestMapresRefused tests that folders without pictures, two of one game and folders without a licence are errors.
func TestMapresRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "grass_main.png")
	if err := os.WriteFile(file, []byte("picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pictures games
		want     string
	}{
		{games{[]string{dir}, nil}, "-license"},
		{games{[]string{t.TempDir()}, []string{file}}, "no pictures in it"},
		{games{[]string{dir, dir}, []string{file, file}}, "another folder of this game"},
		{games{[]string{dir}, []string{filepath.Join(dir, "none")}}, "none"},
	} {
		if err := addMapres(make(map[string][]byte), c.pictures); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.pictures, err, c.want)
		}
	}
}
