package viewer

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"

	"trowel.example/internal/format"
)

// panels holds the data of the panels of bytes and of findings. Each item belongs to an edition.
type panels struct {
	dumps    pool[*outline]
	contents pool[*content]
	listings pool[*listing]

	mu     sync.Mutex
	checks map[string]*checkRun
	lacked map[string]*format.Missed // losses of closed scenes by scene key
}

// maxLacked is the maximum number of closed scenes whose missing data is remembered.
const maxLacked = 1000

func (p *panels) init(life context.Context) {
	p.dumps.max, p.contents.max, p.listings.max = keptDumps, keptSpaces, keptListings
	p.dumps.life, p.contents.life, p.listings.life = life, life, life
	p.checks, p.lacked = make(map[string]*checkRun), make(map[string]*format.Missed)
}

// lack stores the missing data of a closed scene: its pictures are still shown.
func (p *panels) lack(scene string, some []format.Missing) {
	if len(some) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lacked[scene] == nil {
		for other := range p.lacked {
			if len(p.lacked) < maxLacked {
				break
			}
			delete(p.lacked, other)
		}
		p.lacked[scene] = new(format.Missed)
	}
	p.lacked[scene].Add(some...)
}

// lacks returns the missing data of closed scenes with a key.
func (p *panels) lacks(scene string) []format.Missing {
	p.mu.Lock()
	defer p.mu.Unlock()
	if all := p.lacked[scene]; all != nil {
		return all.All()
	}
	return nil
}

// drop removes the data of an edition.
func (p *panels) drop(edition string) {
	of := func(key string) bool { return strings.HasPrefix(key, edition+"\n") }
	p.dumps.drop(of)
	p.contents.drop(of)
	p.listings.drop(of)
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.lacked, func(key string, _ *format.Missed) bool { return of(key) })
	maps.DeleteFunc(p.checks, func(key string, c *checkRun) bool {
		mine := key == edition || of(key)
		if mine {
			c.cancel()
		}
		return mine
	})
}

func (p *panels) close() {
	p.dumps.close()
	p.contents.close()
	p.listings.close()
}

func (e *edition) key() string { return e.of.key(e.generation) }

// lease keeps the edition open for work that may outlive its request.
func (e *edition) lease(ctx context.Context) (*edition, func(), error) {
	return e.of.server.opened.get(ctx, e.key(), func(context.Context) (*edition, error) { return nil, errGone })
}

// viewOf returns the view of a request with the parameter where, in which places are located. It is named as for a
// picture. Without where, it is the zero view.
func (e *edition) viewOf(ctx context.Context, r *http.Request) (format.View, func()) {
	if q := r.URL.Query(); q.Has("where") && e.Format.Shows(q.Get("path")) {
		if a, err := e.parseRequest(ctx, r); err == nil {
			return a.View, a.release
		}
	}
	return format.View{}, func() {}
}
