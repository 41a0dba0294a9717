package work_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trowel.example/cmd/internal/work"
	"trowel.example/fault"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/testing/judge"
)

// pages is a work whose parts store a file each, unless there are few.
type pages struct {
	squares
	*work.Files
	edition string // changes the files
	got     []string
}

// page is a record: a text, or the file that has it.
type page struct {
	Text string
	File work.Ref
}

func (p page) Refers() (work.Ref, bool) { return p.File, p.File.Size > 0 }

// pagesWork hides the methods of squares with other records.
type pagesWork struct{ *pages }

func (p pagesWork) Split(ctx context.Context, fine bool, yield func(work.Part) error) error {
	return p.squares.Split(ctx, fine, yield)
}

func (p pagesWork) Do(ctx context.Context, part work.Part, put func(page) error) error {
	text := "page " + part.Name + p.edition
	if !part.Apart {
		return put(page{Text: text})
	}
	ref := work.RefOf([]byte(text))
	if err := p.Put(ctx, ref, strings.NewReader(text)); err != nil {
		return err
	}
	if part.Name == p.fail {
		return errFail
	}
	return put(page{File: ref})
}

func (p pagesWork) Take(ctx context.Context, _ work.Part, r page) error {
	if r.File.Size > 0 {
		data, err := p.Read(ctx, r.File, 100)
		if err != nil {
			return err
		}
		r.Text = string(data)
	}
	p.got = append(p.got, r.Text)
	return nil
}

