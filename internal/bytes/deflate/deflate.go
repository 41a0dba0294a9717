// Package deflate writes zlib streams that are byte-identical to those of C zlib.
//
// The supported formats store their data in zlib streams, and all tools that make such files call C zlib's compress2
// or deflate. A file can be rebuilt byte for byte only if its streams can. But the data does not determine a deflate
// stream: each encoder chooses other matches, ends blocks at other places, and builds other Huffman codes. The streams
// of compress/zlib and of github.com/klauspost/compress are valid, but hardly ever the ones in the file.
//
// So this package makes every choice that C zlib makes, from level 0 to 9, with
// a window of 32 KiB, memory level 8 and the default strategy, as one call over
// the whole input:
//
//   - the match finder keeps hash chains of the last 32 KiB and walks them as
//     far as the level permits (match.go);
//   - levels 1 to 3 use each match they find, levels 4 to 9 first check whether
//     the next byte starts a longer one, level 0 finds none (fast.go, lazy.go,
//     stored.go);
//   - after 16383 literals and matches a block ends, and is written in the
//     cheapest of three forms (block.go, huffman.go, lengths.go).
//
// The tests compare with C zlib 1.2.13 and with game files written since 2007. Versions before 1.2.11 implement level
// 0 in another way, and forks such as zlib-ng make other choices at all levels.
//
// [Compress] makes a stream, [Smallest] one that is smaller than those of C zlib. [LevelOf] returns the level at which a
// stream was made, so that a program can store only the level and recreate the stream. [Decompress] and [DecompressUpTo]
// wrap klauspost's reader with limits that make hostile streams harmless.
package deflate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"trowel.example/internal/text/words"
)

// DefaultLevel means level 6, as in C zlib.
const DefaultLevel = -1

// ErrLevel means that a level is not one of -1 to 9.
var ErrLevel = errors.New("deflate: no such compression level")

// A tuning controls the search for matches at a level.
type tuning struct {
	good    int // if the previous byte starts a match this long, only a quarter of chain is searched
	maxLazy int // if the previous byte starts a match this long, there is no search
	nice    int // a match this long ends the search
	chain   int // maximum number of positions tried
	run     func(*encoder)
}

// For the fast levels maxLazy has another meaning: the positions inside longer matches are not entered into the hash
// chains.
var levels = [...]tuning{
	{run: (*encoder).stored},
	{good: 4, maxLazy: 4, nice: 8, chain: 4, run: (*encoder).fast},
	{good: 4, maxLazy: 5, nice: 16, chain: 8, run: (*encoder).fast},
	{good: 4, maxLazy: 6, nice: 32, chain: 32, run: (*encoder).fast},
	{good: 4, maxLazy: 4, nice: 16, chain: 16, run: (*encoder).lazy},
	{good: 8, maxLazy: 16, nice: 32, chain: 32, run: (*encoder).lazy},
	{good: 8, maxLazy: 16, nice: 128, chain: 128, run: (*encoder).lazy},
	{good: 8, maxLazy: 32, nice: 128, chain: 256, run: (*encoder).lazy},
	{good: 32, maxLazy: 128, nice: 258, chain: 1024, run: (*encoder).lazy},
	{good: 32, maxLazy: 258, nice: 258, chain: 4096, run: (*encoder).lazy},
}

// maxInput is the longest input that C zlib accepts in one call, less a window so that positions fit in 32 bits.
const maxInput = math.MaxUint32 - windowSize

// headers are the two bytes at the start of a stream, by level. The second contains a hint at the level, which only
// LevelOf uses.
const headers = "\x78\x01\x78\x01\x78\x5e\x78\x5e\x78\x5e\x78\x5e\x78\x9c\x78\xda\x78\xda\x78\xda"

const (
	headerLen = 2
	sumLen    = 4
)

func header(level int) string { return headers[2*level : 2*level+2] }

// Compress appends to dst the stream that C zlib makes from src at a level from -1 to 9. It returns an error only for
// other levels and for inputs of 4 GiB or more.
func Compress(dst, src []byte, level int) ([]byte, error) {
	level, err := check(src, level)
	if err != nil {
		return dst, err
	}
	e := newEncoder(src, level)
	defer e.free()
	e.bits.out = append(dst, header(level)...)
	e.run(e)
	dst = binary.BigEndian.AppendUint32(e.bits.out, Adler32(src))
	return dst, nil
}

// Matches reports whether stream is exactly the output of [Compress] for src. It compresses only up to the first block
// that differs.
func Matches(stream, src []byte, level int) bool {
	level, err := check(src, level)
	if err != nil {
		return false
	}
	body, ok := body(stream, src, level)
	return ok && bodyMatches(body, src, level)
}

// LevelOf returns the level at which [Compress] makes stream from src. If there are several, as for short inputs, it
// prefers 6 and 9.
func LevelOf(stream, src []byte) (level int, ok bool) {
	levels := candidates(stream)
	if len(levels) == 0 {
		return 0, false
	}
	body, ok := body(stream, src, levels[0]) // all candidates have the same header
	if !ok {
		return 0, false
	}
	for _, level := range levels {
		if bodyMatches(body, src, level) {
			return level, true
		}
	}
	return 0, false
}

// candidates returns the levels that the header of a stream permits, the most common first.
func candidates(stream []byte) []int {
	if len(stream) < headerLen {
		return nil
	}
	switch string(stream[:headerLen]) {
	case header(6):
		return []int{6}
	case header(9):
		return []int{9, 8, 7}
	case header(5):
		return []int{5, 4, 3, 2}
	case header(1):
		return []int{1, 0}
	}
	return nil
}

// check returns the level to use, with DefaultLevel replaced.
func check(src []byte, level int) (int, error) {
	if level == DefaultLevel {
		level = 6
	}
	if level < 0 || level >= len(levels) {
		return 0, fmt.Errorf("%w: %d", ErrLevel, level)
	}
	if uint64(len(src)) > maxInput {
		return 0, fmt.Errorf("deflate: an input of %s is too long", words.Count(len(src), "byte"))
	}
	return level, nil
}

// body returns the part of a stream between header and checksum, and whether these two are correct.
func body(stream, src []byte, level int) ([]byte, bool) {
	body, ok := bytes.CutPrefix(stream, []byte(header(level)))
	if !ok || len(body) < sumLen || uint64(len(src)) > maxInput {
		return nil, false
	}
	body, sum := body[:len(body)-sumLen], body[len(body)-sumLen:]
	return body, binary.BigEndian.Uint32(sum) == Adler32(src)
}

func bodyMatches(body, src []byte, level int) bool {
	e := newEncoder(src, level)
	defer e.free()
	e.comparing, e.want = true, body
	e.run(e)
	return !e.differs && len(e.want) == 0
}
