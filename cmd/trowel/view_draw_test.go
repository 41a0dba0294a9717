package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

// drawn is a page with the tools that draw.
type drawn struct {
	*chromium.Page
	t    testing.TB
	v    *viewing
	name string     // of the file
	at   [2]float64 // of cell 0,0 on the page, in pixels
	cell float64    // the side of a cell
}

// openDraw opens the tools for a layer. Cell 20,10 of the map is in the middle of the picture.
func openDraw(t testing.TB, name, layer string) *drawn {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	d := &drawn{t: t, name: name, v: view(t, "--edit", name), cell: 32}
	d.Page = d.v.open(1280, 900)
	visit(d.Page, "tab=draw&x=20&y=10&z=0&canvas="+layer)
	d.Wait("document.querySelector('#canvas')?.value && document.querySelector('.tileset')?.width > 16")
	settle(d.Page)
	middle := chromium.Eval[[]float64](d.Page, `(() => {
		const { left, top, width, height } = document.querySelector(".map").getBoundingClientRect();
		return [left + width / 2, top + height / 2];
	})()`)
	d.at = [2]float64{middle[0] - 20*d.cell, middle[1] - 10*d.cell}
	return d
}

// drag presses the button over a cell, moves the pointer over others, and releases it.
func (d *drawn) drag(cells ...[2]float64) {
	d.t.Helper()
	place := func(c [2]float64) (x, y float64) { return d.at[0] + (c[0]+0.5)*d.cell, d.at[1] + (c[1]+0.5)*d.cell }
	x, y := place(cells[0])
	d.Do(chromedp.MouseEvent(input.MouseMoved, x, y), chromedp.MouseEvent(input.MousePressed, x, y, chromedp.ButtonLeft))
	for _, c := range cells[1:] {
		x, y = place(c)
		d.Do(chromedp.MouseEvent(input.MouseMoved, x, y, chromedp.ButtonLeft))
	}
	d.Do(chromedp.MouseEvent(input.MouseReleased, x, y, chromedp.ButtonLeft))
}

// tile chooses a tile of the tileset.
func (d *drawn) tile(id int) {
	d.t.Helper()
	at := chromium.Eval[[]float64](d.Page, fmt.Sprintf(`(() => {
		const node = document.querySelector(".tileset");
		node.scrollIntoView({ block: "center" });
		const { left, top, width } = node.getBoundingClientRect();
		return [left + (%d + 0.5) * width / 16, top + (%d + 0.5) * width / 16];
	})()`, id%16, id/16))
	d.Do(chromedp.MouseClickXY(at[0], at[1]))
}

// lines returns the list of changes, once n changes are applied and shown.
func (d *drawn) lines(n int) (lines []string) {
	d.t.Helper()
	const list = `fetch("/f/1/edit").then((r) => r.json())`
	d.Wait(fmt.Sprintf("Number(document.querySelector('#tab-edit .count').textContent) === %d", n))
	settle(d.Page)
	var now struct {
		Applied bool
		List    []struct{ Line, Error string }
	}
	for now.Applied = false; !now.Applied; {
		now = chromium.Eval[struct {
			Applied bool
			List    []struct{ Line, Error string }
		}](d.Page, list)
	}
	for _, c := range now.List {
		if c.Error != "" {
			d.t.Fatalf("%s: %s", c.Line, c.Error)
		}
		lines = append(lines, c.Line)
	}
	return lines
}

// last compares the last change of n with a line of a script.
func (d *drawn) last(n int, want string) {
	d.t.Helper()
	if lines := d.lines(n); lines[n-1] != want {
		d.t.Errorf("%s, want %s", lines[n-1], want)
	}
}

