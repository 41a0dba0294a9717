package pak_test

import (
	"testing"

	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/pak"
)

func TestModel(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	mutate.Model(t, &pak.Manifest{Version: 2, Hash: 1, Root: pak.DefaultRoot, Hint: 2, Rest: []byte{3}, Sections: []pak.Section{
		{Records: []pak.Record{{Type: pak.TypeDirectory, Name: "SKILLS/"}}},
		{Name: "MEDIA/SKILLS/", Records: []pak.Record{{CRC32: 4, Type: pak.TypeDat, Name: "A.DAT", Offset: 8, Size: 5, Time: 6}}},
	}}, (*pak.Manifest).Clone, (*pak.Manifest).Equal, (*pak.Manifest).Encode)
}
