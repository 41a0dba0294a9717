package datafile_test

import (
	"testing"

	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
)

func TestModel(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	f := new(datafile.File) // the zero value is a file of version 4
	f.AddUUIDItem(datafile.NameUUID("x"), 1, 2, 3)
	f.AddItem(4, 5, 6)
	f.AddItem(4, 7, f.AddData([]byte("data")))
	f.AddData([]byte("more"))
	mutate.Model(t, f, (*datafile.File).Clone, (*datafile.File).Equal, (*datafile.File).Encode)
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := datafile.Decode(data)
	if err != nil || read.Version != 4 || !read.Equal(f) {
		t.Fatalf("it came back as version %d: %v", read.Version, err)
	}
	mutate.Model(t, read, (*datafile.File).Clone, (*datafile.File).Equal, (*datafile.File).Encode)
	read.Data[1] = nil
	if _, err := read.Encode(); err == nil || err.Error() != "data[1]: expected a block, found nil" {
		t.Error(err)
	}
}