// save saves the list, and compares the file with what the script of the page makes on the command line.
func (d *drawn) save() {
	d.t.Helper()
	_, data := d.v.get("/f/1/edit/command")
	var command struct{ Script string }
	if err := json.Unmarshal(data, &command); err != nil {
		d.t.Fatalf("%s: %v", data, err)
	}
	dir := d.t.TempDir()
	script, want := filepath.Join(dir, "changes.txt"), filepath.Join(dir, "want.map")
	if err := os.WriteFile(script, []byte(command.Script), 0o666); err != nil {
		d.t.Fatal(err)
	}
	run(d.t, "edit", "-q", d.name, "-o", want, "--script", script)
	d.Wait("document.querySelector('button.save') && !document.querySelector('button.save').disabled")
	d.Do(chromedp.Click("button.save", chromedp.ByQuery), chromedp.Click("button.yes", chromedp.ByQuery))
	d.Wait(`document.querySelector("#status .unsave") !== null`)
	made, err := os.ReadFile(want)
	if err != nil {
		d.t.Fatal(err)
	}
	if now, err := os.ReadFile(d.name); err != nil || !bytes.Equal(now, made) {
		d.t.Errorf("the saved file is not that of the script %s: %v", command.Script, err)
	}
}

func (d *drawn) end() {
	d.t.Helper()
	for _, m := range d.Messages() {
		if strings.Contains(m, "410 (Gone)") {
			continue // a tile of an edition that ended while the page asked for it
		}
		d.t.Errorf("on the console: %s", m)
	}
	d.v.stop()
}

// TestViewDraw draws with each tool: the pointer makes one change of the list, and the saved file is that of the script.
func TestViewDraw(t *testing.T) {
	d := openDraw(t, sample(t, "burrow", "burrow.map"), "Ground/Earth")
	d.Page.Accessible("draw")
	d.Press("d")
	d.tile(2)
	d.drag([2]float64{12, 6}, [2]float64{15, 6}, [2]float64{15, 8})
	d.last(1, "draw-tiles --layer=Ground/Earth 12 6 '2*4' '_*3 2' '_*3 2'")
	d.Picture("brush")

	d.Press("q") // the brush becomes a block of the map
	d.drag([2]float64{14, 6}, [2]float64{15, 7})
	d.Wait("document.querySelector('[data-tool=brush]').ariaPressed === 'true'")
	d.Press("R") // rotated clockwise
	d.Wait("document.querySelector('[data-flag=r]').ariaPressed === 'true'")
	d.drag([2]float64{11, 1})
	d.last(2, "draw-tiles --layer=Ground/Earth 11 1 '. 2r' '2r*2'")
	d.Press("N") // mirrored
	d.Wait("document.querySelector('[data-flag=y]').ariaPressed === 'true'")
	d.Press("r")
	d.drag([2]float64{28, 4}, [2]float64{24, 2})
	d.last(3, "draw-tiles --layer=Ground/Earth 24 2 '2yr . 2yr . 2yr' '2yr*5' '2yr . 2yr . 2yr'")

	d.Press("x")
	d.drag([2]float64{24, 3}, [2]float64{26, 3})
	d.last(4, "draw-tiles --layer=Ground/Earth 24 3 '.*3'")

	d.Press("s") // a selection: copied, pasted, erased, mirrored in its place
	d.drag([2]float64{24, 2}, [2]float64{26, 3})
	d.Press("C")
	d.Wait("document.querySelector('#status').textContent.startsWith('Copied')")
	d.Press("V")
	d.Wait("document.querySelector('[data-tool=brush]').ariaPressed === 'true'")
	d.drag([2]float64{12, 10})
	d.last(5, "draw-tiles --layer=Ground/Earth 12 10 '2yr . 2yr' '.*3'")
	d.Press("s")
	d.drag([2]float64{12, 6}, [2]float64{15, 8})
	d.Press("M")
	d.last(6, "draw-tiles --layer=Ground/Earth 12 6 '.*3 2y' '.*3 2y' '2y*4'")
	d.Press(kb.Delete)
	d.last(7, "draw-tiles --layer=Ground/Earth 12 6 '.*4' '.*4' '.*4'")

	d.tile(3)
	d.Press("f") // within the selection
	d.drag([2]float64{13, 7})
	d.last(8, "draw-tiles --layer=Ground/Earth 12 6 '3*4' '3*4' '3*4'")
	d.Press("Z")
	d.lines(7)
	d.Press("Y")
	d.lines(8)

	// By keys: Enter draws in the middle.
	d.Press("d")
	chromium.Eval[bool](d.Page, "document.querySelector('.map').focus(), true")
	d.Press(kb.Enter)
	d.last(9, "draw-tiles --layer=Ground/Earth 20 10 3")
	d.Press(kb.Escape) // drops the selection
	d.Press(kb.Escape)
	d.Wait("document.querySelector('[data-tool=move]').ariaPressed === 'true'")
	d.Picture("all")
	d.save()
	d.end()
}

