package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge/chromium"
)

// backedUp makes a world with a repository of backups: in each of the n states another box of bricks was added, and one more
// since the last backup. It returns the names of the snapshots.
func backedUp(t *testing.T, n int) (world, repo string, ids []string) {
	t.Helper()
	world = sample(t, "glade", "glade")
	repo = filepath.Join(t.TempDir(), "repo")
	for i := range n {
		run(t, "backup", "-q", world, repo)
		x := 2 + 4*i
		run(t, "edit", "-q", world, "--in-place", "--backup", filepath.Join(t.TempDir(), "before.zip"), "--", "set", "default:brick",
			"--box", fmt.Sprintf("%d,2,3:%d,14,6", x, x+2))
	}
	for line := range strings.Lines(string(run(t, "ls", repo))) {
		ids = append(ids, strings.TrimSuffix(strings.TrimSpace(line), ".txt"))
	}
	if len(ids) != n {
		t.Fatalf("%d snapshots: %q", len(ids), ids)
	}
	return world, repo, ids
}

type stateItem struct {
	ID                          int
	Key, Kind, Title, By, Error string
}

// states returns the earlier states that the page lists.
func (v *viewing) states() []stateItem {
	v.t.Helper()
	var answer struct{ States []stateItem }
	status, data := v.get("/states")
	if err := json.Unmarshal(data, &answer); err != nil || status != 200 {
		v.t.Fatalf("%d %s: %v", status, data, err)
	}
	return answer.States
}

// TestViewStates tests that old states of a world look and compare as the restored worlds do, without being restored, and that
// a snapshot that is removed is one clear error.
func TestViewStates(t *testing.T) {
	world, repo, ids := backedUp(t, 3)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	before := listing(t, repo)
	v := view(t, world, "--backups", repo)
	states := v.states()
	if len(states) != 3 {
		t.Fatalf("%+v", states)
	}
	var restored []string
	for i, s := range states[:2] {
		if s.Key != ids[i] || s.Kind != "snapshot" {
			t.Errorf("state %d is %+v, not %s", i, s, ids[i])
		}
		old := filepath.Join(t.TempDir(), "glade")
		run(t, "restore", "-q", repo, "--moment", ids[i], "-o", old)
		restored = append(restored, old)
		w := view(t, old)
		for _, at := range []string{"0/0/0", "0/0/-1", "-2/0/-1"} {
			_, want := w.get("/f/0/tile/1/" + at)
			status, got := v.get(fmt.Sprintf("/f/%d/tile/1/%s", s.ID, at))
			if status != 200 && status != 204 || !bytes.Equal(got, want) {
				t.Errorf("tile %s of state %d: %d, %d bytes; the restored world has %d", at, i, status, len(got), len(want))
			}
		}
		_, want := w.get("/f/0/inspect?x=3.5&y=-4.5&view=top")
		_, got := v.get(fmt.Sprintf("/f/%d/inspect?x=3.5&y=-4.5&view=top", s.ID))
		if !bytes.Equal(got, want) || !bytes.Contains(got, []byte("things")) {
			t.Errorf("state %d has %s, the restored world %s", i, got, want)
		}
		w.stop()
	}
	c := v.comparedTo(states[0].ID, states[1].ID, "?run=1")
	want := strings.Split(strings.TrimSpace(string(diff(t, restored[0], restored[1]))), "\n")
	if !slices.Equal(c.Lines, want) || c.Count < 2 {
		t.Errorf("it says\n%q, diff says\n%q", c.Lines, want)
	}
	if c := v.comparedTo(states[1].ID, 0, "?run=1"); c.Count < 2 || c.Error != "" {
		t.Errorf("compared with the world as it is: %+v", c)
	}
	_ = filepath.WalkDir(temp, func(path string, e fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), "map.sqlite") {
			t.Errorf("a database was written: %s", path)
		}
		return err
	})
	if after := listing(t, repo); after != before {
		t.Errorf("the repository has changed from\n%s\nto\n%s", before, after)
	}

	run(t, "forget", "-q", repo, ids[2], "--prune")
	status, data := v.get(fmt.Sprintf("/f/%d/open", states[2].ID))
	if status != 404 || !strings.Contains(string(data), "the snapshot "+ids[2]+" is not in the repository any more") {
		t.Errorf("a removed snapshot: %d %s", status, data)
	}
	if strings.Contains(string(data), repo) || strings.Contains(string(data), temp) {
		t.Errorf("a path of the disk is in %s", data)
	}
	if status, data := v.get(fmt.Sprintf("/f/%d/open", states[0].ID)); status != 200 {
		t.Errorf("the others: %d %s", status, data)
	}
	v.stop()
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("files are left: %q", left)
	}
}

// comparedTo is compared for two files.
func (v *viewing) comparedTo(old, new int, query string) (c compared) {
	v.t.Helper()
	for c.State == "" || c.State == "running" {
		status, data := v.get(fmt.Sprintf("/f/%d/compare/%d%s", old, new, query))
		if err := json.Unmarshal(data, &c); err != nil || status != 200 {
			v.t.Fatalf("%d %s: %v", status, data, err)
		}
	}
	return c
}

