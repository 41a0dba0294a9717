package leveldb

import (
	"fmt"
	"slices"
	"sync"
)

// maxProblems is the maximum number of recorded problems.
const maxProblems = 1000

// problems is a list of distinct problems.
type problems struct {
	dir   string
	lock  sync.Mutex
	list  []error
	known map[string]bool // texts of the list
	more  bool            // there are problems beyond maxProblems
}

// report records a problem.
func (p *problems) report(err error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	text := err.Error()
	if p.known[text] {
		return // repeated iterations find the same problems
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

// Problems returns the damage found so far: by Open in the manifest and the logs, by All in the tables. Each problem
// is a [fault.Error] or an error of the file system. An error that wraps [ErrTorn] is not damage but the normal state
// after a program was killed. The list ends after 1000 problems, with a note.
func (p *problems) Problems() []error {
	p.lock.Lock()
	defer p.lock.Unlock()
	list := slices.Clone(p.list)
	if p.more {
		list = append(list, fmt.Errorf("%s: and more problems", p.dir))
	}
	return list
}
