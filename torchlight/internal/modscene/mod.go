package modscene

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"image"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/codex"
	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/internal/inherit"
	sheets "trowel.example/torchlight/internal/sheet"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// modScene shows a mod as sheets: its icons, and its items, skills and monsters as cards, and its menus. The base may be nil.
func modScene(s *subject, mod, base moddir.Files) (*format.Scene, error) {
	media := []moddir.Files{mod}
	if base != nil {
		media = append(media, base)
	}
	m := &modSheets{subject: s, media: media, icons: newIcons(s, media...),
		things: make(map[string][]*thing), trees: make(map[string]*text.Node)}
	m.drops = m.newDrops()
	m.Level.readGraphs(media, func(file string, err error) {
		m.lack(format.Missing{Kind: "file", Name: file, What: err.Error(), Loss: true})
	})
	files := slices.Sorted(mod.Files())
	for _, kind := range thingKinds {
		for _, file := range files {
			if strings.HasPrefix(file, kind.folder) && strings.HasSuffix(file, ".DAT") {
				m.read(kind.name, file)
			}
		}
	}
	wanted := make(map[string]bool)
	for _, set := range m.imageSets {
		if set.bytes { // a set of the mod
			for _, sprite := range set.Sprites {
				wanted[strings.ToLower(sprite.Name)] = true
			}
		}
	}
	for _, kind := range thingKinds {
		for _, t := range m.things[kind.name] {
			wanted[strings.ToLower(t.icon())] = true
		}
	}
	m.load(wanted)
	scene := new(still)
	sum := sha256.New()
	if view := m.iconView(sum); view != nil {
		scene.views = append(scene.views, *view)
	}
	for _, kind := range thingKinds {
		if view := m.cardView(kind.name, kind.title, sum); view != nil {
			scene.views = append(scene.views, *view)
		}
	}
	if view := m.menus(files, sum); view != nil {
		scene.views = append(scene.views, *view)
	}
	if scene.views == nil {
		return nil, fmt.Errorf("%w: the mod has no icons, items, skills, monsters and menus", format.ErrUnseen)
	}
	scene.missing = m.missing()
	for _, name := range slices.Sorted(maps.Keys(m.images)) {
		fmt.Fprintf(sum, "%q %v\n", name, m.images[name].Rect)
		sum.Write(m.images[name].Pix)
	}
	sum.Sum(scene.digest[:0])
	made := scene.scene()
	made.Range = func(option string) (low, high int, ok bool) { return 1, codex.MaxLevel, option == "level" }
	return made, nil
}

// thingKinds are the kinds of things with cards, with the names and titles of their views.
var thingKinds = []struct{ name, folder, title string }{
	{"items", "MEDIA/UNITS/ITEMS/", "items as cards"},
	{"skills", "MEDIA/SKILLS/", "skills as cards"},
	{"monsters", "MEDIA/UNITS/MONSTERS/", "monsters as cards"},
}

// modSheets are the contents of the sheets of a mod.
type modSheets struct {
	*subject
	*icons
	media  []moddir.Files
	things map[string][]*thing // by the name of their kind
	trees  map[string]*text.Node
	drops  *drops
}

