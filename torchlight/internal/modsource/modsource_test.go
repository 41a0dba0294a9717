package modsource_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
	"trowel.example/trace"
)

func write(t *testing.T, name, data string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(data), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// with calls do with a file, and tests that do closes all others that it opens.
func with(t *testing.T, name string, do func(src *format.Source)) {
	t.Helper()
	src, err := format.OpenSource(name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	before := tests.OpenFiles()
	do(src)
	if after := tests.OpenFiles(); len(after) > len(before) {
		t.Errorf("%s: open are %q, were %q", name, after, before)
	}
}

const escaped = "MEDIA/UI/B%2F.DDS" // its name in a folder differs

// archives makes a mod of 2 files, A.MOD, and the archive in it, A.PAK, in the current folder. It returns their contents.
func archives(t *testing.T) (whole, archive, list string) {
	t.Helper()
	var files []pak.NewFile
	for _, name := range []string{"MEDIA/UI/A.IMAGESET", escaped} {
		files = append(files, pak.NewFile{Path: name, Content: func() ([]byte, error) { return []byte(strings.Repeat(name, 9)), nil }})
	}
	f, err := os.Create("A.MOD")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, err := mod.Write(t.Context(), f, mod.NewHeader(), files, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mod.Open(f, size)
	var a, l strings.Builder
	if err := errors.Join(err, m.Split(&a, &l)); err != nil {
		t.Fatal(err)
	}
	write(t, "A.PAK", a.String())
	write(t, "A.PAK.MAN", l.String())
	data := judge.Read(t, "A.MOD")
	return string(data), a.String(), l.String()
}

// open opens a mod or an archive.
func open(job *format.Job, src *format.Source) (*pak.Reader, io.Closer, error) {
	if src.Name != "A.MOD" {
		return modsource.OpenPak(job, src)
	}
	m, err := modsource.OpenMod(job, src)
	if err != nil {
		return nil, nil, err
	}
	return m.Archive, io.NopCloser(nil), nil
}

// TestOpen tests what is read and reported of archives whose files are whole, cut off, damaged or missing.
func TestOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	whole, archive, list := archives(t)
	for _, c := range []struct {
		name, data string // the changed file; data "none": it is missing
		files      int    // that can be read; -1: it cannot be opened
		want       string // a prefix of the loss or of the error
	}{
		{"A.PAK", archive, 2, ""},
		{"A.PAK", archive[:len(archive)-4], 1, "A.PAK: the archive is cut off: 1 of 2 files are missing or incomplete"},
		{"A.PAK", "", -1, "A.PAK: offset 0"},
		{"A.PAK.MAN", list[:len(list)-4], 2, "A.PAK.MAN: the list of files is cut off or damaged; salvaged 2 files with names"},
		{"A.PAK.MAN", "\x63" + list[1:], -1, "A.PAK.MAN: version at offset 0: expected 0 to 2"},
		{"A.PAK.MAN", "none", -1, "A.PAK.MAN: file does not exist: an archive consists of two files"},
		{"A.PAK", "none", -1, "A.PAK: file does not exist: an archive consists of two files"},
		{"A.MOD", whole, 2, ""},
		{"A.MOD", whole[:len(whole)-4], 2, "A.MOD: the mod is cut off, or its list of files is damaged: "},
		{"A.MOD", whole[:20], -1, "A.MOD: the mod is cut off: the last 34 bytes of its header"},
	} {
		archives(t)
		if write(t, c.name, c.data); c.data == "none" {
			os.Remove(c.name)
		}
		for _, name := range []string{"A.MOD", "A.PAK", "A.PAK.MAN"} {
			if (name == "A.MOD") != (c.name == "A.MOD") || c.data == "none" && name == c.name {
				continue
			}
			with(t, name, func(src *format.Source) {
				got, n := "", -1
				r, other, err := open(&format.Job{Reports: format.Reports{OnMiss: func(path, message string) { got += path + ": " + message }}}, src)
				if err != nil {
					got += err.Error()
				} else {
					defer other.Close()
					n = len(slices.DeleteFunc(r.Files(), func(f *pak.File) bool { _, err := f.Content(); return err != nil }))
				}
				if n != c.files || !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
					t.Errorf("%s, %.20q in %s: %d files, %q; want %d, %q", name, c.data, c.name, n, got, c.files, c.want)
				}
			})
		}
	}
}

// copied is an output of files called copy.
type copied struct {
	format.Output
	files []*os.File
}

func (c *copied) Create(suffix string) (format.Part, error) {
	f, err := os.Create("copy" + suffix)
	c.files = append(c.files, f)
	return f, err
}

// TestSameArchive tests which of three archives is a merge without changes: their lists count, too. A copy has both.
func TestSameArchive(t *testing.T) {
	t.Chdir(t.TempDir())
	whole, _, _ := archives(t)
	data := make([]byte, 300_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data)
	last := slices.Clone(data)
	last[len(last)-1]++
	for name, content := range map[string][2]string{"x": {string(data), "1"}, "y": {string(data), "2"}, "z": {string(last), "1"},
		"w": {"short", "1"}, "m": {whole, "none"}} { // a mod has no list
		write(t, name, content[0])
		if content[1] != "none" {
			write(t, name+".MAN", content[1])
		}
		with(t, name, func(src *format.Source) {
			var out copied
			err := modsource.CopyArchive(src, &out)
			for _, f := range out.files {
				f.Close()
			}
			for i, suffix := range []string{"", ".MAN"}[:len(out.files)] {
				if got, _ := os.ReadFile("copy" + suffix); err != nil || string(got) != content[i] {
					t.Errorf("%s%s: %d bytes, %v", name, suffix, len(got), err)
				}
			}
			if (len(out.files) == 2) != (content[1] != "none") {
				t.Errorf("%s: copied %d files", name, len(out.files))
			}
		})
	}
	for words, want := range map[string]string{"x y x": "y", "y x x": "x", "x x y": "y", "x y z": "", "x z w": "",
		"m x m": "x", "x m y": ""} {
		w := strings.Fields(words)
		with(t, w[0], func(base *format.Source) {
			with(t, w[1], func(ours *format.Source) {
				with(t, w[2], func(theirs *format.Source) {
					got, err := modsource.SameArchive(base, ours, theirs)
					if err != nil || got == nil && want != "" || got != nil && got.Name != want {
						t.Errorf("%s: %v, %v, want %q", words, got, err, want)
					}
				})
			})
		})
	}
}

// TestNames tests files that are found by names: in an archive, around and next to a file, and in a folder to be like.
func TestNames(t *testing.T) {
	t.Chdir(t.TempDir())
	archives(t)
	for path, want := range map[string]string{escaped: "content", moddir.FolderPath(escaped, moddir.Options{}): "content", "none": ""} {
		for _, name := range []string{"A.MOD", "A.PAK", "A.PAK.MAN"} {
			with(t, name, func(src *format.Source) {
				got := ""
				err := modsource.Dump(t.Context(), new(format.Job), src, path, func(f trace.Field) {
					if f.Space == path {
						got = f.Path
					}
				})
				if err != nil || got != want {
					t.Errorf("%s in %s: %q, %v", path, name, got, err)
				}
			})
		}
	}
	for path, want := range map[string]string{"/MEDIA/UI/A.DDS": "MEDIA/UI/A.DDS", "/x/Media/a.dds": "Media/a.dds",
		"/x/a.dds": "a.dds", "-": "-"} {
		if got := modsource.GamePath(format.NewSource(path, nil)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	write(t, "like/MOD.DAT", "[MOD]\n[/MOD]\n")
	write(t, "like/Media/Ui/a.dds", "a")
	write(t, "like/Media/Ui/b.txt", "b")
	write(t, "other/b.txt", "b")
	with(t, "like/Media/Ui/a.dds", func(src *format.Source) {
		for _, name := range []string{"b.txt", "x/B.TXT", `x\b.txt`} {
			if got, err := modsource.ReadBeside(src, name); string(got) != "b" || err != nil {
				t.Errorf("beside, %s: %q, %v", name, got, err)
			}
		}
		m := modsource.MediaAround(src)
		got, err := m.Read(`media\ui\B.TXT`)
		if below := m.Below("MEDIA"); string(got) != "b" || err != nil || !slices.Equal(below, []string{"MEDIA/UI/A.DDS", "MEDIA/UI/B.TXT"}) {
			t.Errorf("around: %q, %v, %q", got, err, below)
		}
	})
	for name, want := range map[string]string{"like": "like", "A.MOD": "", "A.PAK": "", "": "", "other": "error", "other/b.txt": "error"} {
		like, closer, err := modsource.OpenLike(name, new(format.Job))
		if (like != nil) != (want == "like") || (closer != nil) != (want == "like") || errors.Is(err, format.ErrNoTree) != (want == "error") {
			t.Errorf("like %q: %v, %v, want %q", name, like, err, want)
		}
		if closer != nil {
			closer.Close()
		}
	}
}
