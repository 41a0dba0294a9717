package moddir_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
)

// TestSalvage tests that Open reports any cut-off mod as cut off, that complete blocks are recovered with the names
// that are left, and that the resulting folder can be packed.
func TestSalvage(t *testing.T) {
	whole := makeMod(t, header(), ordinary(t), nil)
	want := packed(t, whole)
	contents := make(map[string]bool)
	for _, content := range want {
		contents[content] = true
	}
	m, err := mod.Open(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for size := int(m.Header.DataOffset); size < len(whole); size++ {
		data := whole[:size]
		_, err := mod.Open(bytes.NewReader(data), int64(size))
		var cut *mod.CutError
		if !errors.As(err, &cut) || !strings.Contains(err.Error(), "is cut off") {
			t.Fatalf("%d of %d bytes: %v", size, len(whole), err)
		}
		found, unnamed, err := mod.Salvage(bytes.NewReader(data), int64(size), cut, moddir.ExtensionOf)
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", size, len(whole), err)
		}
		got := archived(t, found.Archive)
		for name, content := range got {
			switch lost := strings.HasPrefix(name, pak.LostDir); {
			case lost && !contents[content], !lost && want[name] != content:
				t.Errorf("%d of %d bytes: %s is %q", size, len(whole), name, content)
			case lost:
				unnamed--
			}
		}
		if unnamed != 0 || len(got) < last || size >= int(m.Header.ManifestOffset) && len(got) != len(want) {
			t.Errorf("%d of %d bytes: %d files, before them %d", size, len(whole), len(got), last)
		}
		last = len(got)
		fsys := onDisk(t, moddir.Open(found, moddir.Options{}))
		if again := packed(t, build(t, fsys, moddir.BuildOptions{})); len(again) != len(got) {
			t.Errorf("%d of %d bytes: %d files are packed of %d", size, len(whole), len(again), len(got))
		}
		ids := check.Collect(func(s check.Sink) { found.Check(s); moddir.Check(found.Archive, moddir.CheckOptions{}, s) })
		if len(ids) == 0 || ids[0].ID != "tl-mod-cut-off" {
			t.Errorf("%d of %d bytes: found %v", size, len(whole), ids)
		}
	}
	for size := range int(m.Header.DataOffset) {
		if _, err := mod.Open(bytes.NewReader(whole[:size]), int64(size)); err == nil {
			t.Errorf("%d of %d bytes are open", size, len(whole))
		}
	}
}

// TestNoFiles tests that an archive without files round-trips through a folder.
func TestNoFiles(t *testing.T) {
	h := header()
	h.Removed = []string{"MEDIA/GONE.DAT"}
	for _, h := range []*mod.Header{header(), h} {
		var out tests.Memory
		if _, err := mod.Write(context.Background(), &out, h, nil, nil); err != nil {
			t.Fatal(err)
		}
		m, err := mod.Open(bytes.NewReader(out.Data), int64(len(out.Data)))
		if err != nil {
			t.Fatal(err)
		}
		fsys := onDisk(t, moddir.Open(m, moddir.Options{}))
		if !moddir.Recognize(fsys) || moddir.RecognizePak(fsys) {
			t.Error("the folder of a mod without files is not known")
		}
		if again := build(t, fsys, moddir.BuildOptions{}); !bytes.Equal(again, out.Data) {
			t.Errorf("%d bytes became %d", len(out.Data), len(again))
		}
		pakOnly := onDisk(t, moddir.OpenPak(m.Archive, moddir.Options{}))
		if moddir.Recognize(pakOnly) || !moddir.RecognizePak(pakOnly) {
			t.Error("the folder of an archive without files is not known")
		}
		var archive tests.Memory
		var manifest bytes.Buffer
		if _, err := moddir.BuildPak(context.Background(), &archive, &manifest, pakOnly, moddir.BuildOptions{}); err != nil {
			t.Error(err)
		}
	}
	if _, err := fs.Stat(sources(t, nil), "MOD.DAT"); err != nil || moddir.Recognize(sources(t, nil)) {
		t.Error("a MOD.DAT alone is taken for a mod")
	}
}
