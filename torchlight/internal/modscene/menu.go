package modscene

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"image"
	"image/color"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	xdraw "golang.org/x/image/draw"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/figure"
	sheets "trowel.example/torchlight/internal/sheet"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// around are the files that a subject can find.
type around struct{ *subject }

func (a around) Files() iter.Seq[string] { return slices.Values(a.below("MEDIA")) }

func (a around) Content(name string) ([]byte, error) { return a.find(name) }

func (a around) Tree(name string) (*text.Node, error) {
	data, err := a.find(name)
	if err != nil {
		return nil, err
	}
	return figure.Tree(data)
}

// drawnWidget is a widget with what it shows.
type drawnWidget struct {
	*menuWidget
	name    string       // of the sprite; "" for none
	picture *image.NRGBA // nil: there is none, or it is missing
	lines   []sheets.Line
	skill   *thing // whose part of a tree of skills it is
}

// menuScene draws a menu.
func menuScene(s *subject, f *layout.File) (*format.Scene, error) {
	files := around{s}
	m := &modSheets{subject: s, media: []moddir.Files{files}, icons: newIcons(s, files), things: make(map[string][]*thing),
		trees: make(map[string]*text.Node)}
	sum := sha256.New()
	sum.Write(s.data)
	d := m.menu(f, newPlanFile(f, s.data, s.origin(s.path)), sum)
	scene := &still{views: []stillView{d.stillView}, missing: m.missing()}
	sum.Sum(scene.digest[:0])
	return scene.scene(), nil
}

// drawnMenu is the view of a menu, and its layers.
type drawnMenu struct {
	stillView
	layers []menuLayer
}

// menu returns a menu: its widgets with the sprites of image sets, and its texts. In trees of skills, the skills that the
// widgets are named after give their names, icons and levels. The hash gets everything that decides how it looks.
func (m *modSheets) menu(f *layout.File, file *planFile, sum hash.Hash) drawnMenu {
	laid := newMenu(f)
	skills := m.skillsOf(laid)
	wanted := make(map[string]bool)
	var widgets []*drawnWidget
	for _, w := range laid.Widgets {
		d := &drawnWidget{menuWidget: w, name: w.Image()}
		if of := w.Named(func(name string) bool { return skills[strings.ToUpper(name)] != nil }); of != nil {
			d.skill = skills[strings.ToUpper(of.Word("WIDGET NAME"))]
		}
		if d.skill != nil && w.HoldsSkill() {
			d.name = d.skill.icon()
		}
		wanted[strings.ToLower(d.name)] = true
		widgets = append(widgets, d)
	}
	m.load(wanted)
	for _, d := range widgets {
		if m := m.get(d.name); m != nil {
			d.picture = m
			sum.Write(m.Pix)
		} else {
			d.label()
		}
		d.write()
		fmt.Fprintln(sum, d.name, d.Rect, d.lines)
	}
	if laid.Left > 0 {
		m.lack(format.Missing{Kind: "widgets", Count: int64(laid.Left), Unit: "widgets", What: "too far away, too large or too many"})
	}
	return drawnMenu{menuView(laid, widgets, file), laid.Layers}
}

// skillsOf returns the skills that a menu has widgets for, by their names in upper case.
func (m *modSheets) skillsOf(laid *menu) map[string]*thing {
	wanted := make(map[string]string) // the names as written
	for _, w := range laid.Widgets {
		if !w.HoldsSkill() {
			continue
		}
		if of := w.Named(func(string) bool { return true }); of != nil {
			for of = of.Parent; of != nil && of.Object != nil; of = of.Parent {
				if of.Kind == "Window" {
					name := of.Word("WIDGET NAME")
					wanted[strings.ToUpper(name)] = name
					break
				}
			}
		}
	}
	skills := make(map[string]*thing)
	find := func(files moddir.Files) {
		for _, name := range slices.Sorted(files.Files()) {
			if len(skills) == len(wanted) || !strings.HasPrefix(name, "MEDIA/SKILLS/") || !strings.HasSuffix(name, ".DAT") {
				continue
			}
			root, err := m.tree(name)
			if err != nil {
				m.lack(format.Missing{Kind: "file", Name: name, What: err.Error(), Loss: true})
				continue
			}
			of, _ := root.Get("NAME")
			if of = strings.ToUpper(of); wanted[of] != "" && skills[of] == nil {
				skills[of] = m.thing(name, root)
			}
		}
	}
	for _, files := range m.media {
		if len(wanted) > 0 {
			find(files)
		}
	}
	for key, name := range wanted {
		if name != "" && skills[key] == nil {
			m.lack(format.Missing{Kind: "skill", Name: name, Count: 1, Unit: "widgets",
				What: "no skill of the mod or of --base has this name"})
		}
	}
	return skills
}