// tree returns the root of a data file of the mod or of the game.
func (m *modSheets) tree(file string) (*text.Node, error) {
	if n := m.trees[file]; n != nil {
		return n, nil
	}
	for _, files := range m.media {
		n, err := files.Tree(file)
		if err == nil {
			m.trees[file] = n
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
	}
	return nil, fs.ErrNotExist
}

// read adds the thing that a file defines. Files that exist only as bases of others define none.
func (m *modSheets) read(kind, file string) {
	if len(m.things[kind]) >= limits.cells {
		m.lack(format.Missing{Kind: kind, Count: 1, Unit: kind, What: fmt.Sprintf("only the first %d are drawn", limits.cells)})
		return
	}
	root, err := m.media[0].Tree(file)
	if err != nil {
		m.lack(format.Missing{Kind: "file", Name: file, What: err.Error(), Loss: true})
		return
	}
	if abstract, _ := root.Get("DONTCREATE"); hole.True(abstract) {
		return
	}
	m.things[kind] = append(m.things[kind], m.thing(file, root))
}

// thing returns the thing that a file defines.
func (m *modSheets) thing(file string, root *text.Node) *thing {
	t := &thing{origin: m.origin(file), file: file, chain: inherit.Follow(file, root, m.tree)}
	if t.chain.Err != nil {
		what := t.chain.Err.Error()
		if errors.Is(t.chain.Err, fs.ErrNotExist) {
			what = plainError(t.chain.Err).Error()
			if len(m.media) == 1 {
				what = "not in the mod (give the game's files with --base)"
			}
		}
		m.lack(format.Missing{Kind: "base", Name: t.chain.Missing, Count: 1, Unit: "files", What: what})
	}
	return t
}

// sheetView returns a view of a sheet. The functions return what a cell shows, and the cell of a place, or -1.
func (m *modSheets) sheetView(name, title string, sheet *sheets.Sheet, things func(cell int) []format.Thing,
	find func(check.Place) int) *stillView {
	view := format.View{Name: name, Title: title, Scale: 1, Unit: "pixels", Background: sheets.Background,
		Bounds: rectOf(image.Rectangle{Max: sheet.Size()})}
	return &stillView{view,
		func(dst *image.RGBA, look format.Look) { sheet.Draw(dst, look.Origin, look.Scale) },
		func(_ format.Look, at [2]float64) []format.Thing {
			if i, _ := sheet.At(at[0], at[1]); i >= 0 {
				return things(i)
			}
			return nil
		},
		func(place check.Place) (format.Rect, bool) {
			if i := find(place); i >= 0 {
				return rectOf(sheet.Where(i)), true
			}
			return format.Rect{}, false
		}}
}

// digest adds everything that decides how cells look to a hash, except for their icons.
func digest(sum hash.Hash, cells []sheets.Cell) {
	for _, c := range cells {
		fmt.Fprintln(sum, c.Size, c.Fill, c.Lines, len(c.Parts))
	}
}

// iconView returns the view of all icons, each with the things that have it; nil if the mod has none.
func (m *modSheets) iconView(sum hash.Hash) *stillView {
	owners := make(map[string][]*thing)
	var others []string // icons that are not in the mod
	for _, kind := range thingKinds {
		for _, t := range m.things[kind.name] {
			key := strings.ToLower(t.icon())
			if ref, known := m.where[key]; key != "" && owners[key] == nil && (!known || !m.imageSets[ref.set].bytes) {
				others = append(others, t.icon())
			}
			owners[key] = append(owners[key], t)
		}
	}
	var cells []sheets.Cell
	var names []string
	var refs []spriteRef
	add := func(name string, ref spriteRef) {
		if len(cells) >= limits.cells {
			m.lack(format.Missing{Kind: "icons", Count: 1, Unit: "icons", What: fmt.Sprintf("only the first %d are drawn", limits.cells)})
			return
		}
		cells = append(cells, m.iconCell(name, owners[strings.ToLower(name)]))
		names, refs = append(names, name), append(refs, ref)
	}
	for i, set := range m.imageSets {
		for j, sprite := range set.Sprites {
			if set.bytes && m.where[strings.ToLower(sprite.Name)] == (spriteRef{i, j}) {
				add(sprite.Name, spriteRef{i, j})
			}
		}
	}
	for _, name := range others {
		add(name, spriteRef{-1, 0})
	}
	if cells == nil {
		return nil
	}
	digest(sum, cells)
	sheet := sheets.New(cells, sheets.Unit, sheets.Width(cells, sheets.Unit, 1024))
	return m.sheetView("icons", "the icons, with the names and GUIDs of what has them", sheet,
		func(i int) (list []format.Thing) {
			if refs[i].set >= 0 {
				list = append(list, m.imageSets[refs[i].set].thing(refs[i].sprite))
				list[0].Layer = "" // there are no layers
			} else {
				list = append(list, format.Thing{Title: names[i]})
			}
			for _, t := range owners[strings.ToLower(names[i])] {
				if len(list) < maxThings {
					list = append(list, t.describe())
				}
			}
			return list
		},
		func(place check.Place) int {
			return slices.IndexFunc(refs, func(r spriteRef) bool { return r.set >= 0 && m.imageSets[r.set].find(place) == r.sprite })
		})
}

// iconCell returns the cell of an icon.
func (m *modSheets) iconCell(name string, owners []*thing) sheets.Cell {
	texts := []sheets.Text{{Text: name, Size: 12, Color: sheets.Bright, Most: 3}}
	const few = 2
	for _, t := range owners[:min(len(owners), few)] {
		texts = append(texts, sheets.Text{Text: t.title(), Size: 11, Color: sheets.Plain, Most: 2},
			sheets.Text{Text: t.guid(), Size: 10, Color: sheets.Dim, Most: 1})
	}
	if more := len(owners) - few; more > 0 {
		texts = append(texts, sheets.Text{Text: fmt.Sprintf("and %d more", more), Size: 11, Color: sheets.Plain, Most: 1})
	}
	if p := m.images[strings.ToLower(name)]; p != nil {
		return sheets.Icon(sheets.Picture(reduced(p, sheets.Unit), image.Point{}), texts...)
	}
	return sheets.Icon(sheets.Absent(image.Point{}, image.Pt(iconSide, iconSide)), texts...)
}

// cardView returns the view of the cards of a kind, or nil if the mod has none of it.
func (m *modSheets) cardView(kind, title string, sum hash.Hash) *stillView {
	list := m.things[kind]
	if list == nil {
		return nil
	}
	var cells []sheets.Cell
	for _, t := range list {
		cells = append(cells, t.card(m.icons, func(row func(label, text string)) { m.Level.rows(t.chain, kind == "items", row) }))
		fmt.Fprintf(sum, "%q\n", t.icon())
	}
	digest(sum, cells)
	sheet := sheets.New(cells, cardWidth, sheets.Width(cells, cardWidth, 1024))
	return m.sheetView(kind, title, sheet,
		func(i int) []format.Thing {
			d := list[i].describe()
			d.Facts = append(m.drops.facts(list[i].file), d.Facts...)
			return []format.Thing{d}
		},
		func(place check.Place) int {
			return slices.IndexFunc(list, func(t *thing) bool {
				switch p := place.(type) {
				case text.Place:
					return p.Path == t.place
				case check.Line:
					return p.Path == t.tree && t.tree != ""
				}
				return t.means(place)
			})
		})
}
