package modscene

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/moddir"
)

// TestPieces tests that the sizes of room pieces come from level sets and meshes around a layout and in the base, and
// that a definition of the mod counts more than one of the base.
func TestPieces(t *testing.T) {
	mesh := func(size float32) []byte {
		m := &ogre.Mesh{Version: "1.40", Names: &ogre.Names{}, Bounds: &ogre.Bounds{
			Min: [3]float32{-size, 0, -size}, Max: [3]float32{size, 1, size}}}
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	set := func(guid int, file string) []byte {
		return fmt.Appendf(nil, "[LEVELSET]\n[GROUP]\n[PIECE]\n<STRING>FILE:%s\n"+
			"<INTEGER64>GUID:%d\n[/PIECE]\n[/GROUP]\n[/LEVELSET]\n", file, guid)
	}
	piece := func(id, guid int) string {
		return fmt.Sprintf("[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:Room Piece\n<INTEGER64>ID:%d\n<FLOAT>POSITIONX:%d\n"+
			"<STRING>GUID:%d\n[/PROPERTIES]\n[/BASEOBJECT]\n", id, 20*id, guid)
	}
	dir := t.TempDir()
	put := func(name string, data []byte) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, name, data)
	}
	objects := piece(1, 5) + piece(2, 6) + piece(3, 7) + piece(4, 8)
	put("media/layouts/a.layout", []byte("[Layout]\n[OBJECTS]\n"+objects+"[/OBJECTS]\n[/Layout]\n"))
	put("media/LevelSets/Deep/own.dat", set(5, `media\models/own.mesh`))
	put("media/LevelSets/bad.dat", []byte("[LEVELSET]\n["))
	put("media/Models/OWN.mesh", mesh(2))
	base, err := moddir.SourcesOf(fstest.MapFS{
		"MEDIA/LEVELSETS/A.DAT":   {Data: set(5, "MEDIA/MODELS/GAME.MESH")},
		"MEDIA/LEVELSETS/B.DAT":   {Data: set(6, "media/models/game.mesh")},
		"MEDIA/LEVELSETS/C.DAT":   {Data: set(7, "media/models/bad.mesh")},
		"MEDIA/MODELS/GAME.MESH":  {Data: mesh(5)},
		"MEDIA/MODELS/BAD.MESH":   {Data: mesh(5)[:40]},
		"MEDIA/MODELS/OTHER.MESH": {Data: nil},
	}, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := format.OpenSource(filepath.Join(dir, "media/layouts/a.layout"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	sizes := func(base moddir.Files) (list []string, missing string) {
		s, _, err := single(src, base, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, _, err := readLayout(s.data)
		if err != nil {
			t.Fatal(err)
		}
		scene, _ := newPlanScene(s, f)
		for _, m := range scene.Marks {
			_, size := m.Mesh()
			list = append(list, fmt.Sprintf("%d: %g", m.Object.ID, size[0]))
		}
		return list, fmt.Sprint(scene.missing())
	}
	got, missing := sizes(base)
	if !slices.Equal(got, []string{"1: 4", "2: 10", "3: 0", "4: 0"}) || !strings.Contains(missing, "{mesh media/models/bad.mesh 1 places") {
		t.Errorf("%v; missing %s", got, missing)
	}
	got, missing = sizes(nil)
	if !slices.Equal(got, []string{"1: 4", "2: 0", "3: 0", "4: 0"}) || !strings.Contains(missing, "{mesh room pieces and models 3 places") {
		t.Errorf("without the base: %v; missing %s", got, missing)
	}
	if err := os.Remove(filepath.Join(dir, "media/Models/OWN.mesh")); err != nil {
		t.Fatal(err)
	}
	if got, missing := sizes(nil); got[0] != "1: 0" || missing != "[]" {
		t.Errorf("without any mesh: %v; missing %s", got, missing)
	}
}
