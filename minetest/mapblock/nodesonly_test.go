package mapblock

import (
	"slices"
	"testing"
)

// TestDecodeNodes tests that DecodeNodes reads the same nodes and names as Decode.
func TestDecodeNodes(t *testing.T) {
	for version := range Newest + 1 {
		data, err := sample(version).Encode()
		if err != nil {
			t.Fatal(err)
		}
		want, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		var got Block
		if err := got.DecodeNodes(data); err != nil {
			t.Errorf("version %d: %v", version, err)
			continue
		}
		if got.Param0 != want.Param0 || got.Param1 != want.Param1 || got.Param2 != want.Param2 ||
			!slices.Equal(got.Names, want.Names) || got.ContentWidth != want.ContentWidth {
			t.Errorf("version %d: the nodes differ", version)
		}
	}
}
