package torchlight_test

import (
	"os"
	"path/filepath"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/censustest"
	"trowel.example/internal/testing/judge"
)

// TestGameIcons tests that a thing of a mod has the icon of the game's files, and that the picture of the icon has a scene.
func TestGameIcons(t *testing.T) {
	game := t.TempDir()
	if err := os.MkdirAll(filepath.Join(game, "MEDIA/UI"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"A.IMAGESET": `<Imageset Name="a" Imagefile="media/ui/a.png"><Image Name="Bow" XPos="0" YPos="0" Width="1" Height="1"/></Imageset>`,
		"A.PNG": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU" +
			"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82",
	} {
		judge.Write(t, filepath.Join(game, "MEDIA/UI", name), []byte(content))
	}
	mod := open(t, buildMod(t, map[string]string{"MEDIA/UNITS/ITEMS/BOW.DAT": "[UNIT]\n<STRING>NAME:Bow\n<STRING>ICON:bow\n[/UNIT]\n"}))
	job := &format.Job{Values: map[string]string{"base": game}}
	steps, err := format.ParseSteps(job, mod.Finder.Commands, []string{"item", "*"})
	if err != nil {
		t.Fatal(err)
	}
	var icons []format.Icon
	err = mod.Finder.Find(t.Context(), job, mod.Source, steps[0], func(h format.Hit) error {
		icons = append(icons, h.Icon)
		return nil
	})
	if err != nil || len(icons) != 1 || icons[0].Path != "MEDIA/UI/A.PNG" || !mod.Shows(icons[0].Path) {
		t.Fatalf("icons %v, %v", icons, err)
	}
	scene, err := mod.Scene(t.Context(), job, mod.Source, icons[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer scene.Close()
	if v := scene.Views[0]; v.Bounds.Max != [2]float64{1, 1} {
		t.Errorf("the picture of the icon is %v", v.Bounds)
	}
}

// TestReferencesOfTree tests that references to a file are found by its path in the tree.
func TestReferencesOfTree(t *testing.T) {
	mod := open(t, buildMod(t, map[string]string{
		"MEDIA/UNITS/A.DAT": "[UNIT]\n<STRING>GRID:media/layouts/a.mpp\n[/UNIT]\n",
	}))
	for _, name := range []string{"MEDIA/LAYOUTS/A.MPP", "MEDIA/LAYOUTS/A.MPP.pgm", "**/A.MPP"} {
		if hits := censustest.Find(t, mod.Format, mod.Source, "reference", name); len(hits) != 1 || hits[0].Path != "MEDIA/UNITS/A.DAT" {
			t.Errorf("references to %s: %v", name, hits)
		}
	}
}
