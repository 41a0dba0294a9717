package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/teeworlds/twmap"
)

// TestViewCell goes to a cell of a real map with the keyboard only, and reads its description: as in the tree,
// with its line and its findings.
func TestViewCell(t *testing.T) {
	path := goldMine(t)
	v := view(t, path)
	p := v.open(1280, 800)
	p.Press("g")
	p.Wait("document.querySelector('dialog[open] input')")
	p.Press("161,37" + kb.Enter)
	p.Wait("location.hash.includes('x=161.50&y=37.50')") // the target of the move
	p.Do(chromedp.Focus(".map"))
	p.Press(kb.Enter)
	p.Wait("document.querySelector('#pane-inspector')?.textContent.includes('28:0')")
	p.Picture("cell")
	// The line on the page is that of the tree.
	said := chromium.Eval[string](p, "document.querySelector('#pane-inspector').textContent")
	line := 0
	file := "groups/Game/Speedup.txt"
	if i := strings.Index(said, file+":"); i < 0 {
		t.Fatalf("no line of %s in %q", file, said)
	} else if _, err := fmt.Sscanf(said[i+len(file)+1:], "%d", &line); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(run(t, "cat", path, file)), "\n")
	cells := strings.Fields(lines[line-1])
	if len(cells) <= 161 || !strings.HasPrefix(cells[161], "28:0") {
		t.Errorf("line %d of %s has no 28:0 at 161: %q", line, file, lines[line-1])
	}
	// The findings of check are shown, too.
	p.Do(chromedp.Focus(".map"))
	p.Press("n")
	p.Wait("document.querySelector('#pane-findings')?.textContent.includes('tw-map-tile-unused')")
	p.Picture("findings")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}

// TestViewFindings goes through all places of all findings with one key, and tests that each is visible in the
// picture or in its text.
func TestViewFindings(t *testing.T) {
	path := goldMine(t)
	var reports []struct {
		Findings []struct {
			ID string
			At []struct{ X, Y *int }
		}
	}
	if err := json.Unmarshal(run(t, "check", "--json", path), &reports); err != nil {
		t.Fatal(err)
	}
	var want []string
	places := 0
	for _, f := range reports[0].Findings {
		places += max(1, len(f.At))
		for _, at := range f.At {
			if at.X != nil {
				want = append(want, fmt.Sprintf("%d,%d", *at.X, *at.Y))
			}
		}
	}
	if len(want) == 0 {
		t.Fatal("no finding of Gold Mine has a place")
	}
	v := view(t, path)
	p := v.open(1280, 800)
	// Moves without animation.
	p.Do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}))
	p.Wait("document.querySelector('#tab-findings')?.textContent.match(/[0-9]/)")
	got := map[string]bool{}
	for range places {
		p.Do(chromedp.Focus(".map"))
		p.Press("n")
		p.Wait("document.body.dataset.ready")
		at := chromium.Eval[string](p, `(async () => {
			await new Promise((go) => setTimeout(go, 50));
			const s = new URLSearchParams(location.hash.slice(1)), at = (s.get("at") ?? "").split(",").map(Number);
			const mark = document.querySelector(".map").getBoundingClientRect();
			const zoom = 32 * 2 ** Number(s.get("z"));
			const seen = Math.abs(at[0] - Number(s.get("x"))) * zoom <= mark.width / 2 && Math.abs(at[1] -
			Number(s.get("y"))) * zoom <= mark.height / 2;
			return s.get("at") ? Math.floor(at[0]) + "," + Math.floor(at[1]) + (seen ? "" : " not seen") : "";
		})()`)
		if strings.Contains(at, "not seen") {
			t.Errorf("%s is outside of the picture", at)
		}
		got[at] = true
	}
	for _, at := range want {
		if !got[at] {
			t.Errorf("%s was not visited", at)
		}
	}
	t.Logf("%d places, %d of them in the map", places, len(want))
	v.stop()
}

