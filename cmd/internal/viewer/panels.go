package viewer

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"trowel.example/format"
)

// panels is what the panels of bytes and of findings are shown from. All of it is of an edition.
type panels struct {
	dumps    pool[*outline]
	contents pool[*content]

	mu     sync.Mutex
	checks map[string]*checkRun
}

func (p *panels) init(life context.Context) {
	p.dumps.max, p.contents.max = keptDumps, keptSpaces
	p.dumps.life, p.contents.life = life, life
	p.checks = make(map[string]*checkRun)
}

// drop forgets an edition.
func (p *panels) drop(edition string) {
	of := func(key string) bool { return strings.HasPrefix(key, edition+"\n") }
	p.dumps.drop(of)
	p.contents.drop(of)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.checks[edition]; c != nil {
		c.cancel()
		delete(p.checks, edition)
	}
}

func (p *panels) close() {
	p.dumps.close()
	p.contents.close()
}

func (e *edition) key() string { return e.of.key(e.generation) }

// lease keeps the edition open for work that may outlive the request that wants it.
func (e *edition) lease(ctx context.Context) (*edition, func(), error) {
	return e.of.server.opened.get(ctx, e.key(), func(context.Context) (*edition, error) { return nil, errGone })
}

// viewOf returns the scene and the view, named by a request as for a picture, in which places
// are to be found, if it has where; else nil.
func (e *edition) viewOf(ctx context.Context, r *http.Request) (format.Scene, string, func()) {
	if q := r.URL.Query(); q.Has("where") && e.Format.Shows(q.Get("path")) {
		if a, err := e.ask(ctx, r); err == nil {
			return a.Scene, a.View.Name, a.release
		}
	}
	return nil, "", func() {}
}
