package worldcopy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
)

// sum is a digest of blocks that does not depend on their order, because databases have different orders: the sum of
// the SHA-256 of each position with its bytes, in four lanes.
type sum [4]uint64

// sumOf returns the digest of one block.
func sumOf(p mapdb.Pos, data []byte) (s sum) {
	h := sha256.New()
	var key [8]byte
	binary.BigEndian.PutUint64(key[:], uint64(p.Key()))
	h.Write(key[:])
	h.Write(data)
	digest := h.Sum(nil)
	for i := range s {
		s[i] = binary.BigEndian.Uint64(digest[8*i:])
	}
	return s
}

func (s *sum) add(t sum) {
	for i := range s {
		s[i] += t[i]
	}
}

// hash is a part of the digest of one block, for manifests.
func (s sum) hash() manifest.Hash { return max(1, manifest.Hash(s[0])) }

func (s sum) String() string {
	var b []byte
	for _, lane := range s {
		b = binary.BigEndian.AppendUint64(b, lane)
	}
	return hex.EncodeToString(b)
}
