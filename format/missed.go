package format

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Missed collects what pictures had to do without. Its methods may be called by several goroutines, and
// the zero value is empty.
type Missed struct {
	mu     sync.Mutex
	counts map[Missing]int64 // the count of each, without it
}

// Add adds what was missing in another picture: counts that add up are summed, others are of the whole
// file in both.
func (m *Missed) Add(some ...Missing) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = make(map[Missing]int64)
	}
	for _, one := range some {
		n := one.Count
		one.Count = 0
		if was := m.counts[one]; one.Adds {
			m.counts[one] = was + n
		} else {
			m.counts[one] = max(was, n)
		}
	}
}

// All returns what was added, sorted by kind and name.
func (m *Missed) All() []Missing {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []Missing{}
	for one, n := range m.counts {
		one.Count = n
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Missing) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.What, b.What))
	})
	return list
}

type missedKey struct{}

// WithMissed returns a context for calls of [Scene.Render] that add to m what they had to do without: of
// that for which [Missing.Adds] is set each call adds all, however often other calls met it.
func WithMissed(ctx context.Context, m *Missed) context.Context {
	return context.WithValue(ctx, missedKey{}, m)
}

// MissedOf returns what [WithMissed] was given; nil if nobody wants to know.
func MissedOf(ctx context.Context) *Missed {
	m, _ := ctx.Value(missedKey{}).(*Missed)
	return m
}
