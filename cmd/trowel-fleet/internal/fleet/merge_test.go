package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/testing/tests"
)

// album is a work of any number of parts. Each has three records and a file of 1 KB in its final place.
type album struct {
	parts int
	files *work.Files
	adopt func(name string, ref work.Ref) error
	taken int
}

type picture struct {
	Text string
	File work.Ref
}

func (p picture) Refers() (work.Ref, bool) { return p.File, p.File.Size > 0 }

func (a *album) Split(_ context.Context, _ bool, yield func(work.Part) error) error {
	for i := range a.parts {
		if err := yield(work.Part{Name: fmt.Sprintf("%06d", i), File: fmt.Sprintf("a folder/of files/%d", i)}); err != nil {
			return err
		}
	}
	return nil
}

func (a *album) Do(ctx context.Context, p work.Part, put func(picture) error) error {
	text := strings.Repeat(p.Name, 170)
	ref := work.RefOf([]byte(text))
	err := a.files.Put(ctx, ref, strings.NewReader(text))
	for i := range 2 {
		if err == nil {
			err = put(picture{Text: strconv.Itoa(i)})
		}
	}
	if err == nil {
		err = put(picture{File: ref})
	}
	return err
}

func (a *album) Take(_ context.Context, p work.Part, r picture) error {
	a.taken++
	if r.File.Size > 0 {
		return a.adopt(p.Name, r.File)
	}
	return nil
}

// BenchmarkMerge merges a work of many parts as the process of a worker does: it reads all results, writes the index of the
// files in their final place, and looks for files that nothing names. The metrics are the parts a second, and the memory that
// the runtime of Go has at most; the latter should not grow with the parts.
func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkMerge(b, n) })
	}
}

func benchmarkMerge(b *testing.B, n int) {
	wholefile.SkipFlush(true)
	defer wholefile.SkipFlush(false)
	ctx, dir := b.Context(), b.TempDir()
	store := work.Folder(filepath.Join(dir, "w"))
	a := &album{parts: n, files: &work.Files{Store: store}}
	plan := work.Plan{Args: []string{"album"}, Many: 1}
	begun, err := work.Begin(ctx, work.Of(a), plan, store)
	if err != nil {
		b.Fatal(err)
	}
	parallel.Each(n, func(i int) {
		p := begun.Parts[i]
		if err := store.Add(ctx, work.ResultName(p), func(to io.Writer) error { return work.Of(a).Do(ctx, p, to) }); err != nil {
			b.Error(err)
		}
	})
	begun = nil
	runtime.GC()
	var most uint64
	var mu sync.Mutex
	end := make(chan struct{})
	go func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			mu.Lock()
			most = max(most, m.HeapInuse+m.StackInuse)
			mu.Unlock()
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	for b.Loop() {
		o := &order{Plan: plan, Store: string(store), Output: filepath.Join(dir, "out")}
		m, err := o.merging(ctx)
		if err != nil {
			b.Fatal(err)
		}
		a.taken, a.adopt = 0, m.adopt
		if err := errors.Join(m.merge(ctx, work.Of(a)), m.close()); err != nil || a.taken != 3*n {
			b.Fatal(a.taken, err)
		}
	}
	close(end)
	mu.Lock()
	defer mu.Unlock()
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "parts/s")
	b.ReportMetric(float64(most)/1e6, "MB")
}

// placedRuns are works whose parts write files.
var placedRuns = [][]string{{"census", "in", "hollow", "-o", "out"},
	{"render", "hollow", "--tiles", "out", "--view", "top", "--scale", "32"}}

// fill makes a world, and maps.
func (b *bench) fill() {
	b.t.Helper()
	for i := range 5 {
		b.makeMap(fmt.Sprintf("in/%d.map", i), 10+i)
	}
	samples, err := filepath.Abs("../../../../samples")
	if err != nil {
		b.t.Fatal(err)
	}
	if s := b.run("pack", "-q", filepath.Join(samples, "hollow"), "-o", "hollow"); s.code != 0 {
		b.t.Fatal(s.err)
	}
}

// rubbish stores a file that no result names, and a file of a user, where workers store those of a work.
func (b *bench) rubbish(results string) (mine string) {
	b.t.Helper()
	store := work.Folder(results)
	text := "of a worker that was killed"
	ref := work.RefOf([]byte(text))
	mine = filepath.Join(results, "files", "mine.png")
	if err := (&work.Files{Store: store}).Put(b.t.Context(), ref, strings.NewReader(text)); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(mine, nil, 0o666); err != nil {
		b.t.Fatal(err)
	}
	return mine
}

// same requires the files of one folder in the other one, except those that record when a run was.
func (b *bench) same(one, two string) {
	b.t.Helper()
	made := func(name string) bool { return strings.HasPrefix(name, "runs/") || strings.HasPrefix(name, "kept/") }
	list := slices.DeleteFunc(filesOf(b.t, b.path(one)), made)
	for _, name := range list {
		want, err := os.ReadFile(b.path(one + "/" + name))
		if err != nil {
			b.t.Fatal(err)
		}
		if got, err := os.ReadFile(b.path(two + "/" + name)); err != nil || string(want) != string(got) {
			b.t.Errorf("%s differs: %v", name, err)
		}
	}
	if other := slices.DeleteFunc(filesOf(b.t, b.path(two)), made); len(list) != len(other) {
		b.t.Errorf("%d and %d files", len(list), len(other))
	}
}

