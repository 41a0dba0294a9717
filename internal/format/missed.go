package format

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Missed collects the data that pictures lack. It is safe for concurrent use, and the zero value is empty.
type Missed struct {
	mu     sync.Mutex
	counts map[Missing]int64 // Count of each key, whose own Count is 0
}

// Add adds what another picture lacks. Counts with Adds set are summed; others apply to the whole file in both
// pictures.
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

// All returns the collected data, sorted by kind and name.
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

// WithMissed returns a context for calls of [View.Render] that add to m what they lack. Data with [Missing.Adds] set
// is added by each call that lacks it.
func WithMissed(ctx context.Context, m *Missed) context.Context {
	return context.WithValue(ctx, missedKey{}, m)
}

// MissedOf returns the Missed of the context, or nil if it has none.
func MissedOf(ctx context.Context) *Missed {
	m, _ := ctx.Value(missedKey{}).(*Missed)
	return m
}
