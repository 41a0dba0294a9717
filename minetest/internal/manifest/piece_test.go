package manifest_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"trowel.example/fault"
	"trowel.example/minetest/internal/manifest"
)

func pieceOf(entries []manifest.Entry) (piece []byte) {
	last := int64(0)
	for _, e := range entries {
		piece = manifest.AppendEntry(piece, last, e)
		last = e.Pos.Key()
	}
	return piece
}

// TestPieces tests that pieces in any order give the manifest of all their entries.
func TestPieces(t *testing.T) {
	manifest.SetRunSize(t, 100)
	r := rand.New(rand.NewPCG(1, 7))
	for range 20 {
		entries := random(r, r.IntN(2000))
		want := write(t, entries)
		r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		var pieces [][]byte
		for rest := entries; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			pieces = append(pieces, pieceOf(rest[:n]))
			rest = rest[n:]
		}
		var got bytes.Buffer
		_, err := manifest.Sort(&got, manifest.Options{Scratch: t.TempDir()}, func(add func(manifest.Entry) error) (int64, error) {
			for _, p := range pieces {
				if err := manifest.ReadPiece(p, add); err != nil {
					return 0, err
				}
			}
			return 0, nil
		})
		if err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Fatalf("%d pieces of %d entries: %v", len(pieces), len(entries), err)
		}
	}
}

// FuzzPiece tests that any bytes read as a piece give valid entries or an error.
func FuzzPiece(f *testing.F) {
	f.Add(pieceOf(random(rand.New(rand.NewPCG(1, 1)), 20)))
	f.Add([]byte{0})
	f.Add(bytes.Repeat([]byte{0xff}, 30))
	f.Fuzz(func(t *testing.T, piece []byte) {
		var all []manifest.Entry
		err := manifest.ReadPiece(piece, func(e manifest.Entry) error {
			if !e.Pos.Valid() || e.Hash == 0 {
				t.Fatal(e)
			}
			all = append(all, e)
			return nil
		})
		if err != nil && !errors.Is(err, fault.ErrFormat) {
			t.Fatal(err)
		}
		again := pieceOf(all)
		var same []manifest.Entry
		if err := manifest.ReadPiece(again,
			func(e manifest.Entry) error { same = append(same, e); return nil }); err != nil || len(same) != len(all) {
			t.Fatal(err)
		}
		for i := range all {
			if all[i] != same[i] {
				t.Fatalf("%v is read as %v", all[i], same[i])
			}
		}
	})
}
