package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
)

// TestViewEdit tests the way of a change: it is made in a form, listed and shown, and saved only after it was confirmed.
func TestViewEdit(t *testing.T) {
	needsProgram(t, "save")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	name := sample(t, "burrow", "burrow.map")
	old := judge.Read(t, name)
	want := filepath.Join(t.TempDir(), "burrow.map")
	run(t, "edit", "-q", name, "-o", want, "--", "border")
	v := view(t, "--edit", name)
	p := v.open(1280, 800, "#tab=edit")
	p.Wait(`document.querySelectorAll("#operation option").length > 50`)
	settle(p)
	first := chromium.Eval[string](p, `document.querySelector("#operation optgroup option").textContent`)
	if !strings.HasSuffix(first, "(fill-tiles)") {
		t.Errorf("the first operation is %q", first)
	}
	p.Do(chromedp.SendKeys("#find-operation", "mirror whole"))
	p.Wait(`(() => {
		const found = [...document.querySelectorAll("#operation option")].map((o) => o.value);
		return found.length < 10 && found.includes("mirror");
	})()`)
	p.Do(chromedp.SendKeys("#find-operation", strings.Repeat(kb.Backspace, len("mirror whole"))))
	p.Wait(`(() => {
		const choose = document.querySelector("#operation");
		if (!choose) return false; // the panel is opened again
		choose.value = "border";
		choose.dispatchEvent(new Event("change"));
		document.querySelector(".edit-form").requestSubmit();
		return true;
	})()`)
	p.Wait(`document.querySelectorAll(".edits > li").length === 1 && !document.querySelector("button.save").disabled`)
	settle(p)
	if text := chromium.Eval[string](p, `document.querySelector(".edits > li label").textContent`); !strings.Contains(text, " ") {
		t.Errorf("the list has the command %q instead of words", text)
	}
	p.Picture("view-edit")
	p.Do(chromedp.Click("button.save", chromedp.ByQuery))
	p.Wait(`document.querySelectorAll(".confirm > li").length === 1`)
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, old) {
		t.Fatalf("the file was changed before the list was confirmed: %v", err)
	}
	p.Do(chromedp.Click("button.yes", chromedp.ByQuery))
	p.Wait(`document.querySelector("#status .unsave") !== null`)
	saved := judge.Read(t, want)
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, saved) {
		t.Errorf("the file is not the one that the operation makes: %v", err)
	}
	backups, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "burrow.backup-*.map"))
	if len(backups) != 1 {
		t.Fatalf("backups: %v", backups)
	}
	if kept, err := os.ReadFile(backups[0]); err != nil || !bytes.Equal(kept, old) {
		t.Errorf("the backup is not the old file: %v", err)
	}
	p.Wait(`document.querySelectorAll(".edits > li").length === 0`)
}

// TestViewEditWorld tests that boxes and places of a world are pointed at in the picture, where a schematic follows the pointer.
func TestViewEditWorld(t *testing.T) {
	needsProgram(t, "save")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	world, hut := sample(t, "glade", "glade"), filepath.Join(t.TempDir(), "hut.mts")
	run(t, "convert", "-q", world, "--to", "mts", "--box", "2,2,3:6,8,10", "-o", hut)
	if err := os.Mkdir(filepath.Join(world, "schems"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(hut, filepath.Join(world, "schems", "hut.mts")); err != nil {
		t.Fatal(err)
	}
	v := view(t, "--edit", world)
	p := v.open(1280, 800)
	choose := func(operation string) {
		p.Wait(`(() => {
			const choose = document.querySelector("#operation");
			if (!choose || !document.querySelector(".leaflet-tile-loaded")) return false;
			choose.value = "` + operation + `";
			choose.dispatchEvent(new Event("change"));
			return true;
		})()`)
	}
	point := func(input string) {
		p.Wait(`(() => {
			const button = document.getElementById("` + input + `")?.parentElement.querySelector("button");
			button?.click();
			return Boolean(button);
		})()`)
		p.Wait(`document.querySelector(".picking") !== null`)
	}
	choose("place")
	p.Wait(`document.querySelector("#names-file option")?.value.endsWith("hut.mts")`)
	p.Do(chromedp.SetValue("edit-file", filepath.ToSlash("glade/schems/hut.mts"), chromedp.ByID))
	point("edit-place")
	p.Wait(`document.querySelector(".picking .ghost")?.naturalWidth > 0`)
	p.Do(chromedp.MouseEvent("mouseMoved", 560, 420))
	p.Wait(`document.querySelector(".picking .ghost").getBoundingClientRect().width > 40`)
	settle(p)
	p.Picture("view-ghost")
	p.Do(chromedp.MouseClickXY(560, 420))
	p.Wait(`/^\d+,[1-9]\d*,\d+$/.test(document.getElementById("edit-place").value)`)
	p.Wait(`(document.querySelector(".edit-form").requestSubmit(), true)`)
	p.Wait(`document.querySelector(".edits .line")?.textContent.startsWith("place glade/schems/hut.mts ")`)

	choose("set")
	point("edit-box")
	p.Do(chromedp.MouseEvent("mousePressed", 500, 400, chromedp.ButtonLeft), chromedp.MouseEvent("mouseMoved", 540, 430, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseReleased", 540, 430, chromedp.ButtonLeft))
	p.Wait(`/^\d+,-32768,\d+:\d+,32767,\d+$/.test(document.getElementById("edit-box").value)`)
}