// TestViewDrawFirst edits without choosing anything first: the page opens the tools with the layer in the middle, offers the layer of a
// tile elsewhere, lists strokes as what was done, and undoes a save.
func TestViewDrawFirst(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	name := sample(t, "burrow", "burrow.map")
	old := judge.Read(t, name)
	v := view(t, "--edit", name)
	d := &drawn{t: t, name: name, v: v, Page: v.open(1440, 900)}
	d.Wait(`document.querySelector("#tab-draw")?.ariaSelected === "true" && document.querySelector("#canvas")?.value === "Depths/Wall"`)
	settle(d.Page)
	d.Picture("first")
	d.Accessible("first")
	if rows := chromium.Eval[int](d.Page, `new Set([...document.querySelectorAll("#tabs > *")].map((tab) => tab.offsetTop)).size`); rows != 1 {
		t.Errorf("the tabs have %d rows", rows)
	}

	// Outside of the layer nothing is drawn, and the layer that has a tile there is offered.
	choose := func(layer string) {
		chromium.Eval[bool](d.Page, fmt.Sprintf(`(() => {
			const choose = document.querySelector("#canvas");
			choose.value = %q;
			return choose.dispatchEvent(new Event("change"));
		})()`, layer))
		d.Wait(fmt.Sprintf("location.hash.includes(encodeURIComponent(%q))", layer))
		settle(d.Page)
	}
	choose("Tree/Trunk")
	d.Press("d")
	at := chromium.Eval[[]float64](d.Page, `(() => {
		const { left, top, width, height } = document.querySelector(".map").getBoundingClientRect();
		return [left + width / 2, top + height / 2];
	})()`)
	d.Do(chromedp.MouseClickXY(at[0], at[1]))
	d.Wait(`document.querySelector(".surface.outside") && document.querySelector("#status").textContent === "outside of Trunk (14 × 13)"`)
	d.Wait(`document.querySelector(".offers button")?.textContent === "Draw in Depths/Wall"`)
	d.Picture("outside")
	d.Do(chromedp.Click(".offers button", chromedp.ByQuery))
	d.Wait(`document.querySelector("#canvas").value === "Depths/Wall" && !document.querySelector(".offers button")`)

	// A stroke with corners is one line, and one region of the comparison.
	choose("Ground/Earth")
	d.tile(3)
	d.Press("d")
	d.Do(chromedp.MouseEvent(input.MousePressed, at[0], at[1], chromedp.ButtonLeft), chromedp.MouseEvent(input.MouseMoved, at[0]+60, at[1]+90,
		chromedp.ButtonLeft), chromedp.MouseEvent(input.MouseReleased, at[0]+60, at[1]+90, chromedp.ButtonLeft))
	d.lines(1)
	d.Press("s")
	d.Do(chromedp.MouseEvent(input.MousePressed, at[0], at[1], chromedp.ButtonLeft), chromedp.MouseEvent(input.MouseMoved, at[0]+60, at[1]+90,
		chromedp.ButtonLeft), chromedp.MouseEvent(input.MouseReleased, at[0]+60, at[1]+90, chromedp.ButtonLeft))
	d.Wait("document.querySelector('#status').textContent.startsWith('Selected')")
	chromium.Eval[bool](d.Page, `["c", "v"].forEach((key) => document.body.dispatchEvent(new KeyboardEvent("keydown",
		{ key: key.toUpperCase(), shiftKey: true, bubbles: true }))), true`)
	d.Wait(`document.querySelector("[data-tool=brush]").ariaPressed === "true"`)
	place := func() [2]float64 {
		r := chromium.Eval[[]float64](d.Page, `(({ x, y }) => [x, y])(document.querySelector("button.save").getBoundingClientRect())`)
		return [2]float64{r[0], r[1]}
	}
	where := place()
	chromium.Eval[bool](d.Page, `document.querySelector("#tab-edit").click(), true`)
	d.Wait(`/^Brush: \d+ tiles in Ground.Earth at \d+,\d+ to \d+,\d+$/.test(document.querySelector(".edits > li label").textContent)`)
	chromium.Eval[bool](d.Page, `document.querySelector("#tab-changes").click(), true`)
	d.Wait(`document.querySelectorAll(".changes > li").length === 1 &&
		/ \d+ tiles at /.test(document.querySelector(".changes > li").textContent)`)
	const marks = `[...document.querySelectorAll("canvas.marks")].some((c) => {
		const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", { willReadFrequently: true });
		copy.drawImage(c, 0, 0);
		return copy.getImageData(0, 0, c.width, c.height).data.some(Boolean);
	})`
	d.Wait(marks)
	d.Picture("region")
	d.Wait("!" + marks)
	if now := place(); now != where {
		t.Errorf("the button is at %v with the changes and at %v with the tools", now, where)
	}

	d.save()
	d.Picture("saved")
	d.Accessible("saved")
	text := chromium.Eval[string](d.Page, `document.querySelector("#status").textContent`)
	if strings.Contains(text, "`") || !strings.Contains(text, "backup") {
		t.Errorf("after the save, the page reads %q", text)
	}
	d.Do(chromedp.Click("#status .unsave", chromedp.ByQuery))
	d.lines(1)
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, old) {
		t.Errorf("the file is not as before the save: %v", err)
	}
	d.end()
}

