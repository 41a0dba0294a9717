package layout_test

import (
	"errors"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/layout"
)

func decode(t testing.TB, data []byte) *layout.File {
	t.Helper()
	f, err := layout.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestModel(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	f := decode(t, compileString(t, sample))
	mutate.Model(t, f, (*layout.File).Clone, (*layout.File).Equal, (*layout.File).Encode)
	// Objects can also be cloned one by one.
	for o := range f.All() {
		c := o.Clone()
		c.ID++
		c.Children = append(c.Children, &layout.Object{Empty: true})
	}
	if !f.Equal(decode(t, compileString(t, sample))) {
		t.Error("what was done to a clone of an object changed the layout")
	}
}

// TestEncodeValidates tests that a value that the format cannot hold is an error that names the part.
func TestEncodeValidates(t *testing.T) {
	for _, c := range []struct {
		edit func(f *layout.File)
		want string
	}{
		{func(f *layout.File) { f.Objects[0] = nil }, "objects[0]: expected an object, found nil"},
		{func(f *layout.File) { f.Objects[0].Children[0] = nil }, "objects[0].children[0]: expected an object, found nil"},
		{func(f *layout.File) { f.Objects[0].Empty = true }, "objects[0]: expected no content in an Empty object, found Doors"},
		{func(f *layout.File) { f.Objects[0].Extra = &layout.Timeline{} },
			"objects[0].extra: expected a Timeline in an object of kind Timeline, found in another, or nil"},
		{func(f *layout.File) { f.Groups.Children[0] = nil }, "groups: expected a group, found nil"},
		{func(f *layout.File) { f.Groups.Children[0].Object = &layout.Object{Name: "x"} },
			"groups: expected an object of kind Group that is in the layout, found x"},
	} {
		f := decode(t, compileString(t, sample))
		c.edit(f)
		if _, err := f.Encode(); !errors.Is(err, fault.ErrFormat) || err.Error() != c.want {
			t.Errorf("Encode: %v, want %s", err, c.want)
		}
	}
}
