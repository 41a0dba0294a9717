package mapblock

import (
	"fmt"
	"testing"
)

// TestCounts tests that Counts matches the nodes in every version, and that ids without a name are counted together.
func TestCounts(t *testing.T) {
	for version := range Newest + 1 {
		b := sample(version)
		if version >= 24 { // two ids with one name, two names for one id, and two ids without a name
			b.Names = append(b.Names, NameID{700, "air"}, NameID{700, "mod:thing"}, NameID{701, "mod:thing"})
			copy(b.Param0[:], []uint16{700, 701, 900, 5000, 5000})
		}
		want := make(map[string]int)
		n := b.Nodes()
		for i := range NodeCount {
			want[n.At(i)]++
		}
		for _, c := range b.Counts() {
			if c.Count == 0 || want[c.Name] != c.Count {
				t.Errorf("version %d: %d nodes %q, want %d", version, c.Count, c.Name, want[c.Name])
			}
			delete(want, c.Name)
		}
		if len(want) > 0 {
			t.Errorf("version %d: not counted: %v", version, want)
		}
	}
}

// TestManyNames tests that blocks with very many names have them in order of first occurrence, each once.
func TestManyNames(t *testing.T) {
	b := New(Newest)
	b.Names = nil
	for i := range NodeCount {
		id := uint16(NodeCount - 1 - i)
		b.Names = append(b.Names, NameID{id, fmt.Sprint("mod:", id/2)}) // two ids for each name
		b.Param0[i] = id
	}
	n := b.Nodes()
	if len(n.Names) != NodeCount/2 {
		t.Errorf("%d names", len(n.Names))
	}
	for i := range NodeCount {
		if id := NodeCount - 1 - i; n.Name[i] != uint16(i/2) || n.At(i) != fmt.Sprint("mod:", id/2) {
			t.Fatalf("node %d: %q, %d", i, n.At(i), n.Name[i])
		}
	}
}

// TestInflated tests that Inflated returns the size of the file for uncompressed blocks, and the size of the inflated
// sections otherwise.
func TestInflated(t *testing.T) {
	for version := range Newest + 1 {
		b := sample(version)
		data, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, "rest"...)
		got, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		want := len(data)
		switch {
		case version >= 16:
			want = 1 + len(content(b)) + len("rest")
		case version >= 11:
			want = 1 + len(content(b)) + 2*b2i(version >= 14) + len("rest") // the length of the metadata
		case version == 4 || version >= 7:
			want = 1 + 1 + nodeBytes(version)*NodeCount + 2*b2i(version >= 9) + len("rest")
		}
		if got.Inflated() != want {
			t.Errorf("version %d: %d bytes, want %d", version, got.Inflated(), want)
		}
	}
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}
