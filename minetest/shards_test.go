package minetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

// badWorld creates a world with blocks of all versions, some of them damaged, at near and far positions, with rows
// that are not blocks.
func badWorld(t *testing.T, r *rand.Rand, c mapdb.Config) *format.Source {
	t.Helper()
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), c, 60+r.IntN(200))
	c.Force = true
	w, err := mapdb.OpenForWriting(t.Context(), dir, c)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []mapdb.Block
	for i := range 150 {
		p := mapdb.Pos{X: int16(r.IntN(80) - 40), Y: int16(r.IntN(4)), Z: int16(r.IntN(80) - 40)}
		if i%4 == 0 {
			far := []int16{mapdb.MinCoord, mapdb.MaxCoord, 0, -1, 15, 16, -16, -17, 1000}
			p = mapdb.Pos{X: far[r.IntN(9)], Y: far[r.IntN(9)], Z: far[r.IntN(9)]}
		}
		data := bytes.Clone(worldtest.Block(i, worldtest.Versions[i%len(worldtest.Versions)]))
		switch r.IntN(4) {
		case 0:
			data = data[:r.IntN(len(data)+1)]
		case 1:
			data[r.IntN(len(data))] ^= byte(1 + r.IntN(255))
		}
		blocks = append(blocks, mapdb.Block{Pos: p, Data: data})
	}
	_, err = mapdb.Load(t.Context(), w, func(yield func(mapdb.Block, error) bool) {
		for _, b := range blocks {
			if !yield(b, nil) {
				return
			}
		}
	})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if c.Backend == mapdb.SQLite {
		conn, err := sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		sql := "INSERT INTO blocks (pos, data) VALUES (NULL, x'1d'), (NULL, x'1d'), ('text', x'1d'), (16777216.5, " +
			"x'1d'), (1e300, x'1d'), (16777219, NULL)"
		if c.Schema == mapdb.SchemaXYZ {
			sql = "INSERT INTO blocks (x, y, z, data) VALUES (NULL, 1, 1, x'1d'), (3, NULL, 2, x'1d'), (15, 1, 99999, " +
				"x'1d'), (15.5, 1, 1, x'1d'), ('text', 1, 1, x'1d'), (500, 9, 9, 'text')"
		} else if r.IntN(2) == 0 { // a table that allows two rows of one block
			sql = "CREATE TABLE other (pos INT, data BLOB); INSERT INTO other SELECT * FROM blocks; INSERT INTO other " +
				"SELECT * FROM blocks WHERE abs(pos) % 3 = 0; DROP TABLE blocks; ALTER TABLE other RENAME TO blocks; " + sql
		}
		if err := errors.Join(sqlitex.ExecuteScript(conn, sql, nil), conn.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return &format.Source{Dir: dir, Path: dir}
}

// told is the messages of a job.
type told struct {
	lines []string
	once  bool // ignore repeated messages
}

func (o *told) add(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if !o.once || !slices.Contains(o.lines, line) {
		o.lines = append(o.lines, line)
	}
}

// job returns a job that adds losses and warnings to o.
func (o *told) job(shard format.Shard) *format.Job {
	return &format.Job{Shard: shard, Reports: format.Reports{
		OnMiss: func(path, message string) { o.add("missed %s", message) },
		OnWarn: func(path, message string) { o.add("warning %s", message) },
	}}
}

func shardsOf(t *testing.T, src *format.Source) (list []format.Shard) {
	t.Helper()
	err := worldFormat(t).Sharding.Split(t.Context(), &format.Job{}, src, func(s format.Shard) error {
		list = append(list, s)
		return nil
	})
	if err != nil || len(list) < 2 || list[0] != format.Shard(mapdb.SlabRest) {
		t.Fatal(list, err)
	}
	return list
}

func showFinding(o *told) check.Sink {
	return func(f check.Finding) {
		at, err := json.Marshal(f.At)
		o.add("%s %s %v", f.Verbose(), at, err)
	}
}

// bothChecks returns the results of a check of a world, and of the checks of its shards together.
func bothChecks(t *testing.T, src *format.Source) (whole, shards told) {
	t.Helper()
	f := worldFormat(t)
	if err := format.Check(t.Context(), f, &format.Job{}, src, showFinding(&whole)); err != nil {
		t.Fatal(err)
	}
	g := format.Gather(f, showFinding(&shards))
	for _, s := range shardsOf(t, src) {
		if err := format.CheckShard(t.Context(), f, &format.Job{Shard: s}, src, g.Put, g.Miss); err != nil {
			t.Fatal(err)
		}
	}
	g.End()
	return whole, shards
}

// finds adds the results of a query of a shard of a world.
func finds(t *testing.T, src *format.Source, shard format.Shard, words []string, hits, notes *told) {
	t.Helper()
	finder := worldFormat(t).Finder
	job := notes.job(shard)
	steps, err := format.ParseSteps(job, finder.Commands, words)
	if err == nil {
		err = finder.Find(t.Context(), job, src, steps[0], func(h format.Hit) error {
			hits.lines = append(hits.lines, fmt.Sprintf("%s %v %v", h.Path, h.At, h.Fields))
			return nil
		})
	}
	if err != nil {
		t.Fatal(words, err)
	}
}

// output is the file that a conversion writes.
type output struct{ *os.File }

func newOutput(t *testing.T) output {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return output{f}
}

func (o output) Create(string) (format.Part, error) { return o.File, nil }
func (o output) Dir() (string, error)               { return "", errors.ErrUnsupported }
func (o output) KeptDir() (string, error)           { return "", errors.ErrUnsupported }

var shardQueries = []string{
	"node *chest*", "unknown-nodes", "metadata *", "sign", "timer", "object", "item *", "item * --in nodes",
	"item * --in players", "player", "storage", "bans", "areas", "players --not-seen 1d",
	"node * --box -100,0,-100:100,20,300", "may-build 0,0,0",
}

// TestShards tests that the messages about a damaged world are those about its shards, one after the other, and that
// its manifest equals that of its pieces.
func TestShards(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for name, config := range worldtest.Backends {
		for seed := range uint64(3) {
			queries := shardQueries[seed*uint64(len(shardQueries))/3 : (seed+1)*uint64(len(shardQueries))/3]
			if !tests.Long(t) && seed != map[string]uint64{"pos": 2, "xyz": 0, "leveldb": 1}[name] {
				continue
			}
			if name == "postgresql" || strings.HasSuffix(name, "redis") {
				if queries = shardQueries; seed > 0 {
					continue
				}
			}
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 14))
				src := badWorld(t, r, config(t))
				if seed == 2 {
					damagePage(t, r, src.Dir)
				}
				sameShards(t, src, queries)
			})
		}
	}
}

