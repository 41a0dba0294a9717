package modinfo_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/format"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
)

const (
	unit = "[UNIT]\n\t<STRING>NAME:Wolf\n\t<INTEGER64>UNIT_GUID:7\n\t<STRING>MESH:media\\a.mesh\n\t[LEVEL1]\n\t\t<FLOAT>CHANCE:0.5\n" +
		"\t[/LEVEL1]\n[/UNIT]\n"
	plan = "[Layout]\n\t<INTEGER>VERSION:4\n\t<UNSIGNED INT>COUNT:1\n\t[OBJECTS]\n\t\t[BASEOBJECT]\n\t\t\t[PROPERTIES]\n" +
		"\t\t\t\t<STRING>DESCRIPTOR:Layout Link\n\t\t\t\t<STRING>NAME:Door\n\t\t\t\t<INTEGER64>ID:1\n\t\t\t\t<INTEGER64>PARENTID:-1\n" +
		"\t\t\t[/PROPERTIES]\n\t\t\t[CHILDREN]\n\t\t\t[/CHILDREN]\n\t\t[/BASEOBJECT]\n\t[/OBJECTS]\n[/Layout]\n"
	icons = "<Imageset Name=\"icons\" Imagefile=\"media/a.dds\">\n" +
		"\t<Image Name=\"a\" XPos=\"1\" YPos=\"2\" Width=\"3\" Height=\"4\"/>\n</Imageset>\n"
	material = "material a\n{\n\ttexture media/a.dds\n}\n"
)

