package modscene

import (
	"fmt"
	"image"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/format"
	_ "trowel.example/internal/testing/tests" // an empty machine
	"trowel.example/torchlight/moddir"
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
	for _, v := range scene.Views() {
		views = append(views, v.Name)
		dst := image.NewRGBA(image.Rect(0, 0, int(v.Bounds.Dx()), int(v.Bounds.Dy())))
		if err := scene.Render(t.Context(), dst, format.Look{View: v.Name, Scale: 1}); err != nil {
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
	things, err := scene.(format.Inspector).Inspect(t.Context(), format.Look{View: "items"}, [2]float64{12, 12})
	if got := fmt.Sprint(things); err != nil || !strings.Contains(got, "3 (from "+items+"BASE.DAT)") {
		t.Errorf("%v %v", got, err)
	}
}
