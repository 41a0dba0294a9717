package moddir_test

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// singles returns single compiled files.
func singles(t testing.TB) []struct {
	name, format, form string // the form is "" if the name does not determine one
	data               []byte
} {
	t.Helper()
	return []struct {
		name, format, form string
		data               []byte
	}{
		{"MEDIA/UNITS/A.DAT.BINDAT", "torchlight-dat", "A.DAT", compiledUnit(t, unitText)},
		{"a.dat.bindat", "torchlight-dat", "a.dat", oddUnit(t)},
		{"A.TEMPLATE.BINDAT", "torchlight-dat", "A.TEMPLATE", preciseUnit(t)},
		{"MEDIA/UI/A.LAYOUT.BINLAYOUT", "torchlight-layout", "A.LAYOUT", compiledLayout(t)},
		{"A.LAYOUT.BINLAYOUT", "torchlight-layout", "A.LAYOUT", oddLayout(t)},
		{"SKILLS.RAW", "torchlight-raw", "SKILLS.RAW.json", table(t, "MEDIA/SKILLS/A.DAT", "MEDIA/SKILLS/B.DAT")},
		{"A.MPP", "torchlight-mpp", "A.MPP.pgm", grid(t)},
		{"A.MPP", "torchlight-mpp", "A.MPP.pgm", oddGrid(t)},
		{"A.LAYOUT.ADM", "torchlight-adm", "A.LAYOUT.ADM", compiledADM(t)},
		{"MEDIA/SKILLS/A.DAT.ADM", "torchlight-adm", "A.DAT.ADM", compiledADM(t)},
		{"unknown", "torchlight-adm", "unknown.ADM", compiledADM(t)},
		{"unknown.bin", "torchlight-dat", "", oddUnit(t)},
		{"unknown", "torchlight-layout", "", oddLayout(t)},
		{"unknown", "torchlight-raw", "", table(t, "MEDIA/SKILLS/A.DAT", "MEDIA/SKILLS/B.DAT")},
	}
}

// TestSingle tests that a single compiled file round-trips, whatever its name and the form of its numbers.
func TestSingle(t *testing.T) {
	for _, s := range singles(t) {
		// A grid has no signature, and is recognized by plausible numbers.
		if got := moddir.CompiledFormat(s.data, s.name); got != s.format && !bytes.Equal(s.data, oddGrid(t)) {
			t.Errorf("%s: is %q", s.name, got)
		}
		// A table has no signature.
		if byName := s.form != "" || s.format != "torchlight-raw"; byName != moddir.MayBeCompiled(s.data[:min(len(s.data), 512)], s.name) {
			t.Errorf("%s: its beginning tells nothing", s.name)
		}
		for _, floats := range []text.FloatStyle{text.Exact, text.GUTS} {
			fsys, err := moddir.OpenSingle(s.data, s.name, s.format, moddir.Options{Floats: floats})
			if err != nil {
				t.Errorf("%s: %v", s.name, err)
				continue
			}
			if list := listing(t, fsys); len(list) != 2 || s.form != "" && list[1] != s.form {
				t.Errorf("%s: the folder has %q", s.name, list)
			}
			if got := moddir.RecognizeSingle(fsys); got != s.format {
				t.Errorf("%s: the folder is of %q", s.name, got)
			}
			if got, err := moddir.BuildSingle(onDisk(t, fsys), moddir.Options{}); err != nil || !bytes.Equal(got, s.data) {
				t.Errorf("%s: %d bytes became %d, %v", s.name, len(s.data), len(got), err)
			}
		}
		end := int64(0)
		if err := moddir.Dump(s.data, s.name, func(f trace.Field) { end = max(end, f.Offset+f.Len) }); err != nil ||
			end != int64(len(s.data)) {
			t.Errorf("%s: told %d of %d bytes, %v", s.name, end, len(s.data), err)
		}
	}
}

