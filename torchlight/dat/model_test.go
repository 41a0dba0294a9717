package dat_test

import (
	"testing"

	"trowel.example/internal/testing/mutate"
	"trowel.example/torchlight/dat"
)

func TestModel(t *testing.T) {
	for _, version := range []uint32{dat.Torchlight1, dat.Torchlight2} {
		f := sample()
		f.Version = version
		mutate.Model(t, f, (*dat.File).Clone, (*dat.File).Equal, (*dat.File).Encode)
	}
}

// TestEncodeValidates tests that a value that the format cannot hold is an error that names the part.
func TestEncodeValidates(t *testing.T) {
	for _, c := range []struct {
		edit func(f *dat.File)
		want string
	}{
		{func(f *dat.File) { f.Root = nil }, "root: expected a node, found nil"},
		{func(f *dat.File) { f.Root.Children[1].Children[0] = nil }, "root.children[1].children[0]: expected a node, found nil"},
		{func(f *dat.File) { f.Root.Properties[1].Type = 77 }, "root.properties[1].type: expected a type from 1 to 9, found 77"},
		{func(f *dat.File) { f.Root.Children[0].Properties[0].Value = 1 << 32 },
			"root.children[0].properties[0].value: expected 32 bits, found 0x100000000"},
	} {
		f := sample()
		c.edit(f)
		if _, err := f.Encode(); err == nil || err.Error() != c.want {
			t.Errorf("Encode: %v, want %s", err, c.want)
		}
	}
}
