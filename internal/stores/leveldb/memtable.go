package leveldb

import (
	"bytes"
	"slices"
)

// A memEntry is the newest record of a key.
type memEntry struct {
	tag   uint64
	value []byte
}

// A memtable holds the records that are in no table, the newest of each key.
type memtable struct {
	entries map[string]memEntry
	size    int // size of keys and values in bytes, with entryOverhead for each
}

// entryOverhead is the approximate size of an entry without its key and value.
const entryOverhead = 64

func newMemtable() *memtable { return &memtable{entries: map[string]memEntry{}} }

// add adds a record, and keeps value. Records may be added in any order.
func (m *memtable) add(tag uint64, key, value []byte) {
	old, ok := m.entries[string(key)]
	switch {
	case !ok:
		m.size += len(key) + entryOverhead
	case old.tag > tag:
		return
	}
	m.size += len(value) - len(old.value)
	m.entries[string(key)] = memEntry{tag, value}
}

// source returns the records within bounds, sorted by key.
func (m *memtable) source(within bounds) *memSource {
	s := &memSource{m: m, i: -1}
	for k := range m.entries {
		if within.has([]byte(k)) {
			s.keys = append(s.keys, k)
		}
	}
	slices.Sort(s.keys)
	return s
}

// memSource iterates over a memtable.
type memSource struct {
	m    *memtable
	keys []string
	i    int
}

func (s *memSource) next() bool {
	s.i++
	return s.i < len(s.keys)
}

func (s *memSource) key() []byte {
	k := s.keys[s.i]
	return internalKey([]byte(k), s.m.entries[k].tag)
}

func (s *memSource) value() []byte { return bytes.Clone(s.m.entries[s.keys[s.i]].value) }

func (s *memSource) close() {}
