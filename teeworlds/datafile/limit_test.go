package datafile_test

import (
	"errors"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/teeworlds/datafile"
)

// TestMaxContent tests that contents larger than the limit give an error and that the file keeps the block
// unchanged, and that a block that only states such a size returns the contents it has.
func TestMaxContent(t *testing.T) {
	stream := func(size int) []byte {
		s, err := deflate.Compress(nil, make([]byte, size), 1)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const most = 64 << 20
	large := stream(most + 1)
	f := &datafile.File{Version: 4}
	f.Data = []*datafile.Block{
		datafile.NewBlockStream(large, most+1),
		datafile.NewBlockStream(large, most),
		datafile.NewBlockStream(stream(most), most),
		datafile.NewBlockStream(stream(1000), most+1),
	}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err = datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []error{fault.ErrLimit, deflate.ErrTooLong, nil, deflate.ErrTooShort} {
		b := f.Block(int32(i))
		if err := b.Verify(); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("block %d: Verify: %v", i, err)
		}
		content, err := b.Bytes()
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("block %d: Bytes: %v", i, err)
		}
		if i == 3 && len(content) != 1000 {
			t.Errorf("block %d: %d bytes", i, len(content))
		}
	}
	if err := f.Verify(); !errors.Is(err, fault.ErrLimit) || !strings.Contains(err.Error(), "data[0]") {
		t.Errorf("the file: %v", err)
	}
}

// TestBytesUpTo tests that a block which only states too many bytes returns those that it has: its stream is damaged, and not
// above the limit.
func TestBytesUpTo(t *testing.T) {
	stream, err := deflate.Compress(nil, []byte("name\x00"), 9)
	if err != nil {
		t.Fatal(err)
	}
	content, err := datafile.NewBlockStream(stream, 1<<25+5).BytesUpTo(1 << 20)
	if string(content) != "name\x00" || !errors.Is(err, deflate.ErrTooShort) || errors.Is(err, fault.ErrLimit) {
		t.Errorf("%q, %v", content, err)
	}
	if stream, err = deflate.Compress(nil, make([]byte, 1<<21), 9); err != nil {
		t.Fatal(err)
	}
	if _, err = datafile.NewBlockStream(stream, 1<<21).BytesUpTo(1 << 20); !errors.Is(err, fault.ErrLimit) {
		t.Error(err)
	}
}
