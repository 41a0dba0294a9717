package moddir_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// exercise converts a mod, which may be damaged, to a folder and back. It reports whether the mod could be opened, and
// whether the result is byte-identical.
func exercise(t testing.TB, data []byte) (opened, same bool) {
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return false, false
	}
	shown := moddir.Open(m, moddir.Options{})
	files := make(fstest.MapFS)
	err = fs.WalkDir(shown, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == tree.Sidecar {
			return err
		}
		// Unreadable files are not in the folder that is written.
		if content, err := fs.ReadFile(shown, name); err == nil {
			files[name] = &fstest.MapFile{Data: content}
		}
		return nil
	})
	if err != nil {
		t.Errorf("cannot be listed: %v", err)
		return true, false
	}
	moddir.Check(m.Archive, moddir.CheckOptions{}, func(check.Finding) {})
	side, err := fs.ReadFile(shown, tree.Sidecar)
	if err != nil {
		return true, false // overlapping blocks, or an unreadable part
	}
	files[tree.Sidecar] = &fstest.MapFile{Data: side}
	if err := moddir.CheckFolder(files, moddir.Options{}, func(check.Finding) {}); err != nil {
		t.Errorf("its folder cannot be checked: %v", err)
	}
	var out tests.Memory
	if _, _, err := moddir.Build(context.Background(), &out, files, moddir.BuildOptions{}); err != nil {
		t.Errorf("its folder cannot be built: %v", err)
		return true, false
	}
	if !bytes.Equal(out.Data, data) {
		t.Errorf("%d bytes became %d other ones", len(data), len(out.Data))
		return true, false
	}
	return true, true
}

// FuzzOpen opens arbitrary mods, reads every file of their folders, and rebuilds them.
func FuzzOpen(f *testing.F) {
	for _, data := range madeMods(f) {
		f.Add(data)
	}
	for _, data := range smallMods(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, data) })
}

// smallMods returns the smaller mods of the corpus, if there is one.
func smallMods(t testing.TB) [][]byte {
	var all [][]byte
	read := func(t testing.TB) {
		for _, path := range corpusMods(t) {
			if st, err := os.Stat(path); err != nil || st.Size() > 32<<10 {
				continue
			}
			data := judge.Read(t, path)
			all = append(all, data)
		}
	}
	switch t := t.(type) {
	case *testing.T:
		t.Run("corpus", func(t *testing.T) { read(t) }) // the subtest skips itself if there is no corpus
	}
	return all
}

// FuzzBuild builds folders with arbitrary MOD.DAT, source, table, picture and sidecar. A folder that can be built must
// round-trip.
func FuzzBuild(f *testing.F) {
	for _, made := range [][]entry{ordinary(f), odd(f), namedOddly(f)} {
		files := onDisk(f, openMod(f, makeMod(f, header(), made, nil), moddir.Options{}))
		side := files[tree.Sidecar].Data
		for _, name := range names(files) {
			f.Add(files["MOD.DAT"].Data, name, files[name].Data, side)
		}
	}
	f.Add([]byte("[MOD]\n[/MOD]"), "media/a.dat", []byte(unitText), []byte("{}"))
	f.Fuzz(func(t *testing.T, modDat []byte, name string, content, side []byte) {
		files := fstest.MapFS{"MEDIA/A.DAT": {Data: []byte(unitText)}, "MEDIA/SKILLS.RAW": {Data: table(t)}}
		if fs.ValidPath(name) && name != "." {
			files[name] = &fstest.MapFile{Data: content}
		}
		files["MOD.DAT"] = &fstest.MapFile{Data: modDat}
		files[tree.Sidecar] = &fstest.MapFile{Data: side}
		var out tests.Memory
		if _, _, err := moddir.Build(context.Background(), &out, files, moddir.BuildOptions{Tables: len(content)%2 == 1}); err != nil {
			return
		}
		if opened, same := exercise(t, out.Data); !opened || !same {
			t.Errorf("what was built was opened: %v, came back: %v", opened, same)
		}
	})
}

// FuzzSingle converts a file with an arbitrary name to its form and back.
func FuzzSingle(f *testing.F) {
	for _, s := range singles(f) {
		f.Add(s.name, s.data)
	}
	for _, e := range slices.Concat(ordinary(f), odd(f)) {
		f.Add(e.path, e.content)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		moddir.CheckSingle(data, name, moddir.Options{}, func(check.Finding) {})
		moddir.CheckForm(data, name, moddir.Options{}, func(check.Finding) {})
		for _, floats := range []text.FloatStyle{text.Exact, text.GUTS} {
			o := moddir.Options{Floats: floats}
			fsys, err := moddir.OpenSingle(data, name, "x", o)
			if err != nil {
				return
			}
			if got, err := moddir.BuildSingle(fsys, o); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%d bytes became %d, %v", len(data), len(got), err)
			}
		}
	})
}
