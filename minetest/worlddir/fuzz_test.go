package worlddir

import (
	"bytes"
	"runtime"
	"testing"

	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// quiet is a test that is not skipped if something is missing.
type quiet struct{ testing.TB }

func (quiet) Skip(...any)          { runtime.Goexit() }
func (quiet) Skipf(string, ...any) { runtime.Goexit() }

// seeds returns blocks: generated ones, and some of each world of the corpus, if it is available.
func seeds(f *testing.F) [][]byte {
	var all [][]byte
	for version := range mapblock.Newest + 1 {
		data, err := everything(f, version).EncodeFresh()
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, data)
	}
	var stores map[string]mapdb.DB
	done := make(chan struct{})
	go func() {
		defer close(done)
		stores = realStores(quiet{f})
	}()
	<-done
	for _, db := range stores {
		n := 0
		for block, err := range db.Blocks(f.Context(), mapdb.All()) {
			if err != nil {
				f.Fatal(err)
			}
			if n++; n%97 == 1 && n < 1000 {
				all = append(all, block.Data)
			}
		}
	}
	return all
}

// FuzzBlockText tests that the content of any block round-trips through its text, and its bytes with the residue.
func FuzzBlockText(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		pos := mapdb.Pos{X: 1}
		b, err := mapblock.Decode(data)
		if err != nil {
			got, raw, err := parseRaw(rawText(data, pos, err))
			if err != nil || !raw || !bytes.Equal(got, data) {
				t.Fatalf("raw text: %v, %v", raw, err)
			}
			return
		}
		want, err := b.EncodeFresh()
		if err != nil {
			t.Skip() // the version cannot store the content
		}
		text := BlockText(b, pos)
		fresh, err := encodeText(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !bytes.Equal(fresh, want) {
			t.Fatalf("the text gives another block:\n%s", text)
		}
		back := fresh
		if r := newResidue(data, text, true); r != nil {
			if back, err = r.apply(fresh); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(back, data) {
			t.Fatalf("the residue does not lead back:\n%s", text)
		}
	})
}

// FuzzParseBlock parses any text. If it is accepted, the text written for the block must give the same block.
func FuzzParseBlock(f *testing.F) {
	f.Add([]byte(air))
	for _, data := range seeds(f) {
		if b, err := mapblock.Decode(data); err == nil {
			f.Add(BlockText(b, mapdb.Pos{}))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := ParseBlock(text)
		if err != nil {
			if e, ok := err.(*fault.TextError); !ok || e.Msg == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		want, err := b.EncodeFresh()
		if err != nil {
			t.Fatalf("a text that makes no block: %v\n%s", err, text)
		}
		canonical := BlockText(b, mapdb.Pos{})
		again, err := ParseBlock(canonical)
		if err != nil {
			t.Fatalf("%v\n%s", err, canonical)
		}
		if got, err := again.EncodeFresh(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("another block, %v:\n%s", err, canonical)
		}
		if second := BlockText(again, mapdb.Pos{}); !bytes.Equal(second, canonical) {
			t.Fatalf("another text:\n%s\n%s", canonical, second)
		}
	})
}