// TestViewChanged changes a tile while the page is open, and tests that only affected tiles are requested
// again, and that the view stays.
func TestViewChanged(t *testing.T) {
	needsProgram(t, "notice that a file has changed")
	path := sample(t, "burrow", "burrow.map")
	v := view(t, path)
	p := v.open(1280, 800)
	visit(p, "x=30&y=20&z=0&at=30.5,20.5")
	p.Wait("document.querySelectorAll('.leaflet-tile-loaded').length >= 10")
	p.Wait("document.querySelector('.pane-inspector .thing')")
	settle(p)
	all := chromium.Eval[int](p, "document.querySelectorAll('.leaflet-tile-loaded').length")
	things := chromium.Eval[int](p, "document.querySelectorAll('.pane-inspector .thing').length")
	hash := chromium.Eval[string](p, "location.hash")
	if all < 10 {
		t.Fatalf("only %d tiles are there", all)
	}
	p.Forget()
	next := filepath.Join(t.TempDir(), "next.map")
	run(t, "edit", "-q", path, "-o", next, "--", "fill-tiles", "9", "--layer", "Ground/Earth", "--area", "30,20:30,20")
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
	p.Wait(fmt.Sprintf("document.querySelectorAll('.pane-inspector .thing').length > %d", things))
	p.Wait("performance.getEntriesByType('resource').some((e) => e.name.includes('/tile/2/'))")
	settle(p)
	var fetched []string
	for _, r := range p.Requests() {
		if strings.Contains(r, "/tile/") {
			fetched = append(fetched, r)
		}
	}
	t.Logf("%d of %d tiles were fetched again", len(fetched), all)
	if len(fetched) == 0 || len(fetched) > min(4, all/3) || !strings.Contains(fetched[0], "/tile/2/") {
		t.Errorf("%d of %d tiles were fetched again: %q", len(fetched), all, fetched)
	}
	if now := chromium.Eval[string](p, "location.hash"); now != hash {
		t.Errorf("the state is %s, and was %s", now, hash)
	}
	p.Wait("document.querySelector('#pane-inspector')?.textContent.includes('Ground/Earth')")
	p.Picture("changed")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}

// TestViewDamage tests that a file that is cut off opens with what the command line prints, and a link to its findings.
func TestViewDamage(t *testing.T) {
	path := sample(t, "burrow", "burrow.map")
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, data[:len(data)/2], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	v := view(t, path)
	p := v.open(1440, 900)
	p.Wait("document.getElementById('damage').textContent.includes('the file is cut off: ')")
	settle(p)
	for _, dark := range []bool{false, true} {
		p.Dark(dark)
		p.Accessible("damage", "color-contrast")
		p.Picture(fmt.Sprint("open", dark))
	}
	p.Resize(390, 844)
	p.Picture("phone")
	p.Resize(1440, 900)
	p.Do(chromedp.Click("#damage button", chromedp.ByQuery))
	p.Wait("[...document.querySelectorAll('[role=tab][aria-selected=true]')].some((tab) => tab.textContent.startsWith('Findings'))")
	v.stop()
}

// TestViewMissing tests that missing data of the picture is listed after a change outside of the visible area,
// and after the page is reloaded: the tiles are cached together with their missing data.
func TestViewMissing(t *testing.T) {
	path := sample(t, "burrow", "burrow.map")
	editMap(t, path, path, func(m *twmap.Map) {
		for _, g := range m.Groups {
			for _, l := range g.Layers {
				if l, ok := l.(*twmap.TileLayer); ok && l.Image >= 0 {
					m.Images[l.Image] = twmap.NewExternalImage("nowhere_to_be_found", 1024, 1024)
					return
				}
			}
		}
	})
	v := view(t, path)
	p := v.open(1280, 800)
	listed := `[...document.querySelectorAll(".pane-missing td")].some((n) => n.textContent === "nowhere_to_be_found")`
	p.Wait(listed)
	needsProgram(t, "notice that a file has changed")
	editMap(t, path, path+".new", func(m *twmap.Map) { m.Info.Settings = append(m.Info.Settings, "sv_gametype race") })
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	p.Wait(`performance.getEntriesByType("resource").some((e) => e.name.includes("/stale"))`)
	settle(p)
	for _, when := range []string{"changed", "loaded again"} {
		var missing struct{ Missing []struct{ Name string } }
		if _, data := v.get("/f/0/missing?view=map"); json.Unmarshal(data, &missing) != nil ||
			!slices.ContainsFunc(missing.Missing, func(m struct{ Name string }) bool { return m.Name == "nowhere_to_be_found" }) {
			t.Errorf("%s: missing is %s", when, data)
		}
		p.Do(chromedp.Reload())
		p.Wait("document.body.dataset.ready")
		p.Wait(listed)
	}
	v.stop()
}
