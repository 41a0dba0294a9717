package imageset_test

import (
	"bytes"
	"errors"
	"image"
	"slices"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/internal/imageset"
)

const sample = `<?xml version="1.0" encoding="windows-1252"?>
<Imageset Name="icons" Imagefile="media/ui/icons.dds" NativeHorzRes="1024" NativeVertRes="768" AutoScaled="true">
	<Image Name="a" XPos="-1" YPos="-1" Width="10" Height="10"/>
	<!-- <Image/> -->
	<image Name=b XPos="6.0" Width="40" Height="7">
	<Image Name="a" XPos="50" YPos="0" Width="4" Height="4"/>
</Imageset>`

func TestParse(t *testing.T) {
	for name, data := range map[string][]byte{
		"plain": []byte(sample), "UTF-8": append([]byte("\xef\xbb\xbf"), sample...), "UTF-16": bin.AppendUTF16([]byte{0xff, 0xfe}, sample),
	} {
		set, err := imageset.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if set.Name != "icons" || set.File != "media/ui/icons.dds" || len(set.Sprites) != 3 ||
			set.Sprites[0].Rect != image.Rect(-1, -1, 9, 9) || set.Sprites[1].Rect != image.Rect(6, 0, 46, 7) {
			t.Errorf("%s: %+v", name, set)
		}
		if !imageset.Recognize(data[:400*len(data)/len(bin.AppendUTF16(nil, sample))]) {
			t.Errorf("%s: its beginning is not known", name)
		}
	}
	for _, bad := range []string{"", "<layout/>", "text", "<Imageset><Image XPos='a'/></Imageset>", "<Imageset><"} {
		if _, err := imageset.Parse([]byte(bad)); !errors.Is(err, fault.ErrFormat) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestCut tests that sprites are clipped to the picture.
func TestCut(t *testing.T) {
	set, err := imageset.Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	sheet := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i, want := range []image.Rectangle{image.Rect(0, 0, 9, 9), image.Rect(6, 0, 32, 7), {}} {
		if got := set.Sprites[i].Cut(sheet).Rect; got != want {
			t.Errorf("%d: %v, want %v", i, got, want)
		}
	}
}

// TestContact tests that each sprite has one place on a contact sheet, and that parts are drawn like the whole.
func TestContact(t *testing.T) {
	sheet := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range sheet.Pix {
		sheet.Pix[i] = 255
	}
	set := &imageset.Set{}
	for range 60 {
		set.Sprites = append(set.Sprites, imageset.Sprite{Name: "icon", Rect: image.Rect(4, 4, 20, 34)})
	}
	c := imageset.NewContact(set, sheet)
	whole := image.NewRGBA(image.Rectangle{Max: c.Size()})
	c.Draw(whole, [2]float64{}, 1)
	white := 0
	for i := 0; i < len(whole.Pix); i += 4 {
		if whole.Pix[i] == 255 && whole.Pix[i+3] == 255 {
			white++
		}
	}
	if want := 60 * 16 * 30; white != want {
		t.Errorf("%d pixels of sprites, want %d", white, want)
	}
	parts := image.NewRGBA(whole.Rect)
	for y := 0; y < whole.Rect.Max.Y; y += 37 {
		for x := 0; x < whole.Rect.Max.X; x += 41 {
			c.Draw(parts.SubImage(image.Rect(x, y, x+41, y+37)).(*image.RGBA), [2]float64{}, 1)
		}
	}
	if !bytes.Equal(whole.Pix, parts.Pix) {
		t.Error("parts are other pixels than the whole")
	}
}

func TestCheck(t *testing.T) {
	for data, want := range map[string]string{sample: "tl-imageset-twice",
		"<Imageset><Image Width='x'/>": "tl-imageset-unreadable", "<Imageset/>": ""} {
		got := ""
		for _, f := range check.Collect(func(sink check.Sink) { imageset.Check([]byte(data), sink) }) {
			got += f.ID
		}
		if got != want {
			t.Errorf("%.40q: %q, want %q", data, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add(bin.AppendUTF16([]byte{0xff, 0xfe}, sample))
	sheet := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := imageset.Parse(data)
		if _, ok := errors.AsType[*fault.Error](err); err != nil && !ok {
			t.Fatalf("an error without a place: %v", err)
		}
		if set != nil {
			c := imageset.NewContact(set, sheet)
			c.Draw(image.NewRGBA(image.Rect(0, 0, 16, 16)), [2]float64{}, 0.5)
		}
	})
}

// TestSpend tests that sprites which overlap count with all their pixels.
func TestSpend(t *testing.T) {
	set := &imageset.Set{Sprites: slices.Repeat([]imageset.Sprite{{Rect: image.Rect(-9, 0, 64, 900)}}, 600)}
	sheet := &image.NRGBA{Rect: image.Rect(0, 0, 64, 64), Stride: 256, Pix: make([]byte, 4*64*64)}
	for most, met := range map[int64]bool{600 * 64 * 64: false, 600*64*64 - 1: true} {
		k := effort.Kind{Unit: "pixels", Least: most}
		if err := set.Spend(k.Start(0), sheet); errors.Is(err, effort.ErrMet) != met {
			t.Errorf("at most %d: %v", most, err)
		}
	}
}
