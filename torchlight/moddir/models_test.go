package moddir_test

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
)

// modOf packs a mod of these files, whose contents are in the form of the archive.
func modOf(t *testing.T, files ...[2]string) ([]byte, *mod.Mod) {
	t.Helper()
	var list []pak.NewFile
	for _, f := range files {
		list = append(list, pak.NewFile{Path: f[0], Content: func() ([]byte, error) { return []byte(f[1]), nil }})
	}
	var out tests.Memory
	if _, err := mod.Write(context.Background(), &out, &mod.Header{Version: 4}, list, nil); err != nil {
		t.Fatal(err)
	}
	m, err := mod.Open(bytes.NewReader(out.Data), int64(len(out.Data)))
	if err != nil {
		t.Fatal(err)
	}
	return out.Data, m
}

// TestModels tests that meshes are unchanged in the folder, or text with Models, and that both give back the mod.
func TestModels(t *testing.T) {
	wrong := strings.Replace(emptyMesh, "\x35", "\x77", 1) // with a wrong length, as real files have
	data, m := modOf(t, [2]string{"MEDIA/A.MESH", emptyMesh}, [2]string{"MEDIA/B.MESH", "no mesh"}, [2]string{"MEDIA/C.MESH", wrong})
	for _, models := range []bool{false, true} {
		o := moddir.Options{Models: models}
		folder := onDisk(t, moddir.Open(m, o))
		name := "MEDIA/C.MESH"
		if models {
			name += ".txt"
		}
		content, err := fs.ReadFile(folder, name)
		if err != nil || (string(content) == wrong) == models {
			t.Errorf("%s: %.60q, %v", name, content, err)
		}
		if b, err := fs.ReadFile(folder, "MEDIA/B.MESH"); err != nil || string(b) != "no mesh" {
			t.Errorf("%v: %q, %v", models, b, err)
		}
		var back tests.Memory
		report, _, err := moddir.Build(context.Background(), &back, folder, moddir.BuildOptions{Options: o})
		if err != nil || !bytes.Equal(back.Data, data) {
			t.Errorf("%v: the folder gives another mod: %v", models, err)
		}
		if want := map[bool]int{true: 2}[models]; report.Compiled != want {
			t.Errorf("compiled %d files, want %d", report.Compiled, want)
		}
	}
}

// TestCheckModels tests that a mod is checked with its models, materials and lists of animations.
func TestCheckModels(t *testing.T) {
	list, err := moddir.Compile([]byte("[ANIMATIONS]\n\t[ANIMATION]\n\t\t<STRING>NAME:Wave\n\t[/ANIMATION]\n[/ANIMATIONS]\n"),
		"MEDIA/A.ANIMATION", moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, m := modOf(t, [2]string{"MEDIA/A.ANIMATION", string(list)}, [2]string{"MEDIA/A.MATERIAL", "material a\n"},
		[2]string{"MEDIA/A.MESH", emptyMesh[:40]})
	found := check.Collect(func(s check.Sink) { moddir.Check(m.Archive, moddir.CheckOptions{}, s) })
	var got []string
	for _, f := range found {
		got = append(got, f.ID)
	}
	if want := "tl-animation-file tl-material-unreadable tl-model-unreadable"; strings.Join(got, " ") != want {
		t.Errorf("found %v, want %s", found, want)
	}
}
