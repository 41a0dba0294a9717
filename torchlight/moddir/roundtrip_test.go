package moddir_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// madeMods returns generated mods, with and without oddities.
func madeMods(t testing.TB) map[string][]byte {
	t.Helper()
	removes := header()
	removes.Removed = []string{"MEDIA/GONE.DAT", "MEDIA/UNITS/WOLF.DAT"}
	old := header()
	old.Version, old.Game = 2, mod.GameVersion{}
	old.Description = "two\r\nlines"
	section := func(man *pak.Manifest, name string) *pak.Section {
		i := slices.IndexFunc(man.Sections, func(s pak.Section) bool { return s.Name == name })
		return &man.Sections[i]
	}
	return map[string][]byte{
		"empty":    makeMod(t, header(), nil, nil),
		"ordinary": makeMod(t, header(), ordinary(t), nil),
		"editor":   build(t, openMod(t, makeMod(t, removes, ordinary(t), nil), moddir.Options{}), moddir.BuildOptions{}),
		"old":      makeMod(t, old, ordinary(t), nil),
		"odd":      makeMod(t, header(), slices.Concat(ordinary(t), odd(t)), nil),
		"names":    makeMod(t, header(), slices.Concat(ordinary(t), namedOddly(t)), nil),
		"removed": makeMod(t, removes, ordinary(t), func(man *pak.Manifest) {
			s := section(man, "MEDIA/UNITS/")
			s.Records = append(s.Records, pak.Record{Name: "UNLISTED.DAT"}, pak.Record{Name: "UNLISTED.DAT"})
		}),
		"twice": makeMod(t, header(), slices.Concat(ordinary(t), odd(t)), func(man *pak.Manifest) {
			s := section(man, "MEDIA/UNITS/")
			for i := range 3 {
				s.Records = append(s.Records, s.Records[i],
					pak.Record{CRC32: s.Records[i].CRC32, Offset: s.Records[i].Offset, Size: s.Records[i].Size})
			}
			s.Records[1].Name = s.Records[0].Name
			man.Sections = append(man.Sections, *s, pak.Section{Name: "MEDIA/UNITS/"})
		}),
		"types": makeMod(t, header(), ordinary(t), func(man *pak.Manifest) {
			for i := range man.Sections {
				for j := range man.Sections[i].Records {
					man.Sections[i].Records[j].Type = 18
					man.Sections[i].Records[j].Time = 0
				}
			}
			man.Rest = []byte("rest")
		}),
	}
}

// TestRoundTrip tests that every mod is rebuilt from its folder, as presented and as on disk, whatever form the files
// have there.
func TestRoundTrip(t *testing.T) {
	for name, data := range madeMods(t) {
		for form, o := range map[string]moddir.Options{"": {}, " raw": {Raw: true}, " six digits": {Floats: text.GUTS}} {
			t.Run(name+form, func(t *testing.T) {
				fsys := openMod(t, data, o)
				if name != "names" { // its names have backslashes, which TestFS rejects
					if err := fstest.TestFS(fsys, "MOD.DAT", tree.Sidecar); err != nil {
						t.Error(err)
					}
				}
				if got := build(t, fsys, moddir.BuildOptions{Options: o}); !bytes.Equal(got, data) {
					t.Errorf("as it is shown: %d bytes became %d other ones", len(data), len(got))
				}
				// Compiling needs no options that depend on how a file was decompiled.
				if got := build(t, onDisk(t, fsys), moddir.BuildOptions{}); !bytes.Equal(got, data) {
					t.Errorf("from the disk: %d bytes became %d other ones", len(data), len(got))
				}
			})
		}
	}
}

// TestWithoutSidecar tests that the folder alone is sufficient if names are as in the editor.
func TestWithoutSidecar(t *testing.T) {
	for _, name := range []string{"empty", "ordinary", "editor", "removed", "types"} {
		t.Run(name, func(t *testing.T) {
			fsys := onDisk(t, openMod(t, madeMods(t)[name], moddir.Options{}))
			delete(fsys, tree.Sidecar)
			data := build(t, fsys, moddir.BuildOptions{})
			again := openMod(t, data, moddir.Options{})
			sameFolder(t, fsys, again)
			if second := build(t, clean{again}, moddir.BuildOptions{}); !bytes.Equal(second, data) {
				t.Error("the mod of the folder of a mod of a folder differs")
			}
		})
	}
}

// TestUnreadableBlock tests that a file with an unreadable block is not in the folder, and that it still round-trips.
func TestUnreadableBlock(t *testing.T) {
	data := makeMod(t, header(), ordinary(t), func(man *pak.Manifest) { man.Sections[0].Records[0].Size++ })
	fsys := openMod(t, data, moddir.Options{})
	files := make(fstest.MapFS)
	failed := 0
	for _, name := range listing(t, fsys) {
		content, err := fs.ReadFile(fsys, name)
		if err != nil {
			failed++
			continue
		}
		files[name] = &fstest.MapFile{Data: content}
	}
	if failed != 1 || files[tree.Sidecar] == nil {
		t.Errorf("%d files cannot be read", failed)
	}
	if got := build(t, files, moddir.BuildOptions{}); !bytes.Equal(got, data) {
		t.Error("the files that can be read, and the sidecar, are another mod")
	}
	var out tests.Memory
	if _, _, err := moddir.Build(context.Background(), &out, fsys, moddir.BuildOptions{}); err == nil {
		t.Error("a mod was built of a file that cannot be read")
	}
}

