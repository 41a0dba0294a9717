package pak_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/pak"
	"trowel.example/trace"
)

// zeros is an endless archive of zeros, with other bytes at the given offsets.
type zeros map[int64][]byte

func (z zeros) ReadAt(b []byte, at int64) (int, error) {
	clear(b)
	for from, data := range z {
		lo, hi := max(from, at), min(from+int64(len(data)), at+int64(len(b)))
		if lo < hi {
			copy(b[lo-at:hi-at], data[lo-from:hi-from])
		}
	}
	return len(b), nil
}

func crcOfZeros(n int64) uint32 {
	h := crc32.NewIEEE()
	_, _ = io.CopyN(h, zeroReader{}, n)
	return h.Sum32()
}

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func numbers(v ...uint32) (b []byte) {
	for _, v := range v {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// TestLarge tests that files larger than memory can be checked, and that they are rejected where the whole content
// would have to be in memory.
func TestLarge(t *testing.T) {
	tests.LongOnly(t, "reads gigabytes")
	const huge = 1 << 30
	packed, err := deflate.Compress(nil, make([]byte, 48<<20), 9)
	if err != nil {
		t.Fatal(err)
	}
	second := int64(8 + 8 + huge)
	archive := zeros{8: numbers(huge, 0), second: append(numbers(48<<20, uint32(len(packed))), packed...)}
	size := second + 8 + int64(len(packed))
	hash, err := pak.ArchiveHash(archive, size)
	if err != nil {
		t.Fatal(err)
	}
	archive[0] = numbers(uint32(len(packed)), hash)
	man := &pak.Manifest{Version: 2, Root: "MEDIA/", Sections: []pak.Section{{Name: "MEDIA/", Records: []pak.Record{
		{Name: "STORED.OGG", Type: pak.TypeOf("STORED.OGG"), Offset: 8, Size: huge, CRC32: crcOfZeros(huge), Time: 1},
		{Name: "PACKED.DDS", Type: pak.TypeOf("PACKED.DDS"), Offset: uint32(second), Size: 48 << 20, CRC32: crcOfZeros(48 << 20), Time: 1},
	}}}}
	r, err := pak.NewReader(archive, size, man)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	kinds := func() (list []string) {
		r.Check(func(f check.Finding) {
			if f.Severity == check.Error {
				list = append(list, f.String())
			}
		})
		return list
	}
	if found := kinds(); len(found) > 0 {
		t.Errorf("found %q", found)
	}
	man.Sections[0].Records[0].CRC32++
	man.Sections[0].Records[1].CRC32++
	if found := kinds(); len(found) != 2 {
		t.Errorf("wrong checksums: found %q", found)
	}
	archive[second+100] = []byte{1, 2, 3}
	if found := kinds(); len(found) != 2 {
		t.Errorf("a damaged stream: found %q", found)
	}
	if _, err := r.Files()[0].Content(); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("a content of 1 GiB: %v", err)
	}
	told := int64(0)
	if err := pak.Dump(archive, size, 0, man, func(f trace.Field) { told += f.Len }); err != nil || told != size {
		t.Errorf("dump: %d bytes of %d, %v", told, size, err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
		t.Errorf("took %d bytes of memory", took)
	}
}

// TestLargeTail tests that five gigabytes of zeros after the last block, which belong to no file, are checked without
// loading them.
func TestLargeTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pak")
	judge.Write(t, path, bytes.Repeat([]byte{0}, 8))
	if err := os.Truncate(path, 5<<30); err != nil {
		t.Skip("no sparse files here:", err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	man := &pak.Manifest{Version: 2, Root: "MEDIA/"}
	r, err := pak.NewReader(f, 5<<30, man)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r.Check(func(check.Finding) {})
	_, limit := pak.NewResidue(r)
	told := int64(0)
	err = pak.Dump(f, 5<<30, 0, man, func(f trace.Field) { told += f.Len })
	runtime.ReadMemStats(&after)
	if err != nil || told != 5<<30 || !errors.Is(limit, fault.ErrLimit) {
		t.Errorf("dump: %d bytes, %v; residue: %v", told, err, limit)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("took %d bytes of memory", took)
	}
}
