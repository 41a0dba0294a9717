package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
)

// evilMod returns a mod whose files are pages and scripts with markup in their names.
func evilMod(t *testing.T) (mod string, files map[string]string) {
	t.Helper()
	files = map[string]string{
		"MEDIA/UI/FOO.HTML": "<!doctype html><title>x</title><script>alert(1)</script>\n<img src=x onerror=alert(2)>\n",
		"MEDIA/UI/FOO.SVG":  "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(3)'><script>alert(4)</script></svg>\n",
		"MEDIA/UI/A.CSV":    "name,<b>value</b>\n<img src=x onerror=alert(6)>,10\nb,9\n<script>alert(7)</script>,x\n",
		"MEDIA/LONG.TXT":    strings.Repeat("short\n", 5000) + strings.Repeat("long ", 100000) + "\nlast\n",
	}
	if runtime.GOOS != "windows" {
		files["MEDIA/UI/<img src=x onerror=alert(5)>.TXT"] = "hello <b>bold</b>\n"
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../samples/ember")); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, at, []byte(content))
	}
	mod = filepath.Join(t.TempDir(), "evil.MOD")
	run(t, "pack", "-q", dir, "-o", mod)
	return mod, files
}

// TestViewText tests that content of a mod is always treated as plain text: in the answers, which are JSON, and
// on the page, where it is shown literally.
func TestViewText(t *testing.T) {
	mod, files := evilMod(t)
	v := view(t, mod)
	for name, content := range files {
		r, err := v.http.Get(v.api + "/f/0/text?path=" + url.QueryEscape(at(t, v, name)))
		if err != nil {
			t.Fatal(err)
		}
		var text struct{ Rows [][2]any }
		err = json.NewDecoder(r.Body).Decode(&text)
		r.Body.Close()
		if kind := r.Header.Get("Content-Type"); err != nil || kind != "application/json" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v, %s", name, err, kind)
		}
		if len(text.Rows) == 0 || text.Rows[0][1] != strings.SplitN(content, "\n", 2)[0] {
			t.Errorf("%s: %q", name, text.Rows)
		}
	}

	p := v.open(1280, 800)
	chromedp.ListenTarget(p.Context(), func(event any) {
		if e, ok := event.(*page.EventJavascriptDialogOpening); ok {
			t.Errorf("a script of a file ran: %s", e.Message)
			go chromedp.Run(p.Context(), page.HandleJavaScriptDialog(true))
		}
	})
	for name, content := range files {
		for _, mode := range []string{"text", "table"} {
			if mode == "table" && !strings.HasSuffix(name, ".CSV") {
				continue
			}
			p.Do(chromedp.Evaluate(fmt.Sprintf("location.hash = '#' + new URLSearchParams({path: %q, mode: %q})", at(t, v, name), mode), nil))
			word := strings.SplitN(strings.SplitN(content, "\n", 2)[0], ",", 2)[0]
			p.Wait(fmt.Sprintf("document.querySelector('#stage .pane-%s')?.textContent.includes(%q)", mode, word))
		}
	}
	if n := chromium.Eval[int](p, "document.querySelectorAll('main script, main img[src=x], main iframe, main object').length"); n > 0 {
		t.Errorf("%d elements come from files", n)
	}
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}

// at returns the path of a file of a mod in its tree, where some characters are escaped.
func at(t *testing.T, v *viewing, name string) string {
	t.Helper()
	dir, base := name[:strings.LastIndexByte(name, '/')], name[strings.LastIndexByte(name, '/')+1:]
	_, data := v.get("/f/0/tree?path=" + url.QueryEscape(dir))
	var list struct{ Entries []struct{ Name string } }
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Entries {
		if plain, _ := url.PathUnescape(e.Name); strings.EqualFold(plain, base) {
			return dir + "/" + e.Name
		}
	}
	t.Fatalf("%s is not in %s", name, data)
	return ""
}

