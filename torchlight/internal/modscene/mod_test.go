package modscene

import (
	"fmt"
	"image"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/format"
	_ "trowel.example/internal/testing/tests" // an empty machine
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// TestModSheets tests the sheets of a small mod: icons, cards with inherited values, and what is reported as missing.
func TestModSheets(t *testing.T) {
	fsys := fstest.MapFS{}
	put := func(name, content string) { fsys[name] = &fstest.MapFile{Data: []byte(content)} }
	const items = "MEDIA/UNITS/ITEMS/"
	put(items+"A.DAT", "[UNIT]\n<STRING>BASEFILE:"+items+"BASE.DAT\n<STRING>NAME:Ring\n<STRING>ICON:gone\n<INTEGER64>UNIT_GUID:77\n[/UNIT]\n")
	put(items+"B.DAT", "[UNIT]\n<STRING>BASEFILE:"+items+"C.DAT\n<STRING>NAME:B\n<STRING>ICON:gone\n[/UNIT]\n")
	put(items+"C.DAT", "[UNIT]\n<STRING>BASEFILE:"+items+"B.DAT\n<STRING>NAME:C\n[/UNIT]\n")
	put(items+"BASE.DAT", "[UNIT]\n<BOOL>DONTCREATE:true\n<INTEGER>MINDAMAGE:3\n<INTEGER>MAXDAMAGE:9\n"+
		"[AFFIXES]\n<STRING>AFFIX:GLOW\n[/AFFIXES]\n[/UNIT]\n")
	files, err := moddir.SourcesOf(fsys, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{origin: func(path string) origin { return origin{place: path, tree: path, bytes: true} }}
	scene, err := modScene(s, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	var views []string
	for _, v := range scene.Views {
		views = append(views, v.Name)
		dst := image.NewRGBA(image.Rect(0, 0, int(v.Bounds.Dx()), int(v.Bounds.Dy())))
		if err := viewOf(scene, v.Name).Render(t.Context(), dst, format.Look{View: v.Name, Scale: 1}); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(views, " "); got != "icons items" {
		t.Errorf("views %q", got)
	}
	var missing []string
	for _, m := range scene.Missing() {
		missing = append(missing, fmt.Sprintf("%s %s %d", m.Kind, m.Name, m.Count))
	}
	if got := strings.Join(missing, ", "); got != "base "+items+"B.DAT 1, base "+items+"C.DAT 1, icon gone 3" {
		t.Errorf("missing: %s", got)
	}
	things, err := viewOf(scene, "items").Inspect(t.Context(), format.Look{View: "items"}, [2]float64{12, 12})
	if got := fmt.Sprint(things); err != nil || !strings.Contains(got, "3 (from "+items+"BASE.DAT)") {
		t.Errorf("%v %v", got, err)
	}
}

// TestImageSetAlone tests that an image set whose picture is not at hand is drawn as frames with names.
func TestImageSetAlone(t *testing.T) {
	set := `<Imageset Name="a" Imagefile="media/ui/gone.dds"><Image Name="one" XPos="0" YPos="0" Width="60" Height="40"/>` +
		`<Image Name="vast" XPos="-1" YPos="9" Width="1000000" Height="1000000"/></Imageset>`
	s := &subject{path: "A.IMAGESET", data: []byte(set), origin: func(path string) origin { return origin{place: path} },
		find: func(string) ([]byte, error) { return nil, fs.ErrNotExist }}
	scene, err := imageSetScene(s)
	if err != nil {
		t.Fatal(err)
	}
	m := scene.Missing()
	if len(m) != 1 || m[0].Name != "media/ui/gone.dds" || m[0].Count != 2 || m[0].Loss {
		t.Errorf("missing: %+v", m)
	}
	views := scene.Views
	if len(views) != 1 || views[0].Bounds.Dx() > 2048 || views[0].Bounds.Dy() > 2048 {
		t.Fatalf("%+v", views)
	}
	dst := image.NewRGBA(image.Rect(0, 0, int(views[0].Bounds.Dx()), int(views[0].Bounds.Dy())))
	if err := viewOf(scene, "").Render(t.Context(), dst, format.Look{Scale: 1}); err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for _, v := range dst.Pix {
		if v > 0 {
			drawn++
		}
	}
	if drawn < 1000 {
		t.Error("no frames were drawn")
	}
}

// TestCardLevels tests that the card of a skill shows its first and its last level, also those of its base file.
func TestCardLevels(t *testing.T) {
	const base = "[SKILL]\n<STRING>NAME:BASE\n[LEVEL15]\n<INTEGER>MANACOST:90\n[/LEVEL15]\n[/SKILL]\n"
	fsys := fstest.MapFS{"MEDIA/SKILLS/BASE.DAT": {Data: []byte(base)},
		"MEDIA/SKILLS/A.DAT": {Data: []byte("[SKILL]\n<STRING>NAME:A\n<STRING>BASEFILE:MEDIA/SKILLS/BASE.DAT\n[LEVEL2]\n<INTEGER>MANACOST:50\n" +
			"[/LEVEL2]\n[LEVEL1]\n<INTEGER>MANACOST:20\n[EVENT_TRIGGER]\n<FLOAT>WEAPONDAMAGEPCT:150\n[/EVENT_TRIGGER]\n[/LEVEL1]\n" +
			"[LEVELX]\n[/LEVELX]\n[/SKILL]\n")}}
	files, err := moddir.SourcesOf(fsys, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := &modSheets{media: []moddir.Files{files}, trees: make(map[string]*text.Node)}
	root, err := files.Tree("MEDIA/SKILLS/A.DAT")
	if err != nil {
		t.Fatal(err)
	}
	skill := &thing{file: "MEDIA/SKILLS/A.DAT", chain: inherit.Follow("MEDIA/SKILLS/A.DAT", root, m.tree)}
	card := ""
	for _, l := range skill.card(new(icons), func(func(string, string)) {}).Lines {
		card += l.Text + "\n"
	}
	for _, want := range []string{"mana at level 1: 20\n", "mana at level 15: 90\n", "weapon damage at level 1 (%): 150\n"} {
		if !strings.Contains(card, want) {
			t.Errorf("%q is missing in\n%s", want, card)
		}
	}
}

// TestCardAffixes tests that the card of a unit shows the affixes of its file and those of its base files.
func TestCardAffixes(t *testing.T) {
	base, err := text.Parse([]byte("[UNIT]\n[AFFIXES]\n<STRING>AFFIX:GLOW\n[/AFFIXES]\n[EFFECT]\n<STRING>TYPE:ARMOR\n[/EFFECT]\n[/UNIT]\n"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := text.Parse([]byte("[UNIT]\n<STRING>BASEFILE:B.DAT\n[AFFIXES]\n<STRING>AFFIX:RAGE\n[/AFFIXES]\n[/UNIT]\n"))
	if err != nil {
		t.Fatal(err)
	}
	tree := func(string) (*text.Node, error) { return base.Root, nil }
	unit := &thing{file: "MEDIA/A.DAT", chain: inherit.Follow("MEDIA/A.DAT", own.Root, tree)}
	card := ""
	for _, l := range unit.card(new(icons), func(func(string, string)) {}).Lines {
		card += l.Text + "\n"
	}
	for _, want := range []string{"affixes: RAGE\n", "affixes of the base files: GLOW\n", "effects: ARMOR\n"} {
		if !strings.Contains(card, want) {
			t.Errorf("%q is missing in\n%s", want, card)
		}
	}
	if got := fmt.Sprint(unit.describe().Facts); !strings.Contains(got, "RAGE") || !strings.Contains(got, "GLOW (from MEDIA/B.DAT)") {
		t.Error(got)
	}
}

// viewOf returns a view by its name, or the first one.
func viewOf(s *format.Scene, name string) format.View {
	v, _ := format.ViewOf(s.Views, name)
	return v
}
