package moddir_test

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
)

// TestEffort tests that each operation on a mod inflates each file once and decodes it once.
func TestEffort(t *testing.T) {
	data := build(t, sampleFolder(), moddir.BuildOptions{Tables: true})
	open := func() *mod.Mod {
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	var blocks, compiled, named, grids int64 // named: the names of tables and grids depend on whether they can be read
	for _, f := range open().Archive.Files() {
		isGrid := strings.HasSuffix(f.Path, ".MPP")
		if _, packed, err := f.Sizes(); err == nil && packed > 0 {
			blocks++
			if isGrid || strings.HasSuffix(f.Path, ".RAW") {
				named++
			}
		}
		if isGrid {
			grids++
		}
		if strings.HasSuffix(f.Path, ".DAT") || strings.HasSuffix(f.Path, ".LAYOUT") || strings.HasSuffix(f.Path, ".MPP") {
			compiled++
		}
	}
	if blocks < 5 || compiled < 5 {
		t.Fatalf("the sample has %d blocks and %d compiled files: too few", blocks, compiled)
	}
	readAll := func(fsys fs.FS, sidecar bool) {
		err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && name != tree.Sidecar {
				_, err = fs.ReadFile(fsys, name)
			}
			return err
		})
		if err == nil && sidecar {
			_, err = fs.ReadFile(fsys, tree.Sidecar)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, do := range map[string]func(){
		"read":    func() { readAll(moddir.Open(open(), moddir.Options{}), false) },
		"extract": func() { fsys := moddir.Open(open(), moddir.Options{}); tree.Keep(fsys); readAll(fsys, true) },
		"sidecar": func() { _, _ = fs.ReadFile(moddir.Open(open(), moddir.Options{}), tree.Sidecar) },
		"check":   func() { moddir.CheckMod(open(), moddir.CheckOptions{}, func(check.Finding) {}) },
	} {
		var inflated int64
		decoded := effort.Of(&effort.Decompiled, func() { inflated = effort.Of(&effort.Inflated, do) })
		wantBlocks, want := blocks+named, compiled+grids
		if name == "check" {
			wantBlocks, want = blocks, compiled+1 // the mesh, which the folder has unchanged
		}
		if inflated != wantBlocks || decoded != want {
			t.Errorf("%s: %d of %d blocks inflated, %d of %d files decoded", name, inflated, wantBlocks, decoded, want)
		}
	}
}

// TestKeep tests that the sidecar is the same whether or not Keep was called.
func TestKeep(t *testing.T) {
	for name, data := range madeMods(t) {
		var sidecars [2]string
		for i := range sidecars {
			fsys := openMod(t, data, moddir.Options{})
			if i == 1 {
				tree.Keep(fsys)
			}
			onDisk(t, fsys) // reads all
			side, err := fs.ReadFile(fsys, tree.Sidecar)
			if err != nil {
				t.Fatal(err)
			}
			sidecars[i] = string(side)
		}
		if sidecars[0] != sidecars[1] {
			t.Errorf("%s: %s\n%s", name, sidecars[0], sidecars[1])
		}
	}
}
