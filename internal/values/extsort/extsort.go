// Package extsort sorts any number of pairs of numbers, with limited memory and a temporary file.
package extsort

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
)

// Pair is sorted by its key, then by its value.
type Pair struct {
	Key   int64
	Value uint64
}

// Sorter sorts pairs. The zero value is ready for use.
type Sorter struct {
	Folder string // folder of the temporary file; "" is the system's
	Run    int    // maximum number of pairs in memory; 0 means a million

	run  []Pair
	file *os.File
	ends []int64 // ends of the runs in the file
}

// Add adds a pair.
func (s *Sorter) Add(p Pair) error {
	if s.run = append(s.run, p); len(s.run) < cmp.Or(s.Run, 1<<20) {
		return nil
	}
	return s.spill()
}

func (p Pair) compare(q Pair) int {
	return cmp.Or(cmp.Compare(p.Key, q.Key), cmp.Compare(p.Value, q.Value))
}

const pairSize = 16

// spill writes the pairs in memory to the file.
func (s *Sorter) spill() (err error) {
	slices.SortFunc(s.run, Pair.compare)
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.Folder, ".trowel-*.tmp"); err != nil {
			return err
		}
	}
	w := bufio.NewWriterSize(s.file, 1<<16)
	var b [pairSize]byte
	for _, p := range s.run {
		binary.LittleEndian.PutUint64(b[:], uint64(p.Key))
		binary.LittleEndian.PutUint64(b[8:], p.Value)
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	end := int64(len(s.run)) * pairSize
	if n := len(s.ends); n > 0 {
		end += s.ends[n-1]
	}
	s.ends = append(s.ends, end)
	s.run = s.run[:0]
	return w.Flush()
}

// Close removes the temporary file.
func (s *Sorter) Close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	s.file = nil
	return err
}

// runs is a heap of runs, by their next pairs.
type runs []*run

type run struct {
	next Pair
	in   *bufio.Reader
}

func (r *run) read() error {
	b, err := r.in.Peek(pairSize)
	if err != nil {
		return err
	}
	r.next = Pair{int64(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint64(b[8:])}
	_, err = r.in.Discard(pairSize)
	return err
}

func (r runs) Len() int           { return len(r) }
func (r runs) Less(i, j int) bool { return r[i].next.compare(r[j].next) < 0 }
func (r runs) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(x any)        { *r = append(*r, x.(*run)) }
func (r *runs) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// Distinct yields the first pair of each key.
func (s *Sorter) Distinct() iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		first, last := true, int64(0)
		for p, err := range s.Sorted() {
			if err == nil && !first && p.Key == last {
				continue
			}
			first, last = false, p.Key
			if !yield(p, err) {
				return
			}
		}
	}
}

// Sorted yields all pairs in order. It may be called repeatedly. An error ends the sequence. No pairs may be added
// after the first call.
func (s *Sorter) Sorted() iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		if s.file == nil {
			slices.SortFunc(s.run, Pair.compare)
			for _, p := range s.run {
				if !yield(p, nil) {
					return
				}
			}
			return
		}
		h, err := s.open()
		for err == nil && len(h) > 0 {
			if !yield(h[0].next, nil) {
				return
			}
			if err = h[0].read(); err == nil {
				heap.Fix(&h, 0)
			} else if err == io.EOF {
				heap.Pop(&h)
				err = nil
			}
		}
		if err != nil {
			yield(Pair{}, err)
		}
	}
}

// open returns the runs, each at its first pair.
func (s *Sorter) open() (h runs, err error) {
	if len(s.run) > 0 {
		if err := s.spill(); err != nil {
			return nil, err
		}
	}
	start := int64(0)
	for _, end := range s.ends {
		r := &run{in: bufio.NewReaderSize(io.NewSectionReader(s.file, start, end-start), 32<<10)}
		start = end
		if err := r.read(); err != nil {
			return nil, err
		}
		h = append(h, r)
	}
	heap.Init(&h)
	return h, nil
}
