package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
)

// ForceLoad is a block that is kept in memory.
type ForceLoad struct {
	Pos   [3]int // x, y, z in blocks, each -32768 to 32767
	Count int64  // number of requests for the block
}

// ForceLoaded is force_loaded.txt.
type ForceLoaded struct {
	Blocks []ForceLoad

	text *string // the text that Blocks was parsed from
}

// ParseForceLoaded parses force_loaded.txt: a Lua table whose keys are positions encoded as numbers and whose values
// are counts, such as "return {[140737488388096]=1}". No Lua is executed. An empty file is an empty table.
func ParseForceLoaded(text []byte) (*ForceLoaded, error) {
	was := string(text)
	blocks, err := parseForceLoads(was)
	if err != nil {
		return nil, err
	}
	return &ForceLoaded{blocks, &was}, nil
}

func parseForceLoads(text string) (list []ForceLoad, err error) {
	t := luaText{text: text}
	t.next(byteOrderMark)
	if t.skip(); t.at == len(text) {
		return nil, nil
	}
	t.word("return")
	t.word("{")
	for t.err == nil && !t.next("}") {
		t.word("[")
		hash := t.number(0, 1<<48-1)
		t.word("]")
		t.word("=")
		list = append(list, ForceLoad{unhash(hash), t.number(0, 1<<53)})
		if !t.next(",") && !t.next(";") && t.err == nil && !strings.HasPrefix(t.text[t.at:], "}") {
			t.fail(`"," or "}"`)
		}
	}
	if t.skip(); t.err == nil && t.at < len(t.text) {
		t.fail("the end of the file")
	}
	return list, t.err
}

// Append appends the text to dst: the original text if Blocks is unchanged.
func (f *ForceLoaded) Append(dst []byte) []byte {
	if f.text != nil {
		if was, err := parseForceLoads(*f.text); err == nil && slices.Equal(was, f.Blocks) {
			return append(dst, *f.text...)
		}
	}
	dst = append(dst, "return {"...)
	for i, b := range f.Blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, "[%d]=%d", hash(b.Pos), b.Count)
	}
	return append(dst, '}')
}

// hash encodes a position as a number: 16 bits each for z, y and x.
func hash(pos [3]int) (n int64) {
	for _, v := range []int{pos[2], pos[1], pos[0]} {
		n = n<<16 + int64(v) + 32768
	}
	return n
}

func unhash(n int64) (pos [3]int) {
	for i := range pos {
		pos[i] = int(n&0xffff) - 32768
		n >>= 16
	}
	return pos
}

// luaText is a scanner of Lua text. It keeps its first error.
type luaText struct {
	text string
	at   int
	err  error
}

func (t *luaText) skip() {
	t.at = len(t.text) - len(strings.TrimLeft(t.text[t.at:], space))
}

func (t *luaText) fail(want string) {
	if t.err == nil {
		got := "the end of the file"
		if t.at < len(t.text) {
			got = strconv.Quote(t.text[t.at:min(t.at+20, len(t.text))])
		}
		t.err = &fault.Error{File: "force_loaded.txt", Offset: int64(t.at), Want: want, Got: got, Err: fault.ErrFormat}
	}
}

// next skips word and reports whether it was there.
func (t *luaText) next(word string) bool {
	t.skip()
	ok := t.err == nil && strings.HasPrefix(t.text[t.at:], word)
	if ok {
		t.at += len(word)
	}
	return ok
}

func (t *luaText) word(word string) {
	if !t.next(word) {
		t.fail(strconv.Quote(word))
	}
}

// number reads an integer from lo to hi. Lua writes large integers with an exponent, such as 1.4073748838810e+14.
func (t *luaText) number(lo, hi int64) int64 {
	t.skip()
	n := len(t.text[t.at:]) - len(strings.TrimLeft(t.text[t.at:], "0123456789.e+-"))
	word := t.text[t.at : t.at+n]
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || v < float64(lo) || v > float64(hi) || v != float64(int64(v)) {
		t.fail(fmt.Sprintf("an integer from %d to %d", lo, hi))
		return 0
	}
	t.at += n
	return int64(v)
}
