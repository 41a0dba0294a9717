package moddir_test

import (
	"bytes"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"

	"image"
)

// TestCheckIcons tests that icons are looked up in the image sets of the mod and, if given, of the game.
func TestCheckIcons(t *testing.T) {
	sheet, err := dds.Encode(image.NewNRGBA(image.Rect(0, 0, 8, 8)), dds.Plain)
	if err != nil {
		t.Fatal(err)
	}
	skill := func(icon string) string {
		return "[SKILL]\n<STRING>NAME:x\n<INTEGER64>UNIQUE_GUID:1\n<STRING>SKILL_ICON:" + icon + "\n[/SKILL]"
	}
	base, err := moddir.SourcesOf(sources(t, map[string]string{
		"MEDIA/UI/GAME.IMAGESET": `<Imageset Imagefile="media/ui/game.dds"><Image Name="Game_Icon"/></Imageset>`,
	}), moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		icon       string
		alone, all string // the findings about icons without and with the game's files
	}{
		{"ICON_1", "", ""},
		{"icon_2", "tl-mod-likely-missing-icon", "tl-mod-missing-icon"},
		{"one_2", "tl-mod-outside-icon", "tl-mod-missing-icon"},
		{"icon_", "tl-mod-outside-icon", "tl-mod-missing-icon"},
		{"game_icon", "tl-mod-outside-icon", ""},
		{`media\ui\icons.dds`, "", ""},
		{`media\ui\lost.dds`, "tl-mod-outside-file", "tl-mod-missing-file"},
		{"", "", ""},
	} {
		data := build(t, sources(t, map[string]string{
			"MEDIA/SKILLS/A.DAT": skill(c.icon),
			"MEDIA/UI/ICONS.DDS": string(sheet),
			"MEDIA/UI/ICONS.IMAGESET": `<Imageset Imagefile="media/ui/icons.dds"><Image Name="icon_1"/>` +
				`<Image Name="ICON_3"/><Image Name="one_1"/></Imageset>`,
		}), moddir.BuildOptions{Tables: true})
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []struct {
			base moddir.Files
			want string
		}{{nil, c.alone}, {base, c.all}} {
			var got []string
			for _, f := range check.Collect(func(sink check.Sink) { moddir.CheckMod(m, moddir.CheckOptions{Base: o.base}, sink) }) {
				got = append(got, f.ID)
			}
			if strings.Join(got, " ") != o.want {
				t.Errorf("%q, base %v: %q, want %q", c.icon, o.base != nil, got, o.want)
			}
		}
	}
}

// TestCheckPictures tests that undecodable pictures, and image sets without their picture, are reported.
func TestCheckPictures(t *testing.T) {
	data := build(t, sources(t, map[string]string{
		"MEDIA/UI/A.DDS":      "DDS and no more",
		"MEDIA/UI/A.IMAGESET": `<Imageset Imagefile="media/ui/b.dds"/>`,
		"MEDIA/UI/B.IMAGESET": `<Imageset`,
	}), moddir.BuildOptions{})
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, f := range check.Collect(func(sink check.Sink) { moddir.CheckMod(m, moddir.CheckOptions{}, sink) }) {
		got[f.ID] = f.Path
	}
	if len(got) != 3 || got["tl-picture-unreadable"] != "MEDIA/UI/A.DDS" || got["tl-imageset-unreadable"] != "MEDIA/UI/B.IMAGESET" {
		t.Errorf("%q", got)
	}
}
