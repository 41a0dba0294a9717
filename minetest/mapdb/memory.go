package mapdb

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
)

var dummyBackend = Backend{
	Name:   Dummy,
	open:   func(context.Context, string, Config) (DB, error) { return NewMemory(), nil },
	create: func(context.Context, string, Config) (Writer, error) { return NewMemory(), nil },
	edit:   func(context.Context, string, Config, bool) (Writer, error) { return NewMemory(), nil },
}

// A Memory is a store in memory: the backend dummy, also useful for tests. The zero value is an empty store.
type Memory struct {
	mu     sync.RWMutex
	blocks map[Pos][]byte
}

var _ Writer = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory { return new(Memory) }

// Get returns the bytes of a block.
func (m *Memory) Get(_ context.Context, p Pos) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	data, ok := m.blocks[p]
	if !ok {
		return nil, notFound(p)
	}
	return bytes.Clone(data), nil
}

// Blocks yields the blocks of an area in the order of [Pos.Key]. It omits blocks that are deleted during the loop.
func (m *Memory) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		for p, err := range m.Positions(ctx, a) {
			if err != nil {
				yield(Block{}, err)
				return
			}
			if data, err := m.Get(ctx, p); err == nil && !yield(Block{p, data}, nil) {
				return
			}
		}
	}
}

// Positions yields the positions of the blocks of an area.
func (m *Memory) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return func(yield func(Pos, error) bool) {
		m.mu.RLock()
		all := slices.SortedFunc(maps.Keys(m.blocks), orderZYX.compare)
		m.mu.RUnlock()
		for _, p := range all {
			if err := ctx.Err(); err != nil {
				yield(Pos{}, err)
				return
			}
			if a.Contains(p) && !yield(p, nil) {
				return
			}
		}
	}
}

// Count returns the number of blocks.
func (m *Memory) Count(context.Context) (int64, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return int64(len(m.blocks)), nil
}

// Update runs f in a transaction.
func (m *Memory) Update(ctx context.Context, f func(Tx) error) error {
	tx := newChanges(func(p Pos) ([]byte, error) { return m.Get(ctx, p) })
	if err := f(tx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blocks == nil {
		m.blocks = make(map[Pos][]byte)
	}
	for _, c := range tx.list {
		if c.delete {
			delete(m.blocks, c.pos)
		} else {
			m.blocks[c.pos] = c.data
		}
	}
	return nil
}

// Store stores blocks in one transaction.
func (m *Memory) Store(ctx context.Context, blocks []Block) error {
	return store(ctx, m, blocks)
}

func (m *Memory) axis() int { return alongZ }
func (m *Memory) inOrder()  {}

func (m *Memory) String() string { return "memory" }

// Close does nothing.
func (m *Memory) Close() error { return nil }