// TestSingleNames tests that any name can be presented as a folder.
func TestSingleNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", "/", "MEDIA/", ".trowel.json", "MEDIA/.TROWEL.JSON", "%", "%2E",
		"A\xff", "A\x00.DAT", `C:\A.DAT.BINDAT`} {
		fsys, err := moddir.OpenSingle(oddUnit(t), name, "torchlight-dat", moddir.Options{})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if list := listing(t, fsys); len(list) != 2 || moddir.RecognizeSingle(fsys) != "torchlight-dat" {
			t.Errorf("%q: the folder has %q", name, list)
		}
		if got, err := moddir.BuildSingle(fsys, moddir.Options{}); err != nil || !bytes.Equal(got, oddUnit(t)) {
			t.Errorf("%q: yields other bytes, %v", name, err)
		}
	}
	fsys, err := moddir.OpenSingle(grid(t), "A\xff.MPP", "torchlight-mpp", moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := moddir.BuildSingle(fsys, moddir.Options{}); err != nil || !bytes.Equal(got, grid(t)) {
		t.Errorf("a grid of an odd name yields other bytes, %v", err)
	}
}

// TestConvert tests that Decompile and Compile reverse each other where the form has the complete contents.
func TestConvert(t *testing.T) {
	for _, s := range singles(t) {
		form, err := moddir.Decompile(s.data, s.name, moddir.Options{})
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		name := s.name
		if s.form != "" {
			name = path.Join(path.Dir(s.name), s.form)
		}
		data, err := moddir.Compile(form, name, moddir.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := moddir.Decompile(data, s.name, moddir.Options{})
		if err != nil || !bytes.Equal(again, form) && !bytes.Contains(form, []byte("NaN")) {
			t.Errorf("%s: its form changed, %v", name, err)
		}
		if found := check.Collect(func(sink check.Sink) { moddir.CheckForm(form, name, moddir.Options{}, sink) }); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func TestSingleErrors(t *testing.T) {
	for name, data := range map[string][]byte{
		"A.DAT.BINDAT": compiledUnit(t, unitText)[:20], "A.LAYOUT": {0x0B}, "SKILLS.RAW": {1}, "A.MPP": nil,
		"unknown": []byte("nothing"), "empty": nil,
	} {
		if _, err := moddir.OpenSingle(data, name, "x", moddir.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got := moddir.CompiledFormat(data, name); got != "" {
			t.Errorf("%s: is %q", name, got)
		}
		if _, err := moddir.Decompile(data, name, moddir.Options{}); err == nil {
			t.Errorf("%s: was decompiled", name)
		}
		if err := moddir.Dump(data, name, func(trace.Field) {}); err == nil {
			t.Errorf("%s: was reported to its end", name)
		}
	}
	for name, content := range map[string]string{"A.DAT": "[UNIT]", "A.LAYOUT": "[A]\n[/B]", "SKILLS.RAW.json": "{",
		"A.MPP.pgm": "P5", "unknown": "nothing"} {
		if _, err := moddir.Compile([]byte(content), name, moddir.Options{}); err == nil {
			t.Errorf("%s: was compiled", name)
		}
	}
	fsys, err := moddir.OpenSingle(oddUnit(t), "A.DAT.BINDAT", "torchlight-dat", moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := onDisk(t, fsys)
	files["B.DAT"] = &fstest.MapFile{Data: []byte(unitText)}
	if _, err := moddir.BuildSingle(files, moddir.Options{}); err == nil || !strings.Contains(err.Error(), "2 files") {
		t.Errorf("two files are one: %v", err)
	}
	delete(files, "B.DAT")
	files["A.DAT"].Data = []byte(unitText) // an edit, to which the residue does not apply
	if got, err := moddir.BuildSingle(files, moddir.Options{}); err != nil || !bytes.Equal(got, compiledUnit(t, unitText)) {
		t.Errorf("after an edit: %v", err)
	}
	for _, side := range []string{"", "{", "[]", `{"files":5}`} {
		files[tree.Sidecar].Data = []byte(side)
		if got := moddir.RecognizeSingle(files); got != "" {
			t.Errorf("%q: is %q", side, got)
		}
		if _, err := moddir.BuildSingle(files, moddir.Options{}); err == nil {
			t.Errorf("%q: was built", side)
		}
	}
}

func TestRecognize(t *testing.T) {
	file := &fstest.MapFile{}
	for _, c := range []struct {
		fsys     fs.FS
		mod, pak bool
	}{
		{fstest.MapFS{"MOD.DAT": file, "MEDIA/X": file}, true, false},
		{fstest.MapFS{"mod.dat": file, "media/X": file}, true, false},
		{fstest.MapFS{"MEDIA/UNITS/X.DAT": file}, false, true},
		{fstest.MapFS{"media/units/x.dat.bindat": file}, false, true},
		{fstest.MapFS{"MEDIA/UNITDATA.RAW.json": file}, false, true},
		{fstest.MapFS{"MEDIA/A.LAYOUT.ADM": file}, false, true},
		{fstest.MapFS{"MEDIA/A/B/X.MESH": file, "MEDIA/A/a.png": file}, false, true},
		{fstest.MapFS{"MEDIA/X": file}, false, false},
		{fstest.MapFS{"media/cdrom/photo.jpg": file, "media/.cache/a.dat": file}, false, false},
		{fstest.MapFS{"media/usb": &fstest.MapFile{Mode: fs.ModeDir}}, false, false},
		{fstest.MapFS{"MOD.DAT": file}, false, false},
		{fstest.MapFS{"MOD.DAT/X": file, "MEDIA": file}, false, false},
		{fstest.MapFS{}, false, false},
	} {
		if m, p := moddir.Recognize(c.fsys), moddir.RecognizePak(c.fsys); m != c.mod || p != c.pak {
			t.Errorf("%v: %v %v", c.fsys, m, p)
		}
	}
}

// TestDumpFile tests that DumpFile reports every byte of every readable file of a mod.
func TestDumpFile(t *testing.T) {
	data := madeMods(t)["odd"]
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Archive.Files() {
		at := int64(0)
		err := moddir.DumpFile(f, func(field trace.Field) { at = max(at, field.Offset+field.Len) })
		if content := must(t)(f.Content()); err == nil && at != int64(len(content)) {
			t.Errorf("%s: told %d of %d bytes", f.Path, at, len(content))
		}
		if strings.Contains(f.Path, "BROKEN") && err == nil {
			t.Errorf("%s: was reported to its end", f.Path)
		}
	}
}

// compiledADM returns a layout compiled in the format of Torchlight I.
func compiledADM(t testing.TB) []byte {
	t.Helper()
	data, err := dat.Compile([]byte("[Layout]\n<INTEGER>VERSION:3\n[OBJECTS]\n<BOOL>VISIBLE:true\n<STRING>NAME:\n"+
		"[/OBJECTS]\n[/Layout]"), nil, dat.Options{Path: "A.LAYOUT.ADM"})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestADMEdited tests that a compiled file of Torchlight I keeps its format when its text is edited, even if the text
// could be that of a layout.
func TestADMEdited(t *testing.T) {
	for _, name := range []string{"A.LAYOUT.ADM", "unknown.ADM"} {
		fsys, err := moddir.OpenSingle(compiledADM(t), strings.Replace(name, "unknown.ADM", "unknown", 1),
			"torchlight-adm", moddir.Options{})
		if err != nil {
			t.Fatal(err)
		}
		edited := onDisk(t, fsys)
		form, err := text.Parse(edited[name].Data)
		if err != nil {
			t.Fatal(err)
		}
		form.Root.Add(text.String, "more", "x")
		edited[name] = &fstest.MapFile{Data: text.Format(form.Root)}
		data, err := moddir.BuildSingle(edited, moddir.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := dat.Decode(data)
		if err != nil || f.Version != dat.Torchlight1 {
			t.Fatalf("%s: %+v, %v", name, f, err)
		}
		root := f.Text(dat.Options{})
		if v, ok := root.Get("MORE"); root.Name != "LAYOUT" || v != "x" || !ok {
			t.Errorf("%s: %s", name, text.Format(root))
		}
		if got := check.Collect(func(s check.Sink) { moddir.CheckSingle(data, name, moddir.Options{}, s) }); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
