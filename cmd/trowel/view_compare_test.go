package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/teeworlds/twmap"
)

// changedMaps makes two versions of a map: the new version has other tiles, an additional setting, and its
// groups in another order.
func changedMaps(t *testing.T) (old, new string) {
	t.Helper()
	old = sample(t, "burrow", "burrow.map")
	new = filepath.Join(t.TempDir(), "burrow.map")
	editMap(t, old, new, func(m *twmap.Map) {
		tiles := m.Physics(twmap.KindGame).Tiles()
		for x := 3; x < 8; x++ {
			tiles.Set(x, 4, twmap.Tile{ID: 3})
		}
		tiles.Set(12, 9, twmap.Tile{ID: 60})
		m.Info.Settings = append(m.Info.Settings, "sv_gametype race")
		m.Groups[0], m.Groups[1] = m.Groups[1], m.Groups[0]
	})
	return old, new
}

type compared struct {
	State, Error string
	Same, ByFile bool
	Count, Kept  int
	Cells        int64
	Lines, Notes []string
	Changes      []struct {
		Text     string
		Data     json.RawMessage
		Count    int
		Old, New [][4]float64
	}
}

// compared returns the complete comparison of two files.
func (v *viewing) compared(query string) compared {
	v.t.Helper()
	for {
		var c compared
		_, data := v.get("/f/0/compare/1" + query)
		if err := json.Unmarshal(data, &c); err != nil {
			v.t.Fatalf("%v: %s", err, data)
		}
		if c.State != "running" {
			return c
		}
	}
}

// diff returns the output of diff for two different files.
func diff(t *testing.T, args ...string) []byte {
	t.Helper()
	out, _ := trowel(t, append([]string{"diff", "-q"}, args...)...).Output()
	return out
}

// TestViewCompare tests that the page shows the differences of two maps that diff prints, with their locations.
func TestViewCompare(t *testing.T) {
	old, new := changedMaps(t)
	v := view(t, old, new)
	c := v.compared("?where=1&view=map")
	if want := strings.Split(strings.TrimSpace(string(diff(t, old, new))), "\n"); !slices.Equal(c.Lines, want) {
		t.Errorf("it says\n%q, diff says\n%q", c.Lines, want)
	}
	var want []struct {
		Change string
		Area   struct{ Width, Height int }
	}
	if err := json.Unmarshal(diff(t, "--json", old, new), &want); err != nil {
		t.Fatal(err)
	}
	if c.State != "done" || c.ByFile || len(want) != len(c.Changes) || c.Count != len(want) {
		t.Fatalf("%+v", c)
	}
	cells, all := 0, 0
	for i, change := range c.Changes {
		marked := 0.0
		for _, r := range change.New {
			marked += (r[2] - r[0]) * (r[3] - r[1])
		}
		if want[i].Change != "tiles" {
			all += change.Count
			continue
		}
		n := want[i].Area.Width * want[i].Area.Height
		cells += n
		if change.Count != n || marked != float64(n) {
			t.Errorf("%s: %d cells and %v marked, not %d", change.Text, change.Count, marked, n)
		}
	}
	if cells != 6 || c.Cells != int64(cells+all) {
		t.Errorf("%d cells of %d changed", cells, c.Cells)
	}
	v.stop()
}

