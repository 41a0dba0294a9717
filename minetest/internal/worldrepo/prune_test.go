package worldrepo_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"trowel.example/check"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// halfEmpty makes a repository with two snapshots and forgets the first one, which leaves packs of which little is needed.
func halfEmpty(t *testing.T, repo kept) (dir, id string) {
	t.Helper()
	dir = worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 300, 28)
	run(t, dir, "UPDATE blocks SET data = randomblob(300)")
	first := backup(t, dir, repo).Snapshot.ID
	run(t, dir, "UPDATE blocks SET data = randomblob(300) WHERE pos % 5 != 0")
	id = backup(t, dir, repo).Snapshot.ID
	if err := worldrepo.Forget(t.Context(), repo, []string{first}, nil); err != nil {
		t.Fatal(err)
	}
	return dir, id
}

// sizeOf returns the size of all packs.
func sizeOf(t *testing.T, repo kept) (n int) {
	for _, name := range packsOf(t, repo) {
		n += len(repo.all(t)[name])
	}
	return n
}

// isSound tests that a snapshot is the world in dir.
func isSound(t *testing.T, what, dir, id string, repo kept, clean bool) {
	t.Helper()
	for _, f := range findings(t, repo) {
		if clean || f.Severity == check.Error {
			t.Errorf("%s: %v", what, f)
		}
	}
	if got := worldtest.BlocksOf(t, restore(t, repo, id, worldcopy.Options{})); !maps.Equal(got, worldtest.BlocksOf(t, dir)) {
		t.Errorf("%s: it is another world", what)
	}
}

// TestRepack tests that what is needed of half-empty packs is copied once and within the budget, while a reader reads.
func TestRepack(t *testing.T) { everywhere(t, testRepack, "version 1", "version 2") }