// compiled returns the plan and the unit as the game reads them.
func compiled(t *testing.T) (planned, data []byte) {
	t.Helper()
	planned, err := layout.Compile([]byte(plan), nil, layout.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if data, err = dat.Compile([]byte(unit), nil, dat.Options{}); err != nil {
		t.Fatal(err)
	}
	return planned, data
}

// made makes a mod in the current folder.
func made(t *testing.T, h *mod.Header, files ...pak.NewFile) (*format.Source, *mod.Mod) {
	t.Helper()
	f, err := os.Create("a.MOD")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = mod.Write(t.Context(), f, h, files, nil)
	data, err2 := os.ReadFile("a.MOD")
	m, err3 := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	return format.NewSource("a.MOD", data), m
}

// table collects rows, one a line. "*" is a value that depends on the compression.
type table struct {
	sums  map[string]string // names of checksums
	lines []string
}

func (r *table) row(table *format.Table, cells []format.Cell) error {
	line := strings.TrimPrefix(table.Name, "torchlight_")
	for i, c := range cells {
		text := c.String()
		if name := r.sums[text]; name != "" {
			text = name
		} else if !c.Null() && (table.Columns[i].Name == "compressed" || i == 0 && table.Columns[i].Name == "size") {
			text = "*"
		}
		line += "|" + text
	}
	r.lines = append(r.lines, strings.ReplaceAll(line, "|null", "|"))
	return table.CheckRow(cells)
}

// TestRows tests all columns of a mod with a file of each kind, and of a single file.
func TestRows(t *testing.T) {
	t.Chdir(t.TempDir())
	planned, data := compiled(t)
	h := mod.NewHeader()
	h.Title, h.Author, h.Description, h.Website, h.DownloadURL, h.ID, h.ModVersion = "Title", "Ann", "About", "http://a", "http://b", 5, 6
	h.Required, h.RequiredHash, h.Removed = []mod.Required{{Name: "Base", ID: 8, Version: 9}}, 1, []string{"MEDIA/OLD.DAT"}
	rows := table{sums: make(map[string]string)}
	var files []pak.NewFile
	for i, content := range []string{string(data), string(planned), icons, material} {
		name := []string{"MEDIA/UNITS/A.DAT", "MEDIA/A.LAYOUT", "MEDIA/A.IMAGESET", "MEDIA/A.MATERIAL"}[i]
		rows.sums[fmt.Sprintf("%x", sha256.Sum256([]byte(content)))] = "sum of " + path.Base(name)
		files = append(files, pak.NewFile{Path: name, Content: func() ([]byte, error) { return []byte(content), nil }})
	}
	files[0].Time = pak.FiletimeOf(time.Date(9999, 1, 2, 3, 4, 5, 0, time.UTC))
	files[1].Time = pak.FiletimeOf(time.Date(10000, 1, 2, 3, 4, 5, 0, time.UTC))
	src, m := made(t, h, files...)
	whole := make([]byte, src.Size)
	if _, err := src.ReadAt(whole, 0); err != nil {
		t.Fatal(err)
	}
	rows.sums[fmt.Sprintf("%x", sha256.Sum256(whole))] = "sum of the mod"
	job := &format.Job{Reports: format.Reports{OnMiss: func(path, message string) { t.Errorf("%s: %s", path, message) }}}
	if err := modinfo.Rows(t.Context(), job, src, m.Archive, m, nil, rows.row); err != nil {
		t.Fatal(err)
	}
	const want = `mods|*|sum of the mod|4|Title|Ann|About|http://a|http://b|5|6|0|1.25.9.5|2|4|1|320
required|0|8|Base|9
files|MEDIA/A.IMAGESET|IMAGESET|false|false|118|*|720bee3f|sum of A.IMAGESET|
files|MEDIA/A.LAYOUT|LAYOUT|false|false|38|*|a101a8cc|sum of A.LAYOUT|
files|MEDIA/A.MATERIAL|MATERIAL|false|false|36|*|b9a06075|sum of A.MATERIAL|
files|MEDIA/OLD.DAT|DAT|true|false|0||00000000||
files|MEDIA/UNITS/A.DAT|DAT|false|false|128|*|1f4c5861|sum of A.DAT|9999-01-02T03:04:05Z
keys|MEDIA/A.LAYOUT|Layout||VERSION|INTEGER|4
keys|MEDIA/A.LAYOUT|Layout||COUNT|UNSIGNED INT|1
keys|MEDIA/A.LAYOUT|Layout.OBJECTS.BASEOBJECT.PROPERTIES|1|DESCRIPTOR|STRING|Layout Link
keys|MEDIA/A.LAYOUT|Layout.OBJECTS.BASEOBJECT.PROPERTIES|1|NAME|STRING|Door
keys|MEDIA/A.LAYOUT|Layout.OBJECTS.BASEOBJECT.PROPERTIES|1|ID|INTEGER64|1
keys|MEDIA/A.LAYOUT|Layout.OBJECTS.BASEOBJECT.PROPERTIES|1|PARENTID|INTEGER64|-1
keys|MEDIA/UNITS/A.DAT|UNIT||NAME|STRING|Wolf
keys|MEDIA/UNITS/A.DAT|UNIT||UNIT_GUID|INTEGER64|7
guids|MEDIA/UNITS/A.DAT|UNIT||UNIT_GUID|7|Wolf
keys|MEDIA/UNITS/A.DAT|UNIT||MESH|STRING|media\a.mesh
references|MEDIA/UNITS/A.DAT|UNIT|||MESH|media\a.mesh|MEDIA/A.MESH
keys|MEDIA/UNITS/A.DAT|UNIT.LEVEL1||CHANCE|FLOAT|0.5
references|MEDIA/A.IMAGESET|||1|Imagefile|media/a.dds|MEDIA/A.DDS
icons|MEDIA/A.IMAGESET|icons|media/a.dds|a|1|2|3|4|2
references|MEDIA/A.MATERIAL|||3|texture|media/a.dds|MEDIA/A.DDS`
	if got := strings.Join(rows.lines, "\n"); got != want {
		t.Errorf("rows\n%s\nwant\n%s", got, want)
	}
	rows.lines = nil
	err := modinfo.Rows(t.Context(), job, src, m.Archive, nil, nil, rows.row)
	if err != nil || rows.lines[0] != "mods|*|sum of the mod|||||||||||2|4|1|320" {
		t.Errorf("without a header: %q, %v", rows.lines[0], err)
	}
	rows.lines = nil
	if err := modinfo.FileRows(t.Context(), job, format.NewSource("/x/MEDIA/A.MATERIAL", []byte(material)), nil, rows.row); err != nil {
		t.Fatal(err)
	}
	if got := rows.lines; !slices.Equal(got, []string{"files|MEDIA/A.MATERIAL|MATERIAL|false|false|36||b9a06075|sum of A.MATERIAL|",
		"references|MEDIA/A.MATERIAL|||3|texture|media/a.dds|MEDIA/A.DDS"}) {
		t.Errorf("single file: %q", got)
	}
}

// TestFacts tests the facts about files.
func TestFacts(t *testing.T) {
	t.Chdir(t.TempDir())
	planned, data := compiled(t)
	content := func() ([]byte, error) { return []byte("text"), nil }
	_, m := made(t, mod.NewHeader(), pak.NewFile{Path: "MEDIA/A.DDS", Content: content}, pak.NewFile{Path: "MEDIA/B.DDS", Content: content})
	turn := [4]float32{0, 0, 0, 1}
	skeleton, err := (&ogre.Skeleton{Version: "1.80", Bones: []ogre.Bone{{Name: "root", Rotation: turn},
		{Name: "hand", Handle: 1, Rotation: turn}}, Animations: []ogre.Animation{{Name: "wave", Length: 1.5}}}).Encode()
	mesh, err2 := (&ogre.Mesh{Version: "1.40", Bounds: &ogre.Bounds{Max: [3]float32{1, 2, 3}}, Names: new(ogre.Names)}).Encode()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	of := modinfo.OfArchive
	for _, c := range []struct {
		facts func() ([]format.InfoField, error)
		want  string
	}{
		{func() ([]format.InfoField, error) { return of(m.Archive, m), nil }, "modID=0 modVersion=0 gameVersion=1.25.9.5 headerVersion=4 " +
			"manifestVersion=2 files=2 types=[{DDS DDS 2}] removedFiles=0 inflatedSize=8 <nil>"},
		{func() ([]format.InfoField, error) { return of(m.Archive, nil), nil },
			"manifestVersion=2 files=2 types=[{DDS DDS 2}] removedFiles=0 inflatedSize=8 <nil>"},
		{func() ([]format.InfoField, error) { return modinfo.OfData(data, "A.DAT") },
			"version=2 root=UNIT nodes=2 properties=4 strings=2 <nil>"},
		{func() ([]format.InfoField, error) { return modinfo.OfSource([]byte(unit)) }, "root=UNIT nodes=2 properties=4 encoding=UTF-8 <nil>"},
		{func() ([]format.InfoField, error) { return modinfo.OfLayout(planned, "A.LAYOUT") }, "objects=1 kinds=[{Layout Link  1}] <nil>"},
		{func() ([]format.InfoField, error) { return modinfo.OfModel(skeleton, "") },
			"version=skeleton 1.80 bones=2 animations=[wave (1.5 s)] <nil>"},
		{func() ([]format.InfoField, error) { return modinfo.OfModel(mesh, "") },
			"version=mesh 1.40 submeshes=0 vertices=0 triangles=0 materials=[] bounds=0, 0, 0 to 1, 2, 3 <nil>"},
		{func() ([]format.InfoField, error) { return modinfo.OfModel(mesh[:9], "") },
			"version at offset 2: expected a string that ends in a line feed, found 7 bytes without one"},
	} {
		list, err := c.facts()
		got := ""
		for _, f := range list {
			got += fmt.Sprintf("%s=%v ", f.Key, f.Value)
		}
		if got += fmt.Sprint(err); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
