package worldrepair_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// The damaged blocks of the test world.
var (
	cut      = worldtest.Pos(22) // version 28, truncated
	garbage  = worldtest.Pos(20)
	later    = worldtest.Pos(30) // of an unknown version
	nameless = worldtest.Pos(40)
)

// damage creates a world with all kinds of damage that can be repaired.
func damage(t *testing.T, backend string) (dir string) {
	t.Helper()
	c := mapdb.Config{Backend: backend}
	dir = worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 0)
	blocks := make(map[mapdb.Pos][]byte)
	for b := range worldtest.Blocks(100) {
		blocks[b.Pos] = b.Data
	}
	blocks[cut] = blocks[cut][:len(blocks[cut])-2]
	blocks[garbage] = []byte{29, 1, 2, 3}
	blocks[later] = []byte{77, 1, 2, 3}
	b := mapblock.New(25)
	b.Names, b.Timestamp = b.Names[:0], 90210
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	blocks[nameless] = data
	if backend != mapdb.SQLite {
		if err := os.Remove(filepath.Join(dir, "map.sqlite")); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	var w mapdb.Writer
	if backend == mapdb.SQLite {
		w, err = mapdb.OpenForWriting(ctx, dir, c)
	} else {
		worldtest.SetLine(t, filepath.Join(dir, "world.mt"), "backend = sqlite3", "backend = "+backend)
		w, err = mapdb.Create(ctx, dir, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = w.Update(ctx, func(tx mapdb.Tx) error {
		for p, data := range blocks {
			if err := tx.Put(p, data); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) { judge.Write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text)) }
	write("map_meta.txt", "seed = 12345\nmg_name = v7\n")
	write("env_meta.txt", strings.Repeat("\x00", 70))
	write("ipban.txt", "192.0.2.7|mallory\n\x00\x00\x00")
	write("force_loaded.txt", "return {[140737488388096]=1,[140737488388097]=2,[1407")
	write("players/ann", strings.Replace(worldtest.Files["players/ann"], "Item default:dirt 99", "Item \"broken", 1))
	write("players/bob", "nothing")
	return dir
}

func blocksOf(t *testing.T, dir, backend string) map[mapdb.Pos]string {
	t.Helper()
	db, err := mapdb.Open(context.Background(), dir, mapdb.Config{Backend: backend})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	return worldtest.All(t, db)
}

// repaired compares a repaired world with the damaged one.
func repaired(t *testing.T, was, now map[mapdb.Pos]string, files, newFiles map[string]string) {
	t.Helper()
	for p, data := range was {
		got, ok := now[p]
		switch p {
		case cut, nameless:
			if b, err := mapblock.Decode([]byte(got)); err != nil || b.NameUnmapped() != 0 {
				t.Errorf("%v: %v", p, err)
			} else if first := b.Nodes().At(0); p == cut && first != "default:stone" {
				t.Errorf("%v: the first node is %s", p, first)
			}
		case garbage:
			if ok {
				t.Errorf("%v is still there", p)
			}
		default:
			if got != data {
				t.Errorf("%v has changed", p)
			}
		}
	}
	want := make(map[string]string)
	for name, text := range files {
		want[name] = text
	}
	want["map_meta.txt"] += "[end_of_params]\n"
	want["env_meta.txt"] = "game_time = 90210\nEnvArgsEnd\n"
	want["ipban.txt"] = "192.0.2.7|mallory\n"
	want["force_loaded.txt"] = "return {[140737488388096]=1,[140737488388097]=2}"
	want["players/ann"] = newFiles["players/ann"]
	if diff := cmp.Diff(want, newFiles); diff != "" {
		t.Error(diff)
	}
	p, err := world.ParsePlayer([]byte(newFiles["players/ann"]))
	if err != nil || p.Inventory == nil || p.Inventory.List("main").Size != 1 || len(p.Attributes) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestRepair(t *testing.T) {
	ctx := context.Background()
	for _, backend := range []string{mapdb.SQLite, mapdb.LevelDB} {
		t.Run(backend, func(t *testing.T) {
			dir := damage(t, backend)
			blocks, files := blocksOf(t, dir, backend), worldtest.Snapshot(t, dir)
			told := map[string]int{}
			opts := worldrepair.Options{Sink: func(f check.Finding) { told[f.ID]++ }}
			plan, err := worldrepair.Plan(ctx, dir, opts)
			if err != nil {
				t.Fatal(err)
			}
			want := worldrepair.Report{Blocks: 100, Salvaged: 2, Dropped: 1, Left: 1,
				Files: []string{"map_meta.txt", "env_meta.txt", "ipban.txt", "force_loaded.txt"}, Players: 1, Hopeless: 1}
			if diff := cmp.Diff(&want, plan); diff != "" {
				t.Error(diff)
			}
			for id, n := range map[string]int{"mt-repair-salvaged": 2, "mt-repair-dropped": 1, "mt-repair-named": 1,
				"mt-repair-left": 1, "mt-repair-file": 4, "mt-repair-player": 1, "mt-repair-hopeless": 1} {
				if told[id] != n {
					t.Errorf("%s was reported %d times, not %d", id, told[id], n)
				}
			}

			dst := filepath.Join(t.TempDir(), "dst")
			r, err := worldrepair.Repair(ctx, dir, dst, worldrepair.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plan, r); diff != "" {
				t.Error(diff)
			}
			copied := worldtest.Snapshot(t, dst)
			lost := fmt.Sprintf("%s/%d,%d,%d.block", worldrepair.LostFolder, garbage.X, garbage.Y, garbage.Z)
			if copied[lost] != blocks[garbage] {
				t.Errorf("%s: %q", lost, copied[lost])
			}
			delete(copied, lost)
			repaired(t, blocks, blocksOf(t, dst, backend), files, copied)
			if diff := cmp.Diff(files, worldtest.Snapshot(t, dir)); diff != "" {
				t.Errorf("the world itself has changed: %s", diff)
			}

			// The unfinished backup of a killed run.
			judge.Write(t, filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".backup-20200101-000000.000.zip.trowel-part"), nil)
			r, err = worldrepair.InPlace(ctx, dir, "", worldrepair.Options{})
			if err != nil {
				t.Fatal(err)
			}
			repaired(t, blocks, blocksOf(t, dir, backend), files, worldtest.Snapshot(t, dir))
			if filepath.Dir(r.Backup) != filepath.Dir(dir) {
				t.Errorf("the backup is at %s", r.Backup)
			}
			again, err := worldrepair.InPlace(ctx, dir, "", worldrepair.Options{})
			if err != nil || again.Changes() || again.Backup != "" {
				t.Errorf("a second repair: %+v, %v", again, err)
			}
			if err := worldbackup.Restore(ctx, dir, r.Backup, worldbackup.Options{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(blocks, blocksOf(t, dir, backend)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(files, worldtest.Snapshot(t, dir)); diff != "" {
				t.Errorf("restored: %s", diff)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*part*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestDecodedOnce tests that only the blocks that change are read in the copy.
func TestDecodedOnce(t *testing.T) {
	dir, last := damage(t, mapdb.SQLite), ""
	o := worldrepair.Options{OnProgress: func(what string, done, of int) { last = fmt.Sprint(what, " ", done, "/", of) }}
	if _, err := worldrepair.Repair(context.Background(), dir, filepath.Join(t.TempDir(), "repaired"), o); err != nil {
		t.Fatal(err)
	}
	if last != "blocks 3/3" {
		t.Errorf("at last %s", last)
	}
}

// TestNothingToRepair tests that an undamaged world keeps all its bytes.
func TestNothingToRepair(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 300)
	before := judge.Read(t, filepath.Join(dir, "map.sqlite"))
	files := worldtest.Snapshot(t, dir)
	r, err := worldrepair.InPlace(ctx, dir, "", worldrepair.Options{})
	if err != nil || r.Changes() || r.Blocks != 300 || r.Backup != "" {
		t.Errorf("%+v, %v", r, err)
	}
	if !bytes.Equal(before, judge.Read(t, filepath.Join(dir, "map.sqlite"))) {
		t.Error("map.sqlite has changed")
	}
	if diff := cmp.Diff(files, worldtest.Snapshot(t, dir)); diff != "" {
		t.Error(diff)
	}
	entries, _ := os.ReadDir(filepath.Dir(dir))
	if len(entries) != 1 {
		t.Errorf("beside the world: %v", entries)
	}
}

// TestLostTwice tests that a copy of a copy keeps the lost blocks of both.
func TestLostTwice(t *testing.T) {
	ctx := context.Background()
	dir := damage(t, mapdb.SQLite)
	old := filepath.Join(dir, worldrepair.LostFolder, fmt.Sprintf("%d,%d,%d.block", garbage.X, garbage.Y, garbage.Z))
	judge.Write(t, old, []byte("from before"))
	told := ""
	sink := func(f check.Finding) {
		if f.ID == "mt-repair-dropped" {
			told = f.Message
		}
	}
	dst := filepath.Join(t.TempDir(), "dst")
	if _, err := worldrepair.Repair(ctx, dir, dst, worldrepair.Options{Sink: sink}); err != nil {
		t.Fatal(err)
	}
	files := worldtest.Snapshot(t, filepath.Join(dst, worldrepair.LostFolder))
	name := filepath.Base(old)
	if second := strings.TrimSuffix(name, ".block") + "-2.block"; files[name] != "from before" ||
		files[second] != string([]byte{29, 1, 2, 3}) || !strings.Contains(told, second) {
		t.Errorf("%q, told %q", files, told)
	}
}

// TestBlockTwice tests that Plan reports the same as Repair if a table without a key contains two rows of one block,
// of which the copy contains one.
func TestBlockTwice(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 5, 28)
	conn, err := sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "CREATE TABLE b AS SELECT * FROM blocks; INSERT INTO b SELECT * FROM blocks "+
		"LIMIT 1; DROP TABLE blocks; ALTER TABLE b RENAME TO blocks", nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(worldrepair.Options) (*worldrepair.Report, error){
		"plan": func(o worldrepair.Options) (*worldrepair.Report, error) { return worldrepair.Plan(ctx, dir, o) },
		"copy": func(o worldrepair.Options) (*worldrepair.Report, error) {
			return worldrepair.Repair(ctx, dir, filepath.Join(t.TempDir(), "dst"), o)
		},
	} {
		var told []string
		r, err := do(worldrepair.Options{Sink: func(f check.Finding) { told = append(told, f.ID) }})
		if err != nil || r.Rows != 1 || r.Blocks != 5 || !slices.Equal(told, []string{"mt-repair-schema", "mt-repair-row"}) {
			t.Errorf("%s: %+v, %v, told %q", name, r, err, told)
		}
	}

	copied := filepath.Join(t.TempDir(), "world")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if r, err := worldrepair.InPlace(ctx, copied, "", worldrepair.Options{}); err != nil || r.Schemas != 1 {
		t.Errorf("in place: %+v, %v", r, err)
	}
	if r, err := worldrepair.Plan(ctx, copied, worldrepair.Options{}); err != nil || r.Rows != 0 || r.Blocks != 5 || r.Schemas != 0 {
		t.Errorf("after a repair in place: %+v, %v", r, err)
	}

	// If one of them is damaged, a repair in place would change both.
	conn, err = sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "UPDATE blocks SET data = x'1c00' WHERE rowid = 1", nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	before := worldtest.Snapshot(t, dir)
	r, err := worldrepair.InPlace(ctx, dir, filepath.Join(t.TempDir(), "backup"), worldrepair.Options{})
	if !errors.Is(err, mapdb.ErrReadOnly) || r != nil {
		t.Errorf("in place: %+v, %v", r, err)
	}
	if diff := cmp.Diff(before, worldtest.Snapshot(t, dir)); diff != "" {
		t.Errorf("a repair that was refused has changed the world: %s", diff)
	}
}

// TestKept tests that data in a store that is not read is kept and reported.
func TestKept(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"),
		[]byte("backend = dummy\nplayer_backend = files\nauth_backend = files\nmod_storage_backend = files\n"))
	judge.Write(t, filepath.Join(dir, "mod_storage", "a"), []byte(`{"key":"1","key":"2"}`))
	for name, do := range map[string]func(worldrepair.Options) (*worldrepair.Report, error){
		"plan":     func(o worldrepair.Options) (*worldrepair.Report, error) { return worldrepair.Plan(ctx, dir, o) },
		"in place": func(o worldrepair.Options) (*worldrepair.Report, error) { return worldrepair.InPlace(ctx, dir, "", o) },
		"copy": func(o worldrepair.Options) (*worldrepair.Report, error) {
			return worldrepair.Repair(ctx, dir, filepath.Join(t.TempDir(), "dst"), o)
		},
	} {
		var told []check.Finding
		r, err := do(worldrepair.Options{Sink: func(f check.Finding) { told = append(told, f) }})
		if err != nil || r.Changes() || r.Hopeless != 1 || len(told) != 1 || told[0].ID != "mt-repair-kept" ||
			!strings.Contains(told[0].Message, `"key" twice`) {
			t.Errorf("%s: %+v, %v, told %v", name, r, err, told)
		}
	}
}

// TestNoTemporaryNames tests that errors contain the path of the copy and not the temporary path.
func TestNoTemporaryNames(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 1, 28)
	dst := filepath.Join(dir, "map.sqlite", "dst") // inside a file
	if _, err := worldrepair.Repair(t.Context(), dir, dst, worldrepair.Options{}); err == nil || strings.Contains(err.Error(), "trowel-part") {
		t.Errorf("%v", err)
	}
}

// TestMissed tests that undamaged things that are not in the copy are counted.
func TestMissed(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28)
	judge.Link(t, t.TempDir(), filepath.Join(dir, "outside"))
	r, err := worldrepair.Repair(t.Context(), dir, filepath.Join(t.TempDir(), "dst"), worldrepair.Options{})
	if err != nil || r.Missed != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestDropUnknown(t *testing.T) {
	dir := damage(t, mapdb.SQLite)
	r, err := worldrepair.InPlace(context.Background(), dir, "", worldrepair.Options{DropUnknown: true})
	if err != nil || r.Left != 0 || r.Dropped != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, ok := blocksOf(t, dir, mapdb.SQLite)[later]; ok {
		t.Error("the block is still there")
	}
}

// TestOrphans tests that rows without an owner are deleted, after which the world has no errors.
func TestOrphans(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 5, 28)
	worldtest.SetLine(t, filepath.Join(dir, "world.mt"), "player_backend = files", "player_backend = sqlite3")
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	players, err := world.OpenPlayers(ctx, dir, s, world.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := world.ParsePlayer([]byte(worldtest.Files["players/ann"]))
	if err := errors.Join(err, players.Put(ctx, p), players.Commit(ctx), players.Close()); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(filepath.Join(dir, "players.sqlite"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "INSERT INTO player_metadata VALUES ('gone', 'k', 'v'); INSERT INTO "+
		"player_inventories VALUES ('gone', 0, 0, 'main', 32); INSERT INTO player_inventory_items VALUES ('gone', 0, 0, "+
		"'a'), ('gone', 0, 1, 'b')", nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	before := judge.Read(t, filepath.Join(dir, "players.sqlite"))
	r, err := worldrepair.InPlace(ctx, dir, "", worldrepair.Options{})
	if err != nil || r.Orphans != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	var found []check.Finding
	if err := world.Check(ctx, dir, world.CheckOptions{}, func(f check.Finding) { found = append(found, f) }); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(found, func(f check.Finding) bool { return f.Severity != check.Info }) {
		t.Errorf("afterwards: %v", found)
	}
	if err := worldbackup.Restore(ctx, dir, r.Backup, worldbackup.Options{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, judge.Read(t, filepath.Join(dir, "players.sqlite"))) {
		t.Error("players.sqlite is not restored")
	}
}

// TestRows tests that an invalid row of a database is not in a repaired copy.
func TestRows(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 5)
	conn, err := sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "INSERT INTO blocks VALUES ('far away', x'00'), (123, NULL)", nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	dst := filepath.Join(t.TempDir(), "dst")
	r, err := worldrepair.Repair(context.Background(), dir, dst, worldrepair.Options{})
	if err != nil || r.Rows != 2 || r.Blocks != 5 {
		t.Errorf("%+v, %v", r, err)
	}
	if n := len(blocksOf(t, dst, mapdb.SQLite)); n != 5 {
		t.Errorf("%d blocks", n)
	}
}

func TestRefused(t *testing.T) {
	ctx := context.Background()
	dir := damage(t, mapdb.SQLite)
	other := t.TempDir()
	if _, err := worldrepair.Repair(ctx, dir, other, worldrepair.Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that exists: %v", err)
	}
	file := filepath.Join(t.TempDir(), "backup.zip")
	judge.Write(t, file, nil)
	if _, err := worldrepair.InPlace(ctx, dir, file, worldrepair.Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a backup that exists: %v", err)
	}
}

// TestInUseChild is the child process of TestInUse: it keeps a file open until its input ends.
func TestInUseChild(t *testing.T) {
	path := os.Getenv("TROWEL_TEST_OPEN")
	if path == "" {
		t.Skip("this is run by TestInUse")
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// TestInUse tests that a world that a program has open is not repaired in place.
func TestInUse(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	dir := damage(t, mapdb.LevelDB)
	child := exec.Command(self, "-test.run=^TestInUseChild$", "-test.v")
	child.Env = append(os.Environ(), "TROWEL_TEST_OPEN="+filepath.Join(dir, "ipban.txt"))
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "open"; {
	}
	files := worldtest.Snapshot(t, dir)
	if _, err := worldrepair.InPlace(ctx, dir, "", worldrepair.Options{}); !errors.Is(err, mapdb.ErrInUse) {
		t.Errorf("a world in use: %v", err)
	}
	if diff := cmp.Diff(files, worldtest.Snapshot(t, dir)); diff != "" {
		t.Error(diff)
	}
	// If a database is replaced, later writes of the program are lost.
	if _, err := worldrepair.InPlace(ctx, dir, "", worldrepair.Options{Force: true}); !errors.Is(err, mapdb.ErrInUse) {
		t.Errorf("a database of LevelDB in use, with force: %v", err)
	}
	if diff := cmp.Diff(files, worldtest.Snapshot(t, dir)); diff != "" {
		t.Error(diff)
	}
	worldtest.SetLine(t, filepath.Join(dir, "world.mt"), "backend = leveldb", "backend = dummy")
	r, err := worldrepair.InPlace(ctx, dir, "", worldrepair.Options{Force: true})
	if err != nil || !r.Changes() {
		t.Fatalf("with force: %+v, %v", r, err)
	}
	if err := worldbackup.Restore(ctx, dir, r.Backup, worldbackup.Options{Force: true}); !errors.Is(err, mapdb.ErrInUse) {
		t.Errorf("a store is put back in use, with force: %v", err)
	}
	in.Close()
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
}