// menus returns the view of all menus of the mod, or nil if it has none. Tabs that are hidden at first have their own
// pictures.
func (m *modSheets) menus(files []string, sum hash.Hash) *stillView {
	type shown struct {
		drawnMenu
		layers []string
		origin [2]float64
	}
	var cells []sheets.Cell
	var list []shown
	for _, name := range files {
		if !strings.HasSuffix(name, ".LAYOUT") {
			continue
		}
		root, err := m.media[0].Tree(name)
		if err != nil || !strings.EqualFold(root.Name, "UI") {
			continue // `check` reports what cannot be read
		}
		f, err := layout.FromText(root, func(text.Item, *text.Error) {})
		if err != nil {
			m.lack(format.Missing{Kind: "file", Name: name, What: err.Error(), Loss: true})
			continue
		}
		d := m.menu(f, newPlanFile(f, nil, m.origin(name)), sum)
		for tab := range d.tabs() {
			if len(cells) >= limits.cells {
				m.lack(format.Missing{Kind: "menus", Count: 1, Unit: "menus", What: fmt.Sprintf("only the first %d are drawn", limits.cells)})
				break
			}
			one := shown{d, d.names(tab), d.Bounds.Min}
			size := image.Pt(int(d.Bounds.Dx()), int(d.Bounds.Dy()))
			part := sheets.Part{Size: size, Draw: func(dst *image.RGBA, origin [2]float64, scale float64) {
				origin[0], origin[1] = origin[0]+one.origin[0], origin[1]+one.origin[1]
				one.draw(dst, format.Look{Origin: origin, Scale: scale, Layers: one.layers})
			}}
			title := name
			if tab >= 0 {
				title += ": " + d.layers[tab].Name
			}
			cells, list = append(cells, sheets.Icon(part, sheets.Text{Text: title, Size: 12, Color: sheets.Bright, Most: 3})), append(list, one)
		}
	}
	if cells == nil {
		return nil
	}
	digest(sum, cells)
	sheet := sheets.New(cells, sheets.Unit, sheets.Width(cells, sheets.Unit, 1024))
	inside := func(i int, at [2]float64) [2]float64 {
		r := sheet.Where(i).Min
		return [2]float64{at[0] - float64(r.X) + list[i].origin[0], at[1] - float64(r.Y) + list[i].origin[1]}
	}
	view := m.sheetView("menus", "menus and trees of skills", sheet, nil, nil)
	view.inspect = func(_ format.Look, at [2]float64) []format.Thing {
		i, _ := sheet.At(at[0], at[1])
		if i < 0 {
			return nil
		}
		things := list[i].inspect(format.Look{Layers: list[i].layers}, inside(i, at))
		for j := range things {
			things[j].Layer = "" // there are no layers
		}
		return things
	}
	view.where = func(place check.Place) (format.Rect, bool) {
		for i, one := range list {
			if r, ok := one.where(place); ok {
				by := inside(i, [2]float64{})
				for k := range 2 {
					r.Min[k], r.Max[k] = r.Min[k]-by[k], r.Max[k]-by[k]
				}
				return r, true
			}
		}
		return format.Rect{}, false
	}
	return view
}

// tabs yields -1 for the menu as it is at first, and the layers that can be shown instead of others.
func (d *drawnMenu) tabs() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !yield(-1) {
			return
		}
		for i, l := range d.layers {
			if l.Instead >= 0 && !yield(i) {
				return
			}
		}
	}
}

// names returns the names of the layers that are shown with a tab.
func (d *drawnMenu) names(tab int) []string {
	list := []string{}
	for i, l := range d.layers {
		if i == tab || l.Shown && (tab < 0 || i != d.layers[tab].Instead) {
			list = append(list, l.Name)
		}
	}
	return list
}

