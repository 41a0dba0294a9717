//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package mount

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/tests"
	"trowel.example/internal/values/piece"
)

// contents returns the files and empty folders below a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || at == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, at)
		if e.IsDir() {
			entries, err := os.ReadDir(at)
			if len(entries) == 0 {
				all[rel] = "folder"
			}
			return err
		}
		data, err := os.ReadFile(at)
		all[rel] = "file: " + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// randomly changes a folder by an operation that a generator chooses, as programs do. It returns a description and whether the
// operation succeeded.
func randomly(r *rand.Rand, dir string, number int) (what string, ok bool) {
	names := []string{"a", "b", "dir/c", "dir/d", "dir/sub/e", "f", "new/g", "new/h", "dir/.x.swp"}
	folders := []string{"dir", "dir/sub", "new", "more"}
	one, other := names[r.IntN(len(names))], names[r.IntN(len(names))]
	folder, to := folders[r.IntN(len(folders))], folders[r.IntN(len(folders))]
	at := func(name string) string { return filepath.Join(dir, name) }
	var err error
	switch r.IntN(10) {
	case 0:
		what, err = "write "+one, os.WriteFile(at(one), []byte(fmt.Sprint("written ", number)), 0o666)
	case 1:
		what = "append to " + one
		var f *os.File
		if f, err = os.OpenFile(at(one), os.O_APPEND|os.O_WRONLY, 0); err == nil {
			_, err = fmt.Fprint(f, "+", number)
			err = errors.Join(err, f.Close())
		}
	case 2:
		what, err = "remove "+one, os.Remove(at(one))
	case 3:
		what, err = "rename "+one+" to "+other, os.Rename(at(one), at(other))
	case 4:
		what, err = "make "+folder, os.Mkdir(at(folder), 0o777)
	case 5:
		what, err = "remove folder "+folder, syscall.Rmdir(at(folder))
	case 6:
		what, err = "truncate "+one, os.Truncate(at(one), int64(r.IntN(5)))
	case 7:
		what = "save " + one + " by renaming"
		if err = os.WriteFile(at(one+".tmp"), []byte(fmt.Sprint("saved ", number)), 0o666); err == nil {
			err = os.Rename(at(one+".tmp"), at(one))
		}
	case 8:
		what = "move folder " + folder + " to " + to
		if err = os.Rename(at(folder), at(to)); errors.Is(err, syscall.EXDEV) { // as mv does
			if err = os.CopyFS(at(to), os.DirFS(at(folder))); err == nil {
				err = os.RemoveAll(at(folder))
			}
		}
		if folder != to && strings.HasPrefix(to, folder) || strings.HasPrefix(folder, to) {
			err = fs.ErrInvalid
		}
	case 9:
		what = "create " + one
		var f *os.File
		if f, err = os.OpenFile(at(one), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err == nil {
			_, err = f.WriteAt([]byte("hole"), 3)
			err = errors.Join(err, f.Close())
		}
	}
	return what, err == nil
}

// TestRandomEdits performs random operations in a mount and in an ordinary folder with the same files, which must be the same
// after each. In the end a new program sees the same in the edits, and they are the changes that apply makes.
func TestRandomEdits(t *testing.T) {
	for seed := range uint64(tests.Of(t, 3, 20)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			files := map[string]string{"a": "A", "b": "B", "dir/c": "C", "dir/d": "D", "dir/sub/e": "E"}
			var c counted
			plain := t.TempDir()
			for name, content := range files {
				c.add(name, content)
				if err := errors.Join(os.MkdirAll(filepath.Join(plain, path.Dir(name)), 0o777),
					os.WriteFile(filepath.Join(plain, name), []byte(content), 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(t.TempDir(), "x.map")
			dir, _ := mounted(t, &c, file, nil)
			log, done := "", 0
			for i := range tests.Of(t, 120, 300) {
				rounds := rand.NewPCG(seed, uint64(i))
				what, here := randomly(rand.New(rounds), dir, i)
				_, there := randomly(rand.New(rand.NewPCG(seed, uint64(i))), plain, i)
				if here {
					done++
				}
				log += fmt.Sprintf("%d: %s: %v\n", i, what, here)
				if diff := cmp.Diff(contents(t, plain), contents(t, dir)); diff != "" || here != there {
					t.Fatalf("%sin the folder: %v\n%s", log, there, diff)
				}
			}
			if done < 30 {
				t.Errorf("only %d operations succeeded", done)
			}
			agree(t, file, files, contents(t, plain))
		})
	}
}

// agree tests that the edits of a file are the difference between the content of a game file and that of a mount.
func agree(t *testing.T, file string, files, want map[string]string) {
	t.Helper()
	p, err := piece.Open(file+EditsSuffix, func(at string, err error) { t.Error(at, err) })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	now := func(at string) ([]byte, error) {
		if content, ok := files[at]; ok {
			return []byte(content), nil
		}
		return nil, fs.ErrNotExist
	}
	litter := make(map[string]bool)
	changes, err := p.Compare(now, piece.Options{Delete: true, Conflict: func(at, what string) { t.Errorf("%s: conflict: %s", at, what) },
		Litter: func(at string) { litter[at] = true }})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for at, content := range files {
		got[at] = "file: " + content
	}
	for _, c := range changes {
		if c.Removed {
			delete(got, c.Path)
			continue
		}
		data, err := p.Content(c.Path)
		if err != nil {
			t.Fatal(err)
		}
		got[c.Path] = "file: " + string(data)
	}
	for at, content := range want {
		if content == "folder" {
			delete(want, at)
		}
		if piece.IsLitter(at) {
			if !litter[at] {
				t.Errorf("%s: is not listed as left out", at)
			}
			delete(want, at)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the edits differ from what was mounted:\n%s", diff)
	}
}

// TestOpenFiles tests files that stay open while their names change.
func TestOpenFiles(t *testing.T) {
	var c counted
	c.add("a", "content of a")
	c.add("b", "content of b")
	c.AddBytes(tree.Sidecar, []byte("{}"))
	dir, _ := mounted(t, &c, filepath.Join(t.TempDir(), "x.map"), nil)
	a := filepath.Join(dir, "a")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.Open(a)
	must(err)
	defer old.Close()
	reads := func(f *os.File, want string) {
		t.Helper()
		data := make([]byte, 100)
		n, err := f.ReadAt(data, 0)
		info, serr := f.Stat()
		if string(data[:n]) != want || serr != nil || info.Size() != int64(len(want)) {
			t.Errorf("%q, %v; %v, %v; want %q", data[:n], err, info, serr, want)
		}
	}
	must(os.Rename(a, filepath.Join(dir, "a~"))) // as Vim saves
	must(os.WriteFile(a, []byte("saved"), 0o666))
	reads(old, "content of a")
	infoOld, _ := os.Stat(filepath.Join(dir, "a~"))
	infoNew, _ := os.Stat(a)
	if os.SameFile(infoOld, infoNew) {
		t.Error("two files have the same number")
	}
	must(os.Remove(filepath.Join(dir, "a~")))
	reads(old, "content of a")
	now, err := os.OpenFile(a, os.O_RDWR, 0)
	must(err)
	must(os.Remove(a))
	_, err = now.WriteAt([]byte("!"), 5)
	must(err)
	reads(now, "saved!")
	must(now.Close())

	b, err := os.Open(filepath.Join(dir, "b"))
	must(err)
	defer b.Close()
	must(os.Remove(filepath.Join(dir, "b")))
	reads(b, "content of b")
	if err := os.WriteFile(filepath.Join(dir, tree.Sidecar), nil, 0o666); !errors.Is(err, fs.ErrPermission) {
		t.Error("the sidecar was written:", err)
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); !errors.Is(err, fs.ErrPermission) {
		t.Error("a link was made:", err)
	}
}

// TestRequest tests that a mount packs on request, but not while a program writes, that it then shows the new file, and that
// the edits of a killed program are seen by the next.
func TestRequest(t *testing.T) {
	var first, second counted
	first.add("a", "old")
	second.add("a", "new and longer")
	second.add("more", "more")
	file := filepath.Join(t.TempDir(), "x.map")
	trees := []fs.FS{&first, &second}
	dir, _ := mounted(t, &first, file, func(o *Options) {
		o.Open = func() (fs.FS, io.Closer, error) {
			next := trees[0]
			trees = trees[1:]
			return next, io.NopCloser(nil), nil
		}
		edits := o.Edits
		o.Pack = func(context.Context) []byte {
			s, err := edits.Snapshot()
			if err == nil {
				err = edits.Remove(s)
			}
			return fmt.Append(nil, len(s), err)
		}
	})
	f, err := os.Create(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if report, err := Request(dir); string(report) != "refused: a" || err != nil {
		t.Errorf("%q, %v", report, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	swap, err := os.Create(filepath.Join(dir, ".a.swp")) // an editor has it open all the time
	if err != nil {
		t.Fatal(err)
	}
	defer swap.Close()
	if _, err := OpenEdits(file, false); !errors.Is(err, ErrEditsOpen) {
		t.Error("the edits are not locked:", err)
	}
	if report, err := Request(dir); string(report) != "1 <nil>" || err != nil {
		t.Errorf("%q, %v", report, err)
	}
	want := map[string]string{"a": "file: new and longer", "more": "file: more", ".a.swp": "file: "}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
	if err := os.Remove(filepath.Join(dir, "more")); err != nil {
		t.Fatal(err)
	}
	edits := &Edits{Dir: file + EditsSuffix} // as if the program had been killed
	if err := edits.load(); err != nil || !edits.has("more") || edits.has("a") || edits.stat(".a.swp") == nil {
		t.Error(edits.taken, err)
	}
	edits.closeFiles()
}
