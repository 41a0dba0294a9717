package worlddir

import (
	"bytes"
	"hash/crc32"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/minetest/mapblock"
)

// blockResidue is the difference between the bytes of a block and the bytes that its text gives. It is valid as long
// as the text is not edited.
type blockResidue struct {
	CRC32  uint32 `json:"crc"`              // checksum of the text
	Levels []int  `json:"levels,omitempty"` // levels of its zlib streams, if they are not the usual ones
	Patch  *patch `json:"patch,omitempty"`
	Data   []byte `json:"data,omitempty"` // the whole block
}

// patch replaces a range of bytes.
type patch struct {
	At     int    `json:"at"`
	Remove int    `json:"remove,omitempty"`
	Insert []byte `json:"insert,omitempty"`
}

// encodeText encodes the block of a text without any residue.
func encodeText(text []byte) ([]byte, error) {
	b, err := ParseBlock(text)
	if err != nil {
		return nil, err
	}
	return b.EncodeFresh()
}

// newResidue returns the shortest residue of a block, or nil if the text yields identical bytes. For version 29, for
// which the compression differs between games, it returns a residue only if exact is set.
func newResidue(data, text []byte, exact bool) *blockResidue {
	if data[0] == mapblock.Newest && !exact {
		return nil
	}
	r := &blockResidue{CRC32: crc32.ChecksumIEEE(text)}
	fresh, err := encodeText(text)
	if err != nil {
		r.Data = data
		return r
	}
	if bytes.Equal(fresh, data) {
		return nil
	}
	if levels := levelsOf(data); levels != nil {
		if again, err := recompress(fresh, levels); err == nil {
			r.Levels, fresh = levels, again
		}
	}
	if bytes.Equal(fresh, data) {
		return r
	}
	p := newPatch(fresh, data)
	if 2*len(p.Insert) < len(data) {
		r.Patch = p
	} else {
		r.Levels, r.Data = nil, data
	}
	return r
}

// newPatch returns a patch from one byte slice to another: it replaces everything between their common prefix and
// their common suffix.
func newPatch(from, to []byte) *patch {
	most := min(len(from), len(to))
	head := 0
	for head < most && from[head] == to[head] {
		head++
	}
	tail := 0
	for tail < most-head && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	return &patch{At: head, Remove: len(from) - head - tail, Insert: slices.Clone(to[head : len(to)-tail])}
}

// apply returns the original bytes of the block, given the bytes encoded from its text.
func (r *blockResidue) apply(fresh []byte) ([]byte, error) {
	if r.Data != nil {
		return r.Data, nil
	}
	if r.Levels != nil {
		var err error
		if fresh, err = recompress(fresh, r.Levels); err != nil {
			return nil, err
		}
	}
	if p := r.Patch; p != nil {
		if p.At < 0 || p.Remove < 0 || p.At > len(fresh) || p.Remove > len(fresh)-p.At {
			return nil, &fault.Error{Path: "patch", Offset: -1, Want: "a place in the block", Got: "one after its end", Err: fault.ErrFormat}
		}
		fresh = slices.Concat(fresh[:p.At], p.Insert, fresh[p.At+p.Remove:])
	}
	return fresh, nil
}

// stream is a zlib stream of a block.
type stream struct {
	at, size int
	content  []byte
}

// streams returns the zlib streams of a block: the nodes and, since version 16, the metadata after them.
func streams(data []byte) ([]stream, error) {
	version := data[0]
	at, n := 2, 1
	switch {
	case version < 11 || version > 28:
		return nil, nil
	case version >= 27:
		at = 6
	case version >= 22:
		at = 4
	}
	if version >= 16 {
		n = 2
	}
	var list []stream
	for range n {
		content, size, err := deflate.DecompressUpTo(data[min(at, len(data)):], mapblock.MaxContent)
		if err != nil {
			return nil, err
		}
		list = append(list, stream{at, size, content})
		at += size
	}
	return list, nil
}

// levelsOf returns the levels of the zlib streams of a block, or nil if there are no streams or all have the usual
// level.
func levelsOf(data []byte) []int {
	list, err := streams(data)
	if err != nil {
		return nil
	}
	var levels []int
	usual := true
	for _, s := range list {
		level := mapblock.LevelOf(data[s.at:s.at+s.size], s.content)
		levels = append(levels, level)
		usual = usual && level == mapblock.Level
	}
	if usual {
		return nil
	}
	return levels
}

// recompress changes the levels of the zlib streams of a block.
func recompress(data []byte, levels []int) ([]byte, error) {
	list, err := streams(data)
	if err != nil {
		return nil, err
	}
	if len(list) != len(levels) {
		return nil, &fault.Error{Path: "levels", Offset: -1, Want: "a level for each zlib stream", Got: "other ones", Err: fault.ErrFormat}
	}
	var out []byte
	from := 0
	for i, s := range list {
		out = append(out, data[from:s.at]...)
		if out, err = deflate.Compress(out, s.content, levels[i]); err != nil {
			return nil, err
		}
		from = s.at + s.size
	}
	return append(out, data[from:]...), nil
}