// stretch draws a sprite over a part of a picture, stretched to a rectangle. A rectangle without a size gets the sprite's.
func stretch(dst *image.RGBA, m *image.NRGBA, r menuRect, origin [2]float64, scale float64) {
	if r[2] <= 0 || r[3] <= 0 {
		r[2], r[3] = float64(m.Rect.Dx()), float64(m.Rect.Dy())
	}
	at := func(x, y float64) image.Point {
		return image.Pt(int(math.Round((x-origin[0])*scale)), int(math.Round((y-origin[1])*scale)))
	}
	to := image.Rectangle{Min: at(r[0], r[1]), Max: at(r[0]+r[2], r[1]+r[3])}
	xdraw.ApproxBiLinear.Scale(dst, to, m, m.Rect, xdraw.Over, nil)
}

// textSizes are the sizes of fonts by a part of their names; the fonts themselves are not drawn.
var textSizes = []struct {
	part string
	size float64
}{{"BIG", 20}, {"SMALL", 11}}

var fontNumber = regexp.MustCompile(`\d+$`)

// label adds the name of a missing sprite to the lines, if there is space for it.
func (d *drawnWidget) label() {
	const size = 9
	if d.name == "" || d.Rect[2] <= 3*size || d.Rect[3] <= 1.4*size {
		return
	}
	for _, line := range sheets.Wrap(d.name, (d.Rect[2]-4)/size, 1) {
		d.lines = append(d.lines, sheets.Line{Text: line, At: [2]float64{d.Rect[0] + 2, d.Rect[1] + size + 1}, Size: size, Color: missingColor})
	}
}

// write adds the lines of the widget's text.
func (d *drawnWidget) write() {
	words := d.Word("TEXT")
	if d.skill != nil {
		words = d.skillText(words)
	}
	ink := sheets.Bright
	if code := colorCode.FindString(words); len(code) == 10 {
		if n, err := strconv.ParseUint(code[2:], 16, 32); err == nil {
			ink = color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}
		}
	}
	words = strings.TrimSpace(strings.ReplaceAll(colorCode.ReplaceAllString(words, ""), `\n`, " "))
	if words == "" {
		return
	}
	size := 13.0
	font := strings.ToUpper(d.Word("FONT"))
	if n, err := strconv.Atoi(fontNumber.FindString(font)); err == nil && n >= 6 && n <= 60 {
		size = float64(n)
	}
	for _, t := range textSizes {
		if strings.Contains(font, t.part) {
			size = t.size
		}
	}
	width, few := d.Rect[2], max(1, int(d.Rect[3]/size/1.2))
	if width < size { // the text has the width that it needs
		width, few = size*sheets.TextWidth(words)+1, 1
	}
	lines := sheets.Wrap(words, width/size, min(few, 40))
	y := d.Rect[1]
	if strings.EqualFold(d.Word("VERTICAL ALIGN"), "CENTER") {
		y += (d.Rect[3] - 1.2*size*float64(len(lines))) / 2
	}
	for _, line := range lines {
		x := d.Rect[0]
		if strings.EqualFold(d.Word("HORIZONTAL ALIGN"), "CENTER") && d.Rect[2] > 0 {
			x += (d.Rect[2] - size*sheets.TextWidth(line)) / 2
		}
		d.lines = append(d.lines, sheets.Line{Text: line, At: [2]float64{x, y + size}, Size: size, Color: ink})
		y += 1.2 * size
	}
}