func testRepack(t *testing.T, newRepo func(*testing.T) kept) {
	repo := newRepo(t)
	dir, id := halfEmpty(t, repo)
	before := sizeOf(t, repo)
	prune := func(o worldrepo.PruneOptions) worldrepo.Pruned {
		t.Helper()
		p, err := worldrepo.Prune(t.Context(), repo, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	all, none := prune(worldrepo.PruneOptions{Dry: true}), prune(worldrepo.PruneOptions{Dry: true, Repack: 1})
	if all.Copied == 0 || none.Copied != 0 || all.Packs <= none.Packs || prune(worldrepo.PruneOptions{Dry: true, Repack: -1}) != none {
		t.Errorf("would copy %+v, with a budget of one byte %+v", all, none)
	}
	r, err := worldrepo.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot(id)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Blocks(s)
	if err != nil {
		t.Fatal(err)
	}
	read := make(map[mapdb.Pos]string)
	for one, err := range b.Blocks(t.Context(), mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		if read[one.Pos] = string(one.Data); len(read) == 5 {
			if p := prune(worldrepo.PruneOptions{}); p != all {
				t.Errorf("%+v, and not %+v", p, all)
			}
		}
	}
	if !maps.Equal(read, worldtest.BlocksOf(t, dir)) {
		t.Errorf("a reader has read %d blocks, not all or others", len(read))
	}
	isSound(t, "repacked", dir, id, repo, true)
	if p := prune(worldrepo.PruneOptions{}); p != (worldrepo.Pruned{}) {
		t.Errorf("again: %+v", p)
	}
	if after := sizeOf(t, repo); after > before*3/4 {
		t.Errorf("%d bytes have become %d", before, after)
	}
	if report := backup(t, dir, repo); report.Stored != 0 {
		t.Errorf("the next backup stores %d contents again", report.Stored)
	}
}

// TestRepackStopped tests that a prune that ends at any request leaves each snapshot readable, and that the next one completes it
// and leaves no copies.
func TestRepackStopped(t *testing.T) {
	made := newObjects(t).(*objects)
	dir, id := halfEmpty(t, made)
	whole := made.all(t)
	doubled, step := 0, 40
	if tests.Long(t) {
		step = 3
	}
	for n := 0; ; n++ {
		repo := newObjects(t).(*objects)
		for name, data := range whole {
			repo.put(t, name, data)
		}
		repo.left = n
		_, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{})
		repo.left, repo.alone = -1, 0
		if err == nil {
			break
		}
		if !storage.IsUnavailable(err) {
			t.Fatalf("after %d requests: %v", n, err)
		}
		copied := false
		for name := range repo.all(t) {
			_, old := whole[name]
			copied = copied || !old
		}
		if copied {
			doubled++
		}
		if !copied && n%step != 0 {
			continue
		}
		isSound(t, "stopped", dir, id, repo, false)
		if _, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil {
			t.Fatal(err)
		}
		isSound(t, "completed", dir, id, repo, true)
		if p, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil || p.Packs > 0 {
			t.Errorf("stopped after %d requests, two runs later: %+v, %v", n, p, err)
		}
	}
	if doubled == 0 {
		t.Errorf("%d runs were stopped with contents in two packs", doubled)
	}
}

// TestRepackDamaged tests that of two copies of a content the one that can be read is kept, and that a damaged content without a
// copy keeps its pack.
func TestRepackDamaged(t *testing.T) {
	made := newObjects(t).(*objects)
	dir, id := halfEmpty(t, made)
	whole := made.all(t)
	repo := newObjects(t).(*objects)
	for name, data := range whole {
		repo.put(t, name, data)
	}
	if _, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil {
		t.Fatal(err)
	}
	new := make(map[string][]byte)
	for name, data := range repo.all(t) {
		if _, old := whole[name]; !old {
			bad := []byte(strings.Clone(string(data)))
			for at := 20; at < len(bad)/2; at += 100 {
				bad[at] ^= 1
			}
			new[name] = bad
		}
	}
	repo = newObjects(t).(*objects)
	for name, data := range whole {
		repo.put(t, name, data)
	}
	for name, data := range new { // newer, and damaged
		repo.put(t, name, data)
	}
	if _, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := worldtest.BlocksOf(t, restore(t, repo, id, worldcopy.Options{})); !maps.Equal(got, worldtest.BlocksOf(t, dir)) {
		t.Error("copies that can be read were removed")
	}

	repo = newObjects(t).(*objects)
	for name, data := range whole {
		if strings.HasPrefix(name, "packs/") {
			data = []byte(strings.Clone(string(data)))
			if len(data) > 50_000 { // a pack of blocks
				data[len(data)/3] ^= 1
				data[len(data)/2] ^= 1
			}
		}
		repo.put(t, name, data)
	}
	before := len(errorsOf(t, repo, id))
	for range 3 {
		if _, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if after := len(errorsOf(t, repo, id)); before == 0 || after != before {
		t.Errorf("%d findings have become %d", before, after)
	}
	if whole, now := sizeOf(t, made), sizeOf(t, repo); now > whole {
		t.Errorf("%d bytes have become %d", whole, now)
	}
}

// TestPruneAtOnce tests that prunes and backups at the same time end well or are rejected, and that everything stays readable.
func TestPruneAtOnce(t *testing.T) {
	repo := newObjects(t)
	dir, id := halfEmpty(t, repo)
	errs := make(chan error)
	for range 3 {
		go func() {
			_, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{})
			errs <- err
		}()
		go func() {
			_, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{})
			errs <- err
		}()
	}
	for range 6 {
		if err := <-errs; err != nil && !errors.Is(err, storage.ErrLocked) {
			t.Error(err)
		}
	}
	isSound(t, "at once", dir, id, repo, false)
	if _, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil {
		t.Error(err)
	}
	isSound(t, "pruned", dir, id, repo, true)
}

// TestForgetAtOnce tests that a backup and, at the same time, a run that forgets the snapshot it builds on and prunes end well or are
// rejected: each snapshot of a backup without an error is the world, and the next backup and prune work.
func TestForgetAtOnce(t *testing.T) { everywhere(t, testForgetAtOnce) }

