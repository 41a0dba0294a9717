package census

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/verbs"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
)

// censusInParts does the parts in any order, each twice, in separate runs that then merge the results, as
// workers do: "kept" is an output that stays, "merged" is a new one. More than many parts are very many. It returns the
// parts in which nothing had changed.
func censusInParts(t *testing.T, want int, results string, many int, words ...string) (same []string) {
	t.Helper()
	store := work.Folder(results)
	files := &work.Files{Store: store}
	var part *work.Part
	adopted := make(map[string]work.Ref)
	perform := func(do func(context.Context, work.Work) error) int {
		return verbs.Perform(t.Context(), verbs.Call{Games: censusToys, More: []verbs.Added{Verbs(writeTables, nil)},
			Args:  append([]string{"census"}, words...),
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Handover: service.Handover{
				Work:   do,
				Part:   part,
				Files:  files,
				Adopt:  func(name string, ref work.Ref) error { adopted[name] = ref; return nil },
				Output: func(string) string { return "merged" },
				Kept:   func(name string) string { return map[string]string{"kept": "place"}[name] }}})
	}
	var plan *work.Plan
	perform(func(ctx context.Context, w work.Work) (err error) {
		if plan, err = work.Begin(ctx, w, work.Plan{Many: many}, store); err != nil {
			t.Fatal(err)
		}
		return service.ErrPart
	})
	before := func() map[string]string {
		all := make(map[string]string)
		for _, dir := range []string{"place", "merged"} {
			if _, err := os.Lstat(dir); err == nil {
				for name, text := range snapshot(t, dir) {
					all[dir+"/"+name] = text
				}
			}
		}
		return all
	}
	was := before()
	for range 2 {
		for _, i := range rand.Perm(len(plan.Parts)) {
			p := plan.Parts[i]
			part = &p
			if code := perform(func(ctx context.Context, w work.Work) error {
				if err := store.Put(ctx, work.ResultName(p), func(to io.Writer) error { return w.Do(ctx, p, to) }); err != nil {
					t.Error(err)
				}
				return service.ErrPart
			}); code != 0 {
				t.Fatal(code)
			}
		}
	}
	if diff := cmp.Diff(was, before()); diff != "" {
		t.Error("written before all is merged: ", diff)
	}
	part = nil
	for range 2 { // as if the first worker had been killed before reporting success
		if code := perform(func(ctx context.Context, w work.Work) error {
			_, err := work.Finish(ctx, w, plan, store)
			return err
		}); code != want {
			t.Fatal(code)
		}
	}
	for name, ref := range adopted {
		data, err := files.Read(t.Context(), ref, 1<<20)
		name = filepath.Join("merged", filepath.FromSlash(name))
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := work.Finish(t.Context(), work.Of(&unchanged{names: &same}), plan, store); err != nil {
		t.Fatal(err)
	}
	return same
}

// unchanged records the parts in which nothing had changed.
type unchanged struct {
	work.Verb[Record]
	names *[]string
}

func (u *unchanged) Take(_ context.Context, p work.Part, r Record) error {
	if r.Same {
		*u.names = append(*u.names, p.Name)
	}
	return nil
}

// TestCensusSince tests that only files without stored rows are left out if they have not changed since a time.
func TestCensusSince(t *testing.T) {
	t.Chdir(t.TempDir())
	toyFiles(t, map[string]string{"a.rack": "1 car 5\n2 doll 7\n3 block 9\n",
		"old": "1 car 5\n2 doll 8\n3 block 9\n5 gone\n", "x.list": "7 train"})
	two, train := "a.rack 2 doll 7", "x.list 7 train <null>"
	all := []string{"a.rack 1 car 5", two, "a.rack 3 block 9", train}
	tally := func(want string, args ...string) {
		t.Helper()
		if told := censusOf(t, 0, append([]string{"a.rack", "x.list"}, args...)...); !strings.Contains(told, want) {
			t.Errorf("%q: %s, want %q", args, told, want)
		}
	}
	tally("of 4 parts 2 rebuilt", "--then", "old", "-o", "some")
	wantRows(t, "some", two, train)
	if data, _ := os.ReadFile("some/census.json"); strings.Count(string(data), `: "a.rack"`) != 2 {
		t.Errorf("who was left out is not said: %s", data)
	}
	tally("skipped 2 parts", "--then", "old", "-o", "some")
	if names := changed(t, "some", func() { censusOf(t, 0, "a.rack", "x.list", "--then", "old", "-o", "some") }); len(names) > 0 {
		t.Errorf("written: %v", names)
	}
	// Later changes are added, and existing partitions are updated.
	toyFiles(t, map[string]string{"a.rack": "1 car 6\n2 doll 9\n3 block 9\n"})
	tally("skipped 1 part ", "--then", "old", "-o", "some")
	wantRows(t, "some", "a.rack 1 car 6", "a.rack 2 doll 9", train)
	toyFiles(t, map[string]string{"a.rack": "1 car 5\n2 doll 7\n3 block 9\n"})
	tally("skipped 1 part ", "--then", "old", "-o", "some")
	wantRows(t, "some", "a.rack 1 car 5", two, train)
	// A run without the option makes everything. Then nothing is left out any more, because that would leave a
	// gap.
	tally("of 4 parts 1 rebuilt", "-o", "some")
	wantRows(t, "some", all...)
	tally("of 4 parts 0 rebuilt", "--then", "old", "-o", "some")
	censusOf(t, 0, "a.rack", "x.list", "-o", "whole")
	if diff := cmp.Diff(snapshot(t, "whole"), snapshot(t, "some")); diff != "" {
		t.Error(diff)
	}
	toyFiles(t, map[string]string{"a.rack": "1 car 5\n2 doll 8\n3 block 10\n4 new 1\n", "old": "3 block 10\n4 new 1\n"})
	tally("of 5 parts 3 rebuilt", "--then", "old", "-o", "some")
	wantRows(t, "some", "a.rack 1 car 5", "a.rack 2 doll 8", "a.rack 3 block 10", "a.rack 4 new 1", train)
	// Workers give the same result.
	toyFiles(t, map[string]string{"a.rack": "1 car 5\n2 doll 7\n3 block 9\n", "old": "1 car 5\n2 doll 8\n3 block 9\n5 gone\n"})
	censusOf(t, 0, "a.rack", "x.list", "--then", "old", "-o", "new")
	censusInParts(t, 0, "results", -1, "a.rack", "x.list", "--then", "old", "-o", "elsewhere")
	if diff := cmp.Diff(snapshot(t, "new"), snapshot(t, "merged")); diff != "" {
		t.Error(diff)
	}
	// A removed file is not listed as left out.
	if err := os.Remove("a.rack"); err != nil {
		t.Fatal(err)
	}
	toyFiles(t, map[string]string{"b.rack": "2 doll 7\n"})
	censusOf(t, 0, "b.rack", "--then", "old", "-o", "new", "--prune")
	if told, _, _ := runCensus(t, "b.rack", "-o", "new", "--json"); !strings.Contains(told, `"left":0`) {
		t.Error(told)
	}
	if told := censusOf(t, 2, "b.rack", "--then", "none", "-o", "new"); !strings.Contains(told, "none: no such file") {
		t.Error(told)
	}
}

// TestCensusParts tests that the dataset does not depend on the order and number of times in which parts are
// done.
func TestCensusParts(t *testing.T) {
	t.Chdir(t.TempDir())
	toyFiles(t, someToys)
	toyFiles(t, map[string]string{"in/s.rack": "1 a\nx lost\n"})
	censusOf(t, 1, "in", "-o", "out")
	censusInParts(t, 1, "results", 0, "in", "-o", "elsewhere")
	if diff := cmp.Diff(snapshot(t, "out"), snapshot(t, "merged")); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Lstat("elsewhere"); err == nil {
		t.Error("written where nobody asked for it")
	}
}

// TestCensusKept tests that workers make only the changes of an existing dataset, and that the result is the
// same as that of one process, for any changes of the files.
func TestCensusKept(t *testing.T) {
	inBuckets(t)
	t.Chdir(t.TempDir())
	toyFiles(t, someToys)
	together := sameBucket(3)
	toyFiles(t, map[string]string{together[0]: "1 one", together[1]: "1 two", together[2]: "1 three"})
	steps := []struct {
		files map[string]string // "" removes the file
		words []string
		same  []string
		code  int
	}{
		{words: []string{"in"}},
		{words: []string{"in"}, same: []string{"in/a.rack 1", "in/a.rack 2", "in/a.rack 3", "in/b.rack 1", together[0],
			"in/x.list", "in/y.list"}},
		{words: []string{"in"}, files: map[string]string{"in/a.rack": "1 car 5\n1 ball\n2 doll 8\n", "in/x.list": "7 tram 7",
			together[1]: ""}, same: []string{"in/a.rack 1", "in/b.rack 1", "in/y.list"}},
		{words: []string{"in/b.rack", "--prune"}, same: []string{"in/b.rack 1"}},
		{words: []string{"in"}, same: []string{"in/b.rack 1"}},
		{words: []string{"in"}, files: map[string]string{"in/b.rack": "1 fails"}, code: 2,
			same: []string{"in/a.rack 1", "in/a.rack 2", together[0], "in/x.list", "in/y.list"}},
	}
	for i, step := range steps {
		for name, text := range step.files {
			if toyFiles(t, map[string]string{name: text}); text == "" {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
		}
		censusOf(t, step.code, append([]string{"-o", "out"}, step.words...)...)
		same := censusInParts(t, step.code, fmt.Sprint("results", i), -(i % 2), append([]string{"-o", "kept"}, step.words...)...)
		var want []string
		for _, name := range step.same {
			if file, shard, ok := strings.Cut(name, " "); ok {
				want = append(want, shardName(file, format.Shard(shard)))
			} else {
				want = append(want, bucket(file))
			}
		}
		slices.Sort(same)
		slices.Sort(want)
		if diff := cmp.Diff(slices.Compact(want), same); diff != "" {
			t.Errorf("step %d: unchanged: %s", i, diff)
		}
		if diff := cmp.Diff(snapshot(t, "out"), snapshot(t, "place")); diff != "" {
			t.Errorf("step %d: %s", i, diff)
		}
	}
	if _, err := os.Lstat("merged"); err == nil {
		t.Error("written where nothing is kept")
	}
}
