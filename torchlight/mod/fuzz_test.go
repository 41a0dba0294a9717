package mod_test

import (
	"bytes"
	"context"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
	"trowel.example/trace"
)

// exercise passes arbitrary bytes to all functions that read, and what they return to all functions that write. It
// reports how far it came.
func exercise(t testing.TB, data []byte) (opened, rebuilt bool) {
	told := int64(0)
	dumped := mod.Dump(bytes.NewReader(data), int64(len(data)), func(f trace.Field) { told += f.Len })
	if told > int64(len(data)) {
		t.Errorf("dump told %d of %d bytes", told, len(data))
	}
	mod.Recognize(data[:min(len(data), 32)])
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return false, false
	}
	if dumped == nil && told != int64(len(data)) {
		t.Errorf("dump told %d of %d bytes", told, len(data))
	}
	check.Collect(m.Check)
	head, err := m.Header.Encode()
	if err != nil || !bytes.HasPrefix(data, head) {
		t.Errorf("the header encodes to other bytes, %v", err)
	}
	man, err := m.Manifest.Encode()
	if err != nil || !bytes.HasSuffix(data, man) {
		t.Errorf("the manifest encodes to other bytes, %v", err)
	}
	out := new(tests.Memory)
	if k, err := mod.NewResidue(m); err == nil {
		h, err := mod.HeaderOf(m.Header.ModDat(), throughJSON(t, m.Header.Residue()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mod.Write(context.Background(), out, h, contents(t, m), throughJSON(t, k)); err != nil || !bytes.Equal(out.Data, data) {
			t.Errorf("yields other bytes: %d for %d, %v", len(out.Data), len(data), err)
		}
		rebuilt = true
	}
	out = new(tests.Memory)
	man2, size, err := pak.NewEdit(m.Archive).Write(context.Background(), out)
	if err == nil {
		again, err := man2.Encode()
		if archive := data[m.Header.DataOffset:m.Header.ManifestOffset]; err != nil || size != int64(len(archive)) ||
			!bytes.Equal(out.Data, archive) || !bytes.Equal(again, man) {
			t.Errorf("an edit without a change gives other bytes, %v", err)
		}
	} else if rebuilt {
		t.Errorf("cannot be edited: %v", err)
	}
	return true, rebuilt
}

// FuzzMod opens, checks and rebuilds arbitrary bytes.
func FuzzMod(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, data) })
}
