package leveldb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
)

// The kinds of records, stored in the lowest byte of a tag, below the sequence number.
const (
	kindDelete = 0
	kindPut    = 1

	kindSalvaged = 2 // a put from data with a wrong checksum; never stored in a file
)

// tagSize is the length of the tag that ends an internal key: the sequence
// number of the record, shifted by 8, and its kind.
const tagSize = 8

// maxSequence is the highest sequence number: 56 bits.
const maxSequence = 1<<56 - 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC returns the checksum of parts in the form stored in files: rotated and with a constant added, so that
// checksums of data that contains checksums are not weaker.
func maskedCRC(parts ...[]byte) uint32 {
	crc := uint32(0)
	for _, p := range parts {
		crc = crc32.Update(crc, castagnoli, p)
	}
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// internalKey returns a user key with its tag.
func internalKey(user []byte, tag uint64) []byte {
	b := make([]byte, 0, len(user)+tagSize)
	return binary.LittleEndian.AppendUint64(append(b, user...), tag)
}

// splitKey splits an internal key, which must have its tag.
func splitKey(key []byte) (user []byte, tag uint64) {
	n := len(key) - tagSize
	return key[:n:n], binary.LittleEndian.Uint64(key[n:])
}

// compareKeys orders internal keys by user key, then from the newest to the oldest record.
func compareKeys(a, b []byte) int {
	userA, tagA := splitKey(a)
	userB, tagB := splitKey(b)
	if c := bytes.Compare(userA, userB); c != 0 {
		return c
	}
	switch {
	case tagA > tagB:
		return -1
	case tagA < tagB:
		return 1
	}
	return 0
}

// damaged returns an error for a place in a file.
func damaged(file, path string, offset int64, want, got string) *fault.Error {
	return &fault.Error{File: file, Path: path, Offset: offset, Want: want, Got: got, Err: fault.ErrFormat}
}

// readUvarint reads an integer with 7 bits per byte and at most bits bits.
func readUvarint(r *bin.Reader, name string, bits int) uint64 {
	at := r.Offset()
	var v uint64
	for shift := 0; shift < bits; shift += 7 {
		b := r.U8(name)
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if bits < 64 && v>>bits != 0 || shift == 63 && b > 1 {
				break
			}
			return v
		}
	}
	r.FailAt(at, name, fault.ErrFormat, fmt.Sprintf("a %d-bit integer", bits), "more")
	return 0
}

// readString reads a length and that many bytes.
func readString(r *bin.Reader, name string) []byte {
	at := r.Offset()
	n := readUvarint(r, name, 32)
	if n > uint64(r.Len()) {
		r.FailAt(at, name, fault.ErrShort, words.Count(n, "byte"), fmt.Sprintf("%d before the end of the data", r.Len()))
		return nil
	}
	return r.Bytes(name, int(n))
}

// appendString appends the length of s, and s.
func appendString(b, s []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
