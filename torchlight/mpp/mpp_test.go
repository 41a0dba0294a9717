package mpp_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/torchlight/mpp"
	"trowel.example/trace"
)

func sample() *mpp.File {
	return &mpp.File{Width: 3, Height: 2, OffsetX: 15.2, OffsetZ: -0.1, SizeX: 1.2, SizeZ: 0.8, Cells: []byte{0, 1, 255, 0, 0, 1}}
}

func encode(t testing.TB, f *mpp.File) []byte {
	t.Helper()
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLayout(t *testing.T) {
	want := []byte{3, 0, 0, 0, 2, 0, 0, 0,
		0x33, 0x33, 0x73, 0x41, 0xcd, 0xcc, 0xcc, 0xbd, 0x9a, 0x99, 0x99, 0x3f, 0xcd, 0xcc, 0x4c, 0x3f,
		0, 1, 255, 0, 0, 1}
	if got := encode(t, sample()); !bytes.Equal(got, want) {
		t.Fatalf("encoded\n%x, want\n%x", got, want)
	}
	got, err := mpp.Decode(want)
	if diff := cmp.Diff(sample(), got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if !mpp.Recognize(want) || !mpp.Recognize(want[:25]) || mpp.Recognize(append(bytes.Clone(want), 0)) ||
		mpp.Recognize([]byte("[UNIT]\r\n")) {
		t.Error("a grid is not told from other files")
	}
}

func TestForm(t *testing.T) {
	form, residue, err := mpp.Decompile(encode(t, sample()), mpp.Options{})
	const want = "P5\n# offset 15.2 -0.1 size 1.2 0.8\n3 2\n255\n\x00\x80\xff\x00\x00\x80"
	if string(form) != want || residue != nil || err != nil {
		t.Fatalf("%q, %v, %v", form, residue, err)
	}
	// A picture in a format that another program may write.
	data, err := mpp.Compile([]byte("P5 # made by hand\n#offset 15.2 -0.1 size 1.2 0.8\n 3\t2 # size\n255 "+
		"\x00\x80\xff\x00\x00\x80"), nil, mpp.Options{})
	if err != nil || !bytes.Equal(data, encode(t, sample())) {
		t.Errorf("%x, %v", data, err)
	}
	if _, _, err := mpp.Decompile(nil, mpp.Options{Path: "A.MPP"}); err == nil ||
		!strings.HasPrefix(err.Error(), "A.MPP: width at offset 0") {
		t.Error(err)
	}
	for _, c := range []struct{ form, want string }{
		{"", "begins with P5"},
		{"P2\n1 1\n255\n0", "begins with P5"},
		{"P5\n1 1\n255\n\x00", `a line such as "# offset 70 20 size 130 130"`},
		{"P5\n# offset 1 2 size 3 x\n1 1\n255\n\x00", "a line such as"},
		{"P5\n# offset 1 2 size 3 4\n1 1\n65535\n\x00", "255"},
		{"P5\n# offset 1 2 size 3 4\n2 1\n255\n\x00", "2 × 1 bytes"},
		{"P5\n# offset 1 2 size 3 4\n2147483647 2147483647\n255\n\x00", "2147483647 × 2147483647 bytes"},
		{"P5\n# offset 1 2 size 3 4\n-1 1\n255\n\x00", "width"},
		{"P5\n# offset 1 2 size 3 4\n1 1\n255", "a space before the pixels"},
		{"P5\n# no end", "width"},
	} {
		_, err := mpp.Compile([]byte(c.form), nil, mpp.Options{Path: "A.MPP"})
		var e *fault.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "A.MPP: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want an error with %q", c.form, err, c.want)
		}
	}
}

// TestFloats tests that floats without a text form are restored from the residue, and others from the text.
func TestFloats(t *testing.T) {
	for _, bits := range []uint32{0, 1, 0x80000000, 0x3dcccccd, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xffa00005} {
		f := sample()
		f.OffsetZ = math.Float32frombits(bits)
		data := encode(t, f)
		form, residue, err := mpp.Decompile(data, mpp.Options{})
		if err != nil || (residue != nil) != (f.OffsetZ != f.OffsetZ) {
			t.Fatalf("%#x: %v, residue %v", bits, err, residue)
		}
		if back, err := mpp.Compile(form, residue, mpp.Options{}); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%#x: %x, want %x, %v", bits, back, data, err)
		}
	}
}

func TestErrors(t *testing.T) {
	data := encode(t, sample())
	for n := range len(data) {
		if _, err := mpp.Decode(data[:n]); err == nil {
			t.Errorf("%d of %d bytes decode", n, len(data))
		}
	}
	for _, c := range []struct {
		at   int
		v    byte
		want string
	}{
		{0, 4, "expected 4 × 2 cells of one byte, found 6 bytes"},
		{3, 0xff, "a width and height of 0 or more"},
		{7, 0x7f, "cells of one byte"},
	} {
		bad := bytes.Clone(data)
		bad[c.at] = c.v
		if _, err := mpp.Decode(bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("byte %d is %d: %v", c.at, c.v, err)
		}
	}
	if _, err := (&mpp.File{Width: 2, Height: 2, Cells: make([]byte, 3)}).Encode(); err == nil {
		t.Error("a grid with too few cells is encoded")
	}
}

