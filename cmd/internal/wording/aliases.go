package wording

import (
	"slices"
	"strings"
	"sync"

	"trowel.example/internal/text/words"
)

// Aliases are the user's names for temporary paths, which messages show instead of the paths.
type Aliases struct {
	mu   sync.Mutex
	list []string // temporary paths, each with its name
}

// Hide makes messages show the user's name for a temporary path.
func (a *Aliases) Hide(temporary, name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, temporary, name)
}

// Plain replaces the temporary paths in a text, and the system's words for failures.
func (a *Aliases) Plain(text string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := 0; i < len(a.list); i += 2 {
		text = strings.ReplaceAll(text, a.list[i], a.list[i+1])
	}
	return words.Portable(text)
}

// Copy adds the names that from has so far.
func (a *Aliases) Copy(from *Aliases) {
	from.mu.Lock()
	list := slices.Clone(from.list)
	from.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, list...)
}
