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

// A memtable holds records that are in no table, the newest of each key.
type memtable struct {
	entries map[string]memEntry
	size    int // bytes of keys and values, and something for each
}

// entryOverhead is about what an entry takes besides its key and its value.
const entryOverhead = 64

func newMemtable() *memtable { return &memtable{entries: map[string]memEntry{}} }

// add takes a record, and keeps value. Records may come in any order.
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

// source returns the records within bounds in the order of their keys.
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

// memSource goes through a memtable.
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
