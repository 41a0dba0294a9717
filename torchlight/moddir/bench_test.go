package moddir_test

import (
	"bytes"
	"io"
	"io/fs"
	"testing"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
)

// largest returns the largest mod of the corpus.
func largest(b *testing.B) []byte {
	b.Helper()
	var most []byte
	for _, path := range append(tests.CorpusFiles(b, "torchlight", ".mod"), tests.CorpusFiles(b, "torchlight", ".MOD")...) {
		data := judge.Read(b, path)
		if len(data) > len(most) {
			most = data
		}
	}
	return most
}

// BenchmarkOpenAll creates every file of the folder of a mod of 4 MB on all cores, as extract does, and discards them;
// in a second benchmark it also creates the sidecar, which requires checking that every block compresses to identical
// bytes.
func BenchmarkOpenAll(b *testing.B) {
	data := largest(b)
	run := func(sidecar bool) func(*testing.B) {
		return func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				openAll(b, data, sidecar)
			}
		}
	}
	b.Run("files", run(false))
	b.Run("files and sidecar", run(true))
}

func openAll(b *testing.B, data []byte, sidecar bool) {
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		b.Fatal(err)
	}
	fsys := moddir.Open(m, moddir.Options{})
	read := func(name string) {
		f, err := fsys.Open(name)
		if err == nil {
			_, err = io.Copy(io.Discard, f)
		}
		if err != nil {
			b.Error(err)
		}
	}
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
	parallel.Each(len(names), func(i int) { read(names[i]) })
	if sidecar {
		read(tree.Sidecar)
	}
}

// BenchmarkInflateAll only inflates the same files.
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

// BenchmarkBuild rebuilds the same mod from a folder in memory.
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