// TestPlaced tests that the output is the same whether files are in the records or in their final place; that files of
// workers that were killed, or came second with other content, neither count nor stay; that nothing else is removed; and
// that a file that is missing or damaged is an error.
func TestPlaced(t *testing.T) {
	wholefile.SkipFlush(true)
	defer wholefile.SkipFlush(false)
	ctx := t.Context()
	run := func(many int) (string, work.Folder, *work.Plan) {
		store := work.Folder(filepath.Join(t.TempDir(), "w"))
		w := pagesWork{&pages{squares: squares{parts: 300}, Files: &work.Files{Store: store}}}
		plan, err := work.Begin(ctx, work.Of(w), work.Plan{Args: []string{"pages"}, Many: many}, store)
		if err != nil {
			t.Fatal(err)
		}
		killed := pagesWork{&pages{squares: squares{fail: "007"}, Files: w.Files, edition: " by a worker that is killed"}}
		if err := work.Of(killed).Do(ctx, plan.Parts[7], io.Discard); many < 300 && !errors.Is(err, errFail) {
			t.Fatal(err)
		}
		for _, p := range plan.Parts {
			for _, edition := range []string{"", " by the second"} {
				w.edition = edition
				if err := store.Add(ctx, work.ResultName(p), func(to io.Writer) error { return work.Of(w).Do(ctx, p, to) }); err != nil {
					t.Fatal(err)
				}
			}
		}
		// A worker that comes late does a part whose result exists.
		if err := work.Of(w).Do(ctx, plan.Parts[9], io.Discard); err != nil {
			t.Fatal(err)
		}
		want := work.Left{}
		if many < 300 {
			want = work.Left{Files: 2, Bytes: int64(len("page 007 by a worker that is killed") + len("page 009 by the second"))}
		}
		for range 2 { // two merges
			w.got = nil
			if left, err := work.Finish(ctx, work.Of(w), plan, store); err != nil || left != want {
				t.Errorf("%d: %v, %v", many, left, err)
			}
			want = work.Left{}
		}
		return strings.Join(w.got, "\n"), store, plan
	}
	few, _, _ := run(300)
	many, store, plan := run(299)
	if few != many || strings.Count(few, "\n") != 299 {
		t.Errorf("%d and %d bytes", len(few), len(many))
	}
	// 300 results and files are in subfolders.
	for _, folder := range []string{"parts", "files"} {
		if list, err := os.ReadDir(filepath.Join(string(store), folder)); err != nil || len(list) < 100 || !list[0].IsDir() {
			t.Errorf("%s: %d, %v", folder, len(list), err)
		}
	}
	again := func() (work.Left, error) {
		return work.Finish(ctx, work.Of(pagesWork{&pages{Files: &work.Files{Store: store}}}), plan, store)
	}
	// Files of others stay.
	mine := []string{"files/note", "files/aa/" + strings.Repeat("0", 64), "files/00/" + strings.Repeat("A", 64), "mine"}
	for _, name := range mine {
		path := filepath.Join(string(store), name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := again(); left.Files > 0 || err != nil {
		t.Error(left, err)
	}
	for _, name := range mine {
		if _, err := os.Stat(filepath.Join(string(store), name)); err != nil {
			t.Error(err)
		}
	}
	one := filepath.Join(string(store), work.RefOf([]byte("page 011")).Name())
	for what, do := range map[string]func() error{
		"damaged": func() error { return os.WriteFile(one, []byte("page 012"), 0o666) },
		"longer":  func() error { return os.WriteFile(one, []byte("page 011."), 0o666) },
		"cut":     func() error { return os.WriteFile(one, []byte("page"), 0o666) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if _, err := again(); !errors.Is(err, fault.ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := os.Remove(one); err != nil {
		t.Fatal(err)
	}
	if _, err := again(); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	// A merge that does not read the file finds that it is missing, and in which part.
	_, err := work.Finish(ctx, work.Of(&blind{}), plan, store)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "part number 11 ") {
		t.Error(err)
	}
}

// slow is a store that opens no file before several are requested.
type slow struct {
	work.Store
	requests atomic.Int32
	enough   chan struct{}
}

func (s *slow) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if strings.HasPrefix(name, "files/") {
		if s.requests.Add(1) == 8 {
			close(s.enough)
		}
		select {
		case <-s.enough:
		case <-time.After(time.Minute):
			return nil, errors.New("no other file is requested")
		}
	}
	return s.Store.Open(ctx, name)
}

// TestEarly tests that files of a slow store are read several at the same time, in order, and that errors are those of a fast one.
func TestEarly(t *testing.T) {
	wholefile.SkipFlush(true)
	defer wholefile.SkipFlush(false)
	ctx, folder := t.Context(), work.Folder(filepath.Join(t.TempDir(), "w"))
	files := &work.Files{Store: folder}
	w := pagesWork{&pages{squares: squares{parts: 50}, Files: files}}
	plan, err := work.Begin(ctx, work.Of(w), work.Plan{Args: []string{"pages"}, Many: 1}, folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plan.Parts {
		if err := folder.Add(ctx, work.ResultName(p), func(to io.Writer) error { return work.Of(w).Do(ctx, p, to) }); err != nil {
			t.Fatal(err)
		}
	}
	merge := func(store work.Store) (string, error) {
		w := pagesWork{&pages{Files: &work.Files{Store: store}}}
		_, err := work.Finish(ctx, work.Of(w), plan, store)
		return strings.Join(w.got, "\n"), err
	}
	for _, what := range []string{"", "changed", "missing"} {
		one := filepath.Join(string(folder), work.RefOf([]byte("page 011")).Name())
		switch what {
		case "changed":
			err = os.WriteFile(one, []byte("page 012"), 0o666)
		case "missing":
			err = os.Remove(one)
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := merge(folder)
		got, err2 := merge(&work.Early{Store: &slow{Store: folder, enough: make(chan struct{})}})
		if got != want || fmt.Sprint(err) != fmt.Sprint(err2) || (err == nil) != (what == "") || len(got) < 80 {
			t.Errorf("%s: %q, %v\nexpected %q, %v", what, got, err2, want, err)
		}
	}
}

// blind takes pages without reading them.
type blind struct{ work.Verb[page] }

func (*blind) Take(context.Context, work.Part, page) error { return nil }

// TestSweep tests that incomplete files are removed, in subfolders, too, unless they are new.
func TestSweep(t *testing.T) {
	f := work.Folder(t.TempDir())
	names := []string{"parts/.a.1" + wholefile.Suffix, "parts/00/.b.2" + wholefile.Suffix, "files/00/.c.3" + wholefile.Suffix,
		"parts/d" + wholefile.Suffix, "other/.e.4" + wholefile.Suffix}
	for _, name := range names {
		path := filepath.Join(string(f), name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for i, when := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(time.Hour)} {
		f.Sweep(when)
		for n, name := range names {
			_, err := os.Stat(filepath.Join(string(f), name))
			if gone := errors.Is(err, fs.ErrNotExist); gone != (i == 1 && n < 3) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestPlan tests that a plan that was cut off or changed is an error, and never yields less than all parts without one.
func TestPlan(t *testing.T) {
	ctx, store := t.Context(), work.Folder(t.TempDir())
	plan := work.Plan{Version: "v", Dir: "/d", Args: []string{"a", "]"}}
	if _, err := work.Begin(ctx, work.Of(&squares{parts: 20}), plan, store); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(string(store), work.PlanName)
	whole := judge.Read(t, path)
	read := func(data []byte) (n int, err error) {
		judge.Write(t, path, data)
		there, err := work.Open(ctx, plan, store)
		if err != nil {
			return 0, err
		}
		for _, err := range there.All(ctx) {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	if n, err := read(whole); n != 20 || err != nil {
		t.Fatal(n, err)
	}
	for n := range bytes.TrimSuffix(whole, []byte("}\n")) {
		if got, err := read(whole[:n]); !errors.Is(err, fault.ErrFormat) {
			t.Fatalf("%d bytes: %d parts, %v", n, got, err)
		}
	}
	for old, to := range map[string]string{`"000"`: `"../x"`, `"v"`: `7`, `"parts":[`: `"parts":{`, `{"name":"003"`: `[{"name":"003"`} {
		if _, err := read(bytes.Replace(whole, []byte(old), []byte(to), 1)); !errors.Is(err, fault.ErrFormat) {
			t.Errorf("%s: %v", to, err)
		}
	}
	if _, err := read(bytes.Replace(whole, []byte(`"v"`), []byte(`"w"`), 1)); !errors.Is(err, work.ErrOther) {
		t.Error(err)
	}
	for _, part := range []string{"000", "019"} {
		if err := store.Add(ctx, "parts/"+part, func(w io.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := read(whole); err != nil {
		t.Fatal(err)
	}
	there, err := work.Open(ctx, plan, store)
	if err != nil {
		t.Fatal(err)
	}
	var lack []string
	all, err := work.Missing(ctx, there, func(i int, p work.Part) { lack = append(lack, fmt.Sprint(i, ": ", p.Name)) })
	if all != 20 || err != nil || len(lack) != 18 || lack[0] != "1: 001" {
		t.Error(all, err, lack)
	}
}
