package sqlitepage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestShift tests that a file with missing or inserted bytes in the middle yields all rows except those in the pages
// at the gap, and no wrong rows.
func TestShift(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for round := range 5 {
		s := newSample(t, r, []int{1024, 4096}[round%2], false)
		size := []int{1024, 4096}[round%2]
		byPos := map[any][]any{}
		for _, values := range s.truth {
			byPos[values[0]] = values
		}
		pages := len(s.data) / size
		for name, c := range map[string]struct {
			damage func([]byte) []byte
			bad    int // maximum number of bad pages
		}{
			"512 bytes": {func(b []byte) []byte { at := 512 * (8 + r.IntN(len(b)/512-16)); return slices.Delete(b, at, at+512) }, 3},
			"two holes": {func(b []byte) []byte {
				b = slices.Delete(b, len(b)/3, len(b)/3+512)
				return slices.Delete(b, len(b)/2, len(b)/2+512)
			}, 6},
			"more than a page": {func(b []byte) []byte { at := 512 * (len(b) / 1024); return slices.Delete(b, at, at+size+512) }, 5},
			"too many":         {func(b []byte) []byte { at := 512 * (len(b) / 1024); return slices.Insert(b, at, make([]byte, 512)...) }, 3},
			"a page":           {func(b []byte) []byte { at := size * (3 + r.IntN(pages-6)); return slices.Delete(b, at, at+size) }, 4},
			"three pages":      {func(b []byte) []byte { at := size * (pages / 2); return slices.Delete(b, at, at+3*size) }, 7},
			"pages at two places": {func(b []byte) []byte {
				b = slices.Delete(b, pages/3*size, (pages/3+1)*size)
				return slices.Delete(b, pages/2*size, (pages/2+2)*size)
			}, 10},
			"a page too many":    {func(b []byte) []byte { at := size * (pages / 2); return slices.Insert(b, at, make([]byte, size)...) }, 4},
			"a page and the end": {func(b []byte) []byte { at := size * (pages / 2); return slices.Delete(b, at, at+size)[:len(b)-4*size] }, 10},
			"the end":            {func(b []byte) []byte { return b[:len(b)-3*size] }, 5},
			"without header":     {func(b []byte) []byte { clear(b[:100]); return slices.Delete(b, len(b)/2, len(b)/2+512) }, 4},
		} {
			if name == "without header" && size != 4096 {
				continue
			}
			data := c.damage(bytes.Clone(s.data))
			f, err := fromBytes("map.sqlite", data)
			if err != nil {
				t.Fatal(err)
			}
			rows := 0
			losses, err := f.Rows(t.Context(), slices.Clone(s.shapes), func(row Row) error {
				rows++
				if !reflect.DeepEqual(byPos[row.Values[0]], row.Values) {
					t.Errorf("%d %s: a row is wrong: %v", round, name, row.Values[0])
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			least := len(s.truth) - c.bad*len(s.truth)*3/pages - 12
			if rows < least || len(losses) == 0 && rows < len(s.truth) || name == "the end" && f.Moved() >= 0 {
				t.Errorf("%d %s: %d of %d rows in %d pages, at least %d; shifts %+v; losses %v", round, name, rows, len(s.truth),
					pages, least, f.shifts, fmt.Sprint(losses)[:min(300, len(fmt.Sprint(losses)))])
			}
		}
	}
}

// TestShiftOfLiar tests that the page count in the header is used only as far as the size of the file permits.
func TestShiftOfLiar(t *testing.T) {
	s := newSample(t, rand.New(rand.NewPCG(5, 5)), 1024, false)
	data := slices.Delete(bytes.Clone(s.data), len(s.data)/2, len(s.data)/2+512)
	for _, count := range []uint32{1 << 30, maxPages} {
		binary.BigEndian.PutUint32(data[28:], count)
		f, err := fromBytes("map.sqlite", data)
		if err != nil {
			t.Fatal(err)
		}
		if n := int64(f.present()); n > 2*int64(len(data))/1024 {
			t.Errorf("%d pages of a file of %d bytes", n, len(data))
		}
	}
}
