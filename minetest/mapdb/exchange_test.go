package mapdb

import (
	"bytes"
	"context"
	"testing"
)

// TestExchange tests that Exchange changes blocks with the expected bytes and no others.
func TestExchange(t *testing.T) {
	for _, k := range kinds {
		if k.create != nil {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			ctx := context.Background()
			w, err := Create(ctx, t.TempDir(), k.config(t))
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			at := func(i int) Pos { return Pos{int16(i), -3, 5} }
			var blocks []Block
			for i := range 6 {
				blocks = append(blocks, Block{at(i), []byte{byte(i)}})
			}
			if err := w.Store(ctx, blocks); err != nil {
				t.Fatal(err)
			}
			list := []Swap{
				{at(0), []byte{0}, []byte{10}},
				{at(1), []byte{9}, []byte{11}}, // has changed
				{at(2), []byte{2}, nil},        // to be deleted
				{at(3), []byte{9}, []byte{3}},  // has its new bytes already
				{at(4), []byte{4}, []byte{}},   // exists and becomes empty
				{at(7), []byte{7}, []byte{17}}, // does not exist
				{at(8), []byte{8}, nil},        // deleted already
				{at(9), []byte{}, []byte{19}},  // a missing block is not an empty one
			}
			want := map[Pos][]byte{at(0): {10}, at(1): {1}, at(3): {3}, at(4): {}, at(5): {5}}
			for run := range 2 { // the second run changes nothing
				if n, err := Exchange(ctx, w, list); n != 5 || err != nil {
					t.Errorf("run %d: %d, %v", run, n, err)
				}
				got := make(map[Pos][]byte)
				for b, err := range w.Blocks(ctx, All()) {
					if err != nil {
						t.Fatal(err)
					}
					got[b.Pos] = b.Data
				}
				for p, data := range want {
					if have, ok := got[p]; !ok || !bytes.Equal(have, data) {
						t.Errorf("run %d: %v is %v, not %v", run, p, have, data)
					}
				}
				if len(got) != len(want) {
					t.Errorf("run %d: %d blocks, not %d", run, len(got), len(want))
				}
			}
			if n, err := Exchange(ctx, w, nil); n != 0 || err != nil {
				t.Errorf("nothing: %d, %v", n, err)
			}
		})
	}
}