// TestViewTable sorts, filters and walks a table with the keyboard, goes from a row to its line, and goes to
// lines of a text that is too long for one page.
func TestViewTable(t *testing.T) {
	mod, _ := evilMod(t)
	v := view(t, mod)
	p := v.open(1280, 800, "#path=MEDIA/UI/A.CSV")
	p.Wait("document.querySelectorAll('.grid tbody tr').length === 3")
	column := "[...document.querySelectorAll('.grid tbody tr')].map(r => r.children[2].textContent).join()"
	sorts := "document.querySelectorAll('.grid thead th')[2].getAttribute('aria-sort')"
	p.Do(chromedp.Evaluate("document.querySelectorAll('.grid thead button')[1].focus()", nil))
	for _, want := range [][2]string{{"ascending", "9,10,x"}, {"descending", "x,10,9"}, {"none", "10,9,x"}} {
		p.Press(kb.Enter)
		p.Wait(fmt.Sprintf("%s === %q && %s === %q", sorts, want[0], column, want[1]))
	}
	p.Do(chromedp.Evaluate("document.querySelector('.grid tbody tr').focus()", nil))
	p.Press(kb.ArrowDown)
	p.Press(kb.End)
	p.Wait("document.activeElement.getAttribute('aria-rowindex') === '4'")
	p.Press(kb.Enter)
	p.Wait("document.querySelector('.line.chosen .at')?.textContent === '4'")

	p.Do(chromedp.Evaluate("location.hash = '#path=MEDIA/UI/A.CSV&filter=onerror'", nil))
	p.Wait("document.querySelectorAll('.grid tbody tr').length === 1 && document.querySelector('#tools').textContent.includes('1 of 3 rows')")

	p.Do(chromedp.Evaluate("location.hash = '#path=MEDIA/LONG.TXT&line=5002'", nil))
	p.Wait("document.querySelector('.line.chosen .code')?.textContent === 'last'")
	if n := chromium.Eval[int](p, "document.querySelectorAll('.line').length"); n > 100 {
		t.Errorf("%d rows are in the page", n)
	}
	p.Picture("text")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}

// TestViewThings shows the items of a mod as a table with an icon, adds a condition by the form, shows the column of
// the condition, and goes from a row to the file of the item.
func TestViewThings(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../samples/ember")); err != nil {
		t.Fatal(err)
	}
	ui := filepath.Join(dir, "MEDIA", "UI")
	if err := os.MkdirAll(ui, 0o777); err != nil {
		t.Fatal(err)
	}
	icon := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(icon, icon.Rect, image.NewUniform(color.NRGBA{R: 200, G: 80, A: 255}), image.Point{}, draw.Src)
	var picture bytes.Buffer
	if err := png.Encode(&picture, icon); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"RINGS.PNG": picture.String(),
		"EMBER_ICONS.IMAGESET": `<Imageset Name="rings" Imagefile="media/ui/rings.png">` + // instead of the sample's

			`<Image Name="Icon_Ring_Ember" XPos="8" YPos="8" Width="32" Height="32"/></Imageset>`,
	} {
		judge.Write(t, filepath.Join(ui, name), []byte(content))
	}
	mod := filepath.Join(t.TempDir(), "rings.MOD")
	run(t, "pack", "-q", dir, "-o", mod)
	v := view(t, mod)
	p := v.open(1280, 800, "#mode=table")
	p.Wait("document.querySelectorAll('.grid tbody tr').length === 2 && document.querySelector('.grid tbody img')?.naturalWidth === 32")
	const heads = "[...document.querySelectorAll('.grid thead th')].map((th) => th.textContent).join() === "
	p.Wait(heads + "'DISPLAYNAME,LEVEL,RARITY,UNITTYPE' && document.querySelector('.grid tbody th').textContent === 'Ring of the Last Ember'")
	choose := func(name string) {
		p.Do(chromedp.Evaluate(`document.querySelector('.columns').open = true, 0`, nil))
		p.Wait(fmt.Sprintf(`(() => {
			const box = [...document.querySelectorAll('.columns label')].find((l) => l.textContent === %q)?.querySelector('input');
			box?.click();
			return Boolean(box);
		})()`, name))
	}
	choose("NAME")
	choose("RARITY")
	p.Wait(heads + "'DISPLAYNAME,LEVEL,NAME,UNITTYPE'")
	p.Accessible("columns")
	choose("NAME")
	choose("RARITY")
	p.Wait(heads + "'DISPLAYNAME,LEVEL,RARITY,UNITTYPE'")
	const lines = `new Set([...document.querySelectorAll('.conditions > *')].map((n) => Math.round(n.offsetTop / 20))).size`
	if n := chromium.Eval[int](p, lines); n != 1 {
		t.Errorf("the condition has %d lines", n)
	}
	p.Do(chromedp.Evaluate(`{
		const [column, word, value] = document.querySelectorAll('.conditions select, .conditions input');
		column.value = 'MAXLEVEL'; word.value = 'above'; value.value = '60';
		document.querySelector('.conditions').requestSubmit();
	}`, nil))
	p.Wait("[...document.querySelectorAll('.grid thead th')].at(-1).textContent === 'MAXLEVEL' " +
		"&& [...document.querySelectorAll('.grid tbody tr')].every(r => r.lastChild.textContent === '99')")
	p.Do(chromedp.Evaluate("location.hash += '&filter=last'", nil))
	p.Wait("document.querySelectorAll('.grid tbody tr').length === 1")
	p.Picture("things")
	p.Do(chromedp.Evaluate("document.querySelector('.grid tbody button').click()", nil))
	p.Wait("document.querySelector('#crumbs [aria-current]')?.textContent === 'EMBER_RING.DAT'")
	p.Do(chromedp.Evaluate("document.querySelector('#tab-search').click()", nil))
	p.Wait("document.querySelectorAll('.own button').length === 2")
	p.Do(chromedp.Evaluate("[...document.querySelectorAll('.own button')].find(b => b.textContent.startsWith('effective')).click()", nil))
	p.Wait("document.querySelector('.found table')?.textContent.includes('EMBER_RING_BASE.DAT')")
	p.Picture("effective")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}