func testForgetAtOnce(t *testing.T, newRepo func(*testing.T) kept) {
	repo := newRepo(t)
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 100, 28)
	rounds := 5
	if tests.Long(t) {
		rounds = 15
	}
	last, rejected := backup(t, dir, repo).Snapshot.ID, make(map[string]int)
	for i := range rounds {
		run(t, dir, fmt.Sprintf("UPDATE blocks SET data = randomblob(300) WHERE pos %% 7 = %d", i%7))
		var group sync.WaitGroup
		var made *worldrepo.Report
		var errs [3]error
		group.Go(func() { made, errs[0] = worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{}) })
		group.Go(func() {
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
			if errs[1] = worldrepo.Forget(t.Context(), repo, []string{last}, nil); errs[1] == nil {
				_, errs[2] = worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{})
			}
		})
		group.Wait()
		for j, what := range []string{"backup", "forget", "prune"} {
			if errs[j] == nil {
				continue
			}
			if rejected[what]++; !errors.Is(errs[j], storage.ErrLocked) {
				t.Errorf("round %d: %s: %v", i, what, errs[j])
			}
		}
		if errs[0] == nil {
			isSound(t, fmt.Sprintf("round %d", i), dir, made.Snapshot.ID, repo, false)
		}
		last = backup(t, dir, repo).Snapshot.ID
		if _, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil {
			t.Fatal(err)
		}
		isSound(t, fmt.Sprintf("after round %d", i), dir, last, repo, true)
	}
	t.Logf("%d rounds, rejected: %v", rounds, rejected)
}

// TestMergeSmall tests that many small packs become few.
func TestMergeSmall(t *testing.T) {
	tests.LongOnly(t, "makes 20 backups")
	repo := newObjects(t)
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 300, 28)
	id := ""
	for range 20 {
		run(t, dir, "UPDATE blocks SET data = randomblob(300) WHERE abs(random()) % 10 = 0")
		id = backup(t, dir, repo).Snapshot.ID
	}
	before := len(packsOf(t, repo))
	if _, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil {
		t.Fatal(err)
	}
	if after := len(packsOf(t, repo)); before < 40 || after > 2 {
		t.Errorf("%d packs have become %d", before, after)
	}
	isSound(t, "merged", dir, id, repo, true)
}

// TestStats tests that the sizes of snapshots and regions are those of the packs.
func TestStats(t *testing.T) { everywhere(t, testStats) }

func testStats(t *testing.T, newRepo func(*testing.T) kept) {
	repo := newRepo(t)
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 300, 28)
	run(t, dir, "UPDATE blocks SET data = randomblob(300)")
	backup(t, dir, repo)
	run(t, dir, "UPDATE blocks SET data = randomblob(500) WHERE pos IN (SELECT pos FROM blocks LIMIT 7)")
	backup(t, dir, repo)
	backup(t, dir, repo)
	r, err := worldrepo.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stats, err := r.Stats(t.Context(), func(string, int, int) {}, func(id string, err error) { t.Error(id, err) })
	if err != nil {
		t.Fatal(err)
	}
	var all, blocks worldrepo.Size
	for _, s := range stats.Snapshots {
		all.Contents, all.Stored = all.Contents+s.Contents, all.Stored+s.Stored
	}
	n := 0
	for _, one := range stats.Regions {
		n += one.Blocks
		blocks.Contents, blocks.Bytes, blocks.Stored = blocks.Contents+one.Contents, blocks.Bytes+one.Bytes, blocks.Stored+one.Stored
	}
	if len(stats.Snapshots) != 3 || stats.Snapshots[2].Size != (worldrepo.Size{}) || n != 300 || blocks != (worldrepo.Size{Contents: 307,
		Bytes: 300*300 + 7*500, Stored: 300*300 + 7*500}) {
		t.Errorf("%+v, regions of %d blocks: %+v", stats.Snapshots, n, blocks)
	}
	if all.Stored > stats.Packs || all.Stored < stats.Packs*8/10 {
		t.Errorf("%d bytes of packs of %d", all.Stored, stats.Packs)
	}
}
