package world

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/text/luatable"
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
	lua := strings.TrimPrefix(text, byteOrderMark)
	fail := func(at int, want string) error {
		return &fault.Error{Offset: int64(at), Want: want, Got: strconv.Quote(lua[at:min(at+20, len(lua))]), Err: fault.ErrFormat}
	}
	// integer returns a number of the table. Lua writes large integers with an exponent, such as 1.4073748838810e+14.
	integer := func(v luatable.Value, highest int64) (int64, error) {
		if n := int64(v.Number); v.Kind == luatable.Number && v.Number >= 0 && v.Number <= float64(highest) && v.Number == float64(n) {
			return n, nil
		}
		return 0, fail(v.Start, fmt.Sprintf("an integer from 0 to %d", highest))
	}
	start := len(lua) - len(strings.TrimLeft(lua, space))
	switch {
	case start == len(lua):
		return nil, nil
	case !strings.HasPrefix(lua[start:], "return"):
		err = fail(start, `"return"`)
	default:
		err = luatable.Each([]byte(lua), func(e luatable.Entry) error {
			if e.Key.End == 0 {
				return fail(e.Value.Start, `"["`)
			}
			hash, err := integer(e.Key, 1<<48-1)
			if err != nil {
				return err
			}
			count, err := integer(e.Value, 1<<53)
			list = append(list, ForceLoad{unhash(hash), count})
			return err
		})
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		e.File, e.Path = "force_loaded.txt", ""
		e.Offset += int64(len(text) - len(lua))
		return nil, e
	}
	return list, nil
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
