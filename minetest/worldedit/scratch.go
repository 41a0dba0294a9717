package worldedit

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"trowel.example/minetest/mapdb"
)

// scratch is a file of changed blocks. Blocks are only appended; the index, which is in memory, contains the latest
// record of each position. The records of a step become visible when the step has completed.
type scratch struct {
	file *os.File
	w    *bufio.Writer
	end  int64

	index   []entry // in the order of keys
	pending []entry // records of the current step
	created []int64 // keys of blocks that the world itself does not have
}

// entry is the position of the latest record of a block in the file.
type entry struct{ key, offset int64 }

// record is a block in the file.
type record struct {
	was     [sha256.Size]byte // the digest of the block in the world itself
	existed bool              // whether the world itself has the block
	nodes   bool              // whether nodes have changed
	deleted bool
	data    []byte
}

// The head of a record: its flags, the digest, the number of bytes that follow.
const headSize = 1 + sha256.Size + 4

const (
	flagExisted = 1 << iota
	flagNodes
	flagDeleted
)

const scratchFiles = ".trowel-edit-*.tmp"

// newScratch creates the file in a folder; "" is the system's folder for temporary files.
func newScratch(dir string) (*scratch, error) {
	// Remove files of runs that were killed before they removed the name. The file of a running process has no name,
	// or cannot be removed.
	in := cmp.Or(dir, os.TempDir())
	left, _ := fs.Glob(os.DirFS(in), scratchFiles)
	for _, name := range left {
		os.Remove(filepath.Join(in, name))
	}
	f, err := os.CreateTemp(dir, scratchFiles)
	if err != nil {
		return nil, err
	}
	// If the system can remove open files, nothing is left behind even after a crash.
	os.Remove(f.Name())
	return &scratch{file: f, w: bufio.NewWriterSize(f, 1<<20)}, nil
}

func (s *scratch) close() error {
	err := s.file.Close()
	os.Remove(s.file.Name())
	return err
}

// add appends a changed block.
func (s *scratch) add(p mapdb.Pos, r *record) error {
	head := make([]byte, headSize)
	for _, f := range []struct {
		on   bool
		flag byte
	}{{r.existed, flagExisted}, {r.nodes, flagNodes}, {r.deleted, flagDeleted}} {
		if f.on {
			head[0] |= f.flag
		}
	}
	copy(head[1:], r.was[:])
	binary.BigEndian.PutUint32(head[1+sha256.Size:], uint32(len(r.data)))
	if _, err := s.w.Write(head); err != nil {
		return err
	}
	if _, err := s.w.Write(r.data); err != nil {
		return err
	}
	s.pending = append(s.pending, entry{p.Key(), s.end})
	s.end += int64(len(head) + len(r.data))
	return nil
}

// commit makes the records since the last commit visible.
func (s *scratch) commit() error {
	if err := s.w.Flush(); err != nil {
		return err
	}
	new := s.pending
	s.pending = nil
	compare := func(a, b entry) int { return cmp.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(new, compare) {
		slices.SortStableFunc(new, compare)
	}
	var created []int64
	merged := make([]entry, 0, len(s.index)+len(new))
	i := 0
	for j, e := range new {
		if j+1 < len(new) && new[j+1].key == e.key {
			continue // the last one counts
		}
		for i < len(s.index) && s.index[i].key < e.key {
			merged = append(merged, s.index[i])
			i++
		}
		if i < len(s.index) && s.index[i].key == e.key {
			i++
		} else if r, err := s.head(e.offset); err != nil {
			return err
		} else if !r.existed {
			created = append(created, e.key)
		}
		merged = append(merged, e)
	}
	s.index = append(merged, s.index[i:]...)
	if len(created) > 0 {
		s.created = append(s.created, created...)
		slices.Sort(s.created)
	}
	return nil
}

// find returns the record of a block, or nil if there is none.
func (s *scratch) find(p mapdb.Pos) (*record, error) {
	at, ok := s.lookup(p)
	if !ok {
		return nil, nil
	}
	return s.read(at)
}

func (s *scratch) lookup(p mapdb.Pos) (offset int64, ok bool) {
	i, ok := slices.BinarySearchFunc(s.index, p.Key(), func(e entry, key int64) int { return cmp.Compare(e.key, key) })
	if !ok {
		return 0, false
	}
	return s.index[i].offset, true
}

// head reads a record without its data, for which it allocates space.
func (s *scratch) head(at int64) (*record, error) {
	head := make([]byte, headSize)
	if _, err := s.file.ReadAt(head, at); err != nil {
		return nil, err
	}
	r := &record{existed: head[0]&flagExisted != 0, nodes: head[0]&flagNodes != 0, deleted: head[0]&flagDeleted != 0}
	copy(r.was[:], head[1:])
	r.data = make([]byte, binary.BigEndian.Uint32(head[1+sha256.Size:]))
	return r, nil
}

func (s *scratch) read(at int64) (*record, error) {
	r, err := s.head(at)
	if err != nil {
		return nil, err
	}
	_, err = s.file.ReadAt(r.data, at+headSize)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return r, err
}

// digest returns a digest of all changes.
func (s *scratch) digest() ([]byte, error) {
	h := sha256.New()
	for _, e := range s.index {
		head, err := s.head(e.offset)
		if err != nil {
			return nil, err
		}
		if err := binary.Write(h, binary.BigEndian, e.key); err != nil {
			return nil, err
		}
		if _, err := io.Copy(h, io.NewSectionReader(s.file, e.offset, headSize+int64(len(head.data)))); err != nil {
			return nil, err
		}
	}
	return h.Sum(nil), nil
}

// same reports whether the block is identical to that in the world itself.
func (r *record) same() bool {
	if r.deleted {
		return !r.existed
	}
	sum := sha256.Sum256(r.data)
	return r.existed && bytes.Equal(sum[:], r.was[:])
}
