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
)

// sheetMod is a mod with three rings, each with its own icon of 8 x 8 pixels in one picture.
func sheetMod(t *testing.T, shade uint8) fstest.MapFS {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 24, 8))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	img.SetNRGBA(20, 4, color.NRGBA{shade, 0, 0, 255}) // in the icon of the last ring
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{"MEDIA/UI/A.PNG": {Data: data.Bytes()}}
	set := `<Imageset Name="a" Imagefile="media/ui/a.png">`
	for i := range 3 {
		set += fmt.Sprintf(`<Image Name="icon%d" XPos="%d" YPos="0" Width="8" Height="8"/>`, i, 8*i)
		fsys[fmt.Sprintf("MEDIA/UNITS/ITEMS/R%d.DAT", i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"[UNIT]\n<STRING>NAME:Ring\n<STRING>ICON:icon%d\n[/UNIT]\n", i)}
	}
	fsys["MEDIA/UI/A.IMAGESET"] = &fstest.MapFile{Data: []byte(set + "</Imageset>")}
	return fsys
}

func sheetScene(t *testing.T, fsys fstest.MapFS) *format.Scene {
	t.Helper()
	files, err := moddir.SourcesOf(fsys, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scene, err := modScene(&subject{origin: func(path string) origin { return origin{place: path, tree: path, bytes: true} }}, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return scene
}

// TestSheetLimits tests that a mod beyond each of the limits is drawn as far as the limit, and that this is reported.
func TestSheetLimits(t *testing.T) {
	usual := limits
	defer func() { limits = usual }()
	for _, c := range []struct {
		set  func()
		want string
	}{
		{func() {}, ""},
		{func() { limits.cells = 2 }, "icons  1: only the first 2 are drawn, items  1: only the first 2 are drawn"},
		{func() { limits.pixels = 130 }, "icon icon2 1: the icons have too many pixels"},
		{func() { limits.sprites = 2 }, "icon icon2 1: only the first 2 sprites are read, sprites  1: only the first 2 sprites are read"},
	} {
		limits = usual
		c.set()
		scene := sheetScene(t, sheetMod(t, 0))
		var missing []string
		for _, m := range scene.Missing() {
			missing = append(missing, fmt.Sprintf("%s %s %d: %s", m.Kind, m.Name, m.Count, m.What))
		}
		if got := strings.Join(missing, ", "); got != c.want {
			t.Errorf("missing: %s\nwant %s", got, c.want)
		}
		for _, v := range scene.Views {
			dst := image.NewRGBA(image.Rect(0, 0, int(v.Bounds.Dx()), int(v.Bounds.Dy())))
			if err := viewOf(scene, v.Name).Render(t.Context(), dst, format.Look{View: v.Name, Scale: 1}); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSheetDigest tests that the fingerprint of sheets changes with each pixel of an icon, even if the sheet of icons is
// full, and with the icon of a card.
func TestSheetDigest(t *testing.T) {
	usual := limits
	defer func() { limits = usual }()
	print := func(fsys fstest.MapFS) [32]byte {
		sum, err := viewOf(sheetScene(t, fsys), "").Fingerprint(t.Context(), format.Look{}, image.Rectangle{})
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	limits.cells = 2
	first := print(sheetMod(t, 0))
	if print(sheetMod(t, 0)) != first {
		t.Error("two runs differ")
	}
	if print(sheetMod(t, 1)) == first {
		t.Error("another pixel of an icon makes no difference")
	}
	other := sheetMod(t, 0)
	other["MEDIA/UNITS/ITEMS/R0.DAT"], other["MEDIA/UNITS/ITEMS/R1.DAT"] = other["MEDIA/UNITS/ITEMS/R1.DAT"], other["MEDIA/UNITS/ITEMS/R0.DAT"]
	if print(other) == first {
		t.Error("another icon of a card makes no difference")
	}
}
