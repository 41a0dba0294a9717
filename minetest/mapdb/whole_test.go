package mapdb

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapblock"
)

// TestWhole tests that if Open and all reads return no error, all blocks were read, whatever part of the files is
// missing or damaged.
func TestWhole(t *testing.T) {
	for name, c := range map[string]Config{
		"pos": {Backend: SQLite}, "xyz": {Backend: SQLite, Schema: SchemaXYZ}, "leveldb": {Backend: LevelDB}, "sectors": {Backend: Sectors},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var blocks []Block
			for i := range 300 {
				b := mapblock.New(25)
				if err := b.SetNode(i, fmt.Sprintf("default:n%d", i*i), byte(i), byte(i/3)); err != nil {
					t.Fatal(err)
				}
				data, err := b.Encode()
				if err != nil {
					t.Fatal(err)
				}
				blocks = append(blocks, Block{Pos{int16(i % 3), int16(i / 60), int16(i / 3 % 20)}, data})
			}
			f := mutate.Folder{Dir: dir, Prefixes: tests.Of(t, 3, 6), Damages: tests.Of(t, 3, 8), Unsummed: c.Backend != LevelDB}
			if c.Backend == Sectors {
				blocks = blocks[:6]
				f.Damages = 0 // the files contain little more than the bytes of the blocks
				for _, b := range blocks {
					s := sectors{dir}
					path := filepath.Join(s.newDir(b.Pos.X, b.Pos.Z), fmt.Sprintf("%04x", uint16(b.Pos.Y)))
					if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, b.Data, 0o600)); err != nil {
						t.Fatal(err)
					}
				}
			} else {
				w, err := Create(t.Context(), dir, c)
				if err != nil {
					t.Fatal(err)
				}
				for i := 0; i < len(blocks); i += 100 {
					if err := w.Store(t.Context(), blocks[i:i+100]); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
			err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if info, e := d.Info(); e == nil && info.Mode().IsRegular() && info.Size() > 0 && d.Name() != "LOG" && d.Name() != "LOCK" {
					rel, _ := filepath.Rel(dir, path)
					f.Files = append(f.Files, filepath.ToSlash(rel))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			f.Uncut = func(file string) bool { return strings.HasSuffix(file, ".log") }
			f.Read = func() (all []string, err error) {
				db, err := Open(t.Context(), dir, c)
				if err != nil {
					return nil, err
				}
				defer db.Close()
				err = Verify(t.Context(), db)
				for b, e := range db.Blocks(t.Context(), All()) {
					if err = errors.Join(err, e); e != nil {
						continue
					}
					if _, e := mapblock.Decode(b.Data); e != nil {
						err = errors.Join(err, fmt.Errorf("%v: %w", b.Pos, e))
					}
					if data, e := db.Get(t.Context(), b.Pos); string(data) != string(b.Data) {
						err = errors.Join(err, e, fmt.Errorf("%v: Get gives something else", b.Pos))
					}
					all = append(all, fmt.Sprintf("%v %x", b.Pos, sha256.Sum256(b.Data)))
				}
				return all, err
			}
			f.Test(t)
		})
	}
}
