package moddir_test

import (
	"context"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/moddir"
)

// TestLeftOut tests that a pipe is left out with a report, and that a picture in the folder of a table needs no table.
func TestLeftOut(t *testing.T) {
	fsys := fstest.MapFS{
		"MOD.DAT":            {Data: moddir.ModDat(header())},
		"MEDIA/UNITS/x.DAT":  {Mode: fs.ModeNamedPipe},
		"MEDIA/UI/a.dds":     {Data: []byte("DDS ")},
		"MEDIA/UI/b/MORE.GO": {Data: []byte("x")},
	}
	var out tests.Memory
	report, _, err := moddir.Build(context.Background(), &out, fsys, moddir.BuildOptions{Options: moddir.Options{Warn: func(path,
		message string) {
		t.Errorf("%s: %s", path, message)
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"MEDIA/UNITS/x.DAT"}; !slices.Equal(report.Left, want) {
		t.Errorf("left out are %q", report.Left)
	}
}
