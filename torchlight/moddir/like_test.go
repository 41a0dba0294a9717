package moddir_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// TestLike tests that names and texts of a folder are kept where they are equivalent to the mod, and that the mod
// round-trips.
func TestLike(t *testing.T) {
	mine := map[string]string{
		"media/Units/wolf.dat":    "// mine\n[unit]\n  <string>NAME:Wolf\n  <bool>FAST:1\n  <FLOAT>SCALE:1.50\n[/unit]",
		"media/Units/changed.dat": "[UNIT]\n<INTEGER>LEVEL:1\n[/UNIT]",
		"media/ui/A.layout":       strings.ReplaceAll(layoutText, "\t", "  "),
		"media/SKILLS.RAW":        string(table(t, "MEDIA/SKILLS/A.DAT")),
	}
	fsys := sources(t, mine)
	fsys["mod.dat"] = &fstest.MapFile{Data: append([]byte("// mine\n"), []byte("[MOD]\n<STRING>NAME:x\n<STRING>STEAM_TAGS:a\n[/MOD]")...)}
	delete(fsys, "MOD.DAT")
	data := build(t, fsys, moddir.BuildOptions{})
	mine["media/Units/changed.dat"] = "[UNIT]\n<INTEGER>LEVEL:2\n[/UNIT]"
	fsys["media/Units/changed.dat"] = &fstest.MapFile{Data: []byte(mine["media/Units/changed.dat"])}
	like, err := moddir.NewLike(fsys)
	if err != nil {
		t.Fatal(err)
	}
	got := onDisk(t, openMod(t, data, moddir.Options{Like: like, Floats: text.Short}))
	for name := range got {
		if name != tree.Sidecar && fsys[name] == nil {
			t.Errorf("%s is new", name)
		}
	}
	for name, f := range fsys {
		same := got[name] != nil && bytes.Equal(got[name].Data, f.Data)
		if same == strings.Contains(name, "changed") {
			t.Errorf("%s: kept %v", name, same)
		}
	}
	if back := build(t, got, moddir.BuildOptions{}); !bytes.Equal(back, data) {
		t.Error("the mod does not come back")
	}
}

// TestShortFloats tests that numbers have six digits where this is unambiguous, and keep their bits, even in a file
// that is edited.
func TestShortFloats(t *testing.T) {
	exact := "[UNIT]\n<FLOAT>MIN:0.33333334\n<FLOAT>MAX:1.0000001\n<FLOAT>RANGE:1\n<FLOAT>SPEED:15.486217\n" +
		"<FLOAT>SCALE:15.486218\n<DOUBLE>DURATION:0.12345678901\n[/UNIT]"
	data := makeMod(t, header(), []entry{{"MEDIA/A.DAT", compiledUnit(t, exact)}}, nil)
	fsys := onDisk(t, openMod(t, data, moddir.Options{Floats: text.Short}))
	form := plainText(t, fsys["MEDIA/A.DAT"].Data)
	for _, want := range []string{"MIN:0.333333\n", "MAX:1.0000001\n", "RANGE:1\n", "SPEED:15.486217\n",
		"SCALE:15.486218\n", "DURATION:0.123457\n"} {
		if !strings.Contains(form, want) {
			t.Errorf("no %q in %s", want, form)
		}
	}
	if back := build(t, fsys, moddir.BuildOptions{}); !bytes.Equal(back, data) {
		t.Error("the mod does not come back")
	}
	fsys["MEDIA/A.DAT"].Data = []byte(strings.Replace(form, "RANGE:1\n", "RANGE:2\n", 1))
	edited := packed(t, build(t, fsys, moddir.BuildOptions{}))["MEDIA/A.DAT"]
	if want := string(compiledUnit(t, strings.Replace(exact, "RANGE:1\n", "RANGE:2\n", 1))); edited != want {
		t.Errorf("an edit changes other numbers: %x, want %x", edited, want)
	}
	fsys[tree.Sidecar].Data = bytes.Replace(fsys[tree.Sidecar].Data, []byte("0.33333334"), []byte("7.77777777"), 1)
	hostile, err := dat.Decode([]byte(packed(t, build(t, fsys, moddir.BuildOptions{}))["MEDIA/A.DAT"]))
	if err != nil || !strings.HasPrefix(hostile.Text(dat.Options{}).Items[0].(*text.Property).Value, "0.333") {
		t.Errorf("the sidecar makes other numbers: %v", err)
	}
}

func plainText(t *testing.T, data []byte) string {
	t.Helper()
	plain, err := text.ToUTF8(data)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(plain), "\r\n", "\n")
}

// TestPairsToTheLetter tests that of the pairs of a source and its file compiled by GUTS, nearly all layouts and most
// data files decompile to exactly the source.
func TestPairsToTheLetter(t *testing.T) {
	var pairs, exact, short, kept int
	for _, compiled := range tests.CorpusFiles(t, "torchlight", "") {
		ext := filepath.Ext(compiled)
		source := strings.TrimSuffix(compiled, ext)
		if up := strings.ToUpper(ext); up != ".BINDAT" && up != ".BINLAYOUT" {
			continue
		}
		want, err := readAnyCase(source)
		if err != nil {
			continue
		}
		data := judge.Read(t, compiled)
		name := strings.ToUpper(filepath.ToSlash(source))
		name = name[strings.LastIndex(name, "/MEDIA/")+1:]
		decompile := func(style text.FloatStyle) (form []byte) {
			if strings.EqualFold(ext, ".BINLAYOUT") {
				form, _, err = layout.Decompile(data, layout.Options{Path: name, Floats: style})
			} else {
				form, _, err = dat.Decompile(data, dat.Options{Path: name, Floats: style})
			}
			if err != nil {
				t.Errorf("%s: %v", compiled, err)
			}
			return bytes.TrimRight(form, "\r\n\x00")
		}
		letter := bytes.TrimRight(want, "\r\n\x00")
		pairs++
		if bytes.Equal(decompile(text.Exact), letter) {
			exact++
		}
		if bytes.Equal(decompile(text.Short), letter) {
			short++
		}
		same := false
		if strings.EqualFold(ext, ".BINLAYOUT") {
			_, same = layout.ResidueOf(data, want, layout.Options{Path: name})
		} else {
			_, same = dat.ResidueOf(data, want, dat.Options{Path: name})
		}
		if same {
			kept++
		}
	}
	t.Logf("of %d pairs %d are to the letter with all digits, %d with six, and of %d --like keeps the text", pairs, exact, short, kept)
	if pairs == 0 || short < exact || kept < short || kept < pairs*19/20 {
		t.Error("too few")
	}
}

// readAnyCase reads a file by its name, ignoring case.
func readAnyCase(name string) ([]byte, error) {
	list, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if strings.EqualFold(e.Name(), filepath.Base(name)) {
			return os.ReadFile(filepath.Join(filepath.Dir(name), e.Name()))
		}
	}
	return nil, fs.ErrNotExist
}