// TestViewCompareFiles tests that files of formats without their own comparison are compared file by file, with
// the lines of each, and that a file does not differ from itself.
func TestViewCompareFiles(t *testing.T) {
	old := sample(t, "ember", "ember.MOD")
	dir := filepath.Join(t.TempDir(), "new")
	run(t, "extract", "-q", old, "-o", dir)
	name := ""
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if name == "" && strings.HasSuffix(path, ".DAT") {
			name = path
		}
		return err
	})
	if err != nil || name == "" {
		t.Fatal(err, name)
	}
	text := judge.Read(t, name)
	line := utf16("\r\n\t<STRING>NAME:EMBER_GLOW\r\n")
	if !bytes.Contains(text, line) {
		t.Fatalf("%s: %q", name, text)
	}
	judge.Write(t, name, bytes.Replace(text, line, utf16("\r\n\t<STRING>NAME:<b>GLOW\r\n"), 1))
	v := view(t, old, old)
	if c := v.compared(""); !c.Same || c.Count != 0 {
		t.Errorf("the same file: %+v", c)
	}
	v.stop()
	v = view(t, old, dir)
	c := v.compared("")
	path := filepath.ToSlash(strings.TrimPrefix(name, dir+string(filepath.Separator)))
	if !c.ByFile || c.Count != 1 || len(c.Changes) != 1 || c.Changes[0].Text != path+": +1 -1 lines" {
		t.Errorf("a changed line: %+v", c)
	}
	if _, data := v.get("/f/0/compare/1/text?path=" + path); !strings.Contains(string(data), `+\t\u003cSTRING\u003eNAME:\u003cb\u003eGLOW`) {
		t.Errorf("the line is not told: %s", data)
	}
	v.stop()
	// Files of different formats are compared, too.
	v = view(t, old, sample(t, "burrow", "burrow.map"))
	c = v.compared("")
	if !c.ByFile || c.Count == 0 || c.Same {
		t.Errorf("files of two formats: %+v", c)
	}
	var first struct{ Path, Change string }
	if err := json.Unmarshal(c.Changes[0].Data, &first); err != nil || first.Change != "removed" {
		t.Errorf("%v: %+v", err, first)
	}
	if status, data := v.get(fmt.Sprintf("/f/0/compare/1/text?path=%s", "..%2f..%2fetc/passwd")); status != 404 {
		t.Errorf("%d %s", status, data)
	}
	v.stop()
}

// utf16 encodes text as the game does.
func utf16(text string) []byte {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r), byte(r>>8))
	}
	return b
}

// TestViewComparePage compares two maps in a browser, using only the keyboard.
func TestViewComparePage(t *testing.T) {
	old, new := changedMaps(t)
	v := view(t, old, new)
	p := v.open(1280, 800)
	p.Wait(`document.querySelector(".swipe") && document.querySelector(".leaflet-other-pane .leaflet-tile-loaded")`)
	// 6 tiles, a moved group, and a line.
	p.Wait(`document.querySelectorAll(".changes li").length === 4 && document.querySelector(".pane-changes ` +
		`[data-cells]").dataset.cells === "8"`)
	if title := chromium.Eval[string](p, `document.getElementById("title").textContent`); !strings.Contains(title, "burrow.map (old)") {
		t.Errorf("two files of one name are called %q", title)
	}
	clip := `document.querySelector(".leaflet-other-pane").style.clipPath`
	before := chromium.Eval[string](p, clip)
	p.Do(chromedp.Focus(".swipe"))
	for range 5 {
		p.Press(kb.ArrowRight)
	}
	p.Wait(`document.querySelector(".swipe").getAttribute("aria-valuenow") === "60" && location.hash.includes("border=60")`)
	if after := chromium.Eval[string](p, clip); after == before || !strings.HasPrefix(after, "polygon(") {
		t.Errorf("the border moved, and %s became %s", before, after)
	}
	p.Picture("swipe")
	p.Press("b")
	p.Wait(`document.querySelector(".leaflet-other-pane").style.visibility === "hidden" && ` +
		`document.querySelector(".leaflet-tile-pane").style.visibility === ""`)
	p.Press("b")
	p.Wait(`document.querySelector(".leaflet-tile-pane").style.visibility === "hidden" && ` +
		`document.querySelector(".leaflet-other-pane").style.visibility === ""`)
	for range 4 {
		p.Press("n")
	}
	p.Wait(`document.querySelector(".changes [aria-current]")?.textContent.includes("tiles 12,9: air -> 60")`)
	p.Wait(`document.querySelector(".here")?.textContent.includes("Game/Game + added") && location.hash.includes("at=12.5%2C9.5")`)
	settle(p)
	p.Accessible("a change")
	p.Press("p")
	p.Wait(`document.querySelector(".changes [aria-current]")?.textContent.includes("5 x 1 tiles at 3,4")`)
	p.Dark(true)
	p.Do(chromedp.Click(`[data-way="side"]`))
	p.Wait(`document.querySelector(".map.twin .leaflet-tile-loaded")`)
	settle(p)
	p.Accessible("side by side")
	p.Picture("side")
	p.Resize(360, 740)
	p.Wait(`document.querySelector(".map").dataset.over === "swipe" && !document.querySelector(".twin")`)
	p.Picture("small")
	needsProgram(t, "notice that a file has changed")
	// The old content is saved to the new file.
	data := judge.Read(t, old)
	judge.Write(t, new+".tmp", data)
	if err := os.Rename(new+".tmp", new); err != nil {
		t.Fatal(err)
	}
	p.Wait(`document.querySelector(".pane-changes [role=status]").textContent.includes("the same, byte for byte")`)
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}