// TestViewLevel shows the values of monsters at a level in the table, and on their cards.
func TestViewLevel(t *testing.T) {
	mod := sample(t, "cinder", "cinder.MOD")
	v := view(t, mod, "--base", "../../samples/ember-base")
	p := v.open(1280, 800, "#mode=table&table=2")
	const cells = "[...document.querySelectorAll('.grid tbody tr')].map((tr) => tr.textContent).join('|')"
	p.Wait(cells + ".includes('Cinder Hound') && !" + cells + ".includes('1264')")
	p.Do(chromedp.SendKeys("input[aria-label=Level]", "50"+kb.Enter, chromedp.ByQuery))
	p.Wait(cells + ".includes('1264')")
	p.Do(chromedp.Evaluate(`(() => {
		const difficulty = document.querySelector("select[aria-label=Difficulty]");
		difficulty.value = "very-hard";
		difficulty.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, nil))
	p.Wait(cells + ".includes('3160') && location.hash.includes('o.level=50')")
	p.Accessible("level")
	p.Picture("level")
	visit(p, "view=monsters")
	before := p.Picture("cards")
	visit(p, "view=monsters&o.level=50")
	if mean, _ := difference(before, p.Picture("cards-level")); mean < 0.5 {
		t.Errorf("the cards are the same: %.2f", mean)
	}
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}

// TestViewBroken goes from a broken reference to its line and back, and from hits of find to lines. The lines
// are those that cat prints.
func TestViewBroken(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../samples/ember")); err != nil {
		t.Fatal(err)
	}
	const ring = "MEDIA/UNITS/ITEMS/RINGS/EMBER_RING.DAT"
	plain := run(t, "cat", sample(t, "ember", "ember.MOD"), ring) // in UTF-8
	if err := os.WriteFile(filepath.Join(dir, ring), bytes.Replace(plain, []byte("ember_ring_base.dat"),
		[]byte("ember_ring_bas.dat"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	mod := filepath.Join(t.TempDir(), "broken.MOD")
	run(t, "pack", "-q", dir, "-o", mod)
	lines := strings.Split(string(run(t, "cat", mod, ring)), "\n")
	v := view(t, mod)

	type place struct {
		Line *struct {
			Path string
			Line int
		}
	}
	var checked struct {
		Findings []struct {
			ID     string
			Places []place
		}
	}
	_, data := v.get("/f/0/check")
	if err := json.Unmarshal(data, &checked); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	finding, line := -1, 0
	for i, f := range checked.Findings {
		if f.ID == "tl-mod-likely-missing-file" {
			finding, line = i, f.Places[0].Line.Line
		}
	}
	if finding < 0 || !strings.Contains(lines[line-1], "ember_ring_bas.dat") {
		t.Fatalf("line %d of %q: %s", line, lines, data)
	}

	_, data = v.get("/f/0/find?q=key+NAME")
	found := 0
	for row := range bytes.Lines(data) {
		var hit struct {
			Hit *struct {
				Path string
				At   place
			}
		}
		if err := json.Unmarshal(row, &hit); err != nil {
			t.Fatal(err)
		}
		if hit.Hit == nil {
			continue
		}
		at := hit.Hit.At.Line
		text := strings.Split(string(run(t, "cat", mod, at.Path)), "\n")[at.Line-1]
		if found++; !strings.Contains(text, "NAME:") {
			t.Errorf("%s: line %d is %q", at.Path, at.Line, text)
		}
		if found == 5 {
			break
		}
	}
	if found == 0 {
		t.Errorf("nothing was found: %s", data)
	}

	p := v.open(1280, 800, "#mode=text&path="+ring)
	p.Wait("document.querySelector('.gutter button')")
	mark := fmt.Sprintf("[...document.querySelectorAll('.line')].find(l => l.querySelector('.at').textContent === "+
		"'%d').querySelector('.gutter button')", line)
	if label := chromium.Eval[string](p, mark+".ariaLabel"); !strings.HasPrefix(label, "warning: refers to") {
		t.Errorf("the mark says %q", label)
	}
	p.Do(chromedp.Evaluate(mark+".focus()", nil))
	p.Press(kb.Enter)
	p.Wait(fmt.Sprintf("location.hash.includes('tab=findings') && location.hash.includes('finding=%d')", finding))
	p.Picture("mark")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}

// TestViewIcons shows the items of a mod as icons with names: walked by keyboard, filtered, and more than the page holds at a time.
func TestViewIcons(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../samples/ember")); err != nil {
		t.Fatal(err)
	}
	for i := range 400 {
		item := fmt.Sprintf("[UNIT]\r\n<STRING>NAME:RING_%d\r\n<TRANSLATE>DISPLAYNAME:指輪 %03d\r\n<STRING>UNIT_GUID:%d\r\n"+
			"<STRING>UNITTYPE:MAGIC RING\r\n<STRING>ICON:icon_ring_ember\r\n[/UNIT]\r\n", i, i, 7000+i)
		judge.Write(t, filepath.Join(dir, "MEDIA/UNITS/ITEMS/RINGS", fmt.Sprintf("RING_%03d.DAT", i)), []byte(item))
	}
	mod := filepath.Join(t.TempDir(), "rings.MOD")
	run(t, "pack", "-q", dir, "-o", mod)
	v := view(t, mod)
	p := v.open(1280, 800, "#mode=table")
	p.Wait("document.querySelector('.grid tbody img')?.naturalWidth > 0")
	p.Do(chromedp.Evaluate("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Icons').click()", nil))
	p.Wait("document.querySelector('.sheet img')?.naturalWidth > 0 && !document.querySelector('.grid table') && " +
		"location.hash.includes('icons=1')")
	const items = "[...document.querySelectorAll('.sheet button')]"
	const top = ".getBoundingClientRect().top"
	beside := chromium.Eval[int](p, items+".filter((b) => b"+top+" === "+items+"[0]"+top+").length")
	if n := chromium.Eval[int](p, items+".length"); beside < 4 || n < 2*beside || n > 300 {
		t.Errorf("%d of %d icons are beside each other", beside, n)
	}
	p.Picture("icons")
	p.Accessible("icons")
	p.Do(chromedp.Evaluate(items+"[0].focus()", nil))
	for range 12 {
		p.Press(kb.ArrowDown)
	}
	p.Press(kb.ArrowRight)
	p.Wait(fmt.Sprintf("document.activeElement.textContent === '指輪 %03d'", 12*beside+1-2)) // the two rings of the sample come first
	p.Press(kb.End)
	p.Wait("document.activeElement.textContent === '指輪 399'")
	p.Do(chromedp.Evaluate("location.hash += '&filter=指輪 123'", nil))
	p.Wait(items + ".length === 1")
	p.Do(chromedp.Evaluate(items+"[0].click()", nil))
	p.Wait("document.querySelector('#crumbs [aria-current]')?.textContent === 'RING_123.DAT'")
	for _, m := range p.Messages() {
		t.Errorf("on the console: %s", m)
	}
	v.stop()
}