// damagePage damages a page in the middle of a database file.
func damagePage(t *testing.T, r *rand.Rand, dir string) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "map.db", "*.ldb"))
	names = append(names, filepath.Join(dir, "map.sqlite"))
	data := judge.Read(t, names[0])
	page := r.IntN(len(data)/2/4096) + len(data)/4/4096
	clear(data[page*4096 : (page+1)*4096])
	if err := os.WriteFile(names[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func sameShards(t *testing.T, src *format.Source, queries []string) {
	t.Helper()
	whole, parts := bothChecks(t, src)
	if diff := cmp.Diff(whole.lines, parts.lines); diff != "" || len(whole.lines) == 0 {
		t.Errorf("check: %s", diff)
	}
	shards := shardsOf(t, src)
	hits := 0
	for _, query := range queries {
		var all, allNotes, each, eachNotes told
		eachNotes.once, allNotes.once = true, true
		words := strings.Fields(query)
		finds(t, src, "", words, &all, &allNotes)
		for _, s := range shards {
			finds(t, src, s, words, &each, &eachNotes)
		}
		if diff := cmp.Diff(all.lines, each.lines); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
		if diff := cmp.Diff(allNotes.lines, eachNotes.lines); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
		hits += len(all.lines)
	}
	if hits < 20 {
		t.Errorf("only %d hits", hits)
	}

	f := worldFormat(t)
	c := &f.Conversions[slices.IndexFunc(f.Conversions, func(c format.Conversion) bool { return c.Verb == "manifest" })]
	once, joined := newOutput(t), newOutput(t)
	var all, each told
	all.once, each.once = true, true
	err := c.Convert(t.Context(), all.job(""), src, once)
	if err == nil {
		err = c.Join(t.Context(), &format.Job{}, joined, func(put func([]byte) error) error {
			for _, s := range slices.Backward(shards) {
				if err := c.Pieces(t.Context(), each.job(s), src, put); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if a, b := judge.Read(t, once.Name()), judge.Read(t, joined.Name()); len(a) < 1000 || !bytes.Equal(a, b) {
		t.Errorf("manifests of %d and %d bytes", len(a), len(b))
	}
	slices.Sort(all.lines)
	slices.Sort(each.lines)
	if diff := cmp.Diff(all.lines, each.lines); diff != "" {
		t.Errorf("manifest: %s", diff)
	}
}

// TestNoShard tests that an invalid shard is an error of every operation.
func TestNoShard(t *testing.T) {
	src := badWorld(t, rand.New(rand.NewPCG(1, 1)), mapdb.Config{Backend: mapdb.SQLite})
	for _, s := range []format.Shard{"x=0..15", "z=1..16", "../rest", "key=10", "REST", "z=0..15\n"} {
		job := &format.Job{Shard: s}
		file, err := worldFormat(t).Open(t.Context(), job, src)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Check(t.Context(), job, func(check.Finding) {}); !errors.Is(err, mapdb.ErrSlab) ||
			!strings.Contains(err.Error(), "no such part") {
			t.Errorf("%q: %v", s, err)
		}
		file.Close()
		steps, err := format.ParseSteps(job, worldFormat(t).Finder.Commands, []string{"node", "*"})
		if err == nil {
			err = worldFormat(t).Finder.Find(context.Background(), job, src, steps[0], func(format.Hit) error { return nil })
		}
		if !errors.Is(err, mapdb.ErrSlab) {
			t.Errorf("%q: %v", s, err)
		}
	}
}
