package mapdb_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// swollen is a block of version 29 whose frame states n blocks of 128 KiB of one byte.
func swollen(n int) []byte {
	data := []byte{29, 0x28, 0xb5, 0x2f, 0xfd, 0, 0x58}
	for i := range n {
		head := uint32(128<<10<<3 | 1<<1)
		if i == n-1 {
			head |= 1
		}
		data = append(data, byte(head), byte(head>>8), byte(head>>16), 0)
	}
	return data
}

// TestBounded tests that blocks are counted if they inflate to much more than others, each position once, and that the first block
// beyond the budget is the last.
func TestBounded(t *testing.T) {
	usual, err := mapblock.New(29).Encode()
	if err != nil {
		t.Fatal(err)
	}
	large := swollen(500) // 62.5 MiB
	rows := func(yield func(mapdb.Block, error) bool) {
		for i := range int16(100) {
			for _, data := range [][]byte{usual, swollen(2), large} {
				if !yield(mapdb.Block{Pos: mapdb.Pos{X: i}, Data: data}, nil) {
					return
				}
			}
		}
	}
	each := int64(500*128<<10 - 256<<10 - 1024*len(large))
	most := effort.WorldContents.Least / each
	n := int64(0)
	var last error
	for b, err := range mapdb.Bounded(rows) {
		if last != nil {
			t.Fatal("a block after the error")
		}
		if last = err; len(b.Data) == len(large) {
			n++
		}
	}
	if want := fmt.Sprintf("blocks[%d,0,0]: ", most); !errors.Is(last, effort.ErrMet) || n != most || !strings.HasPrefix(last.Error(), want) {
		t.Errorf("%d blocks, want %d: %v", n, most, last)
	}
	var bound mapdb.Bound
	for range 2 {
		for i := range int16(most) {
			if err := bound.Spend(mapdb.Pos{X: i}, large); err != nil {
				t.Fatal(i, err)
			}
		}
	}
	for range 2 {
		if err := bound.Spend(mapdb.Pos{Y: 1}, large); !errors.Is(err, effort.ErrMet) {
			t.Errorf("one more: %v", err)
		}
	}
	if err := bound.Spend(mapdb.Pos{}, usual); err != nil {
		t.Error(err)
	}
}
