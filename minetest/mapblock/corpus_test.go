package mapblock

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// world is a world of the corpus: its blocks by position.
type world struct {
	name   string
	blocks map[[3]int][]byte
}

// sorted returns the positions of the blocks in a fixed order.
func (w world) sorted() [][3]int {
	var all [][3]int
	for p := range w.blocks {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
	return all
}

// spot decodes the database key of a block.
func spot(key int64) (p [3]int) {
	u := key + 0x800800800
	return [3]int{int(u&0xfff) - 2048, int(u>>12&0xfff) - 2048, int(u>>24&0xfff) - 2048}
}

// sqliteWorld reads all blocks of a database.
func sqliteWorld(t testing.TB, dir, path string) world {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(path))
	conn, err := sqlite.OpenConn("file:"+file+"?immutable=1", sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w := world{path, make(map[[3]int][]byte)}
	err = sqlitex.ExecuteTransient(conn, "SELECT * FROM blocks", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		data := make([]byte, s.GetLen("data"))
		s.GetBytes("data", data)
		p := spot(s.GetInt64("pos"))
		if s.ColumnCount() > 2 {
			p = [3]int{int(s.GetInt64("x")), int(s.GetInt64("y")), int(s.GetInt64("z"))}
		}
		w.blocks[p] = data
		return nil
	}})
	if err != nil || len(w.blocks) == 0 {
		t.Fatalf("%s: %d blocks, %v", path, len(w.blocks), err)
	}
	return w
}

// sectorsWorld reads all blocks of a sectors2 folder.
func sectorsWorld(t testing.TB, dir, path string) world {
	t.Helper()
	w := world{path, make(map[[3]int][]byte)}
	root := filepath.Join(dir, filepath.FromSlash(path))
	hex := func(s string, bits int) int {
		v, err := strconv.ParseUint(s, 16, 16)
		if err != nil {
			t.Fatal(err)
		}
		return int(v) - int(v)>>(bits-1)<<bits
	}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "meta" {
			return err
		}
		rel, _ := filepath.Rel(root, file)
		parts := strings.Split(filepath.ToSlash(rel), "/")
		data, err := os.ReadFile(file)
		w.blocks[[3]int{hex(parts[0], 12), hex(parts[2], 16), hex(parts[1], 12)}] = data
		return err
	})
	if err != nil || len(w.blocks) == 0 {
		t.Fatalf("%s: %d blocks, %v", path, len(w.blocks), err)
	}
	return w
}

// worlds returns the worlds of the corpus, with its single blocks as one more world.
func worlds(t testing.TB) []world {
	t.Helper()
	dir := tests.Corpus(t, "minetest")
	var all []world
	for _, path := range []string{
		"generated/v22-sqlite/map.sqlite", "generated/v24-sqlite/map.sqlite", "generated/v29-sqlite/map.sqlite",
		"generated/v29-517-sqlite/map.sqlite", "cornernote-mesecons-circuits/map.sqlite",
		"generated/golden-v29-by-5.17/v20/map.sqlite", "generated/golden-v29-by-5.17/v22/map.sqlite",
		"generated/golden-v29-by-5.17/v24/map.sqlite",
		"testdata/mtdb/block/map_legacy_column.sqlite", "testdata/mtdb/block/map_multi_pos_column.sqlite",
	} {
		all = append(all, sqliteWorld(t, dir, path))
	}
	for _, path := range []string{"generated/v17-sectors2/sectors2", "generated/v20-sectors2/sectors2"} {
		all = append(all, sectorsWorld(t, dir, path))
	}
	single := world{"testdata", make(map[[3]int][]byte)}
	for _, pattern := range []string{"testdata/*.bin", "testdata/minetest-go-mapparser/*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range files {
			data := judge.Read(t, file)
			if name := filepath.Base(file); name == "network-blockdata.bin" || name == "mapblock3516192727.bin" {
				continue // as sent to players: without the data that follows the metadata in a file
			}
			single.blocks[[3]int{i, len(pattern), 0}] = data
		}
	}
	return append(all, single)
}

// TestCorpus tests that every block of the corpus round-trips byte-identically. Up to version 28, EncodeFresh must
// also produce the bytes of the game.
func TestCorpus(t *testing.T) {
	for _, w := range worlds(t) {
		t.Run(w.name, func(t *testing.T) {
			versions := make(map[int]int)
			fresh := make(map[int]int)
			for _, p := range w.sorted() {
				data := w.blocks[p]
				b, err := Decode(data)
				if err != nil {
					t.Errorf("%v: %v", p, err)
					continue
				}
				versions[b.Version]++
				if out, err := b.Encode(); err != nil || !bytes.Equal(out, data) {
					t.Errorf("%v: Encode gives other bytes, %v", p, err)
				}
				out, err := b.EncodeFresh()
				if b.source.nodes != nil && !bytes.Equal(out, data) { // a server may use another level
					content, _, _ := deflate.DecompressUpTo(b.source.nodes, 1<<20)
					out, err = b.EncodeLevel(LevelOf(b.source.nodes, content))
				}
				if err != nil {
					t.Errorf("%v: EncodeFresh: %v", p, err)
					continue
				}
				if bytes.Equal(out, data) {
					fresh[b.Version]++
					continue
				}
				if b.Version < 29 {
					t.Errorf("%v: EncodeFresh gives other bytes", p)
				}
				again, err := Decode(out)
				if err != nil {
					t.Errorf("%v: what EncodeFresh gave: %v", p, err)
					continue
				}
				if !equal(again, b) {
					t.Errorf("%v: EncodeFresh gives another block", p)
				}
			}
			t.Logf("versions %v, of which EncodeFresh gave identical bytes: %v", versions, fresh)
		})
	}
}
