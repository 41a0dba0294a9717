package sqlitepage

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

// An entry is one of an index: the key of a row, and its number.
type entry struct {
	key uint64
	row int64
}

func (e entry) compare(f entry) int {
	return cmp.Or(cmp.Compare(e.key, f.key), cmp.Compare(e.row, f.row))
}

const (
	inMemory  = 1 << 18 // entries that are sorted at once
	entrySize = 16      // bytes of one in the file
)

// A sorter sorts any number of entries. More than it holds in memory go to a file, in runs
// that are sorted.
type sorter struct {
	dir  string // where the file is, if there is one
	rest []entry
	file *os.File
	runs int64 // of inMemory entries each
}

func (s *sorter) add(e entry) error {
	if len(s.rest) == inMemory {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.rest = append(s.rest, e)
	return nil
}

// spill writes a run.
func (s *sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.dir, ".trowel-index-"); err != nil {
			return err
		}
	}
	slices.SortFunc(s.rest, entry.compare)
	out := make([]byte, 0, entrySize*len(s.rest))
	for _, e := range s.rest {
		out = binary.LittleEndian.AppendUint64(out, e.key)
		out = binary.LittleEndian.AppendUint64(out, uint64(e.row))
	}
	if _, err := s.file.WriteAt(out, s.runs*inMemory*entrySize); err != nil {
		return err
	}
	s.runs++
	s.rest = s.rest[:0]
	return nil
}

// each gives all entries in order. Again reports whether the one before has the same key.
func (s *sorter) each(yield func(e entry, again bool) error) error {
	slices.SortFunc(s.rest, entry.compare)
	var m entryMerge
	for i := range s.runs {
		m = append(m, &entryRun{in: bufio.NewReaderSize(io.NewSectionReader(s.file, i*inMemory*entrySize, inMemory*entrySize), 32<<10)})
	}
	m = append(m, &entryRun{rest: s.rest})
	heap.Init(&m)
	var last entry // rows are numbered from 1 on
	for len(m) > 0 {
		r := m[0]
		if e := r.at; e.row != 0 {
			if err := yield(e, last.row != 0 && last.key == e.key); err != nil {
				return err
			}
			last = e
		}
		if more, err := r.next(); err != nil {
			return err
		} else if more {
			heap.Fix(&m, 0)
		} else {
			heap.Pop(&m)
		}
	}
	return nil
}

// close removes the file.
func (s *sorter) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	s.file = nil
	return err
}

// An entryRun is sorted entries, in a file or in memory.
type entryRun struct {
	in   *bufio.Reader
	rest []entry
	at   entry // the zero value before the first
}

// next moves on to the next entry.
func (r *entryRun) next() (bool, error) {
	if r.in == nil {
		if len(r.rest) == 0 {
			return false, nil
		}
		r.at, r.rest = r.rest[0], r.rest[1:]
		return true, nil
	}
	b, err := r.in.Peek(entrySize)
	if err == io.EOF && len(b) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.at = entry{binary.LittleEndian.Uint64(b), int64(binary.LittleEndian.Uint64(b[8:]))}
	_, err = r.in.Discard(entrySize)
	return true, err
}

// entryMerge is a heap of runs by the entry where each is.
type entryMerge []*entryRun

func (m entryMerge) Len() int           { return len(m) }
func (m entryMerge) Less(i, j int) bool { return m[i].at.compare(m[j].at) < 0 }
func (m entryMerge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *entryMerge) Push(x any)        { *m = append(*m, x.(*entryRun)) }
func (m *entryMerge) Pop() any {
	n := len(*m) - 1
	r := (*m)[n]
	*m = (*m)[:n]
	return r
}