// TestViewDrawPhysics draws tiles with numbers into each physics layer.
func TestViewDrawPhysics(t *testing.T) {
	d := openDraw(t, sample(t, "burrow", "burrow.map"), "Game/Tele")
	n := 0
	for _, c := range []struct {
		layer   string
		tile    int
		numbers map[string]int
		flags   string
		want    string
	}{
		{"Game/Tele", 26, map[string]int{"number": 7}, "", "26:7"},
		{"Game/Switch", 22, map[string]int{"number": 4, "delay": 9}, "", "22:4/9"},
		{"Game/Speedup", 28, map[string]int{"force": 60, "max-speed": 5, "angle": 270}, "", "28:60/5/270"},
		{"Game/Tune", 68, map[string]int{"number": 3}, "", "68:3"},
		{"Game/Front", 60, nil, "r", "60r"},
		{"Game/Game", 1, nil, "", "1"},
	} {
		chromium.Eval[bool](d.Page, fmt.Sprintf(`(() => {
			const choose = document.querySelector("#canvas");
			choose.value = %q;
			return choose.dispatchEvent(new Event("change"));
		})()`, c.layer))
		d.Wait(fmt.Sprintf("location.hash.includes(encodeURIComponent(%q))", c.layer))
		settle(d.Page)
		d.Press("d")
		d.tile(c.tile)
		for name, value := range c.numbers {
			chromium.Eval[bool](d.Page, fmt.Sprintf(`(() => {
				const field = document.querySelector("[data-number=%s]");
				field.value = %d;
				return field.dispatchEvent(new Event("input"));
			})()`, name, value))
		}
		for _, letter := range c.flags {
			chromium.Eval[bool](d.Page, fmt.Sprintf("document.querySelector('[data-flag=%c]').click(), true", letter))
		}
		d.drag([2]float64{14, 5}, [2]float64{16, 5})
		n++
		d.last(n, fmt.Sprintf("draw-tiles --layer=%s 14 5 '%s*3'", c.layer, c.want))
		d.Picture(strings.ReplaceAll(c.layer, "/", "-"))
		d.Page.Accessible(c.layer)
	}
	d.Press("U")
	d.Press("K")
	d.Press("#")
	settle(d.Page)
	d.Picture("overlays")
	d.save()
	d.end()
}

