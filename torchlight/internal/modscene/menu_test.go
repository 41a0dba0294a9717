package modscene

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/format"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

const skillTree = `[UI]
[OBJECTS]
[BASEOBJECT]
[PROPERTIES]
<STRING>DESCRIPTOR:Window
<STRING>NAME:pane
<INTEGER64>ID:1
<FLOAT>WIDTH:100
<FLOAT>HEIGHT:80
<STRING>WIDGET NAME:LEAP
[/PROPERTIES]
[CHILDREN]
[BASEOBJECT]
[PROPERTIES]
<STRING>DESCRIPTOR:Drag And Drop Container
<STRING>NAME:icon
<INTEGER64>ID:2
<FLOAT>OFFSET X:10
<FLOAT>OFFSET Y:10
<FLOAT>WIDTH:20
<FLOAT>HEIGHT:20
<STRING>ALLOWED TYPES:SKILL
<STRING>WIDGET NAME:CONTAINER
[/PROPERTIES]
[/BASEOBJECT]
[BASEOBJECT]
[PROPERTIES]
<STRING>DESCRIPTOR:Text
<STRING>NAME:name
<INTEGER64>ID:3
<FLOAT>OFFSET Y:40
<FLOAT>WIDTH:100
<FLOAT>HEIGHT:20
<TRANSLATE>TEXT:Skill Name
<STRING>WIDGET NAME:NAMETEXT
[/PROPERTIES]
[/BASEOBJECT]
[/CHILDREN]
[/BASEOBJECT]
[BASEOBJECT]
[PROPERTIES]
<STRING>DESCRIPTOR:Image
<STRING>NAME:frame
<INTEGER64>ID:4
<FLOAT>OFFSET X:120
<FLOAT>WIDTH:30
<FLOAT>HEIGHT:30
<STRING>IMAGE:gone
[/PROPERTIES]
[/BASEOBJECT]
[/OBJECTS]
[/UI]
`

// TestMenu tests a tree of skills in a mod: the skill gives its icon and its name; what is missing is reported.
func TestMenu(t *testing.T) {
	red := image.NewNRGBA(image.Rect(0, 0, 10, 10))
	for i := range 100 {
		red.SetNRGBA(i%10, i/10, color.NRGBA{255, 0, 0, 255})
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, red); err != nil {
		t.Fatal(err)
	}
	files, err := moddir.SourcesOf(fstest.MapFS{
		"MEDIA/SKILLTREE/TREE.LAYOUT": {Data: []byte(skillTree)},
		"MEDIA/SKILLS/LEAP.DAT": {Data: []byte("[SKILL]\n<STRING>NAME:Leap\n<TRANSLATE>DISPLAYNAME:Great Leap\n" +
			"<STRING>SKILL_ICON:leap\n[/SKILL]\n")},
		"MEDIA/UI/ICONS.IMAGESET": {Data: []byte(`<Imageset Name="a" Imagefile="media/ui/icons.png"><Image Name="LEAP" ` +
			`XPos="0" YPos="0" Width="10" Height="10"/></Imageset>`)},
		"MEDIA/UI/ICONS.PNG": {Data: picture.Bytes()},
	}, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{origin: func(path string) origin { return origin{place: path, tree: path} }}
	scene, err := modScene(s, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, m := range scene.Missing() {
		missing = append(missing, m.Kind+" "+m.Name)
	}
	if got := strings.Join(missing, ", "); got != "icon gone" {
		t.Errorf("missing: %s", got)
	}
	where, ok := viewOf(scene, "menus").Where(t.Context(), text.Place{Path: "MEDIA/SKILLTREE/TREE.LAYOUT", Object: 2})
	if !ok {
		t.Fatal("the place of the icon is unknown")
	}
	middle := [2]float64{(where.Min[0] + where.Max[0]) / 2, (where.Min[1] + where.Max[1]) / 2}
	dst := image.NewRGBA(image.Rect(0, 0, 400, 400))
	if err := viewOf(scene, "menus").Render(t.Context(), dst, format.Look{View: "menus", Scale: 1}); err != nil {
		t.Fatal(err)
	}
	if c := dst.RGBAAt(int(middle[0]), int(middle[1])); c != (color.RGBA{255, 0, 0, 255}) {
		t.Errorf("the icon has the colour %v", c)
	}
	things, err := viewOf(scene, "menus").Inspect(t.Context(), format.Look{View: "menus"}, middle)
	if got := fmt.Sprint(things); err != nil || !strings.Contains(got, "Great Leap") || !strings.Contains(got, "MEDIA/SKILLS/LEAP.DAT") {
		t.Errorf("%v %v", got, err)
	}
	// A part of the picture has the pixels of the whole.
	part := image.NewRGBA(image.Rect(5, 7, 150, 90))
	if err := viewOf(scene, "menus").Render(t.Context(), part, format.Look{View: "menus", Scale: 1}); err != nil {
		t.Fatal(err)
	}
	for y := 7; y < 90; y++ {
		for x := 5; x < 150; x++ {
			if part.RGBAAt(x, y) != dst.RGBAAt(x, y) {
				t.Fatalf("pixel %d,%d is %v, not %v", x, y, part.RGBAAt(x, y), dst.RGBAAt(x, y))
			}
		}
	}
}
