package leveldb

import (
	"fmt"
	"slices"
	"sync"
)

// maxProblems is how many problems are remembered.
const maxProblems = 1000

// problems are what is damaged, each once.
type problems struct {
	dir   string
	lock  sync.Mutex
	list  []error
	known map[string]bool // the texts of the list
	more  bool            // there are problems beyond maxProblems
}

// report remembers a problem.
func (p *problems) report(err error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	text := err.Error()
	if p.known[text] {
		return // going through the database again finds it again
	}
	if p.more = p.more || len(p.list) == maxProblems; p.more {
		return
	}
	if p.known == nil {
		p.known = make(map[string]bool)
	}
	p.known[text] = true
	p.list = append(p.list, err)
}

// Problems returns what is damaged, as far as it was come across: by Open in the
// manifest and the logs, by All in the tables. Each is a [fault.Error], or an error
// of the file system. One that wraps [ErrTorn] is no damage but the usual end of
// a program that was killed. The list ends at 1000 problems, and says so.
func (p *problems) Problems() []error {
	p.lock.Lock()
	defer p.lock.Unlock()
	list := slices.Clone(p.list)
	if p.more {
		list = append(list, fmt.Errorf("%s: and more problems", p.dir))
	}
	return list
}
