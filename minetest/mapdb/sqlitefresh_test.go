package mapdb

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestFreshSQLite tests that an unseen database can be continued after its program was killed, returns the blocks
// stored last, and reports all damage when it is read completely.
func TestFreshSQLite(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for _, schema := range []Schema{SchemaPos, SchemaXYZ} {
		t.Run(schema.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(schema)))
			dir, c := t.TempDir(), Config{Backend: SQLite, Schema: schema, Unseen: true}
			w, err := Create(t.Context(), dir, c)
			if err != nil {
				t.Fatal(err)
			}
			want := map[Pos]string{}
			for round := range tests.Of(t, 8, 20) {
				var blocks []Block
				for range 1 + r.IntN(200) {
					p := Pos{int16(r.IntN(20) - 10), int16(r.IntN(20) - 10), int16(r.IntN(4096) - 2048)}
					b := Block{p, bytes.Repeat([]byte{byte(round + 1)}, r.IntN(6000))}
					blocks = append(blocks, b)
					want[p] = string(b.Data)
				}
				if err := w.Store(t.Context(), blocks); err != nil {
					t.Fatal(err)
				}
				if n, err := w.Count(t.Context()); err != nil || n != int64(len(want)) {
					t.Errorf("%d of %d blocks, %v", n, len(want), err)
				}
				if r.IntN(3) == 0 {
					w.(interface{ Abandon() }).Abandon()
					forced := c
					forced.Force = true
					if w, err = OpenForWriting(t.Context(), dir, forced); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			read := func() (map[Pos]string, error) {
				db := open(t, dir, c)
				defer db.Close()
				got := map[Pos]string{}
				for b, err := range InAnyOrder(t.Context(), db) {
					if err != nil {
						return nil, err
					}
					got[b.Pos] = string(b.Data)
				}
				return got, nil
			}
			got, err := read()
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
			path := filepath.Join(dir, sqliteName)
			data := judge.Read(t, path)
			for at := 4096; at < len(data); at += 4096 * tests.Of(t, 131, 37) {
				damaged := bytes.Clone(data)
				clear(damaged[at : at+4096])
				if err := os.WriteFile(path, damaged, 0o600); err != nil {
					t.Fatal(err)
				}
				var row *RowError
				if got, err := read(); !errors.As(err, &row) && cmp.Equal(want, got) {
					t.Errorf("a page at %d is lost: %v", at, err)
				}
			}
		})
	}
}