// skillText returns the text of a widget of a skill: the game sets the texts of some, by the names of the widgets.
func (d *drawnWidget) skillText(words string) string {
	levels := d.skill.levels()
	switch strings.ToUpper(d.Word("WIDGET NAME")) {
	case "NAMETEXT":
		return d.skill.title()
	case "INVESTED":
		if most := d.skill.first("MAX_INVEST_LEVEL"); most != "" {
			return `0\` + most
		}
	case "UNLOCKTEXT":
		for _, key := range []string{"LEVEL_REQUIRED", "REQUIRED_LEVEL"} {
			if v := d.skill.first(key); v != "" {
				return "Unlock at Level " + v
			}
			if len(levels) > 0 {
				if v := d.skill.first("LEVEL" + levels[0] + "." + key); v != "" {
					return "Unlock at Level " + v
				}
			}
		}
	}
	return words
}

// missingColor is the colour of the frames of sprites that are missing.
var missingColor = color.NRGBA{0x6c, 0x6c, 0x78, 255}

// draw draws a widget over a part of a picture.
func (d *drawnWidget) draw(dst *image.RGBA, origin [2]float64, scale float64) {
	switch {
	case d.picture != nil:
		stretch(dst, d.picture, d.Rect, origin, scale)
	case d.name != "" && d.Rect[2] > 0 && d.Rect[3] > 0:
		sheets.Frame(dst, d.Rect, missingColor, origin, scale)
	}
	for _, l := range d.lines {
		l.Draw(dst, origin, scale)
	}
}

// menuView returns the view of a menu.
func menuView(laid *menu, widgets []*drawnWidget, file *planFile) stillView {
	b := laid.Bounds()
	bounds := format.Rect{Min: [2]float64{b[0], b[1]}, Max: [2]float64{b[0] + b[2], b[1] + b[3]}}
	view := format.View{Name: "menu", Title: "the menu, in pixels of the screen", Scale: 1, Unit: "pixels", Bounds: bounds,
		Background: sheets.Background}
	for _, l := range laid.Layers {
		view.Layers = append(view.Layers, format.Layer{Name: l.Name, Shown: l.Shown})
	}
	// visible yields the widgets of the shown layers, from back to front.
	visible := func(look format.Look) iter.Seq[*drawnWidget] {
		shown := make([]bool, len(view.Layers))
		for i, l := range view.Layers {
			shown[i] = view.Draws(look, l.Name)
		}
		return func(yield func(*drawnWidget) bool) {
			for _, w := range widgets {
				if shown[w.Layer] && !yield(w) {
					return
				}
			}
		}
	}
	draw := func(dst *image.RGBA, look format.Look) {
		for w := range visible(look) {
			w.draw(dst, look.Origin, look.Scale)
		}
	}
	inspect := func(look format.Look, at [2]float64) (things []format.Thing) {
		for w := range visible(look) {
			if w.Rect.Contains(at[0], at[1]) {
				things = append(things, w.thing(file, view.Layers[w.Layer].Name))
			}
		}
		slices.Reverse(things)
		return things[:min(len(things), maxThings)]
	}
	where := func(place check.Place) (format.Rect, bool) {
		for _, w := range widgets {
			found := false
			switch p := place.(type) {
			case text.Place:
				found = p.Path == file.place && p.Object == w.ID
			case check.Line:
				found = p.Path == file.tree && file.tree != "" && file.lines().at(p.Line) == w.Object
			}
			if found {
				return format.Rect{Min: [2]float64{w.Rect[0], w.Rect[1]}, Max: [2]float64{w.Rect[0] + w.Rect[2], w.Rect[1] + w.Rect[3]}}, true
			}
		}
		return bounds, file.means(place)
	}
	return stillView{view, draw, inspect, where}
}

// thing describes a widget.
func (d *drawnWidget) thing(f *planFile, layer string) format.Thing {
	t := format.Thing{Title: d.Kind, Layer: layer, Place: text.Place{Path: f.place, Object: d.ID}}
	if title := d.Title(); title != d.Kind {
		t.Title += " " + strconv.Quote(title)
	}
	if line := f.lines().of[d.Object]; line > 0 {
		t.Line = check.Line{Path: f.tree, Line: line}
	}
	if offset, length := d.Span(); f.bytes && length > 0 {
		t.Bytes = format.Bytes{Path: f.dump, Space: f.dump, Offset: offset, Len: length}
	}
	t.Facts = []format.InfoField{format.Fact("id", "id", strconv.FormatInt(d.ID, 10)),
		format.Fact("position", "position", numbers(d.Rect[:2]...)), format.Fact("size", "size", numbers(d.Rect[2:]...))}
	fact := func(key, label, value string) {
		if value != "" {
			t.Facts = append(t.Facts, format.Fact(key, label, value))
		}
	}
	fact("widget", "widget name", d.Word("WIDGET NAME"))
	fact("image", "image", d.name)
	fact("text", "text", d.Word("TEXT"))
	if d.skill != nil {
		fact("skill", "skill", d.skill.title())
		fact("skillFile", "file of the skill", d.skill.file)
	}
	return t
}