func TestDump(t *testing.T) {
	data := encode(t, sample())
	var paths []string
	end := int64(0)
	err := mpp.Dump(data, func(f trace.Field) {
		if f.Offset != end {
			t.Errorf("%s at %d, want %d", f.Path, f.Offset, end)
		}
		end = f.Offset + f.Len
		paths = append(paths, f.Path)
	})
	want := []string{"width", "height", "offset_x", "offset_z", "size_x", "size_z", "cells"}
	if diff := cmp.Diff(want, paths); diff != "" || err != nil || end != int64(len(data)) {
		t.Error(err, end, diff)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(f *mpp.File)
		want   string
	}{
		{"good", func(f *mpp.File) {}, ""},
		{"cell", func(f *mpp.File) { f.Cells[4], f.Cells[5] = 7, 8 }, "tl-mpp-cell at 28"},
		{"nowhere", func(f *mpp.File) { f.Cells = bytes.Repeat([]byte{255}, 6) }, "tl-mpp-nowhere at -1"},
		{"size", func(f *mpp.File) { f.SizeZ = 0 }, "tl-mpp-world at -1"},
		{"infinite", func(f *mpp.File) { f.OffsetX = float32(math.Inf(1)) }, "tl-mpp-world at -1"},
		{"no number", func(f *mpp.File) { f.SizeX = float32(math.NaN()) }, "tl-mpp-world at -1"},
	} {
		f := sample()
		c.change(f)
		var got []string
		mpp.Check(encode(t, f), func(f check.Finding) { got = append(got, fmt.Sprintf("%s at %d", f.ID, f.Offset)) })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
	found := check.Collect(func(s check.Sink) { mpp.Check([]byte{1}, s) })
	if len(found) != 1 || found[0].ID != "tl-mpp-unreadable" {
		t.Errorf("found %v in a file of one byte", found)
	}
}

// FuzzDecode tests that grids round-trip through the model and through the picture.
func FuzzDecode(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Add(encode(f, &mpp.File{SizeX: float32(math.NaN())}))
	f.Add([]byte{0, 0, 1, 0, 0, 0, 1, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		mpp.Recognize(data)
		mpp.Check(data, func(check.Finding) {})
		dumpErr := mpp.Dump(data, func(trace.Field) {})
		file, err := mpp.Decode(data)
		if (err == nil) != (dumpErr == nil) {
			t.Fatalf("Decode: %v, Dump: %v", err, dumpErr)
		}
		if err != nil {
			return
		}
		if back, err := file.Encode(); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("encoded %x, want %x, %v", back, data, err)
		}
		form, residue, err := mpp.Decompile(data, mpp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if back, err := mpp.Compile(form, residue, mpp.Options{}); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("compiled %x, want %x, %v", back, data, err)
		}
	})
}

// FuzzParse tests that a picture gives an error, or a grid whose picture gives an equal grid.
func FuzzParse(f *testing.F) {
	f.Add(mpp.Format(sample()))
	f.Add([]byte("P5 #\n#offset 1 inf size -0 nan\n1 1 255\n\x07"))
	f.Fuzz(func(t *testing.T, form []byte) {
		data, err := mpp.Compile(form, nil, mpp.Options{})
		if err != nil {
			return
		}
		again, residue, err := mpp.Decompile(data, mpp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if back, err := mpp.Compile(again, residue, mpp.Options{}); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%x, want %x, %v", back, data, err)
		}
	})
}

func BenchmarkDecompile(b *testing.B) {
	data := encode(b, &mpp.File{Width: 500, Height: 500, SizeX: 200, SizeZ: 200, Cells: make([]byte, 500*500)})
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := mpp.Decompile(data, mpp.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	form := mpp.Format(&mpp.File{Width: 500, Height: 500, SizeX: 200, SizeZ: 200, Cells: make([]byte, 500*500)})
	b.SetBytes(int64(len(form)))
	for b.Loop() {
		if _, err := mpp.Compile(form, nil, mpp.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestWorld tests where the first cell is: at the corner of the box, or a cell before it if there is one more than fits.
func TestWorld(t *testing.T) {
	for _, c := range []struct {
		width        int
		size, offset float32
		corner, cell float64
	}{{325, 130, 70, -70, .4}, {301, 120, 60, -60.4, .4}, {50, 20, 10, -10, .4}, {2, 2, 0, 0, 1}, {0, 0, 5, -5, 0}} {
		f := &mpp.File{Width: c.width, Height: c.width, OffsetX: c.offset, OffsetZ: c.offset, SizeX: c.size, SizeZ: c.size}
		corner, cell := f.World()
		for i := range 2 {
			if math.Abs(corner[i]-c.corner) > 1e-9 || math.Abs(cell[i]-c.cell) > 1e-6 {
				t.Errorf("%d cells in %g units from %g on: %v, %v", c.width, c.size, -c.offset, corner, cell)
			}
		}
	}
}
