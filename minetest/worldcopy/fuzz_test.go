package worldcopy

import (
	"testing"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// FuzzConvert tests that any block is either copied unchanged, converted to the requested version, or left out
// because it cannot be read.
func FuzzConvert(f *testing.F) {
	for _, version := range []int{17, 20, 22, 23, 24, 25, 28, 29} {
		data, err := mapblock.New(version).Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint8(29), false)
		f.Add(data, uint8(20), true)
		f.Add(data[:len(data)/2], uint8(28), true)
	}
	f.Add([]byte{}, uint8(25), false)
	f.Fuzz(func(t *testing.T, data []byte, version uint8, drop bool) {
		if !mapblock.Writable(int(version)) {
			return
		}
		c := &copier{plan: plan{opts: Options{Blocks: int(version), Drop: drop}}}
		o := c.convert(mapdb.Block{Data: data}, nil)
		switch o.fate {
		case copied:
			if string(o.data) != string(data) || data[0] != version {
				t.Errorf("version %d is copied with %d bytes of %d", data[0], len(o.data), len(data))
			}
		case kept:
			if string(o.data) != string(data) || len(o.found) == 0 {
				t.Errorf("%d bytes are kept as %d, %d findings", len(data), len(o.data), len(o.found))
			}
		case dropped:
			if _, err := mapblock.Decode(data); err == nil || !drop || len(o.found) == 0 {
				t.Error("a block is left out that can be read")
			}
		case converted:
			if b, err := mapblock.Decode(o.data); err != nil || b.Version != int(version) {
				t.Errorf("to version %d: %v", version, err)
			}
		}
		if o.fate != dropped && o.sum != sumOf(mapdb.Pos{}, o.data) {
			t.Error("the digest is of other bytes")
		}
	})
}
