package moddir_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
)

const imageSet = `<Imageset Name="icons" Imagefile="media/ui/icons.dds">
	<Image Name="a" XPos="0" YPos="0" Width="8" Height="8"/>
	<Image Name="b/c" XPos="8" YPos="-1" Width="100" Height="9"/>
	<Image Name="beside" XPos="90" YPos="0" Width="8" Height="8"/>
</Imageset>`

// copyOf returns a copy of all files of a folder, to be edited.
func copyOf(t *testing.T, fsys fs.FS) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = fs.ReadFile(fsys, name)
			m[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSprites tests that sprites are in the folder on request, that the mod is rebuilt byte for byte if none of them is
// changed, and that changed sprites are put into the picture.
func TestSprites(t *testing.T) {
	sheet := image.NewNRGBA(image.Rect(0, 0, 32, 16))
	for i := range sheet.Pix {
		sheet.Pix[i] = byte(i)
	}
	for _, codec := range []dds.Format{dds.Plain, dds.DXT5} {
		pix, err := dds.Encode(sheet, codec)
		if err != nil {
			t.Fatal(err)
		}
		old, err := dds.Decode(pix)
		if err != nil {
			t.Fatal(err)
		}
		data := makeMod(t, header(), []entry{{"MEDIA/UI/ICONS.DDS", pix}, {"MEDIA/UI/ICONS.IMAGESET", []byte(imageSet)},
			{"MEDIA/UI/LOST.IMAGESET", []byte(strings.Replace(imageSet, "icons.dds", "lost.dds", 1))}}, nil)
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		var lost []string
		fsys := copyOf(t, moddir.Open(m, moddir.Options{Sprites: true,
			OnSprites: func(at string, err error) { lost = append(lost, at+": "+err.Error()) }}))
		const a, b = "SPRITES/MEDIA/UI/ICONS.IMAGESET/a.png", "SPRITES/MEDIA/UI/ICONS.IMAGESET/b%2Fc.png"
		if fsys[a] == nil || fsys[b] == nil || len(fsys) != 7 || len(lost) != 1 {
			t.Fatalf("the folder has %d files; without a picture are %q", len(fsys), lost)
		}
		sprite, err := png.Decode(bytes.NewReader(fsys[b].Data))
		if err != nil || sprite.Bounds() != image.Rect(0, 0, 24, 8) || sprite.At(3, 2) != old.At(11, 2) {
			t.Errorf("%v: b is %v, %v", codec, sprite.Bounds(), err)
		}
		if got := build(t, fsys, moddir.BuildOptions{}); !bytes.Equal(got, data) {
			t.Errorf("%v: other bytes come back", codec)
		}
		fsys[b].Data = pngOf(t, sprite) // the same pixels in another encoding
		if got := packed(t, build(t, fsys, moddir.BuildOptions{})); got["MEDIA/UI/ICONS.DDS"] != string(pix) {
			t.Errorf("%v: a sprite with the same pixels makes another picture", codec)
		}
		red := image.NewNRGBA(image.Rect(0, 0, 8, 8))
		for i := range red.Pix {
			red.Pix[i] = []byte{255, 0, 0, 255}[i%4]
		}
		fsys[a].Data = pngOf(t, red)
		got := packed(t, build(t, fsys, moddir.BuildOptions{}))
		if len(got) != 3 {
			t.Errorf("%v: the mod has %d files", codec, len(got))
		}
		made, err := dds.Decode([]byte(got["MEDIA/UI/ICONS.DDS"]))
		if err != nil {
			t.Fatal(err)
		}
		for y := range 16 {
			for x := range 32 {
				want := old.NRGBAAt(x, y)
				if x < 8 && y < 8 {
					want = color.NRGBA{255, 0, 0, 255}
				}
				if c := made.NRGBAAt(x, y); c != want {
					t.Fatalf("%v: %d,%d is %v, want %v", codec, x, y, c, want)
				}
			}
		}
		fsys[a].Data = pngOf(t, image.NewNRGBA(image.Rect(0, 0, 9, 8)))
		var out tests.Memory
		if _, _, err := moddir.Build(context.Background(), &out, fsys, moddir.BuildOptions{}); err == nil ||
			!strings.Contains(err.Error(), "expected 8 × 8 pixels") || !strings.Contains(err.Error(), a) {
			t.Errorf("%v: a sprite of another size: %v", codec, err)
		}
	}
}

// TestManySprites tests that the sprites of all image sets have a budget: sets beyond it have none in the folder.
func TestManySprites(t *testing.T) {
	var sheet bytes.Buffer
	if err := png.Encode(&sheet, image.NewGray(image.Rect(0, 0, 2048, 2048))); err != nil {
		t.Fatal(err)
	}
	set := func(n int) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `<Image Name="%d" XPos="0" YPos="0" Width="2048" Height="2048"/>`, i)
		}
		return []byte(`<Imageset Name="a" Imagefile="media/ui/big.png">` + b.String() + "</Imageset>")
	}
	data := makeMod(t, header(), []entry{{"MEDIA/UI/A.IMAGESET", set(20)}, {"MEDIA/UI/B.IMAGESET", set(20)},
		{"MEDIA/UI/BIG.PNG", sheet.Bytes()}}, nil)
	var lost []string
	fsys := openMod(t, data, moddir.Options{Sprites: true, OnSprites: func(at string, err error) {
		if errors.Is(err, effort.ErrMet) {
			lost = append(lost, at)
		}
	}})
	if len(lost) != 1 || lost[0] != "MEDIA/UI/B.IMAGESET" {
		t.Errorf("lost %q", lost)
	}
	if list, err := fs.ReadDir(fsys, "SPRITES/MEDIA/UI/A.IMAGESET"); err != nil || len(list) != 20 {
		t.Errorf("%d sprites of the first set: %v", len(list), err)
	}
	if _, err := fs.Stat(fsys, "SPRITES/MEDIA/UI/B.IMAGESET"); err == nil {
		t.Error("sprites of the second set")
	}
}
