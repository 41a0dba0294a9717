package leveldb

import (
	"bytes"
	"container/heap"
	"fmt"
)

// A source iterates over records sorted by internal key.
type source interface {
	next() bool // moves to the next record, initially to the first one
	key() []byte
	value() []byte
	close()
}

// cursor is a source in a merge, with its current key.
type cursor struct {
	source
	at     []byte
	opened bool // if unset, at is a lower bound of the first key, and the source is not open yet
	name   string
}

// merge iterates over several sources at once, sorted by internal key. It opens a table only when it reaches the
// table's first key, so that one table of each sorted run is open at a time.
type merge struct {
	cursors []*cursor
	report  func(error)
	last    []byte // the last key returned
}

func (m *merge) Len() int           { return len(m.cursors) }
func (m *merge) Less(i, j int) bool { return compareKeys(m.cursors[i].at, m.cursors[j].at) < 0 }
func (m *merge) Swap(i, j int)      { m.cursors[i], m.cursors[j] = m.cursors[j], m.cursors[i] }
func (m *merge) Push(x any)         { m.cursors = append(m.cursors, x.(*cursor)) }
func (m *merge) Pop() any {
	n := len(m.cursors) - 1
	c := m.cursors[n]
	m.cursors = m.cursors[:n]
	return c
}

// add adds a source whose keys are not before lowest.
func (m *merge) add(s source, name string, lowest []byte) {
	heap.Push(m, &cursor{source: s, at: lowest, name: name})
}

// next returns the next record. The first record of a user key is its newest.
func (m *merge) next() (key, value []byte, ok bool) {
	for len(m.cursors) > 0 {
		c := m.cursors[0]
		if !c.opened {
			c.opened = true
			m.advance(c)
			continue
		}
		key, value = c.at, c.value()
		m.advance(c)
		if m.last != nil && compareKeys(key, m.last) < 0 {
			m.report(damaged(c.name, "key", -1, "keys in order", fmt.Sprintf("%q after %q", abridge(key), abridge(m.last))))
			continue
		}
		m.last = key
		return key, value, true
	}
	return nil, nil, false
}

// advance moves a cursor to its next record.
func (m *merge) advance(c *cursor) {
	if c.next() {
		c.at = c.key()
		heap.Fix(m, 0)
	} else {
		heap.Pop(m)
	}
}

// close closes the open sources.
func (m *merge) close() {
	for _, c := range m.cursors {
		c.close()
	}
	m.cursors = nil
}

// newest yields the newest record of each user key, including deletions.
func (m *merge) newest(yield func(key []byte, tag uint64, value []byte) bool) {
	defer m.close()
	var before []byte
	started := false
	for {
		key, value, ok := m.next()
		if !ok {
			return
		}
		user, tag := splitKey(key)
		if started && bytes.Equal(user, before) {
			continue
		}
		before, started = user, true
		if !yield(user, tag, value) {
			return
		}
	}
}

// abridge shortens a key for a message.
func abridge(key []byte) []byte { return key[:min(len(key), 40)] }
