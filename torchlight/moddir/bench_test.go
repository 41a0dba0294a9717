package moddir_test

import (
	"bytes"
	"io/fs"
	"os"
	"testing"

	"trowel/internal/corpus"
	"trowel/internal/parallel"
	"trowel/internal/tree"
	"trowel/torchlight/mod"
	"trowel/torchlight/moddir"
)

// largest returns the largest mod of the corpus.
func largest(b *testing.B) []byte {
	b.Helper()
	var most []byte
	for _, path := range append(corpus.Files(b, "torchlight", ".mod"), corpus.Files(b, "torchlight", ".MOD")...) {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		if len(data) > len(most) {
			most = data
		}
	}
	return most
}

// BenchmarkOpenAll makes every file of the folder of a mod of 4 MB, the sidecar
// too, on all cores, and throws them away.
func BenchmarkOpenAll(b *testing.B) {
	data := largest(b)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			b.Fatal(err)
		}
		fsys := moddir.Open(m, moddir.Options{})
		var names []string
		err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && name != tree.Sidecar {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		parallel.Each(len(names), func(i int) {
			if _, err := fs.ReadFile(fsys, names[i]); err != nil {
				b.Error(err)
			}
		})
		if _, err := fs.ReadFile(fsys, tree.Sidecar); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInflateAll inflates the same files and does nothing else.
func BenchmarkInflateAll(b *testing.B) {
	data := largest(b)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			b.Fatal(err)
		}
		files := m.Archive.Files()
		parallel.Each(len(files), func(i int) {
			if files[i].Removed() {
				return
			}
			if _, err := files[i].Content(); err != nil {
				b.Error(err)
			}
		})
	}
}

// BenchmarkBuild builds the same mod again, from a folder whose files are there.
func BenchmarkBuild(b *testing.B) {
	data := largest(b)
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		b.Fatal(err)
	}
	shown := moddir.Open(m, moddir.Options{})
	var ready tree.FS
	err = fs.WalkDir(shown, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(shown, name)
		ready.AddBytes(name, content)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if out := build(b, &ready, moddir.BuildOptions{}); len(out) != len(data) {
			b.Fatalf("%d bytes became %d", len(data), len(out))
		}
	}
}
