package mod_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
	"trowel.example/trace"
)

// sparse is a file that continues with zeroes, like a sparse file on disk.
type sparse struct {
	data []byte
	size int64
	end  []byte // the last bytes of the file
}

func (s sparse) ReadAt(b []byte, at int64) (int, error) {
	if at >= s.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), s.size-at))
	clear(b[:n])
	if at < int64(len(s.data)) {
		copy(b[:n], s.data[at:])
	}
	if from := s.size - int64(len(s.end)); at+int64(n) > from {
		copy(b[max(0, from-at):n], s.end[max(0, at-from):])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// TestSparse tests that the offsets and lengths in a sparse file cannot cause allocations out of proportion to the
// space that it takes.
func TestSparse(t *testing.T) {
	var out bytes.Buffer
	if err := mod.Join(&out, mod.NewHeader(), io.NewSectionReader(bytes.NewReader(make([]byte, 8)), 0, 8),
		seal(t, &pak.Manifest{Version: 2, Root: pak.DefaultRoot})); err != nil {
		t.Fatal(err)
	}
	data := out.Bytes()
	put := func(at int, v uint32) []byte {
		changed := bytes.Clone(data)
		binary.LittleEndian.PutUint32(changed[at:], v)
		return changed
	}
	start := binary.LittleEndian.Uint32(data[12:])
	// A stored file of the largest size that is checked without a noticeable pause.
	const stored = 300 << 20
	large := put(16, start+8+8+stored)[:start]
	large = binary.LittleEndian.AppendUint64(large, 0)
	large = binary.LittleEndian.AppendUint32(large, stored)
	large = binary.LittleEndian.AppendUint32(large, 0)
	man := seal(t, &pak.Manifest{Version: 2, Root: pak.DefaultRoot,
		Sections: []pak.Section{{Name: "MEDIA/", Records: []pak.Record{{Name: "A.WAV", Type: pak.TypeSound, Offset: 8,
			Size: stored, CRC32: zeroes(stored)}}}}})
	for name, c := range map[string]struct {
		src sparse
		err error
	}{
		"manifest": {sparse{data, 1 << 40, nil}, fault.ErrLimit},
		"header":   {sparse{put(12, 1<<31), 1 << 40, nil}, fault.ErrLimit},
		"cut":      {sparse{put(16, 1<<32-1), 1 << 31, nil}, fault.ErrShort},
		"gap":      {sparse{put(16, 1<<31), 1<<31 + int64(len(data)) - int64(start) - 8, data[start+8:]}, nil},
		"stored":   {sparse{large, int64(len(large)) + stored + int64(len(man)), man}, nil},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := mod.Open(c.src, c.src.size)
		if !errors.Is(err, c.err) || err == nil && c.err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		if err == nil {
			for _, f := range check.Collect(m.Check) {
				if f.ID == "tl-pak-crc" || f.ID == "tl-pak-corrupt" {
					t.Errorf("%s: %v", name, f)
				}
			}
			_, _ = mod.NewResidue(m)
		}
		_ = mod.Dump(c.src, c.src.size, func(trace.Field) {})
		runtime.ReadMemStats(&after)
		// The residue of a stored file reads its content once.
		if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 && name != "stored" || got > 2*stored {
			t.Errorf("%s: allocated %d bytes", name, got)
		}
	}
}

// zeroes returns the checksum of n zeroes.
func zeroes(n int) uint32 {
	sum, zero := crc32.NewIEEE(), make([]byte, 1<<20)
	for ; n > 0; n -= len(zero) {
		sum.Write(zero[:min(n, len(zero))])
	}
	return sum.Sum32()
}

func seal(t *testing.T, man *pak.Manifest) []byte {
	t.Helper()
	data, err := man.Seal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}