// TestViewStatesPage goes back in time in a browser, with the keyboard: the slider, two states in one picture, their changes, a
// link, and a snapshot that is removed while it is shown.
func TestViewStatesPage(t *testing.T) {
	world, repo, ids := backedUp(t, 4)
	v := view(t, world, "--backups", repo)
	p := v.open(1280, 800)
	slider := `document.getElementById("state")`
	p.Wait(slider + `?.max === "4" && ` + slider + `.value === "4" && document.querySelector(".leaflet-tile-loaded")`)
	p.Accessible("now")
	p.Do(chromedp.Focus("#state"))
	p.Press(kb.ArrowLeft)
	p.Wait(`location.hash.includes("then=` + ids[3] + `") && document.getElementById("title").textContent.startsWith("glade of ")`)
	if text := chromium.Eval[string](p, slider+`.getAttribute("aria-valuetext")`); !strings.HasPrefix(text, "Snapshot, ") {
		t.Errorf("the slider is at %q", text)
	}
	p.Press("<")
	p.Wait(`location.hash.includes("then=` + ids[2] + `")`)
	settle(p)
	p.Accessible("an old state")
	p.Picture("old")
	p.Press("=")
	p.Wait(`document.querySelector(".swipe .new")?.textContent === "Now" && ` +
		`document.querySelector(".leaflet-other-pane .leaflet-tile-loaded")`)
	p.Do(chromedp.SetValue("#state-with", ids[1]))
	p.Do(chromedp.Evaluate(`document.getElementById("state-with").dispatchEvent(new Event("change"))`, nil))
	p.Wait(`location.hash.includes("with=` + ids[1] + `") && document.querySelector(".pane-changes .strong")`)
	settle(p)
	p.Do(chromedp.Evaluate(`document.querySelector(".pane-changes .strong").click()`, nil))
	p.Wait(`document.querySelectorAll(".changes li").length >= 2 && ` +
		`Number(document.querySelector(".pane-changes [data-cells]").dataset.cells) > 100`)
	p.Press("n")
	p.Wait(`document.querySelector(".changes [aria-current]")?.textContent.includes("default:brick")`)
	settle(p)
	p.Accessible("two states")
	p.Picture("two")
	p.Dark(true)
	p.Resize(360, 740)
	settle(p)
	p.Accessible("two states, small")
	p.Picture("small")
	p.Resize(1280, 800)

	// The link of the place opens the same two states.
	link := chromium.Eval[string](p, "location.href")
	p.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	p.Wait(`document.body.dataset.ready && document.querySelector(".swipe") && ` + slider + `.value === "2"`)
	p.Do(chromedp.SetValue("#state-with", ""))
	p.Do(chromedp.Evaluate(`document.getElementById("state-with").dispatchEvent(new Event("change"))`, nil))
	p.Wait(`!document.querySelector(".swipe") && !location.hash.includes("with=")`)

	run(t, "forget", "-q", repo, ids[0], "--prune")
	p.Press("<")
	p.Press("<")
	p.Wait(`document.querySelectorAll("#stage > .failed").length === 1 && ` +
		`document.querySelector("#stage > .failed").textContent.includes("is not in the repository any more")`)
	p.Picture("removed")
	p.Press(">")
	p.Wait(`!document.querySelector("#stage > .failed") && document.querySelector("#stage .leaflet-tile-loaded")`)
	for _, m := range p.Messages() {
		if !strings.Contains(m, "404") { // of the removed snapshot
			t.Errorf("on the console: %s", m)
		}
	}
	v.stop()
}

// TestViewNoStates tests that a page without earlier states loads nothing for them.
func TestViewNoStates(t *testing.T) {
	path := sample(t, "burrow", "burrow.map")
	v := view(t, path)
	if _, data := v.get("/session"); bytes.Contains(data, []byte(`"states"`)) {
		t.Errorf("%s", data)
	}
	if status, _ := v.get("/states"); status != 404 {
		t.Errorf("the states: %d", status)
	}
	v.stop()
	run(t, "edit", "-q", path, "--in-place", "--", "fill-tiles", "1", "--layer", "game", "--area", "3,4:8,5")
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 2 {
		t.Fatalf("%v", names)
	}
	v = view(t, path)
	states := v.states()
	if len(states) != 1 || states[0].Kind != "backup" {
		t.Fatalf("%+v", states)
	}
	if c := v.comparedTo(states[0].ID, 0, ""); c.Count != 1 || c.Cells != 12 {
		t.Errorf("the backup and the map: %+v", c)
	}
	v.stop()
}

