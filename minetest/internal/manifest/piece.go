package manifest

import (
	"encoding/binary"

	"trowel.example/fault"
	"trowel.example/minetest/mapdb"
)

// AppendEntry appends an entry to a piece of a manifest: entries in any order, about 10 bytes each, which are sorted
// together with those of other pieces later. The argument last is the key of the previous entry in the piece (see
// [mapdb.Pos.Key]), or 0 for the first entry.
func AppendEntry(piece []byte, last int64, e Entry) []byte {
	piece = binary.AppendVarint(piece, e.Pos.Key()-last)
	return binary.LittleEndian.AppendUint64(piece, uint64(e.Hash))
}

// ReadPiece calls add with each entry of a piece.
func ReadPiece(piece []byte, add func(Entry) error) error {
	key := int64(0)
	for at := 0; at < len(piece); {
		step, n := binary.Varint(piece[at:])
		if n <= 0 || len(piece)-at-n < 8 {
			return &fault.Error{Path: "piece", Offset: int64(at), Want: "an entry of a manifest", Got: "none", Err: fault.ErrFormat}
		}
		key += step
		pos, ok := mapdb.PosOfKey(key)
		hash := Hash(binary.LittleEndian.Uint64(piece[at+n:]))
		if !ok || hash == 0 {
			return &fault.Error{Path: "piece", Offset: int64(at), Want: "a position and a hash", Got: "none", Err: fault.ErrFormat}
		}
		if err := add(Entry{pos, hash}); err != nil {
			return err
		}
		at += n + 8
	}
	return nil
}