// TestViewDrawText tests that the command line draws the cells that the page has written as text: random strokes, of which the
// last cell at a place counts.
func TestViewDrawText(t *testing.T) {
	d := openDraw(t, sample(t, "burrow", "burrow.map"), "Game/Switch")
	old := judge.Read(t, d.name)
	m, err := twmap.Decode(old)
	if err != nil {
		t.Fatal(err)
	}
	layer := m.Physics(twmap.KindSwitch)
	r := rand.New(rand.NewPCG(1, 2))
	var script strings.Builder
	for range tests.Of(t, 30, 100) {
		type cell struct {
			X, Y int
			Cell string
		}
		var cells []cell
		at, spread := [2]int{r.IntN(layer.Width()), r.IntN(layer.Height())}, 1+r.IntN(20)
		for range 1 + r.IntN(60) {
			x, y := at[0]+r.IntN(spread)-spread/2, at[1]+r.IntN(spread)-spread/2
			tile := twmap.SwitchTile{ID: []uint8{0, 22, 24, 79}[r.IntN(4)], Number: uint8(r.IntN(3)), Delay: uint8(r.IntN(2)),
				Flags: twmap.TileFlags(r.IntN(16))}
			if tile.ID == 0 {
				tile = twmap.SwitchTile{}
			}
			text := "."
			if tile.ID != 0 {
				text = fmt.Sprint(tile.ID)
				for i, letter := range "xyr" {
					if tile.Flags&(1<<[]int{0, 1, 3}[i]) != 0 {
						text += string(letter)
					}
				}
				tile.Flags &= twmap.FlipX | twmap.FlipY | twmap.Rotate
				text += fmt.Sprintf(":%d/%d", tile.Number, tile.Delay)
			}
			cells = append(cells, cell{x, y, text})
			if x >= 0 && y >= 0 && x < layer.Width() && y < layer.Height() {
				layer.Switches().Set(x, y, tile)
			}
		}
		data, err := json.Marshal(cells)
		if err != nil {
			t.Fatal(err)
		}
		line := chromium.Eval[string](d.Page, fmt.Sprintf(`import("/page/cells.js").then(({ Sparse, parse, format, cellsOf, textOf }) => {
			const cells = new Sparse(%d, %d);
			for (const { X, Y, Cell } of %s) {
				if (format(parse(Cell)) !== Cell) throw new Error(Cell);
				cells.set(X, Y, Cell);
			}
			if (!cells.size) return "";
			const { x, y, rows } = cells.drawing();
			for (const row of rows) if (textOf(cellsOf(row)) !== row) throw new Error(row);
			return ["draw-tiles --layer switch", x, y, ...rows.map((row) => "'" + row + "'")].join(" ");
		})`, layer.Width(), layer.Height(), data))
		fmt.Fprintln(&script, line)
	}
	dir := t.TempDir()
	changes, made := filepath.Join(dir, "changes.txt"), filepath.Join(dir, "made.map")
	judge.Write(t, changes, []byte(script.String()))
	run(t, "edit", "-q", d.name, "-o", made, "--script", changes)
	data := judge.Read(t, made)
	got, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for y := range layer.Height() {
		for x := range layer.Width() {
			if is, want := got.Physics(twmap.KindSwitch).Switches().At(x, y), layer.Switches().At(x, y); is != want {
				t.Fatalf("%d,%d: %v, want %v", x, y, is, want)
			}
		}
	}
	d.end()
}