// TestViewPutBackPage draws a box in the picture of a snapshot, puts it back into the world, looks at the result, and saves it.
func TestViewPutBackPage(t *testing.T) {
	world, repo, ids := backedUp(t, 2)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	v := view(t, world, "--backups", repo, "--edit")
	p := v.open(1280, 800)
	p.Wait(`document.querySelector(".pane-edit select") && document.querySelector(".leaflet-tile-loaded")`)
	p.Wait(`document.querySelector(".put").hidden`)
	p.Press("<")
	p.Press("<")
	p.Wait(`location.hash.includes("then=` + ids[0] + `") && !document.querySelector(".put").hidden`)
	settle(p)
	p.Do(chromedp.Click(".put"))
	p.Wait(`document.querySelector(".picking")`)
	at := chromium.Eval[[]float64](p, `(() => { const r = document.querySelector(".map").getBoundingClientRect();
		return [r.left, r.top, r.width, r.height]; })()`)
	before := chromium.Eval[string](p, "location.hash")
	p.Do(chromedp.MouseEvent("mousePressed", at[0]+at[2]*0.2, at[1]+at[3]*0.3, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseMoved", at[0]+at[2]*0.5, at[1]+at[3]*0.6, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseReleased", at[0]+at[2]*0.8, at[1]+at[3]*0.9, chromedp.ButtonLeft))
	p.Wait(`document.querySelector("dialog #put-from-x")`)
	p.Accessible("put back")
	p.Picture("box")
	if after := chromium.Eval[string](p, "location.hash"); after != before {
		t.Errorf("drawing the box moved the picture from %s to %s", before, after)
	}
	if n := chromium.Eval[int](p, `document.getElementById("put-to-x").value - document.getElementById("put-from-x").value`); n < 5 {
		t.Errorf("the box has a width of %d", n)
	}
	for _, f := range []string{"from-x", "from-z"} {
		p.Do(chromedp.SetValue("#put-"+f, "-100"))
	}
	for _, f := range []string{"to-x", "to-z"} {
		p.Do(chromedp.SetValue("#put-"+f, "100"))
	}
	p.Do(chromedp.Click("dialog .yes"))
	p.Wait(`document.querySelector(".edits .line")?.textContent.includes("put-back --box=-100,-32768,-100:100,32767,100") && ` +
		`!location.hash.includes("then=")`)
	settle(p)
	p.Accessible("the list")
	p.Picture("list")
	p.Do(chromedp.Click("button.save"))
	p.Wait(`document.querySelector("dialog .yes")`)
	p.Do(chromedp.Click("dialog .yes"))
	p.Wait(`document.querySelector("#status .unsave") && document.querySelector("#status").textContent.includes("backup")`)
	settle(p)
	old := filepath.Join(t.TempDir(), "glade")
	run(t, "restore", "-q", repo, "--moment", ids[0], "-o", old)
	if out := string(diff(t, old, world)); strings.Contains(out, "default:brick") {
		t.Errorf("the bricks are still there: %s", out)
	}
	for _, m := range p.Messages() {
		if !strings.Contains(m, "503") { // while it is saved, the page repeats its requests
			t.Errorf("on the console: %s", m)
		}
	}
	v.stop()
}

// TestViewPlacesPage compares a snapshot with the world as it is: what was built is one place of the list, with its box, and is put
// back from there.
func TestViewPlacesPage(t *testing.T) {
	world, repo, ids := backedUp(t, 1)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	v := view(t, world, "--backups", repo, "--edit")
	c := v.comparedTo(v.states()[0].ID, 0, "?run=1")
	if c.Count != 2 || c.Cells != 3*13*4+1 { // and a file that edit has made
		t.Errorf("%d changes of %d nodes", c.Count, c.Cells)
	}
	p := v.open(1280, 800)
	p.Wait(`document.querySelector(".pane-edit select") && document.querySelector(".leaflet-tile-loaded")`)
	p.Press("<")
	p.Wait(`location.hash.includes("then=` + ids[0] + `")`)
	settle(p)
	p.Do(chromedp.Click("#tab-edit"))
	p.Press("=")
	p.Wait(`document.querySelector("#tab-changes")?.ariaSelected === "true"`)
	p.Wait(`document.querySelector(".pane-changes .strong") || document.querySelector(".changes li")`)
	p.Do(chromedp.Evaluate(`document.querySelector(".pane-changes .strong")?.click()`, nil))
	p.Wait(`document.querySelectorAll(".changes li").length === 2`)
	p.Do(chromedp.Click(".changes li .link"))
	p.Wait(`document.querySelector(".changes li .put")`)
	settle(p)
	p.Picture("place")
	p.Accessible("a place")
	p.Do(chromedp.Click(".changes li .put"))
	p.Wait(`document.querySelector("dialog #put-from-x")`)
	box := chromium.Eval[string](p, `[...document.querySelectorAll("dialog input")].map((f) => f.value).join()`)
	if box != "2,2,3,4,14,6" {
		t.Errorf("the box is %s", box)
	}
	p.Do(chromedp.Click("dialog .yes"))
	p.Wait(`document.querySelector(".edits .line")?.textContent.includes("put-back --box=2,2,3:4,14,6")`)
	settle(p)
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}
