package census_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"trowel.example/cmd/internal/work"
	"trowel.example/cmd/trowel-fleet/internal/census"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
)

// BenchmarkFinish merges the results of many partitions of a world, of which workers have stored the files of five tables, into a
// dataset whose files are adopted. The metric is the memory that the runtime of Go has at most.
func BenchmarkFinish(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				benchmarkFinish(b, n)
			}
		})
	}
}

func benchmarkFinish(b *testing.B, n int) {
	wholefile.SkipFlush(true)
	defer wholefile.SkipFlush(false)
	var tables []*format.Table
	for i := range 5 {
		tables = append(tables, &format.Table{Name: fmt.Sprint("table_", i), Title: "things", Columns: items.Columns})
	}
	var most atomic.Uint64
	end := make(chan struct{})
	defer close(end)
	go func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapInuse+m.StackInuse))
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	ctx, dir := b.Context(), filepath.Join(b.TempDir(), "out")
	store, err := census.OpenFolder(ctx, dir, false)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	var temp census.Temp
	defer temp.Close()
	d := &census.Dataset{Temp: &temp, Program: "test", Tables: tables, Say: func(census.Note) {}, Brief: true,
		Files: new(work.Files), Adopt: func(string, work.Ref) error { return nil }, With: func(string) bool { return true }}
	if err := errors.Join(d.Load(ctx, store), d.Begin(ctx)); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		p := work.Part{Name: fmt.Sprintf("a_world-0123456789-%06d", i), File: "worlds/a world", Shard: format.Shard(fmt.Sprint(i))}
		files := []census.File{census.NewFile(p.File, false)}
		state := &census.State{Key: fmt.Sprintf("%032d", i), Shard: p.Shard, Files: files, Tables: make(map[string]census.Content)}
		p.Data, _ = json.Marshal(census.Task{Files: files, Key: state.Key})
		for j, t := range tables {
			ref := work.RefOf(fmt.Append(nil, i, j))
			state.Tables[t.Name] = census.Content{Rows: 9, Size: ref.Size, SHA256: fmt.Sprintf("%x", ref.SHA256)}
			if err := d.Take(ctx, p, census.Record{Table: t.Name, File: ref}); err != nil {
				b.Fatal(err)
			}
		}
		if err := d.Take(ctx, p, census.Record{State: state}); err != nil {
			b.Fatal(err)
		}
	}
	if err := d.Finish(ctx); err != nil {
		b.Fatal(err)
	}
	if _, err := d.Earlier(ctx); err != nil || d.Made != n {
		b.Fatal(d.Made, err)
	}
	b.ReportMetric(float64(most.Load())/1e6, "MB")
}
