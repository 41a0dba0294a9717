package bin

import (
	"bytes"
	"testing"

	"trowel.example/fault"
)

func TestUTF16(t *testing.T) {
	for _, c := range []struct {
		units []byte
		want  string
	}{
		{nil, ""},
		{[]byte{'A', 0}, "A"},
		{[]byte{0xF6, 0, 0xAC, 0x20}, "ö€"},
		{[]byte{0x3D, 0xD8, 0x00, 0xDE}, "😀"},
		{[]byte{0x3D, 0xD8}, "\xED\xA0\xBD"},                          // a high surrogate at the end
		{[]byte{0x3D, 0xD8, 'x', 0}, "\xED\xA0\xBDx"},                 // before another unit
		{[]byte{0x00, 0xDE, 0x3D, 0xD8}, "\xED\xB8\x80\xED\xA0\xBD"},  // in the wrong order
		{[]byte{0x3D, 0xD8, 0x3D, 0xD8, 0x00, 0xDE}, "\xED\xA0\xBD😀"}, // two high, one low
		{[]byte{0xFD, 0xFF, 0xFF, 0xFF, 0, 0}, "\uFFFD\uFFFF\x00"},
	} {
		if got := DecodeUTF16(c.units); got != c.want {
			t.Errorf("DecodeUTF16(%x) = %q, want %q", c.units, got, c.want)
		}
		if got := AppendUTF16(nil, c.want); !bytes.Equal(got, c.units) {
			t.Errorf("AppendUTF16(%q) = %x, want %x", c.want, got, c.units)
		}
		if got := UTF16Len(c.want); got != len(c.units)/2 {
			t.Errorf("UTF16Len(%q) = %d, want %d", c.want, got, len(c.units)/2)
		}
	}
}

func TestWide(t *testing.T) {
	w := NewWriter(LittleEndian, 0)
	w.Wide16("aé")
	w.Wide32("\xED\xA0\xBD")
	r := NewReader(w.Data(), LittleEndian)
	if a, b := r.Wide16("a"), r.Wide32("b"); a != "aé" || b != "\xED\xA0\xBD" || r.Len() != 0 || r.Err() != nil {
		t.Errorf("%q %q %d %v", a, b, r.Len(), r.Err())
	}
	r = NewReader([]byte{2, 0, 'a', 0, 'b'}, LittleEndian)
	if r.Wide16("a"); r.Err() == nil || r.Err().(*fault.Error).Err != fault.ErrShort {
		t.Errorf("a string that ends too early: %v", r.Err())
	}
	r = NewReader([]byte{0xff, 0xff, 0xff, 0xff, 'a', 0}, LittleEndian)
	if r.Wide32("a"); r.Err() == nil || r.Err().(*fault.Error).Offset != 0 {
		t.Errorf("a length that lies: %v", r.Err())
	}
}

// FuzzUTF16 tests that UTF-16 units round-trip through strings.
func FuzzUTF16(f *testing.F) {
	f.Add([]byte{0x3D, 0xD8, 0x00, 0xDE, 0x3D, 0xD8})
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:len(b)&^1]
		s := DecodeUTF16(b)
		if back := AppendUTF16(nil, s); !bytes.Equal(back, b) || UTF16Len(s) != len(b)/2 {
			t.Fatalf("%x became %q became %x", b, s, back)
		}
	})
}
