package worlddraw

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"trowel.example/minetest/mapdb"
)

// Missed collects what Render and similar methods could not draw, if they are called with a context of [WithMissed].
// The zero value is empty.
type Missed struct {
	mu      sync.Mutex
	seen    map[[3]int]bool
	hidden  map[string]int64
	guessed map[string]bool
	lost    []error
}

type missedKey struct{}

// WithMissed returns a context for calls that add to m what they could not draw. What several calls could not draw is
// in m once.
func WithMissed(ctx context.Context, m *Missed) context.Context {
	return context.WithValue(ctx, missedKey{}, m)
}

// Hidden returns, by name, the number of pixels in which nodes without a colour were skipped, as [Map.Hidden] does.
func (m *Missed) Hidden() map[string]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.hidden)
}

// Guessed returns the names of the nodes whose colours were guessed.
func (m *Missed) Guessed() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.guessed))
}

// Lost returns errors about the blocks that cannot be read.
func (m *Missed) Lost() []error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.lost)
}

// lacks is what is missing in a column or a block.
type lacks struct {
	hidden  map[string]int64 // number of pixels in which nodes without a colour were skipped, or only the names
	guessed map[string]bool
	lost    []error
}

func (l *lacks) hide(name string, pixels int64) {
	if l.hidden == nil {
		l.hidden = make(map[string]int64)
	}
	l.hidden[name] += pixels
}

func (l *lacks) guess(name string) {
	if l.guessed == nil {
		l.guessed = make(map[string]bool)
	}
	l.guessed[name] = true
}

// note adds what is missing at a position to the Missed of the context.
func (l *lacks) note(ctx context.Context, at [3]int) {
	if len(l.hidden)+len(l.guessed)+len(l.lost) == 0 {
		return
	}
	m, _ := ctx.Value(missedKey{}).(*Missed)
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen[at] {
		return
	}
	if m.seen == nil {
		m.seen, m.hidden, m.guessed = make(map[[3]int]bool), make(map[string]int64), make(map[string]bool)
	}
	m.seen[at] = true
	for name, n := range l.hidden {
		m.hidden[name] += n
	}
	maps.Copy(m.guessed, l.guessed)
	m.lost = append(m.lost, l.lost...)
}

// NoteLost adds an error about a block that cannot be read to the Missed of the context, for other ways to draw a world.
func NoteLost(ctx context.Context, pos mapdb.Pos, err error) {
	(&lacks{lost: []error{err}}).note(ctx, coords(pos))
}

// guesser is a [Coloring] that guesses some colours.
type guesser interface {
	// Guesses reports whether Color guesses the colour of a node.
	Guesses(name string) bool
}

// posOf returns the position of the block that an error is about.
func posOf(err error) (mapdb.Pos, bool) {
	var row *mapdb.RowError
	if errors.As(err, &row) && row.Pos != nil {
		return *row.Pos, true
	}
	return mapdb.Pos{}, false
}
