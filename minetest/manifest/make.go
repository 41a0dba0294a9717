package manifest

import (
	"bufio"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"trowel.example/minetest/mapdb"
)

// Options are how a manifest is made.
type Options struct {
	Scratch string // a folder for a temporary file, 16 bytes a block, where a store has its blocks in another order; "" is that of the system

	// OnRow hears of a row that cannot be read. It is not in the manifest.
	OnRow func(*mapdb.RowError)
	// OnProgress hears now and then how many blocks were read.
	OnProgress func(done int64)
}

// runSize is how many blocks are sorted in memory.
var runSize = 1 << 20

// Make writes the manifest of all blocks of a store, and returns how many they are. It reads
// the store once, with memory for a million positions.
func Make(ctx context.Context, db mapdb.DB, w io.Writer, o Options) (count int64, err error) {
	type row struct {
		Entry
		err error
	}
	s := &sorter{scratch: o.Scratch}
	defer s.close()
	for r := range mapdb.Parallel(mapdb.InAnyOrder(ctx, db), func(b mapdb.Block, err error) row {
		if err != nil {
			return row{err: err}
		}
		return row{Entry: Entry{b.Pos, HashOf(b.Data)}}
	}) {
		var bad *mapdb.RowError
		switch {
		case errors.As(r.err, &bad):
			if o.OnRow != nil {
				o.OnRow(bad)
			}
			continue
		case r.err != nil:
			return count, r.err
		}
		if err := s.add(r.Entry); err != nil {
			return count, err
		}
		if count++; o.OnProgress != nil && count%10_000 == 0 {
			o.OnProgress(count)
		}
	}
	m := NewWriter(w)
	if err := s.sorted(m.Add); err != nil {
		return count, err
	}
	return count, m.Close()
}

// sorter brings any number of blocks into the order of keys.
type sorter struct {
	scratch string
	run     []Entry
	file    *os.File
	ends    []int64 // of the runs in the file
}

func (s *sorter) add(e Entry) error {
	if s.run = append(s.run, e); len(s.run) < runSize {
		return nil
	}
	return s.spill()
}

func byKey(a, b Entry) int { return cmp.Compare(a.Pos.Key(), b.Pos.Key()) }

const entrySize = 16

// spill writes what is in memory to the file.
func (s *sorter) spill() (err error) {
	slices.SortFunc(s.run, byKey)
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.scratch, ".trowel-*.tmp"); err != nil {
			return err
		}
	}
	w := bufio.NewWriterSize(s.file, 1<<16)
	var b [entrySize]byte
	for _, e := range s.run {
		binary.LittleEndian.PutUint64(b[:], uint64(e.Pos.Key()))
		binary.LittleEndian.PutUint64(b[8:], uint64(e.Hash))
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	end := int64(len(s.run)) * entrySize
	if n := len(s.ends); n > 0 {
		end += s.ends[n-1]
	}
	s.ends = append(s.ends, end)
	s.run = s.run[:0]
	return w.Flush()
}

func (s *sorter) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// runs is a heap of what comes next in each run.
type runs []*run

type run struct {
	next Entry
	in   *bufio.Reader
}

func (r *run) read() error {
	var b [entrySize]byte
	if _, err := io.ReadFull(r.in, b[:]); err != nil {
		return err
	}
	pos, ok := mapdb.PosOfKey(int64(binary.LittleEndian.Uint64(b[:])))
	if !ok {
		return fmt.Errorf("manifest: the temporary file has changed")
	}
	r.next = Entry{pos, Hash(binary.LittleEndian.Uint64(b[8:]))}
	return nil
}

func (r runs) Len() int           { return len(r) }
func (r runs) Less(i, j int) bool { return byKey(r[i].next, r[j].next) < 0 }
func (r runs) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(x any)        { *r = append(*r, x.(*run)) }
func (r *runs) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// sorted gives all blocks in their order. Of two with the same position it gives the first.
func (s *sorter) sorted(give func(Entry) error) error {
	if s.file == nil {
		slices.SortStableFunc(s.run, byKey)
		return unique(slices.Values(s.run), give)
	}
	if err := s.spill(); err != nil {
		return err
	}
	var h runs
	start := int64(0)
	for _, end := range s.ends {
		r := &run{in: bufio.NewReaderSize(io.NewSectionReader(s.file, start, end-start), 1<<16)}
		start = end
		if err := r.read(); err == io.EOF {
			continue
		} else if err != nil {
			return err
		}
		h = append(h, r)
	}
	heap.Init(&h)
	var failed error
	err := unique(func(yield func(Entry) bool) {
		for len(h) > 0 {
			if !yield(h[0].next) {
				return
			}
			switch err := h[0].read(); err {
			case nil:
				heap.Fix(&h, 0)
			case io.EOF:
				heap.Pop(&h)
			default:
				failed = err
				return
			}
		}
	}, give)
	return cmp.Or(failed, err)
}

// unique gives each position once.
func unique(all func(yield func(Entry) bool), give func(Entry) error) error {
	var last *mapdb.Pos
	for e := range all {
		if last != nil && *last == e.Pos {
			continue
		}
		if err := give(e); err != nil {
			return err
		}
		last = &e.Pos
	}
	return nil
}
