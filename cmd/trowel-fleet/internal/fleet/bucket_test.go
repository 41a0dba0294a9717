package fleet

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/internal/testing/judge"
	"trowel.example/teeworlds/twmap"
)

// TestBucket tests that with files and results in a bucket, workers give the same output as one process, and
// that they access only the permitted folders of the bucket.
func TestBucket(t *testing.T) {
	address := judge.Postgres(t)
	url := judge.S3(t, "archive")
	name, settings, _ := strings.Cut(url, "?")
	b := (&base{address: address}).bench(t)
	maps, err := bucket.Open(t.Context(), name+"/maps?"+settings)
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	for i := range 30 {
		m := twmap.New(10+i, 10)
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if i%7 == 3 {
			data = data[:len(data)-i]
		}
		if err := maps.Put(t.Context(), fmt.Sprintf("in/%02d.map", i),
			func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
			t.Fatal(err)
		}
	}
	roots := []string{"--root", b.dir, "--root", name + "/maps?" + settings, "--root", name + "/results?" + settings}
	first := b.worker(roots...)
	submit := func(args ...string) string {
		return strings.TrimSpace(b.must(0, "submit", append([]string{"--results", name + "/results?" + settings}, args...)...).out)
	}
	for _, args := range [][]string{{"check", "--json", name + "/maps/in?" + settings}, {"find", name + "/maps?" + settings, "--", "layer"}} {
		id := submit(args...)
		b.finish(id, args...)
		results, err := bucket.Open(t.Context(), name+"/results/"+id+"?"+settings)
		if err != nil {
			t.Fatal(err)
		}
		if has, err := results.Has(t.Context(), "plan.json"); !has || err != nil {
			t.Errorf("nothing of %s is in the bucket: %v", id, err)
		}
		results.Close()
	}
	// Tables in the bucket stay and are updated.
	for _, want := range []string{" rebuilt", " 0 rebuilt"} {
		id := submit("--again", "census", name+"/maps/in/00.map?"+settings, "-o", name+"/results/tables?"+settings)
		b.jobs("wait", id)
		if s := b.jobs("results", id); s.code != 0 || !strings.Contains(s.err, want) ||
			!strings.Contains(s.err, "s3://archive/results/tables: ") || strings.Contains(s.err, "endpoint") {
			t.Error(s)
		}
	}
	if s := b.run("census", name+"/maps/in/00.map?"+settings, "-o", name+"/results/tables?"+settings); !strings.Contains(s.err, " 0 rebuilt") {
		t.Error(s)
	}
	// A file outside of the roots cannot be read.
	id := submit("check", name+"/mapsandmore?"+settings)
	if s := b.jobs("wait", id); s.code == 0 || strings.Contains(s.err, "results") && strings.Contains(s.out, "mapsandmore/") {
		t.Error(s)
	}
	if s := b.jobs("results", id); !strings.Contains(s.err, "outside the folders") {
		t.Error(s)
	}
	// Of very many parts the files of tables are in their final place in the bucket.
	first.end(os.Interrupt)
	b.env = append(b.env, envMany+"=-1")
	b.worker(roots...)
	words := []string{"census", name + "/maps/in/00.map?" + settings, "-o"}
	id = submit(append(words, "tables")...)
	b.must(0, "wait", id)
	b.must(0, "results", id, "-o", "tables")
	if s := b.run(append(words, "one")...); s.code != 0 {
		t.Error(s)
	}
	b.same("one", "tables")
	more := append(words, name+"/results/more?"+settings)
	b.must(0, "wait", submit(more...))
	if s := b.run(more...); !strings.Contains(s.err, " 0 rebuilt") {
		t.Error(s)
	}
}
