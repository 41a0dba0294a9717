package bin_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/trace"
)

func TestRoundTrip(t *testing.T) {
	for _, order := range []bin.Order{bin.LittleEndian, bin.BigEndian} {
		w := bin.NewWriter(order, 0)
		w.U8(0xfe)
		w.U16(0xfedc)
		w.U32(0xfedcba98)
		w.Int32(-5)
		w.U64(0xfedcba9876543210)
		w.F32(1.5)
		w.Int32s([]int32{1, -1})
		w.Bytes([]byte("tee\x00"))
		w.U16(2)
		w.Bytes([]byte("ab"))
		w.PutU32(3, 7)

		r := bin.NewReader(w.Data(), order)
		got := []any{r.U8("a"), r.Int16("b"), r.U32("c"), r.Int32("d"), r.Int64("e"), r.F32("f"),
			r.Int32s("h", 2), r.CString("i"), r.String16("j"), r.Len()}
		want := []any{uint8(0xfe), int16(-292), uint32(7), int32(-5), int64(-81985529216486896), float32(1.5),
			[]int32{1, -1}, "tee", "ab", 0}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order %v: %s", order, diff)
		}
		if r.Err() != nil {
			t.Error(r.Err())
		}
	}
}

// TestStickyError tests that the first error is kept with its place, and that later reads return nothing.
func TestStickyError(t *testing.T) {
	r := bin.NewReader([]byte{1, 0, 0, 0, 2, 0}, bin.LittleEndian).At(100)
	r.Enter("header")
	if v := r.Int32("version"); v != 1 {
		t.Errorf("version = %d", v)
	}
	r.EnterIndex("items", 3)
	if v := r.Int32("size"); v != 0 {
		t.Errorf("size = %d, want 0", v)
	}
	r.Leave()
	if v := r.U16("later"); v != 0 {
		t.Errorf("a read after an error gave %d", v)
	}
	want := &fault.Error{Path: "header.items[3].size", Offset: 104, Want: "4 bytes", Got: "2 before the end of the data", Err: fault.ErrShort}
	var got *fault.Error
	if !errors.As(r.Err(), &got) || *got != *want {
		t.Fatalf("error = %+v, want %+v", got, want)
	}
	if !errors.Is(r.Err(), fault.ErrShort) {
		t.Error("error does not wrap ErrShort")
	}
	const text = "a.map: header.items[3].size at offset 104: expected 4 bytes, found 2 before the end of the data"
	if err := fault.InFile(r.Err(), "a.map"); err.Error() != text {
		t.Errorf("error text = %q, want %q", err, text)
	}
}

// TestCount tests that a count is accepted only if enough bytes follow.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		data []byte
		want int
		err  error
	}{
		{[]byte{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 2, nil},
		{[]byte{3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0, fault.ErrShort},
		{[]byte{0xff, 0xff, 0xff, 0x7f}, 0, fault.ErrShort},
		{[]byte{0xff, 0xff, 0xff, 0xff}, 0, fault.ErrFormat},
		{[]byte{1}, 0, fault.ErrShort},
	} {
		r := bin.NewReader(c.data, bin.LittleEndian)
		if n := r.Count("n", 4); n != c.want || !errors.Is(r.Err(), c.err) {
			t.Errorf("Count of %v = %d, %v, want %d, %v", c.data, n, r.Err(), c.want, c.err)
		}
	}
	r := bin.NewReader(make([]byte, 8), bin.LittleEndian)
	allocs := testing.AllocsPerRun(10, func() { r.Int32s("n", 1<<30) })
	if r.Err() == nil || allocs > 2 {
		t.Errorf("reading 2^30 integers from 8 bytes: %v, %v allocations", r.Err(), allocs)
	}
}

func TestTrace(t *testing.T) {
	data := []byte{1, 0, 2, 0, 0, 0, 'x', 0, 9, 9, 5, 0}
	r := bin.NewReader(data, bin.LittleEndian)
	var got []trace.Field
	r.Trace(func(f trace.Field) { got = append(got, f) })
	r.U16("version")
	r.MeansText("old")
	r.Enter("body")
	r.U32("n")
	r.CString("name")
	r.Span("rest", 2)
	sub := r.Sub("tail", 2)
	sub.Int16("last")
	sub.Flush()
	r.Leave()
	r.Flush()
	want := []trace.Field{
		{Path: "version", Len: 2, Value: uint16(1), Meaning: "old"},
		{Path: "body.n", Offset: 2, Len: 4, Value: uint32(2)},
		{Path: "body.name", Offset: 6, Len: 2, Value: "x"},
		{Path: "body.rest", Offset: 8, Len: 2},
		{Path: "body.last", Offset: 10, Len: 2, Value: int16(5)},
	}
	for i, f := range want {
		want[i].Bytes = data[f.Offset : f.Offset+f.Len]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzReader tests that no sequence of reads makes a Reader panic or leave its data.
func FuzzReader(f *testing.F) {
	f.Add([]byte("DATA\x04\x00\x00\x00"), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{255, 255, 255, 255, 0, 0}, []byte{5, 6, 7, 8})
	f.Fuzz(func(t *testing.T, data, ops []byte) {
		r := bin.NewReader(data, bin.Order(len(ops)%2 == 0))
		sum := int64(0)
		r.Trace(func(f trace.Field) {
			if f.Offset < 0 || f.Len < 0 || f.Offset+f.Len > int64(len(data)) {
				t.Fatalf("field outside of the data: %+v", f)
			}
			sum += f.Len
		})
		for _, op := range ops {
			switch op % 10 {
			case 0:
				r.U8("u8")
			case 1:
				r.U16("u16")
			case 2:
				r.U64("u64")
			case 3:
				r.Int32s("ints", int(op))
			case 4:
				r.CString("cstring")
			case 5:
				r.String16("string16")
			case 6:
				r.String32("string32")
			case 7:
				r.Bytes("bytes", r.Count32("count", 3))
			case 8:
				r.Span("span", r.Count16("count", 1))
			case 9:
				r.Count("count", 1000)
			}
		}
		r.Flush()
		if r.Err() == nil && sum != r.Offset() {
			t.Errorf("traced %d bytes, read %d", sum, r.Offset())
		}
		if r.Offset()+int64(r.Len()) != int64(len(data)) {
			t.Error("the cursor left the data")
		}
	})
}

func BenchmarkReader(b *testing.B) {
	data := make([]byte, 4<<10)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r := bin.NewReader(data, bin.LittleEndian)
		for range len(data) / 4 {
			r.Int32("field")
		}
	}
}

func ExampleReader() {
	r := bin.NewReader([]byte{2, 0, 0, 0, 10, 0, 0, 0}, bin.LittleEndian)
	r.Enter("header")
	n := r.Count("num_items", 4)
	r.Leave()
	for i := range n {
		r.EnterIndex("items", i)
		r.Int32("value")
		r.Leave()
	}
	fmt.Println(r.Err())
	// Output: header.num_items at offset 0: expected at most 1, which fit into the rest of the data, found 2
}
