package mapblock

import (
	"testing"

	"trowel.example/trace"
)

// TestLocate tests that Locate returns the bytes of the node's id, in blocks of all versions.
func TestLocate(t *testing.T) {
	for version := range Newest + 1 {
		b := New(version)
		if version > 20 {
			b.Names = append(b.Names, NameID{1, "a:b"}, NameID{2, "a:c"})
		}
		b.Param0[7], b.Param0[8], b.Param0[0], b.Param0[NodeCount-1] = 1, 2, 1, 2
		data, err := b.EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		if b, err = Decode(data); err != nil {
			t.Fatal(err)
		}
		spaces := map[string][]byte{"": data} // filled from the fields of a dump
		if err := Dump(data, func(f trace.Field) {
			if f.Space != "" {
				if int64(len(spaces[f.Space])) != f.Offset {
					t.Fatalf("version %d: %s of %q is at %d, behind %d bytes", version, f.Path, f.Space, f.Offset, len(spaces[f.Space]))
				}
				spaces[f.Space] = append(spaces[f.Space], f.Bytes...)
			}
		}); err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{0, 1, 6, 7, 8, 9, 300, NodeCount - 1} {
			at, ok := Locate(data, i)
			if !ok || at.Offset+at.Len > int64(len(spaces[at.Space])) {
				t.Fatalf("version %d: node %d is at %+v, %v", version, i, at, ok)
			}
			value := uint16(0)
			for _, c := range spaces[at.Space][at.Offset : at.Offset+at.Len] {
				value = value<<8 | uint16(c)
			}
			if want := int64(contentWidth(version)); value != b.Param0[i] || at.Len != want {
				t.Errorf("version %d: node %d is %d at %+v, not %d in %d bytes", version, i, value, at, b.Param0[i], want)
			}
		}
		if _, ok := Locate(data[:len(data)/3], 7); ok && version > 3 {
			t.Errorf("version %d: a node of a damaged block is found", version)
		}
		for _, i := range []int{-1, NodeCount} {
			if _, ok := Locate(data, i); ok {
				t.Errorf("node %d is found", i)
			}
		}
	}
}
