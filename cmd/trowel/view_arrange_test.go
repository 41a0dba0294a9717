package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
)

// click clicks the button with a text, in the visible part of the page.
func (d *drawn) click(text string) {
	d.t.Helper()
	d.Wait(fmt.Sprintf(`(() => {
		const button = [...document.querySelectorAll("button")].find((b) => b.textContent === %q && b.offsetWidth && !b.disabled);
		button?.click();
		return Boolean(button);
	})()`, text))
}

// TestViewDrawParts changes layers by buttons and forms, shows a preview of the automapper, and changes the settings as text.
func TestViewDrawParts(t *testing.T) {
	name := sample(t, "burrow", "burrow.map")
	rules := "[Default]\nIndex 5\nPos 0 0 INDEX 1\n"
	judge.Write(t, filepath.Join(filepath.Dir(name), "burrow.rules"), []byte(rules))
	d := openDraw(t, name, "Ground/Earth")
	chromium.Eval[bool](d.Page, `document.querySelector(".drawing summary").click(), true`)
	d.click("Forward")
	d.last(1, "move-layer Ground/Earth Ground --at=1")
	d.click("Hide with low detail")
	d.last(2, "set-layer Ground/Earth --detail=true")
	d.click("Rename …")
	d.Wait(`document.querySelector("#edit-name")?.value === "Earth"`)
	d.Picture("form")
	chromium.Eval[bool](d.Page, `(document.querySelector("#edit-name").value = "Soil",
		document.querySelector(".edit-form").requestSubmit(), true)`)
	d.last(3, "set-layer --name=Soil Ground/Earth")

	// The layer has another name now, and is drawn by it.
	chromium.Eval[bool](d.Page, `document.querySelector("#tab-draw").click(), true`)
	d.Wait(`document.querySelector("#canvas").value === "Ground/Soil"`)
	d.Press("d")
	d.tile(3)
	d.drag([2]float64{12, 3}, [2]float64{14, 3})
	d.last(4, "draw-tiles --layer=Ground/Soil 12 3 '3*3'")

	// A preview is in the list until it is discarded.
	d.click("Automap …")
	d.Wait(`document.querySelector("#edit-seed")`)
	preview := func() {
		t.Helper()
		chromium.Eval[bool](d.Page, `(document.querySelector("#edit-seed").value = "7",
			document.querySelector("#edit-config").value = "Default", true)`)
		d.click("Preview")
		d.Wait(`document.querySelector(".trial .keep")`)
	}
	preview()
	d.Accessible("preview")
	d.last(5, "automap --layer=Ground/Soil --config=Default --seed=7")
	d.Picture("preview")
	d.click("Discard")
	d.lines(4)
	preview()
	d.click("Keep")
	d.last(5, "automap --layer=Ground/Soil --config=Default --seed=7")

	// The difference of the settings is one change, and findings name their lines.
	d.click("Settings as text …")
	d.Wait(`document.querySelector("#whole-text")?.value.startsWith("sv_team 1")`)
	chromium.Eval[bool](d.Page, `(() => {
		const field = document.querySelector("#whole-text");
		field.value = field.value.replace("sv_freeze_delay 3", "sv_freeze_delay 4\nnonsense 1") + "\n\n";
		document.querySelector("button.apply").click();
		return true;
	})()`)
	d.Wait(`[...document.querySelectorAll(".found-in li")].some((li) => /^Line 3.*nonsense/.test(li.textContent))`)
	d.Accessible("settings")
	d.Picture("settings")
	d.Press(kb.Escape)
	d.last(6, "replace-settings --new-name 1 1 'sv_freeze_delay 4' 'nonsense 1'")
	d.save()
	d.end()
}

// TestViewDrawShapes chooses quads in the picture, moves and colours them.
func TestViewDrawShapes(t *testing.T) {
	d := openDraw(t, sample(t, "burrow", "burrow.map"), "Ground/Daylight")
	d.Press("s")
	type outline struct {
		Shapes []struct{ Corners [][2]float64 }
	}
	where := func() (middle [2]float64) {
		t.Helper()
		o := chromium.Eval[outline](d.Page, `fetch("/f/1/shapes?layer=Ground/Daylight").then((r) => r.json())`)
		for _, c := range o.Shapes[0].Corners {
			middle[0] += c[0] / 4
			middle[1] += c[1] / 4
		}
		return middle
	}
	from := where()
	visit(d.Page, fmt.Sprintf("tab=draw&x=%g&y=%g&z=0&canvas=Ground/Daylight", from[0], from[1]))
	d.at[0] += (20 - from[0]) * d.cell
	d.at[1] += (10 - from[1]) * d.cell
	at := [2]float64{from[0] - 0.5, from[1] - 0.5} // drag adds half a cell
	d.drag(at)
	d.Wait(`document.querySelector("#shapes-now").textContent.startsWith("Number")`)
	d.Accessible("shapes")
	number := strings.Fields(chromium.Eval[string](d.Page, `document.querySelector("#shapes-now").textContent`))[1]
	d.Picture("chosen")
	d.drag(at, [2]float64{at[0] + 1, at[1]}, [2]float64{at[0] + 2, at[1] - 1})
	d.last(1, "move-quads Ground/Daylight 64,-32 "+number)
	settle(d.Page)
	if number == "0" {
		if to := where(); int(32*(to[0]-from[0])+0.5) != 64 || int(32*(to[1]-from[1])-0.5) != -32 {
			t.Errorf("moved from %v to %v", from, to)
		}
	}
	chromium.Eval[bool](d.Page, `document.querySelector(".map").focus(), true`)
	d.Press(kb.ArrowLeft)
	d.last(2, "move-quads Ground/Daylight -1,0 "+number)
	chromium.Eval[bool](d.Page, `(document.querySelector("#shape-color").value = "#00ff80", true)`)
	d.Do(chromedp.Click(".shapes-of button", chromedp.ByQuery))
	d.last(3, "color-quads Ground/Daylight '#00ff8078' "+number)
	d.Picture("coloured")
	d.save()
	d.end()
}