// TestPlacedIndexed tests that workers without a queue that store files in their final place give the output of one process;
// that what killed workers left is reported and removed, and nothing else; and that two merges at once do no harm.
func TestPlacedIndexed(t *testing.T) {
	tests.LongOnly(t, "starts many processes")
	b := offline(t)
	b.env = append(b.env, envMany+"=-1")
	b.fill()
	for i, words := range placedRuns {
		results := fmt.Sprintf("results%d", i)
		out := b.path("out")
		if s := b.run(words...); s.code != 0 {
			t.Fatal(s.err)
		}
		if err := os.Rename(out, b.path(fmt.Sprint("one", i))); err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{"0/2", "1/2", "0/2"} {
			if s := b.run(append([]string{"worker", "--part", n, "--results", results}, words...)...); s.code != 0 {
				t.Fatal(s.err)
			}
		}
		works, err := filepath.Glob(b.path(results + "/*"))
		if err != nil || len(works) != 1 {
			t.Fatal(works, err)
		}
		mine := b.rubbish(works[0])
		merge := append([]string{"jobs", "merge", "--results", results}, words...)
		s := b.run(merge...)
		if s.code != 0 || !strings.Contains(s.err, "removed 1 file, 0.0 MB, that killed workers have left") {
			t.Errorf("%d\n%s", s.code, s.err)
		}
		if _, err := os.Stat(mine); err != nil {
			t.Error(err)
		}
		b.same(fmt.Sprint("one", i), "out")
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		var ended [2]said
		for i := range ended {
			both.Go(func() { ended[i] = b.run(merge...) })
		}
		both.Wait()
		for _, s := range ended {
			refused := strings.Contains(s.err, "another run") || strings.Contains(s.err, "out: already exists") // the other has ended
			if s.code != 0 && !refused || strings.Contains(s.err, "killed workers") {
				t.Errorf("%d\n%s", s.code, s.err)
			}
		}
		if ended[0].code != 0 && ended[1].code != 0 {
			t.Error("both merges failed")
		}
		b.same(fmt.Sprint("one", i), "out")
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlacedKilled kills workers and merges at random, and tests that the output is that of one process.
func TestPlacedKilled(t *testing.T) {
	tests.LongOnly(t, "kills many processes")
	b := offline(t)
	b.env = append(b.env, envMany+"=-1")
	b.fill()
	for i, words := range [][]string{{"census", "in", "hollow", "-o", "out"}, {"census", "in", "hollow", "-o", "results1/tables"},
		{"render", "hollow", "--view", "top", "--scale", "256", "--tiles", "tiles"}} {
		one, out := fmt.Sprint("one", i), words[len(words)-1]
		if s := b.run(append(slices.Clone(words[:len(words)-1]), one)...); s.code != 0 {
			t.Fatal(s.err)
		}
		kill := func(args ...string) {
			for range 8 {
				cmd := b.command(args...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(rand.N(700 * time.Millisecond))
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
			if s := b.run(args...); s.code != 0 {
				t.Fatal(s.err)
			}
		}
		results := fmt.Sprint("results", i)
		kill(append([]string{"worker", "--part", "0/1", "--results", results}, words...)...)
		kill(append([]string{"jobs", "merge", "--results", results}, words...)...)
		b.same(one, out)
	}
}

// testPlaced does the same with a queue, and tests that a lost file is an error that a repeated part corrects.
func testPlaced(t *testing.T, b *bench) {
	b.env = append(b.env, envMany+"=-1")
	b.fill()
	hold := b.worker("--max", "2")
	for i, words := range placedRuns {
		one := fmt.Sprint("one", i)
		if s := b.run(words...); s.code != 0 {
			t.Fatal(s.err)
		}
		if err := os.Rename(b.path("out"), b.path(one)); err != nil {
			t.Fatal(err)
		}
		id := b.submit(words...)
		b.must(0, "wait", id)
		b.must(0, "results", id, "-o", "out")
		b.same(one, "out")
		data, err := os.ReadFile(b.path("results/" + id + "/" + endName))
		var e ended
		if err := errors.Join(err, json.Unmarshal(data, &e)); err != nil || e.Adopted == 0 {
			t.Errorf("%s: %v: nothing is in its final place", data, err)
		}
		// A file that was lost after the merge is not left out of the output.
		if err := os.RemoveAll(b.path("results/" + id + "/files")); err != nil {
			t.Fatal(err)
		}
		if s := b.must(2, "results", id, "-o", "without"); !strings.Contains(s.err, "files/") {
			t.Error(s)
		}
		if _, err := os.Stat(b.path("without")); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		if err := os.RemoveAll(b.path("out")); err != nil {
			t.Fatal(err)
		}
	}
	// Tables that stay are linked, and are updated.
	for _, want := range []string{" rebuilt", " 0 rebuilt"} {
		id := b.submit("--again", "census", "in", "hollow", "-o", "results/tables")
		b.must(0, "wait", id)
		if s := b.jobs("results", id); !strings.Contains(s.err, want) {
			t.Error(s)
		}
		b.same("one0", "results/tables")
	}
	if strings.Contains(hold.said.String(), "killed workers") {
		t.Errorf("no worker was killed:\n%s", hold.said)
	}
}
