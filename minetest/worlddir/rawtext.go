package worlddir

import (
	"fmt"
	"slices"
	"strings"

	"trowel.example/minetest/mapdb"
)

// rawWord begins the text of a block that cannot be decoded.
const rawWord = "raw"

// rawText is the text of a block that cannot be decoded: its bytes.
func rawText(data []byte, pos mapdb.Pos, why error) []byte {
	dst := fmt.Appendf(nil, "# Block %d,%d,%d cannot be read: %s\n", pos.X, pos.Y, pos.Z, strings.ReplaceAll(why.Error(), "\n", " "))
	dst = append(dst, rawWord+"\n"...)
	for line := range slices.Chunk(data, 32) {
		dst = append(appendHex(indent(dst, 1), line), '\n')
	}
	return dst
}

// parseRaw returns the bytes in a text, if it was written by rawText.
func parseRaw(text []byte) (data []byte, raw bool, err error) {
	l := lexer{rest: text}
	if !l.more(0) {
		return nil, false, nil
	}
	if word, _ := l.plain(rawWord); word != rawWord {
		return nil, false, nil
	}
	for l.end(); l.more(1); l.end() {
		data = append(data, l.hex()...)
	}
	if l.more(0) {
		l.fail("expected the end of the text")
	}
	if l.err != nil {
		return nil, true, l.err
	}
	return data, true, nil
}
