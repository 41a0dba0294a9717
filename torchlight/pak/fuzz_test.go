package pak_test

import (
	"bytes"
	"errors"
	"testing"

	"trowel.example/fault"
	"trowel.example/torchlight/pak"
	"trowel.example/trace"
)

// FuzzManifest decodes arbitrary bytes as a manifest. A manifest that decodes must encode to identical bytes, and its
// dump must cover each byte once.
func FuzzManifest(f *testing.F) {
	for _, o := range oddities(f) {
		f.Add(o.man)
	}
	f.Add(write(f, sample(), nil).man)
	f.Fuzz(func(t *testing.T, data []byte) {
		pak.RecognizeManifest(data)
		at := int64(0)
		dumped := pak.DumpManifest(data, func(f trace.Field) {
			if f.Offset != at {
				t.Errorf("%s at %d, expected %d", f.Path, f.Offset, at)
			}
			at += f.Len
		})
		man, err := pak.DecodeManifest(data)
		if (err == nil) != (dumped == nil) {
			t.Errorf("decoding says %v, dumping %v", err, dumped)
		}
		if err != nil {
			if e := (*fault.Error)(nil); !errors.As(err, &e) || e.Path == "" {
				t.Errorf("an error without a place: %v", err)
			}
			return
		}
		back, err := man.Encode()
		if err != nil || !bytes.Equal(back, data) {
			t.Errorf("%x encodes to %x, %v", data, back, err)
		}
		if at != int64(len(data)) {
			t.Errorf("%d of %d bytes were reported", at, len(data))
		}
	})
}

// FuzzResidue rebuilds arbitrary archives with arbitrary manifests.
func FuzzResidue(f *testing.F) {
	for _, o := range oddities(f) {
		f.Add(o.pak, o.man)
	}
	f.Fuzz(func(t *testing.T, data, manifest []byte) {
		man, err := pak.DecodeManifest(manifest)
		if err != nil {
			return
		}
		r, err := pak.NewReader(bytes.NewReader(data), int64(len(data)), man)
		if err != nil {
			return
		}
		findings(r)
		if _, err := pak.NewResidue(r); err != nil {
			if !errors.Is(err, fault.ErrLimit) && !errors.Is(err, fault.ErrFormat) {
				t.Error(err)
			}
			return
		}
		got := write(t, list(t, r), residue(t, r))
		if !bytes.Equal(got.pak, data) || !bytes.Equal(got.man, manifest) {
			t.Errorf("is restored as %x and %x", got.pak, got.man)
		}
	})
}
