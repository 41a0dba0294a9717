package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
)

// numbersIn returns the numbers in all files of a folder.
func numbersIn(t *testing.T, dir string) map[int]bool {
	t.Helper()
	got := make(map[int]bool)
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		data := judge.Read(t, filepath.Join(dir, e.Name()))
		for _, word := range strings.Fields(string(data)) {
			n, err := strconv.Atoi(word)
			if err != nil {
				t.Fatalf("%s: half of a file: %q", e.Name(), data)
			}
			got[n] = true
		}
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("left behind: %s", e.Name())
		}
	}
	return got
}

// add changes a file in place as edit does: it reads the file, and writes it with an additional number.
func add(path string, n int) error {
	h, err := Hold(context.Background(), path, nil)
	if err != nil {
		return err
	}
	defer h.Release()
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return writeOne(path, Options{Replace: true, Held: h, Backup: BackupName(h.Path)}, fmt.Sprintf("%s %d", data, n))
}

func writeOne(path string, opts Options, text string) error {
	o, err := New(path, opts)
	if err != nil {
		return err
	}
	defer o.Discard()
	w, err := o.Create("")
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err != nil {
		return err
	}
	return o.Commit()
}

// withAndWithout runs a test with and without support for exchanging names.
func withAndWithout(t *testing.T, test func(t *testing.T)) {
	for _, no := range []bool{false, true} {
		t.Run(fmt.Sprintf("exchange %v", !no), func(t *testing.T) {
			noExchange = no
			defer func() { noExchange = false }()
			test(t)
		})
	}
}