// listing returns the paths of all files.
func listing(t testing.TB, fsys fs.FS) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// watched counts the bytes that are read at offsets within a range.
type watched struct {
	io.ReaderAt
	from, to int64
	mu       sync.Mutex
	read     int
}

func (w *watched) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > w.from && at < w.to {
		w.mu.Lock()
		w.read += len(b)
		w.mu.Unlock()
	}
	return w.ReaderAt.ReadAt(b, at)
}

// TestLazy tests that listing the folder reads only tables and grids, whose names depend on whether they can be read, and that
// reading a file reads only its own block.
func TestLazy(t *testing.T) {
	data := madeMods(t)["odd"]
	w := &watched{ReaderAt: bytes.NewReader(data), to: int64(len(data))}
	m, err := mod.Open(w, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	w.from, w.to, w.read = int64(m.Header.DataOffset), int64(m.Header.ManifestOffset), 0
	fsys := moddir.Open(m, moddir.Options{})
	for _, name := range listing(t, fsys) {
		if info, err := fs.Stat(fsys, name); err != nil || info.IsDir() {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := fs.ReadFile(fsys, "MOD.DAT"); err != nil {
		t.Error(err)
	}
	read, named := w.read, 0
	for _, f := range m.Archive.Files() {
		if block, err := f.Block(); err == nil && (strings.HasSuffix(f.Path, ".RAW") || strings.HasSuffix(f.Path, ".MPP")) {
			named += len(block) + 8 // its header is read first
		}
	}
	if read > named {
		t.Errorf("listing read %d bytes of the blocks, and the tables and grids have %d", read, named)
	}
	want, err := m.Archive.Find("MEDIA/UNITS/RELIC.DAT").Block()
	if err != nil {
		t.Fatal(err)
	}
	w.read = 0
	if _, err := fs.ReadFile(fsys, "MEDIA/UNITS/RELIC.DAT"); err != nil || w.read != len(want) {
		t.Errorf("a file of a block of %d bytes took %d, %v", len(want), w.read, err)
	}
}

// TestTogether tests that many goroutines can read a folder at once, including the sidecar.
func TestTogether(t *testing.T) {
	data := madeMods(t)["odd"]
	fsys := openMod(t, data, moddir.Options{})
	want := contents(t, openMod(t, data, moddir.Options{}))
	wantSide, err := fs.ReadFile(openMod(t, data, moddir.Options{}), tree.Sidecar)
	if err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for name, content := range want {
				if got, err := fs.ReadFile(fsys, name); err != nil || string(got) != content {
					t.Errorf("%s: differs, %v", name, err)
				}
			}
		})
		readers.Go(func() {
			if side, err := fs.ReadFile(fsys, tree.Sidecar); err != nil || !bytes.Equal(side, wantSide) {
				t.Errorf("the sidecar differs, %v", err)
			}
		})
	}
	readers.Wait()
}

// TestPak tests that the archive of the game has the same folder, without MOD.DAT.
func TestPak(t *testing.T) {
	for name, data := range madeMods(t) {
		t.Run(name, func(t *testing.T) {
			m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			var archive, manifest bytes.Buffer
			if err := m.Split(&archive, &manifest); err != nil {
				t.Fatal(err)
			}
			man, err := pak.DecodeManifest(manifest.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			r, err := pak.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()), man)
			if err != nil {
				t.Fatal(err)
			}
			fsys := onDisk(t, moddir.OpenPak(r, moddir.Options{}))
			var pakOut tests.Memory
			var manOut bytes.Buffer
			if _, err := moddir.BuildPak(context.Background(), &pakOut, &manOut, fsys, moddir.BuildOptions{}); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(pakOut.Data, archive.Bytes()) || !bytes.Equal(manOut.Bytes(), manifest.Bytes()) {
				t.Errorf("yields other bytes: %d and %d for %d and %d", len(pakOut.Data), manOut.Len(),
					archive.Len(), manifest.Len())
			}
		})
	}
}

// TestSample tests that the sample can be built from its sources and extracted again.
func TestSample(t *testing.T) {
	fsys := sampleFolder()
	var out tests.Memory
	report, size, err := moddir.Build(context.Background(), &out, fsys, moddir.BuildOptions{Options: moddir.Options{}, Tables: true})
	if err != nil || size != int64(len(out.Data)) {
		t.Fatalf("%d bytes for %d, %v", size, len(out.Data), err)
	}
	const asIs = 4 // two pictures, an image set and a material
	if report.Compiled != len(listing(t, fsys))-1-asIs || report.AsIs != asIs || len(report.Tables) == 0 {
		t.Errorf("%+v", report)
	}
	shown := openMod(t, out.Data, moddir.Options{Models: true})
	if got := build(t, shown, moddir.BuildOptions{Options: moddir.Options{Models: true}}); !bytes.Equal(got, out.Data) {
		t.Error("yields other bytes")
	}
	var got []string
	for _, name := range listing(t, shown) {
		if _, err := fs.Stat(fsys, name); err != nil && name != tree.Sidecar {
			got = append(got, name)
		}
	}
	want := []string{"MEDIA/AFFIXES.RAW.json", "MEDIA/SKILLS.RAW.json", "MEDIA/TRIGGERABLES.RAW.json", "MEDIA/UNITDATA.RAW.json"}
	if !slices.Equal(got, want) {
		t.Errorf("new are %v", got)
	}
}
