package modauthor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/format"
	"trowel.example/torchlight/moddir"
)

// TestAnswers tests the answers about places in the files of a mod, with and without files of the game.
func TestAnswers(t *testing.T) {
	files := fstest.MapFS{}
	for name, content := range map[string]string{
		"MEDIA/UNITS/A.DAT": "[UNIT]\n\t<STRING>NAME:Wolf\n\t<INTEGER64>UNIT_GUID:77\n\t<STRING>BASEFILE:media\\units\\b.dat\n" +
			"\t<INTEGER>LEVEL:5\n\t<FLOAT>LEVEL:6\n\t<FLOAT>LEVEL:6\n\t<STRING>TITLE:\n\t<INTEGER64>OWNER_GUID:\n" +
			"\t[SPAWN]\n\t\t<STRING>NAME:bear\n\t[/SPAWN]\n[/UNIT]\n",
		"MEDIA/UNITS/B.DAT": "[UNIT]\n\t<STRING>NAME:Bear\n\t<INTEGER64>UNIT_GUID:78\n" +
			"\t<STRING>TITLE:Sir\n\t<INTEGER>LEVEL:6\n[/UNIT]\n",
		"MEDIA/I.IMAGESET": "<Imageset Name=\"i\" Imagefile=\"media/i.dds\">\n</Imageset>\n",
		"MEDIA/I.DDS":      "", "MEDIA/NONE.DAT": "[NONE]\n\t<>ODD:" + strings.Join(strings.Split("exdxcba", ""), "\n\t<>ODD:") + "\n[/NONE]\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	base := t.TempDir()
	err := errors.Join(os.MkdirAll(filepath.Join(base, "MEDIA", "UNITS"), 0o777),
		os.WriteFile(filepath.Join(base, "MEDIA", "UNITS", "G.DAT"), []byte("[UNIT]\n\t<STRING>NAME:Bear\n[/UNIT]\n"), 0o666))
	own, err2 := Open(new(format.Job), files, "", moddir.Options{})
	game, err3 := Open(new(format.Job), files, base, moddir.Options{})
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	defer game.Close()
	bear := "unit `BEAR`, defined in the mod: `MEDIA/UNITS/B.DAT`\n\nmentioned in 1 place"
	level := "effective value: `5`, from this file\n\nbase file 1, `MEDIA/UNITS/B.DAT`: `6`"
	ask := func(a *Author, file, mark string) (hover, writes, defined string) {
		if _, err := a.Index(t.Context()); err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(string(files[file].Data), mark)
		before += mark
		spot := format.Spot{Line: strings.Count(before, "\n"), Column: len(before) - 1 - strings.LastIndex(before, "\n")}
		hover, _, err := a.Describe(t.Context(), file, spot)
		list, err2 := a.Complete(t.Context(), file, spot)
		spans, err3 := a.Definitions(t.Context(), file, spot)
		if err := errors.Join(err, err2, err3); err != nil {
			t.Error(err)
		}
		var labels, paths []string
		for _, w := range list {
			labels = append(labels, w.Label)
		}
		for _, s := range spans {
			paths = append(paths, filepath.Base(s.Path))
		}
		slices.Sort(labels)
		return hover, strings.Join(labels, " "), strings.Join(paths, " ")
	}
	for _, c := range []struct {
		a                      *Author
		file, mark             string // the place is after the mark
		hover, writes, defined string
	}{
		{own, "MEDIA/UNITS/A.DAT", "LEVEL:", level, "5 6", ""},
		{own, "MEDIA/UNITS/A.DAT", "LEVEL", "key `LEVEL`, `INTEGER`\n\nhash 249811180 (0x0EE3D0EC)\n\n" +
			"in 4 nodes `UNIT`, as INTEGER: `6`, `5`\n\n" +
			level, "LEVEL", ""},
		{own, "MEDIA/UNITS/A.DAT", "TITLE:", "effective value: `  `, from this file\n\nbase file 1, `MEDIA/UNITS/B.DAT`: `Sir`", "Sir", ""},
		{own, "MEDIA/UNITS/A.DAT", "\t\t<STRING>NAME", "key `NAME`, `STRING`\n\nhash 6688229 (0x00660DE5)\n\n" +
			"in 1 node `SPAWN`, as STRING: `bear`\n\neffective value: `bear`, from this file", "NAME", ""},
		{own, "MEDIA/NONE.DAT", "<>O", "key `ODD`, `  `\n\nhash 46276 (0x0000B4C4)\n\n" +
			"in 7 nodes `NONE`, as STRING: `x`, `a`, `b`, `c`, `d`, `e`", "ODD", ""},
		{own, "MEDIA/UNITS/A.DAT", "BASEFILE:", "file `MEDIA/UNITS/B.DAT`, in the mod: defines `BEAR`\n\nmentioned in 1 place",
			`media\none.dat media\units\a.dat media\units\b.dat`, "B.DAT"},
		{own, "MEDIA/UNITS/A.DAT", "OWNER_GUID:", "effective value: `  `, from this file", "BEAR 78 WOLF 77", ""},
		{own, "MEDIA/UNITS/A.DAT", "NAME:", "unit `WOLF`, defined in the mod: `MEDIA/UNITS/A.DAT`", "Bear Wolf", "A.DAT"},
		{own, "MEDIA/UNITS/A.DAT", "NAME:b", bear, "BEAR bear", "B.DAT"},
		{game, "MEDIA/UNITS/A.DAT", "NAME:b", bear, "BEAR bear", "B.DAT G.DAT"},
		{own, "MEDIA/I.IMAGESET", "media/", "file `MEDIA/I.DDS`, in the mod, 0 bytes\n\nmentioned in 1 place", "", "I.DDS"},
	} {
		if hover, writes, defined := ask(c.a, c.file, c.mark); hover != c.hover || writes != c.writes || defined != c.defined {
			t.Errorf("%s, %s: %q, %q, %q", c.file, c.mark, hover, writes, defined)
		}
	}
	delete(files, "MEDIA/UNITS/B.DAT")
	if _, _, defined := ask(game, "MEDIA/UNITS/A.DAT", "NAME:b"); defined != "G.DAT" {
		t.Errorf("without the file: %q", defined)
	}
	for a, want := range map[*Author]int{own: 200, game: 250} { // files of an archive would be written first
		if spans, err := a.withGame(nil, make([]format.Span, 250)); len(spans) != want || err != nil {
			t.Errorf("%d places, %v", len(spans), err)
		}
	}
}
