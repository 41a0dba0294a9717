package leveldb

import (
	"bytes"
	"container/heap"
	"fmt"
)

// A source goes through records in the order of their internal keys.
type source interface {
	next() bool // moves to the next record; the first call to the first one
	key() []byte
	value() []byte
	close()
}

// cursor is a source in a merge, with the key where it stands.
type cursor struct {
	source
	at     []byte
	opened bool // else at is a bound below the first key, and the source still to be opened
	name   string
}

// merge goes through several sources at once, in the order of internal keys. A
// table is opened only when the merge comes to its first key, so that of each
// sorted run one table is open at a time.
type merge struct {
	cursors []*cursor
	report  func(error)
	last    []byte // the key given last
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

// add adds a source whose first key is lowest or after it.
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

// advance moves the first cursor on.
func (m *merge) advance(c *cursor) {
	if c.next() {
		c.at = c.key()
		heap.Fix(m, 0)
	} else {
		heap.Pop(m)
	}
}

// close closes what is still open.
func (m *merge) close() {
	for _, c := range m.cursors {
		c.close()
	}
	m.cursors = nil
}

// newest goes through the newest record of each user key, deletions among them.
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

// abridge cuts a key for a message.
func abridge(key []byte) []byte { return key[:min(len(key), 40)] }
