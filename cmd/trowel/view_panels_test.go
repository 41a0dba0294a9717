package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
)

// hash is an expression for the values in the fragment of the page's address.
const hash = "new URLSearchParams(location.hash.slice(1))"

// TestViewPanels uses the panels of bytes and fields, findings and search with the keyboard and the mouse.
func TestViewPanels(t *testing.T) {
	source := filepath.Join(t.TempDir(), "burrow")
	if err := os.CopyFS(source, os.DirFS("../../samples/burrow")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "burrow.map")
	run(t, "pack", "-q", source, "-o", file)
	v := view(t, file)
	p := v.open(1500, 900)

	// A byte leads to its field, anywhere in the list, and a field to its bytes.
	visit(p, "mode=hex")
	p.Wait("document.querySelector('.bytes td[data-o=\"200\"]')")
	p.Do(chromedp.Click(`.bytes td[data-o="201"]`))
	p.Wait("document.querySelector('.field.chosen .key')?.textContent === '[11]'")
	p.Wait("document.querySelector('.told strong')?.textContent === 'item_offsets[11]'")
	if got := chromium.Eval[int](p, "document.querySelectorAll('.bytes td.sel').length"); got != 4 {
		t.Errorf("%d bytes are selected, want 4", got)
	}
	p.Press(kb.ArrowDown)
	p.Wait("document.querySelector('.told strong')?.textContent === 'item_offsets[15]'")
	p.Do(chromedp.Focus(".fields"))
	p.Press(kb.ArrowDown)
	p.Wait(hash + ".get('offset') === '220' && document.querySelector('.bytes td[data-o=\"220\"]').matches('.cur.sel')")
	block, offset := quadBlock(t, file)
	p.Do(chromedp.SetValue(".jump", fmt.Sprintf("%#x", offset+3)), chromedp.SendKeys(".jump", kb.Enter))
	p.Wait("document.querySelector('.told strong')?.textContent === '" + block + "'")
	p.Do(chromedp.Focus(".bytes"))
	p.Press(kb.Enter) // opens the inflated data
	p.Wait(hash + ".get('space') === '" + block + "'")
	p.Wait("document.querySelector('.told strong')?.textContent.startsWith('" + block + ".quads[0]')")
	p.Press(kb.Backspace)
	p.Wait(hash + ".get('space') === null && document.querySelector('.told strong')?.textContent === '" + block + "'")

	// The key n goes through all places, moves the view to each and describes it.
	visit(p, "")
	p.Wait("document.querySelector('#tab-findings .count').textContent === '1'")
	var places []string
	for i := range 34 {
		p.Press("n")
		p.Wait(fmt.Sprintf("%s.get('finding') === '%s'", hash, map[bool]string{true: "0", false: fmt.Sprintf("0.%d", i%33)}[i%33 == 0]))
		p.Wait("document.querySelector('#pane-inspector .spot')?.textContent.includes('x ' + Math.floor(" + hash + ".get('at').split(',')[0]))")
		places = append(places, chromium.Eval[string](p, hash+".get('at')"))
	}
	seen := make(map[string]bool)
	for _, at := range places {
		seen[at] = true
	}
	if len(seen) != 33 || places[0] != places[33] {
		t.Errorf("n went to %d places: %v", len(seen), places)
	}
	p.Press("p")
	p.Wait(hash + ".get('at') === '" + places[32] + "'")

	// Search by query, by text and by coordinates.
	search := func(text string) {
		t.Helper()
		p.Press("/")
		p.Wait("document.activeElement?.id === 'search'")
		p.Do(chromedp.SetValue("#search", text), chromedp.SendKeys("#search", kb.Enter))
	}
	search("tile 'freeze'")
	p.Wait("document.querySelectorAll('.found tbody tr').length === 37")
	p.Do(chromedp.Blur("#search"))
	p.Press("N")
	p.Wait(hash + ".get('at') === '21.5,24.5' && " + hash + ".get('hit') === '0'")
	search("SV_TEAM")
	p.Wait("document.querySelector('.found li .line-text')?.textContent === 'sv_team 1'")
	p.Do(chromedp.Click(".found li .link"))
	p.Wait(hash + ".get('path') === 'settings.cfg' && document.querySelector('.line.chosen')?.textContent.includes('sv_team 1')")
	visit(p, "")
	search("12,7")
	p.Wait(hash + ".get('at') === '12.5,7.5'")
	p.Press(kb.Escape)
	p.Wait("!document.querySelector('#search').value && !" + hash + ".has('q')")

	// What is against a release of the map, by the rules in the link: each finding leads to its place, and other rules find others.
	visit(p, "rules=ddnet")
	p.Wait("document.querySelector('#pane-release strong')?.textContent === '1 finding against a binding rule.'")
	p.Wait("document.querySelector('#tab-release .count').textContent === '1'")
	p.Do(chromedp.Click("#pane-release li .what"))
	p.Wait(hash + ".get('at') === '50.5,17.5'")
	p.Wait("document.querySelector('#pane-release li.chosen .muted')?.textContent === 'Start and finish line: start line'")
	const logos = "[...document.querySelectorAll('#pane-release .notes li')].some((li) => li.textContent === 'logos are behind the tees')"
	if !chromium.Eval[bool](p, logos) {
		t.Error("the list of what a person must look at is incomplete")
	}
	p.Picture("release")
	chromium.Eval[bool](p, `(() => {
		const count = document.querySelector("#tab-release .count");
		window.counts = [];
		new MutationObserver(() => counts.push(count.textContent)).observe(count, { childList: true });
		return true;
	})()`)
	p.Do(chromedp.SetValue("#pane-release select[name=rules]", "kog"), chromedp.Evaluate(
		"document.querySelector('#pane-release select[name=rules]').dispatchEvent(new Event('change'))", nil))
	p.Wait("document.querySelector('#pane-release strong')?.textContent.startsWith('As far as a program can see')")
	if counts := chromium.Eval[string](p, "counts.join()"); strings.Contains(counts, "…") {
		t.Errorf("the tab flickers: %q", counts)
	}

	// The selected finding stays selected when the file has changed and has another finding.
	visit(p, "tab=findings&finding=0.5")
	p.Wait("document.querySelector('.places [aria-current]')")
	place := chromium.Eval[string](p, "document.querySelector('.places [aria-current]').textContent")
	needsProgram(t, "notice that a file has changed")
	settings := filepath.Join(source, "settings.cfg")
	old := judge.Read(t, settings)
	judge.Write(t, settings, append([]byte("sv_show_others 1\n"), old...))
	run(t, "pack", "-q", "-f", source, "-o", file)
	p.Wait("document.querySelector('#tab-findings .count').textContent === '2'")
	p.Wait("document.querySelector('.places [aria-current]')?.textContent === '" + place + "'")

	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}

// quadBlock returns the path and the offset of the last data block of quads in a map.
func quadBlock(t *testing.T, file string) (path string, offset int) {
	t.Helper()
	var fields []struct {
		Space, Path string
		Offset      int
	}
	if err := json.Unmarshal(run(t, "dump", "--json", file), &fields); err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		if f.Space != "" && strings.HasPrefix(f.Path, f.Space+".quads[") {
			path = f.Space
		}
	}
	for _, f := range fields {
		if f.Space == "" && f.Path == path {
			return path, f.Offset
		}
	}
	t.Fatal("no data block of quads")
	return
}