// TestHold tests that many runs which change one file in place are serialized, so that no change is lost.
func TestHold(t *testing.T) {
	withAndWithout(t, func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.map")
		if err := put(dir, "x.map=0"); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		const runs, each = 6, 4
		for i := range runs {
			group.Go(func() {
				for n := range each {
					if err := add(path, 1+i*each+n); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		data, err := os.ReadFile(path)
		if err != nil || len(strings.Fields(string(data))) != 1+runs*each {
			t.Errorf("in the file are %s, %v", data, err)
		}
		if list, _ := os.ReadDir(dir); len(list) != 1+runs*each {
			t.Errorf("%d files, should be one and %d backups", len(list), runs*each)
		}
	})
}

// TestRace tests runs that replace one file at the same time after reading the same content: the file has the output
// of the last one, and backups have the others. If replacing is not allowed, only one run succeeds.
func TestRace(t *testing.T) {
	withAndWithout(t, func(t *testing.T) {
		for _, force := range []bool{true, false} {
			dir := t.TempDir()
			path := filepath.Join(dir, "x.map")
			if force {
				if err := put(dir, "x.map=0"); err != nil {
					t.Fatal(err)
				}
			}
			const runs = 16
			var begun, ended sync.WaitGroup
			begun.Add(runs)
			var wrote [runs]bool
			fine := 0
			for n := range runs {
				ended.Go(func() {
					o, err := New(path, Options{Replace: force})
					if err == nil {
						defer o.Discard()
						var w io.Writer
						if w, err = o.Create(""); err == nil {
							_, err = io.WriteString(w, strconv.Itoa(1+n))
						}
					}
					begun.Done()
					if err != nil {
						t.Error(err)
						return
					}
					begun.Wait()
					err = o.Commit()
					var exists *ExistsError
					if wrote[n] = err == nil; err != nil && (force || !errors.As(err, &exists)) {
						t.Error(err)
					}
				})
			}
			ended.Wait()
			got := numbersIn(t, dir)
			for n, did := range wrote {
				if did != got[1+n] {
					t.Errorf("force %v: run %d wrote: %v; is there: %v", force, n, did, got[1+n])
				}
				if did {
					fine++
				}
			}
			if want := map[bool]int{true: runs, false: 1}[force]; fine != want {
				t.Errorf("force %v: %d runs succeeded, should be %d", force, fine, want)
			}
		}
	})
}

// TestForeign tests that the output of a program without locks is in the file or in a backup, whether the program
// replaces the file or truncates and writes it.
func TestForeign(t *testing.T) {
	ways := map[string]func(path, text string) error{
		"rename": func(path, text string) error {
			other := filepath.Join(t.TempDir(), "other")
			return errors.Join(os.WriteFile(other, []byte(text), 0o666), os.Rename(other, path))
		},
		"write": func(path, text string) error { return os.WriteFile(path, []byte(text), 0o666) },
	}
	withAndWithout(t, func(t *testing.T) {
		for name, way := range ways {
			for round := range 8 {
				dir := t.TempDir()
				path := filepath.Join(dir, "x.map")
				if err := put(dir, "x.map=0"); err != nil {
					t.Fatal(err)
				}
				var group sync.WaitGroup
				group.Go(func() {
					for n := range 8 {
						_ = add(path, 1+n) // fails if the other program wrote in between
					}
				})
				group.Go(func() {
					time.Sleep(rand.N(4 * time.Millisecond))
					err := way(path, "1000")
					for onWindows && errors.Is(err, fs.ErrPermission) { // file is open: report an error, and try again
						err = way(path, "1000")
					}
					if err != nil {
						t.Error(err)
					}
				})
				group.Wait()
				if got := numbersIn(t, dir); !got[1000] {
					t.Fatalf("%s, round %d: what it wrote is lost", name, round)
				}
			}
		}
	})
}

// TestBetween tests that a file which another program wrote between the last check and the exchange is kept and
// reported.
func TestBetween(t *testing.T) {
	for _, held := range []bool{true, false} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.map")
		if err := put(dir, "x.map=0", "other=7 of another"); err != nil {
			t.Fatal(err)
		}
		opts := Options{Replace: true}
		if held {
			h, err := Hold(context.Background(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Release()
			opts.Held, opts.Backup = h, path+".old"
		}
		o, err := New(path, opts)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Discard()
		write(t, o, "", "new")
		Step = func() {
			if o.work != nil {
				if _, err := os.Lstat(o.work.path(movesLog)); err == nil {
					_ = os.Rename(filepath.Join(dir, "other"), path)
				}
			}
		}
		err = o.Commit()
		Step = func() {}
		kept, changed := o.Kept()
		if err != nil || !changed || len(kept) != 1 {
			t.Fatalf("held %v: kept %q, changed %v: %v", held, kept, changed, err)
		}
		if text, err := os.ReadFile(kept[0]); string(text) != "7 of another" || held != (kept[0] == path+".old") {
			t.Errorf("%s has %s, %v", kept[0], text, err)
		}
		if text, _ := os.ReadFile(path); string(text) != "new" {
			t.Errorf("the file has %s", text)
		}
	}
}

// TestMeanwhile tests that a file which another program has written since it was read is not replaced.
func TestMeanwhile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.map")
	if err := put(dir, "x.map=0"); err != nil {
		t.Fatal(err)
	}
	h, err := Hold(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	if err := put(dir, "x.map=of another"); err != nil {
		t.Fatal(err)
	}
	var kept *KeptError
	if err := writeOne(path, Options{Replace: true, Held: h, Backup: path + ".old"}, "new"); !errors.As(err, &kept) {
		t.Error(err)
	}
	h.Release()
	if got := files(t, dir); got != "x.map=of another;" {
		t.Errorf("files %s", got)
	}
}

// TestKeptHeld tests that only one run writes a folder that has its name from the start.
func TestKeptHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "world")
	kept := func() (*Output, error) {
		o, err := Resume(path, Options{})
		if err == nil {
			_, err = o.KeptDir()
		}
		return o, err
	}
	for range 2 { // a lock ends with Commit, and with Discard
		one, err := kept()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kept(); err == nil || !strings.Contains(err.Error(), "another run writes to this folder") {
			t.Fatalf("the folder of another run: %v", err)
		}
		if err := one.Commit(); err != nil {
			t.Fatal(err)
		}
		if one, err = kept(); err != nil {
			t.Fatal(err)
		}
		one.Discard()
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) > 0 {
		t.Errorf("left behind: %v", list)
	}
}

// TestIntoMeanwhile tests that the files of two runs are not mixed in a folder that was empty when both began.
func TestIntoMeanwhile(t *testing.T) {
	dir := t.TempDir()
	var outs []*Output
	for i := range 2 {
		o, err := Into(dir, Options{})
		if i > 0 && errors.Is(err, fs.ErrExist) {
			outs[0].Discard()
			t.Skip("a second run cannot begin here")
		} else if err != nil {
			t.Fatal(err)
		}
		at, err := o.Dir()
		if err == nil {
			err = os.WriteFile(filepath.Join(at, strconv.Itoa(i)), nil, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		outs = append(outs, o)
	}
	if err := outs[0].Commit(); err != nil {
		t.Fatal(err)
	}
	if err := outs[1].Commit(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("files into those of another run: %v", err)
	}
	outs[1].Discard()
	if got := files(t, dir); got != "0=;" {
		t.Errorf("files %s", got)
	}
}
