package modscene

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/moddir"
)

// TestUnitAround tests where the files of a unit in a folder are found: in the folder MEDIA, then in the base, and last by
// their names in the folder of the unit, but never the unit itself.
func TestUnitAround(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) *format.Source {
		name = filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(name), 0o777)
		if err == nil {
			err = os.WriteFile(name, []byte(content), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		src, err := format.OpenSource(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { src.Close() })
		return src
	}
	const based = "[UNIT]\n<STRING>BASEFILE:media/units/base/wolf.dat\n<STRING>RESOURCEDIRECTORY:media/models\n[/UNIT]\n"
	empty, err := (&ogre.Mesh{Version: "1.40", Bounds: new(ogre.Bounds), Names: new(ogre.Names)}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	unit := put("MEDIA/UNITS/WOLVES/WOLF.DAT", based)
	put("MEDIA/UNITS/WOLVES/GAME.MESH", "this is not the mesh of the base")
	base, err := moddir.SourcesOf(fstest.MapFS{
		"MEDIA/UNITS/BASE/WOLF.DAT": {Data: []byte("[UNIT]\n<STRING>MESHFILE:game\n[/UNIT]\n")},
		"MEDIA/MODELS/GAME.MESH":    {Data: empty},
	}, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(unit, base, Options{}); err != nil {
		t.Errorf("with the base: %v", err)
	}
	_, err = Open(unit, nil, Options{})
	if !errors.Is(err, format.ErrUnseen) || !strings.Contains(err.Error(), "the base file MEDIA/UNITS/BASE/WOLF.DAT: not found") {
		t.Errorf("without the base: %v", err)
	}
	// The first game's files have the extension .ADM, and need not be in MEDIA.
	put("loose/WOLF.DAT.ADM", "[UNIT]\n<STRING>MESHFILE:wolf\n[/UNIT]\n")
	put("loose/WOLF.MESH", string(empty))
	loose := put("loose/CUB.DAT.ADM", based)
	if _, err := Open(loose, nil, Options{}); err != nil {
		t.Errorf("next to the file: %v", err)
	}
}
